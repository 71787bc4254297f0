#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON outputs against their schemas, and against what they must add up to.

    json_output.py PROGRAM SOURCE
"""

import copy
import csv
import io
import json
import os
import sys

from schema import errors
from tap import Tap, run

P = "tests/tools/patterns/"
REPORTS = [
    ["tests/tools/patterns/join.pat"],
    ["--join", "tests/tools/patterns/join.pat"],
    [P + "stride.pat"],
    [P + "wide.pat"],
    [P + "atomics.pat"],
    [P + "none.pat"],
    [P + "random.pat", "--trials", "7"],
    [P + "stride.pat", P + "wide.pat"],
    ["kernels/transpose"],
    [P + "stride.pat", "--arch", "sm_80"],
    [P + "stride.pat", "--arch", "sm_35"],
    [P + "stride.pat", "--grid", "7x5", "--block", "96"],
]
CHECKS = [
    (0, [P + "stride.pat"]),
    (1, [P + "unmet.pat"]),
    (1, [P + "fix/half_swizzle.pat"]),
    (0, [P + "fix/lanes.pat", P + "stride.pat"]),
    (1, [P + "none.pat"]),
    (1, ["kernels/transpose", "--fail-above", "4"]),
    (1, [P + "random.pat", "--trials", "7"]),
]


def broken(document):
    """Variants that a schema must refuse, each with the reason."""
    def variant(change):
        other = copy.deepcopy(document)
        change(other)
        return other
    yield "no schema", variant(lambda d: d.pop("schema"))
    yield "wrong schema", variant(lambda d: d.update(schema="bankwise.report/3"))
    yield "unknown member", variant(lambda d: d.update(extra=1))
    yield "block of two", variant(lambda d: d.update(block=[32, 1]))
    yield "block of zero", variant(lambda d: d.update(block=[0, 1, 1]))
    yield "text for a count", variant(lambda d: d["total"].update(wavefronts="1"))
    yield "negative count", variant(lambda d: d["accesses"][0].update(wavefronts=-1))
    yield "degree above 32", variant(lambda d: d["accesses"][0].update(degree=33))
    yield "degree not whole", variant(lambda d: d["accesses"][0].update(degree=1.5))
    yield "no operation", variant(lambda d: d["accesses"][0].pop("op"))
    yield "unknown basis", variant(lambda d: d.update(basis="guessed"))
    yield "31 addresses", variant(lambda d: d["accesses"][0]["worst"]["addresses"].pop())
    yield "an array of one", [document]


def near(a, b):
    return abs(a - b) <= 1e-6 * max(1, abs(a), abs(b))


def check_sums(tap, report, name):
    total = report["total"]
    for key in ("requests", "wavefronts", "ideal", "excessive", "excess_layout", "excess_serial", "cycles"):
        tap.ok(near(total[key], sum(a[key] for a in report["accesses"])), f"{name}: {key} adds up", total)
    for access in report["accesses"] + [total]:
        good = near(access["excessive"], access["wavefronts"] - access["ideal"]) and \
            near(access["excessive"], access["excess_layout"] + access["excess_serial"])
        tap.ok(good, f"{name}: excess is wavefronts less ideal, and is split", access)
    places = [(a["line"], a["column"]) for a in report["accesses"]]
    tap.equal(places, sorted(places), f"{name}: accesses in order of place")


def check_distribution(tap, report, name):
    for access in report["accesses"]:
        spread = access["distribution"]["wavefronts"]
        order = [spread[k] for k in ("min", "q05", "q50", "q95", "max")]
        tap.ok(order == sorted(order) and spread["min"] <= spread["mean"] <= spread["max"] and
               near(spread["mean"], access["wavefronts"]), f"{name}: the distribution is in order", access)


def check_reports(tap, program, source, schema):
    for args in REPORTS:
        name = " ".join(args)
        status, out, err = run(program, ["predict", "--format", "json", *args], source)
        if not tap.equal(status, 0, f"{name}: status"):
            print("# " + err)
            continue
        document = json.loads(out)
        wrong = list(errors(document, schema, schema))
        tap.equal(wrong, [], f"{name}: follows the schema")
        for report in document if isinstance(document, list) else [document]:
            check_sums(tap, report, name)
            tap.equal("trials" in report, "random" in name, f"{name}: trials of random patterns only")
            if "trials" in report:
                check_distribution(tap, report, name)
        check_csv(tap, program, source, args, document)


def check_csv(tap, program, source, args, document):
    """The CSV says the same as the JSON."""
    _, out, _ = run(program, ["predict", "--format", "csv", *args], source)
    rows = list(csv.DictReader(io.StringIO(out)))
    accesses = [a for r in (document if isinstance(document, list) else [document]) for a in r["accesses"]]
    same = len(rows) == len(accesses) and all(
        near(float(row[key]), access[key]) for row, access in zip(rows, accesses)
        for key in ("line", "column", "requests", "wavefronts", "ideal", "excessive", "cycles", "degree"))
    tap.ok(same and all(r["source"] == a["source"] for r, a in zip(rows, accesses)),
           " ".join(args) + ": CSV and JSON agree", out)


def check_counters(tap, program, source):
    """What Nsight Compute would count: nothing is said of cards that it does not run on."""
    stride = P + "stride.pat"
    old = json.loads(run(program, ["predict", "--format", "json", "--arch", "sm_35", stride], source)[1])
    tap.equal(old["ncu"], None, "no counters of sm_35 in JSON")
    row = next(csv.DictReader(io.StringIO(run(program, ["predict", "--format", "csv", "--arch", "sm_61", stride], source)[1])))
    tap.equal([v for k, v in row.items() if k.startswith("ncu_")], [""] * 4, "nor of sm_61 in CSV")
    status, out, err = run(program, ["predict", "--metrics", "ncu", "--arch", "sm_35", stride], source)
    tap.ok(status == 2 and "no counters are known of sm_35" in err and not out, "--metrics refuses it", err)
    tap.equal(run(program, ["predict", "--metrics", "ncu", "--arch", "sm_70", stride], source)[0], 0, "but not sm_70")
    copy = "__shared__ float s[128]; __cp_async_16(&s[threadIdx.x * 4 % 128], 0);"
    found = json.loads(run(program, ["predict", "--format", "json", "-"], source, stdin=copy)[1])["ncu"]
    tap.equal(found["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"], 0, "the hardware's counter does not see cp.async.16")
    tap.equal(found["memory_l1_wavefronts_shared"], 4, "and the Source page does")


def check_checks(tap, program, source, schema):
    for wanted, args in CHECKS:
        name = "check " + " ".join(args)
        status, out, err = run(program, ["check", "--format", "json", *args], source)
        if not tap.equal(status, wanted, f"{name}: status"):
            print("# " + err)
            continue
        document = json.loads(out)
        tap.equal(list(errors(document, schema, schema)), [], f"{name}: follows the schema")
        tap.equal(bool(document["findings"]), bool(wanted), f"{name}: findings and status agree")
        _, sarif, _ = run(program, ["check", "--format", "sarif", *args], source)
        results = json.loads(sarif)["runs"][0]["results"]
        tap.equal(len(results), len(document["findings"]) + len(document["warnings"]), f"{name}: SARIF has the same findings")
        _, github, _ = run(program, ["check", "--format", "github", *args], source)
        tap.equal((github.count("::error file="), github.count("::warning file=")),
                  (len(document["findings"]), len(document["warnings"])), f"{name}: GitHub has the same findings")
        tap.equal(len(document["warnings"]), "fix/" in name, f"{name}: warnings")


def check_seed(tap, program, source):
    def once(*more):
        return run(program, ["predict", "--format", "json", P + "random.pat", "--trials", "5", *more], source)[1]
    tap.equal(once(), once("--seed", "1"), "the seed is fixed, and is 1")
    tap.ok(once("--seed", "2") != once("--seed", "3"), "another seed gives other values")


def main():
    program, source = sys.argv[1:3]
    tap = Tap()
    with open(os.path.join(source, "tools/schema/report.schema.json"), encoding="utf-8") as file:
        report_schema = json.load(file)
    with open(os.path.join(source, "tools/schema/check.schema.json"), encoding="utf-8") as file:
        check_schema = json.load(file)
    check_reports(tap, program, source, report_schema)
    check_counters(tap, program, source)
    check_checks(tap, program, source, check_schema)
    check_seed(tap, program, source)
    _, out, _ = run(program, ["predict", "--format", "json", P + "stride.pat"], source)
    for reason, document in broken(json.loads(out)):
        tap.ok(list(errors(document, report_schema, report_schema)), f"the schema refuses: {reason}")
    tap.done()


main()
