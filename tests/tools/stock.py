#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every stock pattern is predicted, and its expectations hold.

    stock.py PROGRAM SOURCE
"""

import os
import sys

from tap import Tap, run


def patterns(folder):
    for path, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith(".pat"):
                yield os.path.relpath(os.path.join(path, name), folder)


def main():
    program, source = sys.argv[1:3]
    tap = Tap()
    found = list(patterns(os.path.join(source, "patterns")))
    tap.ok(found, "there are stock patterns")
    for name in found:
        status, out, err = run(program, ["check", name], source)
        # Status 1 without a finding is a file without expectations.
        bare = status == 1 and ": error:" not in out and "no expectations" in err
        if bare:
            status, out, err = run(program, ["predict", name, "--trials", "5"], source)
        tap.ok(status == 0, name + (" (no expectations; predicted)" if bare else ""), out + err)
    tap.done()


main()
