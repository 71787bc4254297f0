#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An archive made by tools/gather holds what it should, and its recording agrees with the model.
set -u
replay=$1 archive=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 1..4
tar -C "$work" -xzf "$archive" && echo "ok 1 - unpacks" || echo "not ok 1 - unpacks"
box=$work/bankwise-gather
missing=
for file in MANIFEST info.txt info.json sass.txt cycles.csv fuzz.json ways.csv; do
    [ -s "$box/$file" ] || missing="$missing $file"
done
[ -z "$missing" ] && echo "ok 2 - complete" || echo "not ok 2 - missing:$missing"
# The manifest's checksums are those of the files.
if (cd "$box" && sed -n '/^files:/,$p' MANIFEST | tail -n +2 | while read -r sum size name; do
    [ "$(cksum "$name")" = "$sum $size $name" ] || exit 1
done); then echo "ok 3 - checksums"; else echo "not ok 3 - checksums"; fi
if "$replay" "$box/cycles.csv" | sed 's/^/# /'; then :; fi
"$replay" "$box/cycles.csv" >/dev/null && echo "ok 4 - replays" || echo "not ok 4 - replays"
