#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What bankwise-launches.so writes of a program's launches, on a driver and a runtime that are stand-ins.
#
#     launches.sh LIBRARY FOLDER COMPILER…
set -u
library=$1 sources=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failed=0

check() { # NAME EXPECTED FOUND
    number=$((number + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $number - $1"
    else
        failed=1
        echo "not ok $number - $1"
        printf '%s\n' "expected:" "$2" "found:" "$3" | sed 's/^/# /'
    fi
}

# The runtime's own calls stay within it, as in NVIDIA's.
"$@" -shared -fPIC -Wl,-Bsymbolic -o "$work/libcuda.so.1" "$sources/pretend_cuda.c" &&
    cp "$work/libcuda.so.1" "$work/libpretend.so" &&
    "$@" -o "$work/program" "$sources/pretend_program.c" "$work/libpretend.so" -Wl,-rpath,"$work" || exit 1

launched="launched 1: 4 2 1, 32 8 1, 512
launched 1: 4 2 1, 32 8 1, 512
launched 1: 4 2 1, 32 8 1, 512
launched 0: 1 1 1, 64 1 1, 0"

# run NAME=VALUE… : what the program prints
run() {
    env "$@" LD_PRELOAD="$library" LD_LIBRARY_PATH="$work" "$work/program" 2>"$work/errors"
}

launch="launch _Z5probePfii grid 4 2 1 block 32 8 1 shared 512
arg 0 offset 0 size 8 hex 10100000007f0000
pointer 0 at 0 buffer NUMBER plus 16 size 64 file FILE
arg 1 offset 8 size 4 hex 00100000
arg 2 offset 12 size 4 hex ffffffff"
other="launch other grid 1 1 1 block 64 1 1 shared 0"

expect_list() { # the list, with the buffers' numbers and files put in
    echo "# bankwise launches 1"
    for buffer in "$@"; do
        echo "$launch" | sed "s/NUMBER/${buffer%%:*}/; s/FILE/${buffer#*:}/"
    done
    echo "$other"
}

check "the program runs as it does alone" "$launched" "$(run BANKWISE_LAUNCHES=)"
mkdir "$work/first" "$work/all" "$work/small"
check "and while launches are written" "$launched" "$(run BANKWISE_LAUNCHES="$work/first")"
check "the first launch of each kernel" "$(expect_list 0:buffer00000.bin)" "$(cat "$work/first/launches.txt")"
check "the buffer's bytes" "$(printf '%064d' 0 | tr 0 b)" "$(cat "$work/first/buffer00000.bin")"
run BANKWISE_LAUNCHES="$work/all" BANKWISE_LAUNCHES_EACH=0 >/dev/null
check "all launches" "$(expect_list 0:buffer00000.bin 1:buffer00001.bin 2:buffer00002.bin)" \
    "$(cat "$work/all/launches.txt")"
run BANKWISE_LAUNCHES="$work/small" BANKWISE_LAUNCHES_BYTES=63 >/dev/null
check "buffers too large to keep" "$(expect_list 0:-)" "$(cat "$work/small/launches.txt")"
check "a folder that is not there: the program runs on" "$launched" "$(run BANKWISE_LAUNCHES="$work/none")"
check "and it is said once" "bankwise-launches: error: cannot write $work/none/launches.txt: no launches are written" \
    "$(cat "$work/errors")"
check "a number that is none" "bankwise-launches: error: not a number: BANKWISE_LAUNCHES_EACH: no launches are written" \
    "$(run BANKWISE_LAUNCHES="$work/first" BANKWISE_LAUNCHES_EACH=x >/dev/null; cat "$work/errors")"
echo "1..$number"
exit $failed
