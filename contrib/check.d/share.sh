#!/bin/sh
# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# How contrib/check --minutes divides the time; it sources this file, after
# contrib/check.d/stages.sh.

# A stage may take so long in any case, if there is as much: what is short, style
# above all, is never cut for what is long.
LEAST_SHARE=100

# share LEFT OWN AFTER: seconds that a stage may take. All are seconds: LEFT of the
# run; OWN and AFTER what the stage and all later ones are known to take. It is all
# that the later ones leave, or the stage's part of what is left, if that is more.
# That those before were slow is no reason to cut this one as long as the run can end
# in time: they may have been so by themselves.
share() {
    left=$1
    part=$((left * $2 / ($2 + $3)))
    spare=$((left - $3))
    [ $part -ge $spare ] || part=$spare
    [ $part -ge $LEAST_SHARE ] || part=$LEAST_SHARE
    [ $part -le "$left" ] || part=$left
    echo $part
}

# is_of STAGE STAGE...: whether it is one of those. It has its variables to itself.
is_of() (
    one=$1
    shift
    for other; do
        [ "$one" != "$other" ] || exit 0
    done
    exit 1
)

# seconds_of STAGE: see stage_seconds.
# shellcheck disable=SC2154 # of stages.sh
seconds_of() {
    echo "$stage_seconds" | awk -v stage="$1" '
        { for (i = 1; i < NF; i += 2) if ($i == stage) seconds = $(i + 1) }
        END { print seconds ? seconds : 60 }'
}

# seconds_after STAGE CHOSEN APART: what those of the list CHOSEN take that come after
# the stage and are not of the list APART.
seconds_after() (
    after=0
    passed=
    for each in $2; do
        # shellcheck disable=SC2086 # a list of words
        if [ "$each" = "$1" ]; then
            passed=yes
        elif [ -n "$passed" ] && ! is_of "$each" $3; then
            after=$((after + $(seconds_of "$each")))
        fi
    done
    echo $after
)
