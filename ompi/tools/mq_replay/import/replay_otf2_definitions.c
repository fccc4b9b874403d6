/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#if MQ_REPLAY_OTF2

#include <stdlib.h>
#include <string.h>

#include "ompi/constants.h"
#include "sequence/replay_model.h"
#include "import/replay_otf2_archive.h"
#include "sequence/replay_util.h"

static OTF2_CallbackCode define_group(void *data, OTF2_GroupRef self,
                                      OTF2_StringRef name, OTF2_GroupType type,
                                      OTF2_Paradigm paradigm,
                                      OTF2_GroupFlag flags, uint32_t size,
                                      const uint64_t *members)
{
    replay_otf2_archive_t *archive = data;
    replay_otf2_group_t *group;

    if (OTF2_PARADIGM_MPI != paradigm) {
        return OTF2_CALLBACK_SUCCESS;
    }
    REPLAY_GROW(archive->groups, archive->num_groups, archive->groups_size);
    group = &archive->groups[archive->num_groups++];
    *group = (replay_otf2_group_t){
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

static void add_communicator(replay_otf2_archive_t *archive, OTF2_CommRef self,
                             OTF2_GroupRef first, OTF2_GroupRef second)
{
    REPLAY_GROW(archive->communicators, archive->num_communicators,
                archive->communicators_size);
    archive->communicators[archive->num_communicators++] =
        (replay_otf2_communicator_t){
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
    replay_otf2_archive_t *archive = data;

    REPLAY_GROW(archive->locations, archive->num_locations,
                archive->locations_size);
    archive->locations[archive->num_locations++] = (replay_otf2_location_t){
        .id = self, .process = process, .rank = REPLAY_NONE};
    return OTF2_CALLBACK_SUCCESS;
}

static void read_all(replay_otf2_archive_t *archive)
{
    OTF2_GlobalDefReader *definitions = replay_otf2_known(
        archive, OTF2_Reader_GetGlobalDefReader(archive->reader));
    OTF2_GlobalDefReaderCallbacks *callbacks =
        OTF2_GlobalDefReaderCallbacks_New();
    uint64_t count;

    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, define_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, define_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks,
                                                       define_inter_comm);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks,
                                                      define_location);
    replay_otf2_check(archive,
                      OTF2_Reader_RegisterGlobalDefCallbacks(
                          archive->reader, definitions, callbacks, archive));
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    replay_otf2_check(archive, OTF2_Reader_ReadAllGlobalDefinitions(
                                   archive->reader, definitions, &count));
    replay_otf2_check(archive, OTF2_Reader_CloseGlobalDefReader(archive->reader,
                                                                definitions));
}

int replay_otf2_by_id(const void *left, const void *right)
{
    OTF2_LocationRef a = ((const replay_otf2_location_t *) left)->id;
    OTF2_LocationRef b = ((const replay_otf2_location_t *) right)->id;

    return a < b ? -1 : a > b;
}

static replay_otf2_location_t *find_location(
    const replay_otf2_archive_t *archive, OTF2_LocationRef id)
{
    replay_otf2_location_t key = {.id = id};

    return bsearch(&key, archive->locations, archive->num_locations,
                   sizeof(key), replay_otf2_by_id);
}

/* All threads of a process get the rank of the one in the group of
 * MPI_COMM_WORLD. */
static void rank_locations(replay_otf2_archive_t *archive,
                           const replay_otf2_group_t *world)
{
    opal_flat_hash_t ranks;

    opal_flat_hash_init(&ranks);
    for (uint32_t rank = 0; rank < world->size; ++rank) {
        const replay_otf2_location_t *location =
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

static const replay_otf2_group_t *find_group(
    const replay_otf2_archive_t *archive, OTF2_GroupRef id)
{
    for (size_t i = 0; i < archive->num_groups; ++i) {
        if (id == archive->groups[i].id) {
            return &archive->groups[i];
        }
    }
    return NULL; /* of a paradigm other than MPI */
}

static void number_communicators(replay_otf2_archive_t *archive)
{
    for (size_t i = 0; i < archive->num_communicators; ++i) {
        replay_otf2_communicator_t *communicator = &archive->communicators[i];
        uint32_t size = 1;

        for (int side = 0; side < 2; ++side) {
            const replay_otf2_group_t *group =
                find_group(archive, communicator->ids[side]);

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

static void resolve(replay_otf2_archive_t *archive)
{
    const replay_otf2_group_t *world = NULL;

    for (size_t i = 0; i < archive->num_groups && NULL == world; ++i) {
        if (OTF2_GROUP_TYPE_COMM_LOCATIONS == archive->groups[i].type) {
            world = &archive->groups[i];
        }
    }
    if (NULL == world || 0 == world->size) {
        replay_die("%s: there are no MPI processes in it", archive->path);
    }
    qsort(archive->locations, archive->num_locations,
          sizeof(*archive->locations), replay_otf2_by_id);
    replay_import_ranks(archive->import, world->size);
    rank_locations(archive, world);
    number_communicators(archive);
}

void replay_otf2_definitions_read(replay_otf2_archive_t *archive)
{
    read_all(archive);
    resolve(archive);
}

void replay_otf2_definitions_free(replay_otf2_archive_t *archive)
{
    for (size_t i = 0; i < archive->num_groups; ++i) {
        free(archive->groups[i].members);
    }
    free(archive->groups);
    free(archive->communicators);
    free(archive->locations);
}

#endif /* MQ_REPLAY_OTF2 */
