/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws what the page's data says. Nothing about the hardware is worked out here: which lane is
   served in which wavefront, the letters and the sentences all come from the program. */
"use strict";
(function () {
    const data = JSON.parse(document.getElementById("data").textContent);
    const at = (id) => document.getElementById(id);
    const state = { view: 0, step: 0, lane: null };
    /* What the list and the source show now, so that a choice only changes what differs. */
    const shown = { row: null, file: null, lines: [], line: 0 };
    /* By file: the first request of each line. */
    const firsts = data.files.map(() => new Map());
    data.views.forEach((item, index) => {
        if (!firsts[item.file].has(item.line)) firsts[item.file].set(item.line, index);
    });
    let rows = [];

    function make(tag, className, text) {
        const node = document.createElement(tag);
        if (className) node.className = className;
        if (text !== undefined) node.textContent = text;
        return node;
    }
    const lanesOf = (mask) => [...Array(32).keys()].filter((lane) => (mask >>> lane) & 1);
    const view = () => data.views[state.view];
    const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
    const round = (number) => (Number.isInteger(number) ? number : number.toFixed(1));

    /* ---- the list of requests, and the source ---- */

    function requestRow(item, index) {
        const row = make("tr", "request"), first = make("td", "num"), button = make("button", "", item.line);
        const total = (name) => make("td", "num totals", item.totals ? round(item.totals[name]) : "");
        button.type = "button";
        button.setAttribute("aria-pressed", false);
        button.tabIndex = -1; /* one stop for all of them: see markRow and moveRow */
        button.setAttribute("aria-label", `Line ${item.line}, ${item.source}, ${item.place}`);
        first.append(button);
        row.append(first, make("td", "code", item.source), make("td", "num which", item.warp),
                   make("td", "num which", item.request), make("td", "op", item.op),
                   make("td", "num", `${item.degree}-way`),
                   make("td", "num waves" + (item.wavefronts > item.ideal ? " worse" : ""), item.wavefronts),
                   make("td", "num best", item.ideal), total("wavefronts"), total("excessive"));
        row.addEventListener("click", () => choose(index));
        return row;
    }

    /* Where there are several files, each begins with its name. */
    function drawRequests() {
        const list = [];
        data.views.forEach((item, index) => {
            if (data.files.length > 1 && (index === 0 || data.views[index - 1].file !== item.file)) {
                const head = make("tr", "file"), name = make("td", "", data.files[item.file].name);
                name.colSpan = 10;
                head.append(name);
                list.push(head);
            }
            list.push(requestRow(item, index));
        });
        at("requests").tBodies[0].append(...list);
    }

    /* UTF-8 bytes, because the program counts columns so. */
    function splitBytes(text, from, length) {
        const bytes = new TextEncoder().encode(text), decoder = new TextDecoder();
        return [bytes.slice(0, from), bytes.slice(from, from + length), bytes.slice(from + length)]
            .map((part) => decoder.decode(part));
    }

    function sourceLine(text, number) {
        const item = view();
        const line = make("li");
        line.dataset.line = number;
        const here = firsts[item.file].get(number);
        if (here !== undefined && number !== item.line) {
            line.className = "has";
            line.addEventListener("click", () => choose(here));
        }
        if (number !== item.line) {
            line.append(text);
            return line;
        }
        line.className = "chosen";
        const [before, marked, after] = splitBytes(text, item.column - 1, item.length);
        line.append(before, make("mark", "", marked), after);
        return line;
    }

    function drawSource() {
        const item = view(), list = at("source");
        if (shown.file !== item.file) {
            shown.lines = data.files[item.file].text.replace(/^\uFEFF/, "").split(/\r?\n/);
            list.replaceChildren(...shown.lines.map((text, index) => sourceLine(text, index + 1)));
        } else {
            for (const number of new Set([shown.line, item.line]))
                if (list.children[number - 1])
                    list.children[number - 1].replaceWith(sourceLine(shown.lines[number - 1], number));
        }
        shown.file = item.file;
        shown.line = item.line;
        const chosen = at("source").querySelector(".chosen"), box = at("source").parentNode;
        if (!chosen) return;
        box.scrollTop = chosen.offsetTop - box.clientHeight / 2;
        /* Sidewards as far as the mark needs; the numbers stay at the left. */
        const mark = chosen.querySelector("mark"), end = mark.offsetLeft + mark.offsetWidth + 10;
        box.scrollLeft = end <= box.clientWidth ? 0 : Math.min(end - box.clientWidth, mark.offsetLeft - 70);
    }

    /* ---- the picture ---- */

    function bankRow() {
        const row = make("div", "row banks"), grid = make("div", "grid");
        for (let bank = 0; bank < 32; bank++) grid.append(make("span", "", bank));
        row.append(make("div", "label", "bank"), grid);
        return row;
    }

    function cellOf(item, [bank, word, mask]) {
        const lanes = lanesOf(mask >>> 0);
        const sharing = lanes.length > 1 && item.sharings.find((s) => s.lanes >>> 0 === mask >>> 0);
        const cell = make("div", "cell" + (sharing ? " shared" : ""), sharing ? sharing.letter : lanes[0]);
        cell.append(make("small", "", item.span > 1 ? `${word}-${word + item.span - 1}` : word));
        cell.style.setProperty("--bank", bank + 1);
        cell.style.setProperty("--bank16", (bank % 16) + 1);
        cell.style.setProperty("--half", bank < 16 ? 1 : 2);
        cell.style.setProperty("--span", item.span);
        cell.lanes = lanes;
        const words = item.span > 1 ? `words ${word}-${word + item.span - 1}` : `word ${word}`;
        const banks = item.span > 1 ? `banks ${bank}-${bank + item.span - 1}` : `bank ${bank}`;
        cell.title = `lane${lanes.length > 1 ? "s" : ""} ${lanes.join(", ")}: ${banks}, ${words}`;
        cell.addEventListener("mouseenter", () => light(lanes));
        cell.addEventListener("mouseleave", () => light(state.lane === null ? [] : [state.lane]));
        cell.addEventListener("click", () => pin(lanes[0]));
        return cell;
    }

    function waveRow(item, wave, number) {
        const row = make("div", "row"), grid = make("div", "grid");
        grid.append(...wave.map((cell) => cellOf(item, cell)));
        row.append(make("div", "label", number), grid);
        row.lanes = new Set(wave.flatMap(([, , mask]) => lanesOf(mask >>> 0)));
        row.number = number;
        row.wave = wave;
        return row;
    }

    function drawPicture() {
        const item = view(), parts = [bankRow()];
        rows = [];
        for (const section of item.sections) {
            if (item.sections.length > 1 || item.merged) parts.push(make("div", "title", section.title));
            for (const wave of section.waves) {
                const row = waveRow(item, wave, rows.length + 1);
                rows.push(row);
                parts.push(row);
            }
        }
        at("picture").replaceChildren(...parts);
        at("slider").max = rows.length;
        document.body.classList.toggle("no-picture", rows.length === 0);
    }

    function drawLegend() {
        const entries = view().sharings.map((sharing) => {
            const entry = make("li");
            entry.append(make("b", "", sharing.letter), sharing.text);
            return entry;
        });
        at("legend").replaceChildren(...entries);
        document.body.classList.toggle("has-sharing", entries.length > 0);
    }

    /* ---- lanes ---- */

    function drawLanes() {
        const buttons = view().addresses.map((address, lane) => {
            const button = make("button", "lane" + (address === null ? " off" : ""), lane);
            button.type = "button";
            button.setAttribute("aria-label", `Lane ${lane}${address === null ? ", off" : ""}`);
            button.addEventListener("mouseenter", () => light([lane]));
            button.addEventListener("mouseleave", () => light(state.lane === null ? [] : [state.lane]));
            button.addEventListener("focus", () => light([lane]));
            button.addEventListener("click", () => pin(lane));
            return button;
        });
        at("lanes").replaceChildren(...buttons);
    }

    /* The wavefronts that serve a lane, and the first of its banks: as the schedule has them. */
    function serviceOf(lane) {
        const served = rows.filter((row) => row.lanes.has(lane));
        const cell = served.length ? served[0].wave.find(([, , mask]) => (mask >>> lane) & 1) : [0];
        return { bank: cell[0], when: served.map((row) => row.number) };
    }

    function laneText(lane) {
        const item = view(), address = item.addresses[lane];
        if (address === null) return `Lane ${lane} takes no part.`;
        const first = Math.floor(address / 4), last = Math.floor((address + item.bytes - 1) / 4);
        const words = first === last ? `word ${first}` : `words ${first}-${last}`;
        const { bank, when } = serviceOf(lane);
        const banks = item.span > 1 ? `banks ${bank}-${bank + item.span - 1}` : `bank ${bank}`;
        if (!when.length) return `Lane ${lane}: byte address ${address}, ${words}.`;
        return `Lane ${lane}: byte address ${address}, ${words}, ${banks}; served in wavefront${
            when.length === 1 ? "" : "s"} ${when.join(", ")}.`;
    }

    function light(lanes) {
        const lit = new Set(lanes);
        for (const cell of at("picture").querySelectorAll(".cell"))
            cell.classList.toggle("lit", cell.lanes.some((lane) => lit.has(lane)));
        [...at("lanes").children].forEach((node, lane) => node.classList.toggle("lit", lit.has(lane)));
        const shown = lanes.length > 4 ? [lanes[0]] : lanes;
        const more = lanes.length > 4 ? ` So do lanes ${lanes.slice(1).join(", ")}.` : "";
        at("detail").textContent = lanes.length ? shown.map(laneText).join(" ") + more
            : "Point at a box or a lane to see its address, word and bank.";
    }

    function pin(lane) {
        state.lane = state.lane === lane ? null : lane;
        light(state.lane === null ? [] : [lane]);
        [...at("lanes").children].forEach((node, i) => node.setAttribute("aria-pressed", i === state.lane));
    }

    /* ---- stepping ---- */

    /* A wavefront for those who do not see it. */
    function spoken(row) {
        const cells = row.wave.map(([bank, word, mask]) =>
            `bank ${bank} serves lane ${lanesOf(mask >>> 0).join(", ")} with word ${word}`);
        return `Wavefront ${row.number}: ${cells.length ? cells.join("; ") : "serves no lane"}.`;
    }

    function step(to) {
        state.step = Math.max(0, Math.min(rows.length, to));
        const now = state.step ? rows[state.step - 1] : null, done = new Set();
        rows.forEach((row, index) => {
            row.classList.toggle("now", row === now);
            row.classList.toggle("dimmed", now !== null && row !== now);
            if (now !== null && index < state.step - 1) row.lanes.forEach((lane) => done.add(lane));
        });
        [...at("lanes").children].forEach((node, lane) => {
            node.classList.toggle("now", now !== null && now.lanes.has(lane));
            node.classList.toggle("done", now !== null && done.has(lane) && !now.lanes.has(lane));
        });
        at("step").textContent = now ? `wavefront ${state.step} of ${rows.length}`
            : `all of ${plural(rows.length, "wavefront")}`;
        at("picture").setAttribute("aria-label", now ? spoken(now)
            : `${plural(rows.length, "wavefront")}; step through them to hear each`);
        at("slider").value = state.step;
        at("previous").disabled = state.step === 0;
        at("next").disabled = state.step === rows.length;
        at("all").disabled = state.step === 0;
        if (now) scrollInto(now, at("picture"));
    }

    /* Scrolls the box, never the page. */
    function scrollInto(row, box) {
        const top = row.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
        if (top < box.scrollTop + 40 || top + row.offsetHeight > box.scrollTop + box.clientHeight)
            box.scrollTop = top - box.clientHeight / 2;
    }

    /* ---- all together ---- */

    function markRow(row, chosen) {
        if (!row) return;
        row.classList.toggle("chosen", chosen);
        const button = row.querySelector("button");
        button.setAttribute("aria-pressed", chosen);
        button.tabIndex = chosen ? 0 : -1;
    }

    /* Up and down, Home and End go through the requests from the keyboard. */
    function moveRow(event) {
        const last = data.views.length - 1;
        const to = { ArrowUp: state.view - 1, ArrowDown: state.view + 1, Home: 0, End: last }[event.key];
        if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        choose(Math.max(0, Math.min(last, to)));
        shown.row.querySelector("button").focus({ preventScroll: true });
    }

    function choose(index) {
        state.view = index;
        state.lane = null;
        const item = view(), file = data.files[item.file];
        markRow(shown.row, false);
        shown.row = at("requests").querySelectorAll(".request")[index];
        markRow(shown.row, true);
        scrollInto(shown.row, shown.row.closest(".scroll"));
        at("title").textContent = file.name;
        at("subtitle").textContent = (file.title ? `${file.title}; ` : "") +
            `${data.arch}, rules ${item.basis}` +
            (data.dropped ? `; ${data.dropped} further different requests are not on this page` : "");
        at("place").textContent = `Line ${item.line}, ${item.op}` +
            (item.kernel ? `, kernel ${item.kernel}` : "") + `, ${item.place}: ` +
            `${item.degree}-way, ${plural(item.wavefronts, "wavefront")}, ${item.ideal} at best.`;
        drawSource();
        drawPicture();
        drawLegend();
        drawLanes();
        at("why").replaceChildren(...item.sentences.map((text) => make("li", "", text)));
        light([]);
        step(0);
    }

    document.body.classList.toggle("has-totals", data.views.some((item) => item.totals));
    document.body.classList.toggle("has-which", data.views.some((item, i) => i > 0 &&
        ["file", "launch", "line", "column"].every((key) => item[key] === data.views[i - 1][key])));
    drawRequests();
    at("requests").addEventListener("keydown", moveRow);
    at("previous").addEventListener("click", () => step(state.step - 1));
    at("next").addEventListener("click", () => step(state.step + 1));
    at("all").addEventListener("click", () => step(0));
    at("slider").addEventListener("input", () => step(Number(at("slider").value)));
    document.addEventListener("keydown", (event) => {
        const own = event.target.id === "slider" || event.target === at("source").parentNode;
        if (own || event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === "ArrowRight") step(state.step + 1);
        else if (event.key === "ArrowLeft") step(state.step - 1);
        else if (event.key === "Escape") step(0);
    });
    choose(data.selected);
})();
