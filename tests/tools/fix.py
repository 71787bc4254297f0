#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What fix proposes, that it is what predict says of the changed file, and that it is written whole.

    fix.py PROGRAM SOURCE
"""

import json
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile

from schema import errors
from tap import Tap, run

P = "tests/tools/patterns/fix/"

# File, options, array, and what must be among its proposals: kind, a part of its title, bytes of the
# block, excessive wavefronts left in the file. The first is first.
WANTED = [
    ("kernels/transpose", [], "tile", "best",
     [("xor", "Swizzle<5, 0, 5>", 0, 0), ("pad", "[32][32] -> [32][33]", 128, 0)]),
    ("kernels/transpose", ["--kind", "pad"], "tile", "best", [("pad", "[32][32] -> [32][33]", 128, 0)]),
    (P + "float4_tile.pat", [], "tile", "best",
     [("xor", "Swizzle<3, 2, 3>", 0, 0), ("pad", "[32][32] -> [32][36]", 512, 0)]),
    (P + "ldmatrix16.pat", [], "s", "best",
     [("xor", "[r][c] -> [r][c ^ ((r >> 2 & 1) << 3)], Swizzle<1, 3, 3>", 0, 0),
      ("pad", "[16][16] -> [16][24]", 256, 0)]),
    (P + "half64.pat", [], "tile", "best",
     [("xor", "[r][c] -> [r][c ^ ((r & 31) << 1)]", 0, 0), ("pad", "[64][64] -> [64][66]", 256, 0)]),
    (P + "half64.pat", ["--align", "16", "--kind", "pad"], "tile", "best-found", [("pad", "[64][64] -> [64][72]", 1024, 384)]),
    (P + "struct12.pat", [], "a", "best",
     [("soa", "struct of arrays", 0, 0), ("struct", "body: 48 -> 52 bytes", 128, 0)]),
    (P + "doubles.pat", [], "s", "best",
     [("xor", "[r][c] -> [r][c ^ (r & 15)]", 0, 0), ("pad", "[32][32] -> [32][33]", 256, 0)]),
    (P + "serial.pat", [], "counter", "none", []),
    (P + "flat.pat", [], "buf", "best",
     [("swizzle", "Swizzle<5, 0, 5>", 0, 0), ("flat", "1 element unused after each 32", 128, 0)]),
    (P + "macros.pat", [], "tile", "best", [("pad", "[32][32] -> [32][33]", 128, 0)]),
    (P + "pointer.pat", [], "tile", "best", [("pad", "[32][32] -> [32][33]", 128, 0)]),
    (P + "pointers.pat", [], "s", "best", [("flat", "1 element unused after each 32", 128, 0)]),
    (P + "alias.pat", [], "tile", "best", [("xor", "[r][c ^ r]", 0, 0), ("pad", "[32][32] -> [32][33]", 128, 0)]),
    (P + "stages.pat", [], "tile", "best",
     [("xor", "[i][r][c ^ r]", 0, 0), ("pad", "[2][32][32] -> [2][32][33]", 256, 0)]),
    (P + "overpad.pat", [], "tile", "best", [("pad", "shorten the rows: [32][40] -> [32][33]", -896, 0)]),
    (P + "rows.pat", [], "s", "best",
     [("swizzle", "Swizzle<3, 3, 3>", 0, 0), ("flat", "8 elements unused after each 64", 512, 0)]),
    (P + "either.pat", [], "a", "best-found", [("swizzle", "the same of b", 0, 1), ("flat", "the same of b", 256, 1)]),
    (P + "either.pat", ["--array", "b"], "b", "undecided", []),
    (P + "once.pat", [], "s", "best", [("swizzle", "Swizzle<5, 0, 5>", 0, 31), ("flat", "each 32", 128, 31)]),
    (P + "once.pat", [], "u", "best", [("swizzle", "Swizzle<5, 0, 5>", 0, 31), ("flat", "each 32", 128, 31)]),
    (P + "served.pat", [], "a", "best",
     [("swizzle", "Swizzle<5, 0, 5>, and the same of b", 0, 0), ("flat", "and the same of b", 256, 0)]),
    (P + "served.pat", ["--array", "b"], "b", "best",
     [("swizzle", "Swizzle<5, 0, 5>, and the same of a", 0, 0), ("flat", "and the same of a", 256, 0)]),
    (P + "carved.pat", [], "raw", "best", [("flat", "4 elements unused after each 128", 256, 0)]),
    (P + "offset.pat", [], "As", "best",
     [("swizzle", "Swizzle<3, 0, 5>", 0, 0), ("flat", "1 element unused after each 24", 128, 0)]),
    (P + "structs.pat", [], "p", "best", [("struct", "pad struct P: 16 -> 20 bytes", 512, 0),
                                          ("soa", "struct of arrays", 0, 12)]),
    (P + "members.pat", [], "items", "best",
     [("soa", "", -448, 0), ("members", "item by alignment", -256, 0), ("struct", "item: 32 -> 40 bytes", 256, 0)]),
    (P + "swapped.pat", [], "tile", "best", [("order", "swap the dimensions", 0, 0)]),
    (P + "tma.pat", ["--tma"], "box", "best", [("xor", "the 128-byte mode", 0, 0)]),
    (P + "struct12.pat", ["--tma"], "a", "none-found", []),
    ("kernels/transpose", ["--max-bytes", "4096"], "tile", "best", [("xor", "", 0, 0)]),
    ("kernels/ldmatrix_swizzle", [], "smem", "best",
     [("swizzle", "Swizzle<3, 3, 3>", 0, 0), ("flat", "8 elements unused after each 64", 2048, 0)]),
    ("published/01-leetcuda-ldmatrix", [], "s_a", "best", [("xor", "((r >> 2 & 1) << 3)", 0, 0)]),
    ("kernels/histogram_warps", ["--trials", "3"], "s_Hist", "none", []),
    ("kernels/histogram256", ["--trials", "5"], "s_Hist", "none-found", []),
]

# File, the warning it must get, and its place.
WARNED = [
    ("pad_stride.pat", "pad-stride", "6:7"),
    ("pad_stride2.pat", "pad-stride", "6:7"),
    ("swapped.pat", "swapped-index", "6:5"),
    ("half_swizzle.pat", "half-swizzle", "6:5"),
    ("swizzle_unit.pat", "swizzle-unit", "5:18"),
    ("tma_unit.pat", "swizzle-unit", "5:13"),
]
QUIET = ["butterfly.pat", "doubles.pat", "float4_tile.pat", "half64.pat", "tma.pat", "flat.pat"]


class Fix:
    def __init__(self, program, source, folder):
        self.tap = Tap()
        self.program = program
        self.source = source
        self.folder = folder

    def run(self, *args, **more):
        return run(self.program, args, self.source, **more)

    def document(self, *args):
        status, out, err = self.run("fix", "--format", "json", *args)
        return json.loads(out) if status == 0 else self.tap.ok(False, "fix " + " ".join(args), err)

    def original(self, name):
        path = os.path.join(self.source, name)
        return path if os.path.exists(path) else os.path.join(self.source, "patterns", name + ".pat")

    def copy(self, name):
        return shutil.copy(self.original(name), os.path.join(self.folder, os.path.basename(name)))

    def totals(self, path, *options):
        status, out, err = self.run("predict", "--format", "json", path, *options)
        if status:
            return err
        document = json.loads(out)
        reports = document if isinstance(document, list) else [document]
        return {key: sum(r["total"][key] for r in reports) for key in ("cycles", "wavefronts", "excessive", "requests")}


def array_of(document, name):
    found = [a for a in document["arrays"] if a["array"] == name]
    return found[0] if found else None


def check_wanted(fix):
    for name, options, array, verdict, wanted in WANTED:
        label = " ".join([name, *options])
        document = fix.document(name, *options)
        subject = array_of(document, array) if document else None
        if not fix.tap.ok(subject, f"{label}: {array} has an answer"):
            continue
        fix.tap.equal(subject["verdict"], verdict, f"{label}: {array}: how far the answer goes")
        proposals = subject["proposals"]
        for kind, title, growth, left in wanted:
            match = [p for p in proposals if p["kind"] == kind and title in p["title"] and p["bytes"] == growth and
                     p["total"]["excessive"] == left]
            fix.tap.equal(len(match), 1, f"{label}: {array}: {kind} {title}")
        if wanted and proposals:
            fix.tap.equal(proposals[0]["kind"], wanted[0][0], f"{label}: {array}: {wanted[0][0]} is first")
        fix.tap.equal(not proposals, not wanted, f"{label}: {array}: proposals or none")
        order = [(p["total"]["cycles"], p["bytes"]) for p in proposals]
        fix.tap.equal(order, sorted(order), f"{label}: {array}: best first")
        for p in proposals:
            fix.tap.ok(subject["bound"] <= sum(a["cycles"] for a in p["accesses"]),
                       f"{label}: {array}: {p['kind']} does not beat the bound")


def patched(fix, path, diff):
    """The file with the diff applied by patch(1); None where it does not apply."""
    name = os.path.join(fix.folder, "patched.pat")
    shutil.copy(path, name)
    done = subprocess.run(["patch", "--quiet", "--fuzz=0", name], input=diff, capture_output=True, text=True)
    return name if done.returncode == 0 else None


def stock(source):
    folder = os.path.join(source, "patterns")
    for path, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".pat"):
                yield os.path.relpath(os.path.join(path, name), folder)[:-4]


def check_predictions(fix):
    """Each proposal's total is the prediction of the patched file."""
    if not shutil.which("patch"):
        fix.tap.skip("the diffs apply", "no patch")
        return
    for name in sorted({row[0] for row in WANTED} | set(stock(fix.source))):
        options = ["--trials", "3"]
        document = fix.document(name, *options)
        for subject in document["arrays"] if document else []:
            for p in subject["proposals"]:
                label = f"{name}: {subject['array']}: {p['kind']}"
                path = patched(fix, fix.original(name), p["diff"])
                if not fix.tap.ok(path, f"{label}: the diff applies", p["diff"]):
                    continue
                found = fix.totals(path, "--trials", "3")
                trials = p["total"]["requests"] / found["requests"]
                fix.tap.ok(abs(trials - 1) < 1e-9 or abs(trials - 3) < 1e-9, f"{label}: sums over one run or the trials")
                fix.tap.equal({key: round(found[key] * trials) for key in found}, {key: p["total"][key] for key in found},
                              f"{label}: predicted as the patched file")
                added = [line for line in p["diff"].splitlines() if line.startswith("+")]
                taken = [line for line in p["diff"].splitlines() if line.startswith("-")]
                fix.tap.ok("swizzle<" in "".join(taken) or "swizzle<" not in "".join(added),
                           f"{label}: no call of a function that the file does not have")
                fix.tap.ok(not fix.document(path)["arrays"] or p["total"]["excessive"] > 0 or
                           len(document["arrays"]) > 1, f"{label}: and then there is no more to fix")
                status, out, _ = fix.run("check", path)
                before, _, _ = fix.run("check", fix.original(name))
                fix.tap.equal(status, before, f"{label}: expectations hold as before")


def check_schemas(fix):
    def load(name):
        with open(os.path.join(fix.source, "tools/schema", name), encoding="utf-8") as file:
            return json.load(file)
    schema, lanes = load("fix.schema.json"), load("lanes.schema.json")
    for name, options, *_ in WANTED:
        document = fix.document(name, *options)
        fix.tap.equal(list(errors(document, schema, schema)), [], f"{name}: follows the schema")
    document = fix.document("kernels/transpose")
    document["arrays"][0]["verdict"] = "perhaps"
    fix.tap.ok(list(errors(document, schema, schema)), "the schema refuses another verdict")
    for name in (P + "lanes.pat", P + "ldmatrix16.pat", "kernels/transpose", "kernels/stencil"):
        document = fix.document("--lane-map", name)
        fix.tap.equal(list(errors(document, lanes, lanes)), [], f"{name}: lanes follow the schema")


def check_lanes(fix):
    access = fix.document("--lane-map", P + "lanes.pat")["accesses"][0]
    fix.tap.equal((access["wavefronts"], access["lanes"]["excessive"], access["lanes"]["bits"]),
                  (1024, 0, "y0 y1 y2 y3 y4"), "lanes over threadIdx.y")
    fix.tap.equal(access["skew"]["excessive"], 0, "a diagonal")
    found = fix.document("--lane-map", "--array", "b", P + "two.pat")["accesses"]
    fix.tap.equal([a["line"] for a in found], [7], "lanes of one array")
    fix.tap.equal(fix.run("fix", "--lane-map", "--array", "c", P + "two.pat")[0], 2, "lanes of no array")
    access = fix.document("--lane-map", P + "ldmatrix16.pat")["accesses"][0]
    fix.tap.ok("fixed by the instruction" in access["why"] and access["lanes"] is None, "matrix lanes are fixed")
    access = fix.document("--lane-map", P + "serial.pat")["accesses"][0]
    fix.tap.equal((access["lanes"], access["skew"]), (None, None), "no lanes help 32 additions to a word")


def check_apply(fix):
    path = fix.copy(P + "two.pat")
    os.chmod(path, 0o640)
    status, out, err = fix.run("fix", "--apply", path)
    fix.tap.equal((status, fix.totals(path)["excessive"]), (0, 0), "applied to both arrays")
    fix.tap.equal(stat.S_IMODE(os.stat(path).st_mode), 0o640, "the file keeps its mode")
    fix.tap.equal(fix.run("check", "--quiet", path)[0], 0, "its expectations were brought up to date")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    fix.tap.equal(fix.run("fix", "--apply", path)[0], 0, "a second time there is nothing to do")
    with open(path, encoding="utf-8") as file:
        fix.tap.equal(file.read(), text, "and nothing is done")
    fix.tap.equal([n for n in os.listdir(fix.folder) if n.startswith("two.pat.")], [], "nothing is left behind")
    path = fix.copy(P + "two.pat")
    fix.run("fix", "--apply", "--pick", "2", path)
    with open(path, encoding="utf-8") as file:
        fix.tap.ok("a[N][N + 1], b[N][N + 1]" in file.read(), "the second proposal is picked")
    path = fix.copy("kernels/transpose")
    fix.run("fix", "--apply", "--kind", "pad", path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    fix.tap.ok("tile[TILE][TILE + 1];" in text and "// expect: 1-way, 32 wavefronts, 0 excessive" in text,
               "transpose is padded, its comments follow", text)
    path = fix.copy(P + "flat.pat")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    os.chmod(path, 0o444)
    status, _, err = fix.run("fix", "--apply", path)
    with open(path, encoding="utf-8") as file:
        fix.tap.ok(status == 2 and "read-only" in err and file.read() == text, "a read-only file stays as it is", err)
    link = os.path.join(fix.folder, "link.pat")
    target = fix.copy(P + "doubles.pat")
    os.symlink(target, link)
    fix.run("fix", "--apply", link)
    fix.tap.ok(os.path.islink(link) and fix.totals(target)["excessive"] == 0, "a link stays a link")


def check_global_side(fix):
    """What an index shares with global memory is not changed: only requests to shared memory are proved."""
    for p in array_of(fix.document(P + "offset.pat"), "As")["proposals"]:
        kept = [line for line in p["diff"].splitlines() if line.startswith("-") and "off = x" in line]
        fix.tap.equal(kept, [], f"offset.pat: {p['kind']}: the offset of global memory stays")
    for p in array_of(fix.document("--align", "16", P + "flat.pat"), "buf")["proposals"]:
        fix.tap.ok(p["kind"] == "flat" or "Swizzle<3, 2, " in p["title"], f"--align 16: {p['title']} keeps 16 bytes whole")


def check_constraints(fix):
    document = fix.document("kernels/transpose", "--max-bytes", "4096")
    fix.tap.equal([p["kind"] for p in document["arrays"][0]["proposals"] if p["bytes"] > 0], [],
                  "nothing grows past --max-bytes")
    document = fix.document(P + "half64.pat", "--kind", "pad", "--max-bytes", "8200")
    fix.tap.equal(document["arrays"][0]["verdict"], "none-found", "no padding fits 8 bytes")
    document = fix.document(P + "limit.pat", "--kind", "pad")
    fix.tap.equal([(p["bytes"], p["total"]["excessive"]) for p in document["arrays"][0]["proposals"]],
                  [(256, 0)], "a pad that fits is found near the limit")
    document = fix.document(P + "float4_tile.pat", "--max-pad", "3")
    fix.tap.equal([p["kind"] for p in document["arrays"][0]["proposals"] if p["kind"] == "pad"], [],
                  "a pad that breaks float4 is no fix")
    document = fix.document("kernels/ldmatrix_swizzle")
    pad = [p for p in document["arrays"][0]["proposals"] if p["kind"] == "flat"][0]
    fix.tap.equal((document["launches"][0]["blocks_per_sm"], pad["launches"][0]["blocks_per_sm"]), (13, 12),
                  "blocks to an SM, before and after")


def check_single_struct(fix):
    """A struct that stands alone has no layout to search: its cost is still what it is."""
    path = os.path.join(fix.folder, "single.pat")
    with open(path, "w") as file:
        file.write("struct T { float d[1024]; __device__ float &at(int i) { return d[i]; } };\n__shared__ T tile;\n"
                   "tile.at(threadIdx.x * 32) = 1;\n")
    status, out, err = fix.run("fix", path)
    fix.tap.ok(status == 0 and "31 of 32 wavefronts excessive" in out and "no other layout" in out and
               "18446744073709551615" not in out, "a single struct", out + err)


def check_many(fix):
    """No array and no launch is one too many to count."""
    path = os.path.join(fix.folder, "many.pat")
    with open(path, "w") as file:
        file.write("".join(f"__shared__ float a{i}[32];\n" for i in range(70)) +
                   "__shared__ float z[1024];\nfloat v = z[threadIdx.x * 32];\n")
    document = fix.document(path)
    fix.tap.equal([(a["array"], a["verdict"]) for a in document["arrays"]], [("z", "best")], "the 71st array")
    with open(path, "w") as file:
        file.write("__global__ void k(float *o)\n{\n    __shared__ float z[32][32];\n"
                   "    o[threadIdx.x] = z[threadIdx.x][0];\n}\n" + "k<<<1, 32>>>(o);\n" * 20)
    array = fix.document(path)["arrays"][0]
    fix.tap.equal((array["verdict"], array["proposals"][0]["total"]["cycles"]), ("best", 20), "20 launches")


# ---- random kernels whose helpers serve two arrays, priced again without the model ----

HELPERS = """__device__ float get(float *p, int r, int c) { return p[r * %(n)d + c]; }
__device__ void put(float *p, int i, float v) { p[i] = v; }
"""


def random_kernel(rng):
    """Two or three flat arrays of rows of n; helpers and plain accesses, read and written by lane."""
    n, names = rng.choice([8, 16, 32]), "abc"[:rng.choice([2, 2, 3])]
    rows = {"r": ["x", "x / 2", "x % 16", "(x * 3) % 32", "x % 4 * 8", "x ^ 5"], "c": ["0", "1", "x % 4", "x / 16"]}
    lines = [f"    __shared__ float {', '.join(f'{a}[{32 * n}]' for a in names)};", "    int x = threadIdx.x;",
             "    float *q = x & 1 ? a : b;"]
    for _ in range(rng.randrange(3, 7)):
        a, r, c = rng.choice(names), rng.choice(rows["r"]), rng.choice(rows["c"])
        lines.append("    " + rng.choice([f"o[x] = get({a}, {r}, {c});", f"put({a}, ({r}) * {n} + {c}, 1.0f);",
                                          f"o[x] = {a}[({r}) * {n} + {c}];", f"o[x] = q[({r}) * {n} + {c}];"]))
    return HELPERS % {"n": n} + "__global__ void k(float *o)\n{\n" + "\n".join(lines) + "\n}\nk<<<1, 32>>>(o);\n"


def requests_of(fix, path):
    """The addresses of each request, in order: all are of 4 bytes."""
    _, out, _ = fix.run("lower", path)
    rows = [line.split(",") for line in out.splitlines() if line and line[0] != "#"]
    at = rows[0].index("a0")
    return [(row[0], [int(a) for a in row[at:at + 32] if a]) for row in rows[1:]]


def wavefronts_of(addresses):
    """A pass gives one word a bank."""
    banks = {}
    for word in {a // 4 for a in addresses}:
        banks[word % 32] = banks.get(word % 32, 0) + 1
    return max(banks.values())


def check_random(fix):
    if not shutil.which("patch"):
        fix.tap.skip("random kernels", "no patch")
        return
    path, proposals = os.path.join(fix.folder, "random.pat"), 0
    for seed in range(24):
        with open(path, "w") as file:
            file.write(random_kernel(random.Random(seed)))
        document, old = fix.document(path), requests_of(fix, path)
        before = sum(wavefronts_of(a) for _, a in old)
        excess = before - len(old)
        fix.tap.equal(sum(a["verdict"] is not None for a in document["arrays"]) > 0, excess > 0,
                      f"seed {seed}: there is something to fix where there is excess")
        for subject in document["arrays"]:
            for p in subject["proposals"]:
                label = f"seed {seed}: {subject['array']}: {p['kind']}"
                changed = patched(fix, path, p["diff"])
                if not fix.tap.ok(changed, f"{label}: the diff applies", p["diff"]):
                    continue
                new = requests_of(fix, changed)
                after = sum(wavefronts_of(a) for _, a in new)
                fix.tap.equal((p["total"]["wavefronts"], document["total"]["wavefronts"]), (after, before),
                              f"{label}: costs what is counted bank by bank")
                pairs = {pair for (_, a), (_, b) in zip(old, new) for pair in zip(a, b)}
                fix.tap.equal((len(pairs), len(pairs), [op for op, _ in new]),
                              (len({a for a, _ in pairs}), len({b for _, b in pairs}), [op for op, _ in old]),
                              f"{label}: each element has one new place, and no two the same")
                if subject["verdict"] == "best" and p is subject["proposals"][0]:
                    fix.tap.ok(after < before, f"{label}: the proof is of a gain")
                proposals += 1
    fix.tap.ok(proposals > 20, f"random kernels had {proposals} proposals")


def check_warnings(fix):
    for name, flag, place in WARNED:
        for command in ("predict", "check"):
            _, _, err = fix.run(command, P + name)
            fix.tap.ok(f"{P}{name}:{place}: warning:" in err and f"[-W{flag}]" in err,
                       f"{command} {name}: {flag}", err)
            _, _, err = fix.run(command, "-W", f"no-{flag}", P + name)
            fix.tap.ok("warning:" not in err, f"{command} {name}: {flag} is switched off", err)
    for name in QUIET:
        _, _, err = fix.run("predict", P + name)
        fix.tap.ok("warning:" not in err, f"predict {name}: no warning", err)


def main():
    program, source = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        fix = Fix(program, source, folder)
        check_wanted(fix)
        check_predictions(fix)
        check_schemas(fix)
        check_lanes(fix)
        check_apply(fix)
        check_global_side(fix)
        check_constraints(fix)
        if "--without-cxx" not in sys.argv:
            check_single_struct(fix)
        check_many(fix)
        check_random(fix)
        check_warnings(fix)
        fix.tap.done()


main()
