#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of public code gets a table: reruns launches.tsv over a folder that holds the files.

usage: rates.py BANKWISE FOLDER [--refusals] [--check]

FOLDER holds OWNER/NAME/PATH of each repository and file that launches.tsv names, at the commit that it
gives. A row is a file as it is (kernel '.'), a file with flags that the answer itself asked for ('*'),
or a kernel with shared memory and at most one --launch. What counts is a table: exit status 0 and a
row. --refusals counts the errors of the others by their identifier; --check is exit status 1 where a
row that says 'table' has none, or one of the others got one.
"""

import csv
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 8
KINDS = {".": "files as they are", "*": "files with flags that the answer asked for"}


def rows():
    with open(os.path.join(HERE, "launches.tsv"), newline="") as f:
        return list(csv.DictReader((line for line in f if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE))


def outcome(bankwise, folder, row):
    """'table', 'none' for a kernel without a launch, or the identifier of the first error."""
    if row["kernel"] not in KINDS and not row["flags"]:
        return "no-launch"
    path = os.path.join(folder, row["repository"], row["path"])
    if not os.path.exists(path):
        return "missing"
    try:
        done = subprocess.run([bankwise, "predict", "--color", "never", *shlex.split(row["flags"]), path],
                              capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "timeout"
    if done.returncode == 0:
        return "table" if done.stdout.strip() else "no-row"
    found = re.search(r": error: .*\[([\w-]+)\]$", done.stderr, re.M)
    return found[1] if found else f"status-{done.returncode}"


def main():
    bankwise, folder = sys.argv[1], sys.argv[2]
    table = rows()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda row: outcome(bankwise, folder, row), table))
    missing = sum(f == "missing" for f in found)
    if missing:
        print(f"{missing} rows without their file", file=sys.stderr)
    for kind, name in [*KINDS.items(), ("", "kernels with at most one launch")]:
        of = [f for row, f in zip(table, found) if (row["kernel"] if row["kernel"] in KINDS else "") == kind]
        got = sum(f == "table" for f in of)
        print(f"{name}: {got} of {len(of)} ({100 * got / max(1, len(of)):.1f} %)")
        if "--refusals" in sys.argv:
            for reason, n in Counter(f for f in of if f != "table").most_common():
                print(f"    {n:4} {reason}")
    changed = [(row, f) for row, f in zip(table, found) if (f == "table") != (row["answer"] == "table") and f != "missing"]
    if "--check" in sys.argv:
        for row, f in changed:
            print(f"{row['path']} {row['kernel']}: {row['answer']} in the list, {f} found")
        sys.exit(1 if changed else 0)


if __name__ == "__main__":
    main()
