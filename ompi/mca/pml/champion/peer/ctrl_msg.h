/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Control messages of this component: ACKs, INVITEs, set-up of rings, others.
 *
 * A unit registers each kind that it handles, with id, length and handler. One
 * function receives all of them and checks messages before handlers see them:
 *
 *     UCX --> by id --> length? --> sender? --> handler(peer, bytes, length)
 *                          |           |            |
 *                          +-----------+------------+--> not GOOD: _refuse
 *                                                        reports it and ends
 *                                                        the job
 *
 * So a handler gets from `least` to `most` bytes, at any address, and an
 * existing peer; it checks the rest (indices, enumerations) and returns a
 * verdict. It does not end the job itself.
 *
 * The token of an ACK cannot be checked: it is an address in this process,
 * which the peer returns. It is trusted, because a table of synchronous sends
 * would slow down each of them. Tokens of RECALLs are looked up (mpi/cancel.c).
 *
 * A unit test needs no UCX. It registers kinds as the units do (their _open),
 * creates the table of peers, and with the lock held passes bytes to
 *
 *     mca_pml_champion_ctrl_msg_receive(id, NULL, bytes, length)
 *
 * which does all of the above except refusing, and returns the verdict. It can
 * also call handlers directly, with a peer of its own. The bytes should end
 * where their memory ends, so that AddressSanitizer finds overruns.
 */

#ifndef MCA_PML_CHAMPION_PEER_CTRL_MSG_H
#define MCA_PML_CHAMPION_PEER_CTRL_MSG_H

#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** Result of checking and handling a message. */
typedef enum {
    MCA_PML_CHAMPION_CTRL_MSG_GOOD,
    MCA_PML_CHAMPION_CTRL_MSG_SHORT,
    MCA_PML_CHAMPION_CTRL_MSG_LONG,
    MCA_PML_CHAMPION_CTRL_MSG_SENDER,     /**< it names an impossible sender */
    MCA_PML_CHAMPION_CTRL_MSG_KIND,       /**< a value has no meaning */
    MCA_PML_CHAMPION_CTRL_MSG_ABSENT,     /**< it names something that does not
                                           exist */
    MCA_PML_CHAMPION_CTRL_MSG_MEMORY,     /**< out of memory here */
    MCA_PML_CHAMPION_CTRL_MSG_UNANSWERED, /**< no answer can be sent */
    MCA_PML_CHAMPION_CTRL_MSG_VERDICTS
} mca_pml_champion_ctrl_msg_verdict_t;

/** Handle a message of `length` bytes. Lock held, from UCX's progress.
 *
 * @param[in] peer   the sender, never this process; NULL: the message does not
 *                   name it
 * @param[in] bytes  need not be aligned
 */
typedef mca_pml_champion_ctrl_msg_verdict_t (
    *mca_pml_champion_ctrl_msg_handler_t)(mca_pml_champion_peer_t *peer,
                                          const void *bytes, size_t length);

/** How the messages of a kind name their sender, in 32-bit numbers at their
 * beginning. */
typedef enum {
    MCA_PML_CHAMPION_CTRL_MSG_BY_NOBODY,
    MCA_PML_CHAMPION_CTRL_MSG_BY_VPID, /**< vpid, of this job */
    MCA_PML_CHAMPION_CTRL_MSG_BY_NAME  /**< jobid, vpid */
} mca_pml_champion_ctrl_msg_by_t;

/** A kind of control messages. */
typedef struct mca_pml_champion_ctrl_msg_kind_t {
    unsigned id; /**< active message id, see core/wire.h */
    const char *name;
    size_t least, most; /**< length, bytes */
    mca_pml_champion_ctrl_msg_by_t by;
    bool always; /**< handle it even while this process disconnects from its
                      peers; otherwise it is dropped then */
    mca_pml_champion_ctrl_msg_handler_t handler;
} mca_pml_champion_ctrl_msg_kind_t;

/** Register a kind of messages; the object is not copied. Before
 * mca_pml_champion_ctrl_msg_listen. */
void mca_pml_champion_ctrl_msg_register(
    const mca_pml_champion_ctrl_msg_kind_t *kind);

/** Register UCX's handlers for all kinds. Returns OMPI_SUCCESS or OMPI_ERROR.
 */
int mca_pml_champion_ctrl_msg_listen(void);

/** Check and handle a message; reply_ep leads to its sender, or is NULL. Lock
 * held. */
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_ctrl_msg_receive(
    unsigned id, ucp_ep_h reply_ep, const void *bytes, size_t length);

/**
 * End the job for a message that is not GOOD, with a line that names sender,
 * length and reason.
 *
 * @param[in] what    kind of the message
 * @param[in] sender  as named by the message; NULL: unknown
 */
void mca_pml_champion_ctrl_msg_refuse(
    const char *what, const opal_process_name_t *sender, size_t length,
    mca_pml_champion_ctrl_msg_verdict_t verdict);

/** May this be the name of another process? */
static inline bool mca_pml_champion_ctrl_msg_is_name(
    const opal_process_name_t *name)
{
    return name->jobid != mca_pml_champion.my_jobid ||
           (name->vpid < mca_pml_champion.job_size &&
            name->vpid != OPAL_PROC_MY_NAME.vpid);
}

/**
 * Send a control message; nothing waits for its completion. Lock held.
 *
 * @param[in] id     active message id
 * @param[in] data   copied
 * @param[in] flags  UCP_AM_SEND_FLAG_*
 *
 * @return UCS_OK if it is sent or will be; UCS_ERR_NO_MEMORY;
 *         UCS_ERR_NOT_CONNECTED without an endpoint; or another error of UCX
 */
ucs_status_t mca_pml_champion_ctrl_msg_send(mca_pml_champion_peer_t *peer,
                                            unsigned id, const void *data,
                                            size_t length, uint32_t flags);

/** The flag for a control message that wants an answer. A peer of this job that
 * has sent a message can reach this process; with the flag, at the first
 * contact, UCX sends nothing more until the peer has made progress. */
static inline uint32_t mca_pml_champion_ctrl_msg_reply(
    const mca_pml_champion_peer_t *peer)
{
    return 0 != peer->recv_sequence &&
                   peer->name.jobid == mca_pml_champion.my_jobid
               ? 0
               : UCP_AM_SEND_FLAG_REPLY;
}

#pragma GCC visibility pop

#endif /* MCA_PML_CHAMPION_PEER_CTRL_MSG_H */
