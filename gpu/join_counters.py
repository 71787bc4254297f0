#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joins a profiler's CSV with the requests that 'bankwise-gpu probe counters' launched.

usage: join_counters.py REQUESTS.csv NCU.csv > RECORDING.csv

Every request was launched twice, with 64 and with 128 issues; what one issue counts is the
difference of the two launches divided by 64, so that whatever a launch costs by itself is gone.
"""
import csv
import sys

COLUMNS = {
    "hw_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "hw_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "sass_wavefronts": "memory_l1_wavefronts_shared",
    "sass_ideal": "memory_l1_wavefronts_shared_ideal",
}
ISSUES = 64


def requests(path):
    """The header line and the request part (op, mask, addresses) of each row."""
    with open(path) as file:
        rows = [line.rstrip("\n") for line in file if not line.startswith("#")]
    cells = [row.split(",")[:34] for row in rows if row]
    return cells[0], cells[1:]


def launches(path):
    """One dictionary a launch, in order; the profiler's chatter and its line of units are skipped."""
    with open(path) as file:
        lines = [line for line in file if line.startswith('"')]
    return [row for row in csv.DictReader(lines) if row["ID"].strip()]


def number(text):
    return float(text.replace(",", "")) if text.strip() else float("nan")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    header, rows = requests(sys.argv[1])
    runs = launches(sys.argv[2])
    if len(runs) != 2 * len(rows):
        sys.exit(f"{len(rows)} requests need {2 * len(rows)} launches, the profile has {len(runs)}")
    print(",".join(header + list(COLUMNS)))
    for row, few, many in zip(rows, runs[::2], runs[1::2]):
        values = [(number(many[name]) - number(few[name])) / ISSUES for name in COLUMNS.values()]
        print(",".join(row + [f"{value:.3f}".rstrip("0").rstrip(".") for value in values]))


if __name__ == "__main__":
    main()
