# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the option table that gen-completion writes."""


def read_table(path):
    """{command: [(letter, name, argument)]}; '-' where there is no letter, '' no argument."""
    table = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if fields[0] == "command":
                table[fields[1]] = []
            else:
                table[fields[1]].append(tuple(fields[2:5]))
    return table
