# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the program share: TAP lines, and a way to run it.

Standard library only: Meson brings Python, nothing else is asked for.
"""

import os
import subprocess
import sys


class Tap:
    """Numbers results and prints them as TAP; the exit status is for people who run a test by hand."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def ok(self, passed, name, detail=""):
        self.count += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.count} - {name}")
        if not passed:
            for line in str(detail).splitlines():
                print(f"# {line}")
        return passed

    def skip(self, name, reason):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {reason}")

    def equal(self, found, expected, name):
        return self.ok(found == expected, name, f"expected {expected!r}\n   found {found!r}")

    def done(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)


def environment(source, **more):
    """A known environment: 80 columns, no colour, stock patterns of the tree."""
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "BANKWISE_PATTERNS")}
    clean.update(COLUMNS="80", LC_ALL="C", BANKWISE_PATTERNS=os.path.join(source, "patterns"))
    clean.update({k: v for k, v in more.items() if v is not None})
    return clean


def run(program, args, source, cwd=None, stdin="", binary=False, **more):
    """Runs the program; returns (exit status, standard output, standard error)."""
    done = subprocess.run([os.path.abspath(program), *args], cwd=cwd or source, env=environment(source, **more),
                          input=stdin if binary else stdin.encode(), capture_output=True, timeout=120)
    if binary:
        return done.returncode, done.stdout, done.stderr
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
