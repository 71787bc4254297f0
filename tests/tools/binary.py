#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Binaries and sources as inputs: NVIDIA's programs are stand-ins that answer from recorded text.

    binary.py PROGRAM SOURCE
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

from stand_ins import LAUNCH, PROGRAM, RECORDED, SOURCE, Bench, refused, rows
from tap import Tap

NAMED = os.path.join(SOURCE, "tests/recorded/nvcc-13.0/cubin/shared-G.sm_90.cubin")

def check_cubin(tap, bench):
    cubin, text = (os.path.join(RECORDED, "transpose" + ending) for ending in (".cubin", ".sass"))
    _, expected, _ = bench.run("predict", *LAUNCH, "--arg", "0=ptr", "--arg", "1=ptr", "--arg", "@16=256", text)
    _, found, err = bench.run("predict", *LAUNCH, cubin)
    tap.ok("4096" in found, "a cubin's table has the 4,096 wavefronts that were profiled", found + err)
    tap.equal(rows(found).split("\n", 1)[1], rows(expected).split("\n", 1)[1],
              "a cubin gives what its disassembly gives")
    with open(bench.calls, encoding="utf-8") as file:
        tap.equal(file.read().split("\n")[0], f"-c -gi {cubin}", "nvdisasm is asked for lines and inlining")
    status, _, err = bench.run("predict", cubin)
    tap.ok(status == 2 and "--arg 2=VALUE (4 bytes)" in err, "parameters and their sizes come from the file", err)
    status, swept, err = bench.run("sweep", "-D", "N=64:256:64", *LAUNCH[:4], "--arg", "2={N}", cubin)
    tap.ok(status == 0 and swept.count(" 4096 ") == 8, "a sweep takes a cubin", swept + err)
    refused(tap, bench, "input-kind", ["machine code"], "fix", cubin)
    status, found, err = bench.run("check", *LAUNCH, "--fail-above", "1-way", cubin)
    tap.ok(status == 0 and "none above 1-way" in found, "check gates a binary: met", found + err)
    status, found, err = bench.run("check", "--block", "32", "--arg", "0=ptr", "--fail-above", "1-way", "--cubin", NAMED,
                                   os.path.join(SOURCE, "tests/tools/patterns/shared.sass"))
    tap.ok(status == 1 and "[degree-gate]" in found and "32-way" in found, "and not met", found + err)


def check_disassemblers(tap, bench):
    cubin = os.path.join(RECORDED, "transpose.cubin")
    refused(tap, bench, "tool-missing", ["cuda-nvdisasm", "cuda-cuobjdump"], "predict", *LAUNCH, cubin, programs="none")
    status, found, err = bench.run("predict", *LAUNCH, "--disasm", os.path.join(bench.folder, "all/nvdisasm"), cubin,
                                   programs="none")
    tap.ok(status == 0 and "4096" in found, "--disasm names one", found + err)
    os.mkdir(os.path.join(bench.folder, "mumbling"))
    mumbler = bench.file("mumbling/nvdisasm", b"#!/bin/sh\necho int x = 1\n")
    os.chmod(mumbler, 0o755)
    refused(tap, bench, "tool-failed", ["no machine code", "NVIDIA"], "predict", *LAUNCH, "--disasm", mumbler, cubin)
    other = bench.file("other.cubin", open(cubin, "rb").read() + b"more")
    refused(tap, bench, "tool-failed", ["nvdisasm fatal", "255"], "predict", *LAUNCH, other)
    with open(cubin, "rb") as file:
        cut = bench.file("cut.cubin", file.read()[:5000])
    refused(tap, bench, "cubin-damaged", ["cut.cubin", "table of sections"], "predict", *LAUNCH, cut)


def check_programs(tap, bench):
    bench.file("program", b"\x7fELF\2\1\1" + bytes(100) + b"kernels")
    status, found, err = bench.run("predict", *LAUNCH, "--kernel", "transpose", "program")
    tap.ok(status == 0 and "4096" in found and found.startswith("program\n"), "a program's kernel", found + err)
    refused(tap, bench, "no-kernels", ["2 parts", "--kernel"], "predict", *LAUNCH, "program")
    refused(tap, bench, "no-kernels", ["sm_90"], "predict", *LAUNCH, "--kernel", "nosuch", "program")
    refused(tap, bench, "no-kernels", ["sm_90"], "predict", *LAUNCH, "--arch", "sm_80", "program")
    bench.file("empty", b"\x7fELF\2\1\1" + bytes(100))
    refused(tap, bench, "no-kernels", ["no machine code"], "predict", *LAUNCH, "empty")
    fatbin = bench.file("a.fatbin", b"\x50\xed\x55\xba" + bytes(100) + b"kernels")
    status, found, err = bench.run("predict", *LAUNCH, "--kernel", "transpose", fatbin)
    tap.ok(status == 0 and "4096" in found, "a fatbin's kernel", found + err)
    tap.equal(bench.left(), [], "no temporary file is left")


def check_killed(tap, bench):
    """The folder goes, even if the program is killed while the disassembler works."""
    bench.file("slow", b"\x7fELF\2\1\1" + bytes(100) + b"slow kernels")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGRTMIN, signal.SIGKILL):
        with subprocess.Popen([PROGRAM, "predict", "slow"], cwd=bench.folder, env=bench.environment("all"),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True) as child:
            for _ in range(3000):
                if bench.left():
                    break
                time.sleep(0.02)
            if number == signal.SIGKILL:
                child.kill()
            else:
                os.killpg(child.pid, number)  # as a terminal does: to all that the program started
            child.wait(timeout=240)
        for _ in range(3000):
            if not bench.left():
                break
            time.sleep(0.02)
        tap.equal(bench.left(), [], f"no temporary folder is left after {number.name}")


def check_sources(tap, bench):
    os.remove(bench.calls)
    bench.file("kernel.cu", b"template <class T> __global__ void k();\n")
    status, found, err = bench.run("predict", *LAUNCH, "--nvcc", "-O3 -I 'a folder'", "--arch", "sm_90", "kernel.cu")
    tap.ok(status == 0 and "4096" in found and found.startswith("kernel.cu\n"), "a source by way of nvcc", found + err)
    with open(bench.calls, encoding="utf-8") as file:
        words = file.read().split("\n")[1:]
    tap.equal(words[:6], ["<-cubin>", "<-lineinfo>", "<-arch=sm_90>", "<-O3>", "<-I>", "<a folder>"], "nvcc gets the flags")
    tap.equal(words[8], "<kernel.cu>", "and the file")
    bench.file("kernel.ptx", b".version 8.0\n")
    status, found, err = bench.run("predict", *LAUNCH, "kernel.ptx")
    tap.ok(status == 0 and "4096" in found, "PTX by way of ptxas", found + err)
    refused(tap, bench, "tool-missing", ["nvcc", "CUDA Toolkit"], "predict", "--nvcc", "-O3", "kernel.cu", programs="none")
    tap.equal(bench.left(), [], "no temporary file is left of them")


def check_projects(tap, bench):
    """The flags of a project's compile_commands.json."""
    os.makedirs(os.path.join(bench.folder, "build/gpu"))
    command = "/evil/nvcc -DN=32 '-I../a folder' --generate-code=arch=compute_80,code=[compute_80,sm_80] -MD -MF a.d " \
              "-x cu -c ../../kernel.cu -o kernel.o"
    entries = [{"directory": os.path.join(bench.folder, "build"), "file": "../other.cu", "command": "nvcc ../other.cu"},
               {"directory": "gpu", "file": "../../kernel.cu", "command": command},
               {"directory": "gpu", "file": "../../words.cu", "arguments": ["clang++", "-DA=b c", "-Wall", "-std=gnu++17",
                                                                         "../../words.cu"]},
               {"directory": "gpu", "file": "../../nothing.cu"}]
    database = bench.file("build/compile_commands.json", json.dumps(entries).encode())
    for name in ("words.cu", "nothing.cu", "header.cuh"):
        bench.file(name, b"\n")
    for option in (["-p", "build"], ["--compile-commands", database], ["--compile-commands=build", "--nvcc", "-DM=1"]):
        os.remove(bench.calls)
        status, found, err = bench.run("predict", *LAUNCH, *option, "kernel.cu")
        tap.ok(status == 0 and "4096" in found, f"{option[0]}: a source with its project's flags", found + err)
        with open(bench.calls, encoding="utf-8") as file:
            words = file.read().split("\n")
        more = ["<-DM=1>"] if "--nvcc" in option else []
        expected = ["<-cubin>", "<-lineinfo>", "<-arch=sm_80>", "<-DN=32>", "<-I../a folder>", "<-x>", "<cu>", *more, "<-o>"]
        place = [f"in {os.path.realpath(os.path.join(bench.folder, 'build/gpu'))}"]
        tap.equal(words[:len(expected) + 1], place + expected, "nvcc gets them, in the entry's folder")
        tap.equal(words[len(expected) + 2], f"<{os.path.realpath(os.path.join(bench.folder, 'kernel.cu'))}>", "and the file")
    os.remove(bench.calls)
    status, found, err = bench.run("predict", *LAUNCH, "-p", "build", "--arch", "sm_90", "words.cu")
    with open(bench.calls, encoding="utf-8") as file:
        words = file.read().split("\n")
    tap.equal((status, words[1:6]), (0, ["<-cubin>", "<-lineinfo>", "<-arch=sm_90>", "<-DA=b c>", "<-std=c++17>"]),
              "of another compiler what nvcc has too")
    for words, *arguments in ((["header.cuh", "kernel.cu, words.cu"], "-p", "build", "header.cuh"),
                              (["no command"], "-p", "build", "nothing.cu")):
        refused(tap, bench, "compile-commands", words, "predict", *LAUNCH, *arguments)
    refused(tap, bench, "cannot-read", ["compile_commands.json"], "predict", "-p", "none", "kernel.cu")
    refused(tap, bench, "cannot-read", ["no/such"], "predict", "-p", "no/such", "kernel.cu")
    for text, word in ((b'[{"file": ', "byte 10"), (b"{}", "no list"), (b"[1, [], {}]", "how 'kernel.cu'")):
        bench.file("bad.json", text)
        refused(tap, bench, "compile-commands", [word], "predict", "-p", "bad.json", "kernel.cu")
    tap.equal(bench.left(), [], "no temporary file is left of projects")


def main():
    tap = Tap()
    folder = tempfile.mkdtemp()
    bench = Bench(folder)
    check_cubin(tap, bench)
    check_disassemblers(tap, bench)
    check_programs(tap, bench)
    check_killed(tap, bench)
    check_sources(tap, bench)
    check_projects(tap, bench)
    shutil.rmtree(folder)
    tap.done()


main()
