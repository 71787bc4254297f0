#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Totals of traces: whatever the form, the packing, the threads and the way of adding, the same.

    tally.py PROGRAM SOURCE [MPIRUN]

With MPIRUN, of a program that was built with MPI, by several ranks too.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from schema import errors
from tap import Tap, run

TRACES = "tests/tools/traces/"
PATTERNS = ("kernels/transpose", "tests/tools/patterns/wide.pat", "tests/tools/patterns/atomics.pat")


class Tally:
    def __init__(self, program, source, folder):
        self.tap, self.program, self.source, self.folder = Tap(), program, source, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *args, stdin=b""):
        return run(self.program, ["tally", *args], self.source, stdin=stdin, binary=True)

    def json(self, *args, stdin=b""):
        status, out, err = self.run("--format", "json", *args, stdin=stdin)
        self.tap.equal((status, err), (0, b""), " ".join(map(os.path.basename, args)))
        return json.loads(out) if out else {}


def sums(document):
    """A tally without what differs by the names of files and the numbers of lines."""
    rows = [{k: v for k, v in row.items() if k != "worst"} |
            {"addresses": row["worst"]["addresses"], "most": row["worst"]["wavefronts"]}
            for row in document["instructions"]]
    return {k: v for k, v in document.items() if k not in ("files", "instructions")} | {"rows": rows}


def check_streams(t):
    """A pattern's tally is its prediction, in CSV as in binary."""
    for pattern in PATTERNS:
        for name in ("s.csv", "s.bwr"):
            run(t.program, ["lower", pattern, "-o", t.path(name)], t.source)
        csv, binary = t.json(t.path("s.csv")), t.json(t.path("s.bwr"))
        t.tap.equal(sums(binary), sums(csv), f"{pattern}: CSV and .bwr have the same totals")
        _, out, _ = run(t.program, ["predict", "--format", "json", pattern], t.source)
        reports = json.loads(out)
        reports = reports if isinstance(reports, list) else [reports]
        for member in ("requests", "wavefronts", "ideal", "excessive", "cycles"):
            predicted = sum(report["total"][member] for report in reports)
            t.tap.equal(csv[member], predicted, f"{pattern}: {member} are those of predict")


def write_random(t, name, rows, seed):
    """A stream of many operations, masks and places; returns its path."""
    draw = random.Random(seed)
    head = "op,active," + ",".join(f"a{i}" for i in range(32)) + ",launch,line,column,count\n"
    with open(t.path(name), "w", encoding="ascii") as file:
        file.write("# launch 1: first block 32x1x1 grid 1x1x1 shared 0\n" + head)
        for _ in range(rows):
            op, size = draw.choice([("ld.32", 4), ("st.64", 8), ("ld.128", 16), ("atom.add.u32", 4), ("atom.add.f32", 4)])
            addresses = ",".join(str(draw.randrange(2048) * size) for _ in range(32))
            file.write(f"{op},{draw.getrandbits(32) | 1:x},{addresses},{draw.randrange(1, 3)},{draw.randrange(1, 9)},1,"
                       f"{draw.randrange(1, 4)}\n")
    return t.path(name)


def check_threads(t):
    paths = [write_random(t, f"r{i}.csv", 2500, i) for i in range(3)]
    binary = t.path("r.bwr")
    run(t.program, ["lower", paths[0], "-o", binary], t.source)
    paths.append(binary)
    first = t.run("--format", "json", "-j", "1", *paths)
    t.tap.equal((first[0], first[2]), (0, b""), "one thread")
    for jobs in ("2", "3", "7"):
        t.tap.ok(t.run("--format", "json", "-j", jobs, *paths) == first, f"{jobs} threads say the same")
    document = json.loads(first[1])
    t.tap.equal(sum(row["requests"] for row in document["instructions"]), document["requests"], "rows add up")
    t.tap.ok(document["instructions"] == sorted(document["instructions"], key=lambda r: -r["excessive"]),
             "the most excess stands first")
    parts = []
    for i, path in enumerate(paths):
        parts.append(t.path(f"part{i}.json"))
        t.run("--format", "json", path, "-o", parts[-1])
    t.tap.ok(t.run("--merge", "--format", "json", *parts) == first, "tallies of each file, merged, are that of all")
    t.tap.ok(t.run("--merge", "--format", "json", *reversed(parts)) == first, "in any order")
    status, _, err = t.run("--merge", "--arch", "sm_80", parts[0])
    t.tap.ok(status == 2 and b"another architecture" in err, "a tally of another architecture is refused", err)
    with open(parts[0], encoding="utf-8") as file:
        good = file.read()
    for what, bad in (("cut", good[:-20]), ("no count", good.replace('"cycles": ', '"cycles": -')),
                      ("no op", good.replace('"op": "ld.32"', '"op": "ld.33"')), ("a list", "[]"), ("nothing", "")):
        with open(t.path("bad.json"), "w", encoding="utf-8") as file:
            file.write(bad)
        status, out, err = t.run("--merge", parts[1], t.path("bad.json"))
        t.tap.ok(status == 2 and not out and b"[tally-form]" in err, f"merging a tally that is {what} is refused", err)


def check_packed(t):
    for name in ("sample.traceg", "sample.memtrace"):
        path = os.path.join(t.source, TRACES, name)
        plain = t.run("--format", "json", path)
        t.tap.equal(plain[0], 0, f"{name} is read")
        with open(path, "rb") as file:
            bytes_of = file.read()
        for program in ("gzip", "xz", "zstd"):
            if not shutil.which(program):
                t.tap.skip(f"{name} packed by {program}", "it is not installed")
                continue
            packed = subprocess.run([program, "-c"], input=bytes_of, capture_output=True, check=True).stdout
            with open(t.path("packed"), "wb") as file:
                file.write(packed)
            _, out, err = t.run("--format", "json", t.path("packed"))
            expected = plain[1].replace(path.encode(), t.path("packed").encode())
            t.tap.equal((out, err), (expected, b""), f"{name} packed by {program}")
            _, out, _ = t.run("--format", "json", "-", stdin=packed)
            t.tap.equal(out, plain[1].replace(path.encode(), b"<stdin>"), f"{name} packed by {program}, standard input")
            with open(t.path("packed"), "wb") as file:
                file.write(packed[:-7])
            status, _, err = t.run(t.path("packed"))
            t.tap.ok(status == 2 and b"[cannot-unpack]" in err, f"{name}, packed by {program} and cut", err)
        _, out, _ = t.run("--format", "json", "-", stdin=bytes_of)
        t.tap.equal(out, plain[1].replace(path.encode(), b"<stdin>"), f"{name} from standard input")


def traceg(lines, head=""):
    return (f"-kernel name = k\n-grid dim = (2,2,1)\n-shmem base_addr = 0x7f0000000000\n{head}#BEGIN_TB\n"
            "thread block = 1,1,0\nwarp = 3\ninsts = 1\n" + lines + "\n#END_TB\n").encode()


def check_accelsim(t):
    """The forms of addresses, and lines that are none."""
    same = {"list": "0010 0000000f 1 R1 LDS 1 R2 4 0 0x10 0x18 0x20 0x28",
            "stride": "0010 0000000f 1 R1 LDS 1 R2 4 1 0x10 8",
            "differences": "0010 0000000f 1 R1 LDS 1 R2 4 2 0x10 8 8 8",
            "window": "0010 0000000f 1 R1 LDS 1 R2 4 1 0x7f0000000010 8"}
    for name, line in same.items():
        row = t.json("-", stdin=traceg(line))["instructions"][0]
        worst = row["worst"]
        t.tap.equal((row["kernel"], row["address"], row["op"], worst["addresses"][:5], worst["block"], worst["warp"]),
                    ("k", "0x10", "ld.32", [16, 24, 32, 40, None], 3, 3), f"addresses as a {name}")
    row = t.json("-", stdin=traceg("0010 00ff0000 1 R1 LDS 1 R2 4 2 0x10 -4 -4 -4 4 4 4 4"))["instructions"][0]
    t.tap.equal(row["worst"]["addresses"][15:25], [None, 16, 12, 8, 4, 8, 12, 16, 20, None], "differences may be negative")
    row = t.json("-", stdin=traceg("77 0010 0000000f 1 R1 LDS 1 R2 4 1 0x10 8", "-enable lineinfo = 1\n"))["instructions"][0]
    t.tap.equal((row["line"], row["address"]), (77, "0x10"), "a trace with line numbers")
    for name, line in {"addresses are missing": "0010 0000000f 1 R1 LDS 1 R2 4 0 0x10 0x18",
                       "a stride over a gap": "0010 00000005 1 R1 LDS 1 R2 4 1 0x10 8",
                       "an unknown form": "0010 0000000f 1 R1 LDS 1 R2 4 7 0x10 8",
                       "no mask": "0010 R1", "registers are missing": "0010 0000000f 9 R1",
                       "too many registers": "0010 0000000f 99 R1", "no opcode": "0010 0000000f 0",
                       "a letter in the mask": "0010 0000000g 0 EXIT 0 0"}.items():
        status, _, err = t.run("-", stdin=traceg(line))
        t.tap.ok(status == 2 and b"<stdin>:8: " in err and b"[trace-line]" in err, f"Accel-Sim: {name}", err)
    for name, line in {"misaligned": "0010 1 1 R1 LDS 1 R2 4 0 0x11", "elsewhere": "0010 1 1 R1 LDS 1 R2 4 0 0x99000000"}.items():
        document = t.json("-", stdin=traceg(line))
        t.tap.equal((document["instructions"], len(document["unpriced"])), ([], 1), f"Accel-Sim: an address {name} is listed")
    status, _, err = t.run("-", stdin=b"-kernel name = k\n0 0 0 0 0010 1 0 EXIT 0 0\n")
    t.tap.ok(status == 2 and b"post-traces-processing" in err, "a raw .trace is refused", err)


def check_damage(t):
    """What was read before an error is in the totals, and so are other files."""
    good = os.path.join(t.source, TRACES, "sample.traceg")
    with open(good, "rb") as file:
        bytes_of = file.read()
    whole = t.json(good)
    with open(t.path("bad.traceg"), "wb") as file:
        file.write(bytes_of.replace(b"0070 ffffffff 1", b"0070 nothing"))
    for jobs in ("1", "3"):
        status, out, err = t.run("--format", "json", "-j", jobs, t.path("bad.traceg"), good)
        document = json.loads(out)
        t.tap.ok(status == 2 and b"[trace-line]" in err, "a damaged trace is reported", err)
        t.tap.ok(whole["requests"] < document["requests"] < 2 * whole["requests"], "what was read before stays", out)
    t.tap.equal(t.run("no/such/file")[0], 2, "a missing file")
    status, out, err = t.run("--format", "json", "no/such/file", good)
    t.tap.ok(status == 2 and b"cannot read" in err and json.loads(out)["requests"] == whole["requests"],
             "a missing file beside a good one", err)
    t.tap.ok(b"directory" in t.run(".")[2], "a folder is no trace")
    status, out, err = t.run("kernels/transpose.pat")
    t.tap.equal((status, out), (2, b""), "a pattern is no trace")
    status, out, _ = t.run("--format", "json", "-", stdin=b"")
    t.tap.equal((status, out), (2, b""), "nothing is no trace")


def check_resume(t, launcher=()):
    """A run that was interrupted goes on: what was finished is not read again, and the result is the same."""
    paths = [write_random(t, f"resume{i}.csv", 800, 40 + i) for i in range(4)]
    folder = t.path(f"kept{len(launcher)}")
    whole = t.run("--format", "json", *paths)
    t.tap.equal(whole[0], 0, "without --resume")
    with open(paths[2], "rb") as file:
        bytes_of = file.read()
    with open(paths[2], "wb") as file:  # the third ends the first run
        file.write(bytes_of[:-9])
    command = [*launcher, os.path.abspath(t.program), "tally", "--format", "json", "--resume", folder, *paths]
    first = subprocess.run(command, capture_output=True, cwd=t.source, timeout=240)
    kept = set(os.listdir(folder))
    t.tap.ok(first.returncode == 2 and 2 <= len(kept) <= 3, "the first run is cut short", f"{first} {kept}")
    with open(paths[2], "wb") as file:
        file.write(bytes_of)
    for name in kept:  # what is taken and not read again is seen by a change of what was kept
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            document = json.load(file)
        document["skipped"] += 1000
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump(document, file)
    second = subprocess.run(command, capture_output=True, cwd=t.source, timeout=240)
    t.tap.equal(json.loads(second.stdout or "{}").get("skipped"), 1000 * len(kept), "what was finished is taken")
    t.tap.equal(len(os.listdir(folder)), 4, "and now all is finished")
    shutil.rmtree(folder)
    third = subprocess.run(command, capture_output=True, cwd=t.source, timeout=240)
    t.tap.equal((third.returncode, third.stdout), (0, whole[1]), "with --resume the result is the same")
    os.utime(paths[0], (1, 1))
    subprocess.run(command, capture_output=True, cwd=t.source, timeout=240)
    t.tap.equal(len(os.listdir(folder)), 5, "a file that has changed is read again")
    t.tap.equal(t.run("--merge", "--resume", folder, paths[0])[0], 2, "--merge with --resume is refused")


def check_ranks(t, mpirun):
    """Any number of ranks gives the bytes of one process."""
    paths = [write_random(t, f"rank{i}.csv", 500, 80 + i) for i in range(5)]
    paths.append(os.path.join(t.source, TRACES, "sample.traceg"))
    alone = t.run("--format", "json", *paths)
    base = [mpirun, "--allow-run-as-root", "--oversubscribe"]
    for ranks in ("1", "2", "4"):
        done = subprocess.run([*base, "-n", ranks, os.path.abspath(t.program), "tally", "-j", "1", "--format", "json", *paths],
                              capture_output=True, cwd=t.source, timeout=240)
        t.tap.equal((done.returncode, done.stdout), (0, alone[1]), f"{ranks} ranks say the same")
    done = subprocess.run([*base, "-n", "2", os.path.abspath(t.program), "tally", "-j", "1", *paths, "no/such/file"],
                          capture_output=True, cwd=t.source, timeout=240)
    t.tap.ok(done.returncode == 2 and b"cannot-read" in done.stderr, "an error of a rank is one of all", str(done))
    check_resume(t, (*base, "-n", "2"))


def check_schema(t):
    with open(os.path.join(t.source, "tools/schema/tally.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    for name in ("sample.traceg", "sample.memtrace"):
        document = t.json(TRACES + name)
        t.tap.equal(list(errors(document, schema, schema)), [], f"{name} follows the schema")
        document["instructions"][0].pop("op")
        t.tap.ok(list(errors(document, schema, schema)), "the schema refuses a row without an operation")


def check_csv(t):
    """Each row's worst request is a request stream."""
    _, out, _ = t.run("--format", "csv", TRACES + "sample.traceg")
    document = t.json(TRACES + "sample.traceg")
    status, drawn, err = run(t.program, ["predict", "--format", "json", "-"], t.source, stdin=out.decode())
    t.tap.equal(status, 0, "the CSV of a tally is a request stream" + err)
    found = [access["wavefronts"] for access in json.loads(drawn)["accesses"]]
    t.tap.equal(found, [row["worst"]["wavefronts"] for row in document["instructions"]], "of the worst requests")


def main():
    program, source = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        t = Tally(program, source, folder)
        for check in (check_streams, check_threads, check_packed, check_accelsim, check_damage, check_resume, check_schema, check_csv):
            check(t)
        if len(sys.argv) > 3:
            check_ranks(t, sys.argv[3])
        t.tap.ok(b"0 is out of range" in t.run("-j", "0", "x")[2].replace(b"'", b""), "no thread is refused")
        t.tap.done()


if __name__ == "__main__":
    main()
