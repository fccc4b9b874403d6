/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/pml/champion/record/learnt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include MCA_MQ_OMPI_PMIX_HEADER

#include "ompi/mca/mq/base/param/param.h"
#include "ompi/mca/mq/base/record/file.h"

#include "ompi/mca/pml/champion/peer/cost_model.h"
#include "ompi/mca/pml/champion/peer/peer.h"
#include "ompi/mca/pml/champion/progress/thread.h"
#include "ompi/mca/pml/champion/rndv/thread_trigger.h"
#include "ompi/mca/pml/champion/record/gather.h"
#include "ompi/mca/pml/champion/record/learnt_file.h"

static struct {
    char *parameter;
    char *path; /* absolute: the program may change its folder; or NULL */
    bool wanted;
    bool begun;                    /* the file has been looked at */
    unsigned used;                 /* peers that began with it */
    const char *own;               /* the name of this host */
    mca_pml_champion_learnt_t old; /* what was in the file; lock held */
} learnt;

bool mca_pml_champion_learnt_register(void)
{
    return OMPI_SUCCESS ==
           mca_mq_base_param_string(
               mca_pml_champion.component, "learnt",
               "File in which a job keeps what it has learnt of hosts: times "
               "of transfers, and what was decided about prefetching, receive "
               "offload and the progress thread. Read at MPI_Init, if it is "
               "there, and replaced at MPI_Finalize by rank 0. All hosts "
               "should see the same file. Default: none",
               OPAL_INFO_LVL_5, &learnt.parameter);
}

bool mca_pml_champion_learnt_is_wanted(void)
{
    return NULL != learnt.parameter && '\0' != learnt.parameter[0];
}

/* ---- reading ------------------------------------------------------------ */

/* The host of a process of this job, to be freed; NULL if it is not known. PMIx
 * is asked, not Open MPI: that would keep a structure of each process which is
 * asked for, in tables that have no lock. The answer is known in this process. */
static char *host_of(const mca_pml_champion_peer_t *peer)
{
    char *host = NULL;
    int rc;

    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, MCA_MQ_OMPI_PMIX_HOSTNAME, &peer->name,
                                   &host, MCA_MQ_OMPI_PMIX_STRING);
    return OPAL_SUCCESS == rc ? host : NULL;
}

static bool is_of_this_job(const mca_pml_champion_peer_t *peer)
{
    return peer->name.jobid == mca_pml_champion.my_jobid;
}

/* One process of each host says it. */
static void complain(const char *why, unsigned line)
{
    char where[32] = "";

    if (0 != opal_process_info.my_local_rank) {
        return;
    }
    if (0 != line) {
        snprintf(where, sizeof(where), " (line %u)", line);
    }
    opal_output(0,
                "champion: %s ignores the file %s (parameter "
                "pml_champion_learnt): %s%s",
                NULL == learnt.own ? "a host" : learnt.own, learnt.path, why,
                where);
}

/* Only a regular file is opened: a pipe would never end. NULL if there is none,
 * which is reported unless it is just not there. */
static FILE *open_file(void)
{
    struct stat status;
    FILE *file = NULL;

    if (0 == stat(learnt.path, &status)) {
        if (!S_ISREG(status.st_mode)) {
            complain("it is not a regular file", 0);
            return NULL;
        }
        file = fopen(learnt.path, "r");
    }
    if (NULL == file && ENOENT != errno) {
        complain(strerror(errno), 0);
    }
    return file;
}

static bool has_this_host(const mca_pml_champion_learnt_t *facts)
{
    for (size_t i = 0; i < facts->num_pairs; ++i) {
        if (0 == strcmp(learnt.own, facts->pairs[i].to)) {
            return true;
        }
    }
    return NULL != mca_pml_champion_learnt_find_host(facts, learnt.own);
}

/* Not under the lock, as it may take long. */
static void read_file(mca_pml_champion_learnt_t *facts)
{
    FILE *file = open_file();
    const char *why;
    unsigned line;

    if (NULL == file) {
        return;
    }
    why = mca_pml_champion_learnt_read_file(facts, file, (uint64_t) time(NULL),
                                            &line);
    fclose(file);
    if (NULL != why) {
        complain(why, line);
        if (0 == strcmp(why, MCA_PML_CHAMPION_LEARNT_FOREIGN)) {
            free(learnt.path); /* nor replaced: it has another purpose */
            learnt.path = NULL;
        }
    } else if (!has_this_host(facts)) {
        complain("it is of other hosts", 0);
    }
}

/* ---- beginning with it -------------------------------------------------- */

/* A peer is looked up when the first message from or to it has been seen, not in
 * MPI_Init: what that costs depends on the peers that a process has, not on the
 * size of the job. */
static void ask(mca_pml_champion_peer_t *peer)
{
    if (0 != learnt.old.num_pairs && is_of_this_job(peer) &&
        OPAL_PROC_MY_NAME.vpid != peer->name.vpid) {
        mca_pml_champion_peer_due(peer, MCA_PML_CHAMPION_PEER_NEW);
    }
}

/* Begin with what is known of a peer's host, where nothing was measured. */
static void apply(mca_pml_champion_peer_t *peer)
{
    char *host = host_of(peer);
    const mca_pml_champion_learnt_pair_t *pair =
        NULL == host
            ? NULL
            : mca_pml_champion_learnt_find_pair(&learnt.old, learnt.own, host);

    free(host);
    if (NULL == pair) {
        return;
    }
    ++learnt.used;
    mca_pml_champion_cost_model_begin(peer, (double) pair->alpha * 1e-6,
                                      (double) pair->beta);
    if (0 == peer->prefetch.wait) {
        peer->prefetch.wait = pair->wait;
    }
    if (0 == peer->offload.delta) {
        peer->offload.delta = pair->delta;
    }
}

static void begin_thread(void)
{
    const mca_pml_champion_learnt_host_t *host =
        mca_pml_champion_learnt_find_host(&learnt.old, learnt.own);

    if (NULL != host && host->threads > 0 &&
        2 * host->threads >= host->processes) {
        mca_pml_champion_thread_trigger_learnt();
    }
}

static mca_pml_champion_peer_hooks_t hooks = {.born = ask, .met = apply};

void mca_pml_champion_learnt_follow(bool wanted)
{
    learnt.wanted = wanted;
    if (wanted) {
        mca_pml_champion_peer_hooks_add(&hooks);
        if (mca_pml_champion_learnt_is_wanted()) {
            learnt.path = mca_mq_base_file_absolute(learnt.parameter);
        }
    }
}

void mca_pml_champion_learnt_begin(void)
{
    mca_pml_champion_learnt_t facts = {.hosts = NULL};

    if (!learnt.wanted || learnt.begun) {
        return;
    }
    learnt.begun = true;
    learnt.own = opal_get_proc_hostname(opal_proc_local_get());
    if (NULL == learnt.path || NULL == learnt.own) {
        return;
    }
    read_file(&facts);
    mca_pml_champion_lock();
    learnt.old = facts; /* messages arrive already, of peers that look at it */
    mca_pml_champion_peers_each(ask); /* those that are known already */
    begin_thread();
    mca_pml_champion_unlock();
}

unsigned mca_pml_champion_learnt_used(void)
{
    MCA_PML_CHAMPION_LOCKED();
    return learnt.used;
}

/* ---- writing ------------------------------------------------------------ */

static uint64_t at_most(double value, uint64_t max)
{
    return value <= 0 ? 0 : value >= (double) max ? max : (uint64_t) value;
}

/* What this process knows now; only while it is gathered. */
static mca_pml_champion_learnt_t mine;

static void add_peer(mca_pml_champion_peer_t *peer)
{
    mca_pml_champion_learnt_pair_t pair = {
        .to = (char *) (uintptr_t) learnt.own,
        .wait = at_most((double) peer->prefetch.wait,
                        MCA_PML_CHAMPION_LEARNT_NS_MAX),
        .delta = at_most((double) peer->offload.delta,
                         MCA_PML_CHAMPION_LEARNT_NS_MAX),
    };
    double alpha, beta;

    if (mca_pml_champion_cost_model_measured(peer, &alpha, &beta)) {
        pair.alpha = at_most(alpha * 1e6, MCA_PML_CHAMPION_LEARNT_ALPHA_MAX);
        pair.beta = at_most(beta, MCA_PML_CHAMPION_LEARNT_NS_MAX);
    }
    if (!is_of_this_job(peer) ||
        0 == (pair.alpha | pair.beta | pair.wait | pair.delta)) {
        return;
    }
    pair.from = host_of(peer);
    if (NULL != pair.from) {
        (void) mca_pml_champion_learnt_add_pair(&mine, &pair);
        free(pair.from);
    }
}

/* Was a progress thread started, and not found to be of no use since? */
static bool thread_was_of_use(void)
{
    return 0 != mca_pml_champion_thread_begun_at() &&
           mca_pml_champion.counters.thread_ended <=
               mca_pml_champion.counters.thread_again;
}

/* What is lost if memory runs out is learnt again. */
static void collect(void)
{
    if (NULL == learnt.own) {
        return;
    }
    (void) mca_pml_champion_learnt_add_host(&mine, learnt.own,
                                            thread_was_of_use(), 1);
    mca_pml_champion_lock();
    mca_pml_champion_peers_each(add_peer);
    mca_pml_champion_unlock();
    mca_pml_champion_learnt_merge(&mine);
}

/* As text; to be freed by the caller. NULL if memory ran out. */
static char *text_of(size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);

    if (NULL == stream) {
        return NULL;
    }
    mca_pml_champion_learnt_print(&mine, stream);
    if (0 != fclose(stream)) {
        free(text);
        text = NULL;
    }
    return text;
}

/* What a rank has said so far; stream NULL: memory ran out. */
typedef struct incoming_t {
    char *text;
    size_t length;
    FILE *stream;
} incoming_t;

static void append(const void *chunk, size_t length, void *arg)
{
    incoming_t *incoming = arg;

    if (NULL == incoming->stream) {
        incoming->stream = open_memstream(&incoming->text, &incoming->length);
    }
    if (NULL != incoming->stream) {
        (void) fwrite(chunk, 1, length, incoming->stream);
    }
}

/* Merged rank by rank: what is kept depends on the number of hosts. */
static void appended(int rank, bool whole, void *arg)
{
    incoming_t *incoming = arg;
    FILE *facts = NULL;

    (void) rank;
    if (NULL == incoming->stream) {
        return;
    }
    if (0 == fclose(incoming->stream) && whole && 0 != incoming->length) {
        facts = fmemopen(incoming->text, incoming->length, "r");
    }
    if (NULL != facts) {
        (void) mca_pml_champion_learnt_read(&mine, facts);
        fclose(facts);
        mca_pml_champion_learnt_merge(&mine);
    }
    free(incoming->text);
    *incoming = (incoming_t){.stream = NULL};
}

static const mca_pml_champion_gather_sink_t sink = {.chunk = append,
                                                    .end = appended};

static void write_file(void)
{
    mca_mq_base_file_t file;
    int error;

    mca_mq_base_file_begin(&file, learnt.path);
    if (NULL != file.stream) {
        mca_pml_champion_learnt_print_file(&mine, (uint64_t) time(NULL),
                                           file.stream);
    }
    error = mca_mq_base_file_end(&file);
    if (0 != error) {
        opal_output(0,
                    "champion: what was learnt could not be written to %s "
                    "(parameter pml_champion_learnt): %s",
                    learnt.path, mca_mq_base_file_reason(error));
    }
}

static void write_all(void)
{
    incoming_t incoming = {.stream = NULL};

    mca_pml_champion_gather(NULL, 0, &sink, &incoming);
    mca_pml_champion_learnt_keep(&mine, &learnt.old);
    if (NULL != learnt.path) {
        write_file();
    }
}

static void hand_over(void)
{
    size_t length = 0;
    char *text = text_of(&length);

    mca_pml_champion_gather(text, length, &sink, NULL);
    free(text);
}

void mca_pml_champion_learnt_write(void)
{
    if (!learnt.wanted) {
        return;
    }
    collect();
    if (0 == ompi_comm_rank(&ompi_mpi_comm_world.comm)) {
        write_all();
    } else {
        hand_over();
    }
    mca_pml_champion_learnt_free(&mine);
}

void mca_pml_champion_learnt_close(void)
{
    mca_pml_champion_learnt_free(&learnt.old);
    free(learnt.path);
    learnt.path = NULL;
    learnt.wanted = learnt.begun = false;
}
