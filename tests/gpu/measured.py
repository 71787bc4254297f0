#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What gpu/MEASURED.md says is what the recordings hold.

    measured.py SOURCE

Each number is computed from the recording that its section names and looked for in the text, so that
neither can change alone. What the model says of the same requests is replayed elsewhere
(tests/gpu/replay.c, tests/gpu/test_loops.c, tests/tools/compare.py).
"""

import csv
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from tap import Tap  # noqa: E402

LOOPS = ("add.f", "add.u64", "min.u64", "max.u64", "min.s64", "max.s64", "and.b64", "or.b64", "xor.b64")
WARPS = (1, 2, 4, 8, 16, 32)


class Measured:
    def __init__(self, source):
        self.tap = Tap()
        self.folder = os.path.join(source, "tests/recorded/sm_90-h200")
        with open(os.path.join(source, "gpu/MEASURED.md"), encoding="utf-8") as file:
            parts = re.split(r"^## (.*)\n", file.read(), flags=re.M)
        self.sections = dict(zip(parts[1::2], (" ".join(part.split()) for part in parts[2::2])))

    def rows(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8", newline="") as file:
            found = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.tap.ok(found and all(None not in row and None not in row.values() for row in found), f"{name} is a table")
        return found

    def text(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def says(self, section, *phrases):
        found = next(text for title, text in self.sections.items() if title.startswith(section))
        for phrase in phrases:
            self.tap.ok(phrase in found, f"{section}: '{phrase}'", found)

    def within(self, values, low, high, name):
        values = list(values)
        self.tap.ok(values and low <= min(values) and max(values) <= high, f"{name}: from {low} to {high}",
                    f"{min(values, default=None)} to {max(values, default=None)}")


def is_exact(op):
    """Whether the clock counts the operation's wavefronts."""
    return not op.startswith("cp.") and not op.split(".", 1)[1].startswith(LOOPS)


def check_fuzz(m):
    summary = json.loads(m.text("gpu-fuzz.json"))
    ops = summary["operations"]
    m.tap.equal((len(ops), {o["requests"] for o in ops}, sum(o["mismatches"] for o in ops), sum(o["unstable"] for o in ops)),
                (45, {10000000}, 0, 0), "45 operations, ten million requests each, no mismatch, none unstable")
    m.tap.ok(all(is_exact(o["op"]) for o in ops), "of operations that the clock counts")
    speed = {o["op"]: o["requests_per_second"] for o in ops}
    m.within((speed[f"{kind}.{bits}"] for kind in ("ld", "st") for bits in (8, 16, 32)), 16.5e6, 18e6, "narrow accesses a second")
    m.tap.equal(min(speed, key=speed.get), "atom.cas.b64", "the slowest")
    m.within([sum(o["seconds"] for o in ops)], 43, 44.5, "seconds in all")
    m.says("The rules hold", f"{sum(o['again'] for o in ops)} values in 450 million", "17 million requests a second",
           f"{speed['atom.cas.b64'] / 1e6:.1f} million for `atom.cas.b64`", "took 44 s", summary["command"].split(" --note")[0])


def check_sass(m):
    lines = [line.split() for line in m.text("gpu-sass.txt").splitlines()]
    table = {line[0]: line[2:4] for line in lines if len(line) > 4 and "." in line[0]}
    m.tap.equal(len(table), 71, "71 operations were looked at")
    times = {op: int(cells[0]) for op, cells in table.items()}
    m.tap.equal({op: n for op, n in times.items() if n != 64}, {"ld.32": 67, "st.32": 67}, "each 64 times")
    m.tap.equal({cells[1] for cells in table.values()}, {"64", "-"}, "and in the chain of accesses")
    m.says("The rules hold", "`ld.32` and `st.32` show 67")


def check_info(m):
    card = json.loads(m.text("gpu-info.json"))
    m.tap.equal((card["exact"], card["arch"], len(card["trial"]["cycles"])), (True, "sm_90", 32), "the card is exact")
    m.within((c - n for n, c in enumerate(card["trial"]["cycles"], 1)), -0.25, 0.25, "the trial's cycles")


def check_warps(m, ways):
    for degree in (1, 2, 8, 32):
        row = next(r for r in ways if r["op"] == "ld.32" and r["ways"] == str(degree))
        cells = [float(row[f"cycles_{n}"]) for n in WARPS]
        shown = [f"{c:.3f}" if n >= 16 else f"{c:.2f}" for n, c in zip(WARPS, cells)]
        m.says("How many warps", f"| {degree} | " + " | ".join(shown) + " |")
    exact = [r for r in ways if is_exact(r["op"])]

    def off(warps, but=()):
        return max(abs(float(r[f"cycles_{warps}"]) / round(float(r["cycles_16"])) - 1) for r in exact if r["op"] not in but)
    m.tap.equal(len({r["op"] for r in exact}), 45, "45 operations with 1 to 32 warps")
    m.says("How many warps", f"Four warps are still {100 * off(4):.0f} % off", "8 are within 4 %", "16 within 0.3 %",
           f"(`ldmatrix.x1`: {100 * off(16):.1f} %)")
    m.within([off(8)], 0.03, 0.04, "8 warps")
    m.within([off(16, ("ldmatrix.x1", "ldmatrix.x1.trans"))], 0, 0.003, "16 warps")
    one = {r["op"]: float(r["cycles_1"]) for r in ways if r["ways"] == "1"}
    m.within((one[op] for op in ("ld.8", "ld.16", "ld.32", "ld.64", "ld.128")), 5.05, 5.15, "one warp's loads")
    m.within((one[op] for op in ("st.8", "st.16", "st.32", "st.64")), 4.1, 4.55, "one warp's stores")


def check_latency(m, ways):
    rows = m.rows("gpu-cycles.csv")
    m.tap.equal((len(rows), len({r["op"] for r in rows})), (45 * 300 + 26 * 40, 71), "gpu-cycles.csv has all operations")

    def rest(ops, full=True):
        return [float(r["latency"]) - 2 * round(float(r["cycles"])) for r in rows
                if r["op"] in ops and (r["active"] == "ffffffff") == full]
    native = {r["op"] for r in rows if r["op"].startswith("atom.") and r["op"].endswith("32") and is_exact(r["op"])}
    native -= {"atom.cas.b32"}
    matrix = {r["op"] for r in rows if r["op"].startswith("ldmatrix")}
    narrow = {"ld.8", "ld.16", "ld.32"}
    for ops, base, slack in ((narrow, 26.6, 0.6), (matrix, 26.17, 0.01), (native, 30, 0.01), ({"atom.cas.b32"}, 32.34, 0.01),
                             ({"atom.exch.b64"}, 32.89, 0.01), ({"atom.cas.b64"}, 37, 0.01)):
        m.within(rest(ops), base - slack, base + slack, f"latency less two wavefronts, {sorted(ops)[0]} and its like")
    for ops in (narrow, native, {"atom.cas.b32"}):
        m.within([max(rest(ops, False)) - max(rest(ops))], 0.79, 0.81, f"a partial mask adds, {sorted(ops)[0]}")
    latency = {(r["op"], int(r["ways"])): float(r["latency"]) for r in ways if r["latency"]}
    m.says("Latency", f"{latency['ld.64', 1]:.1f} / {latency['ld.128', 1]:.1f} where all lanes read one address",
           f"{latency['ld.64', 32]:.0f} / {latency['ld.128', 32]:.0f} at 32 wavefronts", "a partial mask adds 0.8",
           f"{latency['atom.add.u32', 1]:.0f} for 32 lanes on one word", f"{latency['atom.cas.b32', 1]:.0f} for 32 lanes",
           f"| {latency['cp.async.4', 1]:.0f} from L1")
    m.within((v for (op, _), v in latency.items() if op == "cp.async.16"), 330, 361, "latency of cp.async.16")


def check_stores(m):
    for row in m.rows("gpu-zero.csv"):
        lanes, width = int(row["lanes"]), 16 if row["op"] == "st.64" else 8
        wanted = 32 // width if row["source"] == "registers" else -(-lanes // width)
        m.within([float(row["cycles"])], wanted - 0.01, wanted + 0.13, f"{row['op']} of {row['source']}, {lanes} lanes")


def check_winner(m):
    rows = m.rows("gpu-winner.csv")
    m.says("Which lane", f"{sum(int(r['requests']) for r in rows):,} random requests", f"each run {rows[0]['runs']} times",
           f"{sum(int(r['groups']) for r in rows):,} times several")
    for row in rows:
        m.tap.equal((row["lowest_lane_of_last_part_won"], row["torn"], row["changed_between_runs"]), (row["groups"], "0", "0"),
                    f"{row['op']}: always the lowest lane of the last part")
        if row["op"] in ("st.8", "st.16", "st.32"):
            m.tap.equal(row["lowest_lane_won"], row["groups"], f"{row['op']}: the lowest lane")


def check_async(m):
    cycles = {(r["op"], r["destination"], r["source"], r["warps"]): float(r["cycles"]) for r in m.rows("gpu-async.csv")}
    m.within((v for (op, _, source, _), v in cycles.items() if op != "cp.async.16" and source in ("one chunk", "a line a lane")),
             31.9, 32.7, "copies through L1 from one chunk, or each from its line")

    def cg(destination, source="in order", warps="32"):
        return f"{cycles['cp.async.16', destination, source, warps]:.1f}"
    three = ("in order", "reversed", "swizzled")
    m.says("cp.async", f"{'; '.join(cg(d) for d in three)} | {'; '.join(cg(d, 'one chunk') for d in three)} |",
           f"(16 warps read {cg('in order', warps='16')} where 32 read {cg('in order')})",
           *(f"| {cg(d)} | {cg(d, 'one chunk')} |" for d in
             ("rotated in each row", "scattered", "one a row; padded", "one bank", "one place")))


def check_meetings(m):
    one, factors = {}, {}
    rows = m.rows("gpu-meetings.csv")
    for row in rows:
        cost = (int(row["hw_wavefronts_ld"]) + int(row["hw_wavefronts_atom"])) / int(row["operations"])
        if row["warps"] == "1":
            one[row["op"], row["places"]] = cost
        factors.setdefault((row["op"], row["warps"]), []).append(cost / one[row["op"], row["places"]])
    for op in ("atom.add.f32", "atom.add.f64", "atom.add.u64", "atom.add.f16x2", "cas loop"):
        values = (factors[op, warps] for warps in ("2", "4", "8", "16", "32"))
        name = "a loop of `atomicCAS` as people write it" if op == "cas loop" else f"`{op}`"
        m.says("Warps that meet", f"| {name} | " + " | ".join(f"{min(v):.1f} to {max(v):.1f}" for v in values) + " |")
    m.within((v for (op, _), some in factors.items() if op.startswith("red.") for v in some), 0.88, 1.05,
             "native reductions of several warps")


def check_units(m):
    rows = {row["unit"]: row for row in m.rows("gpu-units.csv")}

    def each(unit, column):
        return (int(rows[unit][column]) - int(rows["nothing"][column])) / 64
    for unit in rows:
        if unit.startswith(("mbarrier", "cp.")):
            m.within((each(unit, "hw_wavefronts"), each(unit, "pipe_wavefronts")), 0, 0.05, unit)
    for size in (16, 128, 1024, 4096):
        m.tap.equal(each(f"cp.async.bulk in {size}", "bank_writes"), size / 4, f"words written of {size} bytes")
        m.tap.equal(each(f"cp.async.bulk out {size}", "bank_reads"), size / 4, f"words read of {size} bytes")
    m.tap.equal([each("movmatrix", c) for c in ("hw_wavefronts", "hw_wavefronts_misc")], [2, 2], "movmatrix")
    m.tap.equal([each("red to the other block", c) for c in ("hw_wavefronts", "pipe_wavefronts")], [1, 3], "far reductions")


def check_tensor_copies(m):
    rows = m.rows("gpu-tensor-copies.csv")
    m.tap.equal({row["setting"] for row in rows}, {"none", "32B", "64B", "128B"}, "the swizzle modes")
    for row in rows:
        inward, words = row["what"] == "tensor in", int(row["bytes"]) / 4
        counted = [int(row[c]) for c in ("hw_wavefronts", "bank_reads", "bank_writes")]
        m.tap.equal(counted, [3, 4, words] if inward else [66, words + 4, 0], f"{row['what']} {row['setting']} {row['row']}")
    m.says("Bulk copies beside loads", "3 a launch coming in and 66 going out")


def check_bulk(m):
    rows = m.rows("gpu-bulk.csv")
    for ways in (1, 2, 4, 8):
        middle = []
        for beside in ("nothing", "in", "out"):
            cycles = sorted(float(row["cycles"]) for row in rows
                            if row["what"] == f"loads beside {beside}" and row["setting"] == f"{ways} ways")
            m.tap.equal(len(cycles), 3, f"three runs of {ways} ways beside {beside}")
            m.within(cycles, cycles[1] - 0.02, cycles[1] + 0.02, f"{ways} ways beside {beside}")
            middle.append(f"{cycles[1]:.2f}")
        m.says("Bulk copies beside loads", f"| {ways} way{'s' if ways > 1 else ''} | {' | '.join(middle)} |")
    loads = 16 * 4096
    for row in rows:
        ways, moved, spent = int(row["setting"].split()[0]), int(row["bytes"]), float(row["cycles"]) * loads
        held = (spent - ways * loads) / max(moved / 128, 1)
        if row["what"].endswith("out"):
            m.within([held], *((1.95, 2.1) if ways < 4 else (1.0, 1.1)), f"cycles that 128 bytes cost loads of {ways} ways")
        if row["what"].endswith("out") and ways == 1:
            m.within([moved / spent], 31.5, 32.5, "bytes a cycle going out")
        if row["what"].endswith("in") and ways == 1:
            m.within([moved / spent], 24, 26.5, "bytes a cycle coming in")


def check_share(m):
    time = {(int(r["warps"]), r["additions"], int(r["ways"])): (int(r["pipe_cycles"]), float(r["cycles"]))
            for r in m.rows("gpu-share.csv")}
    m.within((cycles / max(pipe, time[warps, additions, 1][1]) for (warps, additions, _), (pipe, cycles) in time.items()
              if warps >= 16), 0.945, 1.115, "time as the larger of pipe and the rest")
    m.within((time[w, a, 2 * ways][1] / cycles for (w, a, ways), (pipe, cycles) in time.items()
              if w >= 16 and ways < 32 and 0.5 <= time[w, a, 2 * ways][0] / cycles < 0.9), 0.99, 1.05, "doubled conflicts")


def check_far(m):
    least = {op: [] for op in ("ld", "st")}
    for row in m.rows("gpu-far.csv"):
        least.get(row["op"].split(".")[0], []).append(float(row["cycles"]))
    m.tap.equal([len(values) for values in least.values()], [4500, 4500], "random requests to another block")


def check_cluster(m):
    rows = m.rows("gpu-cluster.csv")
    other = [r for r in rows if r["memory"] == "other"]
    alone = {(r["stride_bytes"], r["warps"]): r for r in other if r["clusters"] == "1"}
    m.tap.equal(len({stride for stride, _ in alone}), 21, "21 strides")
    for (stride, warps), row in alone.items():
        at = [lane * int(stride) for lane in range(32)]
        wanted = 1.5 * (len({a // 32 for a in at}) + len({a // 128 for a in at}))
        if int(warps) >= 16:
            m.within([float(row["cycles"])], wanted - 0.1, wanted + 0.1, f"stride {stride}, {warps} warps")
    m.within((float(r["latency"]) for r in alone.values()), 193.7, 279, "latency of another block's memory")
    m.within((float(r["latency"]) for r in rows if r["memory"] == "own"), 37.9, 102, "latency of one's own")
    ratio = {stride: max(float(r["cycles"]) / float(alone[stride, r["warps"]]["cycles"]) for r in other
                         if r["clusters"] == "32" and r["stride_bytes"] == stride) for stride, _ in alone}
    m.within((v for stride, v in ratio.items() if stride != "0"), 0.99, 1.635, "32 clusters at once")
    m.says("Distributed", f"a broadcast {ratio['0']:.1f} times as much", "up to 63 % more")


def check_stream(m):
    first = {r["variant"]: r for r in m.rows("gpu-stream-counters.csv") if r["round"] == "0"}
    clock = {r["variant"]: r for r in m.rows("gpu-stream.csv")}
    loads, both, stream, neither = (first[v] for v in ("shared loads", "shared loads beside a global stream",
                                                       "global stream", "neither"))
    for name in ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                 "memory_l1_wavefronts_shared"):
        m.says("A global stream", " | ".join(f"{int(r[name]):,}" for r in (loads, both, stream, neither)))
    name = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
    alone, beside = int(loads[name]) - int(neither[name]), int(both[name]) - int(stream[name])
    times = [float(clock[v]["cycles_of_shared_loads"]) for v in ("shared loads", "shared loads beside a global stream")]
    m.says("A global stream", f"{alone:,} wavefronts alone", f"{beside:,} beside the stream",
           f"{100 * (beside / alone - 1):.2f} % more", f"{times[0]:.2f} | {times[1]:.2f}",
           f"({100 * (times[1] / times[0] - 1):.0f} %)", f"{int(clock['shared loads']['shared_loads']):,}")


def check_counters(m):
    rows = m.rows("gpu-counters.csv")
    wide = [r for r in rows if r["op"] in ("ld.64", "ld.128")]
    differ = [r for r in wide if round(float(r["hw_wavefronts"])) != int(r["sass_wavefronts"])]
    example = next(r for r in differ if r["active"] == "336cc396")
    m.says("The profiler's counters", f"{len(rows)} random requests", f"Among {len(wide)} wide loads there are {len(differ)}",
           f"mask 336cc396: hardware {example['hw_wavefronts']}, Source page {example['sass_wavefronts']}")
    loops = m.rows("gpu-loops.csv")
    m.tap.equal((len(loops), sum(int(r["count"]) for r in loops), len({r["op"] for r in loops})), (352, 2 * 44000, 22),
                "sums of loops")


def check_named(m):
    """Each recording is in a manifest, and each file that the text names is there."""
    listed = m.text("MANIFEST") + m.text("gpu-MANIFEST")
    for name in sorted(os.listdir(m.folder)):
        if not name.endswith("MANIFEST"):
            m.tap.ok(re.search(rf"^{re.escape(name)}\b", listed, re.M), f"{name} is in a manifest")
    named = {name for text in m.sections.values() for name in re.findall(r"`(gpu-[\w-]+\.\w+)`", text)}
    m.tap.ok(named and all(os.path.exists(os.path.join(m.folder, name)) for name in named), "recordings named are there", named)


def main():
    m = Measured(os.path.abspath(sys.argv[1]))
    ways = m.rows("gpu-ways.csv")
    check_fuzz(m)
    check_sass(m)
    check_info(m)
    check_warps(m, ways)
    check_latency(m, ways)
    for check in (check_stores, check_winner, check_async, check_cluster, check_far, check_meetings, check_units, check_tensor_copies, check_bulk, check_share, check_stream, check_counters, check_named):
        check(m)
    m.tap.done()


main()
