#!/bin/sh
# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# Which of the stages that take long and seldom fail are run by contrib/check --turn;
# it sources this file. A stage runs when files were changed that it is about, since
# the commit at which it passed as a whole (turn_base). Of the others each has its
# turn in one of three commits, which the seed says. Without git, or without that
# commit, it runs. The unit tests run in each commit, under the sanitizers.

# shellcheck disable=SC2034 # contrib/check's
stages_in_turn='units install distcheck report lammps series'

# about STAGE: patterns of git for the files that the stage is about.
about() {
    case $1 in
    units) echo 'test/lib/units' ;;
    report)
        echo 'ompi/tools/mq_report' 'test/tools' 'ompi/mca/mq/base/record' \
            'ompi/mca/pml/champion/stats'
        ;;
    lammps) echo 'contrib/demo' 'contrib/demo.d' 'test/house/demo' ;;
    *) echo 'configure.ac' 'config' 'VERSION' 'contrib/setup' ;;
    esac
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

# turn_base STAGE: the commit that the file of that name has for it, or nothing.
turn_base() {
    base=$(sed -n "s/^$1 //p" contrib/check.d/turn_base)
    [ -n "$base" ] && git cat-file -e "$base^{commit}" 2>/dev/null && echo "$base"
}

# has_turn SEED STAGE: whether it is the stage's turn, whatever was changed.
has_turn() {
    number=$1
    for stage in $stages_in_turn; do
        [ "$stage" != "$2" ] || break
        number=$((number + 1))
    done
    [ $((number % 3)) -eq 0 ]
}

# not_in_turn SEED: the stages that do not run.
not_in_turn() {
    for one in $stages_in_turn; do
        if ! has_turn "$1" "$one" && base=$(turn_base "$one") &&
            ! changed "$one" "$base"; then
            printf '%s ' "$one"
        fi
    done
}
