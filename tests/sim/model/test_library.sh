#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the library into an empty folder, builds a program against it by pkg-config, in C and
# (where there is a compiler) in C++, runs it, and looks at what the library exports.
#
# usage: test_library.sh BUILD_FOLDER PREFIX LIBDIR USER_PROGRAM.c MAP
set -u
build=$1 prefix=$2 libdir=$3 user=$4 map=$5
number=0 failed=0
command -v pkg-config >/dev/null || { echo "1..0 # SKIP no pkg-config"; exit 0; }
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT

# say RESULT NAME: one line of TAP; RESULT is an exit status.
say()
{
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        failed=1
        echo "not ok $number - $2"
    fi
}

# Runs a command; shows its output as comments if it fails.
quietly()
{
    "$@" >"$root/log" 2>&1 && return 0
    sed 's/^/# /' "$root/log"
    return 1
}

# How a program is built by someone who has only the installed files.
compile()
{
    # shellcheck disable=SC2046 # the flags are words
    quietly "$1" -Wall -Werror $2 -o "$root/$3" "$user" $(pkg-config --cflags --libs bankwise)
}

export PKG_CONFIG_PATH="$root$prefix/$libdir/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export LD_LIBRARY_PATH="$root$prefix/$libdir"

quietly meson install -C "$build" --no-rebuild --destdir "$root" --tags devel,runtime
say $? "installs"

quietly pkg-config --exists --print-errors bankwise
say $? "pkg-config knows it"

compile "${CC:-cc}" "-std=c11 -Wpedantic" c-program && quietly "$root/c-program"
say $? "a C program builds and runs"

if command -v "${CXX:-c++}" >/dev/null; then
    compile "${CXX:-c++}" "-x c++ -Wpedantic" cpp-program && quietly "$root/cpp-program"
    say $? "the same as C++"
else
    number=$((number + 1))
    echo "ok $number - the same as C++ # SKIP no C++ compiler"
fi

nm -D --defined-only "$root$prefix/$libdir/libbankwise.so" |
    awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$root/exported"
sed -n 's/^ *\(bw_[a-z_]*\);$/\1/p' "$map" | sort >"$root/public"
quietly diff "$root/public" "$root/exported"
say $? "exports what the headers declare, and no more"

nm --defined-only -g "$root$prefix/$libdir/libbankwise.a" 2>/dev/null | awk 'NF == 3 { print $3 }' |
    grep -v '^bw_' >"$root/foreign"
[ ! -s "$root/foreign" ]
say $? "has the prefix bw_ on every symbol"

# Pure by construction: nothing writable that threads could share, and nothing called but string
# functions and what the compiler itself needs.
size -A "$root$prefix/$libdir/libbankwise.a" |
    awk '$1 ~ /^\.t?(data|bss)$/ && $2 != 0 { print; bad = 1 } END { exit bad }' >"$root/state"
say $? "has no state"
nm -u "$root$prefix/$libdir/libbankwise.a" | awk 'NF == 2 && $1 == "U" { print $2 }' |
    grep -Ev '^(bw_|mem(cpy|cmp|set|move)$|bcmp$|str(cmp|len|cspn)$|__|_GLOBAL_OFFSET_TABLE_)' >"$root/called"
quietly diff /dev/null "$root/called"
say $? "does no input or output and allocates nothing"

echo "1..$number"
exit $failed
