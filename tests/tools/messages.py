#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every message is explained, and provoked: by the example of its explanation, and not by its cure.

    messages.py PROGRAM SOURCE TABLE.tsv PAGE.7 [GROUP|NAME|NAME=TEST...]

TABLE.tsv is the registry as the program has it; PAGE.7 the manual page made from it; messages of a
GROUP, or called so, are those of a room that this build leaves out. A NAME that no example can provoke is
provoked by a TEST, which has its name.

An explanation is prose with fenced blocks. ```cuda is the file example.pat, ```csv example.csv and ```sass example.sass;
```console has command lines, after "$ ". A file without command lines is predicted. So an
explanation is a row of steps, files with their commands. The first must print the message, the
others must not, and end well.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import Tap, environment, run

FILES = {"cuda": "example.pat", "csv": "example.csv", "sass": "example.sass"}
MOST_LINES, MOST_COLUMNS = 60, 79


def read_table(path):
    """{id: (kind, group, line)}."""
    with open(path, encoding="utf-8") as file:
        return {name: tuple(rest) for name, *rest in (line.rstrip("\n").split("\t") for line in file)}


def read_explanations(source):
    """{id: text} of all files."""
    found = {}
    for path in sorted(glob.glob(os.path.join(source, "tools/messages/*.md"))):
        with open(path, encoding="utf-8") as file:
            parts = re.split(r"^## (\S+)\n", file.read(), flags=re.M)
        found.update(zip(parts[1::2], parts[2::2]))
    return found


def steps_of(text):
    """[(files, commands)]; a block of commands ends a step, as prose does after files."""
    steps, files = [], {}
    parts = re.split(r"^```(\w+)(?: (\S+))?\n(.*?)^```\n", text, flags=re.M | re.S)
    for i in range(1, len(parts), 4):
        kind, name, body, after = parts[i:i + 4]
        if kind == "console":
            steps.append((files, [line[2:] for line in body.splitlines() if line.startswith("$ ")]))
            files = {}
            continue
        files[name or FILES[kind]] = body
        if after.strip() or i + 4 >= len(parts) or kind == parts[i + 4]:
            steps.append((files, [f"bankwise predict {name or FILES[kind]}"]))
            files = {}
    return steps


class Runner:
    """Runs steps in a folder of their own, with the program as 'bankwise'."""

    def __init__(self, program, source):
        self.program, self.source = os.path.abspath(program), source

    def run(self, step):
        """(exit status of the last command, all that was printed)."""
        files, commands = step
        printed, status = "", 0
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "bin"))
            os.symlink(self.program, os.path.join(folder, "bin/bankwise"))
            for name, body in files.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(body)
            path = os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"]
            for command in commands:
                done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, timeout=120,
                                      env=environment(self.source, PATH=path), stdin=subprocess.DEVNULL)
                status = done.returncode
                printed += (done.stdout + done.stderr).decode(errors="replace")
        return status, printed


def says(printed, name):
    """Whether the message was printed: in brackets, as a -W, or as a rule in CSV."""
    return f"[{name}]" in printed or f"[-W{name}]" in printed or f",{name}," in printed


def check_size(tap, name, text):
    """Prose fits a terminal; the rows of a request stream do not."""
    prose = re.sub(r"^```csv.*?^```$", "", text, flags=re.M | re.S).splitlines()
    tap.ok(len(text.splitlines()) <= MOST_LINES and max(map(len, prose), default=0) <= MOST_COLUMNS,
           f"{name} is short", max(prose, key=len, default=""))


def check_example(tap, runner, name, kind, text):
    steps = steps_of(text)
    if not tap.ok(steps, f"{name} has an example"):
        return
    limit = re.search(r"ulimit -v \d+", text)
    if limit and runner.run(({}, [f"{limit[0]} && bankwise --version"]))[0] != 0:
        tap.skip(f"{name} is provoked by its example", "a sanitizer or valgrind wants more memory")
        return
    status, printed = runner.run(steps[0])
    expected = {"warning": (0, 1), "finding": (1,), "error": (2, 3)}[kind]
    tap.ok(says(printed, name) and status in expected, f"{name} is provoked by its example",
           f"status {status}\n{printed}")
    for step in steps[1:]:
        status, printed = runner.run(step)
        tap.ok(status == 0 and not says(printed, name), f"{name} is cured by its cure", f"status {status}\n{printed}")


def plain(text):
    """The explanation as help prints it."""
    lines, inside = [], False
    for line in text.strip().splitlines():
        if line.startswith("```"):
            inside = not inside
        else:
            lines.append("    " + line if inside and line else line)
    return "\n".join(lines)


def check_help(tap, program, source, table, texts):
    _, listed, _ = run(program, ["help"], source)
    tap.equal(re.findall(r"^  (\S+) +\S", listed, re.M), list(table), "help lists all messages in order")
    for name, (kind, _, line) in table.items():
        status, out, err = run(program, ["help", name], source)
        more = f"\n-Wno-{name} leaves the warning out.\n" if kind == "warning" else ""
        expected = f"{name} ({kind})\n\n{line}\n\n{plain(texts.get(name, ''))}\n{more}"
        tap.equal((status, out, err), (0, expected, ""), f"help {name}")
    for word in ("[-Wexpect]", "[expect]", "no-expect"):
        tap.ok(run(program, ["help", word], source)[1].startswith("expect (warning)\n"), f"help {word}")
    tap.equal(run(program, ["help", "predict"], source), run(program, ["predict", "--help"], source), "help predict")
    tap.equal(run(program, ["help", "expect", "nosuch"], source)[:2], (2, ""), "help of a good and a bad word")
    commands = re.findall(r"^  (\w+) ", run(program, ["--help"], source)[1], re.M)
    tap.equal(sorted(set(commands) & set(table)), [], "no message is called as a command is")


def check_page(tap, page, table):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    tap.equal(re.findall(r"^\.It (\S+) Pq", text, re.M), list(table), "bankwise-messages(7) has all messages in order")
    if not shutil.which("mandoc"):
        tap.skip("bankwise-messages(7) is clean", "no mandoc")
        return
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
    tap.equal([line for line in (lint.stdout + lint.stderr).splitlines() if "referenced manual not found" not in line],
              [], "bankwise-messages(7) is clean")


def check_pages(tap, source, table):
    """What else names messages: the pages that list the warnings, and the schema with the findings' rules."""
    warnings = [name for name, row in table.items() if row[0] == "warning"]
    for command in ("check", "predict"):
        with open(os.path.join(source, f"tools/man/bankwise-{command}.1"), encoding="utf-8") as file:
            part = file.read().split("The names are\n")[1].split(".Xr bankwise-messages 7\n")[0]
        tap.equal(re.findall(r"[a-z]+-?[a-z]+(?= [,;]|$)", part.replace("\nand\n", "\n"), re.M), warnings,
                  f"bankwise-{command}(1) has the warnings")
    with open(os.path.join(source, "tools/schema/check.schema.json"), encoding="utf-8") as file:
        rules = json.load(file)["properties"]["findings"]["items"]["properties"]["rule"]["enum"]
    tap.equal(rules, [name for name, row in table.items() if row[0] == "finding"], "the schema has the findings")


def main():
    program, source, table_path, page, *left_out = sys.argv[1:]
    tap = Tap()
    table, texts = read_table(table_path), read_explanations(source)
    tap.equal(sorted(texts), sorted(table), "the messages of the registry are those that are explained")
    runner = Runner(program, source)
    tested = dict(word.split("=") for word in left_out if "=" in word)
    for name, (kind, group, _) in table.items():
        text = texts.get(name, "")
        check_size(tap, name, text)
        if name in tested:
            with open(os.path.join(source, tested[name]), encoding="utf-8") as file:
                by_test = file.read()
            tap.ok(f'"{name}"' in by_test or f"BW_MSG_{name.upper().replace('-', '_')})" in by_test,
                   f"{name} is provoked by {tested[name]}")
        elif group in left_out or name in left_out:
            tap.skip(f"{name} is provoked by its example", "its room is not in this build")
        else:
            check_example(tap, runner, name, kind, text)
    check_help(tap, program, source, table, texts)
    check_page(tap, page, table)
    check_pages(tap, source, table)
    tap.done()


main()
