# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that once gave a wrong number in silence, or a wrong answer: what is said of each now.

usage: faults.py BANKWISE SOURCE_ROOT FOLDER [--without-cxx]

The first lines of a file say what it is run with, and what must come of it, once or several times:

    // run: predict --block 32     what bankwise is called with, before the file's name
    // exit: 2                     its status; 0 where nothing is said
    // out: st.32 2-way            a part of its output, standard error included, white space folded
    // not: 4-way                  no part of it

A build without C++ may refuse a file instead, with the way that takes all of C++.

`lower` shows operations with their active lanes and the address of the first: "st.32 ffffffff 28".
"""

import os
import re
import shlex
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
from tap import Tap, run  # noqa: E402


def cases(path):
    found = []
    with open(path, "rb") as f:
        lines = f.read().decode("utf-8", "replace").splitlines()
    for line in lines:
        mark = re.match(r"// (run|exit|out|not):(.*)", line)
        if not mark:
            break
        if mark[1] == "run":
            found.append({"run": shlex.split(mark[2]), "exit": 0, "out": [], "not": []})
        elif mark[1] == "exit":
            found[-1]["exit"] = int(mark[2])
        else:
            found[-1][mark[1]].append(" ".join(mark[2].split()))
    return found


def requests(listing):
    rows = [line.split(",") for line in listing.splitlines() if line and not line.startswith("#")]
    shown = []
    for row in rows[1:]:
        lane = (int(row[1], 16) & -int(row[1], 16)).bit_length() - 1
        shown.append(f"{row[0]} {row[1]} {row[2 + lane]}")
    return " ".join(shown)


WAY = "compile the kernel and give bankwise the machine code"


def main():
    without_cxx = "--without-cxx" in sys.argv
    program, root, folder = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    tap = Tap()
    for name in sorted(os.listdir(folder)):
        found = cases(os.path.join(folder, name)) if os.path.isfile(os.path.join(folder, name)) else []
        for case in found:
            status, out, err = run(program, [*case["run"], name], root, cwd=folder)
            if case["run"][0] == "lower":
                out = requests(out)
            text = " ".join((out + " " + err).split())
            missing = [part for part in case["out"] if part not in text]
            there = [part for part in case["not"] if part in text]
            refused = without_cxx and status == 2 and "[cxx-not-in-language]" in err and WAY in err
            good = status == case["exit"] and not missing and not there
            tap.ok(refused or good, f"{name}: {' '.join(case['run'])}",
                   f"exit status {status}, not {case['exit']}; missing: {missing}; should not be there: {there}\n{out}{err}")
    tap.done()


main()
