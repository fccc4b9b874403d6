#!/bin/sh
# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# How contrib/check builds fast; it sources this file.

# shellcheck disable=SC2154 # the engine's variables

# use_ccache: where it is installed, what builds have in common is compiled once,
# and not again in the next run. Paths below the tree are taken as relative ones:
# objects of build folders that are as deep in the tree are the same.
use_ccache() {
    [ -x /usr/lib/ccache/gcc ] || return 0
    PATH=/usr/lib/ccache:$PATH
    : "${CCACHE_DIR:=$top/.cache/ccache}" "${CCACHE_BASEDIR:=$top}"
    : "${CCACHE_MAXSIZE:=2G}"
    CCACHE_NOHASHDIR=1
    export PATH CCACHE_DIR CCACHE_BASEDIR CCACHE_MAXSIZE CCACHE_NOHASHDIR
}

# once NAME COMMAND...: not again in this run if it has succeeded.
once() {
    built=$sums/built_$1
    shift
    [ -e "$built" ] || { "$@" && : >"$built"; }
}

# begin_ahead: builds what later stages want while others run, in the time that
# they leave: most jobs of several ranks leave a core idle now and then. A build
# that fails here is tried again by its stage, which shows why.
begin_ahead() {
    # shellcheck disable=SC2086 # a list of words
    early=$(chosen_of $stages_ahead)
    if [ -z "$early" ] || [ -n "$some$tap" ] || [ "$jobs" -lt 2 ]; then
        return
    fi
    (
        renice -n 19 -p "$(exec sh -c 'echo $PPID')" >/dev/null
        for stage in $early; do
            "ahead_$stage" >"$logs/ahead_$stage" 2>&1 </dev/null
        done
    ) &
    ahead=$!
}

# join_ahead: until that has ended.
join_ahead() {
    [ -n "$ahead" ] || return 0
    wait "$ahead" || :
    ahead=
}
