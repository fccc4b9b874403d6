/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations while a list has to be hashed because of its debt, or receives
 * have to be marked: the next operation, whatever it is, does that first. The
 * search that noticed it cannot, because its match is still to be removed from
 * the list; and a test at the end of every operation would burden every
 * operation.
 *
 * They also serve while watch.look is to be called: it may migrate the domain,
 * which is allowed only at the end of some operations.
 */

#include "ompi_config.h"

#include "mq_indexed.h"

/* For operations that may not migrate the domain: a look that is due comes
 * later. */
static mca_mq_base_module_t *settled(mca_mq_base_module_t *module)
{
    mca_mq_indexed_module_t *m = (mca_mq_indexed_module_t *) module;

    if (mca_mq_indexed_settle(m)) {
        m->look_at = 0;
    }
    return module;
}

/* For operations that may migrate the domain: call watch.look after them if it
 * is due. */
static mca_mq_entry_t *look(mca_mq_base_module_t *module, bool due,
                            mca_mq_entry_t *found)
{
    mca_mq_indexed_module_t *m = (mca_mq_indexed_module_t *) module;
    uint64_t next;

    if (due) {
        next = m->watch.look(m->watch.arg, m->looked);
        /* Otherwise the module was freed. */
        if (0 != next) {
            m->look_at = next;
        }
    }
    return found;
}

static mca_mq_entry_t *settle_arrive(mca_mq_base_module_t *module,
                                     const mca_mq_envelope_t *envelope,
                                     mca_mq_make_entry_fn_t make, void *arg)
{
    bool due = mca_mq_indexed_settle((mca_mq_indexed_module_t *) module);

    return look(module, due, module->mq_arrive(module, envelope, make, arg));
}

static mca_mq_entry_t *settle_post(mca_mq_base_module_t *module,
                                   mca_mq_entry_t *entry)
{
    bool due = mca_mq_indexed_settle((mca_mq_indexed_module_t *) module);

    return look(module, due, module->mq_post(module, entry));
}

static mca_mq_entry_t *settle_match_posted(mca_mq_base_module_t *module,
                                           const mca_mq_envelope_t *envelope)
{
    bool due = mca_mq_indexed_settle((mca_mq_indexed_module_t *) module);

    return look(module, due, module->mq_match_posted(module, envelope));
}

static mca_mq_entry_t *settle_match_unexpected(
    mca_mq_base_module_t *module, const mca_mq_envelope_t *envelope)
{
    bool due = mca_mq_indexed_settle((mca_mq_indexed_module_t *) module);

    return look(module, due, module->mq_match_unexpected(module, envelope));
}

static void settle_insert_posted(mca_mq_base_module_t *module,
                                 mca_mq_entry_t *entry)
{
    settled(module)->mq_insert_posted(module, entry);
}

static void settle_insert_unexpected(mca_mq_base_module_t *module,
                                     mca_mq_entry_t *entry)
{
    settled(module)->mq_insert_unexpected(module, entry);
}

static mca_mq_entry_t *settle_probe(mca_mq_base_module_t *module,
                                    const mca_mq_envelope_t *envelope)
{
    return settled(module)->mq_probe(module, envelope);
}

static void settle_withdraw_posted(mca_mq_base_module_t *module,
                                   mca_mq_entry_t *entry)
{
    settled(module)->mq_withdraw_posted(module, entry);
}

static void settle_withdraw_unexpected(mca_mq_base_module_t *module,
                                       mca_mq_entry_t *entry)
{
    settled(module)->mq_withdraw_unexpected(module, entry);
}

void mca_mq_indexed_use_settle(mca_mq_indexed_module_t *m)
{
    mca_mq_base_module_t *module = &m->super;

    module->mq_arrive = settle_arrive;
    module->mq_post = settle_post;
    module->mq_match_posted = settle_match_posted;
    module->mq_match_unexpected = settle_match_unexpected;
    module->mq_insert_posted = settle_insert_posted;
    module->mq_insert_unexpected = settle_insert_unexpected;
    module->mq_probe = settle_probe;
    module->mq_withdraw_posted = settle_withdraw_posted;
    module->mq_withdraw_unexpected = settle_withdraw_unexpected;
}
