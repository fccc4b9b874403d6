#!/bin/sh
# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# Which of the stages that take long and seldom fail are run by contrib/check --turn;
# it sources this file. A stage runs when files were changed that it is about, since
# the commit of turn_base, at which all of them passed. Of those that nothing has
# touched one has its turn: the seed of the commit says which. Without git, or
# without that commit, all run.

# shellcheck disable=SC2034 # contrib/check's
stages_in_turn='install distcheck series'

# about STAGE: patterns of git for the files that the stage is about.
about() {
    echo 'configure.ac' 'config' 'VERSION' 'contrib/setup'
    case $1 in
    install) echo 'ompi/*.am' 'autogen.pl' 'contrib/env*' 'test/house/install*' ;;
    distcheck) echo '*.am' 'contrib/archive' ;;
    series)
        echo 'contrib/series' 'ompi/mca/mq/base/param/ompi_*' \
            'ompi/mca/*/*_component.c' 'ompi/mca/pml/champion/pml_champion_*'
        ;;
    esac
}

# changed STAGE BASE: whether such a file was changed since that commit.
changed() (
    set -f # git expands them
    # shellcheck disable=SC2046 # a list of words
    ! git diff --quiet "$2" -- $(about "$1") 2>/dev/null
)

# turn_base: the commit of that name's file, or nothing.
turn_base() {
    base=$(grep -v '^#' contrib/check.d/turn_base)
    git cat-file -e "$base^{commit}" 2>/dev/null && echo "$base"
}

# with_turn SEED STAGES CHANGED: those of the stages that run. Both lists are words;
# the second is of those that were changed.
with_turn() {
    # shellcheck disable=SC2086 # a list of words
    set -- "$1" "$3" $2
    seed=$1
    due=" $2 "
    shift 2
    number=$((seed % $#))
    runs=
    for stage; do
        case $number:$due in
        0:* | *" $stage "*) runs="$runs $stage" ;;
        esac
        number=$((number - 1))
    done
    echo "${runs# }"
}

# not_in_turn SEED: the stages that do not run.
not_in_turn() {
    base=$(turn_base)
    due=
    for stage in $stages_in_turn; do
        if [ -z "$base" ] || changed "$stage" "$base"; then
            due="$due $stage"
        fi
    done
    runs=" $(with_turn "$1" "$stages_in_turn" "$due") "
    for stage in $stages_in_turn; do
        case $runs in
        *" $stage "*) ;;
        *) printf '%s ' "$stage" ;;
        esac
    done
}
