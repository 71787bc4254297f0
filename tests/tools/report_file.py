#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of Nsight Compute as inputs: ncu is a stand-in that answers from recorded text.

    report_file.py PROGRAM SOURCE
"""

import json
import os
import shutil
import subprocess
import tempfile

from stand_ins import NCU, PROGRAM, REPORT, SOURCE
from tap import Tap, environment

RECORDED = os.path.join(SOURCE, "tests/recorded/sm_90-h200/machine")
ARGUMENTS = ["--arg", "m04:1=64", "--arg", "m08:1=22", "--arg", "m11:2=4", "--arg", "m12:2=256", "--arg", "m14:2=256"]


class Bench:
    def __init__(self, folder):
        self.folder = folder
        self.calls = os.path.join(folder, "calls")
        for path in ("bin/ncu", "elsewhere/my-ncu"):
            path = os.path.join(folder, path)
            os.makedirs(os.path.dirname(path))
            with open(path, "w", encoding="utf-8") as file:
                file.write(NCU)
            os.chmod(path, 0o755)
        # A program of the name beside the report must not be run.
        with open(os.path.join(folder, "ncu"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ntouch ran\n")
        os.chmod(os.path.join(folder, "ncu"), 0o755)
        for name in ("micro.ncu-rep", "bad.ncu-rep"):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(REPORT)

    def run(self, *arguments, programs="bin", stdin=subprocess.DEVNULL):
        path = os.pathsep.join([os.path.join(self.folder, programs), "/usr/bin", "/bin"])
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder,
                              env=environment(SOURCE, PATH=path, CALLS=self.calls), stdin=stdin, capture_output=True,
                              text=True, errors="replace", timeout=120)
        return done.returncode, done.stdout, done.stderr

    def called(self):
        with open(self.calls, encoding="utf-8") as file:
            lines = file.read().splitlines()
        os.remove(self.calls)
        return lines


def check_compare(tap, bench):
    status, out, err = bench.run("compare", "--ncu", "micro.ncu-rep", *ARGUMENTS, "--format", "json")
    kernels = json.loads(out)["kernels"] if out else []
    tap.equal((status, len(kernels), sum(k["exact"] for k in kernels), err), (1, 18, 16, ""),
              "compare takes a report: shapes from it, sixteen of eighteen exact as from its pages")
    tap.equal(bench.called(), ["--import micro.ncu-rep --csv --print-kernel-base mangled --print-units base --page raw",
                               "--import micro.ncu-rep --csv --print-kernel-base mangled --page source --print-source "
                               "sass"], "ncu is asked for two pages")
    words = ["compare", "--join", "--format", "csv", os.path.join(RECORDED, "../ncu-kernels.cu"), "--ncu"]
    status, out, err = bench.run(*words, "micro.ncu-rep")
    expected = bench.run(*words, os.path.join(RECORDED, "../ncu-kernels.csv"))
    tap.equal((status, [line.split(",", 1)[1] for line in out.splitlines()], err),
              (expected[0], [line.split(",", 1)[1] for line in expected[1].splitlines()], expected[2]),
              "compare takes a report beside a source")
    tap.equal(bench.called(), ["--import micro.ncu-rep --csv --print-units base --page raw"],
              "of which ncu prints the counters alone")


def check_predict(tap, bench):
    _, expected, _ = bench.run("predict", os.path.join(RECORDED, "micro.src.csv"), "--kernel", "m07", "--block", "256",
                               "--format", "json")
    status, out, err = bench.run("predict", "micro.ncu-rep", "--kernel", "m07", "--format", "json")
    found, wanted = (json.loads(text) if text else {} for text in (out, expected))
    tap.equal((status, found.get("block"), found.get("total")), (0, [256, 1, 1], wanted.get("total")),
              "predict takes the kernel's shape from the report", )
    bench.called()
    status, out, _ = bench.run("predict", "micro.ncu-rep", "--kernel", "m07", "--block", "128", "--format", "json")
    tap.equal((status, json.loads(out)["block"] if out else out), (0, [128, 1, 1]), "--block wins")
    status, _, err = bench.run("predict", "micro.ncu-rep")
    tap.ok(status == 2 and "several kernels" in err and "m07_rolled" in err, "the kernels are listed", err)
    status, _, err = bench.run("predict", "micro.ncu-rep", "--kernel", "m08")
    tap.ok(status == 2 and "--arg 1=VALUE" in err and "--block" not in err, "arguments are asked for: no report has them",
           err)
    status, out, err = bench.run("check", "micro.ncu-rep", "--kernel", "m07", "--fail-above", "1-way")
    tap.ok(status == 1 and "degree-gate" in out, "check gates a report's kernel", out + err)
    status, out, err = bench.run("sweep", "micro.ncu-rep", "--kernel", "m08", "-D", "N=1:3", "--arg", "1={N}")
    tap.ok(status == 0 and "N" in out, "a sweep takes a report", out + err)
    bench.called()


def check_tool(tap, bench):
    status, out, err = bench.run("predict", "micro.ncu-rep", "--kernel", "m07", "--ncu-tool",
                                 os.path.join(bench.folder, "elsewhere/my-ncu"), programs="none")
    tap.ok(status == 0 and "2112" in out, "--ncu-tool names one", out + err)
    for words in (["predict", "micro.ncu-rep"], ["compare", "--ncu", "micro.ncu-rep"],
                  ["compare", "--ncu", "micro.ncu-rep", os.path.join(RECORDED, "micro.cu")]):
        status, out, err = bench.run(*words, programs="none")
        good = all(word in err for word in ("[tool-missing]", "cuda-nsight-compute", "--ncu-tool",
                                            "ncu --import micro.ncu-rep --csv --print-kernel-base mangled --page source"))
        tap.ok((status, out) == (2, "") and good, f"{' '.join(words[:2])}: without ncu, what to install or to type", err)
    tap.ok(not os.path.exists(os.path.join(bench.folder, "ran")), "the ncu beside the report is not run")
    status, out, err = bench.run("predict", "bad.ncu-rep")
    tap.ok((status, out) == (2, "") and "[tool-failed]" in err and "Failed to open" in err and "11" in err,
           "what ncu says of a bad report is shown", err)
    status, out, err = bench.run("predict", "micro.ncu-rep", "--ncu-tool", shutil.which("echo"))
    tap.ok((status, out) == (2, "") and "no machine code of 'micro.ncu-rep'" in err and "--ncu-command" in err,
           "a tool that prints something else", err)
    status, _, err = bench.run("predict", "micro.ncu-rep", "--ncu-tool", "/no/such")
    tap.ok(status == 2 and "/no/such" in err, "--ncu-tool that is not there", err)
    with open(os.path.join(bench.folder, "micro.ncu-rep"), "rb") as file:
        status, _, err = bench.run("predict", "-", stdin=file)
    tap.ok(status == 2 and "[input-kind]" in err and "standard input" in err, "a report as standard input", err)
    status, _, err = bench.run("fix", "micro.ncu-rep")
    tap.ok(status == 2 and "machine code" in err, "fix refuses it", err)


def main():
    tap = Tap()
    folder = tempfile.mkdtemp()
    bench = Bench(folder)
    check_compare(tap, bench)
    check_predict(tap, bench)
    check_tool(tap, bench)
    shutil.rmtree(folder)
    tap.done()


main()
