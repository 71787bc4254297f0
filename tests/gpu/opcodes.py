#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The recording of opcodes is whole: what its tables name is there, and of the size they say.

    opcodes.py FOLDER
"""

import csv
import lzma
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from tap import Tap  # noqa: E402

ARCHS = (75, 80, 90, 100, 120)
SOURCES = ("integer", "float", "warp", "flow")
UNWRITTEN = b"\xa5\xa5\xa5\xa5"


def rows(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def unpacked(folder, name):
    with lzma.open(os.path.join(folder, name)) as file:
        return file.read()


def check_kernel(tap, folder, kernel, slots):
    name, count = kernel["name"], int(kernel["slots"])
    words = int(kernel["grid"]) * int(kernel["block"]) * count
    out = unpacked(folder, f"{name}.out.xz")
    tap.ok(len(out) == 4 * words, f"{name}: {words} words", len(out))
    written = sum(out[i:i + 4] != UNWRITTEN for i in range(0, len(out), 4))
    tap.ok(written >= words - 4, f"{name}: all of them written", f"{words - written} are not")
    numbers = [int(slot["slot"]) for slot in slots if slot["name"] == name]
    tap.ok(numbers == list(range(count)), f"{name}: {count} slots")


def functions(text):
    return set(re.findall(r"Function : (\S+)", text))


def main():
    folder, tap = sys.argv[1], Tap()
    kernels, slots = rows(folder, "kernels.csv"), rows(folder, "slots.csv")
    for kernel in kernels:
        check_kernel(tap, folder, kernel, slots)
    names = {kernel["kernel"] for kernel in kernels}
    for arch in ARCHS:
        texts = [unpacked(folder, f"{source}.sm_{arch}.sass.xz").decode() for source in SOURCES]
        found = set().union(*map(functions, texts))
        tap.ok(names <= found, f"sm_{arch}: the text of every kernel", names - found)
        cubins = [unpacked(folder, f"{source}.sm_{arch}.cubin.xz") for source in SOURCES]
        tap.ok(all(cubin.startswith(b"\x7fELF") for cubin in cubins), f"sm_{arch}: cubins")
    for source in SOURCES:
        for dialect in ("nvdisasm-c", "nvdisasm-gi"):
            text = unpacked(folder, f"{source}.sm_90.{dialect}.xz").decode()
            tap.ok(".text.op_" in text, f"{source}: {dialect}")
    profiled = set(re.findall(r'^"Kernel Name","(op_\w+)', unpacked(folder, "source.csv.xz").decode(), flags=re.M))
    tap.ok(profiled == names, "every kernel was profiled", names ^ profiled)
    tap.done()


if __name__ == "__main__":
    main()
