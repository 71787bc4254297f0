#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Promises over versions: see README.md beside this file.

    promises.py PROGRAM SOURCE MESSAGES.tsv LIBRARY.so
"""

import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
from schema import errors  # noqa: E402
from tap import Tap, run  # noqa: E402

P = "tests/tools/patterns/"
# By file: what writes such a document today.
DOCUMENTS = {
    "beside-1.json": ["predict", "--compare", P + "stride.pat", P + "wide.pat"],
    "check-1.json": ["check", P + "unmet.pat"],
    "compare-1.json": ["compare", "tests/promises/streams/gpu.csv"],
    "fix-1.json": ["fix", P + "fix/doubles.pat"],
    "instructions-1.json": ["compare", "--ncu", "tests/recorded/sm_90-h200/machine/micro.src.csv", "--kernel", "m05",
                            "--block", "32"],
    "lanes-1.json": ["fix", "--lane-map", P + "stride.pat"],
    "measure-1.json": ["measure", "--replay", "tests/recorded/sm_90-h200/stock.csv", "kernels/transpose"],
    "ncu-1.json": ["compare", "--ncu", "tests/tools/ncu/transpose-raw.csv", "kernels/transpose"],
    "report-1.json": ["predict", P + "stride.pat"],
    "report-1.join.json": ["predict", "--join", P + "join.pat"],
    "report-1.machine.json": ["predict", P + "lines.sass", "--block", "64", "--arg", "1=8"],
    "report-2.json": ["predict", P + "calls.pat"],
    "report-1.random.json": ["predict", P + "random.pat", "--trials", "50"],
    "schedule-1.json": ["explain", P + "stride.pat"],
    "sweep-1.json": ["sweep", "-D", "STRIDE=1:4", P + "stride.pat"],
    "tally-1.json": ["tally", "tests/tools/traces/sample.traceg"],
}
# By file: requests, wavefronts, and the columns that compare finds in it.
STREAMS = {
    "counters.csv": (5, 34, {"hw_wavefronts", "hw_conflicts", "sass_wavefronts", "sass_ideal"}),
    "cycles.csv": (8, 14, {"cycles"}),
    "gpu-latency.csv": (8, 27, {"cycles"}),
    "gpu.csv": (8, 25, {"cycles"}),
    "lower.csv": (2, 5, set()),
    "unique.bwr": (1, 2, set()),
    "unique.csv": (5, 193, set()),
}


def paths(node, at=""):
    """What a document has, by paths; elements of an array are alike."""
    if isinstance(node, dict):
        for name, value in node.items():
            yield f"{at}.{name}"
            yield from paths(value, f"{at}.{name}")
    elif isinstance(node, list):
        for value in node:
            yield from paths(value, at + "[]")


def check_documents(tap, program, source):
    folder = os.path.join(HERE, "documents")
    tap.equal(sorted(os.listdir(folder)), sorted(DOCUMENTS), "a document is kept of each")
    schemas = os.path.join(source, "tools/schema")
    for name, command in DOCUMENTS.items():
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            kept = json.load(file)
        base, version = name.split(".")[0].rsplit("-", 1)
        with open(os.path.join(schemas, base + ".schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        tap.equal(kept["schema"], f"bankwise.{base}/{version}", f"{name}: its schema")
        tap.equal(list(errors(kept, schema, schema)), [], f"{name}: today's schema reads it")
        status, out, err = run(program, [*command, "--format", "json"], source)
        if not tap.ok(status in (0, 1) and out, f"{name}: is written today", err):
            continue
        today = json.loads(out)
        lost = sorted(set(paths(kept)) - set(paths(today))) if today["schema"] == kept["schema"] else []
        tap.equal(lost, [], f"{name}: what it has, today's has")
    covered = {name.split("-")[0] for name in DOCUMENTS}
    published = {name.split(".")[0] for name in os.listdir(schemas) if name.endswith(".json")}
    tap.equal(published - covered, set(), "every schema has a document")


def check_streams(tap, program, source):
    folder = os.path.join(HERE, "streams")
    tap.equal(sorted(os.listdir(folder)), sorted(STREAMS), "a stream is kept of each")
    for name, (requests, wavefronts, columns) in STREAMS.items():
        path = os.path.join(folder, name)
        status, out, err = run(program, ["predict", "--format", "json", path], source)
        total = json.loads(out)["total"] if status == 0 else {}
        tap.equal((total.get("requests"), total.get("wavefronts")), (requests, wavefronts), f"{name}: is read" + err)
        status, out, err = run(program, ["compare", "--format", "json", path], source)
        if columns:
            found = set(json.loads(out)["recordings"][0]["columns"]) if status == 0 else err
            tap.equal(found, columns, f"{name}: what was measured is read")
        else:
            tap.ok(status == 2 and "[measured-columns]" in err, f"{name}: nothing was measured", err)


def check_messages(tap, table):
    with open(os.path.join(HERE, "messages.txt"), encoding="utf-8") as file:
        kept = [line.split() for line in file if line.strip()]
    with open(table, encoding="utf-8") as file:
        today = [line.split("\t")[:2] for line in file if line.strip()]
    lost = [one for one in kept if one not in today]
    tap.equal(lost, [], "messages that were published are there, of the same kind")
    new = [one[0] for one in today if one not in kept]
    if new:
        tap.skip("messages.txt has all", f"not published yet: {', '.join(new)}")


def check_symbols(tap, library):
    if not shutil.which("nm"):
        tap.skip("symbols", "no nm")
        return
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, check=True, timeout=240).stdout.decode()
    today = sorted(line.split()[2].split("@")[0] for line in out.splitlines() if line.split()[1] != "A")
    with open(os.path.join(HERE, "symbols.txt"), encoding="utf-8") as file:
        kept = file.read().split()
    tap.equal(sorted(set(kept) - set(today)), [], "the library exports what was published")
    new = sorted(set(today) - set(kept))
    if new:
        tap.skip("symbols.txt has all", f"not published yet: {', '.join(new)}")


def main():
    program, source, table, library = map(os.path.abspath, sys.argv[1:5])
    tap = Tap()
    check_documents(tap, program, source)
    check_streams(tap, program, source)
    check_messages(tap, table)
    check_symbols(tap, library)
    tap.done()


main()
