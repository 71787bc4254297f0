# SPDX-License-Identifier: GPL-3.0-or-later
"""What tools/doc says of the tree is so: every path and link is there, and every room is named.

usage: documents.py SOURCE_ROOT

A path is what stands in backticks with a slash in it; NAME, NN and * in it stand for anything. Then
the checks are tried on a document with faults.
"""

import glob
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
from rooms import ROOMS  # noqa: E402
from tap import Tap  # noqa: E402

DOCUMENTS = ("architecture.md", "changing.md", "news.md")


def paths(text):
    """The paths in backticks: one word with a slash, and no option or command."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return [word for word in re.findall(r"`([^`\s]+)`", text) if re.fullmatch(r"[\w.*-]+(/[\w.*-]*)+", word)]


def missing(root, text):
    """The paths and links of a document in tools/doc that lead nowhere."""
    wanted = [re.sub(r"NAME|NN", "*", path) for path in paths(text)]
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link]
    wanted += [os.path.normpath(os.path.join("tools/doc", link)) for link in links]
    return [path for path in wanted if not glob.glob(os.path.join(root, path))]


def unnamed(text):
    """The rooms without a line in the table; short names stand after the first of a line."""
    rows = " ".join(line.split("|")[1] for line in text.splitlines() if line.startswith("| `"))
    words = set(re.findall(r"`([^`]+)`", rows))
    return [room.folder for room in ROOMS
            if room.folder not in words and not (room.folder.startswith("tools/") and room.folder[6:] in words)]


def try_faults(tap):
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "tools/doc"))
        os.makedirs(os.path.join(root, "sim/model"))
        text = "`sim/model` `sim/NAME` `sim/gone.c` `tools/doc/gone-NAME.md` `--option` [a](gone.md) [b](../../sim)"
        tap.equal(missing(root, text), ["sim/gone.c", "tools/doc/gone-*.md", "tools/doc/gone.md"],
                  "paths that are not there are found")
    tap.equal(unnamed("| `common` | |\n| `tools/text`, `web` | |\n")[:2], ["sim/model", "sim/run"],
              "rooms that are not named are found")


def main():
    root = sys.argv[1]
    tap = Tap()
    for name in DOCUMENTS:
        with open(os.path.join(root, "tools/doc", name), encoding="utf-8") as file:
            text = file.read()
        tap.equal(missing(root, text), [], f"{name}: every path is there")
        if name == "architecture.md":
            tap.equal(unnamed(text), [], f"{name}: every room is named")
        if name == "changing.md":
            tap.ok(len(paths(text)) > 20, f"{name}: paths are found in it")
    with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    for name in DOCUMENTS:
        tap.ok(f"(tools/doc/{name})" in readme, f"the README links {name}")
    try_faults(tap)
    tap.done()


if __name__ == "__main__":
    main()
