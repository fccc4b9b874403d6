/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random sequences of all operations on a domain, each compared with the
 * model.
 */

#ifndef TEST_MQ_RANDOM_H
#define TEST_MQ_RANDOM_H

#include "mq_test.h"

/** Called now and then with the module, for figures of a component's own. */
typedef void (*mq_random_watch_fn_t)(mca_mq_base_module_t *module, void *arg);

typedef struct mq_random_config_t {
    const char *component; /**< must serve */
    uint64_t operations;   /**< at least so many, all domains together */
    size_t depth;          /**< about the longest queue */
    unsigned turn;         /**< 0, or another number for other random choices */
    /** traversed entries must be those of a single list */
    bool traverses_like_list;
    /** MCA_MQ_ASSERT_* bits: no receive breaks them */
    uint32_t assertions;
    /** components among which domains migrate at random, ended by NULL, or
     * NULL; those that decline a domain are left out */
    const char *const *migrate;
    mq_random_watch_fn_t watch; /**< or NULL; not with migrate */
    void *watch_arg;
} mq_random_config_t;

/** Run; fails the calling cmocka test at the first difference. The framework
 * is open. */
void mq_random_run(const mq_random_config_t *config);

/** The same of one component, with queues of about 1000 entries; the framework
 * is opened and closed. */
void mq_random_component(const char *component, uint64_t operations,
                         uint32_t assertions, mq_random_watch_fn_t watch,
                         void *watch_arg);

/** The larger one, for what a watch has seen. */
static inline void mq_random_max(uint64_t *most, uint64_t now)
{
    if (*most < now) {
        *most = now;
    }
}

/** Operations asked for by MQ_TEST_OPS, or the default. */
uint64_t mq_random_operations(uint64_t standard);

#endif /* TEST_MQ_RANDOM_H */
