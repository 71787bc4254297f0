#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast the program is: the whole run, start-up included, against what the project promises.

    bench.py PROGRAM SOURCE

Prints a row a case: best and median of several runs in milliseconds, the limit, their ratio, and the
peak of memory. Exit status 1 where a limit is exceeded.
"""

import os
import statistics
import sys
import tempfile
import time

from tap import environment

# 10,000,000 requests of one warp: a row and a column of a tile, over and over.
LOOP = """const int N = {n};
__shared__ float tile[32][33];
for (int i = 0; i < N; i++)
    for (int j = 0; j < 32; j++) {{
        tile[j][threadIdx.x] = 0;
        tile[threadIdx.x][j] = 1;
    }}
"""
# 10,000,000 requests of the eight warps of a block, with arithmetic as kernels have it.
KERNEL = """const int N = {n};
const int TILE = 32;
__global__ void loop(float *out, const float *in)
{{
    __shared__ float tile[TILE][TILE];
    float sum = 0;
    for (int i = 0; i < N; i++) {{
        for (int j = 0; j < TILE; j += blockDim.y)
            tile[threadIdx.y + j][threadIdx.x] = in[i * TILE + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; j += blockDim.y)
            sum += tile[threadIdx.x][threadIdx.y + j];
        __syncthreads();
    }}
    out[threadIdx.x] = sum;
}}
loop<<<1, dim3(32, 8)>>>(out, in);
"""


def measure(program, source, path):
    """(milliseconds, peak KiB) of one run of predict."""
    start = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.chdir(source)
        os.execve(program, [program, "predict", path], environment(source))
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"bench: predict {path} failed with status {os.waitstatus_to_exitcode(status)}")
    return 1000 * (time.perf_counter() - start), usage.ru_maxrss


def main():
    program, source = map(os.path.abspath, sys.argv[1:3])
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        def pattern(name, text):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return path
        small, large = 15625, 156250
        cases = [
            ("transposes", "kernels/transpose", 10, 11),
            ("script, 1,000,000 requests", pattern("small.pat", LOOP.format(n=small)), None, 3),
            ("script, 10,000,000 requests", pattern("large.pat", LOOP.format(n=large)), 2000, 3),
            ("kernel, 10,000,000 requests", pattern("kernel.pat", KERNEL.format(n=large)), 2000, 3),
        ]
        print(f"{'case':<30} {'best ms':>9} {'median':>9} {'limit':>7} {'ratio':>6} {'peak KiB':>9}")
        peaks = {}
        for name, path, limit, runs in cases:
            rows = [measure(program, source, path) for _ in range(runs)]
            best, median = min(r[0] for r in rows), statistics.median(r[0] for r in rows)
            peaks[name] = max(r[1] for r in rows)
            ratio = f"{best / limit:6.2f}" if limit else "     -"
            print(f"{name:<30} {best:9.1f} {median:9.1f} {limit or '-':>7} {ratio} {peaks[name]:9}")
            failed |= bool(limit) and best > limit
    grown = peaks["script, 10,000,000 requests"] - peaks["script, 1,000,000 requests"]
    print(f"memory for ten times the requests: {grown:+} KiB")
    failed |= grown > 1024
    sys.exit(1 if failed else 0)


main()
