# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# shellcheck shell=sh
#
# What the tests of this folder and test/graft share. Each prints a line for
# each promise, then `N passed, N failed`.

top=$(cd "$(dirname "$0")" && until [ -f VERSION ]; do cd ..; done && pwd)
passed=0
failed=0
work=$(mktemp -d)
log=$work/log
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# What a machine for tests wants; a user gets it from env.sh.
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
export OMPI_MCA_rmaps_base_oversubscribe

# The series of the Open MPI that is tested, and one it is not of.
series=$(mpirun --version 2>/dev/null |
    sed -n 's/.*Open MPI) \([0-9]*\.[0-9]*\).*/\1/p')
# shellcheck disable=SC2034 # for the tests
case $series in
4.1) other_series=5.0 ;;
*) other_series=4.1 ;;
esac
# The same as oversubscribe above from 5.0 on.
case $series in
5.0) export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe ;;
6.0) export PRTE_MCA_mapby=:oversubscribe ;;
esac

# promise WHAT COMMAND...: the command succeeds. Its output is shown if not.
promise() {
    what=$1
    shift
    if "$@" >"$log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        echo "PASS: $what"
    else
        failed=$((failed + 1))
        echo "FAIL: $what"
        tail -n 30 "$log" | sed 's/^/    | /'
    fi
}

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

# An MPI program that does next to nothing, built once.
hello() {
    if [ ! -x "$work/hello" ]; then
        mpicc -O1 -o "$work/hello" "$top/test/house/hello.c" || exit 1
    fi
}

# The files in a folder, with their times and contents.
listing() {
    (cd "$1" && find . -type f -printf '%p %T@ ' -exec cksum {} \; | sort)
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
