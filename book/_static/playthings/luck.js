/* Learnt or luck? (09_deeper): four pairs of curves of what words say, one of which saw true labels and one shuffled ones. One guesses
 * which, and then sorts the words anew, by their lean in reviews that the network has not seen. A draw says which runs are shown.
 */
"use strict";

tokensel.plaything("luck", (root) => {
  const { element } = tokensel;
  const NAMES = ["A", "B"], SORTS = ["training reviews", "other reviews"];
  const DEFAULTS = { draw: 1, others: 0, guessed: "" };
  const now = tokensel.state("luck", DEFAULTS);
  now.guessed = String(now.guessed).replace(/[^01]/g, "").slice(0, 4);
  const data = Object.entries(tokensel.luck);
  const centres = Array.from({ length: 20 }, (_, k) => -1 + ((k + 0.5) * 29) / 300); // of the paper's bins
  let shown; // of four pairs: the model, two curves each in both sortings, and the place of the one that saw true labels

  /** A small generator (mulberry32), so that a link shows the same draw. */
  const random = (seed) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  function deal() {
    const next = random(now.draw), whole = (below) => Math.floor(next() * below);
    const offset = [whole(3), whole(3)];
    shown = Array.from({ length: 4 }, (_, k) => {
      const [model, runs] = data[(k + 1) % data.length], at = Math.floor(k / data.length);
      const pair = [runs.true[(offset[0] + at) % 3], runs.shuffled[(offset[1] + at) % 3]], place = whole(2);
      return { model, place, curves: place ? pair.reverse() : pair };
    });
  }

  const change = (changed) => { Object.assign(now, changed); if ("draw" in changed) deal(); draw(); };
  const narrow = innerWidth < 600;
  const panels = Array.from({ length: 4 }, (_, k) => {
    const chart = tokensel.chart({
      label: `Pair ${k + 1}: what words say, in 20 bins of their lean`, width: narrow ? 160 : 300, height: narrow ? 150 : 130, left: 6,
      x: { range: [-1, 1], ticks: [[-0.55, "← bad"], [0.55, "good →"]] }, y: { range: [-1.2, 1.2], ticks: [] },
    });
    const choices = tokensel.buttons(`Pair ${k + 1}: which curve saw true labels?`, NAMES.map((name, i) => [name, () => guess(k, i)]));
    return { chart, choices, title: element("p"), verdict: element("span", { class: "verdict" }) };
  });
  const guess = (k, i) => { if (k >= now.guessed.length) change({ guessed: now.guessed + i }); };
  const sort = tokensel.buttons("sort words by their lean in", SORTS.map((name, i) => [name, () => change({ others: i })]));
  const again = tokensel.buttons("start again", [["New pairs", () => change({ draw: (now.draw % 99) + 1, others: 0, guessed: "" })], ["Reset", () => change(DEFAULTS)]]);
  const readout = element("p", { class: "readout" });
  const aloud = tokensel.said();

  function draw() {
    const done = now.guessed.length >= 4;
    const right = shown.filter(({ place }, k) => Number(now.guessed[k]) === place).length;
    panels.forEach(({ chart, choices, title, verdict }, k) => {
      const { model, place, curves } = shown[k], told = k < now.guessed.length;
      title.textContent = model[0].toUpperCase() + model.slice(1);
      chart.layer.replaceChildren(chart.line([-1, 1], [0, 0], "axis"), ...curves.flatMap((curve, i) => {
        const means = curve[done ? now.others : 0].map((each) => (each === null ? null : Math.max(-1.2, Math.min(1.2, each / 100))));
        const ends = means.findLastIndex((each) => each !== null), kind = done ? (i === place ? "true" : "shuffled") : NAMES[i];
        return [chart.line(centres, means, kind), chart.text(chart.across(centres[ends]) + 9, chart.down(means[ends]) + (i ? 12 : -2), NAMES[i], "middle", kind)];
      }));
      [...choices.children].forEach((button, i) => {
        button.disabled = k !== now.guessed.length;
        button.setAttribute("aria-pressed", told && Number(now.guessed[k]) === i);
      });
      verdict.textContent = done ? `${NAMES[place]} saw true labels ${Number(now.guessed[k]) === place ? "✓" : "✗"}` : "";
    });
    [...sort.children].forEach((button, i) => {
      button.disabled = !done;
      button.setAttribute("aria-pressed", Boolean(now.others) === Boolean(i));
    });
    readout.textContent = !done ? `Guess ${now.guessed.length + 1} of 4`
      : now.others ? "When words are sorted by all other reviews, only true labels keep the rise. A line breaks or jumps where few words are left."
        : `${right} of 4 right; tossing a coin gets 2 on average. Now sort the words by other reviews.`;
    aloud.say(readout.textContent);
    tokensel.remember("luck", DEFAULTS, now);
  }

  root.classList.add("luck");
  root.append(readout,
    element("div", { class: "pairs" }, ...panels.map(({ chart, choices, title, verdict }) => element("div", {}, title, chart.root, element("div", { class: "choice" }, choices, verdict)))),
    element("div", { class: "choice" }, element("span", {}, "Words sorted by"), sort, again),
    element("p", { class: "hint" }, "In each pair, one network learnt true labels and one shuffled ones. Pick the one with true labels."), aloud.root);
  deal();
  draw();
});
