#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bankwise measure, with a program that pretends to be a card, and with recordings that it made.

    measure.py PROGRAM SOURCE PRETENDED
"""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from schema import errors
from tap import Tap, environment, run

P = "tests/tools/patterns/"
STRIDE = P + "stride.pat"


class Measure:
    def __init__(self, program, source, gpu):
        self.tap = Tap()
        self.program, self.source, self.gpu = program, source, gpu
        with open(os.path.join(source, "tools/schema/measure.schema.json"), encoding="utf-8") as file:
            self.schema = json.load(file)

    def run(self, args, mode=None, **more):
        more.setdefault("BANKWISE_GPU", self.gpu)
        return run(self.program, ["measure", *args], self.source, PRETEND=mode or "", **more)

    def json(self, args, mode=None, status=0):
        found, out, err = self.run(["--format", "json", *args], mode)
        name = f"{' '.join(args)} ({mode or 'well'})"
        self.tap.ok(found == status, f"{name}: status {status}", f"{found}: {err}")
        document = json.loads(out) if out else None
        self.tap.equal(list(errors(document, self.schema, self.schema)), [], f"{name}: follows the schema")
        return document


def accesses(document):
    return [a for launch in document["launches"] for a in launch["accesses"]]


def check_verdicts(m):
    tap = m.tap
    document = m.json(["kernels/transpose", P + "wide.pat", "lesson/03-strides-and-gcd"])
    tap.equal({a["verdict"] for a in accesses(document)}, {"MATCH"}, "all match")
    tap.equal(document["device"], "pretended NVIDIA H200 (sm_90)", "the card is named")
    load = next(a for a in accesses(document) if a["cycles"]["predicted"] == 1024)
    tap.equal((load["wavefronts"], load["cycles"], load["requests"]),
              ({"predicted": 1024, "measured": 1024}, {"predicted": 1024, "measured": 1024}, 32),
              "the transpose's column: 1024 predicted, 1024 measured")
    for mode, verdict in (("over", "OVER"), ("under", "UNDER"), ("unstable", "UNSTABLE")):
        document = m.json(["kernels/transpose"], mode, status=1)
        tap.ok(document["verdicts"][verdict] > 0 and not document["passed"], f"{mode}: {verdict} is found",
               document["verdicts"])
        bad = [a for a in accesses(document) if a["verdict"] == verdict]
        tap.ok(all(a["reason"] for a in bad), f"{mode}: with a reason", bad)
        if verdict != "UNSTABLE":
            tap.ok(all(len(a["example"]["addresses"]) == 32 for a in bad), f"{mode}: with a request")
            sign = -1 if mode == "over" else 1
            tap.ok(all((a["cycles"]["measured"] - a["cycles"]["predicted"]) * sign > 0 for a in bad),
                   f"{mode}: the sums differ that way", bad)


def check_unmeasured(m):
    tap = m.tap
    document = m.json(["kernels/cp_async_pipeline"])
    copies = [a for a in accesses(document) if a["op"].startswith("cp.async")]
    tap.ok(copies and all(a["verdict"] == "UNMEASURED" and "cp.async" in a["reason"] for a in copies),
           "copies are unmeasured by the clock", copies)
    loop = "__shared__ double d[32]; atomicAdd(&d[threadIdx.x % 2], 1.0);"
    _, out, _ = m.run(["-", "--format", "csv"], stdin=loop)
    rows = list(csv.DictReader(io.StringIO(out)))
    tap.ok(rows[0]["verdict"] == "UNMEASURED" and "compare-and-swap" in rows[0]["reason"],
           "loops are unmeasured by the clock", out)
    _, out, _ = m.run(["-", "--format", "csv"], "counter", stdin=loop)
    rows = list(csv.DictReader(io.StringIO(out)))
    tap.ok(rows[0]["verdict"] == "UNMEASURED" and "depends on values" in rows[0]["reason"],
           "nor does the counter, where values decide", out)
    _, out, _ = m.run(["-", "--format", "csv"], "counter", stdin=loop.replace("double", "float").replace("1.0", "1.0f"))
    rows = list(csv.DictReader(io.StringIO(out)))
    tap.ok(rows[0]["verdict"] == "MATCH" and rows[0]["measured_wavefronts"] == rows[0]["wavefronts"] != "",
           "loops are measured by the counter", out)
    _, out, err = m.run(["-", "--format", "csv"],
                        stdin="__shared__ float f[58112]; float v = f[threadIdx.x + 58080];")
    tap.ok("UNMEASURED" in out and "last 1024 bytes" in out, "what the kernel needs itself is not asked for", out + err)
    floor = "__shared__ double d[64]; if (threadIdx.x < 3) double v = d[threadIdx.x * 4];"
    _, out, err = m.run(["-", "--format", "csv"], stdin=floor)
    row = next(csv.DictReader(io.StringIO(out)))
    tap.ok(row["verdict"] == "MATCH" and row["wavefronts"] == "1" and row["cycles"] == row["measured_cycles"] == "2"
           and row["measured_wavefronts"] == "", "under the least time, wavefronts are not known", out + err)


def check_replay(m, folder):
    tap, kept = m.tap, os.path.join(folder, "kept.csv")
    first = m.json(["kernels/transpose", "--recording", kept])
    with open(kept, encoding="utf-8") as file:
        text = file.read()
    tap.ok(text.startswith("# SYNTHETIC"), "the recording is kept as it came", text[:200])
    requests = [line for line in text.splitlines() if line and line[0] not in "#o"]
    tap.equal(len(requests), first["different_requests"], "each different request is run once")
    again = m.json(["kernels/transpose", "--replay", kept])
    tap.equal([a for a in accesses(again)], [a for a in accesses(first)], "a replay says the same")
    status, out, _ = run(m.program, ["measure", "--replay", "-", "kernels/transpose"], m.source, stdin=text)
    tap.ok(status == 0 and "4 MATCH" in out, "a recording from standard input", out)
    tap.equal(run(m.program, ["compare", "--min-match", "100", kept], m.source)[0], 0, "compare takes it too")
    document = m.json(["kernels/transpose", P + "wide.pat", "--replay", kept], status=1)
    missing = [a for a in accesses(document) if a["verdict"] == "UNMEASURED"]
    tap.ok(missing and all("does not have it" in a["reason"] for a in missing), "a recording that lacks requests")
    short = os.path.join(folder, "short.csv")
    m.run(["kernels/transpose", "--recording", short], "short")
    m.json(["kernels/transpose", "--replay", short], status=1)
    twice = os.path.join(folder, "twice.csv")
    head, body = text.split("\nop,", 1)
    row = next(line for line in body.splitlines()[1:])
    with open(twice, "w", encoding="utf-8") as file:
        file.write(f"{head}\nop,{body.splitlines()[0]}\n{row.replace(',ok', ',unstable')}\n"
                   + "\n".join(body.splitlines()[1:]) + "\n")
    tap.equal(m.json(["kernels/transpose", "--replay", twice])["passed"], True, "a stable value replaces another")
    cells = row.split(",")
    cells[34] = str(float(cells[34]) + 1)
    with open(twice, "a", encoding="utf-8") as file:
        file.write(",".join(cells) + "\n")
    document = m.json(["kernels/transpose", "--replay", twice], status=1)
    tap.ok(any(a["verdict"] == "UNSTABLE" and "different values" in a["reason"] for a in accesses(document)),
           "rows that contradict each other count for nothing", accesses(document))


def check_requests(m, folder):
    """The way over another host: write the requests, run them there, replay what comes back."""
    files = ["kernels/transpose", P + "wide.pat"]
    status, stream, _ = m.run([*files, "--requests"], "crash")
    document = m.json(files)
    rows = [line for line in stream.splitlines() if line[0] not in "#o"]
    m.tap.equal((status, len(rows)), (0, document["different_requests"]), "--requests writes each different one")
    there = subprocess.run([m.gpu, "run", "-"], input=stream, capture_output=True, text=True)
    path = os.path.join(folder, "there.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(there.stdout)
    m.tap.equal(accesses(m.json([*files, "--replay", path])), accesses(document), "and a replay says the same")
    for args in (["--replay", path], ["--gpu", m.gpu], ["--recording", path], ["--format", "json"]):
        status, _, err = m.run([*files, "--requests", *args])
        m.tap.ok(status == 2 and "--requests" in err, "--requests with " + args[0], err)


def check_ends(m, folder):
    tap = m.tap
    for mode, status, words in (("nocard", 77, "bankwise: skipped: no card: the driver finds none"),
                                ("refuse", 2, "needs sm_90"), ("fail", 3, "fell off the bus"),
                                ("crash", 3, "was ended by signal"),
                                ("garbage", 3, f"what {m.gpu} wrote:1")):
        found, out, err = m.run([STRIDE], mode)
        tap.ok(found == status and words in err and out == "", f"{mode}: status {status}", f"{found}: {err}")
        if mode == "nocard":
            tap.equal(err.count("\n"), 1, "no card: one line")
    kept = os.path.join(folder, "new.csv")
    m.run([STRIDE, "--recording", kept], "fail")
    tap.ok(not os.path.exists(kept), "a run that fails leaves no empty recording")
    empty = {"PATH": folder, "BANKWISE_GPU": ""}
    alone = os.path.join(folder, "bankwise")
    shutil.copy(m.program, alone)
    status, out, err = run(alone, ["measure", STRIDE], m.source, **empty)
    tap.ok(status == 77 and err.count("\n") == 1 and "--replay" in err, "no bankwise-gpu: one line", f"{status}: {err}")
    os.symlink(m.gpu, os.path.join(folder, "bankwise-gpu"))
    tap.equal(run(alone, ["measure", STRIDE], m.source, BANKWISE_GPU="")[0], 0, "the one beside the program is found")
    os.remove(alone)
    os.mkdir(os.path.join(folder, "bin"))  # a build with the CUDA module has one beside the program
    away = os.path.join(folder, "bin", "bankwise")
    shutil.copy(m.program, away)
    status, _, err = run(away, ["measure", STRIDE], m.source, **empty)
    tap.equal(status, 0, "the one on the PATH is found")
    status, _, err = m.run([STRIDE, "--gpu", "/nonexistent/gpu"])
    tap.ok(status == 2 and "/nonexistent/gpu" in err, "--gpu that is no program", err)
    status, _, err = m.run([STRIDE, "--gpu", folder])
    tap.ok(status == 2 and "Is a directory" in err, "--gpu that is a folder", err)
    check_killed(m, folder)
    status, _, err = m.run([STRIDE], BANKWISE_GPU="/nonexistent/gpu")
    tap.ok(status == 2 and "BANKWISE_GPU" in err, "BANKWISE_GPU that is no program", err)
    tap.equal(m.run([STRIDE, "--gpu", m.gpu], BANKWISE_GPU="/nonexistent/gpu")[0], 0, "--gpu wins")


def check_killed(m, folder):
    """Whoever ends this program ends bankwise-gpu, which would keep a card busy for nobody."""
    started, stays = os.path.join(folder, "started"), os.path.join(folder, "stays")
    with open(stays, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\necho $$ >{started}.new && mv {started}.new {started}\nexec sleep 60\n")
    os.chmod(stays, 0o755)
    with subprocess.Popen([m.program, "measure", STRIDE, "--gpu", stays], cwd=m.source, env=environment(m.source)) as child:
        for _ in range(200):
            if os.path.exists(started):
                break
            time.sleep(0.05)
        with open(started, encoding="utf-8") as file:
            other = int(file.read())
        child.kill()
    for _ in range(200):
        try:
            os.kill(other, 0)
        except ProcessLookupError:
            break
        with open(f"/proc/{other}/stat", encoding="utf-8") as file:
            if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                break
        time.sleep(0.05)
    else:
        m.tap.ok(False, "bankwise-gpu ends with bankwise")
        return
    m.tap.ok(True, "bankwise-gpu ends with bankwise")


def check_usage(m, folder):
    tap = m.tap
    kept = os.path.join(folder, "usage.csv")
    m.run([STRIDE, "--recording", kept])
    with open(kept, encoding="utf-8") as file:
        before = file.read()
    own = os.path.join(folder, "own.pat")
    shutil.copy(os.path.join(m.source, STRIDE), own)
    for args, word in (
            (["--replay", kept, "--gpu", m.gpu], "does not go with"),
            (["--replay", kept, "--recording", kept], "does not go with"),
            (["--replay", "/nonexistent"], "cannot read"),
            (["--replay", STRIDE], STRIDE + ":1:"),
            (["--recording", "/nonexistent/folder/x"], "cannot write"),
            (["--arch", "sm_35"], "sm_35"),
            (["--trials", "3"], "unknown option"),
            ([P + "unknown.pat"], "error"),
            (["no/such/file"], "cannot read")):
        if args[0] == "--arch":
            args = [*args, "--replay", kept, "lesson/15-ldmatrix"]
        status, out, err = m.run([STRIDE, *args])
        tap.ok(status == 2 and word in err and not out, " ".join(args[:2]), f"{status}: {err}")
    status, _, err = m.run([own, "--recording", own])
    tap.ok(status == 2 and "pattern itself" in err, "a pattern is not written over", err)
    m.run([STRIDE, "--recording", kept], "fail")
    with open(kept, encoding="utf-8") as file:
        tap.equal(file.read(), before, "a run that fails leaves the kept recording as it was")
    status, _, err = m.run([STRIDE, "--recording", "/dev/full"])
    tap.ok(status == 3 and "No space left" in err, "a full disk", f"{status}: {err}")
    status, _, err = m.run([STRIDE, "--replay", os.devnull])
    tap.ok(status == 2 and "header" in err, "an empty recording", err)
    bad = os.path.join(folder, "bad.csv")
    with open(bad, "w", encoding="utf-8") as file:
        file.write(re.sub(r",(\d+\.\d+),", ",soon,", before, count=1))
    status, _, err = m.run([STRIDE, "--replay", bad])
    tap.ok(status == 2 and "'soon' is no number" in err, "a cell that is no number", err)
    for text in ("1e300", "-1e300", "nan", "inf", "0x4", "1.0.0"):
        with open(bad, "w", encoding="utf-8") as file:
            file.write(re.sub(r",(\d+\.\d+),", f",{text},", before, count=1))
        status, _, err = m.run([STRIDE, "--replay", bad])
        tap.ok(status == 2 and f"'{text}' is no number" in err, f"a cell of {text}", err)
    status, _, err = m.run([P + "random.pat", "--max-memory", "4096"])
    tap.ok(status == 2, "too little memory ends well", err)


def check_texts(m):
    tap = m.tap
    status, out, _ = m.run(["kernels/transpose", "kernels/cp_async_pipeline", P + "random.pat"])
    tap.ok(max(map(len, out.splitlines())) <= 80, "the report fits 80 cells", out)
    tap.ok("MATCH" in out and "1024 / 1024" in out and "UNMEASURED" in out and "seed 1" in out, "the report's words",
           out)
    _, quiet, _ = m.run(["kernels/transpose", "--quiet"])
    tap.ok("predicted / measured" not in quiet and "1024 / 1024" in quiet, "--quiet", quiet)
    _, other, _ = m.run([P + "random.pat", "--seed", "2"])
    tap.ok("seed 2" in other, "--seed is taken", other)
    document = m.json(["kernels/transpose", P + "random.pat"])
    _, out, _ = m.run(["kernels/transpose", P + "random.pat", "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(out)))
    same = all(row["verdict"] == a["verdict"] and int(row["cycles"]) == a["cycles"]["predicted"] and
               int(row["measured_cycles"]) == a["cycles"]["measured"] and row["source"] == a["source"]
               for row, a in zip(rows, accesses(document)))
    tap.ok(len(rows) == len(accesses(document)) and same, "CSV and JSON agree", out)
    predicted = json.loads(run(m.program, ["predict", "--format", "json", "kernels/transpose"], m.source)[1])
    wanted = [(a["line"], a["wavefronts"], a["cycles"]) for r in predicted for a in r["accesses"]]
    found = [(a["line"], a["wavefronts"]["predicted"], a["cycles"]["predicted"])
             for a in accesses(m.json(["kernels/transpose"]))]
    tap.equal(found, wanted, "predictions are those of predict")


def main():
    program, source, gpu = map(os.path.abspath, sys.argv[1:4])
    m = Measure(program, source, gpu)
    check_verdicts(m)
    check_unmeasured(m)
    check_texts(m)
    with tempfile.TemporaryDirectory() as folder:
        check_replay(m, folder)
        check_requests(m, folder)
    with tempfile.TemporaryDirectory() as folder:
        check_ends(m, folder)
    with tempfile.TemporaryDirectory() as folder:
        check_usage(m, folder)
    m.tap.done()


main()
