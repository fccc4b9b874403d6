#!/bin/sh
# Copyright (c) 2026 The champion authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# The stages of contrib/check, which sources this file: their list, and a
# function stage_NAME for each. It provides say, try, needed, counted, skipped,
# run_aside, join_aside, what test/lib/tap.sh has, and the variables top, jobs and
# lean.

# shellcheck disable=SC2154 # they are the engine's

# name, what it does; run in this order
# shellcheck disable=SC2034 # both lists are the engine's
stages='
style             C files are formatted, shell scripts without complaints, links
runners           what runs the tests: rows, jobs, and what is made of them
units             unit tests
configure         what autogen.pl and configure say when something is missing; grafts
install           build and install: home folder, prefix, moved, removed
distcheck         a release builds, passes its tests, leaves nothing behind
env               env.sh and env.csh in the shells there are
release           the version is the same wherever one is shown
modules           module files, in environment-modules and Lmod; completion in bash
ompi_info         what the stock ompi_info and ours list
bad_input         wrong parameters, plug-ins, surroundings
profile           profiles: written, used, and not if they are bad
stats             statistics: text, JSON, what they say of known traffic
debugger          what debuggers show of requests, by the library of Open MPI for them
mq_who            mq_who: what it says of jobs that hang and go on; reports at a signal
examples          programs, commands, parameters and links in the documents
replay            mq_replay: patterns, traces, what it refuses
mpi4py            Python programs over mpi4py
report            mq_report: what it says of known traffic, what it refuses, sound pages
lammps            contrib/demo: slow rivals, missing tools; LAMMPS computes the same energies with all
mpi               MPI programs, with each component
mpi_tiny          MPI programs, with thresholds so small that all paths are taken
mpi_late          MPI programs, messages late and out of order; with a progress thread
odd               MPI programs with random parameters, scarce and extreme ones
side_by_side      what champion, ob1 and ucx do with the same programs
faults            ranks killed, stopped, gone in the middle of messages
many_ranks        MPI programs with 64 and 128 ranks: more peers than rings
hosts             MPI programs, faults over two and four hosts made of namespaces
bench             test/bench/compare on deep queues: payloads and bad input, not speed
instructions      of small messages: as many as the table in test/bench has
sanitized_units   unit tests under AddressSanitizer and UBSan
sanitized_mpi     MPI programs under both, 2 ranks
threads           MPI_THREAD_MULTIPLE programs under a race detector
series            Open MPI 5.0 in a folder of its own: units, house, MPI programs with list
mpich             MPICH test suite, folders pt2pt, comm and init, with list
'

# Those of the second list compute for minutes, by one process or a few. They run
# one after the other beside those of the first, which start many small jobs and
# wait for half of the time. Of the files that are made in this tree they share
# none.
# shellcheck disable=SC2034
stages_beside='env release modules ompi_info bad_input profile stats debugger
    mq_who examples replay mpi4py'
# shellcheck disable=SC2034
stages_aside='report lammps'

# What these build is built ahead, by ahead_STAGE, in what time the others leave.
# shellcheck disable=SC2034
stages_ahead='sanitized_units sanitized_mpi threads series'

# What each takes, seconds, on 2 cores of 2026: its share of --minutes. Those that
# run aside need no share.
# shellcheck disable=SC2034
stage_seconds='style 85 runners 75 units 160 configure 90 install 450 distcheck 580
    env 23 release 6 modules 10 ompi_info 25 bad_input 175 profile 130 stats 160
    debugger 8 mq_who 180 examples 55 replay 48 mpi4py 80 report 330 lammps 240
    mpi 350 mpi_tiny 105 mpi_late 225 odd 100 side_by_side 42 faults 100
    many_ranks 88 hosts 215 bench 130 instructions 20 sanitized_units 120
    sanitized_mpi 265 threads 100 series 440 mpich 195'

# run only when named
more_stages='
many_ranks_long   the same for ten minutes: every way that messages take
soak              random traffic for SOAK_MINUTES (60): memory does not grow; new seeds
series_6.0        the same as series with Open MPI 6.0
browser           pages of mq_report in Chromium; makes the pictures in docs/figures anew
neighbours        failed processes, other collectives beside champion, with 4 ranks
graft             Open MPI 4.1 and 5.0 built with the components in their trees
cuda              Open MPI 4.1 built with a stand-in for CUDA: device memory
speed             what is slower than at the commit of test/bench/speed_base
sweep             what champion decides in patterns of communication between hosts
bad_links         random traffic between hosts: late, reordered, lost packets; links down
bench_release     test/bench/compare over another build of UCX, without assertions
packages          Debian packages, built, installed, used and removed in Debian 12 and 13
slurm             srun, salloc, sbatch, binding, by a Slurm that is set up here
clients           programs of others under champion, pml/ob1 and pml/ucx: HPCC, ...
'

components() {
    echo list
    [ -z "$lean" ] || return 0
    for file in "$top"/_install/lib/openmpi/mca_mq_*.so; do
        file=${file##*/mca_mq_}
        # Declines programs that promise nothing.
        [ "$file" = hash.so ] || echo "${file%.so}"
    done
}

# Files of the project, of the given name patterns.
files() {
    git ls-files --cached --others --exclude-standard "$@"
}

shell_scripts() {
    files '*' | while read -r file; do
        if [ -f "$file" ] && head -n 1 "$file" | grep -aq '^#!/bin/\(ba\)\?sh'
        then
            echo "$file"
        fi
    done
    echo contrib/env.sh.in
    echo contrib/completion/mq_replay
    echo contrib/completion/mq_report
    echo contrib/completion/mq_who
}

# In a --turn only what was changed since all were formatted.
c_files() {
    if [ -n "${TAP_TURN-}" ] && base=$(turn_base style) &&
        git diff --quiet "$base" -- .clang-format; then
        git diff --name-only --diff-filter=d "$base" -- '*.c' '*.h'
    else
        files '*.c' '*.h'
    fi
}

# Only their names: `clang-format -i FILE` puts them right.
clang_format() {
    # shellcheck disable=SC2016 # for the shells that it starts
    c_files | xargs -P "$jobs" -n 40 sh -c '
        status=0
        for file; do
            if ! clang-format "$file" | cmp -s - "$file"; then
                echo "clang-format -i $file"
                status=1
            fi
        done
        exit $status' sh
}

# Likewise.
shell_check() {
    if [ -n "${TAP_TURN-}" ] && base=$(turn_base style); then
        shell_scripts | while read -r file; do
            git diff --quiet "$base" -- "$file" || echo "$file"
        done
    else
        shell_scripts
    fi | xargs -r -P "$jobs" -n 12 shellcheck -x -S warning
}

man_pages() {
    complaints=$(for page in docs/man/*.[1-8]; do
        groff -man -t -ww -z -Tutf8 "$page" 2>&1
    done)
    echo "$complaints"
    [ -z "$complaints" ]
}

# Every file says under which licence it is; tables of figures have no comments.
licences() {
    files '*' ':!*.csv' ':!LICENSE' | while read -r file; do
        [ ! -f "$file" ] ||
            grep -q 'SPDX-License-Identifier: BSD-3-Clause' "$file" ||
            echo "$file has no line SPDX-License-Identifier: BSD-3-Clause"
    done >_check/licences
    cat _check/licences
    [ ! -s _check/licences ]
}

# Programs that `make check` would not build, nor run.
unlisted_tests() {
    git ls-files 'test/*.c' | while read -r file; do
        folder=$(dirname "$file")
        until [ -f "$folder/Makefile.am" ]; do
            folder=$(dirname "$folder")
        done
        name=${file#"$folder/"}
        [ "$folder" = test ] ||
            grep -qw "${name%.c}" "$folder/Makefile.am" ||
            echo "$folder/Makefile.am does not name $name"
    done >_check/unlisted
    cat _check/unlisted
    [ ! -s _check/unlisted ]
}

# Threads of others read the environment at any time: record 201.
environment_stays() {
    ! grep -rnwE 'setenv|unsetenv|putenv|clearenv|opal_setenv' ompi/mca \
        --include='*.[ch]' --exclude='environ.[ch]'
}

# Folders of components; where the header has no plan, it is one circle-free
# room.
layers_of_components() {
    status=0
    for folder in ompi/mca/mq/*/; do
        header=${folder}mq_$(basename "$folder").h
        case $folder in
        */base/) continue ;;
        esac
        grep -q 'Plan\.' "$header" || header=-
        contrib/check.d/layers "$header" "$folder" || status=1
    done
    return $status
}

# A matter of those who change the tree, with the tools of Debian 12: releases,
# and copies for other series, are as they are.
stage_style() {
    if [ ! -e .git ]; then
        skipped 'this is not a git checkout'
        return
    fi
    # Each version has a taste of its own: that of Debian 12 is the one.
    version=$(clang-format --version)
    case $version in
    *'version 14.'*)
        try 'C files are formatted as .clang-format says' clang_format
        ;;
    *)
        skipped "formatting is that of clang-format 14, this is $version"
        ;;
    esac
    try 'shellcheck has no complaints' shell_check
    try 'groff has no complaints about the man pages' man_pages
    try 'each file states its licence' licences
    try 'make check knows every test' unlisted_tests
    try 'one file changes the environment' environment_stays
    try 'the check of layers finds what is wrong' contrib/check.d/layers \
        --self-test
    try 'mq/base is as its plan says' contrib/check.d/layers \
        ompi/mca/mq/base/base.h ompi/mca/mq/base
    try 'the mq components have no circles but those of their plans' layers_of_components
    try 'champion is as its plan says' contrib/check.d/layers \
        ompi/mca/pml/champion/core/champion.h ompi/mca/pml/champion
    try 'mq_replay is as its plan says' contrib/check.d/layers \
        ompi/tools/mq_replay/mq_replay.c ompi/tools/mq_replay
    try 'decisions have numbers, parts and index lines' contrib/check.d/decisions
    try 'links in documents lead to files and headings' contrib/check.d/links
    try 'tables of figures are as their data say' contrib/figures --check
    try 'tables of known data, and what contrib/figures refuses' \
        test/bench/test_figures
}

stage_runners() {
    counted 'what runs the tests' test/lib/selftest
    try 'what is slower than before, by made-up rounds' test/bench/test_speed
    counted 'how clients are judged' test/clients/selftest
}

stage_units() {
    counted 'unit tests' test/lib/units _build
}

stage_configure() {
    counted 'configure' test/house/configure
    counted 'autogen.pl --graft' test/house/graft
}

stage_install() {
    counted 'installing' test/house/install
}

stage_env() {
    counted 'env.sh' test/house/env
}

# In a folder of its own: _build has the options of developers. Compiled as stage
# install does.
distcheck() {
    rm -rf _check/dist
    mkdir -p _check/dist _check/home &&
        cd _check/dist &&
        HOME=$top/_check/home &&
        export HOME &&
        ../../configure -q CFLAGS=-O1 &&
        make -j "$jobs" distcheck DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O1 &&
        [ -z "$(ls -A "$HOME")" ]
}

stage_distcheck() {
    # In a subshell: it changes folder and HOME.
    try 'make distcheck, which leaves the home folder alone' in_subshell \
        distcheck
}

in_subshell() {
    ("$@")
}

stage_release() {
    counted 'release' test/house/release
}

stage_modules() {
    counted 'modules and completion' test/house/modules
}

stage_ompi_info() {
    counted 'ompi_info' test/house/ompi_info
}

stage_bad_input() {
    counted 'bad input' test/house/bad_input
    counted 'surroundings' test/house/surroundings
    counted 'loading' test/house/loading
}

stage_debugger() {
    counted 'debugger' test/house/debugger
}

stage_mq_who() {
    counted 'mq_who' test/tools/mq_who
}

stage_examples() {
    counted 'examples' test/house/examples
}

stage_replay() {
    try "auto: the tree is what train makes of sweep.csv" \
        "$top/ompi/mca/mq/auto/train" --check
    counted 'mq_replay' test/tools/mq_replay
}

stage_report() {
    counted 'mq_report' test/tools/mq_report
}

# contrib/check --turn runs a third of the rows: with list and two ranks one in stage
# mpi, another late, another under sanitizers.
mpi() { # WHAT ARGUMENT...
    what=$1
    shift
    counted "$what" test/mpi/run --build --bin _check/mpi --jobs "$jobs" \
        --turns all ${lean:+--np 2} "$@"
}

stage_profile() {
    counted 'profiles' test/house/profile
}

stage_stats() {
    counted 'statistics' test/house/stats
}

# What a component cannot do without.
needs() {
    case $1 in
    kmeans | partner_static)
        echo "--mca mq_$1_profile $top/test/house/any.profile"
        ;;
    esac
}

# What list has shown need not be shown by all again, to spare time: what is
# UCX's or Open MPI's, and takes long; other numbers of ranks. All of it:
# test/mpi/run --mq NAME.
not_again='--exclude ucx --exclude partings --exclude spawned_processes
    --exclude split_elements --exclude private_memory --exclude hangs_are_named'

# What a component can have its own way in: orders, wildcards, probes, cancelled
# receives, communicators that come and go, long queues.
matches_much='--np 2 --exclude ucx --filter random_matching --filter deep
    --filter probes --filter receive_cancel --filter communicator_life_cycle
    --filter flood'

# The PML is the same for all. indexed is the default, which stage hosts has with 4
# ranks; auto changes components while a program runs; partner_dynamic, in stage
# mpi_tiny, has a queue for each partner and moves entries. Of the others each call
# is held against the model by unit tests.
spared() {
    case $1 in
    list) echo '--turns plain' ;;
    indexed | auto) echo "$not_again --np 2" ;;
    *)
        echo "$matches_much --filter component_changes --filter crowd" \
            "--filter completion_calls --filter messages_do_not_overtake"
        ;;
    esac
}

stage_mpi() {
    for name in $(components); do
        # shellcheck disable=SC2046 # a list of words
        mpi "$name" --mq "$name" $(needs "$name") $(spared "$name")
    done
    # What two ranks cannot show.
    [ -z "$lean" ] || counted 'list, more ranks' test/mpi/run --build \
        --bin _check/mpi --jobs "$jobs" --turns all --mq list --more-than 2
    # These use no wildcard.
    [ -n "$lean" ] || mpi 'hash, with promises' --mq hash --np 2 \
        --mca mq_base_assert no_any_source,no_any_tag --exclude ucx \
        --filter noncontiguous_datatypes --filter completion_calls \
        --filter 'finalize_with_pending sends' \
        --filter 'finalize_with_pending crossing' --filter crowd \
        --filter 'receive_offload window' --filter 'receive_offload mix'
}

# tiny COMPONENT PARAMETER VALUE...: what matches much, with these values.
tiny() {
    name=$1
    shift
    what="$name, $*"
    settings=
    while [ $# -gt 0 ]; do
        settings="$settings --mca mq_${name}_$1 $2"
        shift 2
    done
    # shellcheck disable=SC2086 # lists of words
    mpi "$what" --mq "$name" $settings $matches_much
}

stage_mpi_tiny() {
    # With 4 ranks: more partners than one.
    # shellcheck disable=SC2086 # a list of words
    mpi 'partner_dynamic, threshold 2' --mq partner_dynamic \
        --mca mq_partner_dynamic_threshold 2 $not_again --np 4
    tiny indexed small 0 keep 0
    tiny adaptive threshold 1 window 2
    tiny auto interval 4 test_moves 1
    tiny bin count 1
    tiny fourd min_size 1 reuse 1
    tiny fuzzy width scalar
    # No communicator has a component or promises of its own then.
    # shellcheck disable=SC2086 # a list of words
    mpi 'list, one domain per process' --mq list \
        --mca mq_base_scope process --np 2 $not_again \
        --exclude 'component_changes*' --exclude 'broken_promises*' \
        --exclude 'overtaking*' --exclude 'sessions*--hints'
    # shellcheck disable=SC2086 # a list of words
    mpi 'source_array, one domain per process' --mq source_array \
        --mca mq_base_scope process $matches_much
}

stage_mpi_late() {
    # Offload has rows of its own for that. More ranks only where it may matter
    # who of several is late. Rows that say themselves how late, or whether there
    # is a thread, have run in stage mpi. A message is late by a number of looks,
    # which rare_tests counts.
    mpi 'list, messages late and out of order' --mq list --np 2 --turns late \
        --mca pml_champion_test_delay 50 --exclude offload \
        --exclude rare_tests --exclude neighbours --exclude '* pml_champion_test_delay=*'
    mpi 'list, messages late and out of order, 4 ranks' --mq list --np 4 \
        --mca pml_champion_test_delay 50 --filter random_matching \
        --filter probes --filter collectives --filter split_elements \
        --filter messages_do_not_overtake --filter communicator_life_cycle \
        --filter overtaking --filter receive_cancel
    # shellcheck disable=SC2086 # a list of words
    mpi 'partner_dynamic, threshold 2, messages late and out of order' \
        --mq partner_dynamic --mca mq_partner_dynamic_threshold 2 \
        --mca pml_champion_test_delay 50 $matches_much
    # A thread that looks up as often as it can gets into everything's way. Rows
    # of offload count on ways that messages do not always take beside it; where no
    # file can be opened, one that it closes leaves room for another; who copies how
    # much of a message between two tests is chance.
    mpi 'list, progress thread' --mq list --turns late --mca pml_champion_progress_thread on \
        --mca pml_champion_thread_interval 1 --np 2 --exclude offload \
        --exclude auto --exclude neighbours --exclude rare_tests \
        --exclude '* pml_champion_progress_thread=*' --exclude '*--limit nofile*'
}

# On Open MPI 5.0: contrib/series 5.0 CHECK --lean neighbours
stage_neighbours() {
    mpi 'list, 4 ranks' --mq list --np 4 --filter neighbours
}

# More and others: test/mpi/odd --bin _check/mpi --seed random --count 1000
stage_odd() {
    counted 'random parameters' test/mpi/odd --build \
        --bin _check/mpi --count 60 --jobs "$jobs"
}

# Every payload is verified by the programs themselves.
bench_queues() {
    test/bench/compare --quick --rounds 1 --baselines ucx \
        --cases 'q_*_1,q_*_256' --json _check/bench/queues.json \
        --csv _check/bench/docs/performance/data/queues.csv
}

# From the benchmarks to the pages.
bench_tables() {
    test/bench/alternate --rounds 1 \
        --csv _check/bench/docs/performance/data/flood.csv -- \
        backlog --count 10000 --seconds 0.1 -- p2p window --seconds 0.05 -- \
        waits begin:0:30 exchange:0:20 token:1:2 alltoall1k:0:5 idle:10 &&
        printf '<!-- table: %s -->\n<!-- end -->\n' 'queues sizes *' \
            'flood rows *' >_check/bench/docs/performance.md &&
        contrib/figures --top _check/bench &&
        grep '^| .pingpong_behind.: .* | us | [0-9.]* (' \
            _check/bench/docs/performance.md &&
        grep '^| windows of 64 .* | us | [0-9.]* | [0-9.]* | [0-9.]* |' \
            _check/bench/docs/performance.md &&
        grep '^| 2 ranks: all wait for one .*CPU time' \
            _check/bench/docs/performance.md
}

# bench_page MARK PATTERN: the table of that mark has a row like this.
bench_page() {
    printf '<!-- table: %s -->\n<!-- end -->\n' "$1" \
        >_check/bench/docs/performance.md &&
        contrib/figures --top _check/bench &&
        grep "$2" _check/bench/docs/performance.md
}

# Every message is verified by the program itself. More peers than rings.
bench_peers() {
    test/bench/instructions_peers --peers 2,17 --rounds 1 --blocks 1 \
        --csv _check/bench/docs/performance/data/instructions_peers.csv &&
        bench_page 'instructions_peers rows *' \
            '^| 17 peers | instructions | [0-9.]* | [0-9.]* | [0-9.]* |  | '
}

bench_start() {
    test/bench/start --np 1,2 --rounds 1 \
        --csv _check/bench/docs/performance/data/start.csv &&
        bench_page 'start rows *' \
            '^| 2 ranks | ms | [0-9.]* | [0-9.]* | [0-9.]* | '
}

bench_scale() {
    test/bench/scale match --pattern alltoall --ranks 64 \
        --component indexed,list \
        --csv _check/bench/docs/performance/data/scale_alltoall.csv &&
        bench_page 'scale_alltoall rows alltoall_longest' \
            '^| alltoall: longest queue, 64 ranks | entries | 63 | 63 |'
}

bench_overlap() {
    test/bench/compare --quick --rounds 1 --baselines ucx --cases overlap
}

bench_draws() {
    test/bench/compare --load _check/bench/queues.json \
        --plot _check/bench/figures &&
        [ "$(find _check/bench/figures -name '*.svg' -size +4k | wc -l)" \
            -eq 12 ]
}

# Each byte is verified as those of messages are.
bench_limit() {
    test/bench/compare --quick --rounds 1 --baselines limit \
        --cases 'pingpong8,window8,q_window_16,bw_send_16k' \
        --lock "flock _check/bench/lock" \
        --csv _check/bench/docs/performance/data/rivals.csv &&
        bench_page 'rivals rows * @limit,champion' \
            '^| stream of MPI_Send, 16 KiB | MB/s | [0-9.]* ([0-9.]*) | [0-9.]* |'
}

# Over the UCX that was built, not that of the system: compare itself looks.
bench_over_release() {
    test/bench/ucx_release &&
        test/bench/compare --quick --rounds 1 --cases pingpong8,tcp_pingpong8 \
            --baselines ucx,champion_release,ucx_release \
            --csv _check/bench/docs/performance/data/rivals.csv &&
        bench_page 'rivals rows pingpong' 'pml/ucx. | champion / better | '
}

# A run under which a queue is too slow must end in time, and say so.
bench_gives_up() {
    for name in any_source_posted unexpected_any_source; do
        test/bench/compare --quick --rounds 1 --mq list --baselines '' \
            --budget 0.05 --cases "q_${name}_16384,q_${name}_65536" \
            --timeout 60 --json _check/bench/slow.json &&
            grep -q '"too_slow": true' _check/bench/slow.json &&
            grep -q '"verified": true' _check/bench/slow.json || return 1
    done
}

# refused WORDS COMMAND...: it fails and says these words.
refused() {
    words=$1
    shift
    if "$@" >_check/bench/refused 2>&1; then
        echo "no error: $*"
        return 1
    fi
    cat _check/bench/refused
    grep -q -e "$words" _check/bench/refused
}

stage_bench() {
    rm -rf _check/bench
    mkdir -p _check/bench
    try 'every case of queues at depth 1 and 256, champion and pml/ucx' \
        bench_queues
    try 'every case of overlap, champion and pml/ucx' bench_overlap
    try 'the figures of all cases become tables' bench_tables
    try 'the figures of all cases are drawn' bench_draws
    try 'a queue that is too slow is given up' bench_gives_up
    try 'what memory alone allows becomes a column' bench_limit
    try 'instructions of a rank with 2 and 17 peers become a table' bench_peers
    try 'the start of 1 and 2 ranks becomes a table' bench_start
    try 'the longest queue of 64 ranks becomes a table' bench_scale
    try 'a number of peers that makes no sense is refused' refused \
        "'2x' is no number from 1 to 200" \
        test/bench/instructions_peers --peers 16,2x
    try 'a number of ranks that makes no sense is refused' refused \
        "'0' is no number from 1 to 1024" test/bench/start --np 0
    try 'a PML that is none is refused' refused \
        "the PML 'cm' is none of champion, ucx, ob1" test/bench/start --run cm
    try 'a baseline that is none is refused' refused \
        "the PML 'cm' is none of champion, ucx, ob1, champion_release" \
        test/bench/compare --baselines cm
    try 'a lock that runs nothing is refused' refused "lock 'false' runs nothing" \
        test/bench/compare --cases pingpong8 --lock false
    try 'an unknown case is refused' refused "no case 'q_nothing'" \
        test/bench/compare --cases q_nothing
    echo '{}' >_check/bench/empty.json
    try 'a file that --json has not written is refused' refused 'cannot use' \
        test/bench/compare --load _check/bench/empty.json
    for arguments in '--case window --depth 0' '--case nothing --depth 1' \
        '--case window --depth 4x' '--case window --seconds nan'; do
        # shellcheck disable=SC2086 # a list of words
        try "queues $arguments is refused" refused 'usage: mpirun' \
            mpirun -np 2 _build/bench/queues $arguments
    done
}

# What changes a figure by more than 1 % changes the table in the same commit.
stage_instructions() {
    counted 'instructions' test/bench/instructions --gate
}

stage_bench_release() {
    mkdir -p _check/bench
    try 'champion and pml/ucx over UCX without assertions become columns' \
        bench_over_release
}

stage_side_by_side() {
    counted 'side by side' test/side_by_side/run --build --bin _check/side \
        --jobs "$jobs"
}

stage_faults() {
    counted 'faults' test/faults/run --build --bin _check/faults \
        --jobs "$jobs"
}

# One at a time: there are far more processes than cores.
many_ranks() {
    test/mpi/run --build --bin _check/mpi --table many --timeout 400 "$@"
}

stage_many_ranks() {
    counted 'on one node' many_ranks
}

stage_many_ranks_long() {
    counted 'on one node' many_ranks --filter long
}

# Each with a seed of its own, which it prints; then what else is random.
stage_soak() {
    counted 'memory and descriptors' test/mpi/run --build --bin _check/mpi \
        --table soak --mq indexed --seed random --timeout \
        $((60 * ${SOAK_MINUTES:-60} + 600))
    mpi 'random programs' --mq indexed --seed random --filter 'random_*'
    counted 'random parameters' test/mpi/odd --build --bin _check/mpi \
        --seed "$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')" --count 90 \
        --jobs "$jobs"
}

stage_hosts() {
    if reason=$(test/netns/hosts true); then
        # These hosts, too, are their own; half of the time a rank is stopped.
        run_aside counted 'faults over 2 hosts' test/netns/hosts --hosts 2 \
            test/faults/run --build --bin _check/faults
        counted 'test/netns/hosts' test/netns/check
        counted 'MPI programs over 2 hosts' test/netns/hosts --hosts 2 \
            test/mpi/run --build --bin _check/mpi --table hosts --turns all
        join_aside
        counted 'MPI programs over 4 hosts' test/netns/hosts --hosts 4 \
            test/mpi/run --build --bin _check/mpi --table hosts --np 4 --turns all
        counted 'a process on each of 4 hosts' test/netns/hosts --hosts 4 \
            test/mpi/run --build --bin _check/mpi --table hosts --np 4 \
            --filter spread --turns all
        counted 'a slow link' test/netns/hosts --hosts 2 --rate 100mbit \
            test/mpi/run --build --bin _check/mpi --table flows
    else
        counted 'test/netns/hosts' test/netns/check
        skipped "${reason#SKIP: }"
    fi
}

# Takes fifteen minutes, on a machine that does nothing else.
stage_speed() {
    mkdir -p _check/speed
    try 'nothing is slower than it was' test/bench/speed \
        --json _check/speed/figures.json
}

# Takes two minutes; times are told, not judged.
stage_sweep() {
    if reason=$(test/netns/hosts true); then
        counted 'patterns over 2 hosts' test/bench/sweep --tap
    else
        skipped "${reason#SKIP: }"
    fi
}

# Takes two minutes.
stage_bad_links() {
    counted 'bad links' test/netns/bad_links
}

stage_mpi4py() {
    counted 'mpi4py' test/mpi4py/run
    # Its own tests, where the archive has the sources.
    counted "mpi4py's own tests" test/clients/run --client mpi4py --np '1 2' \
        --pml 'ob1 champion'
}

sanitized_build() {
    once sanitized contrib/setup --in _check/sanitized \
        --enable-sanitizers=address,undefined CFLAGS='-O1 -g'
}

# What goes on inside Open MPI, UCX and mpirun is not ours: their leaks are not
# looked for. Unit tests do look.
sanitizer_options='detect_stack_use_after_return=0:abort_on_error=0'

# With the programs that `make check` compiles.
ahead_sanitized_units() {
    sanitized_build &&
        once sanitized_units make -k -C _check/sanitized/build -j "$jobs" check TESTS=
}

ahead_sanitized_mpi() {
    sanitized_build
}

stage_sanitized_units() {
    needed 'the build' sanitized_build
    counted 'unit tests' test/lib/units _check/sanitized/build \
        ASAN_OPTIONS="$sanitizer_options" UBSAN_OPTIONS=print_stacktrace=1
}

# in_sanitized FOLDER CFLAGS TEST...: programs and plug-ins are both built with
# the sanitizers, so that nothing needs to be preloaded. They are in the way of
# Open MPI's patcher, which writes over functions of the C library that are the
# sanitizer's by then, and of PMIx, which wants shared memory at addresses that are
# the sanitizer's: from 5.0 on, and always those of ThreadSanitizer.
in_sanitized() (
    folder=$top/$1
    CFLAGS=$2
    shift 2
    if [ -z "${TAP_LIST-}" ]; then
        # shellcheck source=contrib/env.sh.in
        . "$folder/install/env.sh" || exit 1
    fi
    export CFLAGS
    case $folder:$(mpirun --version) in
    */sanitized:*'Open MPI) 4.'*) ;;
    *)
        OMPI_MCA_memory=^patcher
        PMIX_MCA_gds="hash"
        export OMPI_MCA_memory PMIX_MCA_gds
        ;;
    esac
    test/mpi/run --build --bin "$folder/mpi" --jobs "$jobs" "$@"
)

sanitized_mpi() { # COMPONENT ARGUMENT...
    ASAN_OPTIONS=detect_leaks=0:$sanitizer_options
    UBSAN_OPTIONS=print_stacktrace=1
    export ASAN_OPTIONS UBSAN_OPTIONS
    in_sanitized _check/sanitized '-O1 -g -fsanitize=address,undefined
        -fno-sanitize-recover=undefined -fno-omit-frame-pointer' \
        --timeout 300 --turns all --mq "$@"
}

stage_sanitized_mpi() {
    needed 'the build' sanitized_build
    # The PML is the same for all: everything once is enough. Without what only
    # waits, or shows that another row can fail.
    counted 'list' sanitized_mpi list --np 2 \
        --turns sanitized --exclude '* --only idle*' \
        --exclude '* --only waiting*' --exclude '* --patience 1 *' \
        --exclude 'messages_to_self --threads*'
    # More ranks than rings.
    counted 'by FIFO' sanitized_mpi list --np 4 --filter fifo
    # Unit tests call each component under them.
    for name in auto indexed partner_dynamic; do
        # shellcheck disable=SC2086 # a list of words
        [ -n "$lean" ] || counted "what matches much, $name" \
            sanitized_mpi "$name" $matches_much
    done
}

thread_build() {
    once tsan contrib/setup --in _check/tsan --enable-sanitizers=thread CFLAGS='-O1 -g'
}

ahead_threads() {
    thread_build
}

# The hooks on the release of memory run when a thread has ended for
# ThreadSanitizer already: without them.
under_thread_sanitizer() {
    TSAN_OPTIONS="suppressions=$top/test/mpi/lib/tsan.supp history_size=7"
    TSAN_OPTIONS="$TSAN_OPTIONS ignore_noninstrumented_modules=1"
    UCX_MEM_EVENTS=n
    export TSAN_OPTIONS UCX_MEM_EVENTS
    in_sanitized _check/tsan '-O1 -g -fsanitize=thread' --timeout 600 \
        --table threads --jobs 1
}

stage_threads() {
    needed 'the build' thread_build
    counted 'ThreadSanitizer' under_thread_sanitizer
}

stage_lammps() {
    counted 'contrib/demo with stand-ins' test/house/demo
    try 'contrib/demo --quick --mq all --ranks 4' contrib/demo --quick --mq all \
        --ranks 4
}

stage_mpich() {
    counted 'list' test/mpich/run --jobs "$jobs" --mq list \
        --dirs 'pt2pt comm init' --skip-known
}

# What was built here, to be refused there. It may find its own Open MPI there,
# too: without that it could not even be loaded.
other_series() { # SERIES
    other=.cache/series/$1/champion/_check/other_series
    rm -rf "$other"
    mkdir -p "$other/libs"
    cp -a _install "$other/install"
    ldd _install/lib/openmpi/libchampion_mq.so |
        awk '/libopen-pal/ { print $3 }' |
        xargs -I '{}' cp -L '{}' "$other/libs"
}

# The series that this system's Open MPI is not of; see there.
series() {
    case $(mpirun --version) in
    *"Open MPI) $1."*)
        skipped "this is Open MPI $1"
        return
        ;;
    esac
    if [ "$(id -u)" -ne 0 ]; then
        skipped "only root can make another system's folder"
        return
    fi
    counted "Open MPI $1" in_series "$1"
    # Where this system allows it, it is there by now.
    [ ! -d ".cache/series/$1/tmp" ] ||
        try "Open MPI $1: nothing of one run is in /tmp of the next" \
            fresh_tmp "$1"
}

fresh_tmp() { # SERIES
    contrib/series "$1" SHELL touch /tmp/left &&
        [ -e ".cache/series/$1/tmp/left" ] &&
        contrib/series "$1" SHELL test ! -e /tmp/left
}

# What there is to run is the same here.
in_series() { # SERIES
    set -- "$1" --tap --lean units ompi_info bad_input mq_who examples mpi
    [ "$1" = 5.0 ] || set -- "$@" neighbours
    if [ -n "${TAP_LIST-}" ]; then
        shift
        contrib/check "$@"
        return
    fi
    status=0
    contrib/series "$1" SHELL true >_check/series 2>&1 || status=$?
    sed 's/^/# /' _check/series
    case $status in
    0)
        other_series "$1"
        wanted=$1
        shift
        contrib/series "$wanted" CHECK "$@"
        ;;
    77)
        no_row "$(tail -n 1 _check/series)"
        ;;
    *) return $status ;;
    esac
}

# Where there is none to be, the stage says so.
ahead_series() {
    case $(mpirun --version) in
    *'Open MPI) 5.0.'*) ;;
    *) contrib/series 5.0 SHELL contrib/setup --lean ;;
    esac
}

stage_series() {
    series 5.0
}

stage_series_6_0() {
    series 6.0
}

stage_browser() {
    needed 'contrib/setup --browser' contrib/setup --browser
    counted 'mq_report in a browser' test/tools/mq_report --browser
}

# Takes long: see there.
stage_graft() {
    if ! contrib/archive >/dev/null; then
        skipped 'no Debian archive among the sources of apt'
        return
    fi
    counted 'in-tree builds' test/graft
}

# Makes its Open MPI, if it is not there yet.
stage_cuda() {
    if ! contrib/archive >/dev/null; then
        skipped 'no Debian archive among the sources of apt'
        return
    fi
    counted 'Open MPI 4.1 with CUDA' test/cuda
}

# Makes a Debian for each, if it is not there yet.
stage_packages() {
    needed 'contrib/setup --debian' contrib/setup --debian
    counted 'packages' test/house/packages
}

# Slurm's daemons are this test's own; what was installed stays.
stage_slurm() {
    needed 'contrib/setup --slurm' contrib/setup --slurm
    counted 'Slurm' test/house/slurm
}

# Takes half an hour.
stage_clients() {
    needed 'contrib/setup --clients' contrib/setup --clients
    counted 'programs of others' test/clients/run
}
