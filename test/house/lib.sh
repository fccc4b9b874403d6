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

# has_said TEXT: each line of it is in the output of the last command, which is
# shown.
has_said() {
    cat "$work/said"
    echo "$1" | has_all
}

# says TEXT COMMAND...: the command succeeds, and its output has each line of TEXT
# in it.
says() {
    text=$1
    shift
    said "$@" || { echo "exit status $?, expected 0" && return 1; }
    echo "$text" | has_all
}

# failed STATUS: that of a command that was to fail. What crashes or hangs has
# failed in another way than it should.
failed() {
    case $1 in
    0) echo 'expected to fail' && return 1 ;;
    124 | 137) echo 'it hung' && return 1 ;;
    132 | 134 | 135 | 136 | 139) echo "it crashed: $1" && return 1 ;;
    esac
}

# fails_saying TEXT COMMAND...: the command fails, and its output has each line of
# TEXT in it.
fails_saying() {
    text=$1
    shift
    status=0
    said "$@" || status=$?
    failed $status && echo "$text" | has_all
}

# heard PROGRAM: a script in its place, whose standard error goes to the file ERRORS
# if that is set: past mpirun, which loses what it is sent. That of 4.1.4 with PMIx
# 4.2.2 loses one help text in three, anyone's (it frees the text before it has sent
# it); that of 5.0 ends, on a busy machine, before it has printed all.
heard() {
    mv "$1" "$1.bin" && cat >"$1" <<'END' && chmod +x "$1"
#!/bin/sh
[ -z "${ERRORS-}" ] || exec 2>>"$ERRORS"
exec "$0.bin" "$@"
END
}

# Whoever has crashed is mpirun of 4.1.4, in taking down its PMIx server.
only_mpirun_crashed() {
    crashes=$(grep -c 'Process received signal' "$work/said")
    in_server=$(grep -c '(PMIx_server_finalize+' "$work/said")
    [ "$crashes" -gt 0 ] && [ "$crashes" = "$in_server" ]
}

# refused "TEXT..." MPIRUN-ARGUMENT...: the job, of a program that is `heard`, fails
# within $seconds, and it or mpirun says every line of TEXT. Once in a hundred of
# such jobs mpirun of 4.1.4 is stuck itself when all ranks have ended, or crashes:
# they have not.
refused() {
    texts=$1
    shift
    : >"$work/errors"
    status=0
    # shellcheck disable=SC2154 # the test's
    said limited "$seconds" env ERRORS="$work/errors" mpirun "$@" ||
        status=$?
    tee -a "$work/said" <"$work/errors"
    if grep -q '^job.py: .* still:\( mpirun\| orterun\)*$' "$work/said"; then
        echo "mpirun itself hung: Open MPI's fault"
        status=1
    elif [ $status = 139 ] && only_mpirun_crashed; then
        echo "mpirun itself crashed: Open MPI's fault"
        status=1
    fi
    failed $status && echo "$texts" | has_all
}

# Each line of standard input is in the output of the last command, however many
# blanks there are: help texts are indented, but for one line where Open MPI may
# lose them.
has_all() {
    tr -s ' ' <"$work/said" >"$work/squeezed"
    tr -s ' ' >"$work/wanted"
    while read -r text; do
        if ! grep -qF -- "$text" "$work/squeezed"; then
            echo "expected, but not there: $text"
            return 1
        fi
    done <"$work/wanted"
}

# said COMMAND...: runs it; its output is kept, and shown.
said() {
    status=0
    "$@" >"$work/said" 2>&1 || status=$?
    cat "$work/said"
    return $status
}

# has_line LINE: it is one of the output of the last command.
has_line() {
    if ! grep -qxF -- "$1" "$work/said"; then
        echo "expected, but not there: $1"
        return 1
    fi
}

# sort_out VARIABLE=VALUE... COMMANDS: in any order; $set_before and $commands.
# shellcheck disable=SC2034 # for the tests
sort_out() {
    set_before=
    commands=
    for argument; do
        case $argument in
        *=*) set_before="$set_before $argument" ;;
        *) commands=$argument ;;
        esac
    done
}

# An MPI program that does next to nothing.
hello() {
    prepare mpicc -O1 -o "$work/hello" "$top/test/house/hello.c"
}

# The files in a folder, with their times and contents.
listing() {
    (cd "$1" && find . -type f -printf '%p %T@ ' -exec cksum {} \; | sort)
}
