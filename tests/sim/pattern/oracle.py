# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs, run by bankwise and, thread by thread, by the C compiler: the accesses must agree.

usage: oracle.py BANKWISE SOURCE_ROOT CC [FIRST_SEED [COUNT]]

A program is text that means the same in a pattern file and in C: integers of every width, floats,
structs, arrays, pointers, calls, and any nesting of if, for, while, do, switch, break, continue and
return. Its results are observed as addresses: RECORD(site, value) stores to a byte of shared memory
that encodes the value's bits. C runs each thread on its own; bankwise runs whole warps under
divergence. For each thread, the addresses that bankwise lists while the thread is active must be
those that C recorded, in order.

C's undefined behaviour is avoided where CUDA defines it (shift counts, divisors, float to integer);
signed overflow wraps in both (-fwrapv).
"""

import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))
from tap import Tap, run  # noqa: E402

THREADS = 48  # a whole warp and a part of one
BLOCKS = 2    # bankwise evaluates one where it finds them alike
RECORDED = 40 * 1024

INTEGERS = ["bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int",
            "long", "unsigned long", "long long", "unsigned long long"]
PRELUDE = """
#define PART(site, value, by) s[(site) * 1024 + (int)(((value) >> (by)) & 1023)] = 0
#define RECORD(site, value) { unsigned long long r_ = (unsigned long long)(value); PART(site, r_, 0); \\
    PART(site, r_, 10); PART(site, r_, 20); PART(site, r_, 30); PART(site, r_, 40); PART(site, r_, 50); \\
    PART(site, r_, 60); }
#define BRIEF(site, value) s[(site) * 1024 + (int)((value) & 1023)] = 0
struct pair { char low; int high; };
struct box { short first; struct pair p[2]; long long last; unsigned char tail[3]; };
union word { float f; unsigned int u; unsigned char b[4]; };
__device__ struct pair make_pair(int a, int b) { struct pair p = {a, b}; if (b & 1) p.high += a; return p; }
__device__ int low(struct pair p) { p.low += 1; return p.low; }
__device__ int bump(int *at, int by) { for (int i = 0; i < (by & 3); i++) { if (*at % 5 == 4) return i; *at += by; } return *at; }
__device__ short sum(const short *row, int n) { short r = 0; while (n-- > 0) r += row[n]; return r; }
"""
C_PRELUDE = """
#include <stdbool.h>
#include <stdio.h>
static struct { unsigned x; } threadIdx, blockIdx;
static int trace[1 << 20], traced;
static char sink;
static char *note(int at) { if (traced < 1 << 20) trace[traced++] = at; return &sink; }
#define __device__ static
#define __global__ static
#define __shared__ static
#define s(at) (*note(at))
"""


class Writer:
    """Writes one random program."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines = []
        self.level = 1
        self.scopes = [[]]  # (name, type) of scalars
        self.names = 0
        self.sites = 0
        self.functions = []
        self.loops = 0
        self.budget = 60
        self.in_loop = self.in_switch = False
        self.blocks_differ = self.r.random() < 0.5

    def put(self, text):
        self.lines.append("    " * self.level + text)

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def site(self):
        self.sites += 1
        return self.sites % 40

    def variables(self, integer=True):
        return [v for scope in self.scopes for v in scope if not integer or v[1] in INTEGERS]

    # ---- expressions -----------------------------------------------------------------------------

    def leaf(self):
        choice = self.r.random()
        if choice < 0.7:
            return self.r.choice(self.variables())[0]
        if choice < 0.8:
            return "blockIdx.x" if self.blocks_differ and self.r.random() < 0.3 else "threadIdx.x"
        return self.r.choice(["0", "1", "2", "3", "7", "31", "32", "255", "1000", "65535u", "0x7fffffff", "0x80000000",
                              "4294967295u", "12345678901ll", "0xffffffffffffull", "'a'", "1ull", "5ll"])

    def pure(self, depth):
        """An integer expression without side effects."""
        if depth <= 0 or self.r.random() < 0.15:
            return self.leaf()
        a = lambda: self.pure(depth - 1)  # noqa: E731
        form = self.r.randrange(16)
        if form < 5:
            return f"({a()} {self.r.choice(['+', '-', '*', '&', '|', '^'])} {a()})"
        if form == 5:
            return f"({a()} {self.r.choice(['/', '%'])} (({a()} & 15) + 1))"
        if form == 6:
            wide = self.r.random() < 0.3
            left = f"(({self.r.choice(['long long', 'unsigned long long'])}){a()})" if wide else \
                f"(({self.r.choice(['int', 'unsigned int', 'short', 'unsigned char'])}){a()})"
            return f"({left} {self.r.choice(['<<', '>>'])} ({a()} & {63 if wide else 31}))"
        if form == 7:
            return f"({a()} {self.r.choice(['<', '<=', '>', '>=', '==', '!='])} {a()})"
        if form == 8:
            return f"({a()} {self.r.choice(['&&', '||'])} {a()})"
        if form == 9:
            return f"({a()} ? {a()} : {a()})"
        if form == 10:
            return f"({self.r.choice(['-', '~', '!', '+'])}{a()})"
        if form == 11:
            return f"(({self.r.choice(INTEGERS)}){a()})"
        if form == 12:
            return f"((long long)({self.real(2)}))"
        if form == 13 and self.functions:
            name, count = self.r.choice(self.functions)
            return f"{name}({', '.join(self.pure(depth - 2) for _ in range(count))})"
        if form == 14:
            return f"({self.real(1)} {self.r.choice(['<', '<=', '>', '>=', '==', '!='])} {self.real(1)})"
        return f"({a()}, {a()})" if self.r.random() < 0.3 else f"({a()} - {a()})"

    def real(self, depth):
        """A floating expression whose value stays far below 2^63."""
        if depth <= 0:
            kind = self.r.choice(["float", "double"])
            return f"(({kind})({self.pure(1)} & {self.r.choice([7, 1023])}))" if self.r.random() < 0.7 else \
                self.r.choice(["1.5f", "0.1", "3.0f", "1e3", ".5f", "2.25"])
        a, b = self.real(depth - 1), self.real(depth - 1)
        form = self.r.randrange(5)
        if form == 4:
            return f"({a} / ({b} * {b} + 1.0f))"  # the divisor is at least 1
        return f"({a} {['+', '-', '*', '-'][form]} {b})"

    def effect(self, depth):
        """An expression with side effects, each sequenced before what reads it."""
        if depth <= 0:
            return self.pure(2)
        name, _ = self.r.choice(self.writable())
        form = self.r.randrange(7)
        e = lambda: self.effect(depth - 1)  # noqa: E731
        if form == 0:
            return f"({e()} && {e()})"
        if form == 1:
            return f"({e()} || {e()})"
        if form == 2:
            return f"({e()} ? {e()} : {e()})"
        if form == 3:
            return f"({e()}, {e()})"
        if form == 4:
            return f"({name} = {self.pure(2)})"
        if form == 5:
            return f"({name} {self.r.choice(['+=', '-=', '*=', '&=', '|=', '^='])} {self.pure(2)})"
        plain = [v for v in self.writable() if v[1] != "bool"]
        name = self.r.choice(plain)[0] if plain else None
        return self.r.choice(["{}++", "{}--", "++{}", "--{}"]).format(name) if name else self.pure(2)

    def writable(self):
        return [v for v in self.variables() if not v[0].startswith("n")]

    # ---- statements ------------------------------------------------------------------------------

    def declare(self, kind=None):
        kind = kind or self.r.choice(INTEGERS)
        name = self.name("v")
        self.put(f"{kind} {name} = {self.pure(3)};")
        self.scopes[-1].append((name, kind))

    def block(self, depth, size=3):
        self.put("{")
        self.level += 1
        self.scopes.append([])
        for _ in range(self.r.randint(1, size)):
            self.statement(depth)
        self.scopes.pop()
        self.level -= 1
        self.put("}")

    def loop(self, depth):
        self.loops += 1
        saved = self.in_loop, self.in_switch
        n = self.name("n")
        form = self.r.randrange(3)
        bound = f"(int)({self.pure(2)} & {self.r.choice([1, 3, 5])})"
        self.put("{")
        self.level += 1
        self.scopes.append([(n, "int")])
        self.in_loop, self.in_switch = True, False
        if form == 0:
            self.put(f"for (int {n} = 0; {n} < {bound}; {n}++)")
            self.block(depth - 1)
        elif form == 1:
            self.put(f"int {n} = {bound};")
            self.put(f"while ({n}-- > 0)")
            self.block(depth - 1)
        else:
            self.put(f"int {n} = {bound};")
            self.put("do")
            self.block(depth - 1)
            self.put(f"while (--{n} > 0);")
        self.scopes.pop()
        self.level -= 1
        self.put("}")
        self.in_loop, self.in_switch = saved
        self.loops -= 1

    def switch(self, depth):
        saved = self.in_switch
        self.in_switch = True
        self.put(f"switch ({self.pure(2)} {self.r.choice(['& 3', '% 5', '% 3'])}) {{")
        labels = [f"case {v}:" for v in self.r.sample(range(-2, 5), self.r.randint(1, 4))]
        if self.r.random() < 0.7:
            labels.insert(self.r.randint(0, len(labels)), "default:")
        self.level += 1
        for label in labels:
            self.put(label)
            if self.r.random() < 0.85:
                self.block(depth - 1, 2)
                if self.r.random() < 0.7:
                    self.put("break;")
        self.put(";")
        self.level -= 1
        self.put("}")
        self.in_switch = saved

    def jump(self):
        words = ["return;"] if self.level > 2 and self.result is None and self.r.random() < 0.2 else []
        if self.result is not None and self.r.random() < 0.5:
            words.append(f"return {self.pure(2)};")
        if self.in_loop:
            words.append("continue;")
        if self.in_loop or self.in_switch:
            words.append("break;")
        if words:
            self.put(f"if ({self.pure(2)} {self.r.choice(['& 1', '& 4', '% 3 == 0'])}) {self.r.choice(words)}")

    def objects(self):
        """Structs, arrays and pointers: memory of the lane."""
        form = self.r.randrange(11)
        index = f"{self.pure(1)} & 1"
        if form == 0:
            self.put(f"b.p[{index}].{self.r.choice(['low', 'high'])} = {self.pure(2)};")
        elif form == 1:
            self.put(f"a[{self.pure(2)} & 7] {self.r.choice(['=', '+=', '^='])} {self.pure(2)};")
        elif form == 2:
            self.put(f"c = b; c.p[0] = b.p[{index}]; b.last += c.p[1].high; b.tail[{self.pure(1)} & 1] = {self.pure(1)};")
        elif form == 3:
            self.put(f"{{ int *q = &a[{self.pure(1)} & 7]; *q = {self.pure(2)}; q = &b.p[{index}].high; *q += 3; }}")
        elif form == 4:
            self.put(f"b.p[{index}] = make_pair({self.pure(1)}, {self.pure(1)}); a[{self.pure(1)} & 7] = low(b.p[1]);")
        elif form == 5:
            self.put(f"a[{self.pure(1)} & 7] ^= bump(&a[{self.pure(1)} & 7], {self.pure(1)} & 63);")
        elif form == 6:
            self.put(f"m[{self.pure(1)} & 1][{self.pure(1)} & 3] = {self.pure(2)}; "
                     f"a[0] += sum(m[{index}], 4) + sizeof(m[0]);")
        elif form == 7:
            self.put(f"w.u = {self.pure(2)}; w.b[{self.pure(1)} & 3] = {self.pure(1)}; a[1] += w.u;")
        elif form == 8:
            self.put(f"g[{self.pure(1)} & 3] = {self.real(1)}; a[2] += (int)g[{self.pure(1)} & 3] & 1023;")
        elif form == 9:
            self.put(f"c = {self.pure(1)} & 1 ? b : c; b.p[1] = c.p[{index}], b.first -= c.p[0].high;")
        else:
            self.put(f"{{ unsigned char *q = (unsigned char *)&a[{self.pure(1)} & 7]; q[{self.pure(1)} & 3] = "
                     f"{self.pure(1)}; }}")
        self.put(f"BRIEF({self.site()}, a[{self.pure(1)} & 7] ^ b.last ^ b.p[{index}].low ^ c.p[1].high ^ b.tail[0]);")

    def statement(self, depth):
        self.budget -= 1
        if depth <= 0 or self.budget < 0:
            if self.result is None:
                self.put(f"BRIEF({self.site()}, {self.pure(2)});")
            else:
                self.put(f"{self.r.choice(self.writable())[0]} ^= {self.pure(2)};")
            return
        form = self.r.randrange(12)
        if form == 0:
            self.declare()
        elif form in (1, 2):
            self.put(f"{self.effect(3)};")
        elif form in (3, 4) and self.result is None:
            self.put(f"RECORD({self.site()}, {self.pure(4)});")
        elif form in (5, 6):
            self.put(f"if ({self.effect(1)})")
            self.block(depth - 1)
            if self.r.random() < 0.5:
                self.put("else")
                self.block(depth - 1)
        elif form in (7, 8) and self.loops < 3:
            self.loop(depth)
        elif form == 9:
            self.switch(depth)
        elif form == 10:
            self.jump()
        elif self.result is None:
            self.objects()
        else:
            self.declare()

    def function(self):
        name, count = self.name("f"), self.r.randint(1, 3)
        params = [(f"p{name}{i}", self.r.choice(INTEGERS)) for i in range(count)]
        self.result = self.r.choice(INTEGERS)
        self.lines.append(f"__device__ {self.result} {name}({', '.join(f'{t} {n}' for n, t in params)})")
        self.lines.append("{")
        self.scopes = [params]
        self.budget = 12
        for _ in range(3):
            self.statement(3)
        self.put(f"return {self.pure(3)};")
        self.lines.append("}")
        self.functions.append((name, count))

    def program(self, name):
        self.result = "int"
        for _ in range(self.r.randint(0, 2)):
            self.function()
        self.result = None
        self.budget = 60
        self.scopes = [[]]
        self.lines += [f"__global__ void {name}(void)", "{"]
        self.lines += ["    int t = threadIdx.x; int a[8] = {1, 2, 3}; struct box b = {4, {{5, 6}, {7}}}; struct box c = b;",
                       "    short m[2][4] = {{1}, {2, 3}}; union word w = {1.5f}; float g[4] = {0.5f, 3};",
                       "    for (int i = 0; i < 8; i++) a[i] += t * i;"]
        self.scopes[-1].append(("t", "int"))
        for kind in INTEGERS:
            self.declare(kind)
        for _ in range(10):
            self.statement(4)
        for v, _ in self.scopes[0]:
            self.put(f"RECORD({self.site()}, {v});")
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"


def as_c(text):
    return text.replace("s[(site)", "s((site)").replace("& 1023)] = 0", "& 1023)) = 0")


def compile_all(cc, texts, folder):
    """One C file with all programs, each behind its own names; returns the traces."""
    parts = [C_PRELUDE, as_c(PRELUDE)]
    for k, text in enumerate(texts):
        for number in range(1, 400):
            if f"f{number}(" not in text:
                continue
            text = text.replace(f"f{number}(", f"g{k}_{number}(")
        parts.append(text)
    calls = "".join(f"        case {k}: kernel{k}(); break;\n" for k in range(len(texts)))
    parts.append(f"""
int main(void) {{
    for (int k = 0; k < {len(texts)}; k++)
        for (unsigned t = 0; t < {BLOCKS * THREADS}; t++) {{
            blockIdx.x = t / {THREADS}; threadIdx.x = t % {THREADS}; traced = 0;
            switch (k) {{
{calls}            }}
            for (int i = 0; i < traced; i++) printf("%d ", trace[i]);
            printf("\\n");
        }}
    return 0;
}}
""")
    source, program = os.path.join(folder, "all.c"), os.path.join(folder, "all")
    with open(source, "w") as f:
        f.write("\n".join(parts))
    subprocess.run([*cc, "-std=gnu11", "-w", "-O0", "-fwrapv", "-ffp-contract=off", "-o", program, source], check=True)
    out = subprocess.run([program], capture_output=True, check=True, text=True).stdout.splitlines()
    n = BLOCKS * THREADS
    return [[[int(a) for a in out[k * n + t].split()] for t in range(n)] for k in range(len(texts))]


def traces_of(listing):
    """The addresses of each thread in a request stream."""
    threads = [[] for _ in range(BLOCKS * THREADS)]
    rows = [line.split(",") for line in listing.splitlines() if line and not line.startswith("#")]
    head = {name: i for i, name in enumerate(rows[0])}
    for row in rows[1:]:
        active, warp, block, copies = (int(row[head[n]], 16 if n == "active" else 10)
                                       for n in ("active", "warp", "block", "copies"))
        for lane in range(32 * copies):
            if active >> lane % 32 & 1:
                thread = (block + lane // 32) * THREADS + warp * 32 + lane % 32
                threads[thread].append(int(row[head["a0"] + lane % 32]))
    return threads


def difference(found, expected):
    for t in range(BLOCKS * THREADS):
        if found[t] != expected[t]:
            at = next((i for i, (x, y) in enumerate(zip(found[t], expected[t])) if x != y), min(len(found[t]), len(expected[t])))
            return f"thread {t}, access {at}: found {found[t][at:at + 3]}, C {expected[t][at:at + 3]}"
    return ""


def main():
    program, root, cc = sys.argv[1], sys.argv[2], sys.argv[3].split()
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    count = int(sys.argv[5]) if len(sys.argv) > 5 else 40
    keep = os.environ.get("ORACLE_KEEP")
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        texts = [Writer(first + k).program(f"kernel{k}") for k in range(count)]
        expected = compile_all(cc, texts, folder)
        for k, text in enumerate(texts):
            path = os.path.join(keep or folder, f"seed{first + k}.pat")
            with open(path, "w") as f:
                f.write(f"__shared__ char s[{RECORDED}];\n{PRELUDE}{text}kernel{k}<<<{BLOCKS}, {THREADS}>>>();\n")
            status, out, err = run(program, ["lower", path], root)
            if status:
                tap.ok(False, f"seed {first + k}", f"exit status {status}\n{err}")
                continue
            wrong = difference(traces_of(out), expected[k])
            tap.ok(not wrong, f"seed {first + k}: {sum(map(len, expected[k]))} accesses as C", wrong)
    tap.done()


main()
