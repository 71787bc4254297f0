#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What nvcc joins, and what --join predicts of it.

    joins.py BANKWISE RECORDING             compare
    joins.py --record ARCH > RECORDING      needs nvcc and cuobjdump

The recording has a row for each kernel: straight-line code of one warp, written in the common part
of CUDA and the pattern language, and how many loads and stores of each width its machine code has.
The kernels named after a rule must agree. Those made at random are counted: a compiler's choice also
hangs on what it does with registers, which is not modelled.
"""

import collections
import csv
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from tap import Tap  # noqa: E402

OPS = ["ld.32", "ld.64", "ld.128", "st.32", "st.64", "st.128"]
RANDOM = 600    # kernels at random
LEAST = 0.98    # of which so many must agree
TOGETHER = 100  # kernels a compilation: its time grows faster than their number

# Between this the compiler must take the arrays to be written, and read, by others.
USED = 'asm volatile("" :: "l"(a), "l"(b) : "memory");'


def loads(words, base="t * 8"):
    return "v = " + " + ".join(f"a[{base} + {w}] * {n + 1}.5f" for n, w in enumerate(words)) + ";"


def loop(count, index):
    return f"for (int k = 0; k < {count}; k++) v += a[{index}] * x1;"


# name: code. Arrays: float a[2048], b[2048]; t is threadIdx.x.
RULES = {
    "four words": loads([0, 1, 2, 3]),
    "three words": loads([0, 1, 2]),
    "three words, the first missing": loads([1, 2, 3]),
    "three words, one between missing": loads([0, 1, 3]),
    "a half": loads([2, 3]),
    "two words of two halves": loads([1, 2]),
    "two words apart": loads([0, 2]),
    "two stretches": loads([3, 4]),
    "across stretches": loads([1, 2, 3, 4]),
    "halves of two stretches": loads([2, 3, 4, 5]),
    "six words": loads([0, 1, 2, 3, 4, 5]),
    "backwards": loads([3, 2, 1, 0]),
    "a word again": loads([0, 0, 1]),
    "rows of 2 words": loads([0, 1, 2, 3], "t * 2"),
    "rows of 4 words": loads([0, 1, 2, 3], "t * 4"),
    "rows of 6 words": loads([0, 1, 2, 3], "t * 6"),
    "rows of 12 words": loads([0, 1, 2, 3], "t * 12"),
    "rows of 3 words": loads([0, 1, 2, 3], "t * 3"),
    "rows of 33 words": loads([0, 1, 2, 3], "t * 33"),
    "rows that begin at a half": loads([2, 3, 4, 5], "t * 4"),
    "rows as long as the block": loads([0, 1, 2, 3], "t * blockDim.x"),
    "rows as long as an argument": loads([0, 1, 2, 3], "t * (int)x0"),
    "neighbouring lanes": loads([0, 1, 2, 3], "t"),
    "masked": loads([0, 1, 2, 3], "(t & 28)"),
    "shifted": loads([0, 1, 2, 3], "(t << 2)"),
    "swizzled by whole stretches": loads([0, 1, 2, 3], "((t * 4) ^ (t / 8 << 2))"),
    "swizzled by words": loads([0, 1, 2, 3], "((t * 4) ^ (t / 8))"),
    "all lanes alike": loop(8, "k"),
    "loop of 8": loop(8, "t * 8 + k"),
    "loop of 32": loop(32, "t * 32 + k"),
    "loop of 16 down a column": loop(16, "k * 32 + t"),
    "row by column": "for (int k = 0; k < 16; k++) v += a[t / 16 * 16 + k] * b[k * 16 + t % 16];",
    "stores of a half": "b[t * 4] = x0; b[t * 4 + 1] = x1;",
    "stores of two halves' words": "b[t * 4 + 1] = x0; b[t * 4 + 2] = x1;",
    "stores of three words": "b[t * 4] = x0; b[t * 4 + 1] = x1; b[t * 4 + 2] = x2;",
    "stores of four words": "b[t * 4 + 3] = x0; b[t * 4 + 2] = x1; b[t * 4 + 1] = x2; b[t * 4] = x3;",
    "copies": "for (int k = 0; k < 4; k++) b[t * 4 + k] = a[t * 4 + k] * x1;",
    "a store between": "v = a[t * 4]; b[t] = x0; v += a[t * 4 + 1];",
    "a barrier between": "v = a[t * 4]; __syncthreads(); v += a[t * 4 + 1];",
    "__syncwarp between": "v = a[t * 4]; __syncwarp(); v += a[t * 4 + 1];",
    "a shuffle between": "v = a[t * 4]; v = __shfl_xor_sync(0xffffffff, v, 1); v += a[t * 4 + 1];",
    "a global load between": "v = a[t * 4] * out[100]; v += a[t * 4 + 1];",
    "an 8-byte load and two words": "float2 w = *(float2 *)&a[t * 4 + 2]; v = a[t * 4] + a[t * 4 + 1] * w.x * w.y;",
    "8-byte loads": "float2 *p = (float2 *)a; for (int k = 0; k < 4; k++) v += p[t * 4 + k].x * p[t * 4 + k].y;",
    "members of 12 bytes": "struct P { float x, y, z; }; P *p = (P *)a; v = p[t].x + p[t].y * p[t].z;",
    "members of 16 bytes": "struct P { float x, y, z, w; }; P *p = (P *)a; v = p[t].x + p[t].y * p[t].z + p[t].w;",
    "volatile": "volatile float *p = a; for (int k = 0; k < 4; k++) v += p[t * 4 + k];",
}


def at_random(rng):
    """Loads of a and stores to b, no word twice; now and then something between."""
    rows = {x: rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 32, 33]) for x in "ab"}
    left = {x: list(range(16)) for x in "ab"}

    def take(x, count, even=False):
        fits = [w for w in left[x] if all(w + k in left[x] for k in range(count)) and not (even and w % 2)]
        if not fits:
            return None
        word = rng.choice(fits)
        for k in range(count):
            left[x].remove(word + k)
        return f"t * {rows[x]} + {word}"

    lines = []
    for n in range(rng.randint(2, 9)):
        what = rng.choice(["load"] * 8 + ["store"] * 4 + ["loads"] * 2 + ["stores", "pair", "barrier", "warp", "global"])
        if what == "load" and (i := take("a", 1)):
            lines.append(f"v += a[{i}] * {n + 1}.5f;")
        elif what == "store" and (i := take("b", 1)):
            lines.append(f"b[{i}] = x{n % 4};")
        elif what == "loads" and (i := take("a", m := rng.choice([2, 3, 4, 8]))):
            lines.append(f"for (int k = 0; k < {m}; k++) v += a[{i} + k] * x{n % 4};")
        elif what == "stores" and (i := take("b", m := rng.choice([2, 4, 8]))):
            lines.append(f"for (int k = 0; k < {m}; k++) b[{i} + k] = x{n % 4} + k;")
        elif what == "pair" and rows["a"] % 2 == 0 and (i := take("a", 2, True)):
            lines.append(f"{{ float2 w = *(float2 *)&a[{i}]; v += w.x * w.y * {n + 1}.5f; }}")
        elif what == "barrier":
            lines.append("__syncthreads();")
        elif what == "warp":
            lines.append("__syncwarp();")
        elif what == "global":
            lines.append(f"v += out[{100 + n}];")
    return " ".join(lines)


def kernel(name, code, used=""):
    return (f'extern "C" __global__ void {name}(float *out, float x0, float x1, float x2, float x3)\n{{\n'
            f"    __shared__ float a[2048], b[2048];\n    int t = threadIdx.x;\n    float v = 0;\n    {used}\n"
            f"    {code}\n    {used}\n    out[t] = v;\n}}\n")


# ---- recording ----

WIDTH = {None: "32", "64": "64", "128": "128"}


def machine_code(cubin):
    """{kernel: {op: count}} of loads and stores; ptxas's dummies, which never run, left out."""
    text = subprocess.run(["cuobjdump", "-sass", cubin], capture_output=True, text=True, check=True).stdout
    counts, now = {}, None
    for line in text.splitlines():
        if match := re.search(r"Function : (\w+)", line):
            now = counts.setdefault(match[1], collections.Counter())
        elif (match := re.search(r"\b(LDS|STS)(?:\.(64|128))?\b(?!\.U)", line)) and "@!PT" not in line:
            now[("ld." if match[1] == "LDS" else "st.") + WIDTH[match[2]]] += 1
    return counts


def record(arch):
    rng = random.Random(1)
    rows = list(RULES.items()) + [(f"random {n}", at_random(rng)) for n in range(RANDOM)]
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, len(rows), TOGETHER):
            source, cubin = os.path.join(folder, "k.cu"), os.path.join(folder, "k.cubin")
            with open(source, "w", encoding="utf-8") as file:
                for n, (_, code) in enumerate(rows[first:first + TOGETHER], first):
                    file.write(kernel(f"k{n}", code, USED))
            subprocess.run(["nvcc", f"-arch={arch}", "-cubin", "-o", cubin, source], check=True)
            counts.update(machine_code(cubin))
    version = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True).stdout
    out = csv.writer(sys.stdout, lineterminator="\n")
    sys.stdout.write(f"# compiler: nvcc {re.search(r'V([0-9.]+)', version)[1]}, -arch={arch}\n"
                     "# what: loads and stores of shared memory in the machine code of each kernel, by width\n"
                     f"# command: tests/sim/pattern/joins.py --record {arch}\n")
    out.writerow(["kernel", "code", *OPS])
    for n, (name, code) in enumerate(rows):
        out.writerow([name, code, *(counts[f"k{n}"][op] for op in OPS)])


# ---- comparing ----

def predicted(program, code, folder):
    path = os.path.join(folder, "k.pat")
    with open(path, "w", encoding="utf-8") as file:
        file.write(kernel("k", code) + "k<<<1, 32>>>(out, 8.0f, 2.0f, 3.0f, 4.0f);\n")
    result = subprocess.run([program, "lower", "--quiet", "--join", path], capture_output=True, text=True)
    counts = collections.Counter(line.split(",")[0] for line in result.stdout.splitlines() if line[:1] not in "#o")
    return result.stderr or [counts[op] for op in OPS]


def compare(program, recording):
    tap = Tap()
    with open(recording, encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    names = [row["kernel"] for row in rows if not row["kernel"].startswith("random")]
    tap.equal(sorted(names), sorted(RULES), "the recording has every rule")
    differ = []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            found = predicted(program, row["code"], folder)
            recorded = [int(row[op]) for op in OPS]
            if row["kernel"] in RULES:
                tap.equal(row["code"], RULES[row["kernel"]], f"{row['kernel']}: the kernel recorded is the one here")
                tap.equal(found, recorded, f"{row['kernel']}: {row['code']}")
            elif found != recorded:
                differ.append(f"{row['code']}\n  nvcc {recorded}, predicted {found}")
    count = len(rows) - len(names)
    tap.ok(count >= 500 and len(differ) <= (1 - LEAST) * count,
           f"{count - len(differ)} of {count} kernels made at random agree", "\n".join(differ))
    tap.done()


if sys.argv[1] == "--record":
    record(sys.argv[2])
else:
    compare(os.path.abspath(sys.argv[1]), sys.argv[2])
