/* A cloud of words: points on a canvas, and above them axes and names. One chooses a word by mouse, finger, keys or name. */
"use strict";

Object.assign(tokensel, (() => {
  const { element, text, number, set } = tokensel;
  const EDGE = { left: 48, right: 14, top: 28, bottom: 40 }; // what axes need, in pixels
  const REACH = 30; // pixels: about half a finger
  const LEAST_WAY = 4; // pixels that an arrow key moves at least: in a dense cloud the next word is nearer than one can see
  const LETTER = 8; // pixels of one, about: the chosen word's are bold

  /** Round numbers between two ends, with as many decimals as they need: [[number, text]]. */
  function ticks([low, high], most) {
    const least = (high - low) / most;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = power * [1, 2, 5, 10].find((each) => each * power >= least);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => [(first + i) * step, number((first + i) * step, digits)]);
  }

  /** The ends of some numbers, of those that count, with a little room around them. */
  function around(numbers, counts = () => true) {
    let [low, high] = [Infinity, -Infinity];
    numbers.forEach((x, i) => {
      if (counts(i)) [low, high] = [Math.min(low, x), Math.max(high, x)];
    });
    const room = 0.05 * (high - low) || 1;
    return [low - room, high + room];
  }

  /** Which pixels a disc covers, and how much of each: [[to the right, down, part]]. */
  function disc(radius) {
    const way = Array.from({ length: 2 * Math.ceil(radius) + 1 }, (_, i) => i - Math.ceil(radius));
    const all = way.flatMap((down) => way.map((right) => [right, down, Math.min(1, radius + 0.5 - Math.hypot(right, down))]));
    return all.filter(([, , part]) => part > 0);
  }

  /** The cloud: {root, draw}. Give words, its name, the axes' names, brief (word's number -> text beside its point), tell
   *  (-> what is said of it), choose (called with a word's number). Draw {x, y, xRange, yRange, named, chosen, line}, and, if wanted, other names of axes, bare:
   *  no numbers across, tone: id -> [colour, strength], over: (across, down) -> parts of the drawing, and clear: [[x, y]] that names leave free. */
  function scatter({ words, name, xName, yName, brief, tell, choose, radius = 2 }) {
    const canvas = element("canvas");
    const drawing = element("svg:svg", { "aria-hidden": "true" });
    const attributes = { tabindex: 0, role: "slider", "aria-roledescription": "cloud of words", "aria-label": `${name}: arrow keys go from word to word` };
    const root = element("div", { class: "scatter", ...attributes }, canvas, drawing);
    let shown, width, height, colours, ink, unit = 1, hovered = -1; // unit: pixels of one of the drawing's

    const across = (x) => EDGE.left + ((x - shown.xRange[0]) / (shown.xRange[1] - shown.xRange[0])) * (width - EDGE.left - EDGE.right);
    const down = (y) => height - EDGE.bottom - ((y - shown.yRange[0]) / (shown.yRange[1] - shown.yRange[0])) * (height - EDGE.top - EDGE.bottom);
    const place = (id) => [across(shown.x[id]), down(shown.y[id])];
    const inside = (px, py) => px >= EDGE.left - 1 && px <= width - EDGE.right + 1 && py >= EDGE.top - 1 && py <= height - EDGE.bottom + 1;

    /** The word of the least cost, which is asked with the way from a pixel to the word; -1 where all are infinite. */
    function cheapest([fromX, fromY], cost) {
      let [found, least] = [-1, Infinity];
      for (let id = 0; id < words.length; id++) {
        const [px, py] = place(id);
        const asked = inside(px, py) ? cost(px - fromX, py - fromY) : Infinity;
        if (asked < least) [found, least] = [id, asked];
      }
      return found;
    }
    const under = (event) => {
      const box = root.getBoundingClientRect();
      return cheapest([event.clientX - box.left, event.clientY - box.top].map((each) => each / unit), (x, y) => (Math.hypot(x, y) <= REACH ? Math.hypot(x, y) : Infinity));
    };
    const next = (id, [right, up]) =>
      cheapest(inside(...place(id)) ? place(id) : [width / 2, height / 2], (x, y) => {
        const [along, aside] = [x * right - y * up, Math.abs(x * up) + Math.abs(y * right)];
        return along >= LEAST_WAY && aside <= along ? along + 2 * aside : Infinity;
      });

    /** Points, pixel by pixel: thousands of calls of a canvas would take ten times as long. The line is drawn behind them. */
    function points() {
      const sharp = unit * Math.min(2, window.devicePixelRatio || 1);
      const [wide, high] = [Math.round(width * sharp), Math.round(height * sharp)];
      if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
      const image = new ImageData(wide, high);
      const pixels = new Uint32Array(image.data.buffer); // alpha, blue, green, red
      const covered = disc(radius * sharp);
      const offsets = Int32Array.from(covered, ([right, below]) => right + wide * below);
      const parts = Float64Array.from(covered, ([, , part]) => 0.55 * part);
      for (let id = 0; id < words.length; id++) {
        const [px, py] = [across(shown.x[id]), down(shown.y[id])];
        if (!inside(px, py)) continue;
        const [colour, strength] = shown.tone?.(id) ?? [Number(shown.x[id] >= 0), 1];
        const at = Math.round(px * sharp) + wide * Math.round(py * sharp);
        for (let i = 0; i < offsets.length; i++) {
          const alpha = pixels[at + offsets[i]] >>> 24;
          pixels[at + offsets[i]] = ((alpha + strength * parts[i] * (255 - alpha)) << 24) | colours[colour];
        }
      }
      const pen = canvas.getContext("2d");
      pen.putImageData(image, 0, 0);
      if (!shown.line) return;
      pen.globalCompositeOperation = "destination-over";
      pen.strokeStyle = ink;
      pen.lineWidth = 1.5 * sharp;
      pen.beginPath();
      shown.line.forEach(([x, y], i) => pen[i ? "lineTo" : "moveTo"](across(x) * sharp, down(y) * sharp));
      pen.stroke();
    }

    function readColours() {
      const parts = tokensel.inks(canvas, ["blame", "praise", "neutral"]).map((colour) => colour.match(/\d+/g).map(Number));
      colours = parts.map(([red, green, blue]) => red + 256 * green + 65536 * blue);
      ink = getComputedStyle(root).color;
    }

    function axes() {
      const [right, bottom] = [width - EDGE.right, height - EDGE.bottom];
      const [xs, ys] = [shown.bare ? [] : ticks(shown.xRange, width / 75), ticks(shown.yRange, height / 55)];
      const marks = [...xs.map(([x]) => `M${across(x)} ${bottom}v4`), ...ys.map(([y]) => `M${EDGE.left} ${down(y)}h-4`)];
      return [
        element("svg:path", { d: `M${EDGE.left} ${down(0)}H${right}${shown.bare ? "" : `M${across(0)} ${EDGE.top}V${bottom}`}`, class: "zero" }),
        element("svg:path", { d: `M${EDGE.left} ${EDGE.top}V${bottom}H${right}${marks.join("")}`, class: "axis" }),
        ...xs.map(([x, label]) => text(across(x), bottom + 17, label, "middle")),
        ...ys.map(([y, label]) => text(EDGE.left - 8, down(y) + 4, label, "end")),
        text(2, 14, shown.yName ?? yName), text(right, height - 6, shown.bare ? "" : shown.xName ?? xName, "end"),
      ];
    }

    /** Names beside their points, each on the first of four sides that is free, if any is; the chosen word comes first. */
    function names() {
      const large = hovered >= 0 ? hovered : shown.chosen;
      const taken = [];
      const clear = [...(shown.clear ?? []).map(([x, y]) => [across(x), down(y)]), ...shown.named.map(place)];
      const box = ({ x, y }, long) => [x, x + long, y - 12, y + 2];
      const apart = (one, other) => one[0] > other[1] + LETTER || one[1] + LETTER < other[0] || one[2] > other[3] || one[3] < other[2];
      const free = (one) => one[0] >= EDGE.left && one[1] <= width && one[2] >= 0 && taken.every((other) => apart(one, other))
        && !clear.some(([x, y]) => x > one[0] - 3 && x < one[1] + 3 && y > one[2] - 3 && y < one[3] + 3);
      const one = (id) => {
        const [px, py] = place(id);
        const label = id === hovered && LETTER * brief(id).length < width - EDGE.left ? brief(id) : words[id];
        const long = LETTER * label.length;
        const kind = id === large ? "chosen" : "name";
        const circle = element("svg:circle", { cx: px, cy: py, r: id === large ? 5 : 3, class: kind });
        const sides = [[1, -5], [-1, -5], [1, 15], [-1, 15]].map(([way, below]) => ({ way, x: way > 0 ? px + 7 : px - 7 - long, y: py + below }));
        const near = { way: 1, x: tokensel.clamp(px - long / 2, EDGE.left, width - long), y: py > EDGE.top + 24 ? py - 9 : py + 19 };
        const at = sides.find((each) => free(box(each, long))) ?? (id === large && near); // as near as the frame allows
        if (!at) return [circle];
        taken.push(box(at, long));
        return [circle, at.way > 0 ? text(at.x, at.y, label, "start", kind) : text(at.x + long, at.y, label, "end", kind)];
      };
      const all = [large, ...shown.named.filter((id) => id !== large)];
      return all.filter((id) => inside(...place(id))).flatMap(one).reverse();
    }

    const overlay = () => drawing.replaceChildren(...axes(), ...(shown.over ? shown.over(across, down) : []), ...names());

    function draw(what = shown) {
      shown = what;
      unit = parseFloat(getComputedStyle(root).fontSize) / 16; // larger on a slide
      [width, height] = [root.clientWidth / unit, root.clientHeight / unit];
      if (!width || !shown) return; // not yet in the page, or folded away
      if (!colours) readColours();
      drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
      points();
      overlay();
      const [valuemin, valuemax, valuenow] = [...shown.xRange, shown.x[shown.chosen]].map((x) => Number(x.toPrecision(3)));
      set(root, { "aria-valuemin": valuemin, "aria-valuemax": valuemax, "aria-valuenow": valuenow, "aria-valuetext": tell(shown.chosen) });
    }

    const hover = (id) => {
      if (id === hovered) return;
      hovered = id;
      overlay();
    };
    const pick = (id) => id >= 0 && choose(id);
    set(root, {
      onpointermove: (event) => hover(under(event)), onpointerleave: () => hover(-1), onclick: (event) => pick(under(event)),
    });
    tokensel.onArrows(root, (way) => { pick(next(shown.chosen, way)); });
    new ResizeObserver(tokensel.soon(() => draw())).observe(root);
    new MutationObserver(() => { readColours(); draw(); }).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return { root, draw };
  }

  /** A field that finds a word: {root, show}. It offers the heaviest words that begin as what was typed. Typing a word
   *  chooses it; Enter finds it, or the first one offered: only then may the picture change so that it is seen. */
  function finder({ words, weights, choose, find }) {
    const idOf = new Map(words.map((word, id) => [word, id]));
    const offered = element("datalist", { id: tokensel.unique("words") });
    const note = element("span", { class: "note", "aria-live": "polite" });
    const typed = () => input.value.trim().toLowerCase();
    const begins = (start) => [...idOf.keys()].filter((word) => word.startsWith(start)).sort((one, other) => weights[idOf.get(other)] - weights[idOf.get(one)]);
    const look = () => {
      const now = typed();
      const found = now ? begins(now) : [];
      offered.replaceChildren(...found.slice(0, 8).map((word) => element("option", { value: word })));
      note.textContent = now && !found.length ? `no “${now}” among the ${number(words.length)} words` : "";
      if (idOf.has(now)) choose(idOf.get(now));
      return found;
    };
    const input = element("input", {
      type: "search", list: offered.id, autocomplete: "off", autocapitalize: "none", spellcheck: "false", oninput: look,
      onkeydown: (event) => {
        const found = event.key === "Enter" ? look() : [];
        if (!found.length) return;
        if (!idOf.has(typed())) input.value = found[0];
        find(idOf.get(typed()));
      },
    });
    const root = element("div", { class: "finder" }, element("label", {}, "Find a word ", input), offered, note);
    const show = (id) => {
      if (document.activeElement === input || input.value === words[id]) return;
      [input.value, note.textContent] = ["", ""]; // what was chosen since is no word that was looked for
    };
    return { root, show };
  }

  return { around, scatter, finder };
})());
