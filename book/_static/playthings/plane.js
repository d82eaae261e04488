// A plane to look at and to take hold of, and 01_model's figure on it: words, p and v are moved by hand, and all else follows.
"use strict";

Object.assign(tokensel, (() => {
  const { element, text, clamp } = tokensel;
  const WIDTH = 360; // units of a drawing, so that they are about pixels
  const MARGIN = 16; // what is moved stays that far inside, so that all of it can be seen and taken hold of

  const shown = (x, digits = 2) => tokensel.number(x, digits);

  /** A drawing of [left, right] × [bottom, top], and, once look(box) says so, of another box of that shape: {root, at(point),
   *  toPoint(event), within(point), trace(points), layer(), put(layer, ...parts), look(box)}. Ticks may depend on the box. */
  function plane({ box, ticks, called, names }) {
    let [left, right, bottom, top] = box;
    let unit = WIDTH / (right - left);
    const height = unit * (top - bottom);
    const root = element("svg:svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "group", "aria-label": called });
    const at = ([x, y]) => [unit * (x - left), unit * (top - y)];
    const toPoint = (event) => {
      const [x, y] = tokensel.pointUnder(root, event);
      return [left + x / unit, top - y / unit];
    };
    const inner = (x, from, to) => clamp(x, from + MARGIN / unit, to - MARGIN / unit);
    const within = ([x, y]) => [inner(x, left, right), inner(y, bottom, top)];
    const trace = (points) => `M${points.map((point) => at(point).map((each) => each.toFixed(1)).join(" ")).join("L")}`;
    const layer = () => root.appendChild(element("svg:g", { "aria-hidden": "true" }));
    const axes = layer();
    const put = (into, ...parts) => into.replaceChildren(...parts.filter(Boolean));
    const label = (x, y, words, anchor) => text(x, y, words, anchor, "tick");
    const inside = (place, end) => place > 10 && place < end - 10;
    const ticksOf = typeof ticks === "function" ? ticks : () => ticks;
    /** Show another box, of the same shape; what is drawn in it is to be drawn again. */
    function look(other) {
      [left, right, bottom, top] = other;
      unit = WIDTH / (right - left);
      put(axes,
        element("svg:path", { class: "axis", d: trace([[left, 0], [right, 0]]) + trace([[0, bottom], [0, top]]) }),
        ...ticksOf(other).flatMap((tick) => [
          inside(at([tick, 0])[0], WIDTH) && label(at([tick, 0])[0], height - 5, shown(tick, 0), "middle"),
          inside(at([0, tick])[1], height) && label(4, at([0, tick])[1] + 4, shown(tick, 0)),
        ]),
        label(WIDTH - 4, height - 22, names[0], "end"), // at the rim, above the numbers: nothing is drawn there
        label(4, 13, names[1]));
    }
    look(box);
    return { root, at, toPoint, within, trace, layer, put, look };
  }

  /** The path of an arrow in a plane, which may end some units before its tip; its head is as long as the arrow allows. */
  function arrow({ at }, from, to, before = 0) {
    const [[x0, y0], [x2, y2]] = [at(from), at(to)];
    const length = Math.hypot(x2 - x0, y2 - y0);
    if (length < before + 1) return "";
    const [x1, y1] = [x2 - (before / length) * (x2 - x0), y2 - (before / length) * (y2 - y0)];
    const head = Math.min(9, 0.6 * (length - before)) / length;
    const [dx, dy] = [head * (x2 - x0), head * (y2 - y0)];
    return `M${x0} ${y0}L${x1} ${y1}M${x1 - dx - dy / 2} ${y1 - dy + dx / 2}L${x1} ${y1}L${x1 - dx + dy / 2} ${y1 - dy - dx / 2}`;
  }

  /** A part that moves by mouse, finger and arrow keys, larger for a finger than it looks; its children lie about its place.
   *  {root, place(): put it where it is}. Give its name, where (() -> point) and move (point -> anything). */
  function handle(drawing, { name, where, move, keyStep }, ...children) {
    const root = element("svg:g", {
      class: "draggable", tabindex: 0, role: "slider", "aria-roledescription": "point", "aria-label": `${name}: arrow keys move it`,
      onpointerdown: (event) => {
        event.preventDefault();
        root.focus();
      },
    }, element("svg:circle", { class: "hold", r: 17 }), ...children);
    const moveTo = (point) => move(drawing.within(point));
    tokensel.onDrag(root, (event) => moveTo(drawing.toPoint(event)));
    tokensel.onArrows(root, (way, { shiftKey }) =>
      moveTo(where().map((each, axis) => each + (keyStep.call ? keyStep() : keyStep) * (shiftKey ? 5 : 1) * way[axis])));
    const place = () => {
      const [x, y] = where().map((each) => each.toFixed(2));
      const told = { "aria-valuenow": x, "aria-valuetext": `${name} at ${x}, ${y}` };
      tokensel.set(root, { transform: `translate(${drawing.at(where()).join(" ")})`, ...told });
    };
    return { root, place };
  }

  /** A share between 0 and 1 as a bar with its number, on the side of praise or of blame: {root, show(share, side)}. */
  function share() {
    const part = element("i", { "aria-hidden": "true" });
    const number = element("span");
    const show = (x, side) => {
      part.className = side;
      part.style.width = `${100 * x}%`;
      number.textContent = shown(x);
    };
    return { root: element("div", { class: "share" }, number, element("b", { "aria-hidden": "true" }, part)), show };
  }

  /** A table of numbers: {root, rows: for each name, its cells, shares(column): a bar in each row}; heads name the columns. */
  function table(caption, heads, names) {
    const rows = names.map(() => heads.slice(1).map(() => element("td")));
    const head = element("tr", {}, ...heads.map((words) => element("th", { scope: "col" }, words)));
    const body = names.map((name, i) => element("tr", {}, element("th", { scope: "row" }, name), ...rows[i]));
    const root = element("table", { "aria-label": caption }, element("thead", {}, head), element("tbody", {}, ...body));
    const shares = (column) => rows.map((cells) => {
      const bar = share();
      cells[column].append(bar.root);
      return bar;
    });
    return { root, rows, shares };
  }

  /** Points as the address holds them, "1.5_-2", and back; what is no point is the default. */
  const written = (point) => point.map((each) => String(Number(each.toFixed(2)))).join("_");
  function read(text, instead) {
    const point = String(text).split("_").map(Number);
    return point.length === 2 && point.every(Number.isFinite) ? point : read(instead);
  }

  return { plane, arrow, handle, table, shown, pointIn: read, pointOut: written };
})());

// ---- 01_model: five words, p and v

tokensel.plaything("plane", (root) => {
  const { element, shown, set } = tokensel;
  const OURS = { the: "-0.2_0.1", film: "0.4_0.2", was: "0_-0.2", truly: "1_0.5", bad: "2_-1.5", p: "1_-0.5", v: "0_1" };
  const START = tokensel.places ?? OURS; // in a notebook, the reader's own
  const WORDS = Object.keys(START).filter((name) => name !== "p" && name !== "v");
  const BESIDE = { the: [-1, -6], was: [-1, 14] }; // on which side of its disc a name stands, and how far down
  const ROOM = [-1, 2.9, -2, 1.5]; // where points of the nearest view may be
  const far = Object.values(START).flatMap((point) => tokensel.pointIn(point).map((x, axis) => x / ROOM[2 * axis + (x > 0)]));
  const scale = Math.max(1, Math.ceil(Math.max(...far) - 1e-9)); // how many times as wide the view is that holds all points
  const scaled = (numbers) => numbers.map((each) => scale * each);
  const BOX = scaled([-1.2, 3.1, -2.2, 1.7]);
  const INNER = scaled([-0.8, 2.7, -1.9, 1.5]); // where the middle of a line's number may be

  const drawing = tokensel.plane({ box: BOX, ticks: scaled([-1, 1, 2]), called: "The plane of the words", names: ["", ""] });
  const { now, change, reset, begin } = tokensel.settings(root, "plane", START, draw);
  const at = (name) => drawing.within(tokensel.pointIn(now[name], START[name]));
  const levels = drawing.layer();
  const arrows = drawing.layer();
  const discs = WORDS.map(() => element("svg:circle"));
  const labels = WORDS.map((word) => element("svg:text", { "aria-hidden": "true" }, word));
  const numbers = tokensel.table("Score, value and attention of each word", ["word", "score", "value", "attention"], WORDS);
  const shares = numbers.shares(2);
  const verdict = element("p", { class: "verdict" });

  const held = (name, ...children) => tokensel.handle(drawing, {
    name, keyStep: 0.1 * scale, where: () => at(name), move: (point) => change({ [name]: tokensel.pointOut(point) }),
  }, ...children);
  const tipNames = ["p", "v"].map((name) => element("svg:text", { class: "vector", "aria-hidden": "true" }, name));
  const tips = ["p", "v"].map((name, i) => held(name, element("svg:circle", { class: `tip ${name}`, r: 6 }), tipNames[i]));
  const handles = [...WORDS.map((word, i) => held(word, discs[i], labels[i])), ...tips];
  drawing.root.append(...handles.map((each) => each.root));
  const diamond = element("svg:path", { class: "seen" });
  const seenName = element("svg:text", {}, "seen");
  drawing.layer().append(diamond, seenName);

  /** The ends of the line a = p · x in a box, the upper one last; none where it misses the box. */
  function ends(a, box) {
    const [p1, p2] = at("p");
    const size = p1 * p1 + p2 * p2;
    const along = p2 === 0 ? [0, 1] : [-p2, p1].map((each) => each * Math.sign(p1 || 1));
    const foot = [(a * p1) / size, (a * p2) / size];
    const edges = [box.slice(0, 2), box.slice(2)];
    const bounds = edges.map((pair, i) => pair.map((edge) => (edge - foot[i]) / along[i]).sort((x, y) => x - y));
    const [from, to] = [Math.max(bounds[0][0], bounds[1][0]), Math.min(bounds[0][1], bounds[1][1])];
    return from < to ? [from, to].map((t) => foot.map((each, i) => each + t * along[i])) : [];
  }

  function level(a) {
    const line = element("svg:path", { class: "level", d: drawing.trace(ends(a, BOX)) });
    const upper = ends(a, INNER).at(-1);
    if (!upper) return [line];
    const [x, y] = drawing.at(upper);
    return [line, element("svg:text", { class: "tick level", x, y: y + 4, "text-anchor": "middle" }, `score ${shown(a, 0)}`)];
  }

  function levelLines() {
    const [p1, p2] = at("p");
    if (Math.hypot(p1, p2) < 0.05 * scale) return []; // all scores are nearly the same
    const corners = [0, 1].flatMap((i) => [2, 3].map((j) => BOX[i] * p1 + BOX[j] * p2));
    const [least, most] = [Math.min(...corners), Math.max(...corners)];
    const closest = 0.6 * scale * Math.hypot(p1, p2);
    const power = 10 ** Math.max(0, Math.floor(Math.log10(closest)));
    const apart = power * [1, 2, 5, 10].find((each) => power * each > closest);
    const all = [];
    for (let a = apart * Math.ceil(least / apart); a < most; a += apart) if (a > least) all.push(...level(a));
    return all;
  }

  /** Write a name at a corner of its place: one in the frame and over no word, if there is one. */
  function besides(name, [x, y] = [0, 0]) {
    const frame = drawing.root.getBoundingClientRect();
    const others = [...labels, ...discs].map((each) => each.getBoundingClientRect());
    const apart = (one, other) => one.right < other.left || other.right < one.left || one.bottom < other.top || other.bottom < one.top;
    [[9, -8], [9, 17], [-9, 17], [-9, -8]].some(([right, down]) => {
      set(name, { x: x + right, y: y + down, "text-anchor": right < 0 ? "end" : "start" });
      const own = name.getBoundingClientRect();
      return own.right < frame.right && own.top > frame.top && own.bottom < frame.bottom && others.every((each) => apart(own, each));
    });
  }

  function draw() {
    const E = WORDS.map(at);
    const model = tokensel.modelOf({ E, p: at("p"), v: [at("v")] }, WORDS);
    const { attention, logits: [logit] } = tokensel.forward(model, WORDS.map((_, i) => i));
    const point = [0, 1].map((axis) => attention.reduce((total, q, i) => total + q * E[i][axis], 0));
    drawing.put(levels, ...levelLines());
    const vector = (name) => element("svg:path", { class: `arrow ${name}`, d: tokensel.arrow(drawing, [0, 0], at(name), 7) });
    drawing.put(arrows, vector("p"), vector("v"));
    WORDS.forEach((word, i) => {
      const radius = Math.sqrt(6 + 200 * attention[i]);
      const across = E[i][0] / scale;
      const [way, down] = across > 2.4 || across < -0.7 ? [-Math.sign(across), 4] : BESIDE[word] ?? [1, 4]; // inside the frame
      const side = model.values[0][i] < 0 ? "blame" : "praise";
      set(discs[i], { r: radius, class: `disc ${side}` });
      set(labels[i], { x: way * (radius + 4), y: down, "text-anchor": way < 0 ? "end" : "start" });
      numbers.rows[i][0].textContent = shown(model.scores[i]);
      numbers.rows[i][1].textContent = shown(model.values[0][i]);
      shares[i].show(attention[i], side);
    });
    const [x, y] = drawing.at(point);
    diamond.setAttribute("d", `M${x} ${y - 6}l6 6l-6 6l-6 -6z`);
    const reads = Math.abs(logit) < 0.005 ? "neither" : logit > 0 ? "praise" : "blame";
    verdict.replaceChildren("logit ", element("strong", {}, shown(logit)), ": ", element("span", { class: reads }, reads));
    handles.forEach((each) => each.place());
    besides(seenName, [x, y]);
    tipNames.forEach((each) => besides(each));
    const most = attention.indexOf(Math.max(...attention));
    return `${WORDS[most]} gets most of the attention, ${shown(attention[most])}. The logit is ${shown(logit)}.`;
  }

  root.setAttribute("aria-label", "Words, p and v in the plane, to be moved");
  begin(element("div", { class: "plane" },
    drawing.root, element("div", {}, numbers.root, verdict, element("div", { class: "buttons" }, reset("Back to the start"))),
    element("p", { class: "hint" }, "Drag a word, or the tip of p or v", tokensel.byKeys(" (keys: Tab, arrows)"), ".")));
  change({}); // names find their places on the page alone
});
