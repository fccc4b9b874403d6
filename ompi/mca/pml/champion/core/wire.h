/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What travels between two processes: UCP active messages of eleven kinds.
 *
 *     id       header (UCP)      data                        sent by
 *     PACKED   none              envelope, payload           small sends
 *                                                            within a job
 *     MESSAGE  envelope          payload, eager or           larger sends
 *                                UCX's rendezvous
 *     SYNC     envelope, token   payload, as in MESSAGE      MPI_Ssend
 *     ACK      none              token                       matched SYNC
 *     TAGGED   envelope, tag     what the payload is,        offload (see
 *                                which is sent by tag        offload/offload.h)
 *     OFFER    none              what tags to use            offload
 *     RING     none              about rings (see            processes of one
 *                                ring/)                      node
 *     FLOW     none              stop, or go on (see conn/flow_control.h)
 *     CLOCK    none              the time (see rndv/thread_trigger.h)
 *     DISCONNECT  none              about endpoints (see conn/disconnect.h)
 *     RECALL   none              a message, or what became of it (see
 *                                mpi/cancel.h)
 *
 * UCX promises no order among active messages, so that messages (the first
 * three kinds and TAGGED) are numbered for each ordered pair of
 * processes; the receiver handles them in that order, whatever their
 * communicator is.
 *
 * The sender is identified by its process name, not by an index that would
 * have to be agreed on first: a name needs no handshake, and survives
 * disconnect and reconnect. Packed messages go to processes of the same job
 * only and leave the job's part of it out: with 20 bytes of envelope a message
 * of 8 bytes fits one cache line of UCX's shared memory FIFO (28 bytes of
 * element, 8 of UCX's header).
 *
 * All fields are in host byte order: peers of another architecture are refused
 * when they connect.
 */

#ifndef MCA_PML_CHAMPION_CORE_WIRE_H
#define MCA_PML_CHAMPION_CORE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

/** Version of all that is in this file; peers of another one are refused. */
#define MCA_PML_CHAMPION_WIRE_VERSION 13

/** Active message ids. */
enum {
    MCA_PML_CHAMPION_AM_PACKED,
    MCA_PML_CHAMPION_AM_MESSAGE,
    MCA_PML_CHAMPION_AM_SYNC,
    MCA_PML_CHAMPION_AM_ACK,
    MCA_PML_CHAMPION_AM_TAGGED,
    MCA_PML_CHAMPION_AM_OFFER,
    MCA_PML_CHAMPION_AM_RING,
    MCA_PML_CHAMPION_AM_CLOCK,
    MCA_PML_CHAMPION_AM_FLOW,
    MCA_PML_CHAMPION_AM_DISCONNECT,
    MCA_PML_CHAMPION_AM_RECALL,
    MCA_PML_CHAMPION_AM_COUNT
};

/** Largest payload of a PACKED message, bytes: with it UCX's short send still
 * fits one element of its shared memory FIFO (128 bytes by default). */
#define MCA_PML_CHAMPION_PACKED_MAX 64

/** The envelope. Its first three fields are a mca_mq_envelope_t. Packed,
 * because transports put it at any address. */
typedef struct mca_pml_champion_header_t {
    uint32_t context;  /**< of the communicator; see below */
    int32_t source;    /**< rank of the sender there */
    int32_t tag;       /**< tag */
    uint32_t sequence; /**< number of the message in its pair of processes */
    uint32_t vpid;     /**< of the sender */
} __attribute__((packed)) mca_pml_champion_header_t;

/** The envelope with the sender's full name. */
typedef struct mca_pml_champion_named_header_t {
    mca_pml_champion_header_t super;
    uint32_t jobid;
    uint32_t sent; /**< when, by the receiver's clock, us; 0: not known. See
                        rndv/thread_trigger.h */
} __attribute__((packed)) mca_pml_champion_named_header_t;

/** A context is the index by which all members know the communicator, or, if
 * they know it by different ones (made from a group, Open MPI 5.0 and later),
 * OWN and a common id of 30 bits. Inter-communicators of these series are OWN
 * and INTER and their index: see mca_pml_champion_context_is_reused. */
#define MCA_PML_CHAMPION_CONTEXT_OWN 0x80000000u
#define MCA_PML_CHAMPION_CONTEXT_INTER 0x40000000u

/** May messages of the next communicator with this context come while the
 * last one is gone and the next one not there yet? They have to be kept then.
 * Those of other communicators cannot, and what comes is a leftover. */
static inline bool mca_pml_champion_context_is_reused(uint32_t context)
{
    return (MCA_PML_CHAMPION_CONTEXT_OWN | MCA_PML_CHAMPION_CONTEXT_INTER) ==
           (context &
            (MCA_PML_CHAMPION_CONTEXT_OWN | MCA_PML_CHAMPION_CONTEXT_INTER));
}

/** Header of a SYNC or a TAGGED message. */
typedef struct mca_pml_champion_sync_header_t {
    mca_pml_champion_named_header_t super;
    uint64_t token; /**< what the ACK has to carry; the sender's own. Or the tag
                         of the payload */
} __attribute__((packed)) mca_pml_champion_sync_header_t;

/** What a TAGGED message carries beside its header: what is to be known of the
 * payload that is sent by tag. */
typedef struct mca_pml_champion_tagged_t {
    uint64_t length; /**< bytes */
    uint64_t sync;   /**< not 0: of a synchronous send */
} mca_pml_champion_tagged_t;

/** An OFFER: a process of this job wants large contiguous messages as TAGGED
 * ones, or from another size on, or no more. It may be ignored. */
typedef struct mca_pml_champion_offer_t {
    uint32_t vpid;  /**< who wants them */
    uint32_t index; /**< of the process that gets this, in its tags */
    uint64_t min;   /**< smallest payload, bytes; UINT64_MAX: no more */
} mca_pml_champion_offer_t;

/** By what another process finds a part of a shared segment; see ring/. */
typedef struct mca_pml_champion_ring_name_t {
    int32_t pid;
    int32_t fd;
    uint64_t device;
    uint64_t inode;
    uint64_t mark[2];
    uint64_t offset; /**< of the part in the segment, bytes */
} mca_pml_champion_ring_name_t;

/** What a RING says. */
enum {
    MCA_PML_CHAMPION_RING_ASK,     /**< please grant me a ring */
    MCA_PML_CHAMPION_RING_GRANT,   /**< this one is yours */
    MCA_PML_CHAMPION_RING_DECLINE, /**< I cannot use it */
    MCA_PML_CHAMPION_RING_CLOSE,   /**< another one needs it more */
    MCA_PML_CHAMPION_RING_WAKE,    /**< there is something in your ring */
    MCA_PML_CHAMPION_RING_POOL,    /**< these are my fragments */
    MCA_PML_CHAMPION_RING_POOLED,  /**< I have them */
    MCA_PML_CHAMPION_RING_FIN_MSG  /**< I have read what you have lent */
};

typedef struct mca_pml_champion_ring_control_t {
    uint32_t vpid; /**< who says it */
    uint16_t what;
    uint16_t wakes;     /**< in a GRANT: whether I may sleep */
    uint32_t fragments; /**< in a POOL: how many */
    uint32_t sequence;  /**< in a RETURNED: of the message */
    uint32_t reads;     /**< in a POOLED: whether I can read your memory */
    uint64_t address;   /**< in a POOL: where it is in mine */
    mca_pml_champion_ring_name_t name; /**< of the ring, or of the pool */
} mca_pml_champion_ring_control_t;

/** What a CLOCK says. */
enum {
    MCA_PML_CHAMPION_CLOCK_ASK, /**< what is the time? */
    MCA_PML_CHAMPION_CLOCK_ANSWER,
    MCA_PML_CHAMPION_CLOCK_FETCHING /**< your large message */
};

typedef struct mca_pml_champion_clock_t {
    uint32_t vpid; /**< who says it */
    uint32_t what;
    uint32_t asked;    /**< when, by the clock of who asks; us, wraps. Of a
                            FETCHING: what the transfer takes, us */
    uint32_t answered; /**< when, of an ANSWER; of a FETCHING: when it began, by
                            the clock of who hears it */
} mca_pml_champion_clock_t;

/** What a FLOW says. */
enum {
    MCA_PML_CHAMPION_FLOW_HELLO, /**< this is the way to me */
    MCA_PML_CHAMPION_FLOW_STOP,  /**< nobody receives what you send */
    MCA_PML_CHAMPION_FLOW_GO     /**< there is room again */
};

typedef struct mca_pml_champion_flow_control_t {
    uint32_t jobid; /**< who says it */
    uint32_t vpid;
    uint32_t what;
    uint32_t number; /**< of what it has said to this peer; from 1 on */
} mca_pml_champion_flow_control_t;

/** What a RECALL says; see mpi/cancel.h. */
enum {
    MCA_PML_CHAMPION_RECALL_ASK,       /**< give me this message back */
    MCA_PML_CHAMPION_RECALL_CANCELLED, /**< nobody has received it, or will */
    MCA_PML_CHAMPION_RECALL_LATE       /**< it has been matched */
};

typedef struct mca_pml_champion_recall_t {
    uint32_t jobid; /**< who says it */
    uint32_t vpid;
    uint64_t token; /**< who wants to know; the sender's own */
    uint32_t what;
    /** Of an ASK: the message. */
    uint32_t context;
    int32_t source;
    int32_t tag;
    uint32_t sequence;
    uint32_t unused;
} mca_pml_champion_recall_t;

/** What a DISCONNECT says; see conn/disconnect.h. */
enum {
    MCA_PML_CHAMPION_DISCONNECT_ASK,    /**< I am idle; are you? */
    MCA_PML_CHAMPION_DISCONNECT_OFFER,  /**< I am idle, and send no more */
    MCA_PML_CHAMPION_DISCONNECT_AGREE,  /**< so am I: we close */
    MCA_PML_CHAMPION_DISCONNECT_DECLINE /**< I am not: go on */
};

/** A DISCONNECT. Behind an ASK or an OFFER follows the worker's address. */
typedef struct mca_pml_champion_disconnect_t {
    uint32_t jobid; /**< who says it */
    uint32_t vpid;
    uint32_t sequence; /**< of the next message to you, if there ever is one */
    uint32_t what;
} mca_pml_champion_disconnect_t;

/** A PACKED message as it is put together on the sender's stack. */
typedef struct mca_pml_champion_packed_t {
    mca_pml_champion_header_t header;
    unsigned char payload[MCA_PML_CHAMPION_PACKED_MAX];
} mca_pml_champion_packed_t;

/** What each process publishes about itself; UCX's worker address follows. */
typedef struct mca_pml_champion_address_t {
    uint32_t magic;
    uint32_t wire_version;
    uint32_t arch;   /**< as in opal_proc_t: byte order and type sizes */
    uint32_t wanted; /**< bits; see pml_champion_agree.h */
} mca_pml_champion_address_t;

#define MCA_PML_CHAMPION_MAGIC 0x63686d70u

/** What a process was asked to gather at the end of the job. */
#define MCA_PML_CHAMPION_WANTS_STATS 0x1u
#define MCA_PML_CHAMPION_WANTS_PROFILE 0x2u
/** Besides: endpoints between this process and other jobs can be closed. */
#define MCA_PML_CHAMPION_CLOSES 0x80000000u

static inline bool mca_pml_champion_address_closes(const void *address)
{
    return 0 != (((const mca_pml_champion_address_t *) address)->wanted &
                 MCA_PML_CHAMPION_CLOSES);
}

#endif /* MCA_PML_CHAMPION_CORE_WIRE_H */
