/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Tags up to MPI_TAG_UB are told apart, also those that are equal in their
 * lower bits. With --require-full-tags MPI_TAG_UB has to be 2^31 - 1.
 */
#include "mpi_test.h"

#define MAX_TAGS 64

/* All tags of interest up to `limit`, each once. */
static int choose_tags(int limit, int *tags)
{
    const long long low[] = {0, 1, 5, 32767};
    int n = 0;

    tags[n++] = 0;
    tags[n++] = limit;
    for (int bit = 15; bit <= 31; ++bit) {
        for (size_t i = 0; i < MT_COUNT_OF(low); ++i) {
            long long tag = low[i] + (1ll << bit) - (i == 3 ? 32768 : 0);
            bool skip = tag > limit || (bit > 15 && bit < 22);
            for (int j = 0; j < n; ++j) {
                skip = skip || tags[j] == (int) tag;
            }
            if (!skip && n < MAX_TAGS) {
                tags[n++] = (int) tag;
            }
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    int *tag_ub, found, tags[MAX_TAGS], data[MAX_TAGS], got, n;
    MPI_Request request[MAX_TAGS];
    MPI_Status status;

    mt_init(&argc, &argv, 2);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &found);
    CHECK(found);
    CHECK(*tag_ub >= 32767);
    if (mt_flag(argc, argv, "--require-full-tags")) {
        CHECK_EQ(*tag_ub, INT32_MAX);
    }
    n = choose_tags(*tag_ub, tags);

    for (int round = 0; round < 6 && mt_peer < mt_size; ++round) {
        bool posted = round % 2;

        MT_CASE("round %d, %d tags up to %d", round, n, *tag_ub);
        if (0 == mt_rank % 2) {
            if (posted) {
                mt_hear(mt_peer, 7, MPI_COMM_WORLD);
            }
            for (int i = 0; i < n; ++i) {
                data[i] = tags[i] ^ round;
                (round > 3 ? MPI_Issend
                           : MPI_Isend)(&data[i], 1, MPI_INT, mt_peer, tags[i],
                                        MPI_COMM_WORLD, &request[i]);
            }
            MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
        } else if (posted) {
            for (int i = n - 1; i >= 0; --i) {
                MPI_Irecv(&data[i], 1, MPI_INT,
                          i % 2 ? mt_peer : MPI_ANY_SOURCE, tags[i],
                          MPI_COMM_WORLD, &request[i]);
            }
            mt_tell(mt_peer, 7, MPI_COMM_WORLD);
            for (int i = 0; i < n; ++i) {
                CHECK_WAIT(&request[i], mt_peer, tags[i], MPI_INT, 1);
                CHECK_EQ(data[i], tags[i] ^ round);
            }
        } else {
            for (int i = n - 1; i >= 0; --i) {
                MPI_Probe(mt_peer, tags[i], MPI_COMM_WORLD, &status);
                CHECK_STATUS(&status, mt_peer, tags[i], MPI_INT, 1);
                MPI_Recv(&got, 1, MPI_INT, i % 2 ? mt_peer : MPI_ANY_SOURCE,
                         tags[i], MPI_COMM_WORLD, &status);
                CHECK_STATUS(&status, mt_peer, tags[i], MPI_INT, 1);
                CHECK_EQ(got, tags[i] ^ round);
                CHECK(!mt_is_there(mt_peer, tags[i], MPI_COMM_WORLD));
            }
        }
    }
    /* Any tag shows each of them whole. */
    for (int i = 0; i < n && mt_peer < mt_size; ++i) {
        MPI_Sendrecv(&tags[i], 1, MPI_INT, mt_peer, tags[i], &got, 1, MPI_INT,
                     MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        CHECK_STATUS(&status, mt_peer, tags[i], MPI_INT, 1);
        CHECK_EQ(got, tags[i]);
    }
    return mt_finalize();
}
