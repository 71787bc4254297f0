# SPDX-License-Identifier: GPL-3.0-or-later
"""NVIDIA's programs as stand-ins that answer from recorded text, for tests of what runs them.

The tests' arguments are PROGRAM SOURCE.
"""

import os
import subprocess
import sys

from tap import environment

PROGRAM, SOURCE = map(os.path.abspath, sys.argv[1:3])
RECORDED = os.path.join(SOURCE, "tests/recorded/sm_90-h200/triton")
MACHINE = os.path.join(SOURCE, "tests/recorded/sm_90-h200/machine")
LAUNCH = ["--block", "128", "--grid", "4x4", "--arg", "2=256"]

# Prints the recorded text of the cubin that has the same bytes as its last argument.
NVDISASM = f"""#!/bin/sh
echo "$@" >>"$CALLS"
for last; do :; done
for cubin in {RECORDED}/*.cubin; do
    cmp -s "$cubin" "$last" && exec cat "${{cubin%.cubin}}.sass"
done
echo "nvdisasm fatal : what is $last" >&2
exit 255
"""
# -xelf all: two cubins into the folder that it runs in; -sass: as the other does.
CUOBJDUMP = f"""#!/bin/sh
echo "$@" >>"$CALLS"
for last; do :; done
[ "$1" = -xelf ] || exec nvdisasm "$last"
case $last in /*) ;; *) exit 9 ;; esac
! grep -q slow "$last" || sleep 60
grep -q kernels "$last" || exit 0
cp {RECORDED}/transpose.cubin a.1.sm_90.cubin
cp {RECORDED}/matmul.cubin a.2.sm_90.cubin
"""
COMPILER = f"""#!/bin/sh
echo "in $PWD" >>"$CALLS"
for word; do echo "<$word>" >>"$CALLS"; done
while [ $# -gt 0 ]; do
    [ "$1" = -o ] && out=$2
    shift
done
cp {RECORDED}/transpose.cubin "$out"
"""


# What a report of Nsight Compute begins with; the rest is the profiler's own.
REPORT = b"NVR\0" + bytes(range(256))
# Prints the page that is asked for; of a report whose name has "bad" in it none.
NCU = f"""#!/bin/sh
echo "$@" >>"$CALLS"
case $2 in *bad*) echo "==ERROR== Failed to open $2" >&2; exit 11 ;; esac
case "$*" in
*"mangled --print-units base --page raw"*) cat {MACHINE}/micro.raw.csv ;;
*"--page raw"*) cat {MACHINE}/../ncu-kernels.csv ;;
*"--page source"*) cat {MACHINE}/micro.src.csv ;;
esac
"""


class Bench:
    """A folder with the stand-ins, and another for temporary files."""

    def __init__(self, folder):
        self.folder = folder
        self.calls = os.path.join(folder, "calls")
        self.temporary = os.path.join(folder, "temporary")
        os.mkdir(self.temporary)
        for name, text in {"all/nvdisasm": NVDISASM, "all/cuobjdump": CUOBJDUMP, "all/nvcc": COMPILER,
                           "all/ptxas": COMPILER, "all/ncu": NCU, "none/nothing": "", "odd/my-cuobjdump": CUOBJDUMP}.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o755)

    def environment(self, programs):
        # The shell's own programs stay; nothing of NVIDIA's is in these folders.
        path = os.pathsep.join([os.path.join(self.folder, programs), "/usr/bin", "/bin"])
        return environment(SOURCE, PATH=path, TMPDIR=self.temporary, CALLS=self.calls)

    def file(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def run(self, *arguments, programs="all"):
        """(exit status, standard output, standard error)."""
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=self.environment(programs),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=120)
        return done.returncode, done.stdout, done.stderr

    def left(self):
        return os.listdir(self.temporary)


def rows(printed):
    """A table without the file's name."""
    return printed.split("\n", 1)[1] if "\n" in printed else printed


def refused(tap, bench, message, words, *arguments, programs="all"):
    status, out, err = bench.run(*arguments, programs=programs)
    tap.equal((status, out), (2, ""), f"{' '.join(words)}: refused")
    tap.ok(f"[{message}]" in err and all(word in err for word in words), f"{' '.join(words)}: says why", err)
