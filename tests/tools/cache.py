#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches of other programs as inputs: folders, and files that hold cubins among other things.

    cache.py PROGRAM SOURCE

Triton's folder is laid out as Triton 3.6.0 does, with recorded cubins; CuPy's file is CuPy 14.2.0's own. Numba's are made
here, as pickles with a cubin in them: no file of Numba's was at hand.
"""

import json
import os
import pickle
import shutil
import tempfile

from stand_ins import RECORDED, SOURCE, Bench, refused
from tap import Tap

CUPY = os.path.join(SOURCE, "tests/recorded/sm_90-h200/caches/fadfde978195bc853379526d4bd880f4d243dfec.cubin")
GRID = ["--grid", "4x4", "--arg", "2=256"]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def facts(name, warps, shared):
    """What Triton writes beside a cubin, less what nobody reads here."""
    return json.dumps({"target": {"backend": "cuda", "arch": 90, "warp_size": 32}, "num_warps": warps, "num_ctas": 1,
                       "maxnreg": None, "enable_fp_fusion": True, "shared": shared, "name": name}).encode()


def make_triton(bench):
    for folder, name, warps, shared in (("2QJX", "transpose", 4, 16384), ("7NMK", "matmul", 4, 24576)):
        os.makedirs(os.path.join(bench.folder, "triton", folder))
        cubin = read(os.path.join(RECORDED, name + ".cubin"))
        for ending, data in ((".cubin", cubin), (".json", facts(name, warps, shared)), (".ttir", b"module {}"),
                             (".so", b"\x7fELF\2\1\1" + bytes(200))):
            bench.file(f"triton/{folder}/{name}{ending}", data)
        bench.file(f"triton/{folder}/__grp__{name}.json", b"{}")
    os.makedirs(os.path.join(bench.folder, "triton/COPY"))
    bench.file("triton/COPY/transpose.cubin", read(os.path.join(RECORDED, "transpose.cubin")))  # the same bytes again


def check_triton(tap, bench):
    make_triton(bench)
    status, found, err = bench.run("predict", *GRID, "--kernel", "transpose", "triton", "--format", "json")
    report = json.loads(found) if found else {}
    tap.equal((status, report.get("block"), report.get("total", {}).get("wavefronts"), err), (0, [128, 1, 1], 4096, ""),
              "a kernel of Triton's cache, with the block that its facts give")
    refused(tap, bench, "no-kernels", ["2 cubins", "--kernel", "\n  matmul  sm_90, block 128, 24576 bytes shared: triton/7NMK",
                                       "\n  transpose  sm_90"], "predict", "triton")
    refused(tap, bench, "no-kernels", ["of 3 cubins", "none"], "predict", "--kernel", "nosuch", "triton")
    refused(tap, bench, "no-kernels", ["of 3 cubins", "none"], "predict", "--arch", "sm_80", "triton")
    path = os.path.join("triton/2QJX/transpose.cubin")
    status, found, err = bench.run("predict", *GRID, path)
    tap.ok(status == 0 and "block 128" in found and "16384 bytes shared" in found and "4096" in found,
           "the cubin itself has its facts too", found + err)
    status, found, err = bench.run("predict", *GRID, "--block", "64", path)
    tap.ok(status == 0 and "block 64" in found, "--block wins", found + err)
    status, found, err = bench.run("sweep", "-D", "N=64,128", "--grid", "4x4", "--arg", "2={N}", "--kernel", "transpose",
                                   "triton")
    tap.ok(status == 0 and len([1 for line in found.splitlines() if "1-way        4096" in line]) == 2, "a sweep of a cache's kernel", found + err)
    for text in (b"[1]", b"{", b'{"num_warps": 0}', b'{"num_warps": "4"}', b'{"num_warps": 33}', b'{"num_warps": 1e300}'):
        bench.file("triton/2QJX/transpose.json", text)
        status, _, err = bench.run("predict", path)
        tap.ok(status == 2 and "[launch-not-given]" in err, f"facts that are none: {text.decode()}", err)


def check_cupy(tap, bench):
    refused(tap, bench, "tool-missing", ["cuda-nvdisasm"], "predict", CUPY, programs="none")
    os.mkdir(os.path.join(bench.folder, "cupy"))
    cubin = read(os.path.join(RECORDED, "transpose.cubin"))
    bench.file("cupy/0.cubin", read(CUPY))
    path = bench.file("cupy/1.cubin", b"0123456789" * 4 + cubin[:-1])  # which leaves the last zero off, as CuPy does
    tap.equal(cubin[-1], 0, "the last byte of a cubin is zero")
    refused(tap, bench, "no-kernels", ["2 cubins", "\n  flip  sm_90: cupy/0.cubin", "\n  transpose  sm_90"], "predict", "cupy")
    for words in (["--kernel", "transpose", "cupy"], [path]):
        status, found, err = bench.run("predict", "--block", "128", *GRID, *words)
        tap.ok(status == 0 and "4096" in found, f"CuPy's cubin after its checksum: {words[-1]}", found + err)


def check_numba(tap, bench):
    os.mkdir(os.path.join(bench.folder, "numba"))
    cubin = read(os.path.join(RECORDED, "transpose.cubin"))
    bench.file("numba/kernel.nbi", pickle.dumps(("0.68.0", {"overloads": "kernel.1.nbc"})))
    path = bench.file("numba/kernel.1.nbc", pickle.dumps({"name": "kernel", "cubins": {(9, 0): cubin}, "ltoirs": {}}))
    for words in (["numba"], [path]):
        status, found, err = bench.run("predict", "--block", "128", *GRID, *words)
        tap.ok(status == 0 and "4096" in found, f"a cubin in a pickle: {os.path.basename(words[-1])}", found + err)
    evil = bench.file("numba/evil.nbc", b"cos\nsystem\n(S'touch ran'\ntR." + cubin)
    bench.run("predict", "--block", "128", *GRID, evil)
    tap.ok(not os.path.exists(os.path.join(bench.folder, "ran")), "no pickle is executed")


def check_others(tap, bench):
    os.makedirs(os.path.join(bench.folder, "empty/folder"))
    refused(tap, bench, "no-kernels", ["no compiled kernel", "directory"], "predict", "empty")
    cubin = read(os.path.join(RECORDED, "transpose.cubin"))
    os.mkdir(os.path.join(bench.folder, "cut"))
    for cut in (64, 1000, len(cubin) - 500, len(cubin) - 9):
        bench.file("cut/kernel", b"text" + cubin[:cut])
        refused(tap, bench, "no-kernels", ["no compiled kernel"], "predict", "cut")
    os.symlink(bench.folder, os.path.join(bench.folder, "empty/loop"))
    refused(tap, bench, "no-kernels", ["no compiled kernel"], "predict", "empty")
    refused(tap, bench, "cannot-read", ["directory"], "fix", "empty")
    tap.equal(bench.left(), [], "no temporary file is left of caches")


def main():
    tap = Tap()
    folder = tempfile.mkdtemp()
    bench = Bench(folder)
    check_triton(tap, bench)
    check_cupy(tap, bench)
    check_numba(tap, bench)
    check_others(tap, bench)
    shutil.rmtree(folder)
    tap.done()


main()
