/* The front page: one cloud of words beside an essay of eight scenes, whose still pictures it takes the place of. */
"use strict";

(() => {
  const { element, clamp, load, set } = tokensel;
  const root = document.documentElement;
  const stage = document.getElementById("stage");
  const scenes = [...document.querySelectorAll(".scene")];
  const wide = matchMedia("(min-width: 1000px)");

  const FRAME = { x: [-23.5, 19.5], y: [-3.1, 2.75] };
  const NEAR = 5; // times, in the second scene
  const CENTRE = { x: 0, y: -0.14 };
  const LAST = 20; // steps
  const NAMES = { worst: "r", boring: "l", bad: "l", not: "l", movie: "bl", the: "br", good: "r", great: "r", excellent: "t" };
  const GLIDE = 550; // ms
  const texts = ["The story is slow, but the music is wonderful.", "The film was not bad."]; // of the boxes, in scenes 4 and 5
  const NOTES = { // what a person says of the sentences that fool it
    "The film was not bad.": "Here it is wrong: a person reads praise.",
    "Nobody can call this film boring.": "Here it is wrong: a person reads praise. The network sees little but “boring”.",
    "today": "But a person finds no opinion in it.",
  };
  const CHIPS = ["The film was not bad.", "the the the the", "Nobody can call this film boring.", "today"];
  const LONGEST = 1000; // characters

  // What is seen in each scene. Names are written once the step `since` is past.
  const VIEWS = [
    { sentence: true, round: 0, quiet: true },
    { round: 0, names: {}, note: "493 words" },
    { round: 5, near: 1, most: 5, names: { bad: "r", great: "l", the: "r" }, since: 2 },
    { round: LAST, names: NAMES, since: 10 },
    { round: LAST, faint: 1, quiet: true },
    { round: LAST, faint: 1, quiet: true },
    { round: LAST, shuffled: 1, since: 10 },
    { round: LAST, names: { worst: "r", the: "br", excellent: "t" }, since: 10 },
  ];

  let scene = -1;
  let sets = null; // {true, shuffled}: {steps, values, scores: one list a step}
  let order = []; // of the words, by their value in the end
  let chosen = -1; // a word
  const now = { round: 0, near: 0, faint: 0, shuffled: 0 };
  let discs = []; // of the sentence: {word, attention, value, score}

  // ---- where words are

  /** The value and score of a word at a step, which may lie between two that were recorded. */
  function spot({ steps, values, scores }, word, round) {
    let to = steps.findIndex((step) => step >= round);
    if (to < 0) to = steps.length - 1;
    const from = Math.max(0, to - 1);
    const part = to === from ? 0 : (round - steps[from]) / (steps[to] - steps[from]);
    return [values, scores].map((list) => mix(list[from][word], list[to][word], part));
  }
  const side = (value) => (value < 0 ? "blame" : "praise");
  const mix = (from, to, part) => from + part * (to - from);
  function where(word) {
    const at = spot(sets.true, word, now.round);
    if (!now.shuffled) return at;
    const other = spot(sets.shuffled, word, now.round);
    return at.map((each, axis) => mix(each, other[axis], now.shuffled));
  }

  // ---- the drawing

  const canvas = element("canvas");
  const cloud = element("div", {
    class: "cloud", tabindex: 0, role: "slider", "aria-roledescription": "cloud of words", "aria-describedby": "seen",
    "aria-label": "The cloud: arrow keys go from word to word", "aria-valuemin": 1, "aria-valuemax": 1, "aria-valuenow": 1,
  }, canvas);
  const seen = element("p", { id: "seen", class: "said" });
  const note = element("p", { class: "quiet" });
  const pen = canvas.getContext("2d");
  let [width, height, sharp] = [0, 0, 1];
  const INKS = ["blame", "praise", "quiet", "rule", "ink", "paper"];
  const ink = {}; // colours

  const EDGE = { side: 10, top: 30, bottom: 34 }; // pixels
  function ends(axis) {
    const [low, high] = FRAME[axis];
    const middle = (low + high) / 2;
    return FRAME[axis].map((end) => mix(end, CENTRE[axis] + (end - middle) / NEAR, now.near));
  }
  /** What takes value and score to pixels, at this moment. */
  function projection() {
    const [[left, right], [low, high]] = [ends("x"), ends("y")];
    return ([x, y]) => [
      mix(EDGE.side, width - EDGE.side, (x - left) / (right - left)),
      mix(height - EDGE.bottom, EDGE.top, (y - low) / (high - low)),
    ];
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

  /** A word beside its ringed point: left, right, top or bottom; where the frame ends, opposite. */
  function label(word, [x, y], aside, radius = 5) {
    const out = { l: x - radius - long(word) < 0, r: x + radius + 6 + long(word) > width };
    const to = aside.replace(/[lr]/, (way) => (out[way] ? { l: "r", r: "l" }[way] : way));
    const [way, align] = to.includes("l") ? [-1, "right"] : to.includes("r") ? [1, "left"] : [0, "center"];
    const down = to.includes("b") ? 19 : to.includes("t") ? -11 : 5;
    const most = to === "t" ? width - long(word) / 2 - 1 : Infinity;
    write(word, Math.min(x, most) + way * (radius + 5), y + down, { align });
  }
  function circle([x, y], radius) {
    pen.beginPath();
    pen.arc(x, y, radius, 0, 7);
  }
  function disc(at, radius, colour) {
    circle(at, radius);
    pen.fillStyle = colour;
    pen.fill();
  }
  function ring(at, radius = 5) {
    circle(at, radius);
    pen.lineWidth = 1.5;
    pen.strokeStyle = ink.ink;
    pen.stroke();
  }

  function drawAxes(place) {
    const [x] = place([0, 0]);
    pen.fillStyle = ink.rule;
    pen.fillRect(x - 0.5, EDGE.top, 1, height - EDGE.top - EDGE.bottom);
    const quiet = { colour: ink.quiet, bold: false, size: 14 };
    write("↑ gets attention", x + 8, 22, quiet);
    write("↓ ignored", x - 8, height - 38, { ...quiet, align: "right" });
    write("← speaks for blame", 2, height - 10, { ...quiet, colour: ink.blame });
    write("speaks for praise →", width - 2, height - 10, { ...quiet, colour: ink.praise, align: "right" });
    const scale = now.near > 0.5 ? `enlarged ${NEAR} times` : now.shuffled > 0.5 ? "shuffled labels" : "";
    if (scale) write(scale, 2, 22, quiet);
  }

  function draw() {
    if (!sets || !width || VIEWS[scene].sentence) return;
    const view = VIEWS[scene];
    const place = projection();
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, width, height);
    drawAxes(place);
    pen.globalAlpha = mix(0.55, 0.15, now.faint);
    for (let word = 0; word < tokensel.horns.words.length; word++) {
      const at = where(word);
      disc(place(at), wide.matches ? 3.2 : 2.4, now.round < 0.3 ? ink.quiet : ink[side(at[0])]);
    }
    pen.globalAlpha = 1;
    if (view.note && now.round < 0.3) {
      const [x, y] = place([0, 0]);
      ring([x, y], 10);
      write(view.note, x + 18, y + 5);
    }
    if (view.faint) drawDiscs(place);
    else if (now.round >= (view.since ?? 0)) drawNames(place, view);
  }

  function drawNames(place, view) {
    const words = tokensel.horns.words;
    const shown = new Map(Object.entries(view.shuffled ? tipsNow() : view.names).filter(([word]) => words.includes(word)));
    if (!wide.matches) shown.delete("boring");
    if (chosen >= 0) shown.set(words[chosen], where(chosen)[0] < 0 ? "r" : "l");
    const [chosenX, chosenY] = chosen >= 0 && now.round > 0.3 ? place(where(chosen)) : [Infinity, Infinity];
    for (const [word, aside] of shown) {
      const [x, y] = place(where(words.indexOf(word)));
      const tooNear = Math.abs(y - chosenY) < 20 && Math.abs(x - chosenX) < 110;
      if (tooNear && word !== words[chosen]) continue;
      ring([x, y]);
      label(word, [x, y], aside);
    }
  }

  /** The loudest word of either side with shuffled labels, and two that true labels made loud. */
  let tips = null;
  function tipsNow() {
    const { values, scores } = sets.shuffled;
    tips ??= ["blame", "praise"].map((kind) => order.filter((word) => side(values.at(-1)[word]) === kind)
      .reduce((one, other) => (scores.at(-1)[other] > scores.at(-1)[one] ? other : one)));
    const [left, right] = tips.map((word) => tokensel.horns.words[word]);
    if (now.shuffled > 0.5) return { [left]: "t", [right]: "t", worst: "br", excellent: "bl" };
    return { worst: "r", the: "br", excellent: "t", [left]: "l", [right]: "r" };
  }

  function drawDiscs(place) {
    const full = wide.matches ? 36 : 26; // the radius of a word with all of the attention
    pen.globalAlpha = 0.85 * now.faint;
    const within = ([x, y]) => [clamp(x, 8, width - 8), clamp(y, EDGE.top, height - EDGE.bottom)];
    const all = discs.map((each) => ({
      ...each, at: within(place([each.value, each.score])), radius: Math.max(3, full * Math.sqrt(each.attention)),
    }));
    for (const { value, at, radius } of all) disc(at, radius, ink[side(value)]);
    pen.globalAlpha = now.faint;
    const taken = [];
    for (const { word, value, attention, at: [x, y], radius } of all.slice(0, 3)) {
      let down = y;
      const overOther = (other) => Math.abs(other[0] - x) < 150 && Math.abs(other[1] - down) < 18;
      while (taken.some(overOther)) down += 18;
      taken.push([x, down]);
      label(`${word} ${Math.round(100 * attention)}%`, [x, down], value < 0 ? "r" : "l", radius + 2);
    }
    pen.globalAlpha = 1;
  }

  function measure() {
    [width, height, sharp] = [cloud.clientWidth, cloud.clientHeight, Math.min(2, devicePixelRatio || 1)];
    [canvas.width, canvas.height] = [width * sharp, height * sharp];
    tokensel.inks(canvas, INKS).forEach((colour, i) => { ink[INKS[i]] = colour; });
    draw();
  }

  // ---- motion: one thing at a time

  let halt = () => {}; // what moves now

  /** Take what is seen to where it should be, part after part. */
  function glide([part, ...rest], done = () => {}) {
    halt();
    if (!part) return done();
    const [goal, time] = part;
    const from = { ...now };
    if (Object.entries(goal).every(([key, to]) => from[key] === to)) return glide(rest, done);
    halt = tokensel.animate(sets ? time : 0, (share) => {
      const eased = goal.round === undefined ? share * share * (3 - 2 * share) : share;
      for (const key in goal) now[key] = share < 1 ? mix(from[key], goal[key], eased) : goal[key];
      show();
      if (share === 1) glide(rest, done);
    });
  }

  function show() {
    slider.value = Math.round(now.round);
    output.textContent = `step ${Math.round(now.round)}`;
    slider.setAttribute("aria-valuetext", output.textContent);
    draw();
  }

  // ---- the slider

  const play = tokensel.button("▶", () => (playing() ? stop() : start()), { class: "play", "aria-label": "Play" });
  const slider = element("input", {
    type: "range", min: 0, max: LAST, step: 1, value: 0, "aria-label": "Step of training", autocomplete: "off",
    oninput: () => {
      stop();
      halt();
      now.round = slider.valueAsNumber;
      show();
    },
  });
  const output = element("output", { "aria-live": "off" }, "step 0");
  const playing = () => play.textContent !== "▶";
  const offer = (sign, name) => set(play, { "aria-label": name }).replaceChildren(sign);
  function stop() {
    if (playing()) halt();
    offer("▶", "Play");
  }
  function start() {
    const most = Number(slider.max);
    if (now.round >= most) now.round = 0;
    offer("❚❚", "Pause");
    glide([[{ round: most }, (most - now.round) * (most > 5 ? 220 : 500)]], stop);
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
    const { near = 0, faint = 0 } = view;
    set(cloud, { "aria-valuenow": 1, "aria-valuetext": "no word chosen" });
    note.textContent = view.note ? "Between recorded steps, dots move in straight lines." : "";
    const shuffled = view.shuffled ? asked : 0;
    glide([[{ near, faint, shuffled }, GLIDE], [{ round: view.round }, GLIDE]], () => { stage.dataset.still = true; });
    if (view.faint) turnTo(scene - 4);
    makeRoom();
    draw();
  }

  /** The scene is the one at the middle of a laptop's window, or below the cloud on what a keyboard leaves of a phone's. */
  function watch() {
    const { offsetTop, height: visible } = visualViewport;
    const line = Math.round(wide.matches ? innerHeight / 2 : offsetTop + 0.76 * visible);
    const watcher = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) enter(scenes.indexOf(entry.target));
    }, { rootMargin: `${-line}px 0px ${line - innerHeight}px` });
    scenes.forEach((each) => watcher.observe(each));
    return watcher;
  }

  /** On a phone, a keyboard needs room: the cloud shrinks, and box and verdict stand between it and the keys. */
  function makeRoom() {
    const typing = !wide.matches && document.activeElement.matches(".box textarea");
    stage.classList.toggle("small", typing);
    if (!typing) return;
    const box = document.activeElement.closest(".box");
    const edges = (part) => part.getBoundingClientRect();
    const above = edges(box).top - 8 - edges(stage).bottom;
    const below = edges(box.nextElementSibling).bottom + 8 - visualViewport.offsetTop - visualViewport.height;
    if (above < 0 || below > 0) scrollBy({ top: below > 0 ? below : above, behavior: "instant" });
  }

  // ---- a word of the cloud, by mouse, finger or keys

  const mayChoose = () => sets && !VIEWS[scene].quiet && now.round >= 0.3;
  function choose(word) {
    if (word === chosen) return;
    chosen = word;
    if (word >= 0) {
      const [x, y] = where(word);
      const told = `${tokensel.horns.words[word]}: speaks for ${side(x)}, score ${y.toFixed(1)}`;
      set(cloud, { "aria-valuenow": order.indexOf(word) + 1, "aria-valuetext": told });
    }
    draw();
  }
  function under(event) {
    if (!mayChoose()) return -1;
    const [box, place] = [cloud.getBoundingClientRect(), projection()];
    let [found, least] = [-1, 24];
    for (const word of order) {
      const [x, y] = place(where(word));
      const away = Math.hypot(x - event.clientX + box.left, y - event.clientY + box.top);
      if (away < least) [found, least] = [word, away];
    }
    return found;
  }
  set(cloud, {
    onpointermove: (event) => event.pointerType === "mouse" && choose(under(event)),
    onpointerleave: (event) => event.pointerType === "mouse" && choose(-1),
    onclick: (event) => choose(under(event)),
  });
  tokensel.onArrows(cloud, ([right, up]) => {
    if (!mayChoose()) return false;
    const at = chosen < 0 ? Math.floor(order.length / 2) : order.indexOf(chosen) + right + up;
    return choose(order[clamp(at, 0, order.length - 1)]);
  });

  // ---- the text boxes

  let here = 0; // the box whose words are in the cloud
  let own = false; // whether the reader has typed or tapped something
  const boxes = [];
  const { root: forScreenReaders, say } = tokensel.said();

  let model = null;
  let loading = null;
  /** Load what the boxes need, once. */
  const boxData = () => (loading ??= Promise.all(["words.js", "stopped.js", "verdict.js"].map(load)).then(() => {
    const { scores, values } = tokensel.stopped;
    model = { vocabulary: tokensel.vocabulary, scores: tokensel.unpack(scores), values: [tokensel.unpack(values)] };
    read();
  }));

  function turnTo(box) {
    here = box;
    boxData().then(read);
  }
  function use(box, what) {
    [own, here, texts[box]] = [true, box, what.slice(0, LONGEST)];
    read();
    tokensel.remember("front", { text: "" }, { text: texts[box] });
  }

  function read() {
    boxes.forEach((box, at) => readBox(texts[at], box, at === here));
    makeRoom();
    draw();
  }

  function readBox(text, box, shown) {
    const reading = model ? tokensel.reading(model, text) : { tokens: [], known: [] };
    const said = !text.trim() ? ["", "Type a sentence."] : model ? tokensel.verdictInWords(reading) : ["", "…"];
    if (model && text in NOTES) said[1] += ` ${NOTES[text]}`;
    box(text, reading.tokens, said);
    if (!shown) return;
    const byWord = new Map();
    for (const token of reading.known) byWord.set(token.id, { ...token, attention: (byWord.get(token.id)?.attention ?? 0) + token.attention });
    discs = [...byWord.values()].sort((one, other) => other.attention - one.attention);
    const loudest = discs.slice(0, 3).map(({ word, attention }) => `${word} ${Math.round(100 * attention)}%`);
    if (own) say(`${said.join(" ")} ${loudest.join(", ")}`);
  }

  function makeBox(at, ...before) {
    const mirror = element("div", { class: "mirror", "aria-hidden": "true" });
    const area = element("textarea", {
      rows: 2, maxlength: LONGEST, spellcheck: "false", autocomplete: "off", "aria-label": "A sentence of your own", oninput: () => use(at, area.value),
    });
    const verdict = element("p", { class: "verdict" });
    const COPY = "Copy a link to this sentence";
    const link = tokensel.button(COPY, async () => {
      const address = `${location.href.split("#")[0]}#front.text=${encodeURIComponent(texts[at])}`;
      await navigator.clipboard?.writeText(address).catch(() => {});
      link.textContent = "The link is in your clipboard, and in the address bar";
      use(at, texts[at]);
      setTimeout(() => { link.textContent = COPY; }, 3000);
    }, { class: "plain" });
    const box = element("div", { class: "box" }, mirror, area);
    scenes[4 + at].querySelector("p + p, img").before(...before, box, verdict, link);
    boxes.push((text, tokens, [word, rest]) => {
      if (area.value !== text) area.value = text;
      mirror.replaceChildren(...tokensel.spelled(text, tokens, ({ id, attention = 0, value }) =>
        ({ class: id < 0 ? null : side(value), style: `--q: ${attention.toFixed(3)}` })), "\u200b");
      verdict.replaceChildren(...tokensel.judged(word, rest));
    });
  }

  // ---- true labels or shuffled ones

  let asked = 1; // shuffled ones
  const labels = tokensel.choice("Labels", [[0, "True labels"], [1, "Shuffled labels"]], (shuffled) => {
    asked = shuffled;
    labels.show(asked);
    glide([[{ shuffled }, GLIDE]]);
  });
  labels.show(asked);
  labels.root.className = "chips";
  scenes[6].querySelector("h2").after(labels.root);

  // ---- theme

  const theme = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("mode"); } catch { return null; } };
  theme.addEventListener("click", () => {
    const to = root.dataset.theme === "dark" ? "light" : "dark";
    root.dataset.theme = to;
    try { for (const key of ["mode", "theme"]) localStorage.setItem(key, to); } catch { /* a browser that keeps nothing */ }
  });
  system.addEventListener("change", () => { if (!["light", "dark"].includes(stored())) root.dataset.theme = system.matches ? "dark" : "light"; });

  // ---- begin

  stage.append(cloud, element("div", { class: "controls" }, play, slider, output, note), seen, forScreenReaders);
  const chips = tokensel.buttons("Sentences that fool it", CHIPS.map((chip) => [chip, () => {
    use(1, chip);
    scenes[5].querySelector(".verdict").scrollIntoView({ block: "nearest" });
  }]));
  chips.className = "chips";
  makeBox(0);
  makeBox(1, chips);
  enter(0);
  read();
  let watcher = watch();
  visualViewport.addEventListener("resize", () => {
    watcher.disconnect();
    watcher = watch();
    makeRoom();
  });
  for (const change of ["focusin", "focusout"]) root.addEventListener(change, makeRoom);
  new ResizeObserver(tokensel.soon(measure)).observe(cloud);
  new MutationObserver(measure).observe(root, { attributeFilter: ["data-theme"] });
  /** Load what a part needs when a reader comes near. */
  const near = (part, then) => new IntersectionObserver((entries, watcher) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watcher.disconnect();
    then();
  }, { rootMargin: "100% 0px" }).observe(part);
  near(scenes[4], boxData);
  for (const name of ["luck", "heads"]) near(document.querySelector(`.plaything-${name}`), async () => {
    document.getElementById("of-games").disabled = false;
    for (const file of ["chart.js", `${name}_data.js`, `${name}.js`]) await load(file);
  });

  /** Go to a sentence that a link brings. */
  function follow() {
    const { text: given } = tokensel.state("front", { text: "" });
    if (!given) return;
    use(0, given);
    scenes[4].scrollIntoView();
  }
  follow();
  addEventListener("hashchange", follow);

  load("horns_data.js").then(() => {
    const unpacked = ({ steps, values, scores }) => ({ steps, values: values.map(tokensel.unpack), scores: scores.map(tokensel.unpack) });
    sets = { true: unpacked(tokensel.horns.true), shuffled: unpacked(tokensel.horns.shuffled) };
    const said = sets.true.values.at(-1);
    order = tokensel.horns.words.map((_, word) => word).sort((one, other) => said[one] - said[other]);
    cloud.setAttribute("aria-valuemax", order.length);
    measure();
  });
})();
