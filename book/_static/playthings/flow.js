/* 03_flow's figure: maps of queries. Four short texts pull the query; the reader drops it, and it flows from there. What the map
 * shows, and what stands below it, is a view: a scene of the chapter each. */
"use strict";

tokensel.plaything("flow", (root, place) => {
  const { element, shown, clamp } = tokensel;
  const FIRST = {
    words: ["good", "bad", "the", "film"], E: [[1.3, 0.5], [-0.4, 1], [0.2, -0.5], [-0.8, -0.6]], v: [0.8, -0.6],
    texts: [[0, 2], [0, 3], [1, 2], [1, 3]].map((tokens) => ({ tokens, label: 1 - tokens[0] })), // the right word first
    best: [2 / 9, 34 / 45], // p*: the shortest that leads by 1 in all texts, as ts.max_margin finds it; null where there is none
    starts: [[0, 0], [-6, -4], [5, -4], [-6, 3], [-1, -5], [7, 1]],
  };
  const SECOND = {
    words: ["good", "bad", "the"], E: [[1, 0], [-1.5, 1], [0, 0]], v: [1, 0], best: [1, 2.5], starts: [[0, 0]],
    texts: [[0, 2], [1, 2]].map((tokens) => ({ tokens, label: 1 - tokens[0] })),
  };
  const BOX = [-12, 12, -6, 14]; // of the first map, where the zoom is 0; as wide as it is, the second lies further right
  const RIGHT = [-9, 20, -7, 17.17];
  const TRIP = 20; // how long a path can be played
  // Lengths at which a path is computed; from the last one on it is straight, to much less than a pixel of any view
  const LENGTHS = [...Array.from({ length: 4 * TRIP + 1 }, (_, i) => i / 4), ...Array.from({ length: 40 }, (_, i) => TRIP + 1 + i)];
  const FAR = LENGTHS.at(-1);
  const TUG = 3.5; // units of the nearest view for a text that pulls as hard as all together
  const PACE = 350; // milliseconds for a unit of length
  const NEAR = 0.1; // to the star: then it is found
  const VIEWS = { map: "Map", pulls: "Pulls", leads: "Leads", far: "From afar", star: "Shortest", race: "Leads / length", miss: "Second map" };
  const START = { show: place.matches(".unanswered") || place.closest(".scenes") ? "map" : "pulls", p: "5_-4", length: 0, zoom: 0, seen: 0 };

  const given = tokensel.flowOf ?? FIRST; // in a notebook, the reader's own
  const views = Object.keys(VIEWS).filter((view) => (view !== "miss" || given === FIRST) && (given.best || !["star", "race"].includes(view)));
  const drawing = tokensel.plane({ box: BOX, ticks, called: "The map of queries", names: ["", ""] });
  const { now, change, begin, choice, player, slider } = tokensel.settings(root, "flow", START, picture, { show: views, seen: [0, 1] });
  const [first, second] = [given, SECOND].map(mapOf);
  let [map, tapped, view] = [first, [], null];

  /** Round numbers on the axes of a view. */
  function ticks([left, right]) {
    const least = (right - left) / 6;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = power * [1, 2, 5, 10].find((each) => power * each >= least);
    return [-1, 1, 2, 3].map((each) => each * step);
  }

  /** What follows from a map's words and texts. */
  function mapOf(of) {
    const { words, E, texts, best, starts = FIRST.starts } = of;
    const v = [of.v];
    const names = texts.map(({ tokens }) => tokens.map((id) => words[id]).join(" "));
    const sides = texts.map(({ label }) => (label ? "praise" : "blame"));
    const differences = texts.map(({ tokens: [word, ...all] }) =>
      all.filter((other) => other !== word).map((other) => E[word].map((each, i) => each - E[other][i])));
    const leads = (p) => differences.map((each) => Math.min(...each.map((D) => D[0] * p[0] + D[1] * p[1])));
    const attention = (p) => texts.map(({ tokens }) => {
      const found = tokensel.forward(tokensel.modelOf({ E, p, v }, words), tokens).attention;
      return found.reduce((sum, each, i) => (tokens[i] === tokens[0] ? sum + each : sum), 0);
    });
    const pulled = (p) => tokensel.pullOnQuery({ E, p, v }, texts);
    const known = of.paths ??= new Map(); // a notebook makes a plaything anew for every start that Python asks for
    /** The points of a path at all lengths. */
    const pathFrom = (p) => {
      const key = tokensel.pointOut(p);
      if (!known.has(key)) known.set(key, tokensel.flow({ E, p, v }, texts, LENGTHS, 1e-4).points);
      return known.get(key);
    };
    return { words, E, names, sides, differences, leads, attention, pulled, pathFrom, best, starts };
  }

  /** Where a path is at some length; it may end before, where all pulls cancel. */
  function pointAt(path, s) {
    const [last, other] = [path.at(-1), path.at(-2) ?? path[0]];
    const i = path.findIndex((each) => each.s >= s);
    const [from, to] = i < 0 ? [other, last] : [path[Math.max(i - 1, 0)], path[i]];
    const part = to.s > from.s && (i >= 0 || last.s === FAR) ? (s - from.s) / (to.s - from.s) : 1;
    return from.p.map((each, axis) => each + part * (to.p[axis] - each));
  }

  // ---- what is drawn

  const [behind, field, paths, tugs, lens] = Array.from({ length: 5 }, drawing.layer);
  /** How many times the nearest view a view is: as the zoom says, or so that a query that goes its way stays inside. */
  const scale = () => Math.max(10 ** now.zoom, ["pulls", "leads"].includes(now.show) ? needed(here()) : 0);
  const needed = ([x, y]) => Math.max(Math.abs(x) / BOX[1], y / BOX[3], y / BOX[2]) / 0.93;
  const line = (points, kind) => element("svg:path", { class: kind, d: drawing.trace(points) });
  const dot = (p, r, kind) => element("svg:circle", { class: kind, cx: drawing.at(p)[0], cy: drawing.at(p)[1], r });
  const moved = (p, way, far) => p.map((each, axis) => each + far * way[axis]);

  /** A path up to a length, or beyond the view. */
  function pathOf(p, length = 40 * scale()) {
    if (!length) return [];
    const path = map.pathFrom(p);
    const points = [...path.filter(({ s }) => s < length).map((each) => each.p), pointAt(path, length)];
    return [line(points, map === second && misses(p) ? "path missed" : "path"), dot(p, 3, "start")];
  }

  /** Where the query is pulled to, all over the view. */
  function arrows([left, right, bottom, top]) {
    const step = (right - left) / 11;
    const strokes = [];
    for (let x = left + step / 2; x < right; x += step) {
      for (let y = bottom + step / 2; y < top; y += step) {
        const { direction } = map.pulled([x, y]);
        if (direction) strokes.push(tokensel.arrow(drawing, [x, y], moved([x, y], direction, 0.5 * step)));
      }
    }
    return element("svg:path", { class: "field", d: strokes.join("") });
  }

  /** What a half plane D · p ≥ 1 leaves of a polygon. */
  function cut(polygon, D) {
    const over = ([x, y]) => D[0] * x + D[1] * y - 1;
    return polygon.flatMap((point, i) => {
      const before = polygon.at(i - 1);
      const [a, b] = [over(before), over(point)];
      const crossing = a < 0 !== b < 0 ? [moved(before, moved(point, before, -1), a / (a - b))] : [];
      return b < 0 ? crossing : [...crossing, point];
    });
  }

  function answer([left, right, bottom, top]) {
    const wedge = map.differences.flat().reduce(cut, [[left, bottom], [right, bottom], [right, top], [left, top]]);
    const region = wedge.length ? [line([...wedge, wedge[0]], "allowed")] : [];
    if (!now.seen) return region;
    const [x, y] = drawing.at(map.best);
    const corners = Array.from({ length: 10 }, (_, i) => [i % 2 ? 4 : 10, (Math.PI * i) / 5])
      .map(([radius, angle]) => `${x + radius * Math.sin(angle)} ${y - radius * Math.cos(angle)}`);
    return [...region, line([[0, 0], moved([0, 0], map.best, 40 * scale())], "ray"),
      element("svg:path", { class: "star", d: `M${corners.join("L")}Z` }), element("svg:text", { x: x + 12, y: y + 5 }, "p*")];
  }

  /** Names, the upper ones first, each so far down that it is not printed over another. */
  function apart(names) {
    const placed = [];
    for (const name of names.sort((one, other) => one.y - other.y)) {
      for (const { from, width, y } of placed) {
        if (from < name.from + name.width && name.from < from + width) name.y = Math.max(name.y, y + 15);
      }
      placed.push(name);
    }
    return placed.map(({ from, y, i }) => element("svg:text", { class: map.sides[i], x: from, y }, map.names[i]));
  }

  /** How hard each text pulls, and all together. */
  function pullsAt(p) {
    const { pulls, direction } = map.pulled(p);
    const tip = (pull) => moved(p, pull, TUG * scale());
    const arrow = (pull, kind) => element("svg:path", { class: `arrow ${kind}`, d: tokensel.arrow(drawing, p, tip(pull)) });
    const names = pulls.flatMap((pull, i) => {
      const [[x, y], width] = [drawing.at(tip(pull)), 7.5 * map.names[i].length];
      return Math.hypot(...pull) > 0.15 ? [{ from: clamp(pull[0] < 0 ? x - 6 - width : x + 8, 4, 356 - width), width, y: Math.max(y - 4, 16), i }] : [];
    });
    return [direction && arrow(direction, "all"), ...pulls.map((pull, i) => arrow(pull, map.sides[i])), ...apart(names)];
  }

  /** The middle of the map, enlarged: how far each word reaches in the query's direction. */
  function enlarged(p) {
    const [radius, centre] = [72, map === second ? [282, 78] : [78, 206]];
    const unit = radius / (1.25 * Math.max(1e-9, ...map.E.map((row) => Math.hypot(...row))));
    const at = ([x, y]) => [centre[0] + unit * x, centre[1] - unit * y];
    const trace = (from, to) => `M${at(from).join(" ")}L${at(to).join(" ")}`;
    const far = Math.hypot(...p) || 1;
    const way = p.map((each) => each / far);
    const words = map.E.flatMap((row, id) => {
      const foot = moved([0, 0], way, row[0] * way[0] + row[1] * way[1]);
      const [x, y] = at(row);
      const side = map.sides[map.names.findIndex((name) => name.startsWith(map.words[id]))] ?? "other";
      return [
        element("svg:path", { class: "drop", d: trace(row, foot) }),
        element("svg:circle", { class: "foot", cx: at(foot)[0], cy: at(foot)[1], r: 2.5 }),
        element("svg:circle", { class: `word ${side}`, cx: x, cy: y, r: 4 }),
        tokensel.text(clamp(x, centre[0] - 45, centre[0] + 45), y - 7, map.words[id], "middle", side),
      ];
    });
    return [
      element("svg:circle", { class: "glass", cx: centre[0], cy: centre[1], r: radius }),
      element("svg:path", { class: "along", d: trace(moved([0, 0], way, -radius / unit), moved([0, 0], way, radius / unit)) }),
      element("svg:path", { class: "arrow", d: tokensel.arrow({ at }, [0, 0], moved([0, 0], way, 0.97 * radius / unit)) }), ...words,
    ];
  }

  // ---- what stands below: bars, curves, a compass, a line of text

  const bars = element("div", { class: "bars" });
  const readout = element("p", { class: "readout" });
  const ratios = tokensel.chart({
    label: "Leads divided by the length of the query, along its path", width: 360, height: 170,
    x: { range: [0, 1.3 * FAR], ticks: [0, 20, 40, 60].map((each) => [each, String(each)]), name: "length of the path" },
    y: { range: [-1.5, 3.2], ticks: [-1, 0, 1, 2].map((each) => [each, shown(each, 0)]), name: "lead / length" },
  });
  const dial = element("svg:svg", { viewBox: "-50 -50 100 100", class: "compass", "aria-hidden": "true" });

  function drawBars(p) {
    const [attention, leads] = [map.attention(p), map.leads(p)];
    const number = (i) => (now.show === "leads" ? `lead ${shown(leads[i], 1)}` : `${shown(100 * attention[i], 0)}%`);
    bars.replaceChildren(...map.names.map((name, i) => element("div", { class: map.sides[i] },
      element("span", {}, name), element("span", { class: "number" }, number(i)),
      element("b", { "aria-hidden": "true" }, element("i", { style: `width: ${100 * attention[i]}%` })))));
    return `${attention.filter((each) => each > 0.5).length} of ${attention.length} texts give most attention to the right word.`;
  }

  function drawRatios(start) {
    const path = map.pathFrom(start).filter(({ p }) => Math.hypot(...p) > 0);
    const ratio = path.map(({ p }) => map.leads(p).map((lead) => lead / Math.hypot(...p)));
    const upTo = path.findIndex(({ s }) => s >= now.length);
    const ends = ratio.at(upTo).map((each, i) => ({ from: ratios.across(now.length) + 6, width: 80, y: ratios.down(each) - 14, i }));
    const best = 1 / Math.hypot(...map.best);
    ratios.layer.replaceChildren(
      ratios.line([0, FAR], [best, best], "ray"),
      ...map.names.map((_, i) => ratios.line(path.slice(0, upTo + 1).map(({ s }) => s), ratio.slice(0, upTo + 1).map((each) => each[i]), `path ${map.sides[i]}`)),
      ...apart(ends));
    const p = pointAt(map.pathFrom(start), now.length);
    return `Smallest lead / length: ${shown(Math.min(...map.leads(p)) / (Math.hypot(...p) || 1), 2)}, of at most ${shown(best, 2)}.`;
  }

  /** Where all paths point at the edge of the view. */
  function compass(all) {
    const tips = all.map((start) => pointAt(map.pathFrom(start), 20 * scale()));
    const angles = tips.map(([x, y]) => (180 / Math.PI) * Math.atan2(x, y));
    dial.replaceChildren(element("svg:circle", { class: "axis", r: 44 }), ...angles.map((angle) => element("svg:path", { class: "path", transform: `rotate(${angle})`, d: "M0 0V-40M-4 -32L0 -40L4 -32" })));
    const spread = Math.max(...angles) - Math.min(...angles);
    return `Seen from ${shown(scale(), scale() < 10 ? 1 : 0)} times as far, the ${all.length} queries point within ${shown(spread, spread < 1 ? 2 : 0)}° of each other.`;
  }

  // ---- the hand

  const start = () => tokensel.pointIn(now.p, START.p);
  const whole = () => ["far", "race", "miss"].includes(now.show); // the path is drawn to the rim, its start is moved
  const here = () => (whole() || now.length === 0 ? start() : pointAt(map.pathFrom(start()), now.length));
  function drop(point) {
    play.stop();
    const found = now.show === "star" && Math.hypot(...moved(point, map.best, -1)) < NEAR;
    change({ p: tokensel.pointOut(point), length: whole() ? now.length : 0, seen: found ? 1 : now.seen });
  }
  const dropped = tokensel.handle(drawing, { name: "the query", keyStep: () => (now.zoom < 0 ? 0.05 : 0.5), where: here, move: drop },
    element("svg:circle", { class: "tip", r: 7 }));
  drawing.root.append(dropped.root);
  drawing.root.addEventListener("click", (event) => {
    if (dropped.root.contains(event.target)) return;
    if (now.show === "miss") tapped = [...tapped, start()].slice(-12);
    drop(drawing.within(drawing.toPoint(event)));
    if (now.show === "pulls") play.go();
  });
  const play = player("length", TRIP, PACE);

  const misses = (p) => Math.min(...map.leads(pointAt(map.pathFrom(p), FAR))) < 0;
  const TOLD = {
    map: (p, right) => right,
    leads: () => "The marks stand at 73%, a lead of 1.",
    far: () => compass([...new Map([...map.starts, start()].map((each) => [`${each}`, each])).values()]),
    star: (p) => [["Your query", p], ...(now.seen ? [["p*", map.best]] : [])].map(([name, each]) =>
      `${name}: length ${shown(Math.hypot(...each), 2)}, smallest lead ${shown(Math.min(...map.leads(each)), 2)}.`).join(" "),
    race: () => drawRatios(start()),
    miss: (p) => `Where this path ends, attention ${misses(p) ? "misses “bad”" : "selects both words"}.`,
  };

  function drawPaths(p) {
    const others = { far: map.starts, miss: [...map.starts, ...tapped] }[now.show] ?? [];
    const own = ["map", "star"].includes(now.show) ? [element("svg:path", { class: "arrow query", d: tokensel.arrow(drawing, [0, 0], p, 7) })]
      : pathOf(start(), whole() ? undefined : now.length);
    drawing.put(paths, ...others.flatMap((each) => pathOf(each)), ...own,
      now.show === "race" && dot(pointAt(map.pathFrom(start()), now.length), 5, "here"));
  }

  function picture() {
    if (view !== now.show) {
      play.stop();
      [view, tapped] = [now.show, []];
    }
    map = view === "miss" ? second : first;
    const box = map === second ? RIGHT : BOX.map((each) => scale() * each);
    drawing.look(box);
    const p = here();
    drawing.put(behind, ...(view === "star" ? answer(box) : []));
    drawing.put(field, view === "pulls" && arrows(box));
    drawPaths(p);
    drawing.put(tugs, ...(view === "pulls" ? pullsAt(p) : []));
    drawing.put(lens, ...(["map", "miss"].includes(view) ? enlarged(p) : []));
    const told = drawBars(view === "miss" ? pointAt(map.pathFrom(p), FAR) : p);
    readout.textContent = TOLD[view]?.(p, told) ?? "";
    for (const [part, ...of] of parts) part.style.display = of.includes(view) ? "" : "none";
    length.querySelector("input").max = view === "race" ? FAR : TRIP;
    root.dataset.show = view;
    dropped.place();
    return view === "map" ? told : `${told} ${readout.textContent}`;
  }

  root.setAttribute("aria-label", "The flow of the query on a map");
  const length = slider("length", "Length of the path", { min: 0, max: FAR, step: 0.25 }, (value) => shown(value, 1));
  const zoomed = slider("zoom", "Zoom out", { min: 0, max: 3, step: 0.1 }, (zoom) => `${shown(10 ** zoom, zoom < 1 ? 1 : 0)}×`);
  const asked = tokensel.button("Show me", () => change({ seen: 1 }));
  const parts = [
    [bars, "map", "pulls", "leads", "miss"], [ratios.root, "race"], [dial, "far"], [readout, "map", "leads", "far", "star", "race", "miss"],
    [play.root, "pulls"], [length, "pulls", "leads", "race"], [zoomed, "far"], [asked, "star"],
  ];
  const below = element("div", { class: "beside" }, ...parts.filter(([part]) => part !== ratios.root).map(([part]) => part));
  const turn = (show) => change({ show, zoom: { far: 1, star: -0.78, race: 0.6 }[show] ?? 0, length: show === "race" ? FAR : Math.min(now.length, TRIP) });
  const all = choice("show", "What is shown", views.map((view) => [view, VIEWS[view]]), { choose: turn });
  begin(...(place.closest(".scenes") ? [] : [all]), element("div", { class: "plane maps" }, drawing.root, ratios.root, below));
});
