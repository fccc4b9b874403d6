# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# shellcheck shell=sh
#
# What every test that is a shell script shares: rows in the Test Anything
# Protocol, `ok N - what`, with the output of a row that fails as `# ` lines
# behind it and the plan `1..N` as the last line. test/lib/tap.py is for Python.
#
# Which rows run: those that match a line of TAP_ONLY, if it is set. Its lines
# are shell patterns for the text of a row, which begins with TAP_PREFIX. With
# TAP_LIST set rows are only listed. contrib/check sets them, and the options
#
#     --only PATTERN   rows whose text contains the pattern (may be repeated)
#     --list           only list the rows
#
# of each test do. At the time TAP_UNTIL, in seconds since 1970, rows that no later
# one builds on are skipped from then on. This file takes them from the arguments of the test that reads
# it; one that has others as well says so by own_arguments=yes before.

top=$(cd "$(dirname "$0")" && until [ -f VERSION ]; do cd ..; done && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
rows=0
rows_failed=0
# Commands that later rows build on, and that no row has needed yet.
pending=
newline='
'

while :; do
    case ${1-} in
    --only)
        TAP_ONLY="${TAP_ONLY:+$TAP_ONLY$newline}*${2:?--only wants a pattern}*"
        export TAP_ONLY
        shift 2
        ;;
    --list)
        export TAP_LIST=1
        shift
        ;;
    '') break ;;
    *)
        [ -z "${own_arguments-}" ] || break
        echo "$0: unknown argument '$1'; it knows --only PATTERN, --list" >&2
        exit 2
        ;;
    esac
done

# selected WHAT: whether this row is wanted.
selected() {
    [ -n "${TAP_ONLY-}" ] || return 0
    tap_ifs=$IFS
    IFS=$newline
    set -f
    tap_found=1
    for tap_pattern in $TAP_ONLY; do
        # shellcheck disable=SC2254 # it is a pattern
        case ${TAP_PREFIX-}$1 in
        $tap_pattern) tap_found=0 ;;
        esac
    done
    set +f
    IFS=$tap_ifs
    return $tap_found
}

# row RESULT WHAT [DIRECTIVE]: prints it.
row() {
    rows=$((rows + 1))
    printf '%s %d - %s\n' "$1" $rows "$2${3:+ # $3}"
}

# diagnose FILE: the end of it, as it belongs to the row before.
diagnose() {
    tail -n 40 "$1" | awk '{ print "# " $0 }' # ends the last line, too
}

ok() { # WHAT
    ! selected "$1" || row ok "$1"
}

not_ok() { # WHAT
    rows_failed=$((rows_failed + 1))
    row 'not ok' "$1"
}

skip() { # WHAT REASON
    ! selected "$1" || row ok "$1" "SKIP $2"
}

# judge WHAT COMMAND...: the row is passed if the command succeeds.
judge() {
    tap_what=$1
    shift
    tap_start=$(date +%s%3N)
    if "$@" >"$work/log" 2>&1 </dev/null; then
        row ok "$tap_what" "time=$(($(date +%s%3N) - tap_start))ms"
        return 0
    fi
    not_ok "$tap_what"
    diagnose "$work/log"
    return 1
}

# out_of_time: TAP_UNTIL has come.
out_of_time() {
    [ -n "${TAP_UNTIL-}" ] && [ "$(date +%s)" -ge "$TAP_UNTIL" ]
}

# promise WHAT COMMAND...: a row that no later one builds on. It succeeds if the
# row does, is not wanted, or comes too late.
promise() {
    selected "$1" || return 0
    if [ -z "${TAP_LIST-}" ] && out_of_time; then
        row ok "$1" 'SKIP no time'
        return 0
    fi
    wanted "$@"
}

wanted() { # WHAT COMMAND...
    if [ -n "${TAP_LIST-}" ]; then
        row ok "$1" 'SKIP listed'
        return 0
    fi
    run_pending
    judge "$@"
}

# step WHAT COMMAND...: a row on which later ones build. If it is not wanted, it
# runs before the first of them that is, and is told only if it fails.
step() {
    if selected "$1"; then
        wanted "$@"
    elif [ -z "${TAP_LIST-}" ]; then
        defer unwanted_step "$@"
    fi
}

# prepare COMMAND...: what later rows build on, and is no row itself.
prepare() {
    if [ -n "${TAP_ONLY-}${TAP_LIST-}" ]; then
        defer must "$@"
    else
        must "$@"
    fi
}

must() { # COMMAND...
    if ! "$@" >"$work/log" 2>&1 </dev/null; then
        diagnose "$work/log"
        echo "Bail out! $*"
        exit 1
    fi
}

unwanted_step() { # WHAT COMMAND...
    tap_what=$1
    shift
    if ! "$@" >"$work/log" 2>&1 </dev/null; then
        not_ok "$tap_what"
        diagnose "$work/log"
    fi
}

defer() { # COMMAND...
    for tap_word; do
        pending="$pending'$(printf %s "$tap_word" | sed "s/'/'\\\\''/g")' "
    done
    pending=$pending$newline
}

# afresh: what comes now builds on nothing before it.
afresh() {
    pending=
}

run_pending() {
    tap_now=$pending
    pending=
    eval "$tap_now"
}

# included PREFIX COMMAND...: another test, whose rows become ours, with the
# prefix before their texts.
included() {
    tap_text=$1
    shift
    if [ -n "$pending" ] && [ -z "${TAP_LIST-}" ]; then
        tap_rows=$(TAP_LIST=1 as_part "$@" 2>/dev/null | grep -c '^ok ')
        [ "$tap_rows" -gt 0 ] || return 0
        run_pending
    fi
    as_part "$@" 2>&1 </dev/null | TAP_TEXT=$tap_text awk -v n=$rows \
        -v state="$work/included" '
        match($0, /^(not )?ok [0-9]+ - /) {
            result = /^not/ ? "not ok " : "ok "
            bad += /^not/
            print result (++n) " - " ENVIRON["TAP_TEXT"] substr($0, RLENGTH + 1)
            fflush()
            next
        }
        /^1\.\.[0-9]+/ { planned = 1; next }
        { print /^#/ ? $0 : "# " $0; fflush() }
        END {
            if (!planned) {
                print "not ok " (++n) " - " ENVIRON["TAP_TEXT"] \
                    "it comes to its end"
                bad++
            }
            print n, bad + 0 >state
        }'
    read -r rows tap_bad <"$work/included"
    rows_failed=$((rows_failed + tap_bad))
}

as_part() (
    TAP_PREFIX=${TAP_PREFIX-}$tap_text
    export TAP_PREFIX
    "$@"
)

# limited SECONDS COMMAND...: ended after so long, with all that it has started;
# exits as `timeout -k 5` does.
limited() {
    python3 "$top/test/lib/job.py" "$@"
}

# The cores there are: nproc would count threads of OpenMP.
cores() {
    env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc
}

# finish [REASON]: the end of the test; with a reason why it has no rows.
finish() {
    echo "1..$rows${1:+ # SKIP $1}"
    [ "$rows_failed" -eq 0 ]
    exit
}
