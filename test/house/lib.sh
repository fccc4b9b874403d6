# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# shellcheck shell=sh
#
# What the tests of this folder, test/graft and test/mpi4py share, beside
# test/lib/tap.sh: rows about Open MPI.

# shellcheck source=test/lib/tap.sh
. "$(cd "$(dirname "$0")" && until [ -f VERSION ]; do cd ..; done &&
    pwd)/test/lib/tap.sh"

# What a machine for tests wants, and `series`, that of Open MPI.
eval "$(python3 "$top/test/lib/job.py" --settings)"
# One it is not of.
# shellcheck disable=SC2034,SC2154 # for the tests; series is set above
case $series in
4.1) other_series=5.0 ;;
*) other_series=4.1 ;;
esac

# has_said TEXT: it is in the output of the last command, which is shown.
has_said() {
    cat "$work/said"
    if ! grep -qF -- "$1" "$work/said"; then
        echo "expected, but not there: $1"
        return 1
    fi
}

# lost TEXT: it is not in the output, but mpirun of Open MPI 4.1.4 says that it
# lost a help text, as it does with one in three. Then it is worth another try.
lost() {
    ! grep -qF -- "$1" "$work/said" &&
        grep -q 'show_help\.c at line' "$work/said"
}

# says TEXT COMMAND...: the output of the command has TEXT in it.
says() {
    text=$1
    shift
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
        "$@" >"$work/said" 2>&1 || :
        lost "$text" || break
    done
    has_said "$text"
}

# fails_saying TEXT COMMAND...: the command fails, and in its output is TEXT.
fails_saying() {
    text=$1
    shift
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
        if "$@" >"$work/said" 2>&1; then
            cat "$work/said"
            echo "expected to fail"
            return 1
        fi
        lost "$text" || break
    done
    has_said "$text"
}

# Each line of standard input is in the output of the last command.
has_all() {
    while read -r text; do
        if ! grep -qF -- "$text" "$work/said"; then
            echo "expected, but not there: $text"
            return 1
        fi
    done
}

# said COMMAND...: runs it; its output is kept, and shown.
said() {
    status=0
    "$@" >"$work/said" 2>&1 || status=$?
    cat "$work/said"
    return $status
}

# An MPI program that does next to nothing.
hello() {
    prepare mpicc -O1 -o "$work/hello" "$top/test/house/hello.c"
}

# The files in a folder, with their times and contents.
listing() {
    (cd "$1" && find . -type f -printf '%p %T@ ' -exec cksum {} \; | sort)
}
