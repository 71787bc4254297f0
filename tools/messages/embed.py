#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the explanations of messages together as a C header: a table of texts by message id.

    embed.py GROUP.md... > explanations.h

A file holds a part "## id" for each message; what stands above the first is about the file.
"""

import re
import sys


def literal(text):
    """C strings, one a line of the text; in brackets where used, or clang asks for a comma between them."""
    lines = text.replace("\\", "\\\\").replace('"', '\\"').split("\n")
    return "\n".join(f'        "{line}\\n"' for line in lines)


def main():
    print("/* Made by embed.py from the files of tools/messages; do not edit. */")
    seen = set()
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            parts = re.split(r"^## (\S+)\n", file.read(), flags=re.M)
        for name, text in zip(parts[1::2], parts[2::2]):
            if name in seen:
                sys.exit(f"{path}: '{name}' is explained twice")
            if text.count("```") % 2:
                sys.exit(f"{path}: an example of '{name}' does not end")
            seen.add(name)
            print(f"    [BW_MSG_{name.upper().replace('-', '_')}] =\n        ({literal(text.strip()).lstrip()}),")


main()
