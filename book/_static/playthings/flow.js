/* Chapter 3's figure: four texts in the plane of p. The reader drops p, and it flows from there to the ray of p*. */
"use strict";

/** The shortest p in the plane with D · p ≥ 1 for every D, or null: it lies on one border, nearest to 0, or where two meet. */
tokensel.shortestQuery = (differences) => {
  const nearest = differences.map(([x, y]) => [x / (x * x + y * y), y / (x * x + y * y)]);
  const meet = ([a, b], [c, d]) => [(d - b) / (a * d - b * c), (a - c) / (a * d - b * c)];
  const corners = differences.flatMap((D, i) => differences.slice(i + 1).map((other) => meet(D, other)));
  const allowed = [...nearest, ...corners].filter(([x, y]) => differences.every(([a, b]) => a * x + b * y > 1 - 1e-9));
  return allowed.sort((one, other) => Math.hypot(...one) - Math.hypot(...other))[0] ?? null;
};

tokensel.plaything("flow", (root) => {
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
  const START = { p: "5_-4", length: 0 };

  const differences = TEXTS.map(({ tokens: [word, neighbour] }) => E[word].map((each, i) => each - E[neighbour][i]));
  const best = tokensel.shortestQuery(differences);
  const drawing = tokensel.plane({ box: BOX, ticks: [-4, 4, 8, 12], called: "The plane of p", names: ["p₁, first number of p", "p₂, second number of p"] });
  const address = tokensel.state("flow", START);
  let start = drawing.within(tokensel.pointIn(address.p, START.p));
  let length = address.length; // as chosen: a path that leaves the frame earlier is followed up to there
  let path;

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
      for (let y = bottom + 1; y < top; y += 2) {
        const { direction } = tokensel.pullOnQuery({ E, p: [x, y], v }, TEXTS);
        if (direction) strokes.push(tokensel.arrow(drawing, [x, y], [x + 0.9 * direction[0], y + 0.9 * direction[1]]));
      }
    }
    const [x, y] = drawing.at(best);
    const star = Array.from({ length: 10 }, (_, i) => {
      const [radius, angle] = [i % 2 ? 3.5 : 9, (Math.PI * i) / 5];
      return `${x + radius * Math.sin(angle)} ${y - radius * Math.cos(angle)}`;
    });
    drawing.put(drawing.layer(),
      element("svg:path", { class: "allowed", d: `${drawing.trace(wedge)}Z` }),
      element("svg:path", { class: "field", d: strokes.join("") }),
      ...STARTS.flatMap((p) => [
        element("svg:path", { class: "path given", d: curve(pathFrom(p)) }),
        element("svg:circle", { class: "given", cx: drawing.at(p)[0], cy: drawing.at(p)[1], r: 3 }),
      ]),
      element("svg:path", { class: "ray", d: drawing.trace([[0, 0], best.map((each) => 20 * each)]) }),
      element("svg:path", { class: "star", d: `M${star.join("L")}Z` }),
      element("svg:text", { x: x + 11, y: y + 4 }, "p*"));
  }

  // What moves
  background();
  const own = drawing.layer();
  const tugs = drawing.layer();
  const numbers = tokensel.table("Lead, attention and pull of each text", ["text", "lead", "attention", "pull"], NAMES);
  const shares = numbers.shares(1);
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
    const model = tokensel.modelOf({ E, p, v }, WORDS);
    const tip = (pull) => pull.map((each, axis) => p[axis] + TUG * each);
    const [x, y] = drawing.at(p);
    drawing.put(own,
      element("svg:path", { class: "path", d: curve(path) }),
      s > 0 && element("svg:circle", { class: "here", cx: x, cy: y, r: 5 }));
    const sides = TEXTS.map(({ label }) => (label ? "praise" : "blame"));
    const arrows = pulls.map((pull, i) => element("svg:path", { class: `arrow ${sides[i]}`, d: tokensel.arrow(drawing, p, tip(pull)) }));
    const names = pulls.flatMap((pull, i) => (Math.hypot(...pull) > 0.2 ? [nameAt(drawing.at(tip(pull)), pull[0] < 0, i)] : []));
    drawing.put(tugs, ...arrows, ...apart(names).map(({ from, y, i }) => element("svg:text", { class: sides[i], x: from, y }, NAMES[i])));
    TEXTS.forEach(({ tokens }, i) => {
      numbers.rows[i][0].textContent = shown(leads(p)[i]);
      shares[i].show(tokensel.forward(model, tokens).attention[0], sides[i]);
      numbers.rows[i][2].textContent = shown(Math.hypot(...pulls[i]));
    });
    const cosine = (p[0] * best[0] + p[1] * best[1]) / (Math.hypot(...p) * Math.hypot(...best));
    const angle = Math.hypot(...p) > 0 ? `${shown((180 / Math.PI) * Math.acos(Math.min(1, cosine)), 1)}°` : "none";
    const left = s < Math.min(length, LENGTHS.at(-1)) ? ", at the edge of the picture" : "";
    summary.textContent = `p at (${shown(p[0])}, ${shown(p[1])})${left}; loss ${shown(loss, 3)}; angle to p*: ${angle}`;
    travelled.show(shown(s));
    dropped.place();
    say(`${summary.textContent}.`);
    tokensel.remember("flow", START, { p: tokensel.pointOut(start), length });
  }

  const back = () => {
    travelled.input.value = length = START.length;
    drop(tokensel.pointIn(START.p));
  };
  root.setAttribute("aria-label", "The flow of p in the plane");
  root.append(element("div", { class: "plane" },
    element("p", { class: "hint" }, element("b", {}, "Move the slider:"), " p follows its path. Tap elsewhere, or drag the ring",
      tokensel.byKeys(" (keys: Tab, then arrows)"), ": p starts there."),
    element("p", { class: "hint" }, element("b", {}, "Arrows at p:"), " how each text pulls it, blue for praise, orange for blame. ",
      "There are four; weak ones are too short to see."),
    element("p", { class: "hint" }, element("b", {}, "Table:"), " of good or bad in each text, its lead and its attention; pull: how long the text's arrow is."),
    drawing.root,
    element("div", {}, travelled.root, numbers.root, summary,
      tokensel.buttons("p", [["Back to the start", back]]), saidLine)));
  draw();
});
