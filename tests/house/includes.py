# SPDX-License-Identifier: GPL-3.0-or-later
"""The house stands as rooms.py draws it.

usage: includes.py SOURCE_ROOT

Reads the includes of all sources and the Meson files. A room includes its own headers, and of rooms
below it those that the table shows it; files do not include each other in a ring; a library is
given the folders of rooms below it alone. Then the checks are tried on a small house with faults.
"""

import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))
from rooms import ABOVE, EXCEPTIONS, MOST_EXCEPTIONS, ROOMS, Room  # noqa: E402
from tap import Tap  # noqa: E402

SOURCE = re.compile(r"\.(c|h|cu|cuh)$")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


class House:
    """The files of a source tree, by room."""

    def __init__(self, root, rooms, first):
        self.root, self.rooms = root, rooms
        self.meson = Meson(root)
        for folder in first:
            self.meson.run(folder)
        self.rank = {room.folder: i for i, room in enumerate(rooms)}
        self.headers = {room.folder: room.headers for room in rooms}
        self.files = {}  # folder: {name: [included names]}
        for top in sorted({room.folder.split("/")[0] for room in rooms}):
            for folder, _, names in os.walk(os.path.join(root, top)):
                inside = {name: self.read(os.path.join(folder, name)) for name in names if SOURCE.search(name)}
                if inside:
                    self.files[os.path.relpath(folder, root)] = inside

    @staticmethod
    def read(path):
        with open(path, encoding="utf-8") as file:
            return INCLUDE.findall(file.read())

    def owners(self, folder, name):
        """The folders in which an include of `name` finds it: its own, those that Meson opens, or any."""
        if name in self.files.get(folder, ()):
            return [folder]
        owners = [other for other, inside in self.files.items() if name in inside]
        opened = set().union(*(seen for at, _, seen in self.meson.targets if at == folder))
        return [other for other in owners if other in opened] or owners

    def arrows(self):
        """(folder, file, included name, owner's folder) of all includes of the house's own headers."""
        for folder, inside in sorted(self.files.items()):
            for file, names in sorted(inside.items()):
                for name in names:
                    for owner in self.owners(folder, name):
                        yield folder, file, name, owner


def may_include(house, folder, name, owner):
    if house.rank[owner] >= house.rank[folder] or name not in house.headers[owner]:
        return False
    allowed = house.headers[owner][name]
    return allowed == ABOVE or folder in allowed


def check_includes(house, exceptions):
    """What goes upward or past a neighbour's headers, and exceptions that nothing needs."""
    faults, used = [], set()
    for folder, file, name, owner in house.arrows():
        if folder == owner or folder not in house.rank or owner not in house.rank or may_include(house, folder, name, owner):
            continue
        if (folder, name) in exceptions:
            used.add((folder, name))
            continue
        up = house.rank[owner] > house.rank[folder]
        faults.append(f"{folder}/{file}: {owner}/{name} "
                      + ("is in a room above" if up else "is not shown to this room: see tests/house/rooms.py"))
    return faults + [f"nothing needs the exception {exception}" for exception in sorted(set(exceptions) - used)]


def check_table(house):
    """Rooms and headers that the table lacks, or has too many."""
    faults = [f"{folder}: a room without a row in tests/house/rooms.py" for folder in house.files if folder not in house.rank]
    faults += [f"{room.folder}: a row without a room" for room in house.rooms if room.folder not in house.files]
    used = {(owner, name, folder) for folder, _, name, owner in house.arrows() if folder != owner}
    for room in house.rooms:
        for name, allowed in room.headers.items():
            users = {folder for owner, header, folder in used if (owner, header) == (room.folder, name)}
            if not users:
                faults.append(f"{room.folder}/{name}: shown, and used by no other room")
            faults += [f"{room.folder}/{name}: shown to {folder}, which does not use it" for folder in allowed if folder not in users]
    return faults


def check_rings(house):
    """Files that include each other in a ring."""
    graph = {}
    for folder, file, name, owner in house.arrows():
        graph.setdefault((folder, file), []).append((owner, name))
    state, faults = {}, []

    def visit(node, path):
        state[node] = "open"
        for after in graph.get(node, ()):
            if state.get(after) == "open":
                ring = path[path.index(after):] if after in path else [node]
                faults.append("a ring of includes: " + " -> ".join("/".join(n) for n in [*ring, after]))
            elif after not in state:
                visit(after, [*path, after])
        state[node] = "done"

    for node in sorted(graph):
        if node not in state:
            visit(node, [node])
    return faults


# ---- Meson files ----

ARGUMENT = r"\b{}\s*:\s*"
TARGET = re.compile(r"\b(static_library|both_libraries|shared_library|library|executable)\(")


def statements(text):
    """The statements of a Meson file, each on one line, without comments."""
    text = re.sub(r"'(?:[^'\\]|\\.)*'|#[^\n]*", lambda m: m[0] if m[0][0] == "'" else "", text)
    depth, line = 0, ""
    for part in text.split("\n"):
        bare = re.sub(r"'(?:[^'\\]|\\.)*'", "''", part)
        depth += len(re.findall(r"[(\[{]", bare)) - len(re.findall(r"[)\]}]", bare))
        line += " " + part.strip()
        if depth == 0 and not bare.rstrip().endswith(("+", ",")):
            yield line.strip()
            line = ""


def argument(statement, name):
    """The text of a keyword argument, to the comma or bracket that ends it; "" if there is none."""
    found = re.search(ARGUMENT.format(name), statement)
    if not found:
        return ""
    depth, text = 0, statement[found.end():]
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth < 0 or (depth == 0 and c == ","):
            return text[:i]
    return text


class Meson:
    """Walks the Meson files as Meson does, as far as folders and dependencies go."""

    def __init__(self, root):
        self.root = root
        self.folders = {}  # variable: set of folders that it opens
        self.strings = {}  # variable: list of strings
        self.targets = []  # (folder, statement's beginning, folders)

    def opened(self, text):
        """The folders that the variables in an expression open."""
        bare = re.sub(r"'(?:[^'\\]|\\.)*'", "", text)
        return set().union(*(self.folders.get(name, set()) for name in re.findall(r"\w+", bare)))

    def words(self, text):
        """The strings in an expression, whatever its conditions say."""
        text = re.sub(r"get_option\('\w+'\)", "", text)
        found = []
        for literal, name in re.findall(r"'([^']*)'|(\w+)", text):
            found += [literal] if literal else self.strings.get(name, [])
        return found

    def value(self, folder, text):
        inside = re.search(r"\binclude_directories\(([^)]*)\)", text)
        if inside:
            return {os.path.normpath(os.path.join(folder, path)) for path in re.findall(r"'([^']*)'", inside[1])}
        if "declare_dependency(" in text:
            return self.opened(argument(text, "include_directories") + "," + argument(text, "dependencies"))
        return self.opened(text)

    def run(self, folder):
        path = os.path.join(self.root, folder, "meson.build")
        if not os.path.exists(path):
            return
        with open(path, encoding="utf-8") as file:
            lines = list(statements(file.read()))
        loop = None
        for line in lines:
            each = re.match(r"foreach (\w+) : (.*)", line)
            assign = re.match(r"(\w+) (\+?=) (.*)", line)
            into = re.match(r"subdir\((.*)\)$", line)
            if each:
                loop = (each[1], self.words(each[2]))
            elif line == "endforeach":
                loop = None
            elif into and loop and into[1] == loop[0]:
                for name in loop[1]:
                    self.run(os.path.normpath(os.path.join(folder, name)))
            elif into and into[1].startswith("'"):
                self.run(os.path.normpath(os.path.join(folder, into[1].strip("'"))))
            if TARGET.search(line):
                opened = self.opened(argument(line, "include_directories") + "," + argument(line, "dependencies"))
                direct = self.value(folder, argument(line, "include_directories")) | opened
                self.targets.append((folder, TARGET.search(line)[0] + line.split("(", 1)[1][:40], direct))
            if assign:
                value, words = self.value(folder, assign[3]), self.words(assign[3])
                if assign[2] == "+=":
                    value, words = self.folders.get(assign[1], set()) | value, self.strings.get(assign[1], []) + words
                self.folders[assign[1]], self.strings[assign[1]] = value, words


def check_meson(house):
    """Libraries that are given the folder of a room above, or a folder that is no room."""
    faults = []
    for folder, name, opened in house.meson.targets:
        room = max((f for f in house.rank if (folder + "/").startswith(f + "/")), key=len, default=None)
        rank = house.rank[room] if room else len(house.rooms)
        for seen in sorted(opened):
            if house.rank.get(seen, 99) > rank:
                faults.append(f"{folder}/meson.build: {name}… sees {seen}, which is above it")
    known = {folder for folder, _, _ in house.meson.targets}
    for room in house.rooms:
        if not any((room.folder + "/").startswith(f + "/") for f in known):
            faults.append(f"{room.folder}: no library was found in its Meson file")
    return faults


def faults_of(root, rooms, exceptions, first):
    house = House(root, rooms, first)
    return check_table(house) + check_includes(house, exceptions) + check_rings(house) + check_meson(house)


# ---- the checks themselves ----

SMALL = (
    Room("low", "", {"low.h": ABOVE, "part.h": ("high",)}),
    Room("mid", "", {"mid.h": ABOVE}),
    Room("high", "", {}),
)
GOOD = {
    "low/low.h": "", "low/part.h": "", "low/own.h": "",
    "low/low.c": '#include "low.h"\n#include "own.h"\n#include "part.h"\n',
    "low/meson.build": "low_inc = include_directories('.')\nlow_lib = static_library('low', 'low.c')\n"
                       "low_dep = declare_dependency(include_directories: low_inc)\n",
    "mid/mid.h": '#include "low.h"\n', "mid/mid.c": '#include "mid.h"\n',
    "mid/meson.build": "mid_inc = include_directories('.')\nmid_lib = static_library('mid', 'mid.c', dependencies: low_dep)\n",
    "high/high.c": '#include "mid.h"\n#include "part.h"\n',
    "high/meson.build": "# comment (\nhigh_incs = [\n  mid_inc,\n]\nhigh_lib = static_library('high', 'high.c',\n"
                        "  include_directories: high_incs, dependencies: low_dep)\n",
    "meson.build": "foreach room : ['low', get_option('x').disabled() ? 'mid' : 'mid']\n  subdir(room)\nendforeach\nsubdir('high')\n",
}
# What is changed in the good house, and what is then to be said.
FAULTS = (
    ({"low/low.c": '#include "mid.h"\n'}, "low/low.c: mid/mid.h is in a room above"),
    ({"mid/mid.c": '#include "own.h"\n'}, "mid/mid.c: low/own.h is not shown to this room"),
    ({"mid/mid.c": '  #  include "part.h"\n'}, "mid/mid.c: low/part.h is not shown to this room"),
    ({"low/own.h": '#include "part.h"\n', "low/part.h": '#include "own.h"\n'}, "a ring of includes: low/part.h -> low/own.h -> low/part.h"),
    ({"low/own.h": '#include "own.h"\n'}, "a ring of includes: low/own.h -> low/own.h"),
    ({"mid/more/more.c": ""}, "mid/more: a room without a row"),
    ({"high/high.c": '#include "mid.h"\n'}, "low/part.h: shown to high, which does not use it"),
    ({"high/high.c": '#include "part.h"\n'}, "mid/mid.h: shown, and used by no other room"),
    ({"low/meson.build": "mid_inc = include_directories('../mid')\nlow_dep = declare_dependency()\n"
                         "low_lib = static_library('low', 'low.c', include_directories: mid_inc)\n"}, "sees mid, which is above it"),
    ({"low/meson.build": "low_dep = declare_dependency(include_directories: include_directories('.', '../high'))\n"
                         "low_lib = static_library('low', 'low.c')\n"}, "mid/meson.build: static_library('mid', 'mid.c', dependencies: low_dep)… sees high"),
    ({"high/meson.build": ""}, "high: no library was found"),
)


def small_house(changes, exceptions):
    with tempfile.TemporaryDirectory() as root:
        for name, text in {**GOOD, **changes}.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return faults_of(root, SMALL, exceptions, ["."])


def check_checks(tap):
    tap.equal(small_house({}, {}), [], "a house without faults")
    for changes, wanted in FAULTS:
        faults = small_house(changes, {})
        tap.ok(any(wanted in fault for fault in faults), f"a fault is seen: {wanted}", faults)
    past = {"mid/mid.c": '#include "own.h"\n'}
    tap.equal(small_house(past, {("mid", "own.h"): "why"}), [], "an exception")
    tap.equal(small_house({}, {("mid", "own.h"): "why"}), ["nothing needs the exception ('mid', 'own.h')"],
              "an exception that nothing needs")


def main():
    tap = Tap()
    check_checks(tap)
    house = House(sys.argv[1], ROOMS, ["common", "sim", "gpu", "tools"])
    for name, faults in (("rooms and headers are in the table", check_table(house)),
                         ("includes go down, to what is shown", check_includes(house, EXCEPTIONS)),
                         ("no file includes itself in a ring", check_rings(house)),
                         ("libraries see rooms below them alone", check_meson(house))):
        tap.ok(not faults, name, "\n".join(faults))
    tap.ok(len(EXCEPTIONS) <= MOST_EXCEPTIONS and all(EXCEPTIONS.values()), "few exceptions, each with its reason")
    arrows = {(folder, owner) for folder, _, _, owner in house.arrows() if folder != owner}
    print(f"# {len(ROOMS)} rooms, {len(arrows)} arrows between them, none upward, {len(EXCEPTIONS)} exceptions")
    tap.done()


main()
