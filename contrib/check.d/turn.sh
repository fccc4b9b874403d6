#!/bin/sh
# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# Which of the stages that take long and seldom fail are run by contrib/check --turn;
# it sources this file. A stage runs when files were changed that it is about, since
# the commit at which it passed as a whole (turn_base). Otherwise the stages of one
# line run, which the seed says. Without git, or without that commit, all run. The
# unit tests run in each commit, under the sanitizers. Of documents that alone were
# changed style and examples are looked at.

# Each line takes about as long as the others.
turns='units bench
profile stats replay
install configure
distcheck
report lammps
series'

# about STAGE: patterns of git for the files that the stage is about.
about() {
    case $1 in
    units) echo 'test/lib/units' ;;
    bench) echo 'test/bench' 'contrib/figures' ':!test/bench/instructions*' ;;
    profile)
        echo 'ompi/mca/mq/base' 'ompi/mca/pml/champion/stats' \
            'test/house/profile'
        ;;
    stats)
        echo 'ompi/mca/mq/base/record' \
            'ompi/mca/pml/champion/stats' 'test/house/stats' 'test/house/ended.c' \
            'docs/stats.schema.json'
        ;;
    replay) echo 'ompi/tools/mq_replay' 'ompi/mca/mq' 'test/tools' ;;
    report)
        echo 'ompi/tools/mq_report' 'test/tools' 'ompi/mca/mq/base/record' \
            'ompi/mca/pml/champion/stats'
        ;;
    lammps) echo 'contrib/demo' 'contrib/demo.d' 'test/house/demo' ;;
    *) echo 'configure.ac' 'config' 'VERSION' 'contrib/setup' ;;
    esac
    case $1 in
    configure) echo 'autogen.pl' 'test/house/configure' 'test/house/graft' ;;
    install) echo 'ompi/*.am' 'autogen.pl' 'contrib/env*' 'test/house/install*' ;;
    distcheck) echo '*.am' 'contrib/archive' ;;
    series)
        echo 'contrib/series' 'ompi/mca/mq/base/param/ompi_*' \
            'ompi/mca/*/*_component.c' 'ompi/mca/pml/champion/pml_champion_*' \
            'ompi/mca/pml/champion/boot'
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

# documents_alone: nothing else was changed since the commit at which all passed.
documents_alone() {
    base=$(turn_base all) &&
        git diff --quiet "$base" -- '*' ':!*.md' ':!NEWS' \
            ':!contrib/check.d/turn_base'
}

# not_in_turn SEED: the stages that do not run.
not_in_turn() {
    left=$(($1 % $(echo "$turns" | wc -l)))
    echo "$turns" | while read -r line; do
        left=$((left - 1))
        [ $left -ne -1 ] || continue
        for one in $line; do
            if base=$(turn_base "$one") && ! changed "$one" "$base"; then
                printf '%s ' "$one"
            fi
        done
    done
}
