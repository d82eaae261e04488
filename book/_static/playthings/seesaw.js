/* The see-saw (03_flow): words on posts, on one plank, in the limit d → ∞. Rivals of one value stand against dull, whose value is
 * theirs together, and which starts far below. */
"use strict";

tokensel.plaything("seesaw", (root, place) => {
  const { element, text, number, clamp } = tokensel;
  const OTHERS = 60; // neutral words of value 0, which stand in every text
  const NOTCH = Math.LN10;
  const [SEEN, LATEST] = [17, 26]; // tenfolds of time that the see-saw shows, and the chart
  const REACH = 130; // how far from the middle dull sits
  const STEP = 0.05; // of the path, in scores and log time
  const PACE = 300; // milliseconds for a tenfold
  const [WIDTH, HEIGHT, MIDDLE] = [360, 240, 110];
  const NAMES = ["great", "fine", "lovely", "moving", "funny", "warm", "clever", "lively"];
  const VIEWS = { plank: "Plank", sleep: "Asleep", ladder: "Ladder", depth: "Depth" };
  const WORDS = [["great", 0.9], ["fine", 0.45], ["film", 0], ["slow", -0.45], ["dull", -0.9]]; // to tap, and their values
  const START = { show: place.matches(".unanswered") ? "sleep" : place.closest(".scenes") ? "plank" : "depth", tapped: "", time: 0, k: 3, kappa: 0.7, depth: 2.6 };
  const { now, change, begin, choice, player, slider } = tokensel.settings(root, "seesaw", START, picture, { show: Object.keys(VIEWS) });

  // ---- the flow

  /** The size G of dull's value: κ = G²(1 - 1/k); with one rival κ is 0, and dull's value 1. */
  const size = () => (now.k > 1 ? Math.sqrt(now.kappa / (1 - 1 / now.k)) : 1);

  /** Scores over a neutral word, and the plank's tilt, when all pulls on a rival so far add up to one number, those on dull to another. */
  function scores(rival, dull) {
    const [G, sunk] = [size(), (now.k * rival + dull) / OTHERS];
    const tilt = G * (rival - dull);
    return { tilt, sunk, rival: rival + sunk + (G / now.k) * tilt, dull: dull + sunk - G * tilt - NOTCH * now.depth };
  }

  /** log of how fast such a sum grows: of a word of this value and lead, whose texts weigh so much in the mean. */
  function logPull(lead, value, weight) {
    const odds = lead - Math.log(OTHERS);
    const attention = 1 / (1 + Math.exp(-odds));
    return Math.log(weight * value / (1 + Math.exp(attention * value))) - Math.log1p(Math.exp(-Math.abs(odds))) * 2 - Math.abs(odds);
  }

  /** The path in log time, in small steps of its own length, since dull wakes within a blink: [{log: of time, rival, dull}]. */
  function follow() {
    const direction = ([log, rival, dull]) => {
      const { rival: ahead, dull: behind } = scores(rival, dull);
      const fast = [0, log + logPull(ahead, size() / now.k, 0.5 / now.k), log + logPull(behind, size(), 0.5)];
      const most = Math.max(...fast);
      const way = fast.map((each) => Math.exp(each - most));
      return way.map((each) => each / Math.hypot(...way));
    };
    const moved = (from, way, far) => from.map((each, i) => each + far * way[i]);
    let at = [-5, 0, 0];
    const points = [at];
    while (at[0] < LATEST * NOTCH && points.length < 9999) { // Runge and Kutta's rule
      const one = direction(at);
      const two = direction(moved(at, one, STEP / 2));
      const three = direction(moved(at, two, STEP / 2));
      const four = direction(moved(at, three, STEP));
      at = moved(at, one.map((each, i) => (each + 2 * two[i] + 2 * three[i] + four[i]) / 6), STEP);
      points.push(at);
    }
    return points.map(([log, rival, dull]) => ({ time: log / NOTCH, rival, dull, depth: -scores(rival, dull).dull / NOTCH }));
  }

  let [path, of] = [null, null];
  function followed() {
    const asked = [now.k, now.kappa, now.depth].join();
    if (asked !== of) [path, of] = [follow(), asked];
    return path;
  }
  const at = (time) => followed().find((each) => each.time >= time) ?? path.at(-1);
  /** When dull wakes, in tenfolds of time; it may not. */
  const wakes = () => followed().find(({ depth }) => depth < 0)?.time;
  /** How many notches a tenfold dull sinks while it sleeps, once its rivals have most of the attention. */
  function slope() {
    const [from, to] = [4.5, Math.min((wakes() ?? LATEST) - 4, 13)];
    return to > from ? (at(to).depth - at(from).depth) / (at(to).time - at(from).time) : null;
  }

  // ---- what is drawn

  const drawing = element("svg:svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": "The see-saw" });
  const layer = drawing.appendChild(element("svg:g"));

  /** Words on the plank: [{name, value, post, onclick}]. `notch` is how high one is. */
  function plank(words, tilt, notch, reach) {
    const across = (value) => WIDTH / 2 + value * reach;
    const down = (height) => MIDDLE - (height / NOTCH) * notch;
    const end = 1.12 * Math.max(...words.map(({ value }) => Math.abs(value)));
    const label = (words, x) => text(x, HEIGHT - 4, words, "middle", "tick");
    return [
      element("svg:path", { class: "pivot", d: `M${WIDTH / 2} ${MIDDLE}L${WIDTH / 2 - 12} ${HEIGHT - 22}h24Z` }),
      element("svg:path", { class: "plank", d: `M${across(-end)} ${down(-end * tilt)}L${across(end)} ${down(end * tilt)}` }),
      label("← blame", 60), label("praise →", WIDTH - 60),
      ...words.map(({ name, value, post, aside = 0, onclick }) => {
        const [x, foot, top] = [across(value) + aside, down(value * tilt), down(value * tilt + post)];
        const side = value > 0 ? "praise" : value < 0 ? "blame" : "other";
        return element("svg:g", { class: `word ${side}${onclick ? " taps" : ""}`, onclick },
          element("svg:path", { class: "post", d: `M${x} ${foot}V${top}` }),
          element("svg:circle", { cx: x, cy: top, r: 6 }), text(clamp(x, 20, WIDTH - 60), top + (post < 0 ? 22 : -12), name, "middle"));
      }),
    ];
  }

  /** The plank under a finger: each tap is a text that pulls for a word. */
  function tappedPlank() {
    const taps = now.tapped.split("_").filter((name) => WORDS.some(([word]) => word === name));
    const count = (word) => taps.filter((each) => each === word).length;
    const tilt = WORDS.reduce((sum, [word, value]) => sum + 0.7 * count(word) * value, 0);
    const words = WORDS.map(([name, value]) => ({ name, value, post: 1.5 + 0.7 * count(name), onclick: () => tap(name) }));
    const [name, value] = WORDS.find(([word]) => word === taps.at(-1)) ?? [];
    readout.textContent = !name ? "Tap a word: a text pulls for it." : !value ? `“${name}” rises. Its value is 0, so the plank stays.`
      : `“${name}” rises, and the plank tips: all ${value > 0 ? "blame" : "praise"} sinks.`;
    return plank(words, tilt, 32, 150);
  }
  const tap = (name) => change({ tapped: [...now.tapped.split("_").filter(Boolean), name].slice(-8).join("_") });

  /** The six texts' see-saw at some time. */
  function flowing() {
    const { rival, dull, depth } = at(now.time);
    const { tilt, sunk } = scores(rival, dull);
    const value = size() / now.k;
    const called = now.k > 3 ? `${now.k} rivals` : NAMES.slice(0, now.k).join(", ");
    const rivals = Array.from({ length: now.k }, (_, i) => ({ name: i ? "" : called, value, post: rival, aside: 12 * (i - (now.k - 1) / 2) }));
    const words = [...rivals, { name: "neutral", value: 0, post: -sunk }, { name: "dull", value: -size(), post: dull - NOTCH * now.depth }];
    const high = Math.min(MIDDLE / (SEEN + 1), MIDDLE / (depth + 2)); // a notch
    return [...(now.show === "ladder" ? rungs(WIDTH / 2 - REACH, MIDDLE + (sunk * high) / NOTCH, high) : []), ...plank(words, tilt, high, REACH / size())];
  }

  const power = (x) => [...String(x)].map((each) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[each]).join("");
  const tens = (time) => (time < 0.5 ? "1" : `10${power(Math.round(time))}`);

  /** Notches below a height, and how little dull pulls there. */
  function rungs(x, top, high) {
    const down = (notch) => top + high * notch;
    return [
      element("svg:path", { class: "rung", d: Array.from({ length: Math.floor((HEIGHT - 24 - top) / high) }, (_, notch) => `M${x - 12} ${down(notch)}h24`).join("") }),
      ...[0, 3, 6, 9, 12, 15].filter((notch) => down(notch) < HEIGHT - 28)
        .map((notch) => text(x - 15, down(notch) + 5, notch ? `10⁻${power(notch)}` : "pull 1", "end", "tick")),
    ];
  }

  const chart = tokensel.chart({
    label: "Depth of dull below the neutral words, in notches, over tenfolds of time", width: WIDTH, height: 220, left: 40,
    x: { range: [0, LATEST], ticks: [0, 5, 10, 15, 20, 25].map((each) => [each, tens(each)]), name: "time" },
    y: { range: [30, -3], ticks: [0, 10, 20, 30].map((each) => [each, String(each)]), name: "notches down" },
  });
  function curve() {
    const seen = followed().filter(({ time }) => time >= 0);
    const least = seen[0].depth;
    chart.layer.replaceChildren(
      chart.line([0, LATEST], [0, 0], "axis"), chart.line([0, 30 - least], [least, 30], "threshold"),
      chart.line(seen.map(({ time }) => time), seen.map(({ depth }) => clamp(depth, -3, 30)), "path blame"));
  }

  // ---- what is said

  const readout = element("p", { class: "readout" });
  const cards = element("p", { class: "cards" });
  function drawCards() {
    const { rival, dull } = at(now.time);
    const { rival: ahead, dull: behind } = scores(rival, dull);
    const pulls = [logPull(ahead, size() / now.k, 1 / now.k), logPull(behind, size(), 1 / now.k)];
    const shade = pulls.map((each) => clamp(1 + (each - Math.max(...pulls)) / (3 * NOTCH), 0, 1));
    cards.replaceChildren(...NAMES.slice(0, now.k).map((name) => element("span", { class: "pulling praise", style: `--pull: ${shade[0]}` }, name)),
      ...Array.from({ length: now.k }, () => element("span", { class: "pulling blame", style: `--pull: ${shade[1]}` }, "dull")));
  }
  const TOLD = {
    sleep: () => `“dull” is ${at(now.time).depth > 0 ? "asleep" : "awake"}.`,
    ladder: () => {
      const { depth } = at(now.time);
      return depth > 0 ? `“dull” is ${number(depth, 1)} notches down.` : "“dull” is awake.";
    },
    depth: () => {
      const [G, sinks, woken] = [size(), slope(), wakes()];
      const [kappa, border] = [G * G * (1 - 1 / now.k), 1 + (2 * now.k) / OTHERS];
      const pace = sinks === null ? "“dull”" : `“dull” sinks ${number(sinks, 2)} notches while time grows tenfold, and`;
      return `κ = ${number(kappa, 2)}, border ${number(border, 2)}. ${pace} ${woken ? `wakes near ${tens(woken)}` : kappa > border ? "sleeps on" : `still sleeps${kappa > 1 ? "" : ", but must wake"}`}. Dashed: one notch.`;
    },
  };

  // ---- the hand

  const play = player("time", SEEN, PACE);
  let view = null;

  function picture() {
    if (view !== now.show) {
      view = now.show;
      play.stop();
    }
    if (view === "depth") curve();
    else layer.replaceChildren(...(view === "plank" ? tappedPlank() : flowing()));
    if (view === "sleep") drawCards();
    if (TOLD[view]) readout.textContent = TOLD[view]();
    for (const [part, ...of] of parts) part.style.display = of.includes(view) ? "" : "none";
    root.dataset.show = view;
    return readout.textContent;
  }

  root.setAttribute("aria-label", "The see-saw of words");
  const parts = [
    [drawing, "plank", "sleep", "ladder"], [chart.root, "depth"], [readout, ...Object.keys(VIEWS)], [cards, "sleep"],
    [tokensel.buttons("A text pulls for", WORDS.map(([name]) => [name, () => tap(name)])), "plank"], [play.root, "sleep", "ladder"],
    [slider("time", "Time", { min: 0, max: SEEN, step: 0.1 }, tens), "sleep", "ladder"],
    [slider("kappa", "Competition κ", { min: 0, max: 2, step: 0.05 }, (kappa) => number(kappa, 2)), "depth"],
  ];
  const all = choice("show", "What is shown", Object.entries(VIEWS));
  begin(...(place.closest(".scenes") ? [] : [all]), element("div", { class: "plane maps" }, drawing, chart.root,
    element("div", { class: "beside" }, ...parts.slice(2).map(([part]) => part))));
});
