/* Chapter 3's tug of war: one strong negative token against k weak positive ones, in the limit d → ∞. The reader turns the first
   step, which scales all values, and k across the border from which on strong is no longer selected; the flow is followed anew. */
"use strict";

tokensel.plaything("border", (root) => {
  const { element, shown } = tokensel;
  const OTHERS = 60; // irrelevant tokens of value 0, which stand in every text
  const DEPTH = 6; // how far below all others strong starts
  const LENGTHS = Array.from({ length: 61 }, (_, i) => Math.expm1((i / 60) * Math.log1p(2000)));
  const CLOSED = 9; // a lead at which a token has over 0.99 of the attention
  const ACCURACY = 1e-3; // of leads that are drawn on a scale for thousands
  const START = { step: 250, k: 3 };
  const [WEAK, STRONG, REST] = [0, 1, 2];
  const others = Array(OTHERS).fill(REST);
  const TEXTS = [{ tokens: [WEAK, ...others], label: 1 }, { tokens: [STRONG, ...others], label: 0 }];

  /** The values of strong and of each weak token after the step: η₀ ᾱ_s / 2, with k texts of OTHERS + 1 words on either side. */
  const valuesAfter = ({ step, k }) => [step / (4 * (OTHERS + 1)) / k, -step / (4 * (OTHERS + 1)), 0];

  /** p never leaves what all weak tokens, and all others, have in common, so one row stands for each kind: its part in that
      common direction, and the value along v. Leads and lengths are those of the whole corpus. */
  function start(setting) {
    const common = [1 / Math.sqrt(setting.k), 1, 1 / Math.sqrt(OTHERS)];
    const E = valuesAfter(setting).map((value, kind) => [...common.map((part, i) => (i === kind ? part : 0)), value]);
    return { E, p: [0, -DEPTH, 0, 0], v: [[0, 0, 0, 1]] };
  }

  /** The leads of weak and strong over the others, where p has come. */
  function leads({ E }, p) {
    const { scores } = tokensel.modelOf({ E, p, v: [] });
    return [WEAK, STRONG].map((kind) => scores[kind] - scores[REST]);
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
  const called = "Leads of strong and of a weak token over the irrelevant ones, along the path";
  const svg = element("svg:svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": called });
  const text = (x, y, words, attributes = {}) => element("svg:text", { x, y, ...attributes }, words);
  const tick = { class: "tick" };
  const atEnd = { ...tick, "text-anchor": "end" };
  svg.append(
    ...[-1000, -100, -10, 0, 10, 100, 1000].map((lead) => text(LEFT - 5, up(lead) + 4, shown(lead, 0), atEnd)),
    ...[1, 10, 100, 1000].map((s) => text(right(s), HEIGHT - 16, shown(s, 0), { ...tick, "text-anchor": "middle" })),
    text(WIDTH - 4, HEIGHT - 3, "length of the path", atEnd),
    text(4, 13, "lead", tick),
    element("svg:path", { class: "axis", d: `M${LEFT} 0V${HEIGHT - 28}H${WIDTH}M${LEFT} ${MIDDLE}H${WIDTH}` }));
  const curves = svg.appendChild(element("svg:g"));

  function curve(points, kind, side, name) {
    const d = points.map(({ s, leads: all }) => `${right(s).toFixed(1)} ${up(all[kind]).toFixed(1)}`).join("L");
    const last = points.at(-1);
    const [x, y] = [right(last.s), up(last.leads[kind])];
    return [
      element("svg:path", { class: `path ${side}`, d: `M${d}` }),
      text(x - 8, kind === WEAK ? y - 8 : y + (last.leads[kind] > 0 ? 18 : 4), name, { class: side, "text-anchor": "end" }),
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
  const many = slider("Weak words k", "k", { min: 1, max: 8, step: 1 });
  const heads = ["at the end", "value", "lead", "attention"];
  const numbers = tokensel.table("Value, lead and attention at the end of the path", heads, ["each weak", "strong"]);
  const shares = numbers.shares(2);
  const verdict = element("p", { class: "verdict long" });
  const { root: saidLine, say } = tokensel.said();

  function draw() {
    const { points, selected } = follow(setting);
    const end = points.at(-1);
    const values = valuesAfter(setting);
    const competition = -values[WEAK] * values[STRONG] * (1 - 1 / setting.k) * setting.k;
    const border = 1 + (2 * setting.k) / OTHERS;
    curves.replaceChildren(...curve(points, WEAK, "praise", "weak"), ...curve(points, STRONG, "blame", "strong"));
    numbers.rows.forEach((cells, kind) => {
      cells[0].textContent = shown(values[kind]);
      cells[1].textContent = shown(end.leads[kind], 1);
      shares[kind].show(1 / (1 + OTHERS * Math.exp(-end.leads[kind])), kind === STRONG ? "blame" : "praise");
    });
    const found = selected ? `selected after a path of ${shown(end.s, 0)}` : `not selected on a path of ${shown(end.s, 0)}`;
    const beyond = `above 1: no promise; these ${OTHERS} irrelevant tokens let strong come back up to 1 + 2k/${OTHERS} = ${shown(border)}`;
    const promise = competition <= 1 ? "at most 1: the theorem promises selection" : beyond;
    const said = element("strong", { class: selected ? "praise" : "blame" }, found);
    verdict.replaceChildren("strong is ", said, `. Competition κ\u00a0=\u00a0${shown(competition)}, ${promise}.`);
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
  root.setAttribute("aria-label", "One strong token against several weak ones");
  root.append(element("div", { class: "plane" },
    element("p", { class: "hint" }, "strong: one word of blame, say awful; weak: k words of praise, say fine, nice, okay. ",
      "Their competition κ says how strongly the weak ones together hold strong back. ",
      "Turn up the first step, or change k: from where on is strong lost?"),
    svg,
    element("div", {}, step.root, many.root, numbers.root, verdict,
      tokensel.buttons("The tug of war", [["Back to the start", back]]), saidLine)));
  draw();
});
