/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Control messages, champion's own: ACKs, offers, what is said about rings.
 *
 * A unit that has a kind of them registers it, with its id, its length and a
 * handler. UCX calls one function for all, which checks what it was given
 * before a handler sees it:
 *
 *     UCX --> by id --> length? --> sender? --> handler(peer, bytes, length)
 *                          |           |            |
 *                          +-----------+------------+--> not GOOD: the line of
 *                                                        _refuse ends the job
 *
 * So a handler has at least `least` bytes and at most `most`, at any address,
 * and a peer that exists; it checks the rest (an index, a word of a list) and
 * says what is wrong. It ends nothing itself.
 *
 * What cannot be checked is the token of an ACK: a number that this process has
 * sent, an address of its own, and that comes back. It is believed, because a
 * table of synchronous sends would cost each of them. Tokens of RECALLs are
 * looked up (mpi/cancel.c).
 *
 * A unit test needs no UCX. It registers kinds as the units do (their _open),
 * makes the table of peers, and with the lock held gives bytes to
 *
 *     mca_pml_champion_ctrl_msg_receive(id, NULL, bytes, length)
 *
 * which does all of the above but the end, and returns the verdict. Handlers
 * can be called in the same way, with a peer of the test's own. Bytes should
 * end where their memory does, so that AddressSanitizer sees who reads on.
 */

#ifndef MCA_PML_CHAMPION_PEER_CTRL_MSG_H
#define MCA_PML_CHAMPION_PEER_CTRL_MSG_H

#include "ompi/mca/pml/champion/peer/peer.h"

#pragma GCC visibility push(hidden)

/** What a process finds of a message that it was sent. */
typedef enum {
    MCA_PML_CHAMPION_CTRL_MSG_GOOD,
    MCA_PML_CHAMPION_CTRL_MSG_SHORT,
    MCA_PML_CHAMPION_CTRL_MSG_LONG,
    MCA_PML_CHAMPION_CTRL_MSG_SENDER, /**< no process can be the one it names */
    MCA_PML_CHAMPION_CTRL_MSG_KIND,   /**< what it says has no meaning */
    MCA_PML_CHAMPION_CTRL_MSG_ABSENT, /**< it names what is not there */
    MCA_PML_CHAMPION_CTRL_MSG_MEMORY, /**< none is left; not the sender's fault
                                      */
    MCA_PML_CHAMPION_CTRL_MSG_VERDICTS
} mca_pml_champion_ctrl_msg_verdict_t;

/** What a message of `length` bytes says. Lock held, from UCX's progress.
 *
 * @param[in] peer   who has sent it, never this process; NULL: it does not say
 * @param[in] bytes  as they came; they need not be aligned
 */
typedef mca_pml_champion_ctrl_msg_verdict_t (
    *mca_pml_champion_ctrl_msg_handler_t)(mca_pml_champion_peer_t *peer,
                                          const void *bytes, size_t length);

/** How messages begin: who has sent them, in numbers of 32 bits. */
typedef enum {
    MCA_PML_CHAMPION_CTRL_MSG_BY_NOBODY,
    MCA_PML_CHAMPION_CTRL_MSG_BY_VPID, /**< vpid, of this job */
    MCA_PML_CHAMPION_CTRL_MSG_BY_NAME  /**< jobid, vpid */
} mca_pml_champion_ctrl_msg_by_t;

/** A kind of messages. */
typedef struct mca_pml_champion_ctrl_msg_kind_t {
    unsigned id; /**< of the active message, see core/wire.h */
    const char *name;
    size_t least, most; /**< length, bytes */
    mca_pml_champion_ctrl_msg_by_t by;
    bool always; /**< also when this process is about to leave its peers; else
                      it is dropped then */
    mca_pml_champion_ctrl_msg_handler_t handler;
} mca_pml_champion_ctrl_msg_kind_t;

/** Handle messages of a kind from now on; the object is not copied. Before
 * mca_pml_champion_ctrl_msg_listen. */
void mca_pml_champion_ctrl_msg_register(
    const mca_pml_champion_ctrl_msg_kind_t *kind);

/** Have UCX call the one function for each kind that is registered. Returns
 * OMPI_SUCCESS or OMPI_ERROR. */
int mca_pml_champion_ctrl_msg_listen(void);

/** A message with that id has come; reply_ep leads back to its sender, or is
 * NULL. Lock held. */
mca_pml_champion_ctrl_msg_verdict_t mca_pml_champion_ctrl_msg_receive(
    unsigned id, ucp_ep_h reply_ep, const void *bytes, size_t length);

/**
 * End the job: a line tells whose message of what length is not GOOD, and why.
 *
 * @param[in] what    kind of the message
 * @param[in] sender  as the message has it; NULL: not known
 */
void mca_pml_champion_ctrl_msg_refuse(
    const char *what, const opal_process_name_t *sender, size_t length,
    mca_pml_champion_ctrl_msg_verdict_t verdict);

/** Can there be a process of that name, another one than this? */
static inline bool mca_pml_champion_ctrl_msg_is_name(
    const opal_process_name_t *name)
{
    return name->jobid != mca_pml_champion.my_jobid ||
           (name->vpid < mca_pml_champion.job_size &&
            name->vpid != OPAL_PROC_MY_NAME.vpid);
}

/**
 * Send a few bytes that nobody waits for. Lock held.
 *
 * @param[in] id     of the active message
 * @param[in] data   copied
 * @param[in] flags  UCP_AM_SEND_FLAG_*
 *
 * @return UCS_OK if it has been sent or will be; UCS_ERR_NO_MEMORY,
 *         UCS_ERR_NOT_CONNECTED if there is no endpoint to it, or an error of
 *         UCX's, if not
 */
ucs_status_t mca_pml_champion_ctrl_msg_send(const mca_pml_champion_peer_t *peer,
                                            unsigned id, const void *data,
                                            size_t length, uint32_t flags);

/** The flag for a control message that is to be answered. Whoever has sent a
 * message of this job has a way to answer; with the flag UCX sends nothing more
 * until that process has made progress, if it is the first time. */
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
