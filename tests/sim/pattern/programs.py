# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes random programs in the part of C++ that a pattern file takes, for oracle_cxx.py.

A program is one kernel with the types and functions that it uses. It means the same to a C++17
compiler with 64-bit long and signed char, as nvcc's device code has them; what C++ leaves undefined
or unspecified is not written: shift counts, divisors, float to integer, reads of nothing, and side
effects within operands whose order is open. Signed overflow wraps (-fwrapv).

What a program computes is observed by NOTE(site, value), which folds the value into `acc`.
"""

import random

INTEGERS = ["bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int",
            "long", "unsigned long", "long long", "unsigned long long"]
WORDS = ["int", "unsigned int", "short", "unsigned char", "signed char", "unsigned short", "long long", "unsigned long long",
         "char", "long"]
LITERALS = ["0", "1", "2", "3", "7", "31", "32", "255", "256", "1000", "-1", "-7", "65535u", "0x7fffffff", "0x80000000",
            "2147483648", "4294967295", "4294967295u", "4294967296", "12345678901ll", "0xffffffffffffull", "1ull", "5ll",
            "'a'", "'\\xff'", "'\\377'", "'\\n'", "'\\0'", "0777", "0b1011", "1'000'000", "0xFFFFFFFFFFFFFFFF", "true",
            "false", "-2147483647 - 1", "077u", "3l", "9ul", "(char)200", "(short)40000"]
COMPARE = ["<", "<=", ">", ">=", "==", "!="]


class Program:
    """Writes one random program; text is its whole, kernel its name."""

    def __init__(self, seed, small=False):
        self.r = random.Random(seed)
        self.small = small
        self.lines, self.level, self.names, self.sites = [], 0, 0, 0
        self.scopes = [[]]      # of (name, type, writable)
        self.pure_calls = []    # functions of one argument list of integers: (name, count)
        self.changers = []      # expressions with one side effect, as text with one hole
        self.in_loop = self.in_switch = 0
        self.in_function = None
        self.budget = 0
        self.scalars = False  # no arrays: a copy of one by a lambda is not in the language
        self.odd = 1 if self.r.random() < 0.02 else 0  # a program with what the language may refuse
        self.kernel = f"kernel{seed}"
        self.types()
        self.functions()
        self.body()
        self.text = "\n".join(self.lines) + "\n"

    # ---- text ------------------------------------------------------------------------------------

    def put(self, text):
        self.lines.append("    " * self.level + text)

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def pick(self, *of):
        return self.r.choice(of)

    def note(self, value):
        if self.in_function is None:
            self.sites += 1
            self.put(f"NOTE({self.sites}, ({value}));")
        else:
            w = self.writable()
            if w:
                self.put(f"{self.r.choice(w)[0]} ^= {value};")

    def variables(self):
        return [v for scope in self.scopes for v in scope]

    def writable(self, plain=False):
        return [v for v in self.variables() if v[2] and not (plain and v[1] in ("bool", "float", "double"))]

    # ---- expressions without side effects --------------------------------------------------------

    def leaf(self):
        roll = self.r.random()
        integers = [v for v in self.variables() if v[1] not in ("float", "double")]
        if roll < 0.62 and integers:
            return self.r.choice(integers)[0]
        if roll < 0.72 and self.in_function is None:
            return "threadIdx.x"
        if roll < 0.8:
            return self.pick("E_a", "E_b", "E_c", "G_x", "G_y", "int(F::p)", "(int)F::q", "static_cast<long>(F::r)", "K",
                             "S::limit", "N::depth")
        literal = self.r.choice(LITERALS)
        return f"({literal})" if literal.startswith("-") else literal

    def index(self, mask, depth=1):
        return f"{self.e(depth)} & {mask}"

    def e(self, depth):
        """An integer expression."""
        if depth <= 0 or self.r.random() < 0.12:
            return self.leaf()
        a = lambda d=depth - 1: self.e(d)  # noqa: E731
        r = self.r
        forms = [
            (9, lambda: f"({a()} {r.choice('+-*&|^')} {a()})"),
            (2, lambda: f"({a()} {r.choice('/%')} (({a()} & 15) + 1))"),
            (2, lambda: f"({a()} {r.choice('/%')} -(({a()} & 7) + 2))"),
            (1, lambda: f"({a()} {r.choice('/%')} {self.pick('3', '-3', '7u', '10ll', 'K', '-5ll', '16ull')})"),
            (2, lambda: f"(({self.pick('int', 'unsigned int', 'short', 'unsigned char', 'signed char')}){a()} "
                        f"{self.pick('<<', '>>')} ({a()} & {self.pick(7, 15, 31)}))"),
            (2, lambda: f"(({self.pick('long', 'unsigned long long', 'long long')}){a()} {self.pick('<<', '>>')} ({a()} & 63))"),
            (3, lambda: f"({a()} {r.choice(COMPARE)} {a()})"),
            (2, lambda: f"({a()} {self.pick('&&', '||')} {a()})"),
            (3, lambda: f"({a()} ? {a()} : {a()})"),
            (3, lambda: f"({r.choice('-~!+')}{a()})"),
            (2, lambda: f"(({r.choice(INTEGERS)}){a()})"),
            (2, lambda: f"static_cast<{r.choice(INTEGERS)}>({a()})"),
            (1, lambda: f"{self.pick('int', 'short', 'bool', 'char', 'unsigned', 'long', 'u8')}({a()})"),
            (1, lambda: f"({a()}, {a()})"),
            (2, lambda: f"tag({a()})"),
            (1, lambda: f"sizeof({a()})"),
            (1, lambda: f"(int)sizeof({r.choice(INTEGERS + ['S', 'E', 'F', 'P', 'int[3]', 'S[2]'])})"),
            (1, lambda: f"width({a()})"),
            (1, lambda: f"((long long)({self.f(2)}))"), (1, lambda: f"((int)({self.f(1)}))"),
            (1, lambda: f"({self.f(1)} {r.choice(COMPARE)} {self.f(1)})"),
            (1, lambda: f"tag({a()} ? {a()} : {a()})"),
            (1, lambda: self.least(a(), a())),
            (1, lambda: f"{self.pick('__popc', '__clz', '__brev', '__ffs', '__popcll', '__clzll', '__ffsll')}({a()})"),
            (1, lambda: f"{self.pick('__mulhi', '__umulhi', '__mul24', '__umul24')}({a()}, {a()})"),
            (1, lambda: f"{self.pick('abs((int)(', 'abs((short)(')}{a()} & 0xffff))"),
            (2, lambda: f"apply<{r.choice(WORDS)}>({a()})"),
            (1, lambda: f"steps<{r.randint(0, 4)}>({a()})"),
            (1, lambda: f"both<{r.choice(WORDS)}, {r.choice(WORDS)}>({a()}, {a()})"),
            (1, lambda: f"mixed({a()}, {a()})"),
            (1, lambda: f"chosen<{self.pick('true', 'false', '(K > 3)', 'sizeof(int) == 4')}>({a()})"),
            (1, lambda: f"twice({a()}, {a()})"),
            (1, lambda: f"twice({a()})"),
            (1, lambda: f"N::inner({a()})"),
            (1, lambda: f"S::made({a()}).{self.pick('x', 'y', 'z', 'get(1)', 'sum()', 'p.low', 'p.high')}"),
            (1, lambda: f"Wide<{self.pick('short', 'int', 'unsigned char')}, {r.randint(1, 3)}>::value({a()})"),
            (1, lambda: f"(P{{{self.pick('1', chr(39) + 'b' + chr(39), '-3')}, {self.pick('3', '-4', 'K')}}}).high"),
            (1, lambda: f"(table[{a()} & 3])"),
            (1, lambda: f"static_cast<decltype(+{a()})>({a()})"), (self.odd, lambda: f"(decltype(+{a()}))({a()})"),
        ]
        if self.in_function is None and not self.scalars:
            forms += [
                (3, lambda: f"a[{self.index(7)}]"), (2, lambda: f"m[{self.index(1)}][{self.index(3)}]"),
                (2, lambda: f"o[{self.index(1)}].{self.pick('x', 'y', 'z', 'p.low', 'p.high', 'get(2)', 'sum()')}"),
                (1, lambda: f"o[{self.index(1)}].t[{self.index(2)} & 1]"),
                (1, lambda: f"(&a[{self.index(7)}] - &a[{self.index(7)}])"),
                (1, lambda: f"(&m[{self.index(1)}][0] {r.choice(COMPARE)} &m[{self.index(1)}][1])"),
                (1, lambda: f"*(a + ({self.index(7)}))"), (self.odd, lambda: f"({self.index(3)})[a]"),
                (1, lambda: f"((unsigned char *)a)[{self.index(31)}]"),
                (1, lambda: f"(int)(en {r.choice(COMPARE)} {self.pick('E_a', 'E_b', '1', '-1', '0u')})"),
                (1, lambda: f"(en + {a()})"), (1, lambda: f"(int)(fn == {self.pick('F::p', 'F::q')})"),
                (1, lambda: f"tag(en)"), (1, lambda: f"(o[0].same(o[{self.index(1)}]))"),
                (1, lambda: f"(o[{self.index(1)}] + o[0]).x"),
            ]
        if self.pure_calls:
            n, count = r.choice(self.pure_calls)
            forms += [(3, lambda: f"{n}({', '.join(self.e(depth - 2) for _ in range(count))})")]
        return r.choices([f for _, f in forms], [w for w, _ in forms])[0]()

    def least(self, x, y):
        """min and max have overloads for each pair of one width, signed or not; other pairs are ambiguous."""
        of = self.pick(("int", "unsigned int", "short", "unsigned char"), ("long long", "unsigned long long"), ("long", "unsigned long"))
        return f"{self.pick('min', 'max')}(({self.r.choice(of)})({x}), ({self.r.choice(of)})({y}))"

    def f(self, depth):
        """A floating expression whose value stays far below 2^31."""
        if depth <= 0:
            floats = [v[0] for v in self.variables() if v[1] in ("float", "double")]
            roll = self.r.random()
            if floats and roll < 0.3:
                return self.r.choice(floats)
            if roll < 0.75:
                return f"({self.pick('float', 'double')})({self.e(1)} & {self.pick(7, 255)})"
            return self.pick("1.5f", "0.1", "3.0f", "1e2", ".5f", "2.25", "0x1p3f", "7.f")
        a, b = self.f(depth - 1), self.f(depth - 1)
        form = self.r.randrange(6)
        if form == 4:
            return f"({a} / ({b} * {b} + 1.0f))"
        if form == 5:
            return f"({a} * ({self.e(1)} & 15))"
        return f"({a} {'+-*-'[form]} {b})"

    # ---- expressions with side effects, each sequenced -------------------------------------------

    def change(self, depth):
        if depth <= 0:
            return self.e(2)
        w = self.writable()
        if not w:
            return self.e(2)
        v, kind, _ = self.r.choice(w)
        r, c = self.r, lambda: self.change(depth - 1)  # noqa: E731
        plain = [x for x in w if x[1] not in ("bool", "float", "double")]
        p = r.choice(plain)[0] if plain else None
        narrow = [x[0] for x in w if x[1] == "int"]
        forms = [
            (1, lambda: f"({c()} && {c()})"), (1, lambda: f"({c()} || {c()})"), (1, lambda: f"({c()} ? {c()} : {c()})"),
            (1, lambda: f"({c()}, {c()})"), (2, lambda: f"({v} = {self.e(2)})"), (1, lambda: f"({v} = {c()})"),
            (1, lambda: f"(!{c()})"), (1, lambda: f"(({r.choice(INTEGERS)}){c()})"),
        ]
        if kind not in ("float", "double"):
            forms += [(2, lambda: f"({v} {self.pick('+=', '-=', '*=', '&=', '|=', '^=')} {self.e(2)})"),
                      (self.odd, lambda: f"(({v} = {self.e(1)}) {self.pick('+=', '-=', '^=')} {self.e(1)})"),
                      (1, lambda: f"({v} {self.pick('/=', '%=')} (({self.e(1)} & 7) + 1))")]
        if p:
            forms += [(3, lambda: self.pick("{}++", "{}--", "++{}", "--{}").format(p)),
                      (1, lambda: f"({p} = {p}{self.pick('++', '--')} {self.pick('+', '-', '*')} {self.e(1)})"),
                      (1, lambda: f"({p} += {p}{self.pick('++', '--')})"),
                      (1, lambda: f"(({p}++) << ({p} & 7))"),
                      (self.odd, lambda: f"(++(++{p}))"), (self.odd, lambda: f"(++{p} {self.pick('+=', '-=')} {self.e(1)})"),
                      (1, lambda: f"({p} <<= ({self.e(1)} & 3))"), (1, lambda: f"({p} >>= ({self.e(1)} & 3))"),
                      (self.odd, lambda: f"(({v}, {p}) = {self.e(1)})")]
            if self.in_function is None:
                forms += [(1, lambda: f"(a[{p}++ & 7] = {self.e(1)} + {p})"),
                          # g++ takes the left side of these first, against C++17; clang and nvcc do not.
                          (1, lambda: f"(a[{p}++ & 7] {self.pick('+=', '^=')} {self.pick('K', 'threadIdx.x', '3u')})"),
                          (1, lambda: f"(a[{p} & 7] = {p}--)"),
                          (1, lambda: f"(en = (E)({self.e(1)} & 3))"), (1, lambda: f"((int)(fn = F({self.e(1)} & 3)))")]
        if len(narrow) > 1:
            forms += [(self.odd, lambda: f"(({self.e(1)} ? {narrow[0]} : {narrow[-1]}) {self.pick('=', '+=', '^=')} {self.e(1)})"),
                      (self.odd, lambda: f"(({self.e(1)} & 1 ? {narrow[0]} : {narrow[-1]})++)")]
        if self.in_function is None:
            forms += [(1, lambda: f"(o[{self.index(1)}].{self.pick('x', 'y', 'z', 'p.high', 't[1]')} "
                                  f"{self.pick('=', '+=', '-=', '^=')} {self.e(2)})"),
                      (1, lambda: f"(m[{self.index(1)}][{self.index(3)}] {self.pick('=', '+=', '*=')} {self.e(2)})"),
                      (1, lambda: f"bump(a[{self.index(7)}], {self.e(1)})"),
                      (1, lambda: f"o[{self.index(1)}].add({self.e(1)})"),
                      (1, lambda: f"o[{self.index(1)}].{self.pick('x', 'z')}{self.pick('++', '--')}"),
                      (1, lambda: f"(slot(a, {self.e(1)}) {self.pick('=', '+=')} {self.e(1)})"),
                      (1, lambda: f"(o[{self.index(1)}].ref() -= {self.e(1)})")]
            for hole in self.changers:
                forms.append((1, lambda hole=hole: hole.format(self.e(1))))
        return r.choices([x for _, x in forms], [y for y, _ in forms])[0]()

    # ---- statements ------------------------------------------------------------------------------

    def declare(self, kind=None):
        kind = kind or self.r.choice(INTEGERS)
        name = self.name("v")
        form = self.r.randrange(7) if self.in_function is None else 0
        value = self.e(3)
        if form < 3:
            self.put(f"{kind} {name} = {value};")
        elif form == 3:
            self.put(f"{kind} {name}(({value}));")
        elif form == 4:
            self.put(f"{kind} {name}{{({kind})({value})}};")
        elif form == 5:
            self.put(f"auto {name} = ({kind})({value});")
        else:
            self.put(f"const {kind} {name} = {value};")
            self.scopes[-1].append((name, kind, False))
            return
        self.scopes[-1].append((name, kind, True))

    def bind(self):
        """References and what they are bound to."""
        name, w = self.name("r"), self.writable()
        form = self.r.randrange(7)
        target = self.r.choice(w)
        if form == 0:
            self.put(f"{target[1]} &{name} = {target[0]};")
            self.scopes[-1].append((name, target[1], True))
        elif form == 1:
            self.put(f"const {self.r.choice(INTEGERS)} &{name} = {self.e(2)};")
            self.scopes[-1].append((name, "int", False))
        elif form == 2:
            self.put(f"const long &{name} = {target[0]};")
            self.scopes[-1].append((name, "long", False))
        elif form == 3:
            self.put(f"auto &{name} = {target[0]};")
            self.scopes[-1].append((name, target[1], True))
        elif self.in_function is not None:
            self.put(f"{target[0]} ^= {self.e(1)};")
        elif form == 4:
            self.put(f"int &{name} = a[{self.index(7)}];")
            self.scopes[-1].append((name, "int", True))
        elif form == 5:
            self.put(f"S &{name} = o[{self.index(1)}]; {name}.x {self.pick('+=', '^=')} {self.e(1)}; {name}.p.high -= 3;")
        else:
            self.put(f"auto &&{name} = {target[0]};")
            self.scopes[-1].append((name, target[1], True))

    def lambdas(self):
        name = self.name("f")
        form = self.r.randrange(7)
        w = self.r.choice(self.writable(plain=True))
        p, q = self.r.choice(WORDS), self.r.choice(INTEGERS)
        self.scopes.append([("p", p, False), ("q", q, False)])
        self.scalars = not self.odd
        value = self.e(2)
        self.scalars = False
        if form == 0:
            self.put(f"auto {name} = [=]({p} p, {q} q) {{ return {value}; }};")
            call = f"{name}({{}}, 3)"
        elif form == 1:
            self.put(f"auto {name} = [&]({p} p, {q} q) {{ {w[0]} {self.pick('+=', '^=')} p; return {value}; }};")
            call = f"{name}({{}}, 2)"
        elif form == 2:
            self.put(f"auto {name} = [c = {w[0]}]({p} p) mutable {{ c += p; return c; }};")
            call = f"{name}({{}})"
        elif form == 3:
            self.put(f"auto {name} = [=]({p} p, {q} q) -> {self.r.choice(INTEGERS)} {{ if (p > q) return q; return {value}; }};")
            call = f"{name}({{}}, 9)"
        elif form == 4:
            self.put(f"auto {name} = [](auto p, auto q) {{ return p {self.pick('+', '*', '-')} q; }};")
            call = f"{name}({{}}, {self.pick('2', '3u', '(short)4', chr(39) + 'c' + chr(39), '5ll')})"
        elif form == 5:
            self.put(f"auto {name} = [&{w[0]}, k = 7]({p} p) {{ {w[0]}++; return p - {w[0]} + k; }};")
            call = f"{name}({{}})"
        else:
            self.put(f"auto {name} = [{w[0]}]({p} p, {q} q) {{ return {w[0]} {self.pick('+', '&', '>', '-')} p * q; }};")
            call = f"{name}({{}}, 5)"
        self.scopes.pop()
        self.note(call.format(self.e(1)))
        self.note(f"tag({call.format(self.e(1))})" if form not in (1, 2, 5) else call.format(self.e(1)))
        return name, call

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
        n, form = self.name("n"), self.r.randrange(10)
        saved = self.in_loop, self.in_switch
        own = [(n, "int", False)]
        if form == 8 and self.in_function is None:
            kind, head = self.pick(("int", f"for (int &{n} : a)"), ("int", f"for (auto {n} : a)"), ("long", f"for (long {n} : a)"),
                                   ("short", f"for (auto &{n} : m[{self.index(1)}])"))
            own = [(n, kind, True)]
        elif form == 9:
            head = f"for (int {n} = 0, {n}j = {self.e(1)}; {n} < {self.r.randint(1, 3)}; {n}++, {n}j -= {self.e(1)})"
            own.append((n + "j", "int", False))
        elif form in (6, 7):
            head = f"for (unsigned char {n} = {self.r.randint(253, 255)}; {n} != {self.r.randint(0, 2)}; {n}++)"
            own = [(n, "unsigned char", False)]
        elif form == 5:
            head = f"for (int {n} = {self.e(1)} & 3; {n} --> 0; )"
        elif form in (3, 4):
            head = f"{{ int {n} = {self.e(2)} & 3; {f'while ({n}-- > 0)' if form == 3 else 'do'}"
        else:
            head = f"for ({self.pick('int', 'short', 'long')} {n} = 0; {n} < ({self.e(2)} & {self.pick(1, 3)}); " \
                   f"{self.pick('++{}', '{}++', '{} += 1').format(n)})"
        self.put(head)
        self.scopes.append(own)
        self.in_loop, self.in_switch = 1, 0
        self.block(depth - 1)
        self.in_loop, self.in_switch = saved
        self.scopes.pop()
        if form == 3:
            self.put("}")
        elif form == 4:
            self.put(f"while (--{n} > 0); }}")

    def switch(self, depth):
        form = self.r.randrange(8)
        saved = self.in_switch
        self.in_switch = 1
        what = f"{self.e(2)} {self.pick('& 3', '% 5', '% 3', '& 7')}"
        if form == 0:
            self.put(f"switch ({what}) {self.pick('case 1:', 'default:', 'case 0: case 2:')}")
            self.level += 1
            self.simple()
            self.level -= 1
        elif form == 1 and self.in_function is None:
            self.put(f"switch (en) {{ case E_b: {self.change(1)}; case E_a: {self.change(1)}; break; "
                     f"default: {self.change(1)}; }}")
        elif form == 2:
            self.put(f"switch ({self.pick('(signed char)', '(unsigned char)', '(short)', '(long long)')}({self.e(2)})) {{")
            for label in self.r.sample(["case 'a':", "case -1:", "case K:", "case 0:", "case 255:", "case 6 + 4:", "default:"],
                                       self.r.randint(2, 5)):
                self.put(f"    {label} {self.change(1)}; {self.pick('', 'break;')}")
            self.put("}")
        elif form == 3 and self.odd:
            s = self.name("q")
            self.put(f"switch (int {s} = {what}; {s}) {{ case 0: {self.change(1)}; break; default: {self.change(1)}; }}")
        else:
            self.put(f"switch ({what}) {{")
            labels = [f"case {v}:" for v in self.r.sample(range(-2, 7), self.r.randint(1, 4))]
            if self.r.random() < 0.7:
                labels.insert(self.r.randint(0, len(labels)), "default:")
            for label in labels:
                self.put(label)
                if self.r.random() < 0.5:
                    self.put(f"    {self.change(1)};")
                elif self.r.random() < 0.8:
                    self.block(depth - 1, 2)
                if self.r.random() < 0.6:
                    self.put("    break;")
            self.put("    ;")
            self.put("}")
        self.in_switch = saved

    def branch(self, depth):
        form = self.r.randrange(6)
        if form < 2 and not self.odd:
            form = 5
        if form == 0:
            n = self.name("c")
            self.put(f"if (int {n} = {self.e(2)}; {n} {self.r.choice(COMPARE)} {self.e(1)})")
        elif form == 1:
            n = self.name("c")
            self.put(f"if ({self.r.choice(INTEGERS)} {n} = {self.e(2)})")
        elif form == 2:
            self.put(f"if ({self.e(2)}) {self.change(1)}; else if ({self.change(1)}) {self.change(1)}; else")
            self.block(depth - 1)
            return
        elif form == 3:  # a dangling else
            self.put(f"if ({self.e(1)}) if ({self.e(1)}) {self.change(1)}; else {self.change(1)};")
            return
        else:
            self.put(f"if ({self.change(1)})")
        self.block(depth - 1)
        if self.r.random() < 0.5:
            self.put("else")
            self.block(depth - 1)

    def pointers(self):
        p, f = self.name("p"), self.r.randrange(11)
        i = self.index(3)
        texts = [
            f"int *{p} = a + ({i}); *{p}++ = {self.e(2)}; (*{p})++; *++{p} += 3; {{0}}",
            f"int *{p} = &a[{i}]; {p} += 2; {p}[-1] ^= {self.e(1)}; {p}[1] = {p} - a; {{0}}",
            f"short *{p} = m[{self.index(1)}]; {p}[{self.index(3)}] += {self.e(1)}; {{0}}",
            f"short (*{p})[4] = m; {p}[1][{i}] = {self.e(1)}; (*{p})[2] -= 5; {{0}}",
            f"int *{p}[2] = {{a, a + 4}}; {p}[{self.index(1)}][{i}] = {self.e(2)}; *{p}[0] += 1; {{0}}",
            f"S *{p} = &o[{self.index(1)}]; {p}->x = {self.e(1)}; (*{p}).p.high += {self.e(1)}; {p}->add(2); {{0}}",
            f"unsigned char *{p} = (unsigned char *)&a[{i}]; {p}[{i}] = {self.e(2)}; *({p} + 2) ^= 255; {{0}}",
            f"int *{p} = a; while ({p} < a + ({self.index(7)})) *{p}++ += {self.e(1)}; {{0}}",
            f"int *{p} = a + 7; int *&{p}r = {p}; {p}r -= {i}; *{p} = {self.e(1)}; {{0}}",
            f"int (&{p})[8] = a; {p}[{i}] -= {self.e(1)}; int *{p}e = {p} + 8; a[0] ^= {p}e[-1] + ({p}e - {p}); {{0}}",
            f"auto *{p} = &o[1]; o[0] = *{p}; {p}--; {p}->y ^= {self.e(1)}; {p}->p = P{{2, a[3]}}; {{0}}",
        ]
        self.put("{ " + texts[f].replace("{0}", f"a[{self.index(7)}] += {self.pick('1', 'K', '-2')};") + " }")
        self.note(self.pick(f"a[{self.index(7)}]", f"m[0][{i}] ^ m[1][{i}]", "o[0].sum() + o[1].sum()", "a[0] ^ a[1] ^ a[7]"))

    def objects(self):
        n, form = self.name("s"), self.r.randrange(8)
        texts = [
            f"S {n} = o[{self.index(1)}]; {n}.x += {self.e(1)}; o[{self.index(1)}] = {n};",
            f"S {n}{{}}; {n}.y = {self.e(2)}; o[1] = {n};",
            f"o[0].p = P{{(char)({self.e(1)}), (int)({self.e(1)})}};",
            f"S {n} = S::made({self.e(2)}); o[{self.index(1)}].z = {n}.get({self.e(1)});",
            f"o[0] = {self.e(1)} & 1 ? o[1] : S::made({self.e(1)});",
            f"P {n}[3] = {{{{1, 2}}, {{'c'}}}}; {n}[{self.index(1)}].low += {self.e(1)}; a[1] ^= {n}[0].low + {n}[1].low + {n}[2].high;",
            f"auto [{n}x, {n}y] = o[{self.index(1)}].p; a[2] ^= {n}x * {n}y;",
            f"swap_values(a[{self.index(3)}], a[4 + ({self.index(3)})]);",
        ]
        if form == 6 and not self.odd:
            form = 7
        self.put("{ " + texts[form] + " }")
        self.note("o[0].sum() ^ o[1].sum() ^ a[1] ^ a[2]")

    def simple(self):
        self.put(f"{self.change(2)};")

    def jump(self):
        words = []
        if self.in_function:
            words.append(f"return {self.e(2)};")
        if self.in_loop:
            words.append("continue;")
        if self.in_loop or self.in_switch:
            words.append("break;")
        if words:
            self.put(f"if ({self.e(2)} {self.pick('& 1', '& 4', '% 3 == 0')}) {self.r.choice(words)}")

    def statement(self, depth):
        self.budget -= 1
        if depth <= 0 or self.budget < 0:
            self.note(self.e(2))
            return
        kernel = self.in_function is None
        forms = [(3, self.declare), (4, self.simple), (3, lambda: self.branch(depth)), (3, lambda: self.loop(depth)),
                 (2, lambda: self.switch(depth)), (1, self.jump), (1, self.bind)]
        if kernel:
            forms += [(3, lambda: self.note(self.e(4))), (2, self.pointers), (2, self.objects), (1, self.lambdas),
                      (1, lambda: self.note(f"tag({self.e(3)})")), (1, lambda: self.note(f"({self.change(2)})"))]
        self.r.choices([f for _, f in forms], [w for w, _ in forms])[0]()

    # ---- the whole -------------------------------------------------------------------------------

    def types(self):
        r, i = self.r, lambda: self.r.choice(INTEGERS)  # noqa: E731
        x, y, z = r.choice(WORDS), r.choice(WORDS), r.choice(WORDS)
        low = self.pick("-5", "0", "3", "7u", "-1")
        self.lines += [
            f"typedef unsigned char u8; using word = unsigned int;",
            f"enum E {{ E_a = {low}, E_b{self.pick('', ' = 2', ' = 100')}, E_c }};",
            f"enum G : {r.choice(WORDS)} {{ G_x = 1, G_y = {self.pick('5', '100')} }};",
            f"enum class F{self.pick('', ' : unsigned char', ' : long long', ' : short')} {{ p, q = 3, r }};",
            f"constexpr int K = {r.randint(2, 9)};",
            f"__constant__ {r.choice(WORDS)} table[4] = {{1, 2, {r.randint(3, 99)}}};",
            "struct P { char low; int high; };",
            "struct S {",
            f"    {x} x; {y} y; {z} z; P p; {r.choice(WORDS)} t[2];",
            f"    static constexpr int limit = {r.randint(1, 50)};",
            f"    __device__ {i()} get(int k) const {{ return x {self.pick('+', '-', '^')} k; }}",
            f"    __device__ {i()} add({r.choice(WORDS)} k) {{ y += k; this->z ^= k; return y; }}",
            f"    __device__ int sum() const {{ return x + y * 3 + z + p.low + p.high + t[0] - t[1]; }}",
            f"    __device__ bool same(const S &other) const {{ return x == other.x && y {r.choice(COMPARE)} other.y; }}",
            f"    __device__ {x} &ref() {{ return x; }}",
            f"    __device__ static S made({i()} k) {{ S s = {{}}; s.x = k; s.y = k + 1; s.p.high = {self.pick('k', '7', '-k')}; return s; }}",
            f"    __device__ S operator+(const S &b) const {{ S s = *this; s.x {self.pick('+=', '-=')} b.x; return s; }}",
            "};",
            f"namespace N {{ enum {{ depth = {r.randint(1, 9)} }}; __device__ {i()} inner({i()} v) {{ return v {self.pick('+', '*', '-')} depth; }} }}",
        ]
        # long is long long to the language, and char is signed char; it refuses overloads of both.
        self.lines += [f"__device__ int tag({t}) {{ return {k + 1}; }}" for k, t in enumerate(INTEGERS + ["float", "double"])
                       if t not in ("char", "long", "unsigned long")] + ["OTHER_TAGS"]

    def functions(self):
        r, w = self.r, lambda: self.r.choice(WORDS)  # noqa: E731
        op = lambda: self.r.choice("+-*^&|")  # noqa: E731
        self.lines += [
            "template <class T> __device__ int width(T) { return sizeof(T); }",
            f"template <class T> __device__ T apply(T v) {{ return v {self.pick('+', '*', '-', '/', '>>')} {r.randint(1, 7)}; }}",
            f"template <int C> __device__ int steps(int v) {{ for (int i = 0; i < C; i++) v = v * {r.randint(2, 9)} + i; return v; }}",
            f"template <class A, class B> __device__ A both(A v, B u) {{ return v {op()} u; }}",
            f"template <class A, class B> __device__ auto mixed(A v, B u) {{ return v {op()} u; }}",
            f"template <bool Y> __device__ int chosen({w()} v) {{ if constexpr (Y) return v + 1; else return v * 3; }}",
            f"__device__ {w()} twice({w()} v, {w()} u = {r.randint(0, 300)}) {{ return v {op()} u; }}",
            f"template <class T, int C> struct Wide {{ T v[C]; static __device__ int value(T q) {{ Wide w = {{}}; w.v[C - 1] = q; "
            f"return w.v[C - 1] + sizeof(Wide); }} }};",
            f"__device__ int bump(int &at, {w()} by) {{ at += by; return at {op()} 3; }}",
            "__device__ int &slot(int *p, int k) { return p[k & 7]; }",
            "template <class T> __device__ void swap_values(T &x, T &y) { T t = x; x = y; y = t; }",
        ]
        for _ in range(r.randint(0, 1 if self.small else 2)):
            name, count = self.name("g"), r.randint(1, 3)
            params = [(f"{name}p{k}", r.choice(INTEGERS), True) for k in range(count)]
            self.in_function = r.choice(INTEGERS)
            self.lines.append(f"__device__ {self.in_function} {name}({', '.join(f'{t} {n}' for n, t, _ in params)})")
            self.lines.append("{")
            self.level, self.scopes, self.budget = 1, [params, []], 8
            for _ in range(3):
                self.statement(2)
            self.put(f"return {self.e(3)};")
            self.level = 0
            self.lines.append("}")
            self.pure_calls.append((name, count))
        self.in_function = None

    def body(self):
        self.scopes = [[]]
        self.lines += [f"__global__ void {self.kernel}()", "{"]
        self.level, self.budget = 1, 14 if self.small else 45
        self.put("unsigned long long acc = 0; int t = threadIdx.x; int a[8] = {1, 2, 3}; short m[2][4] = {{1}, {2, 3}};")
        self.put("S o[2] = {}; o[1].x = 3; o[0].p.low = 'q'; E en = E_b; F fn = F::q;")
        self.put("for (int i = 0; i < 8; i++) a[i] += t * i;")
        self.scopes[-1].append(("t", "int", True))
        for kind in self.r.sample(INTEGERS, 3 if self.small else 5) + ["int"]:
            self.declare(kind)
        self.put(f"{self.pick('float', 'double')} gf = {self.f(1)};")
        self.scopes[-1].append(("gf", "float", False))
        for _ in range(4 if self.small else 9):
            self.statement(3)
        for v, _, _ in self.scopes[0]:
            self.note(v if v != "gf" else "(int)gf")
        self.put("for (int i = 0; i < 8; i++) NOTE(0, a[i]);")
        self.put("RECORD(0, acc);")
        self.level = 0
        self.lines.append("}")
