/* 03_flow's figure: four texts in the plane of p. The reader drops p, and it flows from there to the ray of p*. */
"use strict";

tokensel.plaything("flow", (root, place) => {
  const { element, shown } = tokensel;
  const OURS = {
    words: ["good", "bad", "the", "film"], E: [[1.3, 0.5], [-0.4, 1], [0.2, -0.5], [-0.4, -0.4]], v: [0.8, -0.6],
    texts: [[0, 2], [0, 3], [1, 2], [1, 3]].map((tokens) => ({ tokens, label: 1 - tokens[0] })), // the right word first
    best: [2 / 9, 34 / 45], // p*: the shortest that leads by 1 in all texts, as ts.max_margin finds it; null where there is none
  };
  const given = tokensel.flowOf ?? OURS; // in a notebook, the reader's own
  const { words: WORDS, E, v: head, texts: TEXTS, best } = given;
  const v = [head];
  const NAMES = TEXTS.map(({ tokens }) => tokens.map((id) => WORDS[id]).join(" "));
  const SIDES = TEXTS.map(({ label }) => (label ? "praise" : "blame"));
  const STARTS = [[0, 0], [-6, -4], [5, -4], [-6, 3], [-1, -5], [7, 1]]; // of the chapter's six paths
  const BOX = [-9, 9, -6, 14]; // the nearest view
  const FARTHEST = 10; // a start lies in a view so many times as wide, at most
  // Lengths of the path: a quarter of a unit apart while it bends, then ever farther, as the view is
  const BENDS = Array.from({ length: 65 }, (_, i) => i / 4);
  const LENGTHS = [...BENDS, ...Array.from({ length: 24 }, (_, i) => Math.round(16 * 25 ** ((i + 1) / 24)))];
  const TUG = 3; // units of the nearest view for a text that pulls as hard as all together
  const ACCURACY = 1e-4; // a pixel is 0.05
  const PACE = 70; // milliseconds for a step of the slider
  const ALL = 2; // what is shown: 0 the start alone, for those who shall guess; 1 the path and who pulls; 2 p* and other paths, too
  const START = { p: "5_-4", length: 0, shown: place.matches(".unanswered") ? 0 : ALL };

  const differencesOf = ({ tokens: [word, ...all] }) => {
    const others = all.filter((other) => other !== word);
    return others.map((other) => E[word].map((each, i) => each - E[other][i]));
  };
  const differences = TEXTS.flatMap(differencesOf);
  const nice = (x) => [1, 2, 4, 5, 10].map((each) => each * 10 ** Math.floor(Math.log10(x))).findLast((each) => each <= x * 1.001);
  const ticks = ([, right]) => [-1, 1, 2, 3].map((each) => each * nice((4 / 9) * right));
  const drawing = tokensel.plane({ box: BOX, ticks, called: "The plane of p", names: ["p₁, first number of p", "p₂, second number of p"] });
  const { now, change, redraw, draw, begin } = tokensel.settings(root, "flow", START, picture, { shown: [0, 1, ALL] });
  let start = near(tokensel.pointIn(now.p, START.p));
  let at = Math.max(LENGTHS.findLastIndex((each) => each <= now.length + 1e-9), 0); // how far p has come; parts while it plays
  let [path, zoom, held, playing] = [null, 1, false, null];

  /** A point that may be a start. */
  function near([x, y]) {
    const [left, right, bottom, top] = BOX.map((each) => FARTHEST * each);
    return [tokensel.clamp(x, left, right), tokensel.clamp(y, bottom, top)];
  }

  /** The loss that is left when attention has closed, since values stay: the mean of log(1 + exp(-yγ)). */
  const values = tokensel.modelOf({ E, p: [0, 0], v }, WORDS).values[0];
  const FLOOR = TEXTS.reduce((sum, { tokens: [word], label }) => sum + Math.log1p(Math.exp((1 - 2 * label) * values[word])) / TEXTS.length, 0);

  // ---- paths, as far as they are needed

  /** A path, followed on to a length; step by step, so that it is the same whatever length was asked for before. */
  function onward(points, to) {
    const longer = [...points];
    for (const length of LENGTHS.slice(points.length).filter((each) => each <= to)) {
      const { s, p } = longer.at(-1);
      const { points: ends } = tokensel.flow({ E, p, v }, TEXTS, [0, length - s], s < BENDS.at(-1) ? ACCURACY : 10 * ACCURACY);
      if (ends.length < 2) break; // all pulls cancel
      longer.push({ s: length, p: ends[1].p });
    }
    return longer;
  }
  const pathFrom = (p) => [{ s: 0, p }];

  /** Where p is when the slider is at i, which may lie between two of its steps. */
  function pointAt(i) {
    const [before, after] = [Math.floor(i), Math.ceil(i)].map((each) => path[Math.min(each, path.length - 1)]);
    const mixed = (one, other) => one + (i - Math.floor(i)) * (other - one);
    return { s: mixed(before.s, after.s), p: before.p.map((each, axis) => mixed(each, after.p[axis])) };
  }

  /** How many times the nearest view a view must be to hold a point below some part of its height, and well inside. */
  const needed = ([x, y], height) => Math.max(Math.abs(x) / (0.92 * BOX[1]), y / (height * BOX[3]), y / (0.92 * BOX[2]));

  // ---- the drawing

  const [answers, arrows, own, tugs] = Array.from({ length: 4 }, drawing.layer);
  const curve = (points) => drawing.trace(points.map((each) => each.p));
  const leads = (p) => TEXTS.map((text) => Math.min(...differencesOf(text).map((D) => D[0] * p[0] + D[1] * p[1])));

  /** What a half plane D · p ≥ 1 leaves of a polygon. */
  function cut(polygon, D) {
    const over = ([x, y]) => D[0] * x + D[1] * y - 1;
    return polygon.flatMap((point, i) => {
      const before = polygon.at(i - 1);
      const [a, b] = [over(before), over(point)];
      const crossing = a < 0 !== b < 0 ? [before.map((each, axis) => each + (a / (a - b)) * (point[axis] - each))] : [];
      return b < 0 ? crossing : [...crossing, point];
    });
  }

  /** Where p is pulled to, all over the view. */
  function field() {
    const strokes = [];
    for (let x = -8; x < 9; x += 2) {
      for (let y = -4; y < 13; y += 2) { // not where the axes' names stand
        const from = [x * zoom, y * zoom];
        const { direction } = tokensel.pullOnQuery({ E, p: from, v }, TEXTS);
        if (direction) strokes.push(tokensel.arrow(drawing, from, from.map((each, axis) => each + 0.9 * zoom * direction[axis])));
      }
    }
    return element("svg:path", { class: "field", d: strokes.join("") });
  }

  /** Where all leads are at least one, the ray, the chapter's six paths. */
  function answered() {
    const drawn = given.others.flatMap((points) => [
      element("svg:path", { class: "path given", d: curve(points) }),
      element("svg:circle", { class: "given", cx: drawing.at(points[0].p)[0], cy: drawing.at(points[0].p)[1], r: 3 }),
    ]);
    if (!best) return drawn;
    const [left, right, bottom, top] = BOX.map((each) => zoom * each);
    const wedge = differences.reduce(cut, [[left, bottom], [right, bottom], [right, top], [left, top]]);
    const [x, y] = drawing.at(best);
    const star = Array.from({ length: 10 }, (_, i) => {
      const [radius, angle] = [i % 2 ? 3.5 : 9, (Math.PI * i) / 5];
      return `${x + radius * Math.sin(angle)} ${y - radius * Math.cos(angle)}`;
    });
    const [rightOf, below] = zoom < 3 ? [x + 11, y + 4] : drawing.at(best.map((each) => (0.4 * top * each) / best[1]));
    return [
      element("svg:path", { class: "allowed", d: `${drawing.trace(wedge)}Z` }),
      ...drawn,
      element("svg:path", { class: "ray", d: drawing.trace([[0, 0], best.map((each) => 20 * zoom * each)]) }),
      element("svg:path", { class: "star", d: `M${star.join("L")}Z` }),
      element("svg:text", { x: rightOf + (zoom < 3 ? 0 : 8), y: below }, "p*"),
    ];
  }

  /** Where the name of text i stands, beside the tip of its arrow and inside the frame. */
  function nameAt([x, y], left, i) {
    const width = 7.5 * NAMES[i].length;
    const from = left || x + width > 350 ? x - 6 - width : x + 6;
    return { from: Math.max(from, 4), width, y: Math.max(y - 4, 30), i };
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
    return placed;
  }

  // ---- a compass: where p points, and where p* does

  const dial = element("svg:svg", { viewBox: "-60 -60 120 120", class: "compass", "aria-hidden": "true" });
  function compass(p) {
    if (!best) return;
    const tip = ([x, y], length) => [x, -y].map((each) => (length * each) / Math.hypot(x, y));
    const [[x, y], [nameX, nameY]] = [tip(best, 44), tip(best, 54)];
    const needle = Math.hypot(...p) > 0 && tip(p, 40);
    dial.replaceChildren(
      element("svg:circle", { class: "axis", r: 44 }),
      element("svg:path", { class: "ray", d: `M0 0L${x} ${y}` }),
      element("svg:text", { x: nameX, y: nameY + 4, "text-anchor": "middle" }, "p*"),
      ...(needle ? [element("svg:path", { class: "path", d: tokensel.arrow({ at: (point) => point }, [0, 0], needle) })] : []));
  }

  // ---- controls, and what is said

  const words = tokensel.table("Row and value of each word", ["word", "row of E", "value"], WORDS);
  words.rows.forEach((cells, id) => {
    [cells[0].textContent, cells[1].textContent] = [E[id].map((each) => shown(each, 1)).join(", "), shown(values[id])];
  });
  const numbers = tokensel.table("Lead, attention and share of the pull of each text", ["text", "lead", "attention", "share of the pull"], NAMES);
  const shares = numbers.shares(1);
  numbers.root.classList.add("fine");
  const filled = element("i");
  const together = element("div", { class: "share together" }, element("span", {}, "Total pull, 10⁻¹⁴ to 1"), element("b", {}, filled));
  const told = element("p", { class: "told" });
  const summary = element("p", { class: "verdict" });
  const drop = (point) => {
    [start, path] = [tokensel.pointIn(tokensel.pointOut(near(point))), null]; // as the address will have it
    redraw();
  };
  const dropped = tokensel.handle(drawing, { name: "the start of p", keyStep: 0.5, where: () => start, move: drop },
    element("svg:circle", { class: "tip p", r: 6 }));
  drawing.root.append(dropped.root);
  // While a hand holds the start, the view stays: else the start would run from under the finger.
  dropped.root.addEventListener("pointerdown", () => { held = true; });
  for (const end of ["pointerup", "pointercancel"]) dropped.root.addEventListener(end, () => { held = false; redraw(); });
  // Whoever taps a picture that has zoomed out begins anew in the nearest view, where the finger is.
  drawing.root.addEventListener("click", (event) => {
    if (dropped.root.contains(event.target)) return;
    const point = drawing.within(drawing.toPoint(event)).map((each) => each / zoom);
    if (zoom > 1) {
      stop();
      at = START.length;
    }
    drop(point);
  });
  const travelled = tokensel.slider("Path length", { min: 0, max: LENGTHS.length - 1, step: 1, value: at }, (value) => {
    stop();
    at = value;
    redraw();
  });
  const play = tokensel.button("▶ Play", () => (playing ? stop() : go()), { class: "play" });

  function stop() {
    playing?.();
    playing = null;
    at = Math.round(at);
    play.textContent = "▶ Play";
    redraw();
  }

  /** Go along the path to its end, from the start if it is there already. */
  function go() {
    const last = LENGTHS.length - 1;
    const from = at < last ? at : 0;
    play.textContent = "■ Stop";
    playing = tokensel.animate(PACE * (last - from), (part) => {
      at = from + part * (last - from);
      if (part === 1) stop();
      else draw();
    });
  }

  /** A number with so many digits that count, as in 0.0047 or, where that is longer, 4.7 × 10⁻⁶. */
  function small(x, many = 2) {
    if (x < 1e-14) return "less than 10⁻¹⁴"; // of which rounding leaves nothing
    const [digits, power] = x.toExponential(many - 1).split("e").map(Number);
    if (power >= -4) return shown(x, Math.max(2, many - 1 - power));
    return `${digits.toFixed(many - 1)} × 10⁻${[...String(-power)].map((each) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[each]).join("")}`;
  }

  function picture() {
    path ??= pathFrom(start);
    path = onward(path, Math.max(LENGTHS[Math.ceil(at)], BENDS.at(-1)));
    const { s, p } = pointAt(at);
    if (!held) zoom = Math.max(1, needed(start, 0.93), needed(p, 0.78)); // above p is room for arrows
    const box = BOX.map((each) => zoom * each);
    drawing.look(box);
    path = onward(path, 1.5 * box[3]);
    // Kept with what they are computed from: a notebook makes a plaything anew for every start that Python asks for
    if (now.shown === ALL) given.others = (given.others ?? STARTS.map(pathFrom)).map((points) => onward(points, 1.5 * box[3]));
    drawing.put(arrows, field());
    drawing.put(answers, ...(now.shown === ALL ? answered() : []));
    const [x, y] = drawing.at(p);
    const behind = path.filter((each) => each.s <= s);
    drawing.put(own,
      now.shown === ALL && element("svg:path", { class: "path given", d: curve(path) }),
      element("svg:path", { class: "path", d: curve(behind.at(-1).s < s ? [...behind, { s, p }] : behind) }),
      s > 0 && element("svg:circle", { class: "here", cx: x, cy: y, r: 5 }));
    drawPulls(p);
    sayOf(s, p);
    for (const [part, from, to = ALL] of levels) part.style.display = from <= now.shown && now.shown <= to ? "" : "none";
    dropped.place();
    Object.assign(now, { p: tokensel.pointOut(start), length: LENGTHS[Math.round(at)] });
    return now.shown > 0 && `Path length ${shown(s, 1)}. ${told.textContent}`;
  }

  function drawPulls(p) {
    const { pulls } = tokensel.pullOnQuery({ E, p, v }, TEXTS);
    const tip = (pull) => pull.map((each, axis) => p[axis] + TUG * zoom * each);
    const drawn = pulls.map((pull, i) => element("svg:path", { class: `arrow ${SIDES[i]}`, d: tokensel.arrow(drawing, p, tip(pull)) }));
    const names = pulls.flatMap((pull, i) => (Math.hypot(...pull) > 0.2 ? [nameAt(drawing.at(tip(pull)), pull[0] < 0, i)] : []));
    drawing.put(tugs, ...drawn, ...apart(names).map(({ from, y, i }) => element("svg:text", { class: SIDES[i], x: from, y }, NAMES[i])));
    pulls.forEach((pull, i) => { numbers.rows[i][2].textContent = shown(Math.hypot(...pull)); });
  }

  function sayOf(s, p) {
    const model = tokensel.modelOf({ E, p, v }, WORDS);
    const attention = TEXTS.map(({ tokens }) => tokensel.forward(model, tokens).attention.reduce((sum, each, i) => (tokens[i] === tokens[0] ? sum + each : sum), 0));
    TEXTS.forEach((_, i) => {
      numbers.rows[i][0].textContent = shown(leads(p)[i], Math.abs(leads(p)[i]) < 100 ? 2 : 0);
      shares[i].show(attention[i], SIDES[i]);
    });
    const cosine = best && (p[0] * best[0] + p[1] * best[1]) / (Math.hypot(...p) * Math.hypot(...best));
    const angle = !best ? "no p leads in all texts" : Math.hypot(...p) > 0 ? `p points ${shown((180 / Math.PI) * Math.acos(Math.min(1, cosine)), 1)}° away from p*` : "p has no direction yet";
    const right = attention.filter((each) => each > 0.5).length;
    told.textContent = `${right} of ${TEXTS.length} texts give most attention to the right word${now.shown === ALL ? `; ${angle}` : ""}.`;
    const { loss, p: slope } = tokensel.gradients({ E, p, v }, TEXTS);
    summary.textContent = `p at (${shown(p[0])}, ${shown(p[1])}); loss ${shown(loss, 3)}, which is ${small(loss - FLOOR)} above the lowest possible; `
      + `all pulls together ${small(Math.hypot(...slope))}`;
    filled.style.width = `${100 * Math.min(1, Math.max(0, 1 + Math.log10(Math.hypot(...slope) || 1e-14) / 14))}%`;
    compass(p);
    travelled.show(shown(s, s < 16 ? 1 : 0), Math.round(at));
    startsAt.textContent = `(${start.map((each) => shown(each, 1)).join(", ")})`;
  }

  const back = () => {
    at = START.length;
    stop();
    drop(tokensel.pointIn(START.p));
  };
  root.setAttribute("aria-label", "The flow of p in the plane");
  const startsAt = element("span");
  const guess = element("p", { class: "hint" }, "The query p starts at the ring, ", startsAt, ". Where does it go? Draw its path on paper, then show more.");
  const hint = element("p", { class: "hint" }, `Press play, or tap the map to start elsewhere${tokensel.byKeys(" (keys: Tab, arrows)")}.`);
  const more = element("div", { class: "buttons" }, tokensel.button("Show more", () => change({ shown: now.shown + 1 })));
  const driven = element("div", { class: "driven" },
    element("div", { class: "buttons" }, play, tokensel.button("Back to the start", back)), travelled.root);
  const pointing = element("div", { class: "pointing" }, dial, told);
  const levels = [ // part, and from and up to which level it is shown
    ...[guess, words.root].map((part) => [part, 0, 0]),
    ...[hint, arrows, own, tugs, driven, pointing, numbers.root, together, summary].map((part) => [part, 1]),
    ...[answers, dial].map((part) => [part, ALL]), [more, 0, ALL - 1],
  ];
  begin(element("div", { class: "plane" }, drawing.root,
    element("div", { class: "beside" }, guess, hint, driven, pointing, words.root, numbers.root, together, summary, more)));
});
