# SPDX-License-Identifier: GPL-3.0-or-later
"""Every way to go wrong, with the whole text that a user sees.

usage: golden.py BANKWISE SOURCE_ROOT FOLDER [--update]

Each FOLDER/NAME.pat has its expected standard error in FOLDER/NAME.err, an empty one where the file
is to be accepted. A first line "// run: ARGUMENTS" gives the program's arguments. --update writes
the .err files anew: review the change as text.
"""

import os
import shlex
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
from tap import Tap, run  # noqa: E402


def arguments(path):
    with open(path, "rb") as f:
        first = f.readline().decode("utf-8", "replace")
    mark = "// run:"
    return shlex.split(first[len(mark):]) if first.startswith(mark) else []


def main():
    program, root = os.path.abspath(sys.argv[1]), sys.argv[2]
    folder = os.path.join(HERE, sys.argv[3])
    tap = Tap()
    for name in sorted(n for n in os.listdir(folder) if n.endswith(".pat")):
        path = os.path.join(folder, name)
        status, out, err = run(program, ["lower", "-o", os.devnull, *arguments(path), name], root, cwd=folder)
        expected_path = path[:-4] + ".err"
        if "--update" in sys.argv:
            with open(expected_path, "w") as f:
                f.write(err)
        with open(expected_path) as f:
            expected = f.read()
        good = status == (2 if "error:" in expected else 0)
        tap.ok(good and err == expected, name, f"exit status {status}; expected:\n{expected}\nfound:\n{err}")
    tap.done()


main()
