#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/measure-stock, with a program that pretends to be a card; and the README's table, where a card was.

    measure_stock.py PROGRAM SOURCE PRETENDED

The recordings made here are synthetic, say so in their first line, and stay in a temporary folder.
"""

import os
import shutil
import subprocess
import sys
import tempfile

from tap import Tap, environment

KEPT = "tests/recorded/sm_90-h200/stock.csv"


def stock(program, source, args, **more):
    done = subprocess.run([sys.executable, os.path.join(source, "tools/measure-stock"), "-p", program, *args],
                          env=environment(source, **more), capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_table(tap, program, source, gpu, folder):
    recording, readme, full = (os.path.join(folder, name) for name in ("stock.csv", "README.md", "full.md"))
    with open(readme, "w", encoding="utf-8") as file:
        file.write("# bankwise\n\nWords.\n\n## Limits\n\n- None.\n")
    where = ["--recording", recording, "--readme", readme]
    status, out, err = stock(program, source, ["--gpu", gpu, *where, "--full", full])
    tap.ok(status == 0 and " MATCH" in out and "OVER" not in out, "all stock patterns are measured", out + err)
    tap.ok(read(recording).startswith("# SYNTHETIC"), "the recording says that it is synthetic")
    text = read(readme)
    tap.ok("| `ld.32` |" in text and "pretended" in text and text.endswith("## Limits\n\n- None.\n") and
           text.startswith("# bankwise\n\nWords.\n\n<!--"), "the table is put before the limits", text)
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| `") or line.startswith("| all")]
    sums = [sum(int(row[i].replace(",", "")) for row in rows[:-1]) for i in range(2, len(rows[0]) - 1)]
    tap.equal(sums, [int(cell.replace(",", "")) for cell in rows[-1][2:-1]], "its last row is the sum")
    tap.equal(read(full).count("\n| ") - 2, sums[0], "the full table has a row for each access")
    requests = os.path.join(folder, "requests.csv")
    tap.equal(stock(program, source, ["--requests", requests])[0], 0, "the requests for another host")
    with open(requests, encoding="utf-8") as given, open(recording, "w", encoding="utf-8") as file:
        subprocess.run([gpu, "run", "-"], stdin=given, stdout=file, check=True)
    tap.equal(stock(program, source, ["--replay", *where])[0], 0, "a replay of what it recorded")
    tap.equal(read(readme), text, "which writes the same")
    tap.equal(stock(program, source, ["--replay", "--check", *where])[0], 0, "--check of a fresh table")
    with open(readme, "w", encoding="utf-8") as file:
        file.write(text.replace("| `ld.32` |", "| `ld.33` |"))
    status, _, err = stock(program, source, ["--replay", "--check", *where])
    tap.ok(status == 1 and "run tools/measure-stock --replay" in err, "--check of a stale table", err)
    status, out, _ = stock(program, source, ["--gpu", gpu, *where], PRETEND="under")
    tap.ok(status == 1 and "UNDER" in read(readme) and "different requests disagree" in read(readme),
           "a disagreement is a finding, and is in the table", out)


def check_refusals(tap, program, source, gpu, folder):
    own = os.path.join(source, "README.md")
    before = read(own)
    recording = os.path.join(folder, "own.csv")
    status, _, err = stock(program, source, ["--gpu", gpu, "--recording", recording])
    tap.ok(status == 2 and "no place in the README" in err, "a pretended card does not get into the README", err)
    tap.equal(read(own), before, "which is as it was")
    tap.equal(stock(program, source, ["--gpu", gpu, "--recording", recording], PRETEND="nocard")[0], 77, "no card")
    tap.equal(stock(program, source, ["--replay", "--recording", "/nonexistent"])[0], 2, "no recording")
    tap.equal(stock("/nonexistent", source, [])[0], 2, "no program")
    bare = os.path.join(folder, "bare.md")
    shutil.copy(recording, bare)
    status, _, err = stock(program, source, ["--replay", "--recording", recording, "--readme", bare])
    tap.ok(status == 2 and "no section" in err, "a file without a place for the table", err)


def check_kept(tap, program, source):
    """What a card said of the stock patterns still holds, and the README says it."""
    if not os.path.exists(os.path.join(source, KEPT)):
        tap.skip("the README's table", f"no {KEPT}: tools/measure-stock makes it on a card")
        return
    status, out, err = stock(program, source, ["--replay", "--check"])
    tap.equal(status, 0, "the README's table is what the recording gives")
    if status:
        print(f"# {out}{err}")


def main():
    program, source, gpu = map(os.path.abspath, sys.argv[1:4])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        check_table(tap, program, source, gpu, folder)
        check_refusals(tap, program, source, gpu, folder)
    check_kept(tap, program, source)
    tap.done()


main()
