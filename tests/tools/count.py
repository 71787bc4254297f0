#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the single cases of a Meson test run, from its log.

    count.py BUILD/meson-logs/testlog.json
    count.py --programs BUILD

The first prints the cases that failed, a line a test, and last "N passed, N failed, N skipped". A test that
speaks TAP counts as its cases; one that died, or that reported none, counts as one failure.

The second prints the names of the tests that are programs of the build, for a run under valgrind. Those
that make millions of requests or draws are left out: that takes many minutes there and shows nothing new.
"""

import json
import os
import re
import subprocess
import sys

CASE = re.compile(r"^(not )?ok\b[^#\n]*(# *(SKIP|TODO))?", re.M | re.I)


def count(entry):
    """(passed, failed, skipped, failing lines) of one test."""
    passed = failed = skipped = 0
    lines = []
    for match in CASE.finditer(entry.get("stdout") or ""):
        if match[2]:
            skipped += 1
        elif match[1]:
            failed += 1
            lines.append(match[0])
        else:
            passed += 1
    result = entry["result"]
    if result in ("OK", "EXPECTEDFAIL"):
        passed += passed == 0 and skipped == 0
    elif result == "SKIP":
        skipped += skipped == 0
    elif failed == 0:
        failed = 1
        lines.append(f"{result.lower()}, exit status {entry['returncode']}")
    return passed, failed, skipped, lines


def details(text):
    """The remarks under failing cases, which say what was expected."""
    shown = False
    for line in text.splitlines():
        if line.startswith(("ok ", "not ok ")):
            shown = line.startswith("not ok ")
        if shown:
            yield line


MILLIONS = {"property", "tools-laws"}


def programs(build):
    done = subprocess.run(["meson", "introspect", "--tests", build], check=True, capture_output=True)
    for test in json.loads(done.stdout):
        built = os.path.abspath(test["cmd"][0]).startswith(os.path.abspath(build) + os.sep)
        if built and test["protocol"] == "tap" and test["name"] not in MILLIONS:
            yield test["name"]


def main():
    if sys.argv[1] == "--programs":
        print("\n".join(programs(sys.argv[2])))
        return
    totals = [0, 0, 0]
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            passed, failed, skipped, lines = count(entry)
            totals = [a + b for a, b in zip(totals, (passed, failed, skipped))]
            print(f"{entry['name']}: {passed} passed, {failed} failed, {skipped} skipped")
            for text in lines:
                print(f"  {text}")
            if failed:
                print("\n".join(list(details(entry.get("stdout") or ""))[:60]))
                print((entry.get("stderr") or "")[-4000:])
    if not sum(totals):
        sys.exit("count: no test ran")
    print("{} passed, {} failed, {} skipped".format(*totals))


main()
