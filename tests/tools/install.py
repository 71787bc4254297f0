#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""An installed tree works, also after it was moved.

    install.py BUILD SOURCE
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

from tap import Tap

# What an installation holds, by the end of the path.
WANTED = ["bin/bankwise", "share/bankwise/schema/report.schema.json", "share/bankwise/schema/check.schema.json",
          "share/bankwise/patterns/kernels/transpose.pat", "share/man/man1/bankwise.1",
          "share/man/man1/bankwise-predict.1", "share/man/man5/bankwise-pattern.5",
          "share/bash-completion/completions/bankwise", "share/zsh/site-functions/_bankwise",
          "share/fish/vendor_completions.d/bankwise.fish"]


def predict(program):
    clean = {k: v for k, v in os.environ.items() if k != "BANKWISE_PATTERNS"}
    return subprocess.run([program, "predict", "kernels/transpose"], capture_output=True, text=True, env=clean,
                          cwd="/")


def main():
    build, _source = sys.argv[1:3]
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        first = os.path.join(folder, "first")
        done = subprocess.run(["meson", "install", "--no-rebuild", "--quiet", "-C", build, "--destdir", first],
                              capture_output=True, text=True)
        if not tap.ok(done.returncode == 0, "meson install", done.stdout + done.stderr):
            tap.done()
        every = [p for p in glob.glob(first + "/**", recursive=True) if os.path.isfile(p)]
        for wanted in WANTED:
            tap.ok(any(path.endswith("/" + wanted) for path in every), f"installs {wanted}")
        program = next((p for p in every if p.endswith("/bin/bankwise")), "")
        ran = predict(program)
        tap.ok(ran.returncode == 0 and "1024" in ran.stdout, "the installed program finds its stock patterns",
               ran.stdout + ran.stderr)
        second = os.path.join(folder, "second")
        shutil.move(first, second)
        ran = predict(program.replace(first, second, 1))
        tap.ok(ran.returncode == 0 and "1024" in ran.stdout, "and finds them after the tree was moved",
               ran.stdout + ran.stderr)
    tap.done()


main()
