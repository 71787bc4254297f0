#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The option table, the help texts, the man pages and the completions say the same.

    docs.py PROGRAM SOURCE OPTIONS.tsv BASH ZSH FISH GPU-OPTIONS.tsv MESSAGES.tsv
"""

import glob
import os
import re
import shutil
import subprocess
import sys

from cli_table import read_table
from tap import Tap, run


def help_options(text):
    """[(letter, name, argument)] of a help text."""
    found = []
    for line in text.splitlines():
        match = re.match(r"  (?:-(\w), |    )--([\w-]+)(?: (\S+))?(?:  |$)", line)
        if match and not match[0].endswith(","):
            found.append((match[1] or "-", match[2], match[3] or ""))
        elif re.match(r"  -", line):  # options that are named only
            found += [(m[1] or "-", m[2], m[3] or "")
                      for m in re.finditer(r"(?:-(\w), )?--([\w-]+)(?: ([^\s,]+))?", line)]
    return found


def man_options(text):
    """[(letter, name, argument)] of a page's lists of options."""
    return [(match[1] or "-", match[2], match[3] or "") for match in re.finditer(
        r"^\.It (?:Fl (\w)(?: Ar \S+)? , )?Fl Fl ([\w-]+)(?: Ar (\S+))?$", text, re.M)]


def check_command(tap, program, source, command, options):
    _, text, _ = run(program, [command, "--help"], source)
    tap.equal(sorted(help_options(text)), sorted(options), f"{command} --help lists the table's options")
    lines = text.splitlines()
    tap.ok(max(map(len, lines)) <= 80 and len(lines) <= 30, f"{command} --help fits 30 lines of 80 cells", text)
    page = os.path.join(source, f"tools/man/bankwise-{command}.1")
    if tap.ok(os.path.exists(page), f"{command} has a man page"):
        with open(page, encoding="utf-8") as file:
            tap.equal(man_options(file.read()), options, f"bankwise-{command}(1) lists the table's options")


def check_pages(tap, source, commands):
    pages = sorted(glob.glob(os.path.join(source, "tools/man/*.[15]")))
    with open(os.path.join(source, "tools/man/bankwise.1"), encoding="utf-8") as file:
        main_page = file.read()
    for command in commands:
        tap.ok(f".It Cm {command}\n" in main_page, f"bankwise(1) lists {command}")
    tap.equal(sorted(re.findall(r"^\.It Cm (\w+)$", main_page, re.M)), sorted(commands),
              "bankwise(1) lists no other command")
    if not shutil.which("mandoc"):
        tap.skip("man pages are clean", "no mandoc")
        return
    for page in pages:
        lint = subprocess.run(["mandoc", "-T", "lint", "-W", "style", page], capture_output=True, text=True)
        # It looks references up among the installed pages; those of the tree are looked up here.
        lines = [line for line in (lint.stdout + lint.stderr).splitlines() if "referenced manual not found" not in line]
        tap.equal(lines, [], f"{os.path.basename(page)} is clean")
        with open(page, encoding="utf-8") as file:
            references = re.findall(r"^\.Xr (bankwise\S*) (\d)", file.read(), re.M)
        references = [r for r in references if r != ("bankwise-messages", "7")]  # made when built; see messages.py
        missing = [f"{name}.{section}" for name, section in references
                   if os.path.join(source, f"tools/man/{name}.{section}") not in pages]
        tap.equal(missing, [], f"{os.path.basename(page)} refers to pages that exist")


def check_gpu_page(tap, source, table_path):
    """bankwise-gpu is not built everywhere: its page is held against its option table."""
    table = {}
    with open(table_path, encoding="utf-8") as file:
        for line in file:
            command, *option = line.rstrip("\n").split("\t")
            table.setdefault(command, set()).add(tuple(option))
    tap.equal(sorted(table), ["fuzz", "info", "opcodes", "probe", "run"], "bankwise-gpu's subcommands have options")
    with open(os.path.join(source, "tools/man/bankwise-gpu.1"), encoding="utf-8") as file:
        parts = re.split(r"^\.Pp\n\.Cm (\w+)\ntakes\n", file.read().split(".Sh EXIT STATUS")[0], flags=re.M)
    shared = set(man_options(parts[0]))
    for command, options in table.items():
        own = set(man_options(dict(zip(parts[1::2], parts[2::2])).get(command, "")))
        expected = own | (shared - {("-", "note", "TEXT")} if command == "info" else shared)
        tap.equal(sorted(options), sorted(expected), f"bankwise-gpu(1) has the options of {command}")
        tap.equal(sorted(own & shared), [], f"bankwise-gpu(1) has each of {command}'s once")


def bash_complete(script, words):
    """What bash offers for the last of `words`."""
    code = f"source {script}; COMP_WORDS=({' '.join(repr(w) for w in words)}); COMP_CWORD={len(words) - 1}; " \
           "_bankwise; printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True)
    return sorted(done.stdout.split())


def stock_names(source, begin):
    """Stock patterns whose names begin so."""
    folder = os.path.join(source, "patterns")
    names = [os.path.relpath(path, folder).removesuffix(".pat")
             for path in glob.glob(os.path.join(folder, "**", "*.pat"), recursive=True)]
    return sorted(name for name in names if name.startswith(begin))


def check_bash(tap, script, table, source, messages):
    tap.equal(bash_complete(script, ["bankwise", "help", ""]), sorted(messages), "bash completes messages")
    begin = "kernels/trans"
    tap.equal(bash_complete(script, ["bankwise", "explain", begin]), stock_names(source, begin), "bash completes patterns")
    tap.equal(bash_complete(script, ["bankwise", "compare", begin]), [], "but none in the place of a recording")
    tap.ok("no-static-shared" in bash_complete(script, ["bankwise", "check", "-W", ""]), "bash completes warnings")
    commands = sorted([*table, "--help", "--version"])
    tap.equal(bash_complete(script, ["bankwise", ""]), commands, "bash completes the commands")
    for command, options in table.items():
        names = sorted(f"--{name}" for _, name, _ in options)
        tap.equal(bash_complete(script, ["bankwise", command, "--"]), names, f"bash completes {command}'s options")
        for _, name, argument in options:
            if "|" in argument:
                tap.equal(bash_complete(script, ["bankwise", command, f"--{name}", ""]), sorted(argument.split("|")),
                          f"bash completes the choices of {command} --{name}")
    tap.ok("sm_90" in bash_complete(script, ["bankwise", "predict", "--arch", "sm_9"]), "bash completes architectures")


def check_zsh(tap, script, table, source, messages):
    with open(script, encoding="utf-8") as file:
        text = file.read()
    tap.ok(f"'*:message:({' '.join(messages)})'" in text, "zsh has the messages")
    for command, options in table.items():
        part = text.split(f"    {command})\n", 1)[-1].split(";;", 1)[0]
        names = re.findall(r"'\*?--([\w-]+)=?\[", part)
        tap.equal(names, [name for _, name, _ in options], f"zsh has {command}'s options")
    if shutil.which("zsh"):
        done = subprocess.run(["zsh", "-n", script], capture_output=True, text=True)
        tap.equal((done.returncode, done.stderr), (0, ""), "zsh takes its completion")
        code = f"_describe() {{ }}; CURRENT=2; words=(bankwise ''); source {script}; " \
               "_alternative() { print -l $stock }; _bankwise_files"
        done = subprocess.run(["zsh", "-f", "-c", code], capture_output=True, text=True)
        tap.equal(sorted(done.stdout.split()), stock_names(source, ""), "zsh knows the stock patterns")
    else:
        tap.skip("zsh takes its completion", "no zsh")


def check_fish(tap, script, table, source, messages):
    with open(script, encoding="utf-8") as file:
        text = file.read()
    tap.ok(f"-a '{' '.join(messages)}'" in text, "fish has the messages")
    for command, options in table.items():
        names = re.findall(rf"from {command}' -l ([\w-]+)", text)
        tap.equal(names, [name for _, name, _ in options], f"fish has {command}'s options")
    if not shutil.which("fish"):
        tap.skip("fish completes", "no fish")
        return
    done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C 'bankwise predict --form'"],
                          capture_output=True, text=True)
    tap.ok("--format" in done.stdout, "fish completes an option", done.stdout + done.stderr)
    begin = "kernels/trans"
    done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C 'bankwise fix {begin}'"],
                          capture_output=True, text=True)
    found = sorted(line.split("\t")[0] for line in done.stdout.splitlines() if begin in line)
    tap.equal(found, stock_names(source, begin), "fish completes patterns")


def main():
    program, source, table_path, bash, zsh, fish, gpu_table, message_table = map(os.path.abspath, sys.argv[1:9])
    tap = Tap()
    table = read_table(table_path)
    tap.ok(table, "the table has commands")
    for command, options in table.items():
        check_command(tap, program, source, command, options)
    check_pages(tap, source, list(table))
    check_gpu_page(tap, source, gpu_table)
    # Of a build in the tree or an installed one they lie beside the program; here it may be neither.
    os.environ["BANKWISE_PATTERNS"] = os.path.join(source, "patterns")
    with open(message_table, encoding="utf-8") as file:
        messages = [line.split("\t")[0] for line in file]
    check_bash(tap, bash, table, source, messages)
    check_zsh(tap, zsh, table, source, messages)
    check_fish(tap, fish, table, source, messages)
    tap.done()


main()
