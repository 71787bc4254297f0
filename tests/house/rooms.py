# SPDX-License-Identifier: GPL-3.0-or-later
"""The house: its rooms from the bottom up, and what each shows to those above it.

A room is a folder. It may use the rooms before it in this table, and of them the headers that stand
here alone: those for ABOVE are for all rooms above, the others for the rooms that are named. What
stands nowhere is a room's own. includes.py holds the sources and the Meson files to it; a room or
header that is new gets its row here.
"""

from collections import namedtuple

Room = namedtuple("Room", "folder purpose headers")
ABOVE = ()  # all rooms above
CXX = ("sim/pattern/cxx", "sim/pattern/host", "sim/pattern/refuse")  # what answers the tree's hooks

ROOMS = (
    Room("common", "what all may use: memory, diagnostics, requests, streams, tables", {
        "arena.h": ABOVE,
        "csv.h": ABOVE,
        "diag.h": ABOVE,
        "index.h": ABOVE,
        "message.h": ABOVE,
        "numbers.h": ABOVE,
        "plain.h": ABOVE,
        "random.h": ("gpu", "sim/kernel"),
        "request.h": ABOVE,
        "spelling.h": ABOVE,
        "standard.h": ("gpu", "tools/cmd"),
        "stream.h": ABOVE,
        "table.h": ABOVE,
        "utf8.h": ABOVE,
    }),
    Room("sim/model", "requests to what they cost; knows no text", {
        "bankwise.h": ABOVE,
        "tally.h": ABOVE,
        "baseline.h": ("tools/compare",),
    }),
    Room("sim/run", "what every front end shares: programs, sinks, blocks, memory, unknown values", {
        "program.h": ABOVE,
        "block.h": ("sim/pattern/exec",),
        "image.h": ("sim/pattern/exec",),
        "unknown.h": ("sim/pattern/code",),
        "rows.h": ("tools/session",),
        "held.h": ("tools/session", "tools/tally"),
    }),
    Room("sim/machine", "machine code to requests", {
        "cubin.h": ("sim/kernel",),
        "machine.h": ("sim/kernel",),
    }),
    Room("sim/kernel", "a compiled kernel with its launch becomes a program", {
        "kernel.h": ("tools/compare", "tools/session"),
        "argument.h": ("tools/session",),
    }),
    Room("sim/pattern/text", "characters to tokens", {
        "lex.h": ("sim/pattern/tree", "sim/fix"),
        "expect.h": ("sim/pattern",),
    }),
    Room("sim/pattern/tree", "tokens to a typed tree: functions, structs with members, plain templates", {
        "ast.h": ("sim/pattern/code",),
        "math_functions.h": ("sim/pattern/exec",),
        "hooks.h": (*CXX, "sim/pattern"),
        "definitions.h": CXX,
        "launches.h": ("sim/pattern/host",),
        "nodes.h": CXX,
    }),
    Room("sim/pattern/cxx", "C++ beyond that, behind the tree's hooks", {}),
    Room("sim/pattern/host", "what host code says of launches, behind the same hooks", {}),
    Room("sim/pattern/refuse", "in the place of these two where a build leaves them out", {}),
    Room("sim/pattern/code", "the tree to instructions", {
        "code.h": ("sim/pattern/uses", "sim/pattern/exec"),
    }),
    Room("sim/pattern/uses", "the tree to what serves the solver", {
        "uses.h": ("sim/fix",),
        "find_uses.h": ("sim/pattern",),
    }),
    Room("sim/pattern/exec", "instructions to requests", {
        "vm_join.h": ("sim/pattern",),
    }),
    Room("sim/pattern", "the language as a whole: a text becomes a program", {
        "pattern.h": ABOVE,
    }),
    Room("sim/fix", "the solver: which layout costs least, and the source that says so", {
        "fix.h": ("tools/report",),
        "lanemap.h": ("tools/report",),
        "mistakes.h": ("tools/report",),
        "regions.h": ("tools/report",),
    }),
    Room("gpu", "the CUDA module: runs requests on a card; knows no language", {}),
    Room("tools/text", "words and lines", {
        "shell.h": ABOVE,
        "wording.h": ABOVE,
        "wrap.h": ABOVE,
    }),
    Room("tools/messages", "the long texts of messages", {
        "explanation.h": ABOVE,
    }),
    Room("tools/document", "results as trees of values, and their printers", {
        "document.h": ABOVE,
    }),
    Room("tools/profile", "what a profiler prints: launches with their counters", {
        "profiler.h": ABOVE,
    }),
    Room("tools/session", "options, inputs and outputs of a command", {
        "gsl_errors.h": ("tools/compare", "tools/cmd"),
        "exact.h": ("tools/report",),
        "options.h": ABOVE,
        "output.h": ABOVE,
        "json.h": ("tools/tally",),
        "process.h": ("tools/tally",),
        "profiled.h": ("tools/compare", "tools/cmd"),
        "session.h": ABOVE,
        "unique.h": ABOVE,
    }),
    Room("tools/picture", "pictures of requests, and the reason in words", {
        "explain.h": ABOVE,
        "picture.h": ABOVE,
        "reason.h": ABOVE,
        "view.h": ABOVE,
    }),
    Room("tools/report", "what a command has to say", {
        "compare_report.h": ABOVE,
        "findings.h": ABOVE,
        "fix_report.h": ABOVE,
        "layout_report.h": ("tools/cmd",),
        "machine_report.h": ABOVE,
        "plot.h": ABOVE,
        "report.h": ABOVE,
        "sweep.h": ABOVE,
        "warn.h": ABOVE,
    }),
    Room("tools/compare", "recordings and profiles against the model", {
        "comparison.h": ABOVE,
        "instructions.h": ABOVE,
    }),
    Room("tools/measure", "measuring on a card, through bankwise-gpu", {
        "gpu_program.h": ABOVE,
        "measurement.h": ABOVE,
    }),
    Room("tools/tally", "traces of any length to totals of each instruction", {
        "tally_report.h": ABOVE,
        "ranks.h": ABOVE,
        "resume.h": ABOVE,
        "tally_run.h": ABOVE,
    }),
    Room("tools/web", "the page", {
        "page.h": ABOVE,
    }),
    Room("tools/cmd", "the subcommands", {}),
    Room("tools/completion", "completions, from the table of options", {}),
)

# {(room, header): why}: what the table does not allow, and stands all the same.
EXCEPTIONS = {}
MOST_EXCEPTIONS = 4
