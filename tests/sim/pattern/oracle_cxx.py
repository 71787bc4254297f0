# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs in C++ (programs.py), run by bankwise and by the C++ compiler: what they compute must agree.

usage: oracle_cxx.py BANKWISE SOURCE_ROOT CXX [FIRST_SEED [COUNT [--small] [--sites] [--refusals] [--keep FOLDER]]]

Each thread of a program ends with a number that depends on all it computed, and stores to bytes of
shared memory whose addresses spell it; bankwise lists these addresses. A program that is refused is
counted, and no more than a share may be: a wrong number is what must not be. --sites records every
value, for finding where a program departs; --refusals says why those refused were; --keep keeps files that
differ or are refused.

Some hundreds of programs are one compilation. Long runs are cut into such batches.
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
sys.path.insert(0, HERE)
from tap import Tap, environment  # noqa: E402
from programs import Program  # noqa: E402

THREADS = 40  # a whole warp and a part of one
BATCH = 250
REFUSED = 0.05
RECORDED = 40 * 1024

RECORD = """
#define PART(site, value, by) s[(site) % 40 * 1024 + (int)(((value) >> (by)) & 1023)] = 0
#define RECORD(site, value) { unsigned long long r_ = (unsigned long long)(value); PART(site, r_, 0); \\
    PART(site, r_, 10); PART(site, r_, 20); PART(site, r_, 30); PART(site, r_, 40); PART(site, r_, 50); \\
    PART(site, r_, 60); }
"""
FOLDED = """
#define NOTE(site, value) { acc = (acc ^ (unsigned long long)(value)) * 0x9e3779b97f4a7c15ull; acc ^= acc >> 29; }
"""
EACH = """
#define NOTE(site, value) RECORD(site, value)
"""
# CUDA Math API, "Integer Mathematical Functions" and "Integer Intrinsics": of mul24 only the low 24
# bits count, sign-extended where it is signed; min and max of one width mix signs as unsigned.
HOST = """
#include <cstdio>
#include <utility>
static struct { unsigned x; } threadIdx;
static int trace[1 << 20], traced;
static char sink;
static char &note(int at) { if (traced < 1 << 20) trace[traced++] = at; return sink; }
struct recorder { char &operator[](int at) const { return note(at); } } static const s{};
#define OTHER_TAGS int tag(char) { return 3; } int tag(long) { return 11; } int tag(unsigned long) { return 12; }
#define __device__
#define __global__ static
#define __constant__ static const
#define BOTH(A, B, R) \\
    static inline R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; } \\
    static inline R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define PAIRS(T) BOTH(T, T, T) BOTH(unsigned T, unsigned T, unsigned T) BOTH(T, unsigned T, unsigned T) BOTH(unsigned T, T, unsigned T)
PAIRS(int) PAIRS(long) PAIRS(long long)
static inline int abs(int v) { return v < 0 ? -v : v; }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __clz(int v) { return v ? __builtin_clz(v) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __ffsll(long long v) { return __builtin_ffsll(v); }
static inline unsigned __brev(unsigned v) { unsigned r = 0; for (int i = 0; i < 32; i++) r |= (v >> i & 1) << (31 - i); return r; }
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
static inline int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
"""


def compiled(cxx, programs, macros, folder):
    """What each thread of each program stores, as the compiler's program does it."""
    parts = [HOST, RECORD, macros]
    for p in programs:
        parts.append(f"namespace of_{p.kernel} {{\n{p.text}}}\n")
    cases = "".join(f"        of_{p.kernel}::{p.kernel}(); break; case {k + 1}:\n" for k, p in enumerate(programs))
    parts.append(f"""
int main() {{
    for (int k = 0; k < {len(programs)}; k++)
        for (unsigned t = 0; t < {THREADS}; t++) {{
            threadIdx.x = t; traced = 0;
            switch (k) {{
                case 0:
{cases}                default: break;
            }}
            for (int i = 0; i < traced; i++) std::printf("%d ", trace[i]);
            std::printf("\\n");
        }}
}}
""")
    source, program = os.path.join(folder, "all.cpp"), os.path.join(folder, "all")
    with open(source, "w") as f:
        f.write("\n".join(parts))
    subprocess.run([*cxx, "-std=c++17", "-w", "-O0", "-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing", "-o", program, source],
                   check=True)
    out = subprocess.run([program], capture_output=True, check=True, text=True).stdout.splitlines()
    return [[[int(a) for a in out[k * THREADS + t].split()] for t in range(THREADS)] for k in range(len(programs))]


def predicted(bankwise, root, program, macros, path):
    """The same of bankwise, and what it says where it refuses."""
    with open(path, "w") as f:
        f.write(f"__shared__ char s[{RECORDED}];\n{RECORD}{macros}#define OTHER_TAGS\n{program.text}{program.kernel}<<<1, {THREADS}>>>();\n")
    done = subprocess.run([bankwise, "lower", path], cwd=root, env=environment(root), capture_output=True, timeout=120)
    if done.returncode:
        return None, done.returncode, done.stderr.decode(errors="replace")
    threads = [[] for _ in range(THREADS)]
    rows = [line.split(",") for line in done.stdout.decode().splitlines() if line and not line.startswith("#")]
    head = {name: i for i, name in enumerate(rows[0])}
    active, warp, first = head["active"], head["warp"], head["a0"]
    for row in rows[1:]:
        lanes, base = int(row[active], 16), int(row[warp]) * 32
        for lane in range(32):
            if lanes >> lane & 1:
                threads[base + lane].append(int(row[first + lane]))
    return threads, 0, ""


def difference(found, expected):
    for t in range(THREADS):
        if found[t] != expected[t]:
            at = next((i for i, (x, y) in enumerate(zip(found[t], expected[t])) if x != y), min(len(found[t]), len(expected[t])))
            return f"thread {t}, access {at}: found {found[t][at:at + 3]}, C++ {expected[t][at:at + 3]}"
    return ""


def main():
    bankwise, root, cxx = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3].split()
    numbers = [a for a in sys.argv[4:] if a.isdigit()]
    first, count = int(numbers[0]) if numbers else 1, int(numbers[1]) if len(numbers) > 1 else BATCH
    macros = EACH if "--sites" in sys.argv else FOLDED
    keep = sys.argv[sys.argv.index("--keep") + 1] if "--keep" in sys.argv else None
    tap, agreed, refused, reasons = Tap(), 0, 0, Counter()
    for start in range(first, first + count, BATCH):
        programs = [Program(seed, "--small" in sys.argv) for seed in range(start, min(start + BATCH, first + count))]
        with tempfile.TemporaryDirectory() as folder:
            expected = compiled(cxx, programs, macros, folder)
            for k, p in enumerate(programs):
                path = os.path.join(keep or folder, f"{p.kernel}.pat")
                found, status, said = predicted(bankwise, root, p, macros, path)
                if found is None and status == 2:
                    refused += 1
                    lines = [line.split(": ", 1)[-1] for line in said.splitlines() if "error:" in line]
                    reasons[lines[0] if lines else said[:200]] += 1
                    continue
                wrong = f"exit status {status}\n{said}" if found is None else difference(found, expected[k])
                agreed += not wrong
                if wrong:
                    tap.ok(False, f"seed {start + k}", wrong)
                    sys.stdout.flush()
                elif keep:
                    os.remove(path)
    tap.ok(agreed + refused == count or tap.failed, f"{agreed} programs as C++ has them")
    tap.ok(refused <= REFUSED * count, f"{refused} of {count} refused", "\n".join(f"{n} {r}" for r, n in reasons.most_common(8)))
    if "--refusals" in sys.argv:
        for reason, n in reasons.most_common(60):
            print(f"# {n} {reason}")
    tap.done()


if __name__ == "__main__":
    main()
