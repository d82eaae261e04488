/* The map of runs (09_synthetic): tap one, and its flow is followed anew, of 32 texts in the limit d → ∞. */
"use strict";

tokensel.plaything("lose", (root) => {
  const { element, text } = tokensel;
  // synthetic.one_against_many(32, 11, 4, 4, seed=10): a digit a token; 0 to 3 speak for praise, 4
  // for blame, the rest for nothing.
  const TEXTS = ("0689 257a 268a 3579 168a 0579 3789 056a 169a 1578 367a 0589 378a 1569 259a 2678 "
    + "4689 457a 468a 4579 468a 4579 4789 456a 469a 4578 467a 4589 478a 4569 459a 4678").split(" ")
    .map((digits) => [...digits].map((token) => parseInt(token, 16)))
    .map((tokens) => ({ tokens, label: tokens[0] === 4 ? 0 : 1 }));
  const [LONE, FILLER, TOKENS] = [4, 5, 11];
  const [STEPS, STARTS] = [[8, 12, 18, 24, 28, 32, 40], [12, 9, 6, 3, 0]];
  const LENGTHS = Array.from({ length: 61 }, (_, i) => Math.expm1((i / 60) * Math.log1p(1500)));
  const WON = 100; // a lead after which a race need not be followed
  const START = { step: 28, start: 9 };
  const { now, draw, begin } = tokensel.settings(root, "lose", START, picture, { step: STEPS, start: STARTS });

  /** After the step a word's value is half the step times its share of texts of praise less that of texts of blame. */
  function stepped() {
    const values = Array(TOKENS).fill(0);
    for (const { tokens, label } of TEXTS) {
      const share = (now.step / 2) * (label ? 1 : -1) / tokens.length / TEXTS.length;
      for (const token of tokens) if (token < FILLER) values[token] += share;
    }
    const model = tokensel.limitParameters(values);
    return { ...model, p: model.v[0].map((each) => now.start * each) };
  }

  /** The lead of each decisive word over the loudest filler along the path, and whether selection is certain, since the loss
   *  is below the certificate's threshold: that of full attention on the decisive words, and what one text costs without. */
  function follow() {
    const model = stepped();
    const losses = TEXTS.map(({ tokens: [token] }) => Math.log1p(Math.exp(-Math.abs(model.E[token].at(-1)))));
    const threshold = (losses.reduce((one, other) => one + other) + Math.LN2 - Math.max(...losses)) / TEXTS.length;
    const seen = ({ s, p, loss }) => {
      const { scores } = tokensel.modelOf({ ...model, p });
      const filler = Math.max(...scores.slice(FILLER));
      return { s, certain: loss < threshold, leads: scores.slice(0, FILLER).map((each) => each - filler) };
    };
    const won = (point) => seen(point).certain && Math.min(...seen(point).leads) > WON;
    return tokensel.flow(model, TEXTS, LENGTHS, 1e-4, won).points.map(seen);
  }

  const race = tokensel.race({
    label: "Leads of the decisive words over filler, along the path", name: "lead over filler",
    leads: [-100, -10, 0, 10, 100],
  });
  const verdict = element("p", { class: "verdict long" });
  const choose = (chosen) => {
    Object.assign(now, chosen);
    moving = "race";
    draw();
  };
  let moving = ""; // a race is run only after a tap
  const runs = STARTS.flatMap((start) => STEPS.map((step) => {
    const label = { "aria-label": `Step ${step}, start ${start}` };
    return { start, step, cell: tokensel.button("", () => choose({ step, start }), label) };
  }));
  const tick = (words) => element("span", { class: "tick" }, words);
  const map = element("div", { class: "lose-map", role: "group", "aria-label": "Runs, by start and by size of the first step" },
    element("span", { class: "across tick" }, "↑ start favours praise"),
    ...STARTS.flatMap((start) => [tick(start), ...runs.filter((run) => run.start === start).map(({ cell }) => cell)]),
    ...["", ...STEPS].map(tick),
    element("span", { class: "across tick" }, "size of the first step →"));

  // One stop of the Tab key for all runs; arrows go from one to the next.
  tokensel.onArrows(map, ([right, up]) => {
    const [step, start] = [STEPS[STEPS.indexOf(now.step) + right], STARTS[STARTS.indexOf(now.start) - up]];
    const next = runs.find((run) => run.step === step && run.start === start)?.cell;
    next?.click();
    next?.focus();
  });

  function picture() {
    const points = follow();
    const [before, { leads: end, certain }] = points.slice(-2);
    const lost = !certain && end[LONE] < Math.min(before.leads[LONE], 0);
    const name = (token, side, words) => {
      const { s, leads } = points[34];
      const anchor = token && leads[token] > 0 ? "start" : "end";
      return text(race.across(s), race.down(leads[token]) + (token ? 20 : -9), words, anchor, side);
    };
    race.layer.replaceChildren(
      ...end.map((_, token) => race.line(points.map(({ s }) => s), points.map(({ leads }) => leads[token]),
        `path ${moving} ${token === LONE ? "blame" : "praise"}`)),
      name(0, "praise", "words of praise"), name(LONE, "blame", "word of blame"));
    for (const { step, start, cell } of runs) {
      const here = start === now.start && step === now.step;
      cell.tabIndex = here ? 0 : -1;
      cell.setAttribute("aria-pressed", here);
      if (here) [cell.className, cell.textContent] = lost ? ["blame", "✕"] : ["praise", "■"];
    }
    const told = lost ? "Lost" : certain ? "Certified" : "Undecided";
    const from = Math.ceil(points.find((point) => point.certain)?.s);
    const because = lost ? "the word of blame keeps falling further behind"
      : certain ? `from a length of ${from} on, every decisive word is sure to win`
        : "the path is too short to decide";
    verdict.replaceChildren(element("strong", {}, told), `: ${because} (step ${now.step}, start ${now.start}).`);
    return verdict.textContent;
  }

  root.setAttribute("aria-label", "Lose a word");
  begin(element("div", { class: "plane" },
    element("div", {}, map, element("p", { class: "hint" }, "Tap a run. Which runs lose a word?"), tokensel.button("Reset", () => choose(START))),
    element("div", {}, race.root, verdict)));
});
