#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory that runs out at any moment: the whole output, or exit code 3; never a part with exit code 0.

    alloc.py PROGRAM SOURCE FAIL_ALLOC.so [STEP]

Each command is run once for every STEP-th of its allocations (default: all), which then fails.
"""

import os
import sys
import tempfile

from tap import Tap, run

P = "tests/tools/patterns"
COMMANDS = [
    ["predict", f"{P}/stride.pat"],
    ["predict", "--format", "json", f"{P}/random.pat", "--trials", "3"],
    ["predict", "--format", "csv", f"{P}/random.pat", "--trials", "3"],
    ["predict", "--compare", "--format", "json", f"{P}/stride.pat", f"{P}/wide.pat"],
    ["predict", "--html", f"{P}/stride.pat"],
    ["explain", f"{P}/stride.pat"],
    ["explain", "--format", "json", f"{P}/stride.pat"],
    ["explain", "--format", "csv", f"{P}/stride.pat"],
    ["explain", "--svg", f"{P}/stride.pat"],
    ["sweep", "-D", "STRIDE=1:3", "--format", "json", f"{P}/stride.pat"],
    ["sweep", "-D", "STRIDE=1:3", f"{P}/stride.pat"],
    ["check", "--format", "json", f"{P}/unmet.pat"],
    ["check", "--format", "sarif", f"{P}/unmet.pat"],
    ["check", "--format", "junit", f"{P}/unmet.pat"],
    ["check", f"{P}/unmet.pat"],
    ["fix", "--format", "json", f"{P}/fix/flat.pat"],
    ["fix", f"{P}/fix/flat.pat"],
    ["fix", "--lane-map", "--format", "json", f"{P}/stride.pat"],
    ["lower", "--unique", f"{P}/stride.pat"],
    ["compare", "tests/recorded/sm_90-h200/counters.csv"],
    ["compare", "--format", "json", "tests/recorded/sm_90-h200/counters.csv"],
    ["compare", "--ncu", "tests/tools/ncu/transpose-raw.csv", "--format", "json", "kernels/transpose"],
    ["measure", "--replay", "tests/recorded/sm_90-h200/stock.csv", "--format", "json", "kernels/transpose"],
    ["help", "pad-stride"],
]


class Failing:
    def __init__(self, program, source, library):
        self.program, self.source, self.library = program, source, library

    def run(self, args, number=0, count_to=None):
        return run(self.program, args, self.source, LD_PRELOAD=self.library, FAIL_ALLOC=str(number),
                   FAIL_ALLOC_COUNT=count_to)

    def count(self, args):
        """How many allocations the command makes."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "count")
            self.run(args, 0, path)
            with open(path, encoding="utf-8") as file:
                return int(file.read())


def check(tap, failing, args, step):
    whole = failing.run(args)
    count = failing.count(args)
    bad = []
    for number in range(1, count + 1, step):
        status, out, err = failing.run(args, number)
        if (status, out) != whole[:2] and not (status == 3 and err):
            bad.append(f"allocation {number}: status {status}, {len(out)} of {len(whole[1])} characters\n{err[-300:]}")
    tap.ok(count > 4 and not bad, f"{' '.join(args)}: {count} allocations", "\n".join(bad[:5] + [f"{len(bad)} in all"]))


def check_file(tap, failing, step):
    """With -o: the whole file, or the folder as it was."""
    args = ["predict", "--format", "json", f"{P}/stride.pat", "-o"]
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        count = failing.count([*args, path])
        with open(path, encoding="utf-8") as file:
            whole = file.read()
        for number in range(1, count + 1, step):
            os.remove(path) if os.path.exists(path) else None
            status, _, err = failing.run([*args, path], number)
            left = os.listdir(folder)
            if status == 0:
                with open(path, encoding="utf-8") as file:
                    good = left == ["report.json"] and file.read() == whole
            else:
                good = status == 3 and err and not left
            bad += [] if good else [f"allocation {number}: status {status}, {left}\n{err[-300:]}"]
    tap.ok(not bad, f"-o: {count} allocations", "\n".join(bad))


def main():
    program, source, library = map(os.path.abspath, sys.argv[1:4])
    step = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    tap = Tap()
    failing = Failing(program, source, library)
    if failing.run(["--version"])[0] != 0 or failing.run(["--version"], 1)[0] == 0 and failing.count(["--version"]) == 0:
        tap.skip("failing allocations", "a sanitizer or valgrind has an allocator of its own")
        tap.done()
    for args in COMMANDS:
        check(tap, failing, args, step)
    check_file(tap, failing, step)
    tap.done()


main()
