# SPDX-License-Identifier: GPL-3.0-or-later
"""A build without the C++ room takes a file as the language has it, or names the way that takes all of C++.

usage: refused.py BANKWISE SOURCE_ROOT FILE|FOLDER...

Each file was written for a build that reads more. Whatever it holds, the program must neither crash
nor predict something else: it ends with status 0, or with 2 and a refusal at a place in the file, or
because no kernel is launched.
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
from tap import Tap, run  # noqa: E402

WAY = "or compile the kernel and give bankwise the machine code"


def main():
    program, root = os.path.abspath(sys.argv[1]), sys.argv[2]
    tap = Tap()
    paths = []
    for path in map(os.path.abspath, sys.argv[3:]):
        names = sorted(n for n in os.listdir(path) if n.endswith(".pat")) if os.path.isdir(path) else []
        paths += [os.path.join(path, n) for n in names] or [path]
    for path in paths:
        status, _, err = run(program, ["predict", "-o", os.devnull, path], root)
        errors = [line for line in err.split("\n") if "error:" in line]
        placed = [line for line in errors if re.match(r".*:\d+:\d+: error: .* is not in the language \[cxx-not-in-language\]$", line)]
        refused = status == 2 and placed and WAY in err
        # What no launch reaches is not read: a kernel without a launch is refused for that alone.
        idle = status == 2 and len(errors) == 1 and errors[0].endswith("never launched [nothing-to-run]")
        tap.ok(refused or idle or (status == 0 and not errors), os.path.basename(path), f"status {status}\n{err}")
    tap.done()


main()
