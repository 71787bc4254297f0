#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: every option of every command with good and bad arguments, and its exit status.

    cli.py PROGRAM SOURCE OPTIONS.tsv

OPTIONS.tsv is the program's own option table; an option without rows here is a failure, so that a
new one cannot come without its test.
"""

import os
import re
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time

from cli_table import read_table
from tap import Tap, environment, run

STRIDE = "tests/tools/patterns/stride.pat"
# Options of machine code go with a file of it; a pattern refuses them.
MICRO = "tests/recorded/sm_90-h200/machine/micro.sass"

# By option: arguments that are taken, and arguments that are refused with a word the message has.
GOOD = {
    "define": ["STRIDE=1", "STRIDE=0x10", "STRIDE=64"],
    "block": ["32", "32x8", "8x8x4", "1024", "1x1x64", "1"],
    "grid": ["1", "2x2", "3x2x1", "65535"],
    "launches": ["/dev/null"],
    "kernel": ["m08", "m08_runtime", "_Z17m08_runtime_tripsPji", "m08_runtime_trips(unsigned int *, int)"],
    "arg": ["0=ptr", "@100=i16:-2", "m08:0=0x1000", "m01:7=9"],
    "data": ["0=zero", "0=random:u8:0..9", "0=rand:1%256", "0=iota", "c3=zero", f"0=file:{__file__}"],
    "shared": ["128", "48K"],
    "nvcc": [],  # tests/tools/binary.py
    "compile-commands": [],
    "disasm": ["/bin/true", "nvdisasm"],  # which text does not need
    "ncu-tool": ["/bin/true", "ncu"],  # as little: tests/tools/report_file.py
    "arch": ["sm_90", "sm_80", "sm_121", "sm_20"],
    "metrics": ["ncu"],
    "fail-above": ["2-way", "2", "32-way"],
    "line": ["4"],
    "warp": ["0"],
    "request": ["1"],
    "array": ["s"],
    "kind": ["any", "pad", "swizzle", "order", "struct"],
    "max-pad": ["1", "64", "1024"],
    "align": ["1", "16", "1024"],
    "max-bytes": ["48K", "65536"],
    "pick": ["1"],
    "warning": ["no-pad-stride", "pad-stride", "no-static-shared", "no-expect"],
    "seed": ["1", "4294967295"],
    "trials": ["1", "3"],
    "max-steps": ["100000"],
    "max-memory": ["1M", "64m", "1G", "1000000", "512K"],
    "color": ["auto", "always", "never"],
}
BAD = {
    "define": [("=3", "NAME=VALUE"), ("STRIDE=", "STRIDE"), ("1A=2", "NAME=VALUE"),
               ("STRIDE=1:4", "range"), ("STRIDE=x", "STRIDE"), ("NOSUCH=1", "NOSUCH"),
               ("STRIDE=99999999999999999999", "STRIDE")],
    "block": [("0", "range"), ("2048", "range"), ("32x0", "range"), ("64x32", "1024"), ("1x1x65", "range"),
              ("32x", "shape"), ("x8", "shape"), ("-1", "shape"), ("4x4x4x4", "three"), ("32,8", "shape"),
              ("99999999999999999999999", "range"), ("", "shape")],
    "grid": [("0", "range"), ("2147483648", "range"), ("1x65536", "range"), ("a", "shape")],
    "launches": [("", "file name"), ("/no/such", "cannot read")],
    "kernel": [("", "no name"), ("nosuch", "no kernel is called"), ("m1", "several kernels"), ("_Z", "several")],
    "arg": [("", "PLACE=VALUE"), ("3", "PLACE=VALUE"), ("3=", "PLACE=VALUE"), ("7=1", "no such parameter"),
            ("n=1", "no parameter of this name"), ("0=x", "no value"), ("@=1", "no such place"),
            ("0={N}", "nothing is called 'N'")],
    "data": [("", "PLACE=LAW"), ("0=nope", "nothing about data"), ("1=zero", "no pointer is there"),
             ("0=file:/no/such", "/no/such"), ("0=random:u8:0..256", "range"), ("c99=zero", "constant bank"),
             ("0=rand:1%0", "rand:1%256")],
    "cubin": [("", "file name"), ("/no/such", "/no/such"), (MICRO, "no cubin"),
              ("tests/recorded/nvcc-13.0/cubin/params.sm_80.cubin", "it is of sm_80"),
              ("tests/recorded/nvcc-13.0/cubin/params.sm_90.cubin", "no kernel m08_runtime_trips")],
    "shared": [("0", "range"), ("2M", "too large"), ("x", "size")],
    "nvcc": [("", "no name")],
    "compile-commands": [("", "file name"), ("/no/such", "/no/such"), (MICRO, "no JSON")],
    "disasm": [("", "file name")],
    "ncu-tool": [("", "file name")],
    "arch": [("sm_91", "sm_90"), ("", "known"), ("SM_90", "known")],
    "format": [("xml", "none of"), ("", "none of"), ("jso", "none of"), ("text|json", "none of")],
    "metrics": [("all", "none of")],
    "fail-above": [("0", "range"), ("33", "range"), ("2way", "degree"), ("two-way", "degree"), ("", "degree")],
    "line": [("0", "range"), ("-4", "number"), ("one", "number"), ("2", "on line")],
    "warp": [("32", "range"), ("-1", "number"), ("1", "warps 0 to 0")],
    "request": [("0", "range"), ("x", "number"), ("2", "no request 2")],
    "array": [("", "no name"), ("nosuch", "no shared array")],
    "kind": [("padding", "none of"), ("", "none of")],
    "max-pad": [("0", "range"), ("1025", "range"), ("-1", "number")],
    "align": [("0", "range"), ("2048", "range"), ("x", "number")],
    "max-bytes": [("0", "range"), ("1T", "size")],
    "pick": [("0", "range"), ("99", "proposals"), ("100", "range")],
    "warning": [("no-such", "no warning"), ("", "no warning"), ("such", "no-pad-stride")],
    "seed": [("0", "range"), ("4294967296", "range"), ("-1", "number"), ("1.5", "number"), ("", "number")],
    "trials": [("0", "range"), ("1000001", "range"), ("ten", "number")],
    "max-steps": [("0", "range"), ("-5", "number"), ("99999999999999999999", "number")],
    "max-memory": [("1T", "size"), ("10", "range"), ("G", "size"), ("1GG", "size"), ("18446744073709551615G", "")],
    "color": [("yes", "none of"), ("", "none of")],
    "output": [("", "file name"), ("/nonexistent/folder/x", "cannot write"), (".", "cannot write")],
}
MACHINE = {"kernel", "arg", "data", "shared", "cubin", "disasm"}
# With kernels/transpose: arguments, and None or a word of the error.
KERNELS = "kernels/transpose"
LAUNCHING = {
    "launch": [("transpose<<<1, dim3(32, 8)>>>(out, in, 1024)", None), ("transpose<<<1, dim3(32, 4)>>>(ptr, ptr, 1024);", None),
               ("transpose_padded<<<1, dim3(TILE, 8)>>>(ptr, ptr, _)", None), ("transpose<<<1, 32>>>", None),
               ("", "no launch"), ("transpose(1)", "no launch"), ("transpose<<<1>>>()", "--launch:1:14"),
               ("nosuch<<<1, 32>>>()", "the kernels of"), ("transpose<<<1, 2048>>>(a, b, 1)", "at most 1024"),
               ("transpose<<<1, 32>>>(a, b)", "takes 3 arguments"), ("transpose<<<1, 32>>>(a, b, 1) x", "unexpected")],
    "kernel": [("transpose", None), ("padded", None), ("nosuch", "no kernel"), ("", "no name")],
    "arg": [("n=512", None), ("2=512", None), ("transpose:n=64", None), ("m=1", "no kernel that is launched has it"),
            ("n=x", "not a number"), ("n=ptr", "not a number"), ("out=3", "is a pointer"), ("n=99999999999", "fit")],
    "data": [("", "PLACE=LAW")],
    "shared": [("4K", None), ("0", "range")],
}
ONLY_MACHINE = {"cubin", "disasm"}
MACHINE_BASE = ["--block", "32", "--kernel=m08", "--arg=1=22", MICRO]
FLAGS = {"unique", "join", "fold", "quiet", "help", "version", "all", "whole", "keep-going", "svg", "html", "tma", "lane-map",
         "tables-anywhere"}
REPEATED = {"warning", "arg", "data", "launch", "launches"}
# By command: what its lines begin with, and what -D takes and refuses where that differs.
BASE = {"sweep": ["-DSTRIDE=1:3", STRIDE]}
SWEEP_GOOD = ["STRIDE=1:1", "STRIDE=0:64:8", "STRIDE=0x1:0x8", "STRIDE=1,2,4", "STRIDE=32,1:3,8:16:4"]
SWEEP_BAD = [("STRIDE", "needs a range"), ("STRIDE=1", "needs a range"), ("STRIDE=4:1", "ends before"),
             ("STRIDE=1:", "no range"), ("STRIDE=1:4:0", "step"), ("STRIDE=1:4:-1", "step"), ("STRIDE=a:b", "no range"),
             ("STRIDE=1:2:3:4", "no range"), ("STRIDE=1.5:2", "no range"), ("STRIDE=0:1000000000", "too many"),
             ("STRIDE=1,2,1", "twice"), ("STRIDE=1:3,2", "twice"), ("STRIDE=1,", "no range"), ("STRIDE=,1", "no range"),
             ("STRIDE=1,a", "no range"), ("STRIDE=1:99999,0:9", "too many"),
             ("NOSUCH=1:2", "NOSUCH"), ("STRIDE=60:10000", "STRIDE=67")]


def base_of(command):
    return BASE.get(command, [STRIDE])


class Cli:
    def __init__(self, program, source):
        self.tap = Tap()
        self.program = program
        self.source = source

    def expect(self, status, args, word="", **more):
        found, _, err = run(self.program, args, self.source, **more)
        good = found == status and word in err and "Sanitizer" not in err and "runtime error" not in err
        return self.tap.ok(good, " ".join(repr(a) if not a or " " in a else a for a in args),
                           f"status {found}, expected {status} and {word!r} in:\n{err}")


def good_arguments(name, argument):
    return argument.split("|") if name == "format" else GOOD.get(name, [])


def check_ranges(cli):
    for value in SWEEP_GOOD:
        cli.expect(0, ["sweep", "-D", value, STRIDE])
    for value, word in SWEEP_BAD:
        cli.expect(2, ["sweep", "-D", value, STRIDE], word)
    cli.expect(0, ["sweep", "-DSTRIDE=1:2", "-DSTRIDE=1:4", STRIDE])


def machine_base(command, name):
    """What goes with an option of machine code that is tried by itself."""
    base = [word for word in MACHINE_BASE if name != "kernel" or not word.startswith("--kernel")]
    if command == "compare":  # a profiler's page, which needs no other file
        page = MICRO.replace("micro.sass", "micro.src.csv")
        return ["--ncu", page, *base[:-1]]
    return ["-DN=1:2", "--arg=1={N}", *[w for w in base if "--arg" not in w]] if command == "sweep" else base


def check_launching(cli, command, name):
    """Options of launches with a file of kernels; machine code's are tried with machine code."""
    file = ["-DTILE=32:32", KERNELS] if command == "sweep" else [KERNELS]
    if command == "compare":
        return  # see ncu.py
    for value, word in LAUNCHING[name]:
        status = 2 if word else (0, 1) if command == "check" else (0,)
        found, _, err = run(cli.program, [command, f"--{name}={value}", *file], cli.source)
        cli.tap.ok(found in (status if isinstance(status, tuple) else (status,)) and (word or "") in err,
                   f"{command} --{name}={value}", f"status {found}, expected {status} and {word!r} in:\n{err}")


def check_option(cli, command, letter, name, argument):
    file = base_of(command)
    if name == "launch" or (name in MACHINE and command == "fix"):
        check_launching(cli, command, name)
        return
    if name in MACHINE:
        if name in ONLY_MACHINE:
            cli.expect(2, [command, f"--{name}={GOOD.get(name, ['x'])[0]}", *file], "no machine code")
        file = machine_base(command, name)
    if command == "sweep" and name == "define":
        check_ranges(cli)
        return
    if command == "predict" and name == "compare":
        cli.expect(0, [command, "--compare", STRIDE, STRIDE])
        cli.expect(2, [command, "--compare", STRIDE], "two files")
        cli.expect(2, [command, "--compare", STRIDE, STRIDE, STRIDE], "two files")
        cli.expect(2, [command, "--compare", "--html", STRIDE, STRIDE], "with --html")
        cli.expect(2, [command, "--compare", STRIDE, "tests/tools/patterns/unknown.pat"], "unknown.pat")
        return
    if name == "apply":  # it writes: see fix.py
        cli.expect(2, [command, "--apply=x", *file], "takes none")
        cli.expect(2, [command, "--apply", "-"], "<stdin>")
        cli.expect(2, [command, "--apply", "kernels/transpose"], "stock pattern")
        cli.expect(2, [command, "--apply", "--lane-map", *file], "together")
        return
    if name in FLAGS:
        cli.expect(0, [command, f"--{name}", *file])
        cli.expect(2, [command, f"--{name}=x", *file], "") if name not in ("help", "version") else None
        return
    if name not in BAD:
        cli.tap.ok(False, f"--{name} has rows in this test")
        return
    for value in good_arguments(name, argument):
        # Another stride can miss an expectation, and a gate can find something: both are findings.
        status = (0, 1) if command == "check" else (0,)
        found, _, err = run(cli.program, [command, f"--{name}={value}", *file], cli.source)
        cli.tap.ok(found in status and not err.count("error: -"), f"{command} --{name}={value}", err)
    for value, word in BAD[name]:
        cli.expect(2, [command, f"--{name}={value}", *file], word)
        cli.expect(2, [command, f"--{name}", value, *file], word)
    cli.expect(2, [command, *file, f"--{name}"], "needs an argument")
    if letter != "-":
        cli.expect(2, [command, *file, f"-{letter}"], "needs an argument")
    if name == "define":
        cli.expect(1 if command == "check" else 0, [command, "-DSTRIDE=2", "-D", "STRIDE=1", *file])
    elif good_arguments(name, argument) and name not in REPEATED:
        value = good_arguments(name, argument)[0]
        cli.expect(2, [command, f"--{name}={value}", f"--{name}={value}", *file], "twice")


def check_command(cli, command, options):
    for letter, name, argument in options:
        check_option(cli, command, letter, name, argument)
    cli.expect(2, [command], "needs a file")
    cli.expect(2, [command, "--nosuch", STRIDE], "unknown option")
    cli.expect(2, [command, "-Z", STRIDE], "unknown option")
    cli.expect(2, [command, "--colour", "never", STRIDE], "did you mean --color?")
    first = base_of(command)[:-1]
    cli.expect(2, [command, *first, "no/such/file"], "cannot read")
    cli.expect(2, [command, *first, "patterns"], "directory")
    cli.expect(2, [command, "-", "-"], "one file" if command in ("lower", "explain", "sweep") else "once")
    cli.expect(0, [command, *first, "--", STRIDE])
    cli.expect(2, [command, *first, "--", "--help"], "cannot read")
    cli.expect(0, [command, "--nosuch", "--help"])


def check_files(cli, folder):
    path = os.path.join(folder, "zero.pat")
    with open(path, "wb") as file:
        file.write(b"int x = 1;\0int y;\n")
    cli.expect(2, ["predict", path], "not text")
    path = os.path.join(folder, "empty.pat")
    open(path, "w").close()
    found, _, _ = run(cli.program, ["predict", path], cli.source)
    cli.tap.ok(found in (0, 2), "an empty file ends well", f"status {found}")
    found, out, _ = run(cli.program, ["predict", "-"], cli.source,
                        stdin="__shared__ int s[64]; int v = s[threadIdx.x * 2];")
    cli.tap.ok(found == 0 and "<stdin>" in out and "2-way" in out, "standard input is read", out)
    for name in ("kernels/transpose", "kernels/transpose.pat"):
        cli.expect(0, ["predict", name])
    cli.expect(2, ["predict", "kernels/nosuch"], "stock pattern")
    cli.expect(2, ["predict", "../patterns/kernels/transpose"], "cannot read")


def check_streams(cli, folder):
    """The binary form of a request stream says what the other does, and is told by its content."""
    csv, binary = os.path.join(folder, "s.csv"), os.path.join(folder, "s.bwr")
    moved, cut = os.path.join(folder, "s.dat"), os.path.join(folder, "cut")
    for path in (csv, binary):
        cli.expect(0, ["lower", STRIDE, "-o", path])
    cli.expect(0, ["lower", STRIDE, "--format", "bwr", "-o", moved])
    with open(moved, "rb") as file:
        bytes_of = file.read()
    with open(binary, "rb") as file:
        cli.tap.equal(file.read(), bytes_of, "--format and the name of the output choose the same form")
    rows = [[line for line in run(cli.program, ["lower", path], cli.source)[1].splitlines() if line[0] != "#"]
            for path in (csv, moved)]
    cli.tap.ok(len(rows[0]) > 1, "a stream has rows", str(rows[0]))
    # the lines of rows differ, as CSV has comments
    plain = [[",".join(row.split(",")[:34]) for row in lines] for lines in rows]
    cli.tap.equal(plain[1], plain[0], "CSV and .bwr have the same requests")
    with open(cut, "wb") as file:
        file.write(bytes_of[:-40])
    cli.expect(2, ["predict", cut], f"cut: byte {len(bytes_of) - 40}: ")
    cli.expect(2, ["compare", binary], "none of the measured columns")
    for path in (csv, binary, moved, cut):
        os.remove(path)


def check_signals(cli, path):
    """A program that a signal ends leaves the file as it was, and nothing beside it."""
    folder = os.path.dirname(path)
    before = sorted(os.listdir(folder))
    # Sanitizers catch the signals of faults for themselves, unless they are told not to.
    own = ":".join(f"handle_{name}=0" for name in ("segv", "sigbus", "sigfpe", "sigill", "abort"))
    more = {name: f"{os.environ.get(name, '')}:{own}".lstrip(":") for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS")}
    stays = {signal.SIGKILL, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGCONT, signal.SIGCHLD,
             signal.SIGURG, signal.SIGWINCH, signal.SIGPIPE}  # KILL cannot be caught; the others end nothing
    for number in sorted(signal.valid_signals() - stays):
        if not isinstance(number, signal.Signals):
            continue
        child = subprocess.Popen([cli.program, "sweep", "-D", "A=1:2", "-", "-o", path], stdin=subprocess.PIPE,
                                 cwd=cli.source, env={**os.environ, **more},
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        for _ in range(200):  # it waits for its input once the temporary file is there
            if len(os.listdir(folder)) > len(before):
                break
            time.sleep(0.05)
        began = len(os.listdir(folder)) > len(before)
        time.sleep(0.05)
        child.send_signal(number)
        status = child.wait(240)
        child.stdin.close()
        cli.tap.ok(began and status == -number, f"{number.name} ends the program", f"status {status}, began {began}")
        cli.tap.equal(sorted(os.listdir(folder)), before, f"{number.name} leaves no temporary file")


def check_output(cli, folder):
    tap, path = cli.tap, os.path.join(folder, "report.txt")
    cli.expect(0, ["predict", STRIDE, "-o", path])
    with open(path, encoding="utf-8") as file:
        first = file.read()
    tap.ok("2-way" in first, "-o writes the report", first)
    os.chmod(path, 0o640)
    cli.expect(2, ["predict", "tests/tools/patterns/unknown.pat", "-o", path])
    with open(path, encoding="utf-8") as file:
        tap.equal(file.read(), first, "an error leaves the file as it was")
    cli.expect(0, ["predict", STRIDE, "-DSTRIDE=4", "--output=" + path])
    tap.equal(stat.S_IMODE(os.stat(path).st_mode), 0o640, "the file keeps its mode")
    link = os.path.join(folder, "link.txt")
    os.symlink("report.txt", link)
    cli.expect(0, ["predict", STRIDE, "-o", link])
    tap.ok(os.path.islink(link), "a link stays a link")
    tap.equal(sorted(os.listdir(folder)), ["empty.pat", "link.txt", "report.txt", "zero.pat"],
              "no temporary file is left")
    check_signals(cli, path)
    copy = os.path.join(folder, "own.pat")
    with open(copy, "w", encoding="utf-8") as file:
        file.write("int x = 1;\n")
    cli.expect(2, ["predict", copy, "-o", copy], "input itself")
    cli.expect(3, ["predict", STRIDE, "-o", "/dev/full"], "No space left")
    for command in (["predict", STRIDE], ["lower", STRIDE], ["check", STRIDE], ["--help"], ["predict", "--help"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([cli.program, *command], cwd=cli.source, env=environment(cli.source),
                                  stdout=full, stderr=subprocess.PIPE, timeout=240)
        tap.ok(done.returncode == 3 and b"No space left" in done.stderr, f"full disk: {' '.join(command)}",
               f"status {done.returncode}: {done.stderr!r}")


def check_closed_pipe(cli, folder):
    """A reader that has enough ends the program as it ends others: by SIGPIPE, without a word."""
    path = os.path.join(folder, "report.txt")
    before = sorted(os.listdir(folder))
    for args in (["predict", STRIDE], ["lower", STRIDE], ["check", STRIDE], ["predict", "--format=json", STRIDE],
                 ["--help"], ["predict", "--help"], ["help"], ["--version"], ["fix", STRIDE]):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([cli.program, *args], cwd=cli.source, env=environment(cli.source),
                              stdout=writer, stderr=subprocess.PIPE, timeout=240)
        os.close(writer)
        cli.tap.ok(done.returncode == -signal.SIGPIPE and not done.stderr, f"nobody reads: {' '.join(args)}",
                   f"status {done.returncode}: {done.stderr!r}")
    done = subprocess.run(["sh", "-c", f"'{cli.program}' lower kernels/matmul | head -n 1"], cwd=cli.source,
                          env=environment(cli.source), capture_output=True, timeout=240)
    cli.tap.ok(done.stdout.count(b"\n") == 1 and not done.stderr, "| head ends quietly", done.stderr)
    done = subprocess.run([cli.program, "predict", STRIDE, "-o", "/dev/stdout"], cwd=cli.source,
                          env=environment(cli.source), stdout=open("/dev/full", "wb"), stderr=subprocess.PIPE, timeout=240)
    cli.tap.ok(done.returncode == 3 and b"No space left" in done.stderr, "a device that is full is said", done.stderr)
    cli.tap.equal((sorted(os.listdir(folder)), os.path.exists(path)), (before, False), "nothing is left")


def check_dangling(cli, folder):
    """A link to nothing stays what it is."""
    link = os.path.join(folder, "dangling.txt")
    os.symlink("nosuch.txt", link)
    cli.expect(2, ["predict", STRIDE, "-o", link], "a link to nothing")
    cli.tap.equal((os.readlink(link), os.listdir(folder)), ("nosuch.txt", ["dangling.txt"]), "and it is kept")
    os.remove(link)


def check_closed_descriptors(cli, folder):
    """What is started without descriptors 0 to 2 gives none of them to a file."""
    path = os.path.join(folder, "report.txt")
    _, whole, _ = run(cli.program, ["predict", STRIDE], cli.source)
    for closed in ("<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"):
        for args, wanted in ((["predict", STRIDE], 0), (["predict", "tests/tools/patterns/unknown.pat"], 2),
                             (["fix", "--apply", os.path.join(folder, "own.pat")], 0)):
            with open(os.path.join(folder, "own.pat"), "w", encoding="utf-8") as file:
                file.write("__shared__ float t[32][32];\nfloat v = t[threadIdx.x][0];\n")
            done = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", cli.program, *args, "-o", path], cwd=cli.source,
                                  env=environment(cli.source), stdin=subprocess.DEVNULL, capture_output=True, timeout=240)
            text = open(path, encoding="utf-8").read() if os.path.exists(path) else None
            good = done.returncode == wanted and (text is None) == (wanted != 0)
            good &= args[0] != "predict" or wanted != 0 or text == whole
            good &= "error" not in (text or "")
            cli.tap.ok(good, f"closed: {closed} {' '.join(args[:2])}".replace(folder, ""), f"{done}\n{text}")
            if text is not None:
                os.remove(path)
        done = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", cli.program, "predict", STRIDE], cwd=cli.source,
                              env=environment(cli.source), stdin=subprocess.DEVNULL, capture_output=True, timeout=240)
        cli.tap.equal(done.returncode, 3 if re.search(r"(^| )>", closed) else 0, f"closed: {closed}: its loss is known")
    os.remove(os.path.join(folder, "own.pat"))


def check_texts(cli, table):
    _, out, _ = run(cli.program, ["--help"], cli.source)
    lines = out.splitlines()
    cli.tap.ok(len(lines) <= 24 and max(map(len, lines)) <= 80, "--help fits 24 lines of 80 cells", out)
    for command in table:
        cli.tap.ok(f"  {command} " in out, f"--help lists {command}", out)
    for width in (80, 120, 200):
        _, out, _ = run(cli.program, ["predict", "kernels/transpose", "kernels/histogram256",
                                           "kernels/ldmatrix_swizzle", "tests/tools/patterns/wide.pat"], cli.source,
                        COLUMNS=str(width))
        widest = max(len(line) for line in out.splitlines())
        cli.tap.ok(widest <= width, f"a report fits {width} cells", f"widest {widest}\n{out}")
    _, out, _ = run(cli.program, ["predict", "kernels/transpose"], cli.source, COLUMNS="120")
    cli.tap.ok("cycles" in out and "requests" in out, "a wide terminal shows more", out)
    _, out, _ = run(cli.program, ["predict", "--color=auto", STRIDE], cli.source)
    cli.tap.ok("\033" not in out, "no colour in a pipe")


def main():
    program, source, table_path = map(os.path.abspath, sys.argv[1:4])
    cli = Cli(program, source)
    table = read_table(table_path)
    for command, options in table.items():
        if command in ("predict", "check", "lower"):
            check_command(cli, command, options)
    with tempfile.TemporaryDirectory() as folder:
        check_files(cli, folder)
        check_streams(cli, folder)
        check_output(cli, folder)
    with tempfile.TemporaryDirectory() as folder:
        check_closed_pipe(cli, folder)
        check_dangling(cli, folder)
        check_closed_descriptors(cli, folder)
    check_texts(cli, table)
    cli.tap.done()


main()
