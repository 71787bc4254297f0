#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden outputs: one row a case; golden/NAME.out and NAME.err hold what the program must print.

    golden.py PROGRAM SOURCE            compare
    golden.py PROGRAM SOURCE --update   write the files anew; then review the difference as text

An empty stream has no file. Where a German locale can be made, all cases run a second time under it
and must print the same bytes.
"""

import os
import shutil
import subprocess
import sys
import tempfile

from tap import Tap, run

# name, exit status, arguments; P/ stands for tests/tools/patterns/, M/ for the machine code of recorded kernels.
CASES = [
    ("predict-transpose", 0, ["predict", "kernels/transpose"]),
    ("predict-stride", 0, ["predict", "P/stride.pat"]),
    ("predict-stride-3", 0, ["predict", "-D", "STRIDE=3", "P/stride.pat"]),
    ("predict-stride-12", 0, ["predict", "-DSTRIDE=12", "P/stride.pat"]),
    ("predict-wide", 0, ["predict", "P/wide.pat"]),
    ("predict-atomics", 0, ["predict", "P/atomics.pat"]),
    ("predict-joinable", 0, ["predict", "P/join.pat"]),
    ("predict-join", 0, ["predict", "--join", "P/join.pat"]),
    ("predict-join-json", 0, ["predict", "--join", "--format", "json", "P/join.pat"]),
    ("predict-joinable-json", 0, ["predict", "--format", "json", "P/join.pat"]),
    ("explain-join", 0, ["explain", "--join", "--line", "10", "P/join.pat"]),
    ("predict-join-requests", 2, ["predict", "--join", "P/requests.csv"]),
    ("predict-calls", 0, ["predict", "P/calls.pat"]),
    ("predict-calls-fold", 0, ["predict", "--fold", "P/calls.pat"]),
    ("predict-calls-json", 0, ["predict", "--format", "json", "P/calls.pat"]),
    ("explain-calls", 0, ["explain", "--line", "2", "P/calls.pat"]),
    ("check-calls", 1, ["check", "--fail-above", "8", "P/calls.pat"]),
    ("check-calls-sarif", 1, ["check", "--fail-above", "8", "--format", "sarif", "P/calls.pat"]),
    ("check-calls-fold", 1, ["check", "--fail-above", "8", "--fold", "P/calls.pat"]),
    ("predict-random", 0, ["predict", "P/random.pat", "--trials", "50", "--seed", "7"]),
    ("predict-block", 0, ["predict", "P/stride.pat", "--block", "64", "--grid", "2x2"]),
    ("predict-arch", 0, ["predict", "P/stride.pat", "--arch", "sm_80"]),
    ("predict-fermi", 0, ["predict", "P/stride.pat", "--arch", "sm_20"]),
    ("predict-ncu", 0, ["predict", "P/stride.pat", "--metrics", "ncu"]),
    ("predict-quiet", 0, ["predict", "P/stride.pat", "--quiet"]),
    ("predict-color", 0, ["predict", "P/stride.pat", "--color", "always"]),
    ("predict-two-files", 0, ["predict", "P/stride.pat", "P/wide.pat"]),
    ("predict-none", 0, ["predict", "P/none.pat"]),
    ("predict-json", 0, ["predict", "P/stride.pat", "--format", "json"]),
    ("predict-json-random", 0, ["predict", "P/random.pat", "--format", "json", "--trials", "5"]),
    ("predict-json-several", 0, ["predict", "kernels/transpose", "--format", "json"]),
    ("predict-csv", 0, ["predict", "P/stride.pat", "P/random.pat", "--format", "csv"]),
    ("predict-unknown-name", 2, ["predict", "P/unknown.pat"]),
    ("predict-one-good", 2, ["predict", "P/unknown.pat", "P/stride.pat"]),
    ("check-utf8", 1, ["check", "P/utf8.pat"]),
    ("check-met", 0, ["check", "P/stride.pat", "kernels/transpose"]),
    ("check-unmet", 1, ["check", "P/unmet.pat"]),
    ("check-unmet-json", 1, ["check", "P/unmet.pat", "--format", "json"]),
    ("check-unmet-csv", 1, ["check", "P/unmet.pat", "--format", "csv"]),
    ("check-unmet-github", 1, ["check", "P/unmet.pat", "--format", "github"]),
    ("check-unmet-sarif", 1, ["check", "P/unmet.pat", "--format", "sarif"]),
    ("check-unmet-junit", 1, ["check", "P/unmet.pat", "--format", "junit"]),
    ("check-define", 1, ["check", "P/stride.pat", "-D", "STRIDE=4"]),
    ("check-bare", 1, ["check", "P/none.pat"]),
    ("check-bare-beside", 0, ["check", "P/none.pat", "P/stride.pat"]),
    ("check-gate", 1, ["check", "kernels/transpose", "--fail-above", "4-way"]),
    ("check-gate-met", 0, ["check", "P/none.pat", "P/stride.pat", "--fail-above", "2"]),
    ("check-quiet", 0, ["check", "P/stride.pat", "--quiet"]),
    ("check-random", 1, ["check", "P/random.pat", "--trials", "20"]),
    ("explain-stride", 0, ["explain", "-D", "STRIDE=12", "P/stride.pat"]),
    ("explain-column", 0, ["explain", "kernels/transpose"]),
    ("explain-padded", 0, ["explain", "kernels/transpose", "--line", "30"]),
    ("explain-float4", 0, ["explain", "lesson/12-16-byte-accesses"]),
    ("explain-ldmatrix", 0, ["explain", "lesson/15-ldmatrix", "--line", "20"]),
    ("explain-swizzled", 0, ["explain", "lesson/15-ldmatrix", "--line", "22"]),
    ("explain-histogram", 0, ["explain", "kernels/histogram256"]),
    ("explain-half-off", 0, ["explain", "lesson/11-8-byte-accesses", "--line", "27"]),
    ("explain-merged", 0, ["explain", "lesson/13-lane-pairs", "--line", "33"]),
    ("explain-broadcast", 0, ["explain", "lesson/02-broadcast-and-multicast", "--line", "18"]),
    ("explain-loop", 0, ["explain", "lesson/16-atomics", "--line", "31"]),
    ("explain-all", 0, ["explain", "lesson/04-power-of-two-trap", "--line", "19", "--all", "--quiet"]),
    ("explain-wide", 0, ["explain", "P/wide.pat", "--color", "always"]),
    ("explain-csv", 0, ["explain", "P/stride.pat", "--format", "csv"]),
    ("explain-svg", 0, ["explain", "-D", "STRIDE=12", "P/stride.pat", "--svg"]),
    ("explain-no-line", 2, ["explain", "P/stride.pat", "--line", "2"]),
    ("sweep-stride", 0, ["sweep", "-D", "STRIDE=1:16", "P/stride.pat"]),
    ("sweep-map", 0, ["sweep", "-D", "PAD=0:4", "-D", "TILE=32:64:32", "P/tile.pat"]),
    ("sweep-csv", 0, ["sweep", "-D", "STRIDE=1:4", "P/stride.pat", "--format", "csv"]),
    ("sweep-json", 0, ["sweep", "-D", "STRIDE=31:32", "P/stride.pat", "--format", "json"]),
    ("sweep-svg", 0, ["sweep", "-D", "STRIDE=1:8", "P/stride.pat", "--svg"]),
    ("sweep-list", 0, ["sweep", "-D", "STRIDE=32,1:3,8", "P/stride.pat"]),
    ("sweep-keep-going", 1, ["sweep", "-k", "-D", "STRIDE=64:70", "P/stride.pat"]),
    ("sweep-error", 2, ["sweep", "-D", "STRIDE=64:70", "P/stride.pat"]),
    ("beside", 0, ["predict", "--compare", "lesson/07-transpose-naive", "lesson/08-transpose-padded"]),
    ("beside-csv", 0, ["predict", "--compare", "P/stride.pat", "P/wide.pat", "--format", "csv"]),
    ("ncu-command", 0, ["compare", "--ncu-command"]),
    ("ncu-command-kernel", 0, ["compare", "--ncu-command", "--kernel", "void ns::f<(int)32, float>(float *)", "--",
                               "./a program", "-n", "1024", "it's", "-", "-", ""]),
    ("ncu-command-mangled", 0, ["compare", "--ncu-command", "--kernel", "_Z8m07_tilePf", "./a.out"]),
    ("ncu-command-conflict", 2, ["compare", "--ncu-command", "--block", "32", "./a.out"]),
    ("exact-joined", 0, ["predict", "P/joined.cu", "--block", "64", "--arch", "sm_80"]),
    ("exact-join", 0, ["predict", "--join", "P/joined.cu", "--block", "32x2"]),
    ("exact-refused", 2, ["predict", "P/refused.cu", "--block", "64x2"]),
    ("exact-refused-explain", 2, ["explain", "P/refused.cu"]),
    ("machine-predict", 0, ["predict", "M/micro.sass", "--kernel", "m07", "--block", "256"]),
    ("machine-argument", 0, ["predict", "M/micro.sass", "--kernel", "m08", "--block", "32", "--arg", "1=22"]),
    ("machine-json", 0, ["predict", "M/micro.sass", "--kernel", "m03", "--block", "32", "--format", "json"]),
    ("machine-csv", 0, ["predict", "M/micro.sass", "--kernel", "m03", "--block", "32", "--format", "csv"]),
    ("machine-grid", 0, ["predict", "M/micro.sass", "--kernel", "m03", "--block", "32", "--grid", "50"]),
    ("machine-order", 0, ["predict", "M/micro.sass", "--kernel", "m18", "--block", "256"]),
    ("machine-lines", 0, ["predict", "P/lines.sass", "--block", "64", "--arg", "1=8"]),
    ("machine-lines-json", 0, ["predict", "P/lines.sass", "--block", "64", "--arg", "1=8", "--format", "json"]),
    ("machine-needs", 2, ["predict", "P/lines.sass", "--block", "64"]),
    ("machine-no-launch", 2, ["predict", "M/micro.sass", "--kernel", "m14"]),
    ("machine-several", 2, ["predict", "M/micro.sass", "--block", "32"]),
    ("machine-wrong", 2, ["predict", "P/lines.sass", "--block", "64", "--arg", "1=x", "--arg", "5=1", "--arg", "n=2"]),
    ("machine-cubin", 0, ["predict", "P/params.sass", "--block", "32", "--arg", "4=8", "--cubin",
                          "tests/recorded/nvcc-13.0/cubin/params.sm_90.cubin"]),
    ("machine-named", 0, ["predict", "P/shared.sass", "--block", "32", "--cubin",
                          "tests/recorded/nvcc-13.0/cubin/shared-G.sm_90.cubin"]),
    ("machine-no-cubin", 2, ["predict", "P/params.sass", "--block", "32", "--arg", "4=8"]),
    ("machine-explain", 0, ["explain", "P/lines.sass", "--block", "64", "--arg", "1=8", "--line", "0x0040"]),
    ("machine-explain-none", 2, ["explain", "P/lines.sass", "--block", "64", "--arg", "1=8", "--line", "0x0010"]),
    ("machine-sweep", 0, ["sweep", "P/lines.sass", "--block", "64", "--arg", "1={N}", "-D", "N=4:64:4"]),
    ("machine-sweep-block", 0, ["sweep", "P/lines.sass", "--block", "{N}x2", "--arg", "1=4", "-D", "N=8,16,32"]),
    ("machine-check", 1, ["check", "P/lines.sass", "--block", "64", "--arg", "1=8", "--fail-above", "1-way"]),
    ("machine-lower", 0, ["lower", "P/lines.sass", "--block", "64", "--arg", "1=8"]),
    ("machine-beside", 0, ["predict", "--compare", "P/lines.sass", "P/lines.sass", "--block", "64", "--arg", "1=8"]),
    ("machine-fix", 2, ["fix", "P/lines.sass"]),
    ("machine-join", 2, ["predict", "--join", "P/lines.sass", "--block", "64"]),
    ("machine-define", 2, ["predict", "-D", "N=1", "P/lines.sass", "--block", "64"]),
    ("machine-pattern", 2, ["predict", "P/stride.pat", "--arg", "0=1", "--kernel", "x", "--block", "{N}"]),
    ("instructions", 0, ["compare", "--ncu", "M/micro.src.csv", "--kernel", "m07", "--block", "256"]),
    ("instructions-apart", 0, ["compare", "--ncu", "M/micro.src.csv", "--kernel", "m14", "--block", "32"]),
    ("explain-sources", 0, ["explain", "M/micro.sass", "--kernel", "m14", "--block", "32", "--arg", "2=256", "--line",
                            "0x01e0"]),
    ("predict-sources", 0, ["predict", "M/micro.sass", "--kernel", "m14", "--block", "32", "--arg", "2=1024"]),
    ("lower-sources", 0, ["lower", "M/micro.sass", "--kernel", "m14", "--block", "32", "--arg", "2=1024"]),
    ("predict-sources-unknown", 0, ["predict", "M/micro.sass", "--kernel", "m14", "--block", "32"]),
    ("instructions-sources", 0, ["compare", "--ncu", "M/micro.src.csv", "--kernel", "m14", "--block", "32", "--arg",
                                 "2=256"]),
    ("instructions-order", 1, ["compare", "--ncu", "M/micro.src.csv", "--kernel", "m09", "--block", "256"]),
    ("instructions-csv", 0, ["compare", "--ncu", "M/micro.src.csv", "--kernel", "m03", "--block", "32", "--format",
                             "csv"]),
    ("instructions-json", 0, ["compare", "--ncu", "M/micro.src.csv", "--kernel", "m03", "--block", "32", "--format",
                              "json"]),
    ("instructions-none", 2, ["compare", "--ncu", "tests/tools/ncu/transpose-raw.csv"]),
    ("help-explain", 0, ["explain", "--help"]),
    ("help-sweep", 0, ["sweep", "--help"]),
    ("predict-requests", 0, ["predict", "P/requests.csv"]),
    ("explain-requests", 0, ["explain", "--line", "5", "P/requests.csv"]),
    ("predict-requests-bad", 2, ["predict", "P/requests-bad.csv"]),
    ("fix-requests", 2, ["fix", "P/requests.csv"]),
    ("tally-accelsim", 0, ["tally", "tests/tools/traces/sample.traceg"]),
    ("tally-accelsim-csv", 0, ["tally", "--format", "csv", "tests/tools/traces/sample.traceg"]),
    ("tally-nvbit", 0, ["tally", "tests/tools/traces/sample.memtrace"]),
    ("tally-nvbit-json", 0, ["tally", "--format", "json", "tests/tools/traces/sample.memtrace"]),
    ("tally-stream", 0, ["tally", "--quiet", "P/requests.csv"]),
    ("help-tally", 0, ["tally", "--help"]),
    ("lower-winner", 0, ["lower", "P/winner.pat"]),
    ("predict-mistake", 0, ["predict", "P/fix/half_swizzle.pat"]),
    ("check-mistake", 1, ["check", "P/fix/pad_stride.pat"]),
    ("fix-transpose", 0, ["fix", "kernels/transpose"]),
    ("fix-pad", 0, ["fix", "--kind", "pad", "P/fix/flat.pat"]),
    ("fix-structs", 0, ["fix", "P/fix/members.pat", "--pick", "3"]),
    ("fix-serial", 0, ["fix", "P/fix/serial.pat"]),
    ("fix-random", 0, ["fix", "P/random.pat", "--trials", "20"]),
    ("fix-pointer", 0, ["fix", "P/fix/pointer.pat"]),
    ("fix-two", 0, ["fix", "P/fix/two.pat"]),
    ("fix-none", 0, ["fix", "P/none.pat"]),
    ("fix-tma", 0, ["fix", "--tma", "P/fix/tma.pat"]),
    ("fix-json", 0, ["fix", "P/fix/doubles.pat", "--format", "json"]),
    ("fix-lane-map", 0, ["fix", "--lane-map", "kernels/transpose"]),
    ("lower-stride", 0, ["lower", "P/stride.pat"]),
    ("lower-unique", 0, ["lower", "P/atomics.pat", "--unique"]),
    ("lower-random", 0, ["lower", "P/random.pat", "--seed", "3"]),
    ("lower-error", 2, ["lower", "P/late-error.pat"]),
    ("compare-counters", 0, ["compare", "tests/recorded/sm_90-h200/counters.csv", "--min-match", "100"]),
    ("compare-ncu", 0, ["compare", "--ncu", "tests/tools/ncu/transpose-raw.csv", "kernels/transpose"]),
    ("help", 0, ["--help"]),
    ("help-predict", 0, ["predict", "--help"]),
    ("help-check", 0, ["check", "--help"]),
    ("help-fix", 0, ["fix", "--help"]),
    ("help-lower", 0, ["lower", "--help"]),
    ("help-measure", 0, ["measure", "--help"]),
    ("help-compare", 0, ["compare", "--help"]),
    ("version", 0, ["--version"]),
    ("usage-no-command", 2, []),
    ("usage-command", 2, ["predct"]),
    ("usage-option", 2, ["predict", "--formt", "json", "P/stride.pat"]),
    ("usage-arch", 2, ["predict", "--arch", "sm_91", "P/stride.pat"]),
    ("usage-file", 2, ["predict", "P/nowhere.pat"]),
]


def golden_path(here, name, stream):
    return os.path.join(here, "golden", f"{name}.{stream}")


def read_golden(here, name, stream):
    try:
        with open(golden_path(here, name, stream), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def write_golden(here, name, stream, text):
    path = golden_path(here, name, stream)
    if text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    elif os.path.exists(path):
        os.remove(path)


def arguments(args):
    folders = {"P": "tests/tools/patterns", "M": "tests/recorded/sm_90-h200/machine"}
    return [f"{folders[a[0]]}{a[1:]}" if a[:1] in folders and a[1:2] == "/" else a for a in args]


def compare(tap, program, source, here, suffix="", **more):
    for name, status, args in CASES:
        found, out, err = run(program, arguments(args), source, **more)
        want_out, want_err = read_golden(here, name, "out"), read_golden(here, name, "err")
        same = (found, out, err) == (status, want_out, want_err)
        detail = f"status {found}, expected {status}"
        if out != want_out:
            detail += f"\n--- expected output\n{want_out}--- found\n{out}"
        if err != want_err:
            detail += f"\n--- expected errors\n{want_err}--- found\n{err}"
        tap.ok(same, name + suffix, detail)


def update(program, source, here):
    for name, status, args in CASES:
        found, out, err = run(program, arguments(args), source)
        if found != status:
            print(f"{name}: status {found}, expected {status}; not written", file=sys.stderr)
            print(err, file=sys.stderr)
            continue
        write_golden(here, name, "out", out)
        write_golden(here, name, "err", err)


def german(folder):
    """Makes a German locale, whose decimal point is a comma; its name, or None."""
    if not shutil.which("localedef"):
        return None
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, "de_DE.UTF-8")],
                          capture_output=True)
    return "de_DE.UTF-8" if made.returncode == 0 else None


def strays(here):
    """Golden files that no case has."""
    known = {f"{name}.{stream}" for name, _, _ in CASES for stream in ("out", "err")}
    return sorted(set(os.listdir(os.path.join(here, "golden"))) - known)


def main():
    program, source = sys.argv[1:3]
    here = os.path.dirname(os.path.abspath(__file__))
    if "--update" in sys.argv:
        update(program, source, here)
        return
    tap = Tap()
    compare(tap, program, source, here)
    tap.equal(strays(here), [], "every golden file belongs to a case")
    with tempfile.TemporaryDirectory() as folder:
        locale = german(folder)
        if locale:
            compare(tap, program, source, here, " (German locale)", LC_ALL=locale, LOCPATH=folder)
        else:
            tap.skip("a German locale", "no localedef, or no locale sources")
    tap.done()


main()
