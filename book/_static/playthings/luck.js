/* Learnt or luck? (08_deeper): four pairs of curves of what words say, one of each from shuffled labels. One guesses which. */
"use strict";

tokensel.plaything("luck", (root) => {
  const { element, text, clamp } = tokensel;
  const NAMES = ["A", "B"];
  const DEFAULTS = { draw: 1, others: 0, guessed: "" };
  const { now, change, choice, reset, begin } = tokensel.settings(root, "luck", DEFAULTS, picture, { others: [0, 1] });
  now.guessed = String(now.guessed).replace(/[^01]/g, "").slice(0, 4);
  const data = Object.entries(tokensel.luck);
  const centres = Array.from({ length: 20 }, (_, k) => -1 + ((k + 0.5) * 29) / 300); // of the paper's bins
  let shown; // of four pairs: the model, two curves each in both sortings, and the place of the one that saw true labels

  function deal() {
    const next = tokensel.mulberry(now.draw);
    const whole = (below) => Math.floor(next() * below);
    const offset = [whole(3), whole(3)];
    shown = Array.from({ length: 4 }, (_, k) => {
      const [model, runs] = data[(k + 1) % data.length];
      const at = Math.floor(k / data.length);
      const pair = [runs.true[(offset[0] + at) % 3], runs.shuffled[(offset[1] + at) % 3]];
      const place = whole(2);
      return { model, place, curves: place ? pair.reverse() : pair };
    });
  }

  const narrow = innerWidth < 600;
  const panels = Array.from({ length: 4 }, (_, k) => {
    const chart = tokensel.chart({
      label: `Pair ${k + 1}: what words say, in 20 bins of their lean`, width: narrow ? 160 : 300, height: narrow ? 150 : 130, left: 6,
      x: { range: [-1, 1], ticks: [[-0.55, "← bad"], [0.55, "good →"]] }, y: { range: [-1.2, 1.2], ticks: [], name: "↑ speaks for good" },
    });
    const choices = tokensel.choice(`Pair ${k + 1}: which curve saw true labels?`, Object.entries(NAMES), (place) =>
      change({ guessed: now.guessed + place }));
    return { chart, choices, title: element("p"), verdict: element("span", { class: "verdict" }) };
  });
  const done = () => now.guessed.length >= 4;
  const sort = choice("others", "sort words by their lean in", [[0, "training reviews"], [1, "other reviews"]], { may: done });
  const again = tokensel.buttons("start again", [["New pairs", () => change({ ...DEFAULTS, draw: (now.draw % 99) + 1 })]]);
  again.append(reset());
  const readout = element("p", { class: "readout" });

  function picture() {
    deal();
    const right = shown.filter(({ place }, k) => Number(now.guessed[k]) === place).length;
    panels.forEach(({ chart, choices, title, verdict }, k) => {
      const { model, place, curves } = shown[k];
      const guessed = now.guessed[k];
      title.textContent = done() ? model[0].toUpperCase() + model.slice(1) : `Pair ${k + 1}`; // its name would tell a reader nothing
      const ends = curves.map((curve) => curve[done() ? now.others : 0].findLast((each) => each !== null));
      chart.layer.replaceChildren(chart.line([-1, 1], [0, 0], "axis"), ...curves.flatMap((curve, i) => {
        const means = curve[done() ? now.others : 0].map((each) => (each === null ? null : clamp(each / 100, -1.2, 1.2)));
        const end = means.findLastIndex((each) => each !== null);
        const kind = !done() ? NAMES[i] : i === place ? "true" : "shuffled";
        const [x, y] = [chart.across(centres[end]) + 9, chart.down(means[end]) + (ends[i] > ends[1 - i] || (ends[0] === ends[1] && i) ? -6 : 16)];
        return [chart.line(centres, means, kind), text(x, y, NAMES[i], "middle", kind)];
      }));
      choices.show(guessed, () => k === now.guessed.length);
      verdict.textContent = done() ? `${NAMES[place]} saw true labels ${Number(guessed) === place ? "✓" : "✗"}` : "";
    });
    readout.textContent = !done() ? `Guess ${now.guessed.length + 1} of 4`
      : now.others ? "When words are sorted by all other reviews, only true labels keep the rise. A line breaks or jumps where few words are left."
        : `${right} of 4 right; tossing a coin gets 2 on average. In the reviews that they trained on, the lines of both rise. Now sort the words by other reviews.`;
    return readout.textContent;
  }

  root.classList.add("luck");
  begin(element("p", { class: "hint" }, "In each pair, one network learnt true labels and one shuffled ones. Pick the one with true labels: its line should rise from bad words to good ones."),
    readout,
    element("div", { class: "pairs" }, ...panels.map(({ chart, choices, title, verdict }) =>
      element("div", {}, title, chart.root, element("div", { class: "choice" }, choices.root, verdict)))),
    element("div", { class: "choice" }, element("span", {}, "Words sorted by"), sort, again));
});
