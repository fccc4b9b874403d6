/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "import/replay_otf2.h"

#include "sequence/replay_util.h"

#if MQ_REPLAY_OTF2

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/constants.h"
#include "sequence/replay_model.h"
#include "import/replay_otf2_archive.h"

/* The rank in a group of a rank in MPI_COMM_WORLD, or REPLAY_NONE. */
static uint32_t rank_in(const replay_otf2_group_t *group, uint32_t world_rank)
{
    if (OTF2_GROUP_TYPE_COMM_SELF == group->type) {
        return 0;
    }
    if (group->has_global_ranks) {
        return world_rank;
    }
    for (uint32_t i = 0; i < group->size; ++i) {
        if (world_rank == group->members[i]) {
            return i;
        }
    }
    return REPLAY_NONE;
}

/* Determine the location's rank in a communicator, and the group with which it
 * communicates. */
static void introduce(const replay_otf2_archive_t *archive,
                      replay_otf2_communicator_t *communicator)
{
    communicator->asked = archive->location->id;
    communicator->remote = NULL;
    for (int side = 0; side < 2 && NULL != communicator->groups[side]; ++side) {
        communicator->rank =
            rank_in(communicator->groups[side], archive->location->rank);
        if (REPLAY_NONE != communicator->rank) {
            communicator->remote = communicator->groups[1 - side];
            return;
        }
    }
}

static replay_otf2_communicator_t *find_communicator(
    const replay_otf2_archive_t *archive, OTF2_CommRef id)
{
    for (size_t i = 0; i < archive->num_communicators; ++i) {
        /* Usually they are numbered from 0. */
        size_t at = (id + i) % archive->num_communicators;
        replay_otf2_communicator_t *communicator = &archive->communicators[at];

        if (id == communicator->id) {
            if (archive->location->id != communicator->asked) {
                introduce(archive, communicator);
            }
            if (NULL != communicator->remote) {
                return communicator;
            }
            break;
        }
    }
    replay_die("%s: rank %u communicates in communicator %u, of which it is "
               "no member",
               archive->path, archive->location->rank, id);
}

/* The rank in MPI_COMM_WORLD of a peer of the location. */
static uint32_t world_rank(const replay_otf2_archive_t *archive,
                           const replay_otf2_communicator_t *communicator,
                           uint32_t peer)
{
    const replay_otf2_group_t *remote = communicator->remote;
    uint64_t rank = UINT64_MAX;

    if (OTF2_GROUP_TYPE_COMM_SELF == remote->type) {
        rank = 0 == peer ? archive->location->rank : UINT64_MAX;
    } else if (remote->has_global_ranks) {
        rank = peer;
    } else if (peer < remote->size) {
        rank = remote->members[peer];
    }
    if (rank >= archive->import->num_ranks) {
        replay_die("%s: rank %u communicates with rank %u of communicator %u, "
                   "which has no such rank",
                   archive->path, archive->location->rank, peer,
                   communicator->id);
    }
    return (uint32_t) rank;
}

static int32_t tag_of(const replay_otf2_archive_t *archive, uint32_t tag)
{
    if (tag > INT32_MAX) {
        replay_die("%s: rank %u communicates with tag %u, which MPI does not "
                   "allow",
                   archive->path, archive->location->rank, tag);
    }
    return (int32_t) tag;
}

static void sent(replay_otf2_archive_t *archive, OTF2_TimeStamp time,
                 uint32_t receiver, OTF2_CommRef id, uint32_t tag)
{
    const replay_otf2_communicator_t *communicator =
        find_communicator(archive, id);
    uint32_t to = world_rank(archive, communicator, receiver);

    replay_import_arrival(archive->import, to, time, communicator->number,
                          (int32_t) communicator->rank, tag_of(archive, tag));
}

static void received(replay_otf2_archive_t *archive, size_t receive,
                     uint32_t sender, OTF2_CommRef id, uint32_t tag)
{
    const replay_otf2_communicator_t *communicator =
        find_communicator(archive, id);

    (void) world_rank(archive, communicator, sender);
    replay_import_received(archive->import, archive->location->rank, receive,
                           communicator->number, (int32_t) sender,
                           tag_of(archive, tag));
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location,
                                  OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes,
                                  OTF2_RegionRef region)
{
    replay_otf2_archive_t *archive = data;

    REPLAY_GROW(archive->entered, archive->depth, archive->entered_size);
    archive->entered[archive->depth++] = time;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location,
                                  OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes,
                                  OTF2_RegionRef region)
{
    replay_otf2_archive_t *archive = data;

    if (archive->depth > 0) {
        --archive->depth;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time,
                                 uint64_t position, void *data,
                                 OTF2_AttributeList *attributes,
                                 uint32_t receiver, OTF2_CommRef communicator,
                                 uint32_t tag, uint64_t length)
{
    sent(data, time, receiver, communicator, tag);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location,
                                  OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes,
                                  uint32_t receiver, OTF2_CommRef communicator,
                                  uint32_t tag, uint64_t length,
                                  uint64_t request)
{
    sent(data, time, receiver, communicator, tag);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef location, OTF2_TimeStamp time,
                                 uint64_t position, void *data,
                                 OTF2_AttributeList *attributes,
                                 uint32_t sender, OTF2_CommRef communicator,
                                 uint32_t tag, uint64_t length)
{
    replay_otf2_archive_t *archive = data;
    uint64_t posted =
        archive->depth > 0 ? archive->entered[archive->depth - 1] : time;

    received(
        archive,
        replay_import_receive(archive->import, archive->location->rank, posted),
        sender, communicator, tag);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv_request(OTF2_LocationRef location,
                                          OTF2_TimeStamp time,
                                          uint64_t position, void *data,
                                          OTF2_AttributeList *attributes,
                                          uint64_t request)
{
    replay_otf2_archive_t *archive = data;
    size_t receive =
        replay_import_receive(archive->import, archive->location->rank, time);

    if (SIZE_MAX != receive &&
        OPAL_SUCCESS != opal_flat_hash_put(&archive->requests, request,
                                           (void *) (receive + 1))) {
        replay_die("out of memory");
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location,
                                  OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes,
                                  uint32_t sender, OTF2_CommRef communicator,
                                  uint32_t tag, uint64_t length,
                                  uint64_t request)
{
    replay_otf2_archive_t *archive = data;
    void *value = opal_flat_hash_remove(&archive->requests, request);

    /* If its posting was not recorded, it counts as posted now. */
    received(archive,
             NULL != value
                 ? (size_t) (uintptr_t) value - 1
                 : replay_import_receive(archive->import,
                                         archive->location->rank, time),
             sender, communicator, tag);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_EvtReaderCallbacks *event_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();

    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_isend);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_recv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks,
                                                       on_irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_irecv);
    return callbacks;
}

/* Read a location. Its local definitions map its numbers and its clock to the
 * global ones. */
static void read_location(replay_otf2_archive_t *archive,
                          const replay_otf2_location_t *location,
                          const OTF2_EvtReaderCallbacks *callbacks)
{
    OTF2_Reader *reader = archive->reader;
    OTF2_DefReader *definitions =
        OTF2_Reader_GetDefReader(reader, location->id);
    OTF2_EvtReader *events;
    uint64_t count;

    if (NULL != definitions) {
        replay_otf2_check(archive, OTF2_Reader_ReadAllLocalDefinitions(
                                       reader, definitions, &count));
        replay_otf2_check(archive,
                          OTF2_Reader_CloseDefReader(reader, definitions));
    }
    archive->location = location;
    archive->depth = 0;
    events = replay_otf2_known(archive,
                               OTF2_Reader_GetEvtReader(reader, location->id));
    replay_otf2_check(archive, OTF2_EvtReader_ApplyMappingTables(events, true));
    replay_otf2_check(archive, OTF2_EvtReader_ApplyClockOffsets(events, true));
    replay_otf2_check(archive, OTF2_Reader_RegisterEvtCallbacks(
                                   reader, events, callbacks, archive));
    replay_otf2_check(archive,
                      OTF2_Reader_ReadAllLocalEvents(reader, events, &count));
    replay_otf2_check(archive, OTF2_Reader_CloseEvtReader(reader, events));
}

/* Sort the threads of a process together. */
static int by_process(const void *left, const void *right)
{
    OTF2_LocationGroupRef a = ((const replay_otf2_location_t *) left)->process;
    OTF2_LocationGroupRef b = ((const replay_otf2_location_t *) right)->process;

    return a != b ? (a < b ? -1 : 1) : replay_otf2_by_id(left, right);
}

/* Read one location after the other, which does not need many open files;
 * replay_import sorts the events. */
static void read_events(replay_otf2_archive_t *archive)
{
    OTF2_EvtReaderCallbacks *callbacks = event_callbacks();

    qsort(archive->locations, archive->num_locations,
          sizeof(*archive->locations), by_process);
    for (size_t i = 0; i < archive->num_locations; ++i) {
        replay_otf2_check(archive,
                          OTF2_Reader_SelectLocation(archive->reader,
                                                     archive->locations[i].id));
    }
    /* Local definitions are optional. */
    (void) OTF2_Reader_OpenDefFiles(archive->reader);
    replay_otf2_check(archive, OTF2_Reader_OpenEvtFiles(archive->reader));
    replay_otf2_errors_reset();
    for (size_t i = 0; i < archive->num_locations; ++i) {
        replay_progress(archive->path, "reading", i, archive->num_locations);
        if (REPLAY_NONE != archive->locations[i].rank) {
            read_location(archive, &archive->locations[i], callbacks);
        }
        if (i + 1 == archive->num_locations ||
            archive->locations[i].process !=
                archive->locations[i + 1].process) {
            opal_flat_hash_fini(&archive->requests);
        }
    }
    replay_progress_end();
    OTF2_EvtReaderCallbacks_Delete(callbacks);
}

void replay_otf2_read(const char *path, replay_import_t *import)
{
    replay_otf2_archive_t archive = {.path = path, .import = import};

    if (0 != access(path, R_OK)) {
        replay_die("%s: %s", path, strerror(errno));
    }
    replay_otf2_errors_init();
    archive.reader = replay_otf2_known(&archive, OTF2_Reader_Open(path));
    replay_otf2_check(&archive,
                      OTF2_Reader_SetSerialCollectiveCallbacks(archive.reader));
    opal_flat_hash_init(&archive.requests);
    replay_otf2_definitions_read(&archive);
    read_events(&archive);
    replay_otf2_check(&archive, OTF2_Reader_Close(archive.reader));
    replay_otf2_definitions_free(&archive);
    free(archive.entered);
}

#else /* MQ_REPLAY_OTF2 */

void replay_otf2_read(const char *path, replay_import_t *import)
{
    replay_die("--import %s: this mq_replay was built without OTF2; install "
               "the library (Debian: libopen-trace-format2-dev) and build "
               "it again",
               path);
}

#endif /* MQ_REPLAY_OTF2 */
