#!/bin/sh
# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# How contrib/check --minutes divides the time; it sources this file.

# A stage may take so long in any case, if there is as much: seconds are whole, and
# some stages have only one or two.
LEAST_SHARE=15

# share LEFT OWN AFTER BEFORE TOOK: seconds that a stage may take. All are seconds:
# LEFT of the run; OWN, AFTER and BEFORE what the stage, all later ones and all
# earlier ones are known to take; TOOK what the earlier ones have taken. It is the
# stage's part of what is left, or all that the later ones leave, if they are as fast
# or slow as the earlier ones were; as they are known to be, where it is the first.
share() {
    left=$1
    part=$((left * $2 / ($2 + $3)))
    later=$3
    [ "$4" -eq 0 ] || later=$((later * $5 / $4))
    spare=$((left - later))
    [ $part -ge $spare ] || part=$spare
    [ $part -ge $LEAST_SHARE ] || part=$LEAST_SHARE
    [ $part -le "$left" ] || part=$left
    echo $part
}
