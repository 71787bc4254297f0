#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What explain, sweep and predict show: SVG, JSON, pages, choices of requests.

    show.py PROGRAM SOURCE

The page is driven in a headless Chromium where there is one: a script that is put into a copy of
the page clicks and points as a person would, and writes what it found into the page.
"""

import copy
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from schema import errors
from tap import Tap, run

P = "tests/tools/patterns/"
STRIDE = P + "stride.pat"
# The pictures that the project must show, and some more.
SHOWN = [
    ["kernels/transpose"], ["kernels/transpose", "--line", "30"], ["lesson/12-16-byte-accesses"],
    ["lesson/15-ldmatrix", "--line", "20"], ["lesson/15-ldmatrix", "--line", "22"], ["kernels/histogram256"],
    ["lesson/11-8-byte-accesses", "--line", "27"], ["lesson/16-atomics", "--line", "32"],
    [P + "utf8.pat"], [STRIDE, "--arch", "sm_20"], [STRIDE, "--arch", "sm_35"],
    ["lesson/13-lane-pairs", "--line", "29"],
]


def load_schema(source, name):
    with open(os.path.join(source, "tools/schema", name), encoding="utf-8") as file:
        return json.load(file)


def validate(tap, document, schema, name):
    found = list(errors(document, schema, schema))
    return tap.ok(not found, name, "\n".join(found[:20]))


# ---- explain ----

def check_schedule(tap, view, name):
    """What must hold within the data of one request."""
    waves = [wave for section in view["sections"] for wave in section["waves"]]
    served = set()
    for wave in waves:
        banks = set()
        for bank, word, mask in wave:
            lanes = [lane for lane in range(32) if mask >> lane & 1]
            served.update(lanes)
            banks.add(bank)
            for lane in lanes:
                address = view["addresses"][lane]
                tap_good = address is not None and address // 4 <= word + view["span"] - 1 and \
                    word * 4 < address + view["bytes"]
                if not tap_good:
                    return tap.ok(False, name, f"lane {lane} of bank {bank}: word {word}, address {address}")
        if len(banks) != len(wave):
            return tap.ok(False, name, f"a bank twice in {wave}")
    active = {lane for lane in range(32) if view["addresses"][lane] is not None}
    return tap.ok(len(waves) == view["wavefronts"] and served == active, name,
                  f"{len(waves)} wavefronts of {view['wavefronts']}; served {sorted(served)}, active {sorted(active)}")


def check_json(tap, program, source):
    schema = load_schema(source, "schedule.schema.json")
    for args in SHOWN:
        status, out, err = run(program, ["explain", *args, "--format", "json"], source)
        name = "explain JSON: " + " ".join(args)
        if not tap.ok(status == 0, name, err):
            continue
        document = json.loads(out)
        validate(tap, document, schema, name + " follows its schema")
        for view in document["views"]:
            if "sm_35" not in args:  # where words are rows of two
                check_schedule(tap, view, name + f", line {view['line']}")
    _, out, _ = run(program, ["explain", STRIDE, "--format", "json"], source)
    for change in ("schema", "views", "arch"):
        broken = copy.deepcopy(json.loads(out))
        broken.pop(change)
        tap.ok(list(errors(broken, schema, schema)), f"the schema asks for {change}")


def check_choices(tap, program, source):
    def views(*args):
        status, out, err = run(program, ["explain", *args, "--format", "json"], source)
        return json.loads(out)["views"] if status == 0 else tap.ok(False, " ".join(args), err) or []
    all_of = views("kernels/transpose", "--line", "19", "--all")
    tap.equal(len(all_of), 32, "--all shows the 32 different requests of a line")
    tap.equal([v["request"] for v in all_of], list(range(1, 33)), "in order of evaluation")
    tap.equal({v["warp"] for v in all_of}, set(range(8)), "of all warps")
    some = views("kernels/transpose", "--line", "19", "--all", "--warp", "3")
    tap.equal([(v["warp"], v["request"], v["requests"]) for v in some], [(3, k, 4) for k in range(1, 5)],
              "--warp shows the requests of a warp")
    one = views("kernels/transpose", "--line", "19", "--warp", "3", "--request", "2")
    tap.equal([(v["warp"], v["request"]) for v in one], [(3, 2)], "--request chooses one of them")
    tap.equal(one[0]["addresses"], some[1]["addresses"], "the same one")
    status, out, _ = run(program, ["explain", "-", "--all", "--format", "json"], source, stdin="""__shared__ float s[8192];
        for (int i = 0; i < 300; i++) s[threadIdx.x + i] = 0;""")
    document = json.loads(out)
    tap.equal((len(document["views"]), document.get("dropped")), (256, 44), "what --all leaves out is counted")
    validate(tap, document, load_schema(source, "schedule.schema.json"), "which the schema knows")
    worst = views("kernels/transpose")
    tap.equal([(v["line"], v["wavefronts"]) for v in worst], [(19, 32)], "the worst request by default")
    twice = views(P + "random.pat", "--seed", "7")
    tap.equal(twice, views(P + "random.pat", "--seed", "7"), "a seed chooses the run")
    equal = views("lesson/07-transpose-naive", "--line", "20", "--all", "--grid", "2x2")
    tap.ok(equal, "blocks are named where there are several")
    tap.ok(any("block (" in v["place"] for v in equal), "blocks are named", equal and equal[0]["place"])


def check_texts(tap, root, width, name):
    """Titles and fixed-width texts, whose length can be told, end within the frame and do not meet."""
    cells, rows = {"t": 9.5, "c": 7.9}, {}
    for node in root.iter():
        if node.tag.endswith("}text") and node.get("class") in cells:
            first = float(node.get("x"))
            rows.setdefault(float(node.get("y")), []).append((first, first + cells[node.get("class")] * len(node.text)))
    tap.ok(all(end <= width for row in rows.values() for _, end in row), name + ": texts end within the frame", rows)
    tap.ok(all(a[1] < b[0] for row in rows.values() for a, b in zip(row, row[1:])), name + ": texts do not meet", rows)


def check_svg(tap, program, source):
    jobs = [["explain", *args, "--svg"] for args in SHOWN]
    jobs += [["sweep", "-D", "STRIDE=1:64", STRIDE, "--svg"], ["sweep", "-D", "STRIDE=1:900:7", STRIDE, "--svg"],
             ["sweep", "-D", "PAD=0:8", "-D", "TILE=32:64:8", P + "tile.pat", "--svg"]]
    for args in jobs:
        status, out, err = run(program, args, source)
        name = "SVG: " + " ".join(args[:-1])
        if "STRIDE=1:900:7" in args:
            tap.ok(status == 2 and "STRIDE=71" in err, name + " is out of bounds", err)
            continue
        if not tap.ok(status == 0, name, err):
            continue
        root = ElementTree.fromstring(out)
        tap.equal(root.tag, "{http://www.w3.org/2000/svg}svg", name + " is SVG")
        outside = re.findall(r"(?:href|src|url)\s*[=(]\s*[\"']?(?!#)[^\"')]+", out)
        tap.equal(outside, [], name + " loads nothing")
        tap.ok("<script" not in out and "prefers-color-scheme:dark" in out, name + " has no script, and a dark side")
        width, height = float(root.get("width")), float(root.get("height"))
        places = [(float(n.get("x", 0)) + float(n.get("width", 0)), float(n.get("y", 0))) for n in root.iter()
                  if n.tag.endswith("}rect")]
        tap.ok(all(x <= width and y <= height for x, y in places), name + " lies within its frame")
        check_texts(tap, root, width, name)


# ---- sweep and compare ----

def check_sweep(tap, program, source):
    schema = load_schema(source, "sweep.schema.json")
    _, out, _ = run(program, ["sweep", "-D", "STRIDE=1:64", STRIDE, "--format", "json"], source)
    document = json.loads(out)
    validate(tap, document, schema, "sweep JSON follows its schema")
    found = [point["degree"] for point in document["points"]]
    tap.equal(found, [max(d for d in (1, 2, 4, 8, 16, 32) if n % d == 0) for n in range(1, 65)],
              "degrees of strides 1 to 64 are the gcd with 32")
    _, out, _ = run(program, ["sweep", "-D", "STRIDE=1:64", STRIDE, "--format", "csv"], source)
    rows = list(csv.DictReader(io.StringIO(out)))
    tap.equal([int(row["degree"]) for row in rows], found, "CSV says the same")
    _, out, _ = run(program, ["sweep", "-D", "PAD=0:4", "-D", "TILE=32:64:32", P + "tile.pat", "--format", "json"], source)
    document = json.loads(out)
    validate(tap, document, schema, "a map follows the schema")
    for point in document["points"]:
        args = [f"-D{name}={value}" for name, value in point["values"].items()]
        _, out, _ = run(program, ["predict", *args, P + "tile.pat", "--format", "json"], source)
        total = json.loads(out)["total"]
        tap.equal({key: point[key] for key in ("wavefronts", "ideal", "excessive", "cycles")},
                  {key: total[key] for key in ("wavefronts", "ideal", "excessive", "cycles")},
                  "a point is what predict says: " + " ".join(args))
    lists = ["sweep", "-D", "STRIDE=64,1:2,67:70", STRIDE, "--keep-going", "--format"]
    status, out, err = run(program, [*lists, "json"], source)
    document = json.loads(out)
    tap.ok(status == 1 and "STRIDE=67, and with 3 others" in err, "--keep-going says what fails", err)
    validate(tap, document, schema, "a list with failures follows the schema")
    tap.equal([(p["values"]["STRIDE"], p["degree"]) for p in document["points"]], [(64, 32), (1, 1), (2, 2)],
              "a list is swept in its order, past what fails")
    tap.equal([p["STRIDE"] for p in document["failed"]], [67, 68, 69, 70], "and what fails is listed")
    _, out, _ = run(program, [*lists, "csv"], source)
    tap.equal([row["degree"] for row in csv.DictReader(io.StringIO(out))], ["32", "1", "2", "", "", "", ""],
              "in CSV its cells are empty")
    status, out, _ = run(program, ["sweep", "-k", "-D", "STRIDE=67:70", STRIDE], source)
    tap.equal((status, out), (2, ""), "where all fail there is no result")
    _, first, _ = run(program, ["sweep", "-D", "PAD=0:40", P + "tile.pat"], source)
    _, second, err = run(program, ["sweep", "-D", "PAD=0:40", P + "tile.pat"], source)
    tap.equal((first, err), (second, ""), "threads change nothing, and no progress is shown off a terminal")
    _, out, _ = run(program, ["sweep", "-D", "PAD=0:1", "kernels/transpose", "--line", "19"], source)
    status, out, err = run(program, ["sweep", "-D", "STRIDE=1:2", STRIDE, "--line", "2"], source)
    tap.ok(status == 2 and "no access on line 2" in err, "a line without an access is refused", err)


def check_beside(tap, program, source):
    schema = load_schema(source, "beside.schema.json")
    for pair in (["lesson/07-transpose-naive", "lesson/08-transpose-padded"], [STRIDE, P + "wide.pat"],
                 ["lesson/09-structs", "lesson/13-lane-pairs"], ["kernels/scan", "lesson/16-atomics"],
                 [P + "none.pat", STRIDE], ["kernels/transpose", STRIDE]):
        status, out, err = run(program, ["predict", "--compare", *pair, "--format", "json"], source)
        name = "--compare " + " ".join(pair)
        if not tap.ok(status == 0, name, err):
            continue
        document = json.loads(out)
        validate(tap, document, schema, name + " follows its schema")
        kinds = {"ld": "read", "ldmatrix": "read", "st": "write", "stmatrix": "write", "cp": "write"}
        both = [[kinds.get(a[side]["op"].split(".")[0], "update") for side in "ab"]
                for a in document["accesses"] if a["a"] and a["b"]]
        tap.ok(all(a == b for a, b in both), name + ": only accesses that do the same are paired", both)
        for side, path in zip("ab", pair):
            _, text, _ = run(program, ["predict", path, "--format", "json"], source)
            reports = json.loads(text)
            reports = reports if isinstance(reports, list) else [reports]
            tap.equal(document["wavefronts"][side], sum(r["total"]["wavefronts"] for r in reports),
                      name + f": {side} is what predict says")
            lines = [a["line"] for r in reports for a in r["accesses"]]
            tap.equal(sorted(a[side]["line"] for a in document["accesses"] if a[side]), sorted(lines),
                      name + f": every access of {side} once")


# ---- the page ----

PROBE_BEFORE = """<script>
window.found = []; window.addEventListener("error", (e) => window.found.push("error: " + e.message));
["error", "warn"].forEach((k) => { console[k] = (...a) => window.found.push(k + ": " + a.join(" ")); });
</script>"""
PROBE_AFTER = """<script>
(function () {
    const say = (name, value) => window.found.push(name + "=" + value);
    const one = (q) => document.querySelector(q), all = (q) => [...document.querySelectorAll(q)];
    const data = JSON.parse(one("#data").textContent);
    const point = (node) => node.dispatchEvent(new MouseEvent("mouseenter"));
    say("rows", all("#picture .row:not(.banks)").length === data.views[data.selected].wavefronts);
    say("marked", one("#source mark").textContent.length > 0 && all("#source .chosen").length);
    one("#next").click();
    say("step", one("#step").textContent);
    say("now", all("#lanes .now").length > 0 && all(".row.now").length);
    point(one(".row.now .cell"));
    say("detail", one("#detail").textContent);
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    say("key", one("#step").textContent);
    one("#previous").click(); one("#all").click();
    say("all", one("#step").textContent);
    one("#slider").value = 1; one("#slider").dispatchEvent(new Event("input"));
    say("slider", one("#step").textContent);
    one("#lanes .lane").click();
    say("lane", one("#detail").textContent);
    let good = 0;
    all("#requests .request").forEach((row, i) => {
        row.querySelector("button").click();
        const item = data.views[i];
        good += one("#source .chosen").dataset.line == item.line &&
            one("#source mark").textContent.replace(/\\s+/g, " ").trim().startsWith(item.source.slice(0, 8)) &&
            all("#picture .row:not(.banks)").length === item.wavefronts &&
            all("#why li").length === item.sentences.length;
    });
    say("switch", good + " of " + data.views.length);
    const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const line = () => Number(one("#source .chosen").dataset.line);
    one("#requests .chosen button").focus();
    const walked = [];
    press("Home"); walked.push(line() === data.views[0].line);
    press("ArrowDown"); walked.push(line() === data.views[Math.min(1, data.views.length - 1)].line);
    press("ArrowUp"); press("ArrowUp"); walked.push(line() === data.views[0].line);
    press("End"); walked.push(line() === data.views[data.views.length - 1].line);
    walked.push(all("#requests button").filter((b) => b.tabIndex === 0).length === 1);
    walked.push(document.activeElement === one("#requests .chosen button"));
    say("walked", walked);
    // A lane's bank by its address: with 8-byte banks it is not that of the word.
    const wide = data.arch.endsWith("8byte") ? 8 : 4, last = data.views[data.views.length - 1];
    say("banks", all("#lanes .lane").every((lane, i) => {
        point(lane);
        const text = one("#detail").textContent, address = last.addresses[i];
        return address === null ? text.includes("takes no part")
            : new RegExp(`banks? ${Math.floor(address / wide) % 32}[-;]`).test(text);
    }));
    say("named", all("#lanes .lane, #requests button").every((b) => b.getAttribute("aria-label").length > 5));
    const box = one(".source").getBoundingClientRect(), mark = one("#source mark").getBoundingClientRect();
    say("seen", mark.left >= box.left && mark.left < box.right && mark.top >= box.top && mark.bottom <= box.bottom);
    const list = one(".short");
    say("list", list.scrollWidth <= list.clientWidth + 1);
    say("spoken", /^Wavefront 1: bank \d+ serves lane/.test((one("#next").click(), one("#picture").getAttribute("aria-label"))));
    say("wide", document.documentElement.scrollWidth > document.documentElement.clientWidth);
    say("inside", all("#picture .cell").every((c) => {
        const a = c.getBoundingClientRect(), b = one("#picture").getBoundingClientRect();
        return a.left >= b.left && a.right <= b.right && a.width > 6;
    }));
    say("width", window.innerWidth);
    const out = document.createElement("pre");
    out.id = "probe"; out.textContent = JSON.stringify(window.found);
    document.body.append(out);
})();
</script>"""


def chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


def browse(browser, path, width, folder):
    """What the probe found, or a text that says why there is nothing."""
    # An inner frame has exactly the width that is asked for: a window has a least one.
    frame = os.path.join(folder, "frame.html")
    with open(frame, "w", encoding="utf-8") as file:
        file.write(f'<!DOCTYPE html><iframe src="{os.path.basename(path)}" width="{width}" height="900"></iframe>'
                   "<script>onload = () => { const t = frames[0].document.getElementById('probe');"
                   "document.title = 'x'; document.body.append(Object.assign(document.createElement('pre'),"
                   "{ id: 'outer', textContent: t ? t.textContent : 'no probe' })); };</script>")
    args = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--allow-file-access-from-files", f"--user-data-dir={folder}/profile", "--window-size=1400,1000",
            "--virtual-time-budget=5000", "--dump-dom", "file://" + frame]
    try:
        done = subprocess.run(args, capture_output=True, text=True, timeout=90)
    except subprocess.TimeoutExpired:
        return None, "the browser did not end"
    match = re.search(r'<pre id="outer">(.*?)</pre>', done.stdout, re.S)
    if not match or match[1] == "no probe":
        return None, done.stdout[-500:] + done.stderr[-500:]
    text = match[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return json.loads(text), ""


def check_found(tap, found, width, name):
    values = dict(item.split("=", 1) for item in found if "=" in item)
    noise = [item for item in found if item.startswith(("error:", "warn:"))]
    tap.equal(noise, [], name + ": no errors on the console")
    tap.equal(values.get("width"), str(width), name + ": has its width")
    tap.equal(values.get("rows"), "true", name + ": a row a wavefront")
    tap.equal(values.get("marked"), "1", name + ": the source line is marked")
    tap.ok(values.get("step", "").startswith("wavefront 1 of"), name + ": steps", values)
    tap.equal(values.get("now"), "1", name + ": shows which wavefront")
    tap.ok(re.match(r"Lane \d+: byte address \d+, words? [\d-]+, banks? [\d-]+; served in wavefront",
                    values.get("detail", "")), name + ": pointing at a box names its lane", values)
    tap.ok(re.match(r"wavefront \d+ of", values.get("key", "")), name + ": arrow keys step", values)
    tap.ok(values.get("all", "").startswith("all of"), name + ": shows all again", values)
    tap.ok(values.get("slider", "").startswith("wavefront 1 of"), name + ": the slider steps", values)
    tap.ok(values.get("lane", "").startswith("Lane 0"), name + ": a lane tells where it is", values)
    done, total = values.get("switch", "0 of 1").split(" of ")
    tap.equal(done, total, name + ": switches between all requests")
    tap.equal(values.get("wide"), "false", name + ": the page does not scroll sideways")
    tap.equal(values.get("inside"), "true", name + ": every box is inside the picture")
    tap.equal(set(values.get("walked", "").split(",")), {"true"}, name + ": arrow keys go through the requests")
    tap.equal(values.get("banks"), "true", name + ": lanes are said to be at the banks of their addresses")
    tap.equal(values.get("named"), "true", name + ": buttons have names for those who do not see them")
    tap.equal(values.get("spoken"), "true", name + ": and so has the wavefront")
    tap.equal(values.get("seen"), "true", name + ": the marked source is scrolled into view")
    tap.equal(values.get("list"), "true", name + ": the list of requests needs no sidewards scrolling")


def check_pages(tap, program, source):
    browser = chromium()
    jobs = [["explain", "--html", "kernels/transpose"], ["explain", "--html", "lesson/15-ldmatrix"],
            ["explain", "--html", "lesson/16-atomics"], ["explain", "--html", P + "utf8.pat"],
            ["explain", "--html", "--all", "kernels/transpose"],
            ["explain", "--html", "--arch", "sm_35-8byte", P + "wide.pat"],
            ["predict", "--html", "lesson/16-atomics", "lesson/13-lane-pairs"]]
    for args in jobs:
        status, out, err = run(program, args, source)
        name = "page: " + " ".join(args)
        if not tap.ok(status == 0, name, err):
            continue
        tap.equal(re.findall(r"(?:src|href)\s*=|@import|url\(|https?://(?!www\.w3\.org)", out), [],
                  name + " loads nothing")
        tap.equal(out.count("</script"), 2, name + " has the data and one script")
        if not browser:
            tap.skip(name + " in a browser", "no Chromium")
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            with open(path, "w", encoding="utf-8") as file:
                file.write(out.replace("<body>", "<body>" + PROBE_BEFORE).replace("</body>", PROBE_AFTER + "</body>"))
            for width in (1280, 390):
                found, why = browse(browser, path, width, folder)
                if found is None:
                    tap.ok(False, f"{name} at {width}", why)
                else:
                    check_found(tap, found, width, f"{name} at {width}")


def main():
    program, source = map(os.path.abspath, sys.argv[1:3])
    tap = Tap()
    check_json(tap, program, source)
    check_choices(tap, program, source)
    check_svg(tap, program, source)
    check_sweep(tap, program, source)
    check_beside(tap, program, source)
    check_pages(tap, program, source)
    tap.done()


main()
