#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels of whole programs: what executing them gives is what Nsight Compute counted on the card.

    programs.py REPLAY FOLDER

FOLDER has programs.tar.xz and programs.tsv (tests/recorded/sm_90-h200/programs/README.md).
"""

import csv
import os
import subprocess
import sys
import tarfile
import tempfile


def replay(program, folder):
    """The rows that the program prints of a recorded launch."""
    done = subprocess.run([program, folder], capture_output=True, text=True, timeout=120)
    return [line.split("\t") for line in done.stdout.splitlines()], done


def main():
    program, recorded = sys.argv[1:]
    with open(os.path.join(recorded, "programs.tsv"), encoding="utf-8", newline="") as file:
        expected = list(csv.DictReader(file, delimiter="\t"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(os.path.join(recorded, "programs.tar.xz")) as archive:
            archive.extractall(folder)
        there = sorted(set(os.listdir(folder)) - {"licences"})
        same = there == sorted(row["folder"] for row in expected)
        print(f"{'ok' if same else 'not ok'} 1 - the list names what is recorded")
        failed += not same
        for number, row in enumerate(expected, 2):
            rows, done = replay(program, os.path.join(folder, row["folder"]))
            good = len(rows) == 1 and rows[0][0] == row["kernel"] and rows[0][1] == row["class"]
            failed += not good
            why = f" ({row['reason']})" if row["reason"] else ""
            print(f"{'ok' if good else 'not ok'} {number} - {row['folder']} {row['class']}{why}")
            if not good:
                print("#", rows, done.stderr[:500].replace("\n", " "))
    print(f"1..{len(expected) + 1}")
    sys.exit(1 if failed else 0)


main()
