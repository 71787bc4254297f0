# SPDX-License-Identifier: GPL-3.0-or-later
"""Long and deep files: right values of the former, an error for the latter, and never a signal.

usage: large.py BANKWISE SOURCE_ROOT STACK_KIB [--no-host]

STACK_KIB is the stack that deep files are read with; 0: what there is, for builds that use more of
it (sanitizers, without optimisation). --no-host: for a build that reads no host code.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
from tap import Tap, environment  # noqa: E402

TILE = "__shared__ int t[32];\n"
KERNEL = "__global__ void k() {\n" + TILE
LAUNCH = "}\nk<<<1, 32>>>();\n"
TYPE = "template <class T> struct A { T x; };\n"
VALUE = "template <int N> struct A { static constexpr int v = N; };\n"


def lines(text, count):
    return "".join(text.replace("@", str(i)) for i in range(count))


def long_files(n):
    """(name, text, requests) of files with n lines of one kind."""
    store = "t[threadIdx.x] = 0;\n"
    yield "structs", lines("struct S@ { int x; };\n", n) + TILE + store, 1
    yield "constants", TILE + lines("const int c@ = @;\n", n) + f"t[threadIdx.x + c{n - 1} - {n - 1}] = 0;\n", 1
    yield "macros", TILE + lines("#define m@ (@)\n", n) + f"t[threadIdx.x + m{n - 1} - {n - 1}] = 0;\n", 1
    yield "functions", lines("__device__ int f@(int x) { return x + @; }\n", n) + TILE + \
        f"t[f{n - 1}(threadIdx.x) - {n - 1}] = 0;\n", 1
    yield "names of an enum", "enum {\n" + lines("e@,\n", n) + "};\n" + TILE + f"t[threadIdx.x + e{n - 1} - {n - 1}] = 0;\n", 1
    yield "members", "struct S {\n" + lines("int m@;\n", n) + "};\n" + TILE + f"t[threadIdx.x + sizeof(S) - {4 * n}] = 0;\n", 1
    yield "statements", KERNEL + lines("t[threadIdx.x] = @;\n", n) + LAUNCH, n
    yield "variables", KERNEL + "int v = threadIdx.x;\n" + lines("int v@ = v + @;\n", n) + \
        f"t[v{n - 1} - {n - 1}] = 0;\n" + LAUNCH, 1
    yield "host code", KERNEL + store + "}\nint main() {\n" + lines("int h@ = @; use(h@);\n", n) + "k<<<1, 32>>>();\n}\n", 1


def deep_files(n):
    """(name, text) of files with n constructs within each other."""
    yield "template arguments", TYPE + "A<" * n + "int" + ">" * n + " a;\n" + TILE
    yield "constants of templates", VALUE + TILE + "t[" + "A<" * n + "1" + ">::v" * n + "] = 0;\n"
    yield "sizes of templates", TYPE + TILE + "int q = sizeof(" + "A< " * n + "int" + " >" * n + ");\n"
    yield "brackets", TILE + "t[" + "(" * n + "1" + ")" * n + "] = 0;\n"
    yield "casts", TILE + "t[" + "(int)" * n + "1] = 0;\n"
    yield "signs", TILE + "t[" + "- " * n + "1] = 0;\n"
    yield "indices", TILE + "t[" * n + "0" + "]" * n + " = 0;\n"
    yield "blocks", TILE + "{" * n + "t[0] = 0;" + "}" * n + "\n"
    yield "branches", TILE + "if (1) " * n + "t[0] = 0;\n"
    yield "loops", TILE + "for (; 0;) " * n + "t[0] = 0;\n"
    yield "loops of do", TILE + "do " * n + "t[0] = 0;" + " while (0);" * n + "\n"
    yield "calls", "__device__ int f(int x) { return x; }\n" + TILE + "t[" + "f(" * n + "1" + ")" * n + "] = 0;\n"
    yield "built-in calls", TILE + "t[" + "min(1, " * n + "1" + ")" * n + "] = 0;\n"
    yield "choices", TILE + "t[0] = " + "t[0] ? " * n + "1" + ": 1" * n + ";\n"
    yield "assignments", TILE + "t[0] = " * n + "1;\n"
    yield "pointers", "int " + "*" * n + "p;\n" + TILE
    yield "arrays", "__shared__ int a" + "[1]" * n + ";\n" + TILE
    yield "structs", "struct A {" * n + "int x;" + "};" * n + "\n" + TILE
    yield "lists", "int a[] = " + "{" * n + "1" + "}" * n + ";\n" + TILE
    yield "lambdas", TILE + "auto f = " + "[&](int x) { return " * n + "x" + ";}" * n + ";\n"
    yield "namespaces", "namespace a {" * n + TILE + "}" * n
    yield "decltypes", TILE + "decltype(" * n + "1" + ")" * n + " x;\n"
    yield "alignments", TILE + "alignas(" * n + "4" + ")" * n + " int x;\n"
    yield "macro calls", "#define F(x) x\n" + TILE + "t[" + "F(" * n + "1" + ")" * n + "] = 0;\n"
    yield "conditions", "#if " + "(" * n + "1" + ")" * n + "\n#endif\n" + TILE
    yield "host blocks", KERNEL + "t[0] = 0;}\nint main() {" + "{" * n + "k<<<1, 32>>>();" + "}" * n + "}\n"
    yield "templates of themselves", "template <int N> struct A { A<N + 1> x; };\n" + TILE + "A<0> a;\n"


def predict(program, source, path, stack):
    def limit():
        if stack:
            resource.setrlimit(resource.RLIMIT_STACK, (stack * 1024, stack * 1024))

    return subprocess.run([program, "predict", "--format", "json", path], cwd=source, env=environment(source),
                          capture_output=True, timeout=240, preexec_fn=limit)


def write(folder, text):
    path = os.path.join(folder, "case.pat")
    with open(path, "w") as f:
        f.write(text + "\n")
    return path


def check_long(tap, program, source, folder):
    for name, text, requests in long_files(16000):
        if name == "host code" and "--no-host" in sys.argv:
            continue
        done = predict(program, source, write(folder, text), 0)
        found = None
        if done.returncode == 0:
            accesses = json.loads(done.stdout)["accesses"]
            found = (sum(a["requests"] for a in accesses), {a["degree"] for a in accesses})
        tap.ok(found == (requests, {1}), f"16000 {name}", f"{found}\n{done.stderr.decode()[:400]}")


def check_deep(tap, program, source, folder, stack):
    for n in (40, 190, 1000, 20000):
        for name, text in deep_files(n):
            done = predict(program, source, write(folder, text + "t[threadIdx.x] = 0;\n"), stack)
            errors = done.stderr.decode(errors="replace").count("error:")
            good = done.returncode == 0 if errors == 0 else done.returncode == 2
            if n > 1000 and name != "macro calls":
                good = good and errors > 0
            tap.ok(good, f"{n} {name}", f"exit {done.returncode}\n{done.stderr.decode(errors='replace')[:300]}")


def main():
    program, source, stack = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        check_long(tap, program, source, folder)
        check_deep(tap, program, source, folder, stack)
    tap.done()


if __name__ == "__main__":
    main()
