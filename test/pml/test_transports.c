/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCX's list of transports without one of them.
 */

#include "pml_test.h"

#include "ompi/mca/pml/champion/boot/transports.h"

/* As most nodes have them: neither xpmem nor knem. */
static bool has(const char *name)
{
    return 0 != strcmp(name, "xpmem") && 0 != strcmp(name, "knem");
}

/* What `list` is without `out`; NULL: nothing is left. */
static void check(const char *list, const char *out, const char *expected)
{
    char *got = mca_pml_champion_transports_without(list, out, has);

    if (NULL == expected) {
        assert_null(got);
    } else {
        assert_non_null(got);
        assert_string_equal(got, expected);
    }
    free(got);
}

UNIT_TEST(test_a_list_of_what_not_to_use_grows)
{
    check("all", "cma", "^cma");
    check("^tcp", "cma", "^tcp,cma");
    check("^tcp,cma", "posix", "^tcp,cma,posix");
}

UNIT_TEST(test_a_list_of_what_to_use_shrinks)
{
    check("posix,cma,self", "cma", "posix,self");
    check("cma,sysv", "cma", "sysv");
    check("\\posix,tcp", "posix", "tcp");
    check("rc_x,ud:aux,cma", "cma", "rc_x,ud:aux");
}

UNIT_TEST(test_common_names_become_what_is_there)
{
    check("sm,self,tcp", "cma", "posix,sysv,self,tcp");
    check("shm", "posix", "sysv,cma");
    check("mm,self", "posix", "sysv,self");
    check("sm,shm", "cma", "posix,sysv,posix,sysv");
}

UNIT_TEST(test_what_carries_no_messages_is_not_enough)
{
    check("posix,cma,self", "posix", NULL);
    check("sysv,\\knem,\\self", "sysv", NULL);
    check("posix", "posix", NULL);
}

UNIT_MAIN(NULL, NULL)
