#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bankwise compare: every recording in the tree, and what becomes of recordings that are changed.

    compare.py PROGRAM SOURCE
"""

import csv
import glob
import io
import json
import math
import os
import random
import subprocess
import sys
import tempfile

from schema import errors
from tap import Tap, environment, run

RECORDED = "tests/recorded"
CYCLES = "tests/recorded/sm_90-h200/cycles.csv"
COUNTERS = "tests/recorded/sm_90-h200/counters.csv"
# Columns that are compared; every row that is must agree.
MEASURED = {"hw_wavefronts", "cycles", "hw_conflicts", "sass_wavefronts", "sass_ideal"}
# (rows, equal rows, their percentage): 100 * equal < percentage * rows, in doubles.
PERCENTAGES = ((250, 161, "64.4"), (375, 33, "8.8"), (375, 147, "39.2"))
# Operations whose wavefronts the clock does not count.
INEXACT = ("cp.async", "atom.add.f", "red.add.f", "64")


class Compare:
    def __init__(self, program, source):
        self.tap = Tap()
        self.program, self.source = program, source
        with open(os.path.join(source, "tools/schema/compare.schema.json"), encoding="utf-8") as file:
            self.schema = json.load(file)

    def run(self, args, **more):
        return run(self.program, ["compare", *args], self.source, **more)

    def json(self, args, status=0, **more):
        found, out, err = self.run(["--format", "json", *args], **more)
        name = " ".join(os.path.basename(a) for a in args)
        self.tap.ok(found == status, f"{name}: status {status}", f"{found}: {err}")
        document = json.loads(out)
        self.tap.equal(list(errors(document, self.schema, self.schema)), [], f"{name}: follows the schema")
        return document


def split(path):
    """(comment lines, header cells, rows of cells) of a recording."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    head = [line for line in lines if line.startswith("#")]
    rows = [line.split(",") for line in lines if line and not line.startswith("#")]
    return head, rows[0], rows[1:]


def write(folder, name, head, header, rows):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*head, ",".join(header), *(",".join(row) for row in rows)]) + "\n")
    return path


def column(document, name):
    return next(c for c in document["columns"] if c["column"] == name)


def is_recording(path):
    with open(path, encoding="utf-8") as file:
        header = next((line for line in file if not line.startswith("#")), "").strip().split(",")
    return header[:2] == ["op", "active"] and MEASURED & set(header)


def check_recorded(c):
    """All that is recorded agrees, to the row."""
    files = [f for f in sorted(glob.glob(os.path.join(c.source, RECORDED, "*/*.csv"))) if is_recording(f)]
    c.tap.ok(len(files) >= 2, "there are recordings", files)
    for path in files:
        document = c.json([path, "--show", "3"])
        name = os.path.basename(path)
        for found in document["columns"]:
            c.tap.ok(found["rows"] > 0 and found["equal"] == found["rows"] and found["rate"] == 1,
                     f"{name}: {found['column']}: {found['rows']} of {found['rows']} rows", document["mismatches"])
    document = c.json([CYCLES, "--min-match", "100"])
    found = column(document, "cycles")
    c.tap.equal((found["rows"], found["equal"], found["not_compared"]["exempt"]), (27 * 400, 27 * 400, 6 * 400),
                "cycles.csv: 27 operations are exact, 6 are not compared")
    c.tap.ok(all(o["rows"] == 400 or o["rows"] == 0 and any(part in o["op"] for part in INEXACT)
                 for o in found["operations"]), "cycles.csv: 400 rows of each")
    c.json([COUNTERS, "--min-match", "100"])


def check_numbers(c):
    """The statistics, computed again in the plain way."""
    document = c.json([CYCLES, COUNTERS])
    found = column(document, "cycles")
    c.tap.equal(document["rows"], 13388, "rows of both files")
    c.tap.ok(0.9995 < found["low"] < 1 and found["high"] == 1, "the interval", found)
    c.tap.ok(abs(found["kendall_tau_b"] - 1) < 1e-9, "tau-b of equal values is 1")
    line = document["line"]
    c.tap.ok(abs(line["slope"] - 1) < 0.001 and abs(line["intercept"]) < 0.01 and
             0 < line["median_absolute_residual"] < 0.01, "a wavefront takes a cycle", line)
    cells = document["confusion"]
    c.tap.equal(sum(cell["rows"] for cell in cells), found["rows"] + column(document, "hw_wavefronts")["rows"],
                "the confusion matrix has every row")
    c.tap.ok(all(cell["predicted"] == cell["measured"] for cell in cells), "and only its diagonal")
    rates = {b["name"]: b["rate"] for b in document["baselines"]}
    order = ["one", "gcd", "per-bank", "broadcast", "phases", "no-merge", "model"]
    c.tap.equal([n for n in rates], order, "seven baselines")
    c.tap.ok(all(rates[a] < rates[b] for a, b in zip(order, order[1:])), "each rule is worth something", rates)
    merging = {o["op"]: o["rate"] for b in document["baselines"] if b["name"] == "no-merge" for o in b["operations"]}
    c.tap.ok(merging["ld.64"] < 1 and merging["ld.128"] < 1 and merging["st.64"] == 1,
             "without merging, wide loads are wrong and stores are not", merging)


def tau_b(pairs):
    same = against = left = right = 0
    for i, (a, b) in enumerate(pairs):
        for x, y in pairs[:i]:
            product = (a - x) * (b - y)
            same += product > 0
            against += product < 0
            left += a != x and b == y
            right += a == x and b != y
    return (same - against) / math.sqrt((same + against + left) * (same + against + right))


def check_changed(c, folder):
    """Measured values are changed; what is said follows."""
    head, header, rows = split(os.path.join(c.source, CYCLES))
    at = header.index("cycles")
    rows = [row for row in rows if row[0] in ("ld.32", "st.64", "ldmatrix.x4")]
    changed = [list(row) for row in rows]
    wrong = list(range(7, 1200, 40))
    for n, i in enumerate(wrong):
        changed[i][at] = f"{float(rows[i][at]) + (3 if n % 2 else -1):.3f}"
    path = write(c.folder, "changed.csv", head, header, changed)
    document = c.json([path, "--show", "1000"])
    found = column(document, "cycles")
    c.tap.equal((found["rows"], found["equal"], found["over"], found["under"]),
                (1200, 1200 - len(wrong), (len(wrong) + 1) // 2, len(wrong) // 2), "as many mismatches as changes")
    first = 1 + len(head) + 1
    c.tap.equal([m["line"] for m in document["mismatches"]], [first + i for i in wrong], "each with its line")
    pairs = [(round(float(a[at])), round(float(b[at]))) for a, b in zip(rows, changed)]
    c.tap.ok(abs(found["kendall_tau_b"] - tau_b(pairs)) < 1e-9, "tau-b", (found["kendall_tau_b"], tau_b(pairs)))
    mape = [abs(p - float(b[at])) / float(b[at]) for (p, _), b in zip(pairs, changed) if float(b[at]) > 0]
    c.tap.ok(abs(found["mape"] - sum(mape) / len(mape)) < 1e-9, "MAPE", (found["mape"], sum(mape) / len(mape)))
    off = sum(cell["rows"] for cell in document["confusion"] if cell["predicted"] != cell["measured"])
    c.tap.equal(off, len(wrong), "off the diagonal")
    c.tap.ok(abs(document["line"]["slope"] - 1) < 0.01, "the line does not mind", document["line"])
    for least, status in (("100", 1), ("97.51", 1), ("97.5", 0), ("97.5%", 0), ("0", 0)):
        c.tap.equal(c.run([path, "--min-match", least])[0], status, f"--min-match {least}")
    again = write(c.folder, "again.csv", [], header[:at],
                  [[m["request"]["op"], m["request"]["active"],
                    *("" if a is None else str(a) for a in m["request"]["addresses"])] for m in document["mismatches"]])
    status, _, err = c.run([again])
    c.tap.ok(status == 2 and "nothing to compare" in err, "request lines alone are no recording", err)
    _, text, _ = c.run([path, "--show", "2"])
    lines = text.splitlines()
    c.tap.ok(lines.count(",".join(changed[wrong[0]][:at])) == 1 and f"changed.csv:{first + 7}: cycles" in text,
             "the first mismatches are request lines", text)
    c.tap.ok(max(len(line) for line in lines if ",ffffffff," not in line and not line.startswith(("op,", "#"))
                 and line.count(",") < 30) <= 80, "the report fits 80 cells", text)


def check_rows(c, folder):
    """Rows that are left out, and that are wrong."""
    head, header, rows = split(os.path.join(c.source, CYCLES))
    rows = [row for row in rows if row[0] == "ld.64"]
    marked = [row + ["unstable" if i < 5 else "ok"] for i, row in enumerate(rows)]
    marked[2][header.index("cycles")] = "99"
    marked[9][header.index("cycles")] = ""
    document = c.json([write(folder, "marked.csv", head, header + ["status"], marked)])
    found = column(document, "cycles")
    c.tap.equal((found["rows"], found["equal"], found["not_compared"]), (394, 394, {"exempt": 0, "unstable": 5, "empty": 1}),
                "unstable and empty rows are not compared")
    for value, word in (("fast", "no number"), ("nan", "no number"), ("inf", "no number"), ("1e99", "no number"),
                        ("1.0x", "no number")):
        bad = [list(row) for row in rows[:3]]
        bad[1][header.index("cycles")] = value
        path = write(folder, "bad.csv", head, header, bad)
        status, out, err = c.run([path])
        c.tap.ok(status == 2 and word in err and f"{path}:{len(head) + 3}:" in err and not out, f"a cell {value!r}", err)
    negative = [list(row) for row in rows[:30]]
    negative[3][header.index("cycles")] = "-1.0"
    c.tap.equal(column(c.json([write(folder, "negative.csv", head, header, negative)]), "cycles")["equal"], 29,
                "a negative time disagrees and does no harm")
    for name, content, word in (("none.csv", "", "header"), ("rows.csv", ",".join(header) + "\n", "no rows"),
                                ("other.csv", "a,b\n1,2\n", "no column op")):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        status, _, err = c.run([path])
        c.tap.ok(status == 2 and word in err, name, err)
    loops = [row for row in split(os.path.join(c.source, CYCLES))[2] if row[0].startswith("cp.async")]
    path = write(folder, "exempt.csv", head, header, loops[:50])
    c.tap.equal(c.run([path])[0], 0, "nothing scored is no mismatch")
    c.tap.equal(c.run([path, "--min-match", "50"])[0], 1, "but does not pass --min-match")


def check_origin(c, folder):
    head, header, rows = split(os.path.join(c.source, CYCLES))
    rows = [row for row in rows if row[0] == "ld.128"][:50]
    for device, arch, note in (("NVIDIA A100 (sm_80)", "sm_80", False), ("a thing", "sm_90", True),
                               ("NVIDIA H200 (sm_90a)", "sm_90", False)):
        path = write(folder, "origin.csv", [f"# device: {device}"], header, rows)
        recording = c.json([path])["recordings"][0]
        c.tap.equal((recording["arch"], recording["note"] is not None, recording["device"]), (arch, note, device), device)
    recording = c.json([path, "--arch", "sm_86"])["recordings"][0]
    c.tap.ok(recording["arch"] == "sm_86" and "sm_90" in recording["note"], "--arch wins, and it is said", recording)
    status, _, err = c.run([path, "--arch", "sm_35"])
    c.tap.equal(status, 0, "an architecture without baselines")
    matrices = [row for row in split(os.path.join(c.source, CYCLES))[2] if row[0] == "stmatrix.x1"][:2]
    status, _, err = c.run([write(folder, "matrix.csv", [], header, matrices), "--arch", "sm_80"])
    c.tap.ok(status == 2 and "stmatrix.x1 on sm_80" in err and ":2:" in err, "what the architecture has not", err)
    extra = write(folder, "extra.csv", [], header + ["latency", "colour"], [row + ["3", "blue"] for row in rows])
    _, text, _ = c.run([extra])
    c.tap.ok("not read: latency, colour" in text and "hw_wavefronts: no recording has this column" in text,
             "columns that are not read, and that are missing, are named", text)
    with open(os.path.join(c.source, COUNTERS), encoding="utf-8") as file:
        status, text, _ = c.run(["-", "--min-match", "100"], stdin=file.read())
    c.tap.ok(status == 0 and "<stdin>" in text and "passed" in text, "standard input", text)


def interval(k, n):
    """Clopper and Pearson's, by bisection on binomial sums."""
    def above(k, p):  # the chance of k or more
        return math.fsum(math.comb(n, i) * p**i * (1 - p)**(n - i) for i in range(k, n + 1))

    def solve(k, chance):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if above(k, middle) < chance else (low, middle)
        return low
    return (solve(k, 0.025) if k else 0.0), (solve(k + 1, 0.975) if k < n else 1.0)


def check_noise(c, folder):
    """A recording with noise and ties: the statistics, computed again in the plain way."""
    draw = random.Random(20)
    header = ["op", "active", *(f"a{i}" for i in range(32)), "cycles"]
    predicted, measured, rows = [], [], []
    for _ in range(300):
        stride = draw.randrange(40)
        ways = min(32, stride & -stride) if stride else 1
        cycles = max(0, ways + draw.choice([0, 0, 0, 0.2, -0.3, 1, -1, 0.51, 7]))
        predicted.append(ways)
        measured.append(cycles)
        rows.append(["ld.32", "ffffffff", *(str(4 * stride * lane) for lane in range(32)), repr(cycles)])
    rounded = [math.floor(m + 0.5) for m in measured]
    equal = sum(p == r for p, r in zip(predicted, rounded))
    found = column(c.json([write(folder, "noise.csv", [], header, rows)]), "cycles")
    c.tap.equal((found["equal"], found["over"], found["under"]),
                (equal, sum(p > r for p, r in zip(predicted, rounded)), sum(p < r for p, r in zip(predicted, rounded))),
                "noise: equal, over and under")
    low, high = interval(equal, 300)
    c.tap.ok(abs(found["low"] - low) < 1e-9 and abs(found["high"] - high) < 1e-9, "noise: the interval", (low, high))
    c.tap.ok(abs(found["kendall_tau_b"] - tau_b(list(zip(predicted, rounded)))) < 1e-9, "noise: tau-b with ties")
    errors = [abs(p - m) / m for p, m in zip(predicted, measured) if m > 0]
    c.tap.ok(abs(found["mape"] - sum(errors) / len(errors)) < 1e-9, "noise: MAPE")


def check_percentages(c, folder):
    """Percentages that no double is equal to: all of them are reached by their own rows."""
    header = ["op", "active", *(f"a{i}" for i in range(32)), "cycles"]
    row = ["ld.32", "ffffffff", *(str(4 * lane) for lane in range(32))]
    for rows, equal, percent in PERCENTAGES:
        path = write(folder, "part.csv", [], header, [row + ["1"]] * equal + [row + ["2"]] * (rows - equal))
        c.tap.equal(c.run([path, "--min-match", percent])[0], 0, f"{equal} of {rows} are {percent}%")
        path = write(folder, "less.csv", [], header, [row + ["1"]] * (equal - 1) + [row + ["2"]] * (rows - equal + 1))
        c.tap.equal(c.run([path, "--min-match", percent])[0], 1, f"{equal - 1} of {rows} are not {percent}%")
    path = write(folder, "most.csv", [], header, [row + ["1"]] * 9999 + [row + ["2"]])
    status, out, _ = c.run([path, "--min-match", "99.999"])
    c.tap.ok(status == 1 and "less than 99.999% of" in out, "9999 of 10000", out)
    c.tap.ok("at least 99.9899% of" in c.run([path, "--min-match", "99.9899"])[1], "and the text says which percentage")


def check_csv(c):
    document = c.json([CYCLES, COUNTERS])
    _, out, _ = c.run([CYCLES, COUNTERS, "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(out)))
    wanted = sum(len(found["operations"]) + 1 for found in document["columns"])
    c.tap.equal(len(rows), wanted, "CSV: a row for each column and operation, and one for all")
    by = {(row["column"], row["op"]): row for row in rows}
    good = all(int(by[found["column"], o["op"]]["equal"]) == o["equal"] and
               int(by[found["column"], o["op"]]["exempt"]) == o["not_compared"]["exempt"]
               for found in document["columns"] for o in found["operations"])
    c.tap.ok(good, "CSV and JSON agree", out)


def check_usage(c, folder):
    for args, word in ((["--min-match", "101", CYCLES], "range"), (["--min-match", "x", CYCLES], "percentage"),
                       (["--min-match", "-1", CYCLES], "percentage"), (["--min-match", "1e2", CYCLES], "percentage"),
                       (["--min-match", "", CYCLES], "percentage"), (["--show", "-1", CYCLES], "number"),
                       (["--show", "100001", CYCLES], "range"), ([], "needs a file"), (["-", "-"], "once"),
                       (["/nonexistent"], "cannot read"), (["."], "directory"), (["-D", "A=1", CYCLES], "--ncu"),
                       (["--block", "32", CYCLES], "--ncu"), (["--format", "sarif", CYCLES], "none of"),
                       (["README.md"], "README.md:3:"), ([CYCLES, "/nonexistent"], "cannot read")):
        status, out, err = c.run(args)
        c.tap.ok(status == 2 and word in err.lower() + err and not out, "usage: " + " ".join(args), f"{status}: {err}")
    target = os.path.join(folder, "report.txt")
    c.run([COUNTERS, "-o", target])
    with open(target, encoding="utf-8") as file:
        c.tap.ok("hw_wavefronts" in file.read(), "-o")
    c.tap.equal(c.run([CYCLES, "-o", "/dev/full"])[0], 3, "a full disk")


# KiB of address space: the program with its libraries and the samples, and not a large recording.
ROOM = 49152


def limited(c, args):
    """(status, seconds of work) of the program in little memory."""
    child = subprocess.Popen(["sh", "-c", f'ulimit -v {ROOM} && exec "$@"', "sh", c.program, *args], cwd=c.source,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(c.source))
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_utime + usage.ru_stime


def check_size(c, folder):
    """A recording larger than the memory that there is, and the speed."""
    head, header, rows = split(os.path.join(c.source, CYCLES))
    large = write(folder, "large.csv", head, header, rows * 8)
    document = c.json([large])
    c.tap.equal((column(document, "cycles")["rows"], document["line"]["sample"]), (86400, 20000), "all rows are counted")
    if limited(c, ["--version"])[0] != 0:
        c.tap.skip("size", "a sanitizer or valgrind wants more memory")
        return
    huge = write(folder, "huge.csv", head, header, rows * 32)
    c.tap.ok(os.path.getsize(huge) > ROOM * 1024, "the recording is larger than the memory")
    c.tap.equal(limited(c, ["compare", huge])[0], 0, "and is read")
    status, seconds = limited(c, ["compare", large])
    c.tap.ok(status == 0 and seconds < 1.0, f"{len(rows) * 8} rows in under a second", f"{seconds:.2f} s")


def main():
    c = Compare(*map(os.path.abspath, sys.argv[1:3]))
    check_recorded(c)
    check_numbers(c)
    check_csv(c)
    for check in (check_noise, check_percentages, check_changed, check_rows, check_origin, check_usage, check_size):
        with tempfile.TemporaryDirectory() as folder:
            c.folder = folder
            check(c, folder)
    c.tap.done()


main()
