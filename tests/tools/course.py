#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The course: nothing in it is stale, nothing is missing, and a learner's file is judged.

    course.py PROGRAM SOURCE
"""

import os
import re
import subprocess
import sys

from tap import Tap, run


def check_fresh(tap, program, source):
    done = subprocess.run([sys.executable, os.path.join(source, "tools/course/course"), "--check", program],
                          capture_output=True, text=True, timeout=300)
    tap.ok(done.returncode == 0, "outputs and pictures are what the program makes", done.stdout + done.stderr)


def check_complete(tap, source, text):
    folder = os.path.join(source, "patterns/lesson")
    lessons = sorted(name for name in os.listdir(folder) if name.endswith(".pat"))
    solutions = sorted(os.listdir(os.path.join(folder, "solutions")))
    tap.ok(len(lessons) >= 12, "at least twelve lessons", lessons)
    tap.equal(solutions, lessons, "a solution for each lesson")
    sections = re.split(r"^## ", text, flags=re.M)[1:]
    tap.equal([int(section.split(".")[0]) for section in sections], list(range(1, len(lessons) + 1)),
              "a section for each lesson, in order")
    for section, lesson in zip(sections, lessons):
        name = section.splitlines()[0]
        stem = lesson.removesuffix(".pat")
        for part in ("**Question.**", "**Answer.**", "**Exercise.**", "```console", "<!-- picture: ",
                     f"lesson/{stem}", f"(solutions/{lesson})"):
            tap.ok(part in section, f"{name}: has {part}")
        tap.equal(len(re.findall(r"<!-- picture: ", section)), len(re.findall(r"!\[[^\]]{20,}\]\(pictures/", section)),
                  f"{name}: every picture is shown, with words for those who cannot see it")
    for link in re.findall(r"\]\(((?:pictures|solutions)[^)]*)\)", text):
        tap.ok(os.path.exists(os.path.join(folder, link)), f"{link} exists")
    anchors = {re.sub(r"[^\w\- ]", "", s.splitlines()[0].lower()).replace(" ", "-") for s in sections}
    for anchor in re.findall(r"\]\(#([^)]*)\)", text):
        tap.ok(anchor in anchors, f"#{anchor} exists", sorted(anchors))


def check_solutions(tap, program, source):
    folder = os.path.join(source, "patterns/lesson/solutions")
    for name in sorted(os.listdir(folder)):
        status, out, err = run(program, ["check", f"lesson/solutions/{name}"], source)
        tap.ok(status == 0 and "all met" in out + err, f"check accepts {name}", out + err)
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        # A learner who expects something else is told so: every expectation can fail.
        for match in re.finditer(r"(\d+)-way", text):
            if "expect:" not in text[:match.start()].splitlines()[-1]:
                continue
            wrong = text[:match.start(1)] + str(int(match[1]) + 1) + text[match.end(1):]
            status, out, _ = run(program, ["check", "-"], source, stdin=wrong)
            line = text.count("\n", 0, match.start()) + 1
            tap.ok(status == 1 and f"<stdin>:{line}:" in out, f"check refuses {name} with a wrong line {line}", out)


def main():
    program, source = map(os.path.abspath, sys.argv[1:3])
    tap = Tap()
    with open(os.path.join(source, "patterns/lesson/README.md"), encoding="utf-8") as file:
        text = file.read()
    check_fresh(tap, program, source)
    check_complete(tap, source, text)
    check_solutions(tap, program, source)
    tap.done()


main()
