#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of the README and of the man pages do what is printed there.

    examples.py PROGRAM SOURCE            compare
    examples.py PROGRAM SOURCE --update   write the README's outputs anew
    examples.py PROGRAM SOURCE --without-cxx   those that need host code are left out

In the README, a `console` block holds commands after "$ " and what they print. Those of its `sh` blocks that call bankwise
must end well in a folder with the files that they name, where NVIDIA's programs are stand-ins. In man pages the
commands of .Dl lines must end with status 0 or 1.
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from stand_ins import RECORDED, REPORT, Bench
from tap import Tap, environment

BLOCK = re.compile(r"```console\n(.*?)```", re.S)


def shell(command, program, source, cwd):
    """(status, what a terminal would show) of a command line that calls bankwise by its name."""
    path = os.path.dirname(program) + ":" + os.environ["PATH"]
    done = subprocess.run(["sh", "-c", command], cwd=cwd, env=environment(source, PATH=path), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return done.returncode, done.stdout


def block_text(block, program, source):
    """The block as it should be, and the statuses of its commands."""
    text, statuses = [], []
    for line in block.splitlines():
        if line.startswith("$ "):
            status, out = shell(line[2:], program, source, source)
            statuses.append(status)
            text.append(f"{line}\n{out}")
    return "".join(text), statuses


def check_readme(tap, program, source, cxx):
    with open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        blocks = BLOCK.findall(file.read())
    tap.ok(blocks, "the README has examples")
    for block in blocks:
        name = block.splitlines()[0]
        if not cxx and "ncu-kernels" in block:  # a .cu file with its host code
            tap.skip(f"README: {name}", "host code is not in this build")
            continue
        found, statuses = block_text(block, program, source)
        tap.ok(found == block and all(status in (0, 1) for status in statuses), f"README: {name}",
               f"statuses {statuses}; expected\n{block}\nfound\n{found}")


def fill_folder(bench):
    """What the README's commands name."""
    triton = os.path.join(bench.folder, ".triton/cache/2QJX")
    os.makedirs(triton)
    for ending in (".cubin", ".json"):
        with open(os.path.join(triton, "transpose" + ending), "wb") as file:
            if ending == ".json":
                file.write(json.dumps({"num_warps": 4, "shared": 16384, "name": "transpose"}).encode())
            else:
                with open(os.path.join(RECORDED, "transpose.cubin"), "rb") as cubin:
                    file.write(cubin.read())
    bench.file("program", b"\x7fELF\2\1\1" + bytes(100) + b"kernels")
    bench.file("kernel.cu", b"__global__ void transpose(float *, const float *, int);\n")
    bench.file("report.ncu-rep", REPORT)
    os.mkdir(os.path.join(bench.folder, "build"))
    entry = {"directory": bench.folder, "file": "kernel.cu", "command": "nvcc -O3 -c kernel.cu -o kernel.o"}
    bench.file("build/compile_commands.json", json.dumps([entry]).encode())


def check_binaries(tap, program, source):
    """The commands of `sh` blocks that call bankwise."""
    with open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        blocks = re.findall(r"```sh\n(.*?)```", file.read(), re.S)
    commands = [line for block in blocks for line in block.splitlines() if line.startswith("bankwise ")]
    tap.ok(len(commands) >= 6, "the README has commands about binaries", commands)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        fill_folder(bench)
        known = dict(bench.environment("all"), HOME=folder)
        known["PATH"] = os.path.dirname(program) + ":" + known["PATH"]
        for command in commands:
            done = subprocess.run(["sh", "-c", command], cwd=folder, env=known, text=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
            tap.ok(done.returncode == 0 and done.stdout, f"README: {command}", f"status {done.returncode}\n{done.stdout}")


def update_readme(program, source):
    path = os.path.join(source, "README.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = BLOCK.sub(lambda match: "```console\n" + block_text(match[1], program, source)[0] + "```", text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def check_pages(tap, program, source):
    for page in sorted(glob.glob(os.path.join(source, "tools/man/*.[15]"))):
        with open(page, encoding="utf-8") as file:
            commands = re.findall(r"^\.Dl \$ (.*)$", file.read(), re.M)
        for command in commands:
            status, out = shell(command, program, source, os.path.join(source, "patterns"))
            tap.ok(status in (0, 1), f"{os.path.basename(page)}: {command}", f"status {status}\n{out}")


def main():
    program, source = map(os.path.abspath, sys.argv[1:3])
    if "--update" in sys.argv:
        update_readme(program, source)
        return
    tap = Tap()
    check_readme(tap, program, source, "--without-cxx" not in sys.argv)
    check_binaries(tap, program, source)
    check_pages(tap, program, source)
    tap.done()


main()
