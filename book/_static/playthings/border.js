/* 03_flow's tug of war: one negative token, lone, against k positive allies, in the limit d → ∞. The reader turns the first
   step, which scales all values, and k across the border from which on lone is no longer selected; the flow is followed anew. */
"use strict";

tokensel.plaything("border", (root) => {
  const { element, shown } = tokensel;
  const OTHERS = 60; // irrelevant tokens of value 0, which stand in every text
  const DEPTH = 6; // how far below all others lone starts
  const LENGTHS = Array.from({ length: 61 }, (_, i) => Math.expm1((i / 60) * Math.log1p(2000)));
  const CLOSED = 9; // a lead at which a token has over 0.99 of the attention
  const ACCURACY = 1e-3; // of leads that are drawn on a scale for thousands
  const START = { step: 250, k: 3 };
  const [ALLY, LONE, REST] = [0, 1, 2];
  const others = Array(OTHERS).fill(REST);
  const TEXTS = [{ tokens: [ALLY, ...others], label: 1 }, { tokens: [LONE, ...others], label: 0 }];

  /** The values of each ally and of lone after the step: η₀ ᾱ_s / 2, with k texts of OTHERS + 1 words on either side. */
  const valuesAfter = ({ step, k }) => [step / (4 * (OTHERS + 1)) / k, -step / (4 * (OTHERS + 1)), 0];

  /** p never leaves what all allies, and all others, have in common, so one row stands for each kind: its part in that
      common direction, and the value along v. Leads and lengths are those of the whole corpus. */
  function start(setting) {
    const common = [1 / Math.sqrt(setting.k), 1, 1 / Math.sqrt(OTHERS)];
    const E = valuesAfter(setting).map((value, kind) => [...common.map((part, i) => (i === kind ? part : 0)), value]);
    return { E, p: [0, -DEPTH, 0, 0], v: [[0, 0, 0, 1]] };
  }

  /** The leads of an ally and of lone over the others, where p has come. */
  function leads({ E }, p) {
    const { scores } = tokensel.modelOf({ E, p, v: [] });
    return [ALLY, LONE].map((kind) => scores[kind] - scores[REST]);
  }

  function follow(setting) {
    const begin = start(setting);
    const selected = ({ p }) => leads(begin, p).every((lead) => lead > CLOSED);
    const { points, stopped } = tokensel.flow(begin, TEXTS, LENGTHS, ACCURACY, selected);
    return { points: points.map(({ s, p }) => ({ s, leads: leads(begin, p) })), selected: stopped === "enough" };
  }

  // The drawing: leads over the length of the path, both on scales on which ten times as much is one step further.
  const [WIDTH, HEIGHT, LEFT, MIDDLE] = [360, 250, 48, 117];
  const right = (s) => LEFT + 90 * Math.log10(1 + s);
  const up = (lead) => MIDDLE - 28 * Math.sign(lead) * Math.log10(1 + Math.abs(lead));
  const called = "Leads of lone and of an ally over the irrelevant tokens, along the path";
  const svg = element("svg:svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": called });
  const text = (x, y, words, attributes = {}) => element("svg:text", { x, y, ...attributes }, words);
  const tick = { class: "tick" };
  const atEnd = { ...tick, "text-anchor": "end" };
  svg.append(
    ...[-1000, -100, -10, 0, 10, 100, 1000].map((lead) => text(LEFT - 5, up(lead) + 4, shown(lead, 0), atEnd)),
    ...[1, 10, 100, 1000].map((s) => text(right(s), HEIGHT - 16, shown(s, 0), { ...tick, "text-anchor": "middle" })),
    text(WIDTH - 4, HEIGHT - 3, "length of the path", atEnd),
    text(4, 13, "lead", tick),
    text(LEFT + 6, HEIGHT - 34, "asleep: hardly any attention", tick),
    element("svg:path", { class: "axis", d: `M${LEFT} 0V${HEIGHT - 28}H${WIDTH}M${LEFT} ${MIDDLE}H${WIDTH}` }));
  const curves = svg.appendChild(element("svg:g"));

  function curve(points, kind, side, name) {
    const place = ({ s, leads: all }) => [right(s), up(all[kind])];
    const d = points.map((point) => place(point).map((each) => each.toFixed(1)).join(" ")).join("L");
    const [[x0, y0], [x, y]] = [points[0], points.find(({ s }) => s > 12) ?? points.at(-1)].map(place);
    return [
      element("svg:path", { class: `path ${side}`, d: `M${d}` }),
      element("svg:circle", { fill: `var(--${side})`, cx: x0, cy: y0, r: 4 }),
      text(x, y + (kind === ALLY ? -9 : 19), name, { class: side, "text-anchor": "end" }),
    ];
  }

  // The controls, and what is said.
  const setting = tokensel.state("border", START);
  const redraw = tokensel.soon(draw);
  const slider = (name, key, attributes) => {
    const made = tokensel.slider(name, { ...attributes, value: setting[key] }, (value) => {
      setting[key] = value;
      redraw();
    });
    setting[key] = made.input.valueAsNumber; // within the slider's bounds, whatever the address says
    return made;
  };
  const step = slider("First step η₀", "step", { min: 100, max: 500, step: 2 });
  const many = slider("Allies k", "k", { min: 1, max: 8, step: 1 });
  const heads = ["at the end", "value", "lead", "attention"];
  const numbers = tokensel.table("Value, lead and attention at the end of the path", heads, ["each ally", "lone"]);
  const shares = numbers.shares(2);
  const verdict = element("p", { class: "verdict long" });
  const { root: saidLine, say } = tokensel.said();

  function draw() {
    const { points, selected } = follow(setting);
    const end = points.at(-1);
    const values = valuesAfter(setting);
    const competition = -values[ALLY] * values[LONE] * (1 - 1 / setting.k) * setting.k;
    curves.replaceChildren(...curve(points, ALLY, "praise", "an ally"), ...curve(points, LONE, "blame", "lone"));
    numbers.rows.forEach((cells, kind) => {
      cells[0].textContent = shown(values[kind]);
      cells[1].textContent = shown(end.leads[kind], 1);
      shares[kind].show(1 / (1 + OTHERS * Math.exp(-end.leads[kind])), kind === LONE ? "blame" : "praise");
    });
    const length = `a path of ${shown(end.s, 0)}`;
    const rises = end.leads[LONE] > points.at(-2).leads[LONE]; // in the narrow strip it wakes later than we look
    const told = selected ? "lone wakes" : rises ? "lone still sleeps, but is rising" : "lone sleeps on";
    const said = element("strong", {}, `${told}, after ${length}`);
    const promise = competition <= 1 ? "at most 1: the theorem promises that it wakes" : "above 1: the theorem makes no promise";
    verdict.replaceChildren(said, `. Competition κ\u00a0=\u00a0${shown(competition)}, ${promise}.`);
    step.show(shown(setting.step, 0));
    many.show(shown(setting.k, 0));
    say(verdict.textContent);
    tokensel.remember("border", START, setting);
  }

  const back = () => {
    Object.assign(setting, START);
    [step.input.value, many.input.value] = [START.step, START.k];
    redraw();
  };
  root.setAttribute("aria-label", "One token against several allies");
  root.append(element("div", { class: "plane" },
    svg,
    element("div", {}, element("p", { class: "hint" }, "Raise the first step, or change the number of allies. When does lone never wake?"), step.root, many.root, numbers.root, verdict,
      tokensel.buttons("The tug of war", [["Back to the start", back]]), saidLine)));
  draw();
});
