#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# tools/gather refuses bad usage, passes on that there is no card, and packs what it measures: here by
# a program that answers with what another archive holds.
#
# usage: gather.sh GATHER ARCHIVE ARCHIVE_TEST REPLAY
set -u
gather=$1 archive=$2 archive_test=$3 replay=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
echo 1..12
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

tar -C "$work" -xzf "$archive"
cat >"$work/pretended" <<'PROGRAM'
#!/bin/sh
box=$(dirname "$0")/bankwise-gather
command=$1 name=$2 out=
echo "$*" >>"$box.log"
while [ $# -gt 0 ]; do
    case $1 in
    -o | --summary) out=$2 ;;
    --list) listed=1 ;;
    --sass) sass=1 ;;
    --format) json=1 ;;
    esac
    shift
done
case $command in
--version) echo "bankwise-gpu 0.1.0" ;;
info) cat "$box/${sass:+sass.txt}${json:+info.json}$([ "${sass-}${json-}" ] || echo info.txt)" ;;
run) cp "$box/cycles.csv" "$out" ;;
fuzz) [ "${listed-}" ] && exit 0; cp "$box/fuzz.json" "$out"; echo "a mismatch"; exit 1 ;;
probe) [ "$name" = "${FAILS-}" ] && exit 3; cp "$box/$name.csv" "$out" ;;
esac
PROGRAM
chmod +x "$work/pretended"
mkdir "$work/here"
expect 0 "measures and packs, a mismatch or not" "$gather" -o "$work/here" -p "$work/pretended"
n=$((n + 1))
packed=$(echo "$work"/here/bankwise-sm_90-*.tar.gz)
sh "$archive_test" "$replay" "$packed" >"$work/out" 2>&1 && ! grep -q '^not ok' "$work/out" &&
    echo "ok $n - an archive as the test of archives wants it" || { echo "not ok $n - $packed"; sed 's/^/# /' "$work/out"; }
rm -f "$packed"
expect 3 "a probe that fails" env FAILS=zero "$gather" -o "$work/here" -p "$work/pretended"
n=$((n + 1))
grep -q "probe zero failed" "$work/err" && [ -z "$(ls "$work/here")" ] &&
    echo "ok $n - is said, and leaves no archive" || echo "not ok $n - a probe that fails"
