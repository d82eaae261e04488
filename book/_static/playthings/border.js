/* The tug of war (03_flow): one negative token, lone, against k positive allies, in the limit d → ∞. */
"use strict";

tokensel.plaything("border", (root) => {
  const { element, text, number } = tokensel;
  const OTHERS = 60; // irrelevant tokens of value 0, which stand in every text
  const DEPTH = 6; // how far below all others lone starts
  const LENGTHS = Array.from({ length: 61 }, (_, i) => Math.expm1((i / 60) * Math.log1p(2000)));
  const CLOSED = 9; // a lead at which a token has over 0.99 of the attention
  const ACCURACY = 1e-3; // of leads that are drawn on a scale for thousands
  const START = { step: 250, k: 3 };
  const [ALLY, LONE, REST] = [0, 1, 2];
  const others = Array(OTHERS).fill(REST);
  const TEXTS = [{ tokens: [ALLY, ...others], label: 1 }, { tokens: [LONE, ...others], label: 0 }];
  const { now, slider, reset, begin } = tokensel.settings(root, "border", START, picture);

  /** The values of each ally and of lone after the step: η₀ ᾱ_s / 2, with k texts of OTHERS + 1 words on either side. */
  function values() {
    const size = now.step / (4 * (OTHERS + 1));
    return [size / now.k, -size, 0];
  }

  /** p never leaves what all allies, and all others, have in common, so one row stands for each kind: its part in that
   *  common direction, and the value along v. Leads are those of the whole corpus. */
  function start() {
    const common = [1 / Math.sqrt(now.k), 1, 1 / Math.sqrt(OTHERS)];
    const E = values().map((value, kind) => [...common.map((part, i) => (i === kind ? part : 0)), value]);
    return { E, p: [0, -DEPTH, 0, 0], v: [[0, 0, 0, 1]] };
  }

  /** The path: {points: [{s, leads: of an ally and of lone over the others}], selected}. */
  function follow() {
    const from = start();
    const leads = ({ p }) => {
      const { scores } = tokensel.modelOf({ ...from, p });
      return [ALLY, LONE].map((kind) => scores[kind] - scores[REST]);
    };
    const selected = (point) => leads(point).every((lead) => lead > CLOSED);
    const { points, stopped } = tokensel.flow(from, TEXTS, LENGTHS, ACCURACY, selected);
    return { points: points.map((point) => ({ s: point.s, leads: leads(point) })), selected: stopped === "enough" };
  }

  const race = tokensel.race({
    label: "Leads of lone and of an ally over neutral words, along the path", name: "lead",
    leads: [-1000, -100, -10, 0, 10, 100, 1000], note: "asleep: hardly any attention",
  });

  function curve(points, kind, side, name) {
    const leads = points.map((point) => point.leads[kind]);
    const named = points.find(({ s }) => s > 12) ?? points.at(-1);
    return [
      race.line(points.map(({ s }) => s), leads, `path ${side}`),
      element("svg:circle", { fill: `var(--${side})`, cx: race.across(0), cy: race.down(leads[0]), r: 4 }),
      text(race.across(named.s), race.down(named.leads[kind]) + (kind === ALLY ? -9 : 19), name, "end", side),
    ];
  }

  const numbers = tokensel.table("Value, lead and attention at the end of the path",
    ["at the end", "value", "lead", "attention"], ["each ally", "lone"]);
  const shares = numbers.shares(2);
  const verdict = element("p", { class: "verdict long" });

  function picture() {
    const { points, selected } = follow();
    const end = points.at(-1);
    const [ally, lone] = values();
    race.layer.replaceChildren(
      ...curve(points, ALLY, "praise", "an ally"), ...curve(points, LONE, "blame", "lone"));
    [ally, lone].forEach((value, kind) => {
      const lead = end.leads[kind];
      numbers.rows[kind][0].textContent = number(value, 2);
      numbers.rows[kind][1].textContent = number(lead, 1);
      shares[kind].show(1 / (1 + OTHERS * Math.exp(-lead)), kind === LONE ? "blame" : "praise");
    });
    const rises = end.leads[LONE] > points.at(-2).leads[LONE]; // it may wake later than we look
    const told = selected ? "lone wakes" : rises ? "lone still sleeps, but is rising" : "lone sleeps on";
    const competition = -ally * lone * (now.k - 1);
    const promise = competition <= 1 ? "at most 1: the theorem promises that it wakes"
      : "above 1: the theorem makes no promise";
    verdict.replaceChildren(
      element("strong", {}, `${told}, after a path of ${number(end.s)}`),
      `. Competition κ\u00a0=\u00a0${number(competition, 2)}, ${promise}.`);
    return verdict.textContent;
  }

  root.setAttribute("aria-label", "One word against several allies");
  const hint = "Raise the first step, or change the number of allies. When does lone never wake?";
  begin(element("div", { class: "plane" }, race.root, element("div", {}, element("p", { class: "hint" }, hint),
    slider("step", "First step η₀", { min: 100, max: 500, step: 2 }), slider("k", "Allies k", { min: 1, max: 8, step: 1 }),
    numbers.root, verdict, element("div", { class: "buttons" }, reset("Back to the start")))));
});
