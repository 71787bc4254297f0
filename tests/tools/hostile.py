#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What strangers wrote reaches no terminal, log or file as a command: every command, every format.

    hostile.py PROGRAM SOURCE

Titles, comments, code, file names, kernels' names, recordings and profilers' reports hold escape
sequences, other controls, bytes of other encodings and a CI's workflow commands. And tables that a
pattern names are read only where they may be.
"""

import csv
import html.parser
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree as ElementTree

from tap import Tap, run

# Escapes that would be styles of our own, others, 8-bit and UTF-8 forms of controls, broken UTF-8.
EVIL = b"\x1b[1mEVIL\x1b[31m\x1b]0;own\x07\x9b2J\xc2\x9b2J\x7f\x08\x0b\x0c\xff\xfe\xc3 \xe2\x82 ##[group]x ##vso[t]"
# A line with a control of its own, and those with which lines of a log must not begin.
PATTERN = b"""// ::error::title EVIL
// ::warning::second EVIL
const int STRIDE = 2, two = 2;
__shared__ float tile[4096];
  ::two; /* EVIL
  ::add-mask::comment EVIL
::stop-commands::x */
::two;
int k = threadIdx.x * STRIDE; /* EVIL */
float v = tile[k /* EVIL */ + ::two + ::two - ::two + ::two - ::two + ::two - ::two + ::two * ::two]; // expect: 1-way
::two; // EVIL
"""
WRONG = PATTERN + b"\x1b[1mEVIL nosuch(\"EVIL\");\n#error EVIL\n// assume: EVIL = 1\n"
STYLE = re.compile(r"\x1b\[(0|1|2|1;31|1;35|1;36|1;32)m")


def filled(text):
    return text.replace(b"EVIL", EVIL)


class Hostile:
    def __init__(self, program, source, folder):
        self.tap, self.program, self.source, self.folder = Tap(), program, source, folder
        self.name = b"::error file=EVIL\x1b[1mEVIL\nx\x9b::.pat"

    def write(self, name, data):
        with open(os.path.join(os.fsencode(self.folder), name), "wb") as file:
            file.write(data)

    def run(self, args, **more):
        return run(self.program, args, self.source, cwd=self.folder, binary=True, stdin=b"", **more)


def faults(data, colour, commands=False):
    """What of a stream's bytes would command its reader."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return [str(error)]
    if colour:
        text = STYLE.sub("", text)
    found = ["a style of the stranger's"] if "\x1b[1mEVIL" in data.decode() else []
    found += [f"control {c!r}" for c in set(text) if unicodedata.category(c) == "Cc" and c not in "\n\t\r"]
    found += ["a bare carriage return"] if re.search("\r(?!\n)", text) else []
    found += [f"{mark} within" for mark in ("##[", "##vso[") if mark in text]
    if not commands:
        found += [f"line: {line!r}" for line in re.split("\r\n|\n", text) if line.strip().startswith("::")]
    return found


class Page(html.parser.HTMLParser):
    def error(self, message):
        raise ValueError(message)


def parse(kind, text):
    """Raises ValueError where the text is not of its kind."""
    if kind in ("json", "sarif"):
        json.loads(text)
    elif kind in ("svg", "junit"):
        ElementTree.fromstring(text)
    elif kind == "html":
        Page().feed(text)
    elif kind == "csv":
        rows = list(csv.reader(io.StringIO(text), strict=True))
        if len({len(row) for row in rows if row}) != 1:
            raise ValueError("rows of different lengths")
    elif kind == "github":
        for line in text.splitlines():
            if not re.match(r"::(error|warning) file=[^:,]*(,\w+=[^:,]*)*::", line):
                raise ValueError(f"no annotation: {line!r}")


def check(h, args, kind, statuses, colour=False, **more):
    status, out, err = h.run([*args, *([b"--color=always"] if colour else [])], **more)
    name = " ".join(os.fsdecode(a) if a != h.name else "NAME" for a in args) + (" in colour" if colour else "")
    found = faults(out, colour, kind == "github") + faults(err, colour)
    try:
        parse(kind, out.decode(errors="replace"))
    except (ValueError, csv.Error, ElementTree.ParseError) as error:
        found.append(f"no {kind}: {error}")
    if status not in statuses:
        found.append(f"status {status}")
    if not out + err:
        found.append("nothing was printed")
    h.tap.ok(not found, repr(name)[1:-1], "\n".join(map(repr, [*found, err[:500]])))


FORMATS = {
    "predict": [["--format=text"], ["--format=json"], ["--format=csv"], ["--html"], ["--metrics=ncu"]],
    "explain": [["--format=text"], ["--format=json"], ["--format=csv"], ["--html"], ["--svg"], ["--all"]],
    "sweep": [["--format=text"], ["--format=json"], ["--format=csv"], ["--svg"], ["-k"]],
    "fix": [["--format=text"], ["--format=json"], ["--lane-map"], ["--lane-map", "--format=json"]],
    "check": [[f"--format={f}"] for f in ("text", "json", "csv", "github", "sarif", "junit")],
    "lower": [[], ["--unique"]],
    "measure": [["--format=text"], ["--format=json"], ["--format=csv"]],
}


def kind_of(options):
    for option in options:
        if option.startswith("--format="):
            return option[len("--format="):]
        if option in ("--html", "--svg"):
            return option[2:]
    return "text"


def check_patterns(h):
    """A good pattern, one with errors, and neither, under every command and format."""
    replay = os.path.join(h.source, "tests/recorded/sm_90-h200/stock.csv")
    for command, lists in FORMATS.items():
        for options in lists:
            base = [command, *options]
            base += ["--replay", replay] if command == "measure" else []
            base += ["-DSTRIDE=1:3"] if command == "sweep" else []
            for file in (b"good.pat", b"wrong.pat", h.name, b"::error::nosuch" + EVIL):
                for colour in (False, True) if file == b"good.pat" and kind_of(options) == "text" else (False,):
                    told = kind_of(options) in ("github", "sarif", "junit")  # errors are told in the form
                    check(h, [*base, file], kind_of(options) if told or file in (b"good.pat", h.name) else "text",
                          {0, 1} if file in (b"good.pat", h.name) else {2}, colour, COLUMNS="44")
    check(h, ["predict", "--compare", b"good.pat", h.name], "text", {0}, True)
    check(h, ["predict", "--compare", "--format=json", b"good.pat", h.name], "json", {0})


def check_others(h):
    """Streams, recordings, profilers' reports, machine code, and what is on the command line."""
    row = b"op,active," + b",".join(b"a%d" % i for i in range(32)) + b",cycles,hw_wavefronts\n"
    h.write(b"stream.csv", b"# card: EVIL ::error::x\n# ::error::card\n".replace(b"EVIL", EVIL) + row + b"ld.32,ffffffff," +
            b",".join(b"%d" % (8 * i) for i in range(32)) + b",2,2\n" + b"ld.32,1," + b"0," * 32 + b"7,1\n")
    h.write(b"wrong.csv", row + b"EVIL,ffffffff\n".replace(b"EVIL", EVIL))
    for form in ("text", "json", "csv"):
        check(h, ["compare", f"--format={form}", b"stream.csv"], form, {0, 1})
        check(h, ["predict", f"--format={form}", b"stream.csv"], form, {0})
    check(h, ["compare", b"stream.csv"], "text", {0, 1}, True)
    for command in ("predict", "compare", "lower"):
        check(h, [command, b"wrong.csv"], "text", {2})
    with open(os.path.join(h.source, "tests/tools/ncu/transpose-raw.csv"), "rb") as file:
        report = file.read()
    h.write(b"report.csv", report.replace(b"transpose_padded", b"tr::error::" + EVIL))
    for form in ("text", "json", "csv"):
        check(h, ["compare", "--ncu", b"report.csv", f"--format={form}", "kernels/transpose"], "text", {0, 1, 2})
    with open(os.path.join(h.source, "tests/recorded/sm_90-h200/machine/micro.sass"), "rb") as file:
        text = file.read()
    h.write(b"code.sass", text.replace(b"_Z17m08_runtime_tripsPji", b"m08::error::" + EVIL))
    for form in ("text", "json", "csv"):
        check(h, ["predict", f"--format={form}", "--kernel=m08", "--block=32", "--arg=1=22", b"code.sass"], "text", {0, 2})
    check(h, ["predict", b"code.sass"], "text", {2})
    for args in (["help", EVIL], [b"::error::" + EVIL], ["predict", b"--format=" + EVIL, "x"], ["predict", b"--" + EVIL],
                 ["predict", b"-D" + EVIL + b"=1", b"good.pat"], ["fix", b"--array=" + EVIL, b"good.pat"],
                 ["predict", "-o", b"/nosuch/" + EVIL, b"good.pat"], ["measure", b"--gpu=/nosuch/" + EVIL, b"good.pat"],
                 ["predict", b"--arch=" + EVIL, b"good.pat"]):
        check(h, args, "text", {0, 1, 2, 3})


def check_files(h):
    """-o, to a file and to a pipe, is as plain as standard output."""
    for options in FORMATS["predict"] + [["--format=text", "--color=always"]]:
        status, out, _ = h.run(["predict", *options, b"good.pat"])
        to_file = h.run(["predict", *options, b"good.pat", "-o", "report"])[0]
        with open(os.path.join(h.folder, "report"), "rb") as file:
            written = file.read()
        h.tap.ok(status == to_file == 0 and written == out, f"-o writes what is printed: {' '.join(options)}", repr(written[:200]))
    h.tap.ok(b"?[1mEVIL" in h.run(["predict", b"good.pat"])[1], "what is not shown is a question mark")


def check_diff(h):
    """The diff of a file whose lines would be commands still applies; controls stay in the file."""
    h.write(b"tile.pat", b"const int two = 2;\n__shared__ float tile[32][32];\n\t::two;\nfloat v = tile[threadIdx.x][0];\n::two;\n")
    _, out, _ = h.run(["fix", "--kind=pad", b"tile.pat"])
    text = out.decode()
    h.tap.ok("-\t::two;\n+\t::two;\n" in text and "\n \t::" not in text, "no line of a diff is a command", text)
    applied = subprocess.run(["patch", "-p1", "tile.pat"], cwd=h.folder, input=out[out.index(b"--- a/"):], capture_output=True,
                             check=False) if shutil.which("patch") else None
    with open(os.path.join(h.folder, "tile.pat"), "rb") as file:
        h.tap.ok(not applied or (applied.returncode == 0 and b"[32][32 + 1];\n\t::two;\n" in file.read()), "and it applies",
                 applied and applied.stdout)
    source = filled(b"// EVIL\n__shared__ float tile[32][32]; // EVIL\nfloat v = tile[threadIdx.x][0];\n")
    h.write(b"own.pat", source)
    status, out, err = h.run(["fix", "--kind=pad", "--apply", b"own.pat"])
    with open(os.path.join(h.folder, "own.pat"), "rb") as file:
        written = file.read()
    h.tap.ok(status == 0 and written == source.replace(b"[32][32]", b"[32][32 + 1]"), "--apply keeps bytes that are not shown",
             repr((status, err, written)))


# ---- tables ----

TABLE = (b"// assume: t = @PATH\n__global__ void k(const int *t, float *out)\n{\n    __shared__ float s[1024];\n"
         b"    out[0] = s[t[threadIdx.x]];\n}\nk<<<1, 32>>>(t, out);\n")


def check_tables(h):
    inside = os.path.join(h.folder, "inside")
    os.makedirs(os.path.join(inside, "sub"))
    numbers = b", ".join(b"%d" % (2 * i) for i in range(32))
    for name in ("secret.txt", "inside/table.txt", "inside/sub/table.txt"):
        h.write(os.fsencode(name), numbers)
    h.write(b"secret-words.txt", b"1, 2, hunter2, 3\n")
    h.write(b"inside/words.txt", b"1, 2, hunter2, 3\n")
    links = {"up": "../secret.txt", "out": h.folder, "in": "sub/table.txt", "sub/back": "../table.txt", "nowhere": "nosuch",
             "words": "../secret-words.txt", "loop": "loop", "own": os.path.join(inside, "table.txt")}
    for name, target in links.items():
        os.symlink(target, os.path.join(inside, name))
    os.mkfifo(os.path.join(inside, "fifo"))
    os.symlink("fifo", os.path.join(inside, "pipe"))
    os.symlink("/dev/zero", os.path.join(inside, "zero"))
    secret = os.path.join(h.folder, "secret.txt")
    good = ["table.txt", "sub/table.txt", "./sub//table.txt", "in", "sub/back", "own"]
    outside = ["../secret.txt", "sub/../../secret.txt", secret, os.path.join(inside, "table.txt"), "up", "out/secret.txt",
               "sub/../table.txt", "/etc/passwd", "/dev/stdin", "/proc/self/environ", "words", "zero", "/dev/tty"]
    refused = {"fifo": "no regular file", "pipe": "no regular file", "sub": "Is a directory", "nowhere": "No such file",
               "loop": "levels of symbolic links", "nosuch": "No such file", "": ""}
    expected = {**{p: (0, "") for p in good}, **{p: (2, "outside the pattern's folder") for p in outside},
                **{p: (2, why) for p, why in refused.items()}}
    for path, (wanted, why) in expected.items():
        h.write(b"inside/t.pat", TABLE.replace(b"PATH", os.fsencode(path)))
        status, out, err = h.run(["predict", "inside/t.pat"])
        h.tap.ok(status == wanted and why in err.decode() and b"hunter2" not in out + err, f"@{path} is {'read' if not wanted else 'refused'}"
                 .replace(h.folder, "FOLDER"), f"status {status}\n{err.decode()}")
    h.write(b"inside/t.pat", TABLE.replace(b"PATH", b"words.txt"))
    status, out, err = h.run(["predict", "inside/t.pat"])
    h.tap.ok(status == 2 and b"words.txt:1: not a number" in err and b"hunter2" not in out + err, "what is no number is not repeated", err)
    for number in ("1e3081", "-1e3081", "1e19", "9223372036854775808", "-9.3e18"):  # no integer has them
        h.write(b"inside/far.txt", number.encode())
        h.write(b"inside/t.pat", TABLE.replace(b"PATH", b"far.txt").replace(b"1, 32", b"1, 1"))
        status, _, err = h.run(["predict", "inside/t.pat"])
        h.tap.ok(status == 2 and b"which its type does not have" in err and b"runtime error" not in err,
                 f"a table of {number}", err)
    for path, wanted in ((secret, 0), ("../secret.txt", 0), ("up", 0), ("../secret-words.txt", 2), ("fifo", 2), ("zero", 2),
                         ("/dev/zero", 2)):
        h.write(b"inside/t.pat", TABLE.replace(b"PATH", os.fsencode(path)))
        status, out, err = h.run(["predict", "--tables-anywhere", "inside/t.pat"])
        h.tap.ok(status == wanted and b"hunter2" not in out + err, f"--tables-anywhere: @{path}".replace(h.folder, "FOLDER"), err)
    for cwd, name in ((inside, "t.pat"), (inside, "./t.pat"), ("/", os.path.join(inside, "t.pat"))):
        h.write(b"inside/t.pat", TABLE.replace(b"PATH", b"sub/table.txt"))
        status, _, err = run(h.program, ["predict", name], h.source, cwd=cwd)
        h.tap.ok(status == 0, f"a table is seen from {name}".replace(inside, "INSIDE"), err)
    status, _, err = run(h.program, ["predict", "-"], h.source, cwd=inside, stdin=TABLE.replace(b"PATH", b"table.txt").decode())
    h.tap.ok(status == 0, "of standard input, the folder is the current one", err)


def main():
    program, source = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        h = Hostile(program, source, os.path.realpath(folder))
        h.write(b"good.pat", filled(PATTERN))
        h.write(b"wrong.pat", filled(WRONG))
        h.write(h.name, filled(PATTERN))
        check_patterns(h)
        check_others(h)
        check_files(h)
        check_diff(h)
        check_tables(h)
        h.tap.done()


main()
