#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What builds read: annotations, SARIF and JUnit's XML, with errors of the input too; the action.

    ci_output.py PROGRAM SOURCE

The action's steps are taken from its file and run in a shell, as a runner would run them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from tap import Tap, environment, run

P = "tests/tools/patterns/"
UNMET, WRONG = P + "unmet.pat", P + "unknown.pat"
# By name: the files, with --fail-above or without, the exit code, and errors of the input.
CASES = {
    "all met": (["kernels/transpose"], 0, []),
    "not met": ([UNMET], 1, []),
    "no pattern": ([WRONG], 2, [(WRONG, 2), (WRONG, 3)]),
    "no file": (["nosuch.pat"], 2, [("nosuch.pat", None)]),
    "both": ([UNMET, WRONG, "nosuch.pat", "kernels/transpose"], 2, [(WRONG, 2), (WRONG, 3), ("nosuch.pat", None)]),
    "a folder": (["tests"], 2, [("tests", None)]),
    "an error of evaluation": ([P + "late-error.pat"], 2, None),
}


def check_github(tap, name, out, errors):
    found = [(m[1], int(m[2]) if m[2] else None) for m in re.finditer(r"^::error file=([^,]*)(?:,line=(\d+),[^:]*)?,title=", out, re.M)]
    wanted = errors if errors is not None else found[:1]
    tap.ok(all(error in found for error in wanted) and (errors is not None or found), f"github, {name}: errors are annotations", out)
    tap.ok(all(line.startswith("::") for line in out.splitlines()), f"github, {name}: nothing else", out)


def check_sarif(tap, name, out, errors):
    log = json.loads(out)
    (sarif,) = log["runs"]
    (invocation,) = sarif["invocations"]
    notes = invocation.get("toolExecutionNotifications", [])
    found = []
    for note in notes:
        place = note["locations"][0]["physicalLocation"]
        found.append((place["artifactLocation"]["uri"], place.get("region", {}).get("startLine")))
        tap.ok(note["level"] == "error" and note["message"]["text"] and note["descriptor"]["id"], f"sarif, {name}: a notification")
    if errors is None:
        errors = found
        tap.ok(found, f"sarif, {name}: it is told")
    tap.equal((invocation["executionSuccessful"], found), (not errors, errors), f"sarif, {name}: whether the run was successful")


def check_junit(tap, source, name, out, status, errors):
    root = ElementTree.fromstring(out)
    suites = list(root)
    for node in [root, *suites]:
        cases = list(node.iter("testcase"))
        counted = (len(cases), sum(c.find("failure") is not None for c in cases), sum(c.find("error") is not None for c in cases))
        tap.equal(tuple(int(node.get(k)) for k in ("tests", "failures", "errors")), counted, f"junit, {name}: counts of {node.get('name')}")
    failures, found = int(root.get("failures")), int(root.get("errors"))
    tap.ok((status == 0) == (failures + found == 0) and (errors is None or found == len(errors)), f"junit, {name}: what failed", out)
    schema = os.path.join(source, "tools/schema/junit.xsd")
    if shutil.which("xmllint"):
        done = subprocess.run(["xmllint", "--noout", "--schema", schema, "-"], input=out.encode(), capture_output=True, check=False, timeout=240)
        tap.ok(done.returncode == 0, f"junit, {name}: follows its schema", done.stderr.decode())


def check_forms(tap, program, source):
    for name, (files, status, errors) in CASES.items():
        for form in ("github", "sarif", "junit"):
            found, out, _ = run(program, ["check", "--format", form, *files], source)
            tap.equal(found, status, f"{form}, {name}: exit code")
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "report")
                run(program, ["check", "--format", form, *files, "-o", path], source)
                with open(path, encoding="utf-8") as file:
                    tap.equal(file.read(), out, f"{form}, {name}: -o has the same")
            if form == "github":
                check_github(tap, name, out, errors)
            elif form == "sarif":
                check_sarif(tap, name, out, errors)
            else:
                check_junit(tap, source, name, out, status, errors)
    _, out, _ = run(program, ["check", "--format", "junit", "--fail-above", "4-way", UNMET, "kernels/transpose"], source)
    root = ElementTree.fromstring(out)
    tap.equal([s.get("name") for s in root], [UNMET, "kernels/transpose"], "a suite a file")
    names = [c.get("name") for c in root.iter("testcase") if c.find("failure") is not None]
    tap.ok("line 19: tile[threadIdx.x][threadIdx.y + j] at most 4-way in launch 1 of 2 (transpose)" in names, "a case an access", names)


# ---- the action ----

def steps_of(text):
    """(environment, script) of each step of a composite action, by its indentation."""
    steps = []
    for block in re.split(r"^    - name: ", text[text.index("  steps:\n"):], flags=re.M)[1:]:
        env = dict(re.findall(r"^        (\w+): (.*)$", block[:block.index("      run: |")], re.M))
        script = block[block.index("      run: |\n") + len("      run: |\n"):]
        steps.append((env, "".join(line[8:] if line.strip() else line for line in script.splitlines(True))))
    return steps


def inputs_of(text):
    part = text[text.index("inputs:\n"):text.index("runs:\n")]
    return {name: (re.search(r"default: '(.*)'", body) or [None, None])[1]
            for name, body in re.findall(r"^  (\w+):\n((?:    .*\n)+)", part, re.M)}


def act(program, source, folder, given):
    """Runs the steps as a runner does: bash -e -o pipefail, inputs by the environment. The last status and all output."""
    with open(os.path.join(source, "tools/action/action.yml"), encoding="utf-8") as file:
        text = file.read()
    values = {**inputs_of(text), **given}
    known = {f"inputs.{name}": value or "" for name, value in values.items()}
    known["github.action_path"] = os.path.join(source, "tools/action")
    base = environment(source, PATH=os.path.dirname(program) + os.pathsep + os.environ["PATH"], GITHUB_PATH=os.path.join(folder, "path"))
    status, out = 0, ""
    for env, script in steps_of(text):
        filled = {k: re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda m: known[m[1]], v) for k, v in env.items()}
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=folder, env={**base, **filled},
                              capture_output=True, check=False, timeout=240)
        status, out = done.returncode, out + done.stdout.decode()
        if status:
            break
    return status, out


def check_action(tap, program, source):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("unmet.pat", "stride.pat", "unknown.pat"):
            shutil.copy(os.path.join(source, P, name), folder)
        with open(os.path.join(folder, "met.pat"), "w", encoding="utf-8") as file:
            file.write("__shared__ float s[64];\nfloat v = s[threadIdx.x]; // expect: 1-way\n")
        status, out = act(program, source, folder, {"files": "met.pat"})
        tap.equal((status, out), (0, ""), "the action: what is met is silent")
        status, out = act(program, source, folder, {"files": "m*.pat unmet.pat", "sarif": "a.sarif", "junit": "a.xml"})
        tap.ok(status == 1 and "::error file=unmet.pat,line=3" in out, "the action: what is not met is marked and fails", out)
        with open(os.path.join(folder, "a.sarif"), encoding="utf-8") as file:
            tap.ok(json.load(file)["runs"][0]["results"], "the action: SARIF is written")
        tap.equal(ElementTree.parse(os.path.join(folder, "a.xml")).getroot().get("failures"), "4", "the action: and JUnit's XML")
        status, out = act(program, source, folder, {"files": "stride.pat", "options": "--fail-above 1-way"})
        tap.ok(status == 1 and "degree-gate" in out, "the action: options", out)
        status, out = act(program, source, folder, {"files": "unknown.pat"})
        tap.ok(status == 2 and "::error file=unknown.pat,line=2" in out, "the action: an error of the input", out)
        status, out = act(program, source, folder, {"files": "$(touch${IFS}owned) `touch owned` ; met.pat", "options": "$(touch owned)"})
        tap.ok(status == 2 and not os.path.exists(os.path.join(folder, "owned")), "the action: inputs are words, no commands", out)


def main():
    program, source = map(os.path.abspath, sys.argv[1:3])
    tap = Tap()
    check_forms(tap, program, source)
    if shutil.which("bash"):
        check_action(tap, program, source)
    else:
        tap.skip("the action", "no bash")
    tap.done()


main()
