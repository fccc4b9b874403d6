#!/bin/sh
# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# How contrib/check --minutes divides the time; it sources this file.

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
