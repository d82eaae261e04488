/* 03_flow's figure: four texts in the plane of p. The reader drops p, and it flows from there to the ray of p*. */
"use strict";

/** The shortest p in the plane with D · p ≥ 1 for every D, or null: it lies on one border, nearest to 0, or where two meet. */
tokensel.shortestQuery = (differences) => {
  const nearest = differences.map(([x, y]) => [x / (x * x + y * y), y / (x * x + y * y)]);
  const meet = ([a, b], [c, d]) => [(d - b) / (a * d - b * c), (a - c) / (a * d - b * c)];
  const corners = differences.flatMap((D, i) => differences.slice(i + 1).map((other) => meet(D, other)));
  const allowed = [...nearest, ...corners].filter(([x, y]) => differences.every(([a, b]) => a * x + b * y > 1 - 1e-9));
  return allowed.sort((one, other) => Math.hypot(...one) - Math.hypot(...other))[0] ?? null;
};

tokensel.plaything("flow", (root, place) => {
  const { element, shown } = tokensel;
  const WORDS = ["good", "bad", "the", "film"];
  const E = [[1.3, 0.5], [-0.4, 1], [0.2, -0.5], [-0.4, -0.4]];
  const v = [[0.8, -0.6]];
  const TEXTS = [[0, 2], [0, 3], [1, 2], [1, 3]].map((tokens) => ({ tokens, label: 1 - tokens[0] }));
  const NAMES = TEXTS.map(({ tokens }) => tokens.map((id) => WORDS[id]).join(" "));
  const STARTS = [[0, 0], [-6, -4], [5, -4], [-6, 3], [-1, -5], [7, 1]]; // of the chapter's six paths
  const BOX = [-9, 9, -6, 14];
  const LENGTHS = Array.from({ length: 51 }, (_, i) => i / 2);
  const TUG = 3; // units of the plane for a text that pulls as hard as all together
  const ACCURACY = 1e-4; // a pixel is 0.05
  const ALL = 2; // what is shown: 0 the start alone, for those who shall guess; 1 the path and who pulls; 2 p* and other paths, too
  const START = { p: "5_-4", length: 0, shown: place.matches(".unanswered") ? 0 : ALL };

  const differences = TEXTS.map(({ tokens: [word, neighbour] }) => E[word].map((each, i) => each - E[neighbour][i]));
  const best = tokensel.shortestQuery(differences);
  const drawing = tokensel.plane({ box: BOX, ticks: [-4, 4, 8, 12], called: "The plane of p", names: ["p₁, first number of p", "p₂, second number of p"] });
  const address = tokensel.state("flow", START);
  let start = drawing.within(tokensel.pointIn(address.p, START.p));
  let level = Math.min(Math.max(Math.round(address.shown), 0), ALL);
  let length = address.length; // as chosen: a path that leaves the frame earlier is followed up to there
  let path;

  /** The loss that is left when attention has closed, since values stay: the mean of log(1 + exp(-yγ)). */
  const values = tokensel.modelOf({ E, p: [0, 0], v }, WORDS).values[0];
  const FLOOR = TEXTS.reduce((sum, { tokens: [word] }) => sum + Math.log1p(Math.exp(-Math.abs(values[word]))) / TEXTS.length, 0);

  // What stays: where all leads are at least one, the ray, the directions, the chapter's six paths.
  const beyond = ({ p }) => p[1] > BOX[3];
  const pathFrom = (p) => tokensel.flow({ E, p, v }, TEXTS, LENGTHS, ACCURACY, beyond).points;
  const inFrame = (points) => points.filter(({ p: [x, y] }) => x >= BOX[0] && x <= BOX[1] && y >= BOX[2] && y <= BOX[3]);
  const curve = (points) => drawing.curve(points.map((each) => each.p));
  const leads = (p) => differences.map((D) => D[0] * p[0] + D[1] * p[1]);

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

  function background() {
    const [left, right, bottom, top] = BOX;
    const wedge = differences.reduce(cut, [[left, bottom], [right, bottom], [right, top], [left, top]]);
    const strokes = [];
    for (let x = left + 1; x < right; x += 2) {
      for (let y = bottom + 2; y < top - 1; y += 2) { // not where the axes' names stand
        const { direction } = tokensel.pullOnQuery({ E, p: [x, y], v }, TEXTS);
        if (direction) strokes.push(tokensel.arrow(drawing, [x, y], [x + 0.9 * direction[0], y + 0.9 * direction[1]]));
      }
    }
    const [x, y] = drawing.at(best);
    const star = Array.from({ length: 10 }, (_, i) => {
      const [radius, angle] = [i % 2 ? 3.5 : 9, (Math.PI * i) / 5];
      return `${x + radius * Math.sin(angle)} ${y - radius * Math.cos(angle)}`;
    });
    drawing.put(arrows, element("svg:path", { class: "field", d: strokes.join("") }));
    drawing.put(answers,
      element("svg:path", { class: "allowed", d: `${drawing.trace(wedge)}Z` }),
      ...STARTS.flatMap((p) => [
        element("svg:path", { class: "path given", d: curve(pathFrom(p)) }),
        element("svg:circle", { class: "given", cx: drawing.at(p)[0], cy: drawing.at(p)[1], r: 3 }),
      ]),
      element("svg:path", { class: "ray", d: drawing.trace([[0, 0], best.map((each) => 20 * each)]) }),
      element("svg:path", { class: "star", d: `M${star.join("L")}Z` }),
      element("svg:text", { x: x + 11, y: y + 4 }, "p*"));
  }

  const [answers, arrows] = [drawing.layer(), drawing.layer()];
  background();

  // What moves
  const own = drawing.layer();
  const tugs = drawing.layer();
  const words = tokensel.table("Row and value of each word", ["word", "row of E", "value"], WORDS);
  words.rows.forEach((cells, id) => {
    [cells[0].textContent, cells[1].textContent] = [E[id].map((each) => shown(each, 1)).join(", "), shown(values[id])];
  });
  const numbers = tokensel.table("Lead, attention and pull of each text", ["text", "lead", "attention", "pull, relative"], NAMES);
  const shares = numbers.shares(1);
  numbers.root.classList.add("fine");
  const summary = element("p", { class: "verdict" });
  const { root: saidLine, say } = tokensel.said();
  const redraw = tokensel.soon(draw);
  const drop = (point) => {
    [start, path] = [tokensel.pointIn(tokensel.pointOut(drawing.within(point))), null]; // as the address will have it
    redraw();
  };
  const dropped = tokensel.handle(drawing, { name: "the start of p", keyStep: 0.5, where: () => start, move: drop },
    element("svg:circle", { class: "tip p", r: 6 }));
  drawing.root.append(dropped.root);
  drawing.root.addEventListener("click", (event) => {
    if (!dropped.root.contains(event.target)) drop(drawing.toPoint(event));
  });
  const travelled = tokensel.slider("Path length", { min: 0, max: LENGTHS.at(-1), step: LENGTHS[1], value: length }, (value) => {
    length = value;
    redraw();
  });

  /** A number with so many digits that count, as in 0.0047 or, where that is longer, 4.7 × 10⁻⁶. */
  function small(x, many = 2) {
    const [digits, power] = Math.max(x, 0).toExponential(many - 1).split("e").map(Number);
    if (power >= -4) return shown(Math.max(x, 0), Math.max(2, many - 1 - power));
    return `${digits.toFixed(many - 1)} × 10⁻${[...String(-power)].map((each) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[each]).join("")}`;
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

  function draw() {
    path ??= pathFrom(start);
    const seen = inFrame(path);
    const { s, p, loss } = seen.findLast((each) => each.s <= length + 1e-9) ?? seen[0];
    const { pulls } = tokensel.pullOnQuery({ E, p, v }, TEXTS);
    const together = Math.hypot(...tokensel.gradients({ E, p, v }, TEXTS).p);
    const model = tokensel.modelOf({ E, p, v }, WORDS);
    const tip = (pull) => pull.map((each, axis) => p[axis] + TUG * each);
    const [x, y] = drawing.at(p);
    drawing.put(own,
      level === ALL && element("svg:path", { class: "path given", d: curve(path) }),
      element("svg:path", { class: "path", d: curve(path.filter((each) => each.s <= s)) }),
      s > 0 && element("svg:circle", { class: "here", cx: x, cy: y, r: 5 }));
    const sides = TEXTS.map(({ label }) => (label ? "praise" : "blame"));
    const arrows = pulls.map((pull, i) => element("svg:path", { class: `arrow ${sides[i]}`, d: tokensel.arrow(drawing, p, tip(pull)) }));
    const names = pulls.flatMap((pull, i) => (Math.hypot(...pull) > 0.2 ? [nameAt(drawing.at(tip(pull)), pull[0] < 0, i)] : []));
    drawing.put(tugs, ...arrows, ...apart(names).map(({ from, y, i }) => element("svg:text", { class: sides[i], x: from, y }, NAMES[i])));
    TEXTS.forEach(({ tokens }, i) => {
      numbers.rows[i][0].textContent = shown(leads(p)[i]);
      const [attention, missed] = tokensel.forward(model, tokens).attention;
      shares[i].show(attention, sides[i], missed < 0.005 ? `1−${small(missed, 1).replace(" × ", "·")}` : undefined);
      numbers.rows[i][2].textContent = shown(Math.hypot(...pulls[i]));
    });
    const cosine = (p[0] * best[0] + p[1] * best[1]) / (Math.hypot(...p) * Math.hypot(...best));
    const angle = Math.hypot(...p) > 0 ? `${shown((180 / Math.PI) * Math.acos(Math.min(1, cosine)), 1)}°` : "none";
    const left = s < Math.min(length, LENGTHS.at(-1)) ? ", at the edge of the picture" : "";
    const toBest = level === ALL ? `; angle to p*: ${angle}` : "";
    summary.textContent = `p at (${shown(p[0])}, ${shown(p[1])})${left}; loss ${shown(loss, 3)}, above its floor by ${small(loss - FLOOR)}; `
      + `all pulls together ${small(together)}${toBest}`;
    for (const [part, from, to = ALL] of levels) part.style.display = from <= level && level <= to ? "" : "none";
    travelled.show(shown(s));
    dropped.place();
    begin.textContent = `(${start.map((each) => shown(each, 1)).join(", ")})`;
    say(level ? `${summary.textContent}.` : "");
    tokensel.remember("flow", START, { p: tokensel.pointOut(start), length, shown: level });
  }

  const back = () => {
    travelled.input.value = length = START.length;
    drop(tokensel.pointIn(START.p));
  };
  const answered = element("div", {}, travelled.root, numbers.root, summary, tokensel.buttons("p", [["Back to the start", back]]));
  const more = tokensel.buttons("What is shown", [["Show more", () => { level += 1; redraw(); }]]);
  root.setAttribute("aria-label", "The flow of p in the plane");
  const begin = element("span");
  const hints = [
    element("p", { class: "hint" }, element("b", {}, "The ring:"), " p starts there, at ", begin, ". Where does it go? Draw it on paper, then show more."),
    element("p", { class: "hint" }, element("b", {}, "Move the slider:"), " p follows its path. Tap elsewhere, or drag the ring",
      tokensel.byKeys(" (keys: Tab, then arrows)"), ": p starts there."),
    element("p", { class: "hint" }, element("b", {}, "Arrows at p:"), " how each text pulls it, blue for praise, orange for blame. ",
      "There are four; weak ones are too short to see."),
    element("p", { class: "hint" }, element("b", {}, "Table:"), " of good or bad in each text, its lead, its attention, and how long the text's arrow is. ",
      "Arrows are scaled so that all together have length 1; how long that is in truth, the line below the table says."),
  ];
  const levels = [ // part, and from and up to which level it is shown
    ...[hints[0], words.root].map((part) => [part, 0, 0]), ...[...hints.slice(1), arrows, own, tugs, answered].map((part) => [part, 1]), [answers, ALL], [more, 0, ALL - 1],
  ];
  root.append(element("div", { class: "plane" }, ...hints, drawing.root, element("div", {}, words.root, answered, more, saidLine)));
  draw();
});
