/* The front page: one cloud of words beside an essay of nine scenes. As a scene comes into view, the cloud shows what it tells.
 *
 * The cloud is drawn on a canvas from tokensel.horns: where each word is at some rounds of training, between which it moves in a
 * straight line. The text boxes read with what the network knew at round 20 (words.js, stopped.js, verdict.js), loaded as the
 * reader comes near. Without scripts every scene has a still picture.
 */
"use strict";

(() => {
  const { element } = tokensel;
  const root = document.documentElement;
  const stage = document.getElementById("stage");
  const scenes = [...document.querySelectorAll(".scene")];
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const wide = matchMedia("(min-width: 1000px)");

  const FRAME = { x: [-23.5, 19.5], y: [-3.1, 2.75] };
  const NEAR = 5; // times, in the second scene
  const CENTRE = { x: 0, y: -0.14 };
  const LAST = 20; // rounds
  const CELLS = 12; // layers, and heads a layer
  const NAMES = { worst: "r", boring: "l", bad: "l", not: "l", movie: "bl", the: "br", good: "r", great: "r", excellent: "t" };
  const GLIDE = 550; // ms
  const DEFAULTS = ["The story is slow, but the music is wonderful.", "The film was not bad."]; // of scenes 4 and 5
  const NOTES = { // what a person says of the sentences that fool it
    "The film was not bad.": "Wrong: a person reads praise.",
    "Nobody can call this film boring.": "Wrong: a person reads praise. The network sees little but boring.",
    "today": "A person reads no opinion at all.",
  };
  const CHIPS = ["The film was not bad.", "the the the the", "Nobody can call this film boring.", "today"];
  const LONGEST = 1000; // characters

  // What is seen in each scene. Names are written once the round `since` is past.
  const VIEWS = [
    { sentence: true, round: 0, quiet: true },
    { round: 0, names: {}, note: "493 words" },
    { round: 5, near: 1, most: 5, names: { bad: "r", great: "l", the: "r" }, since: 2 },
    { round: LAST, names: NAMES, since: 10 },
    { round: LAST, faint: 1, quiet: true },
    { round: LAST, faint: 1, quiet: true },
    { round: LAST, shuffled: 1, since: 10 },
    { round: LAST, grid: 1, quiet: true },
    { round: LAST, names: { worst: "r", the: "br", excellent: "t" }, since: 10 },
  ];

  let scene = -1;
  let sets = null; // {true, shuffled}: {steps, values, scores: one list a step}
  let order = []; // of the words, by their value in the end
  let chosen = -1;
  const now = { round: 0, near: 0, faint: 0, shuffled: 0, grid: 0 };
  let discs = []; // of the sentence: {word, attention, value, score}

  // ---- where words are

  /** The value and score of a word of the cloud at a round, which may lie between two that were recorded. */
  function spot({ steps, values, scores }, word, round) {
    let to = steps.findIndex((step) => step >= round);
    if (to < 0) to = steps.length - 1;
    const from = Math.max(0, to - 1);
    const part = to === from ? 0 : (round - steps[from]) / (steps[to] - steps[from]);
    const between = (list) => list[from][word] + part * (list[to][word] - list[from][word]);
    return [between(values), between(scores)];
  }
  const mix = (from, to, part) => from + part * (to - from);
  function where(word) {
    const [x, y] = spot(sets.true, word, now.round);
    if (!now.shuffled) return [x, y];
    const [otherX, otherY] = spot(sets.shuffled, word, now.round);
    return [mix(x, otherX, now.shuffled), mix(y, otherY, now.shuffled)];
  }

  // ---- the drawing

  const canvas = element("canvas");
  const cloud = element("div", {
    class: "cloud", tabindex: 0, role: "slider", "aria-roledescription": "cloud of words", "aria-label": "The cloud: arrow keys go from word to word",
    "aria-valuemin": 1, "aria-valuemax": 1, "aria-valuenow": 1, "aria-valuetext": "no word chosen", "aria-describedby": "seen",
  }, canvas);
  const seen = element("p", { id: "seen", class: "said" });
  const pen = canvas.getContext("2d");
  let [width, height, sharp] = [0, 0, 1];
  const ink = {}; // colours

  const EDGE = { side: 10, top: 30, bottom: 34 }; // pixels
  function ends(axis) {
    const [low, high] = FRAME[axis];
    const middle = (low + high) / 2;
    return FRAME[axis].map((end) => mix(end, CENTRE[axis] + (end - middle) / NEAR, now.near));
  }
  /** From value and score to pixels, at this moment. */
  function projection() {
    const { side, top, bottom } = EDGE;
    const [[left, right], [low, high]] = [ends("x"), ends("y")];
    const size = Math.min(width - 110, height - 50) / CELLS;
    const cell = { x: (width - size * CELLS) / 2 + 24, y: 8 + size * (CELLS - 1), size };
    return {
      cell,
      place: ([x, y]) => {
        const across = side + ((x - left) / (right - left)) * (width - 2 * side);
        const down = height - bottom - ((y - low) / (high - low)) * (height - top - bottom);
        if (!now.grid) return [across, down];
        return [mix(across, cell.x + (0.9 * size * across) / width, now.grid), mix(down, cell.y + (0.9 * size * down) / height, now.grid)];
      },
    };
  }

  const font = (size = 15, bold = true) => `${bold ? 600 : 400} ${wide.matches ? size : size - 1.5}px system-ui, sans-serif`;
  function write(text, x, y, { colour = ink.ink, align = "left", bold = true, size = 15 } = {}) {
    pen.font = font(size, bold);
    pen.textAlign = align;
    pen.lineWidth = 4;
    pen.lineJoin = "round";
    pen.strokeStyle = ink.paper;
    pen.strokeText(text, x, y);
    pen.fillStyle = colour;
    pen.fillText(text, x, y);
  }
  const long = (text) => {
    pen.font = font();
    return pen.measureText(text).width;
  };

  /** A word beside its ringed point: left, right, top or bottom; on the other side where the frame ends. */
  function label(word, [x, y], side, radius = 5) {
    if (side.includes("l") && x - radius - long(word) < 0) side = side.replace("l", "r");
    else if (side.includes("r") && x + radius + 6 + long(word) > width) side = side.replace("r", "l");
    if (side === "t" && x + long(word) / 2 > width) x = width - long(word) / 2 - 1;
    const [way, align] = side.includes("l") ? [-1, "right"] : side.includes("r") ? [1, "left"] : [0, "center"];
    write(word, x + way * (radius + 5), y + (side.includes("b") ? 19 : side.includes("t") ? -11 : 5), { align });
  }
  function ring([x, y], radius = 5) {
    pen.beginPath();
    pen.arc(x, y, radius, 0, 7);
    pen.lineWidth = 1.5;
    pen.strokeStyle = ink.ink;
    pen.stroke();
  }

  function drawAxes(place) {
    const [x] = place([0, 0]);
    pen.globalAlpha = 1 - now.grid;
    pen.strokeStyle = ink.rule;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, 30);
    pen.lineTo(x, height - 34);
    pen.stroke();
    const quiet = { colour: ink.quiet, bold: false, size: 14 };
    write("↑ gets attention", x + 8, 22, quiet);
    write("↓ ignored", x - 8, height - 38, { ...quiet, align: "right" });
    write("← speaks for blame", 2, height - 10, { ...quiet, colour: ink.blame });
    write("speaks for praise →", width - 2, height - 10, { ...quiet, colour: ink.praise, align: "right" });
    const scale = now.near > 0.5 ? `${NEAR} times closer` : now.shuffled > 0.5 ? "shuffled labels" : "";
    if (scale) write(scale, 2, 22, quiet);
    pen.globalAlpha = 1;
  }

  function drawGrid({ x, y, size }) {
    pen.globalAlpha = now.grid;
    pen.lineWidth = 1;
    for (let layer = 0; layer < CELLS; layer++) {
      for (let head = 0; head < CELLS; head++) {
        pen.strokeStyle = layer || head ? ink.rule : ink.ink;
        pen.strokeRect(x + head * size, y - layer * size, 0.9 * size, 0.9 * size);
      }
    }
    const quiet = { colour: ink.quiet, bold: false, size: 14, align: "right" };
    write("layer 12", x - 8, y - (CELLS - 1) * size + 0.6 * size, quiet);
    write("layer 1", x - 8, y + 0.6 * size, quiet);
    write("ours is one of 144 heads", x, y + size + 18, { ...quiet, align: "left" });
    pen.globalAlpha = 1;
  }

  function draw() {
    if (!sets || !width || VIEWS[scene].sentence) return;
    const view = VIEWS[scene];
    const { place, cell } = projection();
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, width, height);
    if (now.grid < 1) drawAxes(place);
    if (now.grid) drawGrid(cell);
    const radius = mix(wide.matches ? 3.2 : 2.4, 0.8, now.grid);
    for (let word = 0; word < tokensel.horns.words.length; word++) {
      const at = where(word);
      const [x, y] = place(at);
      pen.globalAlpha = mix(0.55, 0.15, now.faint);
      pen.fillStyle = now.round < 0.3 ? ink.quiet : at[0] < 0 ? ink.blame : ink.praise;
      pen.beginPath();
      pen.arc(x, y, radius, 0, 7);
      pen.fill();
    }
    pen.globalAlpha = 1;
    if (view.note && now.round < 0.3) {
      ring(place([0, 0]), 10);
      write(view.note, place([0, 0])[0] + 18, place([0, 0])[1] + 5);
    }
    if (view.faint) drawDiscs(place);
    else if (now.round >= (view.since ?? 0) && !view.grid) drawNames(place, view);
  }

  function drawNames(place, view) {
    const words = tokensel.horns.words;
    const shown = new Map(Object.entries(view.shuffled ? tipsNow() : view.names).filter(([word]) => words.includes(word)));
    if (!wide.matches) shown.delete("boring");
    if (chosen >= 0) shown.set(words[chosen], where(chosen)[0] < 0 ? "r" : "l");
    if (chosen >= 0 && now.round > 0.3) for (const word of [...shown.keys()].filter((word) => word !== words[chosen] && tooNear(place, word))) shown.delete(word);
    for (const [word, side] of shown) {
      const at = place(where(words.indexOf(word)));
      ring(at);
      label(word, at, side);
    }
  }
  const tooNear = (place, word) => {
    const [x, y] = place(where(tokensel.horns.words.indexOf(word)));
    const [atX, atY] = place(where(chosen));
    return Math.abs(y - atY) < 20 && Math.abs(x - atX) < 110;
  };

  /** The loudest word on either side with shuffled labels, and two that were loud with the true ones. */
  let tips = null;
  function tipsNow() {
    const { values, scores } = sets.shuffled;
    tips ??= [(x) => x < 0, (x) => x >= 0].map((side) =>
      order.filter((word) => side(values.at(-1)[word])).reduce((one, other) => (scores.at(-1)[other] > scores.at(-1)[one] ? other : one)));
    const [left, right] = tips.map((word) => tokensel.horns.words[word]);
    return now.shuffled > 0.5 ? { [left]: "t", [right]: "t", worst: "br", excellent: "bl" } : { worst: "r", the: "br", excellent: "t", [left]: "l", [right]: "r" };
  }

  function drawDiscs(place) {
    const full = wide.matches ? 36 : 26; // the radius of a word with all of the attention
    pen.globalAlpha = 0.85 * now.faint;
    const within = ([x, y]) => [Math.max(8, Math.min(width - 8, x)), Math.max(30, Math.min(height - 34, y))];
    const all = discs.map((disc) => ({ ...disc, at: within(place([disc.value, disc.score])), radius: Math.max(3, full * Math.sqrt(disc.attention)) }));
    for (const { value, at: [x, y], radius } of all) {
      pen.fillStyle = value < 0 ? ink.blame : ink.praise;
      pen.beginPath();
      pen.arc(x, y, radius, 0, 7);
      pen.fill();
    }
    pen.globalAlpha = now.faint;
    const taken = [];
    for (const { word, value, attention, at: [x, y], radius } of all.slice(0, 3)) {
      let down = y;
      while (taken.some((other) => Math.abs(other[0] - x) < 150 && Math.abs(other[1] - down) < 18)) down += 18;
      taken.push([x, down]);
      label(`${word} ${Math.round(100 * attention)}%`, [x, down], value < 0 ? "r" : "l", radius + 2);
    }
    pen.globalAlpha = 1;
  }

  function measure() {
    [width, height, sharp] = [cloud.clientWidth, cloud.clientHeight, Math.min(2, devicePixelRatio || 1)];
    [canvas.width, canvas.height] = [width * sharp, height * sharp];
    for (const name of ["blame", "praise", "quiet", "rule", "ink", "paper"]) { // a canvas knows no variables
      canvas.style.color = `var(--${name})`;
      ink[name] = getComputedStyle(canvas).color;
    }
    draw();
  }

  // ---- motion: one thing at a time

  let going = 0;
  /** Take what is seen to where it should be, part after part; where motion is not wanted, at once. */
  function glide(parts, done = () => {}) {
    const mine = ++going;
    const [part, ...rest] = parts;
    if (!part) return done();
    const [goal, time] = part;
    const from = { ...now };
    if (Object.entries(goal).every(([key, to]) => from[key] === to)) return glide(rest, done);
    const finish = () => {
      Object.assign(now, goal);
      show();
      glide(rest, done);
    };
    if (calm.matches || !sets) return finish();
    const began = performance.now();
    const tick = (time_) => {
      if (mine !== going) return;
      const share = Math.max(0, (time_ - began) / time);
      if (share >= 1) return finish();
      const eased = goal.round === undefined ? share * share * (3 - 2 * share) : share;
      for (const key in goal) now[key] = mix(from[key], goal[key], eased);
      show();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
  function show() {
    slider.value = Math.round(now.round);
    output.textContent = `round ${Math.round(now.round)}`;
    slider.setAttribute("aria-valuetext", output.textContent);
    draw();
  }

  // ---- the slider

  const play = element("button", { type: "button", class: "play", "aria-label": "Play", onclick: () => (playing() ? stop() : start()) }, "▶");
  const slider = element("input", {
    type: "range", min: 0, max: LAST, step: 1, value: 0, "aria-label": "Round of training", autocomplete: "off",
    oninput: () => {
      stop();
      going++;
      now.round = slider.valueAsNumber;
      show();
    },
  });
  const output = element("output", { "aria-live": "off" }, "round 0");
  const playing = () => play.textContent !== "▶";
  function stop() {
    if (playing()) going++;
    play.textContent = "▶";
    play.setAttribute("aria-label", "Play");
  }
  function start() {
    const most = Number(slider.max);
    if (now.round >= most) now.round = 0;
    play.textContent = "❚❚";
    play.setAttribute("aria-label", "Pause");
    if (!calm.matches) return glide([[{ round: most }, (most - now.round) * (most > 5 ? 220 : 500)]], stop);
    const mine = ++going;
    const jump = () => {
      if (mine !== going) return;
      now.round = sets.true.steps.find((step) => step > now.round) ?? most;
      show();
      if (now.round < most) setTimeout(jump, 500);
      else stop();
    };
    show();
    setTimeout(jump, 500);
  }

  // ---- scenes

  function enter(next) {
    if (next === scene) return;
    stop();
    scene = next;
    stage.dataset.scene = scene;
    stage.dataset.still = false;
    chosen = -1;
    const view = VIEWS[scene];
    stage.classList.toggle("quiet-controls", Boolean(view.quiet));
    seen.textContent = scenes[scene].querySelector("img")?.alt ?? "";
    slider.max = view.most ?? LAST;
    const { near = 0, faint = 0, grid = 0 } = view;
    const shuffled = view.shuffled ? labels.shuffled : 0;
    glide([[{ near, faint, grid, shuffled }, GLIDE], [{ round: view.round }, GLIDE]], () => { stage.dataset.still = true; });
    if (view.faint) suggest(scene - 4);
    draw();
  }

  function watch() {
    const line = wide.matches ? "-50% 0px -50% 0px" : "-76% 0px -24% 0px";
    const watcher = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) enter(scenes.indexOf(entry.target));
    }, { rootMargin: line });
    scenes.forEach((each) => watcher.observe(each));
    return watcher;
  }

  // ---- a word of the cloud, by mouse, finger or keys

  function choose(word) {
    if (word === chosen) return;
    chosen = word;
    const [x, y] = word < 0 ? [0, 0] : where(word);
    if (word >= 0) {
      cloud.setAttribute("aria-valuenow", order.indexOf(word) + 1);
      cloud.setAttribute("aria-valuetext", `${tokensel.horns.words[word]}: speaks for ${x < 0 ? "blame" : "praise"}, score ${y.toFixed(1)}`);
    }
    draw();
  }
  function under(event) {
    if (!sets || VIEWS[scene].quiet || now.round < 0.3) return -1;
    const box = cloud.getBoundingClientRect();
    const { place } = projection();
    let [found, least] = [-1, 24];
    order.forEach((word) => {
      const [x, y] = place(where(word));
      const away = Math.hypot(x - event.clientX + box.left, y - event.clientY + box.top);
      if (away < least) [found, least] = [word, away];
    });
    return found;
  }
  cloud.addEventListener("pointermove", (event) => event.pointerType === "mouse" && choose(under(event)));
  cloud.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && choose(-1));
  cloud.addEventListener("click", (event) => choose(under(event)));
  cloud.addEventListener("keydown", (event) => {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!way || !sets || VIEWS[scene].quiet) return;
    event.preventDefault();
    const at = chosen < 0 ? Math.floor(order.length / 2) : order.indexOf(chosen) + way;
    choose(order[Math.max(0, Math.min(order.length - 1, at))]);
  });

  // ---- the text boxes

  let text = DEFAULTS[0];
  let own = false; // whether the reader has typed or tapped something
  const boxes = [];
  const { root: forScreenReaders, say } = tokensel.said();

  const load = (file) => new Promise((resolve, reject) => {
    document.head.append(element("script", { src: new URL(file, folder).href, onload: resolve, onerror: reject }));
  });
  const folder = document.currentScript.src;
  let model = null;
  let asked = null;
  /** Load what the boxes need, once. */
  const boxData = () => (asked ??= Promise.all(["words.js", "stopped.js", "verdict.js"].map(load)).then(() => {
    const { scores, values } = tokensel.stopped;
    model = { vocabulary: tokensel.vocabulary, scores: tokensel.unpack(scores), values: [tokensel.unpack(values)] };
    read();
  }));

  function suggest(at) {
    boxData();
    if (own || text === DEFAULTS[at]) return;
    text = DEFAULTS[at];
    read();
  }
  function set(what) {
    own = true;
    text = what.slice(0, LONGEST);
    read();
    tokensel.remember("front", { text: "" }, { text });
  }

  function read() {
    const tokens = model ? tokensel.tokens(model, text) : [];
    const known = tokens.filter(({ id }) => id >= 0);
    const ids = known.map(({ id }) => id);
    const { attention, logits } = known.length ? tokensel.forward(model, ids) : { attention: [], logits: [0] };
    const byWord = new Map();
    known.forEach((token, i) => {
      token.attention = attention[i];
      const disc = byWord.get(token.id) ?? { word: token.word, attention: 0, value: model.values[0][token.id], score: model.scores[token.id] };
      disc.attention += attention[i];
      byWord.set(token.id, disc);
    });
    discs = [...byWord.values()].sort((one, other) => other.attention - one.attention);
    const verdict = !text.trim() ? ["", "Type a sentence."] : !model ? ["", "…"] : tokensel.verdictInWords(tokensel.verdict(tokensel.verdictData, ids, attention, logits[0]));
    const said = model && text in NOTES ? [verdict[0], `${verdict[1]} ${NOTES[text]}`] : verdict;
    boxes.forEach((box) => box.show(tokens, said));
    if (own) say(`${said.join(" ")} ${discs.slice(0, 3).map(({ word, attention: q }) => `${word} ${Math.round(100 * q)}%`).join(", ")}`);
    draw();
  }

  function makeBox(section, ...before) {
    const mirror = element("div", { class: "mirror", "aria-hidden": "true" });
    const area = element("textarea", {
      rows: 2, maxlength: LONGEST, spellcheck: "false", autocomplete: "off", "aria-label": "A sentence of your own", oninput: () => set(area.value),
    });
    const verdict = element("p", { class: "verdict" });
    const link = element("button", {
      type: "button", class: "plain", onclick: async () => {
        const address = `${location.href.split("#")[0]}#front.text=${encodeURIComponent(text)}`;
        await navigator.clipboard?.writeText(address).catch(() => {});
        link.textContent = "The link is in your clipboard, and in the address bar";
        set(text);
        setTimeout(() => { link.textContent = "Copy a link to this sentence"; }, 3000);
      },
    }, "Copy a link to this sentence");
    const box = element("div", { class: "box" }, mirror, area);
    (section.querySelector("p + p") ?? section.querySelector("img")).before(...before, box, verdict, link);
    boxes.push({
      show(tokens, [word, rest]) {
        if (area.value !== text) area.value = text;
        const parts = [];
        let at = 0;
        for (const { start, end, id, attention = 0 } of tokens) {
          const side = id < 0 ? "" : model.values[0][id] < 0 ? "blame" : "praise";
          parts.push(text.slice(at, start), element("span", { class: side || null, style: `--q: ${attention.toFixed(3)}` }, text.slice(start, end)));
          at = end;
        }
        mirror.replaceChildren(...parts, `${text.slice(at)}\u200b`);
        verdict.replaceChildren(...(word ? [element("strong", { class: word === "Praise." ? "praise" : "blame" }, word), " "] : []), rest);
      },
    });
  }

  // ---- true labels or shuffled ones

  const labels = { shuffled: 1 };
  function makeLabels(section) {
    const buttons = ["True labels", "Shuffled labels"].map((name, shuffled) =>
      element("button", { type: "button", onclick: () => { labels.shuffled = shuffled; press(); glide([[{ shuffled }, GLIDE]]); } }, name));
    const press = () => buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === labels.shuffled)));
    press();
    section.querySelector("h2").after(element("div", { class: "chips", role: "group", "aria-label": "Labels" }, ...buttons));
  }

  // ---- theme and menu

  const theme = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("mode"); } catch { return null; } };
  theme.addEventListener("click", () => {
    const to = root.dataset.theme === "dark" ? "light" : "dark";
    root.dataset.theme = to;
    try { for (const key of ["mode", "theme"]) localStorage.setItem(key, to); } catch { /* a browser that keeps nothing */ }
  });
  system.addEventListener("change", () => { if (!["light", "dark"].includes(stored())) root.dataset.theme = system.matches ? "dark" : "light"; });
  const menu = document.querySelector("details.menu");
  addEventListener("keydown", ({ key }) => { if (key === "Escape" && menu.open) { menu.open = false; menu.querySelector("summary").focus(); } });
  addEventListener("click", ({ target }) => { if (!menu.contains(target)) menu.open = false; });

  // ---- begin

  stage.append(
    cloud,
    element("div", { class: "controls" }, play, slider, output, element("p", { class: "quiet" }, "Between recorded rounds, dots move in straight lines.")),
    seen, forScreenReaders,
  );
  makeBox(scenes[4]);
  makeBox(scenes[5], element("div", { class: "chips", role: "group", "aria-label": "Sentences that fool it" },
    ...CHIPS.map((chip) => element("button", { type: "button", onclick: ({ target }) => { set(chip); target.closest(".scene").querySelector(".verdict").scrollIntoView({ block: "nearest" }); } }, chip))));
  makeLabels(scenes[6]);
  enter(0);
  read();
  let watcher = watch();
  wide.addEventListener("change", () => { watcher.disconnect(); watcher = watch(); });
  new ResizeObserver(tokensel.soon(measure)).observe(cloud);
  new MutationObserver(measure).observe(root, { attributeFilter: ["data-theme"] });
  const near = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) boxData();
  }, { rootMargin: "100% 0px" });
  near.observe(scenes[4]);

  /** Go to a sentence that a link brings. */
  function follow() {
    const { text: given } = tokensel.state("front", { text: "" });
    if (!given) return;
    set(given);
    scenes[4].scrollIntoView();
  }
  follow();
  addEventListener("hashchange", follow);

  load("horns_data.js").then(() => {
    const unpacked = ({ steps, values, scores }) => ({ steps, values: values.map(tokensel.unpack), scores: scores.map(tokensel.unpack) });
    sets = { true: unpacked(tokensel.horns.true), shuffled: unpacked(tokensel.horns.shuffled) };
    order = tokensel.horns.words.map((_, word) => word).sort((one, other) => sets.true.values.at(-1)[one] - sets.true.values.at(-1)[other]);
    cloud.setAttribute("aria-valuemax", order.length);
    measure();
  });
})();
