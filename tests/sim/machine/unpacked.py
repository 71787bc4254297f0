#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a program on a recording whose files are packed.

    unpacked.py FOLDER PROGRAM [ARGUMENT...]

PROGRAM's last argument is a folder with FOLDER's files, those ending in .xz unpacked.
"""

import lzma
import os
import shutil
import subprocess
import sys
import tempfile


def unpack(folder, to):
    for name in os.listdir(folder):
        if name.endswith(".xz"):
            with lzma.open(os.path.join(folder, name)) as packed, \
                    open(os.path.join(to, name[:-3]), "wb") as file:
                shutil.copyfileobj(packed, file)
        else:
            shutil.copy(os.path.join(folder, name), to)


def main():
    recorded, *program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        unpack(recorded, folder)
        sys.exit(subprocess.run([*program, folder], timeout=280).returncode)


if __name__ == "__main__":
    main()
