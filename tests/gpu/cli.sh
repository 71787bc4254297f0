#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# bankwise-gpu's exit codes and messages where there is no card (CUDA is told to hide any).
set -u
program=$1
export CUDA_VISIBLE_DEVICES=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
expect() { # CODE STREAM PATTERN COMMAND...: exit code, and a line that out or err must have
    code=$1 stream=$2 pattern=$3 n=$((n + 1))
    shift 3
    "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    if [ "$got" -ne "$code" ]; then
        echo "not ok $n - $*: exit code $got, not $code"
    elif ! grep -q -e "$pattern" "$work/$stream"; then
        echo "not ok $n - $*: no '$pattern' in std$stream"
    elif [ "$code" -ge 2 ] && [ "$(wc -l <"$work/err")" -gt 2 ] && [ $# -gt 0 ]; then
        echo "not ok $n - $*: more than one line of message"
    else
        echo "ok $n - $*"
    fi
}
lanes=$(seq -s, 0 4 124)
header="op,active,$(seq -s, -f a%g 0 31)"
stream() { # NAME ROW...
    name=$1
    shift
    { echo "$header"; for row in "$@"; do echo "$row"; done; } >"$work/$name"
}
stream good "ld.32,ffffffff,$lanes"
stream odd "ld.64,ffffffff,$lanes"
stream idle "ld.32,0,$lanes"
stream rows "ldmatrix.x4,000000ff,$(seq -s, 0 16 496)"
stream unknown "ld.33,ffffffff,$lanes"
stream empty

expect 0 out "usage: bankwise-gpu" --help
expect 0 out "bankwise-gpu [0-9]" --version
expect 2 err "usage: bankwise-gpu"
expect 2 err "unknown subcommand 'walk'" walk
for subcommand in run fuzz probe opcodes info; do
    expect 0 out "usage: bankwise-gpu $subcommand" $subcommand --help
    expect 2 err "unknown option '--bogus'" $subcommand --bogus
done
expect 77 err "skipped:" info
expect 2 err "wants one of text|json" info --format xml
expect 2 err "text only" info --sass --format json
expect 2 err "takes no argument" info more
expect 77 err "skipped:" run "$work/good"
expect 2 err "cannot read" run "$work/nothing"
expect 2 err "odd:2: a1 is 4, no multiple of 8" run "$work/odd"
expect 2 err "idle:2: no lane takes part" run "$work/idle"
expect 2 err "standard input:1: no header" run -
expect 2 err "rows:2: ldmatrix.x4 needs lanes 0 to 31" run "$work/rows"
expect 2 err "unknown:2" run "$work/unknown"
expect 2 err "no requests" run "$work/empty"
expect 2 err "--warps wants" run --warps 0 "$work/good"
expect 2 err "--warps wants" run --warps 33 "$work/good"
expect 2 err "--repeat wants" run --repeat x "$work/good"
expect 2 err "one file at a time" run "$work/good" "$work/good"
expect 2 err "cannot write $work/none/out" run "$work/good" -o "$work/none/out"
expect 2 err "cannot write $work/none/out" fuzz --op ld.32 --summary "$work/none/out"
expect 2 err "cannot write $work/none/out" probe winner -o "$work/none/out"
expect 77 err "skipped:" run "$work/good" -o "$work/good"
expect 77 err "skipped:" run "$work/good" -o "$work/out.csv"
expect 2 err "cannot read" run "$work/out.csv"
expect 77 err "skipped:" fuzz --op ld.32 --count 10
expect 2 err "which operations" fuzz
expect 2 err "no value for '--op'" fuzz --op
expect 2 err "unknown operation 'ld.33'" fuzz --op ld.32,ld.33
expect 2 err "does not count the wavefronts of cp.async.4" fuzz --op ld.8,cp.async.4
expect 2 err "unknown operation ''" fuzz --op '' --list
expect 2 err "unknown operation ''" fuzz --op ld.32, --list
expect 2 err "no value goes with '--list'" fuzz --list=yes
expect 2 err "unknown option '-x'" info -xh
expect 2 err "--count wants" fuzz --op ld.32 --count 0
expect 2 err "takes no file" fuzz --op ld.32 file
expect 0 out "^ld.32,[0-9a-f]*," fuzz --op ld.32 --list --count 3
expect 0 out "counters" probe --list
expect 2 err "which experiment" probe
expect 2 err "unknown experiment 'moon'" probe moon
expect 2 err "takes a file" probe counters
expect 2 err "takes no file" probe winner "$work/good"
expect 77 err "skipped:" probe winner
expect 2 err "wants a folder" opcodes
expect 2 err "cannot make the folder" opcodes "$work/none/out"
expect 77 err "skipped:" opcodes "$work/opcodes"

# A list is the same every time, and what it writes can be run.
n=$((n + 1))
"$program" fuzz --op all --list --count 2 --seed 4 >"$work/a"
"$program" fuzz --op all --list --count 2 --seed 4 >"$work/b"
cmp -s "$work/a" "$work/b" && echo "ok $n - lists repeat" || echo "not ok $n - lists repeat"
expect 77 err "skipped:" run "$work/a"
echo "1..$n"
