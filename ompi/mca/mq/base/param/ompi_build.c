/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi/mca/mq/base/param/ompi_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/datatype/opal_convertor.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/group/group.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/mq/base/param/help.h"
#include "ompi/mca/mq/mq_ompi_compat.h"
#include "ompi/mca/pml/base/pml_base_request.h"
#include "ompi/op/op.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"

/* Types that differ between builds, as they were when this was compiled; the
 * class, which is in the running Open MPI, has their size there. */
#define TYPE(name)                                                             \
    {                                                                          \
#name, sizeof(name), &name##_class                                     \
    }

static const struct {
    const char *name;
    size_t size;
    const opal_class_t *running;
} types[] = {
    TYPE(opal_object_t),
    TYPE(opal_convertor_t),
    TYPE(ompi_communicator_t),
    TYPE(ompi_datatype_t),
    TYPE(ompi_group_t),
    TYPE(ompi_op_t),
    TYPE(ompi_proc_t),
    TYPE(ompi_request_t),
    TYPE(mca_coll_base_module_t),
    TYPE(mca_pml_base_request_t),
};

static bool is_same_series(void)
{
    int major = 0, minor = 0;

    return 2 == sscanf(opal_version_string, "%d.%d", &major, &minor) &&
           MCA_MQ_OMPI_MAJOR == major && MCA_MQ_OMPI_MINOR == minor;
}

/* What differs, as text: "" if only the version does; NULL if nothing does. */
static const char *difference(void)
{
    static char text[160];

    if (!is_same_series()) {
        return "";
    }
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
        if (types[i].size != types[i].running->cls_sizeof) {
            snprintf(text, sizeof(text),
                     " of another build: its %s has %zu bytes, not %zu",
                     types[i].name, types[i].running->cls_sizeof,
                     types[i].size);
            return text;
        }
    }
    return NULL;
}

/* Another series may have a function where this one has a pointer to it
 * (opal_show_help): nothing of it is called. Each process says it if it ends
 * then: the first one that does takes the others with it. */
static bool say_series(bool needed)
{
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_RANK");

    if (!needed && NULL != local && 0 != strcmp("0", local)) {
        return false;
    }
    fprintf(stderr,
            "champion: The plug-ins of champion were built for Open MPI "
            "%d.%d.%d, but this is Open MPI %s. They are not used. Rebuild "
            "them for this Open MPI: run ./configure with its mpicc first in "
            "PATH, then make install.\n",
            OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION,
            opal_version_string);
    return true;
}

bool mca_mq_base_fits_ompi(bool needed)
{
    static bool said;
    const char *what = difference();

    if (NULL != what && !said && '\0' == *what) {
        said = say_series(needed);
    } else if (NULL != what && !said) {
        said = true;
#if defined(MCA_MQ_PLUGIN_BUILD)
        opal_show_help_add_dir(mca_mq_base_help_dir());
#endif
        opal_show_help(MCA_MQ_BASE_HELP, "other-ompi", true, OMPI_MAJOR_VERSION,
                       OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION,
                       opal_version_string, what);
    }
    return NULL == what;
}
