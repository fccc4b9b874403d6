/*
 * Copyright (c) 2026 The champion authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages between two processes: UCP active messages of fourteen kinds.
 *
 *     id       header (UCP)      data                        sent by
 *     PACKED   none              envelope, payload           small sends
 *                                                            within a job
 *     MESSAGE  envelope          payload, eager or           larger sends
 *                                UCX's rendezvous
 *     SYNC     envelope, token   payload, as in MESSAGE      MPI_Ssend, if no
 *                                                            ring takes it
 *     ACK      none              token                       matched SYNC, likewise
 *     TAGGED   envelope, tag     kind of the payload, which  offload (see
 *                                is sent by tag              offload/offload.h)
 *     INVITE   none              tags to use                 offload
 *     RING     none              wake-ups, and answers for   processes of one
 *                                which a ring has no room    node
 *     FLOW     none              stop or go (see             receivers that
 *                                match/flow_control.h)        fall behind
 *     CLOCK    none              the time (see               receivers of
 *                                large/thread_trigger.h)      large messages
 *     DISCONNECT none            see match/disconnect.h       processes of
 *                                                            other jobs
 *     RECALL   none              a message, or its fate      MPI_Cancel
 *                                (see mpi/cancel.h)
 *     STRIPE   none              connections, requests for   both sides of large
 *                                a message in parts          messages
 *     PART     which             a part of a message, by     their senders (see
 *                                UCX's rendezvous            large/stripe.h)
 *     STUCK    none              what processes of a node    processes that wait
 *                                wait for (see stuck/ask.h)  for long
 *
 * UCX does not keep active messages in order. So messages (PACKED, MESSAGE,
 * SYNC and TAGGED) have sequence numbers, one sequence for each ordered pair of
 * processes, across communicators; the receiver restores the order.
 *
 * The sender is identified by its process name, not by an index that would
 * have to be agreed on first: a name needs no handshake, and survives
 * disconnect and reconnect. PACKED messages go only to processes of the same
 * job and leave out the job id: with 20 bytes of envelope a message
 * of 8 bytes fits one cache line of UCX's shared memory FIFO (28 bytes of
 * element, 8 of UCX's header).
 *
 * All fields are in host byte order: peers of another architecture are refused
 * when they connect.
 */

#ifndef MCA_PML_CHAMPION_CORE_WIRE_H
#define MCA_PML_CHAMPION_CORE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Version of this wire format; peers with another version are refused. */
#define MCA_PML_CHAMPION_WIRE_VERSION 28

/** Active message ids. */
enum {
    MCA_PML_CHAMPION_AM_PACKED,
    MCA_PML_CHAMPION_AM_MESSAGE,
    MCA_PML_CHAMPION_AM_SYNC,
    MCA_PML_CHAMPION_AM_ACK,
    MCA_PML_CHAMPION_AM_TAGGED,
    MCA_PML_CHAMPION_AM_INVITE,
    MCA_PML_CHAMPION_AM_RING,
    MCA_PML_CHAMPION_AM_CLOCK,
    MCA_PML_CHAMPION_AM_FLOW,
    MCA_PML_CHAMPION_AM_DISCONNECT,
    MCA_PML_CHAMPION_AM_RECALL,
    MCA_PML_CHAMPION_AM_STRIPE,
    MCA_PML_CHAMPION_AM_PART,
    MCA_PML_CHAMPION_AM_STUCK,
    MCA_PML_CHAMPION_AM_COUNT
};

/** Largest payload of a PACKED message, bytes: UCX's short send still fits one
 * element of its shared memory FIFO (128 bytes by default). */
#define MCA_PML_CHAMPION_PACKED_MAX 64

/** The envelope. Its first three fields are a mca_mq_envelope_t. Packed,
 * because transports put it at any address. */
typedef struct mca_pml_champion_header_t {
    uint32_t context;  /**< of the communicator; see
                            MCA_PML_CHAMPION_CONTEXT_OWN */
    int32_t source;    /**< rank of the sender in the communicator */
    int32_t tag;       /**< tag */
    uint32_t sequence; /**< number of the message in its pair of processes */
    uint32_t vpid;     /**< of the sender */
} __attribute__((packed)) mca_pml_champion_header_t;

/** The envelope with the sender's full name. */
typedef struct mca_pml_champion_named_header_t {
    mca_pml_champion_header_t super;
    uint32_t jobid;
    uint32_t sent; /**< time of the send by the receiver's clock, us; 0:
                        unknown. See large/thread_trigger.h */
} __attribute__((packed)) mca_pml_champion_named_header_t;

/** A context is the communicator's index if all members use the same one. If
 * they use different ones (communicators made from a group, Open MPI 5.0 and
 * later) it is OWN and a common id of 30 bits. Inter-communicators of these
 * series have OWN, INTER and their index: see
 * mca_pml_champion_context_is_reused. */
#define MCA_PML_CHAMPION_CONTEXT_OWN 0x80000000u
#define MCA_PML_CHAMPION_CONTEXT_INTER 0x40000000u

/** May messages of the next communicator with this context arrive after the
 * last one is freed and before the next one exists? Then they have to be kept.
 * For other contexts they cannot, and such a message is a leftover. */
static inline bool mca_pml_champion_context_is_reused(uint32_t context)
{
    return (MCA_PML_CHAMPION_CONTEXT_OWN | MCA_PML_CHAMPION_CONTEXT_INTER) ==
           (context &
            (MCA_PML_CHAMPION_CONTEXT_OWN | MCA_PML_CHAMPION_CONTEXT_INTER));
}

/** Header of a SYNC or a TAGGED message. */
typedef struct mca_pml_champion_sync_header_t {
    mca_pml_champion_named_header_t super;
    uint64_t token; /**< of a SYNC: the sender's value, returned in the ACK;
                         of a TAGGED: the tag of the payload */
} __attribute__((packed)) mca_pml_champion_sync_header_t;

/** Data of a TAGGED message: describes the payload that is sent by tag. */
typedef struct mca_pml_champion_tagged_t {
    uint64_t length; /**< bytes */
    uint64_t sync;   /**< not 0: a synchronous send */
} mca_pml_champion_tagged_t;

/** An INVITE: a process of this job requests that large contiguous messages be
 * sent as TAGGED ones, changes the size from which this holds, or revokes the
 * request. It may be ignored. */
typedef struct mca_pml_champion_invitation_t {
    uint32_t vpid;  /**< the sender of the INVITE */
    uint32_t index; /**< identifies the receiver of the INVITE in its tags */
    uint64_t min;   /**< smallest payload, bytes; UINT64_MAX: revoked */
} mca_pml_champion_invitation_t;

/** How another process finds a shared segment; see core/segment.h. */
typedef struct mca_pml_champion_segment_name_t {
    int32_t pid;
    int32_t fd;
    uint64_t device;
    uint64_t inode;
    uint64_t mark[2];
} mca_pml_champion_segment_name_t;

/** The board of a node; see core/board.h. */
typedef struct mca_pml_champion_board_name_t {
    uint64_t length; /**< bytes */
    mca_pml_champion_segment_name_t name;
} mca_pml_champion_board_name_t;

/** Kinds of RING messages. */
enum {
    MCA_PML_CHAMPION_RING_WAKE,    /**< wake-up: there is a record in the
                                        receiver's ring */
    MCA_PML_CHAMPION_RING_FIN_MSG, /**< the receiver has read the data of an
                                        rget message */
    MCA_PML_CHAMPION_RING_LOST_MSG /**< it cannot read them */
};

typedef struct mca_pml_champion_ring_control_t {
    uint32_t vpid; /**< the sender of this message */
    uint32_t what;
    uint32_t sequence; /**< in a FIN_MSG and LOST_MSG: of the message */
} mca_pml_champion_ring_control_t;

/** Kinds of CLOCK messages. */
enum {
    MCA_PML_CHAMPION_CLOCK_ASK, /**< a request for the time */
    MCA_PML_CHAMPION_CLOCK_ANSWER,
    MCA_PML_CHAMPION_CLOCK_FETCHING /**< the receiver fetches a large message */
};

typedef struct mca_pml_champion_clock_t {
    uint32_t vpid; /**< the sender of this message */
    uint32_t what;
    uint32_t asked;    /**< time of the request by the asking process's clock,
                            us, wraps; of a FETCHING: estimated time of the
                            transfer, us */
    uint32_t answered; /**< time of an ANSWER; of a FETCHING: time at which it
                            began, by the clock of the receiver of this
                            message */
} mca_pml_champion_clock_t;

/** Kinds of FLOW messages. */
enum {
    MCA_PML_CHAMPION_FLOW_HELLO, /**< the sender's address, for replies */
    MCA_PML_CHAMPION_FLOW_STOP,  /**< the receiver throttles the sender: too
                                      many unexpected messages */
    MCA_PML_CHAMPION_FLOW_GO     /**< the sender may continue */
};

typedef struct mca_pml_champion_flow_control_t {
    uint32_t jobid; /**< the sender of this message */
    uint32_t vpid;
    uint32_t what;
    uint32_t number; /**< number of this message among those to this peer;
                          from 1 on */
} mca_pml_champion_flow_control_t;

/** Kinds of RECALL messages; see mpi/cancel.h. */
enum {
    MCA_PML_CHAMPION_RECALL_ASK,       /**< the sender withdraws a message */
    MCA_PML_CHAMPION_RECALL_CANCELLED, /**< it is withdrawn and will not be
                                            received */
    MCA_PML_CHAMPION_RECALL_MATCHED    /**< too late: it has been matched */
};

typedef struct mca_pml_champion_recall_t {
    uint32_t jobid; /**< the sender of this message */
    uint32_t vpid;
    uint64_t token; /**< the sender's value, returned in the answer */
    uint32_t what;
    /** Of an ASK: the message. */
    uint32_t context;
    int32_t source;
    int32_t tag;
    uint32_t sequence;
    uint32_t unused;
} mca_pml_champion_recall_t;

/** Kinds of DISCONNECT messages; see match/disconnect.h. */
enum {
    MCA_PML_CHAMPION_DISCONNECT_ASK,   /**< this side is idle; is the other? */
    MCA_PML_CHAMPION_DISCONNECT_OFFER, /**< this side is idle and will not
                                             send */
    MCA_PML_CHAMPION_DISCONNECT_AGREE, /**< both are idle: close the
                                             endpoint */
    MCA_PML_CHAMPION_DISCONNECT_DECLINE, /**< this side is not idle: stay
                                              connected */
    MCA_PML_CHAMPION_DISCONNECT_ADDRESS, /**< a piece of the sender's address,
                                              ahead of ASK or OFFER */
    MCA_PML_CHAMPION_DISCONNECT_KINDS
};

/** Most bytes of a worker's address in one piece: the whole message has 64. */
#define MCA_PML_CHAMPION_DISCONNECT_PIECE 36

/** A DISCONNECT. */
typedef struct mca_pml_champion_disconnect_t {
    uint32_t jobid; /**< the sender of this message */
    uint32_t vpid;
    uint32_t sequence; /**< of the next message to the peer, if there will be
                            one; of an ADDRESS: where the piece begins, which
                            follows, in bytes */
    uint32_t what;
    uint32_t length; /**< of an ADDRESS: of all pieces together, bytes */
    uint32_t place;  /**< hash of the sender's kernel and PID namespace; 0:
                           unknown */
    int32_t pid;     /**< its process id there */
} mca_pml_champion_disconnect_t;
_Static_assert(64 == sizeof(mca_pml_champion_disconnect_t) +
                         MCA_PML_CHAMPION_DISCONNECT_PIECE,
               "UCX sends it by itself, without asking its peer");

/** Most parts of a striped message. */
#define MCA_PML_CHAMPION_STRIPES_MAX 8

/** Kinds of STRIPE messages; see large/stripe.h. */
enum {
    MCA_PML_CHAMPION_STRIPE_OPEN,    /**< the receiver asks for connections */
    MCA_PML_CHAMPION_STRIPE_HELLO,   /**< by each of them */
    MCA_PML_CHAMPION_STRIPE_ASK,     /**< the receiver asks for a message in
                                          parts */
    MCA_PML_CHAMPION_STRIPE_DECLINE, /**< the sender does not send it so */
    MCA_PML_CHAMPION_STRIPE_HERE,    /**< by this the receiver can reach the
                                          sender */
    MCA_PML_CHAMPION_STRIPE_KINDS
};

/** A STRIPE. The address of its sender's worker follows an OPEN. */
typedef struct mca_pml_champion_stripe_control_t {
    uint32_t vpid; /**< the sender of this message */
    uint32_t what;
    uint32_t id;       /**< the receiver's number of the transfer (ASK,
                            DECLINE); length of the address, bytes (OPEN) */
    uint32_t sequence; /**< of the message; of an ASK */
    /** 1 to STRIPES_MAX: connections, with the first one (OPEN); the number of
     * this one, which counts from 0 on (HELLO); parts (ASK); connections that
     * the sender has (DECLINE); 1 (HERE). */
    uint32_t parts;
} mca_pml_champion_stripe_control_t;

/** Header of a PART. */
typedef struct mca_pml_champion_part_header_t {
    uint32_t vpid; /**< the sender */
    uint32_t id;   /**< of the STRIPE that asked for it */
    uint32_t part; /**< number of the part, from 0 on */
} mca_pml_champion_part_header_t;

/** A PACKED message, as built on the sender's stack. */
typedef struct mca_pml_champion_packed_t {
    mca_pml_champion_header_t header;
    unsigned char payload[MCA_PML_CHAMPION_PACKED_MAX];
} mca_pml_champion_packed_t;

/** Parameters of coll/champion: messages are as they say. A segment of 0: it is
 * not used. */
typedef struct mca_pml_champion_coll_params_t {
    uint32_t priority, short_limit, segment;
} mca_pml_champion_coll_params_t;

/** Address that each process publishes, and posts on the board of its node. The
 * leader of the board publishes the board's name behind it. UCX's worker address
 * follows. */
typedef struct mca_pml_champion_address_t {
    uint32_t magic;
    uint32_t wire_version;
    uint32_t arch;   /**< as in opal_proc_t: byte order and type sizes */
    uint32_t wanted; /**< bits; see boot/agree.h */
    mca_pml_champion_coll_params_t coll;
} mca_pml_champion_address_t;

#define MCA_PML_CHAMPION_MAGIC 0x63686d70u

/** Data that a process was asked to gather at the end of the job
 * (address.wanted). */
#define MCA_PML_CHAMPION_WANTS_STATS 0x1u
#define MCA_PML_CHAMPION_WANTS_PROFILE 0x2u
/** In address.wanted: endpoints between this process and other jobs can be
 * closed. */
#define MCA_PML_CHAMPION_CLOSES 0x80000000u

/** In address.wanted: the name of a board follows. */
#define MCA_PML_CHAMPION_HAS_BOARD 0x40000000u
/** In the flags of an entry of the board: the process reads rings in its area; it
 * may sleep without a limit. */
#define MCA_PML_CHAMPION_HAS_RINGS 0x1u
#define MCA_PML_CHAMPION_MUST_WAKE 0x2u
/** In address.wanted: the bits about gathering. */
#define MCA_PML_CHAMPION_WANTS                                                 \
    (MCA_PML_CHAMPION_WANTS_STATS | MCA_PML_CHAMPION_WANTS_PROFILE)

/** Bytes before UCX's address. */
static inline size_t mca_pml_champion_address_head(
    const mca_pml_champion_address_t *address)
{
    return sizeof(*address) + (address->wanted & MCA_PML_CHAMPION_HAS_BOARD
                                   ? sizeof(mca_pml_champion_board_name_t)
                                   : 0);
}

static inline bool mca_pml_champion_address_closes(const void *address)
{
    return 0 != (((const mca_pml_champion_address_t *) address)->wanted &
                 MCA_PML_CHAMPION_CLOSES);
}

#endif /* MCA_PML_CHAMPION_CORE_WIRE_H */
