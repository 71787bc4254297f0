#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the page's template, style and script together as a C header: the three texts between which
the program writes the title and the data.

    embed.py page.html page.css page.js > web.h
"""

import re
import sys


def array(name, text):
    data = text.encode()
    lines = (", ".join(str(byte) for byte in data[i:i + 20]) for i in range(0, len(data), 20))
    return f"static const unsigned char {name}[] = {{\n    " + ",\n    ".join(lines) + "\n};\n"


def main():
    html, css, js = (open(path, encoding="utf-8").read() for path in sys.argv[1:4])
    if "</script" in js or "</style" in css:
        sys.exit("a script or style must not contain its own end")
    parts = re.split(r"\{\{(\w+)\}\}", html)
    if parts[1::2] != ["title", "css", "data", "js"]:
        sys.exit(f"{sys.argv[1]} must have {{{{title}}}}, {{{{css}}}}, {{{{data}}}} and {{{{js}}}} once, in this order")
    print("/* Made by embed.py from the files of tools/web; do not edit. */")
    print(array("web_before_title", parts[0]), end="")
    print(array("web_before_data", parts[2] + css.strip() + parts[4]), end="")
    print(array("web_after_data", parts[6] + js.strip() + parts[8]), end="")


main()
