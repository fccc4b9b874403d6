/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes connect, talk, disconnect and connect again, often: the two
 * halves of one job, and two jobs that know each other only while connected.
 * Each connection starts afresh: nothing of an earlier one is left over.
 *
 *     connect_and_disconnect [--times N] [--jobs] [--new-ports]
 *
 * --jobs       two jobs; without it two halves of one
 * --new-ports  a port is used for one connection only
 */
#include "mpi_test.h"

#define TAG 111

static const int sizes[] = {0, 8, 2000, 70000};

static int times;
static bool new_ports;

static uint64_t key_of(int side, int rank, int size, int time)
{
    return mt_key(side, rank, size, time);
}

static void exchange(MPI_Comm inter, int side, int time)
{
    int rank = mt_rank_in(inter), remote = mt_remote_size(inter);

    for (size_t s = 0; s < MT_COUNT_OF(sizes); ++s) {
        int size = sizes[s];
        unsigned char *in = mt_alloc(size);
        unsigned char *out = mt_alloc(size);
        MPI_Request *request = malloc(remote * sizeof(*request));
        MPI_Status status;

        MT_CASE("side %d, connection %d, %d bytes", side, time, size);
        mt_fill(out, size, key_of(side, rank, size, time));
        for (int i = 0; i < remote; ++i) {
            MPI_Isend(out, size, MPI_BYTE, i, TAG, inter, &request[i]);
        }
        for (int i = 0; i < remote; ++i) {
            MPI_Recv(in, size, MPI_BYTE, i, s % 2 ? TAG : MPI_ANY_TAG, inter,
                     &status);
            CHECK_STATUS(&status, i, TAG, MPI_BYTE, size);
            CHECK_PAYLOAD(in, size, key_of(!side, i, size, time));
        }
        MPI_Waitall(remote, request, MPI_STATUSES_IGNORE);
        free(request);
        MT_FREE(in, out);
    }
}

static int num_ports(void)
{
    return new_ports ? times : 1;
}

static char *port_at(char *ports, int time)
{
    return ports + (new_ports ? time : 0) * MPI_MAX_PORT_NAME;
}

/* Rank 0 opens the ports and broadcasts them. */
static char *ports_open(MPI_Comm comm, int root)
{
    int size = num_ports() * MPI_MAX_PORT_NAME;
    char *ports = calloc(1, size);

    for (int i = 0; 0 == mt_rank && i < num_ports(); ++i) {
        MPI_Open_port(MPI_INFO_NULL, port_at(ports, i));
    }
    MPI_Bcast(ports, size, MPI_CHAR, root, comm);
    return ports;
}

static void ports_close(char *ports)
{
    for (int i = 0; 0 == mt_rank && i < num_ports(); ++i) {
        MPI_Close_port(port_at(ports, i));
    }
    free(ports);
}

/* Even ranks accept, odd ones connect. */
static void halves_of_a_job(void)
{
    char *ports = ports_open(MPI_COMM_WORLD, 0);
    int side = mt_rank % 2;
    MPI_Comm half, inter;

    MPI_Comm_split(MPI_COMM_WORLD, side, mt_rank, &half);
    for (int time = 0; time < times; ++time) {
        char *port = port_at(ports, time);

        MT_CASE("side %d connects, time %d", side, time);
        if (0 == side) {
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
        } else {
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
        }
        exchange(inter, side, time);
        MT_CASE("side %d disconnects, time %d", side, time);
        MPI_Comm_disconnect(&inter);
    }
    ports_close(ports);
    MPI_Comm_free(&half);
}

/*
 * The parents hand a port to a job they have spawned and let go of it; from
 * then on only the port joins them.
 */
static void parents(char *program)
{
    char number[16], *ports;
    char *arguments[] = {(char *) "--times", number,
                         new_ports ? (char *) "--new-ports" : NULL, NULL};
    MPI_Comm inter;

    snprintf(number, sizeof(number), "%d", times);
    MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                   &inter, MPI_ERRCODES_IGNORE);
    ports = ports_open(inter, 0 == mt_rank ? MPI_ROOT : MPI_PROC_NULL);
    exchange(inter, 0, 1000);
    MPI_Comm_disconnect(&inter);
    for (int time = 0; time < times; ++time) {
        MT_CASE("parent accepts, time %d", time);
        MPI_Comm_accept(port_at(ports, time), MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                        &inter);
        exchange(inter, 0, time);
        MT_CASE("parent disconnects, time %d", time);
        MPI_Comm_disconnect(&inter);
    }
    ports_close(ports);
}

static void children(MPI_Comm parent)
{
    char *ports = calloc(num_ports(), MPI_MAX_PORT_NAME);
    MPI_Comm inter;

    MPI_Bcast(ports, num_ports() * MPI_MAX_PORT_NAME, MPI_CHAR, 0, parent);
    exchange(parent, 1, 1000);
    MPI_Comm_disconnect(&parent);
    for (int time = 0; time < times; ++time) {
        MT_CASE("child connects, time %d", time);
        MPI_Comm_connect(port_at(ports, time), MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                         &inter);
        exchange(inter, 1, time);
        MT_CASE("child disconnects, time %d", time);
        MPI_Comm_disconnect(&inter);
    }
    free(ports);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    mt_init(&argc, &argv, 2);
    times = mt_option(argc, argv, "--times", 5);
    new_ports = mt_flag(argc, argv, "--new-ports");
    MPI_Comm_get_parent(&parent);
    if (MPI_COMM_NULL != parent) {
        children(parent);
        return mt_finalize();
    }
    if (!mt_flag(argc, argv, "--jobs")) {
        halves_of_a_job();
    } else {
        parents(argv[0]);
    }
    return mt_finalize();
}
