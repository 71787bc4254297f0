#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What machine instructions compute: the kernels of a recording, executed through their text for
each architecture and in each dialect, give what the card wrote; and the table of instructions.

    opcodes.py REPLAY FOLDER TABLE [--update]

FOLDER is tests/recorded/sm_90-h200/opcodes; TABLE is the golden file, written anew with --update.
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from tap import Tap  # noqa: E402

from unpacked import unpack  # noqa: E402

SOURCES = ("integer", "float", "warp", "flow")
ARCHS = (75, 80, 90, 100, 120)
# A card's approximations are its own in the last bits: 2^-21 of 1 or of the value is the most that
# differs, of the hyperbolic tangent 2^-17 (CUDA documents 2^-10.987 of the value for it).
APPROXIMATE, TANH, TANH_SLOT = 2 ** -21, 2 ** -17, 10
# Kernels whose instructions an architecture has not write nothing (README).
WITHOUT = {"stored_matrices": 90, "copies": 80}
# What the source computes in its own way for sm_75, with another NaN than the card's instruction.
OTHER_SOURCE = {(75, "from_floats", 28)}
# Counts that are not the card's. Warps contend for the same words: how often goes by timing.
TIMING = {"atomics"}
# Which lanes that come from several branches reach a meeting place together is the card's choice:
# how often what stands there is executed (here: apart), not what it computes.
MEETINGS = {"floats", "loops", "turns", "calls"}

LEGEND = """\
What machine instructions compute, against an H200: kernels of tests/recorded/sm_90-h200/opcodes,
executed through their text as compiled for each architecture (opcodes.py writes this table).

=  executed in a kernel of which every word is the card's
~  executed only in kernels of which some word is not, or is not known
?  its result is left unknown: the form is not modelled
.  not in the text

"""


def replay(program, folder, text, cubin):
    done = subprocess.run([program, folder, text, cubin], capture_output=True, text=True,
                          timeout=300)
    rows = {"kernel": [], "slot": [], "code": [], "count": []}
    for line in done.stdout.splitlines():
        kind, *values = line.split("\t")
        rows[kind].append(values)
    return rows, done


def is_good(arch, slot):
    name, number, _, unknown, different = slot[0], *map(int, slot[1:5])
    if WITHOUT.get(name, 0) > arch or (arch, name, number) in OTHER_SOURCE:
        return True
    if name == "approximations" and different:
        return not unknown and float(slot[5]) <= (TANH if number == TANH_SLOT else APPROXIMATE)
    return unknown == 0 and different == 0


def check(tap, arch, text, rows, done):
    failed = [k for k in rows["kernel"] if k[1] != "ok"]
    bad = [s for s in rows["slot"] if not is_good(arch, s)]
    tap.ok(done.returncode == 0 and rows["slot"] and not failed, f"{text}: executed",
           failed or done.stderr[:400])
    tap.ok(not bad, f"{text}: what the card wrote", bad[:5])


def check_counts(tap, text, rows):
    for name, *_ in rows["kernel"]:
        wrong = [c for c in rows["count"] if c[0] == name]
        if name not in TIMING | MEETINGS:
            tap.ok(not wrong, f"{text}: {name}: what the profiler counted", wrong[:3])


def table(results):
    """results: by architecture, rows of all sources."""
    cells = {}
    for arch, rows in results.items():
        whole = {k[0] for k in rows["kernel"]} - \
            {s[0] for s in rows["slot"] if not is_good(arch, s)} - \
            {name for name, least in WITHOUT.items() if arch < least}
        for name, mnemonic, _, why in rows["code"]:
            row = cells.setdefault(mnemonic, {})
            cell = "?" if why else "=" if name in whole else "~"
            row[arch] = "=" if "=" in (cell, row.get(arch)) else min(cell, row.get(arch, "~"))
    width = max(map(len, cells))
    lines = ["".ljust(width) + "".join(f"{'sm_' + str(a):>8}" for a in ARCHS)]
    for mnemonic in sorted(cells):
        marks = (cells[mnemonic].get(a, ".") for a in ARCHS)
        lines.append(mnemonic.ljust(width) + "".join(f"{m:>8}" for m in marks))
    return LEGEND + "\n".join(lines) + "\n"


def main():
    program, recorded, golden = sys.argv[1:4]
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        unpack(recorded, folder)
        jobs = [(arch, f"{s}.sm_{arch}.sass", f"{s}.sm_{arch}.cubin")
                for arch in ARCHS for s in SOURCES]
        others = [(90, text, f"{s}.sm_90.cubin") for s in SOURCES
                  for text in (f"{s}.sm_90.nvdisasm-c", f"{s}.sm_90.nvdisasm-gi", "source.csv")]
        with ThreadPoolExecutor(2) as pool:
            done = list(pool.map(lambda j: replay(program, folder, j[1], j[2]), jobs + others))
    results = {}
    for (arch, text, cubin), (rows, run) in zip(jobs + others, done):
        shown = f"{text} ({cubin})" if text == "source.csv" else text
        check(tap, arch, shown, rows, run)
        if text == "source.csv":
            check_counts(tap, shown, rows)
        if text.endswith(".sass"):
            sums = results.setdefault(arch, {})
            for kind, values in rows.items():
                sums.setdefault(kind, []).extend(values)
    found = table(results)
    if "--update" in sys.argv:
        with open(golden, "w", encoding="utf-8") as file:
            file.write(found)
    with open(golden, encoding="utf-8") as file:
        tap.ok(file.read() == found, "the table is that of opcodes.txt",
               "write it anew with --update, and read what changed")
    tap.done()


main()
