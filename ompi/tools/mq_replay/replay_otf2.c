/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "replay_otf2.h"

#include "replay_util.h"

#if MQ_REPLAY_OTF2

#include <errno.h>
#include <otf2/otf2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/constants.h"
#include "opal/class/opal_flat_hash.h"
#include "replay_model.h"

/* The processes of a communicator, or of one of its sides. */
typedef struct group_t {
    OTF2_GroupRef id;
    OTF2_GroupType type;
    bool has_global_ranks;
    uint32_t size;
    uint64_t *members; /* ranks in MPI_COMM_WORLD; in that group: locations */
} group_t;

typedef struct communicator_t {
    OTF2_CommRef id;
    OTF2_GroupRef ids[2]; /* equal, except for inter-communicators */
    const group_t *groups[2];
    uint32_t number;        /* number in replay_import */
    OTF2_LocationRef asked; /* the location for which the following is valid */
    const group_t *remote;  /* group with which it communicates, or NULL */
    uint32_t rank;          /* its own rank */
} communicator_t;

typedef struct location_t {
    OTF2_LocationRef id;
    OTF2_LocationGroupRef process;
    uint32_t rank; /* in MPI_COMM_WORLD, or REPLAY_NONE */
} location_t;

typedef struct archive_t {
    const char *path;
    OTF2_Reader *reader;
    replay_import_t *import;
    group_t *groups;
    size_t num_groups;
    size_t groups_size;
    communicator_t *communicators;
    size_t num_communicators;
    size_t communicators_size;
    location_t *locations;
    size_t num_locations;
    size_t locations_size;

    /* While its events are read: */
    const location_t *location;
    opal_flat_hash_t requests; /* requests of receives, to their number plus
                                  1 */
    uint64_t *entered;         /* times of entering the present functions */
    size_t depth;
    size_t entered_size;
} archive_t;

/* ---- errors ---- */

static char complaint[512];

/* Keep the error text for the line that is printed. */
static OTF2_ErrorCode complain(void *data, const char *file, uint64_t line,
                               const char *function, OTF2_ErrorCode code,
                               const char *format, va_list arguments)
{
    vsnprintf(complaint, sizeof(complaint), format, arguments);
    return code;
}

static void check(const archive_t *archive, OTF2_ErrorCode code)
{
    if (OTF2_SUCCESS != code) {
        replay_die("%s: %s%s%s", archive->path, OTF2_Error_GetDescription(code),
                   '\0' != complaint[0] ? ": " : "", complaint);
    }
}

static void *known(const archive_t *archive, void *handle)
{
    if (NULL == handle) {
        replay_die("%s: %s", archive->path,
                   '\0' != complaint[0] ? complaint : "cannot be read as OTF2");
    }
    return handle;
}

/* ---- definitions ---- */

static OTF2_CallbackCode define_group(void *data, OTF2_GroupRef self,
                                      OTF2_StringRef name, OTF2_GroupType type,
                                      OTF2_Paradigm paradigm,
                                      OTF2_GroupFlag flags, uint32_t size,
                                      const uint64_t *members)
{
    archive_t *archive = data;
    group_t *group;

    if (OTF2_PARADIGM_MPI != paradigm) {
        return OTF2_CALLBACK_SUCCESS;
    }
    REPLAY_GROW(archive->groups, archive->num_groups, archive->groups_size);
    group = &archive->groups[archive->num_groups++];
    *group = (group_t){
        .id = self,
        .type = type,
        .has_global_ranks = 0 != (flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS),
        .size = size,
        .members = replay_realloc(NULL, size, sizeof(*members)),
    };
    if (0 != size) {
        memcpy(group->members, members, size * sizeof(*members));
    }
    return OTF2_CALLBACK_SUCCESS;
}

static void add_communicator(archive_t *archive, OTF2_CommRef self,
                             OTF2_GroupRef first, OTF2_GroupRef second)
{
    REPLAY_GROW(archive->communicators, archive->num_communicators,
                archive->communicators_size);
    archive->communicators[archive->num_communicators++] = (communicator_t){
        .id = self,
        .ids = {first, second},
        .asked = OTF2_UNDEFINED_LOCATION,
    };
}

static OTF2_CallbackCode define_comm(void *data, OTF2_CommRef self,
                                     OTF2_StringRef name, OTF2_GroupRef group,
                                     OTF2_CommRef parent, OTF2_CommFlag flags)
{
    add_communicator(data, self, group, group);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode define_inter_comm(
    void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef first,
    OTF2_GroupRef second, OTF2_CommRef common, OTF2_CommFlag flags)
{
    add_communicator(data, self, first, second);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode define_location(void *data, OTF2_LocationRef self,
                                         OTF2_StringRef name,
                                         OTF2_LocationType type,
                                         uint64_t events,
                                         OTF2_LocationGroupRef process)
{
    archive_t *archive = data;

    REPLAY_GROW(archive->locations, archive->num_locations,
                archive->locations_size);
    archive->locations[archive->num_locations++] =
        (location_t){.id = self, .process = process, .rank = REPLAY_NONE};
    return OTF2_CALLBACK_SUCCESS;
}

static void read_definitions(archive_t *archive)
{
    OTF2_GlobalDefReader *definitions =
        known(archive, OTF2_Reader_GetGlobalDefReader(archive->reader));
    OTF2_GlobalDefReaderCallbacks *callbacks =
        OTF2_GlobalDefReaderCallbacks_New();
    uint64_t count;

    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, define_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, define_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks,
                                                       define_inter_comm);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks,
                                                      define_location);
    check(archive, OTF2_Reader_RegisterGlobalDefCallbacks(
                       archive->reader, definitions, callbacks, archive));
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    check(archive, OTF2_Reader_ReadAllGlobalDefinitions(archive->reader,
                                                        definitions, &count));
    check(archive,
          OTF2_Reader_CloseGlobalDefReader(archive->reader, definitions));
}

static int by_id(const void *left, const void *right)
{
    OTF2_LocationRef a = ((const location_t *) left)->id;
    OTF2_LocationRef b = ((const location_t *) right)->id;

    return a < b ? -1 : a > b;
}

static location_t *find_location(const archive_t *archive, OTF2_LocationRef id)
{
    location_t key = {.id = id};

    return bsearch(&key, archive->locations, archive->num_locations,
                   sizeof(key), by_id);
}

/* All threads of a process get the rank of the one in the group of
 * MPI_COMM_WORLD. */
static void rank_locations(archive_t *archive, const group_t *world)
{
    opal_flat_hash_t ranks;

    opal_flat_hash_init(&ranks);
    for (uint32_t rank = 0; rank < world->size; ++rank) {
        const location_t *location =
            find_location(archive, world->members[rank]);

        if (NULL == location) {
            replay_die("%s: rank %u has no location", archive->path, rank);
        }
        if (OPAL_SUCCESS !=
            opal_flat_hash_put(&ranks, location->process,
                               (void *) ((uintptr_t) rank + 1))) {
            replay_die("out of memory");
        }
    }
    for (size_t i = 0; i < archive->num_locations; ++i) {
        void *rank = opal_flat_hash_get(&ranks, archive->locations[i].process);

        if (NULL != rank) {
            archive->locations[i].rank = (uint32_t) ((uintptr_t) rank - 1);
        }
    }
    opal_flat_hash_fini(&ranks);
}

static const group_t *find_group(const archive_t *archive, OTF2_GroupRef id)
{
    for (size_t i = 0; i < archive->num_groups; ++i) {
        if (id == archive->groups[i].id) {
            return &archive->groups[i];
        }
    }
    return NULL; /* of a paradigm other than MPI */
}

static void number_communicators(archive_t *archive)
{
    for (size_t i = 0; i < archive->num_communicators; ++i) {
        communicator_t *communicator = &archive->communicators[i];
        uint32_t size = 1;

        for (int side = 0; side < 2; ++side) {
            const group_t *group = find_group(archive, communicator->ids[side]);

            communicator->groups[side] = group;
            if (NULL == group) {
                size = 0;
                break;
            }
            if (group->has_global_ranks) {
                size = archive->import->num_ranks;
            } else if (group->size > size) {
                size = group->size;
            }
        }
        if (0 != size) {
            communicator->number =
                replay_import_communicator(archive->import, size);
        }
    }
}

static void resolve(archive_t *archive)
{
    const group_t *world = NULL;

    for (size_t i = 0; i < archive->num_groups && NULL == world; ++i) {
        if (OTF2_GROUP_TYPE_COMM_LOCATIONS == archive->groups[i].type) {
            world = &archive->groups[i];
        }
    }
    if (NULL == world || 0 == world->size) {
        replay_die("%s: there are no MPI processes in it", archive->path);
    }
    qsort(archive->locations, archive->num_locations,
          sizeof(*archive->locations), by_id);
    replay_import_ranks(archive->import, world->size);
    rank_locations(archive, world);
    number_communicators(archive);
}

/* ---- events ---- */

/* The rank in a group of a rank in MPI_COMM_WORLD, or REPLAY_NONE. */
static uint32_t rank_in(const group_t *group, uint32_t world_rank)
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
static void introduce(const archive_t *archive, communicator_t *communicator)
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

static communicator_t *find_communicator(const archive_t *archive,
                                         OTF2_CommRef id)
{
    for (size_t i = 0; i < archive->num_communicators; ++i) {
        /* Usually they are numbered from 0. */
        size_t at = (id + i) % archive->num_communicators;
        communicator_t *communicator = &archive->communicators[at];

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
static uint32_t world_rank(const archive_t *archive,
                           const communicator_t *communicator, uint32_t peer)
{
    const group_t *remote = communicator->remote;
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

static int32_t tag_of(const archive_t *archive, uint32_t tag)
{
    if (tag > INT32_MAX) {
        replay_die("%s: rank %u communicates with tag %u, which MPI does not "
                   "allow",
                   archive->path, archive->location->rank, tag);
    }
    return (int32_t) tag;
}

static void sent(archive_t *archive, OTF2_TimeStamp time, uint32_t receiver,
                 OTF2_CommRef id, uint32_t tag)
{
    const communicator_t *communicator = find_communicator(archive, id);
    uint32_t to = world_rank(archive, communicator, receiver);

    replay_import_arrival(archive->import, to, time, communicator->number,
                          (int32_t) communicator->rank, tag_of(archive, tag));
}

static void received(archive_t *archive, size_t receive, uint32_t sender,
                     OTF2_CommRef id, uint32_t tag)
{
    const communicator_t *communicator = find_communicator(archive, id);

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
    archive_t *archive = data;

    REPLAY_GROW(archive->entered, archive->depth, archive->entered_size);
    archive->entered[archive->depth++] = time;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location,
                                  OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes,
                                  OTF2_RegionRef region)
{
    archive_t *archive = data;

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
    archive_t *archive = data;
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
    archive_t *archive = data;
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
    archive_t *archive = data;
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
static void read_location(archive_t *archive, const location_t *location,
                          const OTF2_EvtReaderCallbacks *callbacks)
{
    OTF2_Reader *reader = archive->reader;
    OTF2_DefReader *definitions =
        OTF2_Reader_GetDefReader(reader, location->id);
    OTF2_EvtReader *events;
    uint64_t count;

    if (NULL != definitions) {
        check(archive,
              OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &count));
        check(archive, OTF2_Reader_CloseDefReader(reader, definitions));
    }
    archive->location = location;
    archive->depth = 0;
    events = known(archive, OTF2_Reader_GetEvtReader(reader, location->id));
    check(archive, OTF2_EvtReader_ApplyMappingTables(events, true));
    check(archive, OTF2_EvtReader_ApplyClockOffsets(events, true));
    check(archive,
          OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, archive));
    check(archive, OTF2_Reader_ReadAllLocalEvents(reader, events, &count));
    check(archive, OTF2_Reader_CloseEvtReader(reader, events));
}

/* Sort the threads of a process together. */
static int by_process(const void *left, const void *right)
{
    OTF2_LocationGroupRef a = ((const location_t *) left)->process;
    OTF2_LocationGroupRef b = ((const location_t *) right)->process;

    return a != b ? (a < b ? -1 : 1) : by_id(left, right);
}

/* Read one location after the other, which does not need many open files;
 * replay_import sorts the events. */
static void read_events(archive_t *archive)
{
    OTF2_EvtReaderCallbacks *callbacks = event_callbacks();

    qsort(archive->locations, archive->num_locations,
          sizeof(*archive->locations), by_process);
    for (size_t i = 0; i < archive->num_locations; ++i) {
        check(archive, OTF2_Reader_SelectLocation(archive->reader,
                                                  archive->locations[i].id));
    }
    /* Local definitions are optional. */
    (void) OTF2_Reader_OpenDefFiles(archive->reader);
    check(archive, OTF2_Reader_OpenEvtFiles(archive->reader));
    complaint[0] = '\0';
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
    archive_t archive = {.path = path, .import = import};

    if (0 != access(path, R_OK)) {
        replay_die("%s: %s", path, strerror(errno));
    }
    OTF2_Error_RegisterCallback(complain, NULL);
    archive.reader = known(&archive, OTF2_Reader_Open(path));
    check(&archive, OTF2_Reader_SetSerialCollectiveCallbacks(archive.reader));
    opal_flat_hash_init(&archive.requests);
    read_definitions(&archive);
    resolve(&archive);
    read_events(&archive);
    check(&archive, OTF2_Reader_Close(archive.reader));
    for (size_t i = 0; i < archive.num_groups; ++i) {
        free(archive.groups[i].members);
    }
    free(archive.groups);
    free(archive.communicators);
    free(archive.locations);
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
