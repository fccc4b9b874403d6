/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "opal_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "opal/class/opal_flat_hash.h"
#include "opal/constants.h"

static char things[4096];

static void an_empty_table_has_no_memory(void **state)
{
    opal_flat_hash_t hash;
    size_t cursor = 0;

    (void) state;
    opal_flat_hash_init(&hash);
    assert_null(opal_flat_hash_get(&hash, 0));
    assert_null(opal_flat_hash_remove(&hash, 0));
    assert_null(opal_flat_hash_next(&hash, &cursor, NULL));
    assert_int_equal(0, opal_flat_hash_footprint(&hash));
    opal_flat_hash_fini(&hash);
}

static void put_replaces_and_remove_returns(void **state)
{
    opal_flat_hash_t hash;

    (void) state;
    opal_flat_hash_init(&hash);
    assert_int_equal(OPAL_SUCCESS, opal_flat_hash_put(&hash, 0, &things[1]));
    assert_int_equal(OPAL_SUCCESS,
                     opal_flat_hash_put(&hash, UINT64_MAX, &things[2]));
    assert_int_equal(OPAL_SUCCESS, opal_flat_hash_put(&hash, 0, &things[3]));
    assert_int_equal(2, hash.count);
    assert_ptr_equal(&things[3], opal_flat_hash_get(&hash, 0));
    assert_ptr_equal(&things[2], opal_flat_hash_remove(&hash, UINT64_MAX));
    assert_null(opal_flat_hash_get(&hash, UINT64_MAX));
    assert_int_equal(1, hash.count);
    opal_flat_hash_fini(&hash);
}

static void reserved_room_is_enough(void **state)
{
    opal_flat_hash_t hash;
    size_t bytes;

    (void) state;
    opal_flat_hash_init(&hash);
    assert_int_equal(OPAL_SUCCESS, opal_flat_hash_reserve(&hash, 1000));
    bytes = opal_flat_hash_footprint(&hash);
    for (uint64_t key = 0; key < 1000; ++key) {
        opal_flat_hash_put(&hash, key, &things[key]);
    }
    assert_int_equal(bytes, opal_flat_hash_footprint(&hash));
    assert_int_equal(OPAL_ERR_OUT_OF_RESOURCE,
                     opal_flat_hash_reserve(&hash, SIZE_MAX / 2));
    assert_ptr_equal(&things[999], opal_flat_hash_get(&hash, 999));
    opal_flat_hash_fini(&hash);
}

/* Keys whose first slot is the last one: their run wraps around. */
static void a_run_that_wraps_around_survives_removals(void **state)
{
    opal_flat_hash_t hash;
    uint64_t keys[6], key = 0;

    (void) state;
    opal_flat_hash_init(&hash);
    opal_flat_hash_reserve(&hash, 8);
    for (int i = 0; i < 6; ++key) {
        if (opal_flat_hash_slot(&hash, key) == hash.mask) {
            keys[i++] = key;
            opal_flat_hash_put(&hash, key, &things[key]);
        }
    }
    for (int removed = 0; removed < 6; ++removed) {
        assert_non_null(opal_flat_hash_remove(&hash, keys[removed]));
        for (int i = 0; i < 6; ++i) {
            assert_ptr_equal(i <= removed ? NULL : &things[keys[i]],
                             opal_flat_hash_get(&hash, keys[i]));
        }
    }
    opal_flat_hash_fini(&hash);
}

/* `found` is what the table has for the key; values are told by their numbers. */
static void check_value(int operation, const char *what, uint64_t key,
                        const void *expected, const void *found)
{
    if (expected != found) {
        fail_msg("operation %d, %s of context %u, rank %u: expected value %td, "
                 "found %td (-1: none), srandom(1)",
                 operation, what, (unsigned) (key >> 32), (unsigned) key,
                 expected == NULL ? -1 : (const char *) expected - things,
                 found == NULL ? -1 : (const char *) found - things);
    }
}

/* The table against an array indexed by the key. */
static void it_agrees_with_an_array(void **state)
{
    static void *model[2048];
    opal_flat_hash_t hash;
    size_t count = 0, cursor = 0, seen = 0;
    uint64_t key;
    void *value;

    (void) state;
    opal_flat_hash_init(&hash);
    srandom(1);
    for (int i = 0; i < 1000000; ++i) {
        /* Grows and shrinks. */
        unsigned put = (i / 50000) % 2 ? 30 : 70;
        unsigned which = (unsigned) random() % 2048;

        /* Keys like those of peers: a context and a rank. */
        key = (uint64_t) (which / 64) << 32 | which % 64;
        check_value(i, "get", key, model[which],
                    opal_flat_hash_get(&hash, key));
        if ((unsigned) random() % 100 < put) {
            value = &things[random() % (long) sizeof(things)];
            count += model[which] == NULL;
            model[which] = value;
            opal_flat_hash_put(&hash, key, value);
        } else {
            count -= model[which] != NULL;
            check_value(i, "removal", key, model[which],
                        opal_flat_hash_remove(&hash, key));
            model[which] = NULL;
        }
        assert_int_equal(count, hash.count);
    }
    while ((value = opal_flat_hash_next(&hash, &cursor, &key)) != NULL) {
        assert_ptr_equal(model[(key >> 32) * 64 + (uint32_t) key], value);
        ++seen;
    }
    assert_int_equal(count, seen);
    opal_flat_hash_fini(&hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_table_has_no_memory),
        cmocka_unit_test(put_replaces_and_remove_returns),
        cmocka_unit_test(reserved_room_is_enough),
        cmocka_unit_test(a_run_that_wraps_around_survives_removals),
        cmocka_unit_test(it_agrees_with_an_array),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
