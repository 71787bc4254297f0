#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# tools/gather refuses bad usage, and passes on that there is no card.
set -u
gather=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
echo 1..8
expect() { # CODE WHAT COMMAND...
    code=$1 what=$2 n=$((n + 1))
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" -eq "$code" ] && echo "ok $n - $what" || echo "not ok $n - $what: exit code $got"
}
printf '#!/bin/sh\necho "skipped: no card" >&2\nexit 77\n' >"$work/cardless"
chmod +x "$work/cardless"
expect 0 "help" "$gather" -h
expect 2 "an argument too many" "$gather" more
expect 2 "no such folder" "$gather" -o "$work/nowhere"
expect 2 "no such program" "$gather" -o "$work" -p "$work/nothing"
mkdir "$work/bin"
for name in meson ninja; do
    printf '#!/bin/sh\necho "ERROR: no compiler here"\nexit 1\n' >"$work/bin/$name"
    chmod +x "$work/bin/$name"
done
expect 3 "a build that fails" env PATH="$work/bin:$PATH" "$gather" -o "$work" -b "$work/build"
n=$((n + 1))
grep -q "meson failed: ERROR: no compiler here" "$work/err" &&
    echo "ok $n - says why" || echo "not ok $n - does not say why"
if [ "$(id -u)" -eq 0 ]; then
    n=$((n + 1))
    echo "ok $n - a folder that cannot be written # SKIP root may write anywhere"
else
    mkdir -m 555 "$work/closed"
    expect 2 "a folder that cannot be written" "$gather" -o "$work/closed"
fi
expect 77 "no card" "$gather" -o "$work" -p "$work/cardless"
