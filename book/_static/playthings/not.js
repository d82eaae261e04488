/* Guess the "not" (05_beyond): where does a word's lean go after "not"? One guesses by moving a point. */
"use strict";

tokensel.plaything("not", (root, place) => {
  const { element, text, shown, signed, set, clamp } = tokensel;
  const { words, elsewhere, behind, often, line, asked } = tokensel.pairs; // skews in hundredths
  const [WIDTH, HEIGHT, SCALE, MIDDLE, LEVEL] = [340, 340, 144, 178, 168];
  const START = { word: words[asked[0]], guess: 0, seen: 0 };
  const { now, change, slider, reset, begin } = tokensel.settings(root, "not", START, picture, { word: asked.map((id) => words[id]) });
  const right = (skew) => MIDDLE + SCALE * skew;
  const up = (skew) => LEVEL - SCALE * skew;
  const side = (skew) => (skew < 0 ? "blame" : "praise");
  const named = (word) => `“not ${word}”`;

  // The drawing: what is always there, what is seen once revealed, the guess.
  const tick = (x, y, said, anchor) => text(x, y, said, anchor, "tick");
  const dot = (id, r, kind) =>
    element("svg:circle", { class: `disc ${kind} ${side(behind[id])}`, cx: right(elsewhere[id] / 100), cy: up(behind[id] / 100), r });
  const [level, slope] = line;
  const all = element("svg:g", {},
    ...words.map((_, id) => dot(id, (0.8 + Math.sqrt(often[id]) / 10).toFixed(1), "other")),
    element("svg:path", { class: "ray", d: `M${right(-1)} ${up(1)}L${right(1)} ${up(-1)}` }),
    element("svg:path", { class: "arrow", d: `M${right(-1)} ${up(level - slope)}L${right(1)} ${up(level + slope)}` }),
    tick(right(-0.7), up(0.82), "turned round", "start"), tick(right(1), up(0.36), "fitted line", "end"));
  const column = element("svg:path", { class: "ray" });
  const landed = element("svg:g");
  const tip = element("svg:circle", { class: "tip", r: 7 });
  const hold = element("svg:circle", { class: "hold draggable", r: 22 });
  const label = text(0, 0, "");
  const called = "A word's label skew after not, by its skew elsewhere";
  const svg = element("svg:svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": called },
    element("svg:path", { class: "axis", d: `M${right(-1)} ${up(0)}H${right(1)}M${right(0)} ${up(1)}V${up(-1)}` }),
    ...[-1, 0, 1].flatMap((skew) => [tick(right(skew), HEIGHT - 16, shown(skew, 0), ["start", "middle", "end"][skew + 1]), tick(right(-1) - 6, up(skew) + 4, shown(skew, 0), "end")]),
    tick(right(-1), 13, "after “not”: leans to praise ↑", "start"), tick(right(1), HEIGHT - 2, "the word elsewhere: leans to praise →", "end"),
    all, column, landed, tip, label, hold);

  // The controls, and what is said.
  const verdict = element("p", { class: "verdict long" });
  const guess = slider("guess", "Your guess", { min: -1, max: 1, step: 0.01 }, signed);
  const chooser = element("select", { "aria-label": "Word after not", onchange: () => ask(chooser.value) },
    ...asked.map((id) => element("option", { value: words[id] }, `not ${words[id]}`)));
  const reveal = tokensel.button("Reveal", () => (now.seen ? ask(next()) : change({ seen: 1 })));
  const next = () => words[asked[(asked.findIndex((id) => words[id] === now.word) + 1) % asked.length]];
  const ask = (word) => change({ ...START, word });

  function move(event) { // a finger or a mouse, anywhere in the drawing
    if (now.seen) return;
    const skew = (LEVEL - tokensel.pointUnder(svg, event)[1]) / SCALE;
    change({ guess: Number(clamp(skew, -1, 1).toFixed(2)) });
  }
  svg.addEventListener("click", move);
  tokensel.onDrag(hold, move);

  function picture() {
    const id = words.indexOf(now.word);
    const [alone, after] = [elsewhere[id] / 100, behind[id] / 100];
    const shownAt = now.seen ? after : now.guess;
    all.style.display = now.seen ? "" : "none";
    if (now.seen) place.classList.add("revealed"); // until then, the caption would give it away
    column.setAttribute("d", `M${right(alone)} ${up(1)}V${up(-1)}`);
    landed.replaceChildren(...(now.seen ? [dot(id, 6, "landed")] : []));
    for (const part of [tip, hold]) set(part, { cx: right(alone), cy: up(now.guess) });
    label.textContent = now.seen ? named(now.word) : `${named(now.word)}?`;
    const [aside, above] = [alone > 0 ? -12 : 12, shownAt < 0 ? 18 : -9];
    set(label, { x: right(alone) + aside, y: up(shownAt) + above, "text-anchor": alone > 0 ? "end" : "start" });
    const told = now.seen
      ? [element("strong", { class: side(after) }, `${named(now.word)} lands at ${signed(after)}.`),
        ` You said ${signed(now.guess)}. Turned round, it would be at ${signed(-alone)}. The line through all ${words.length} words says ${signed(level + slope * alone)}.`]
      : [`Elsewhere, “${now.word}” is at ${signed(alone)}. You say: ${named(now.word)} lands at ${signed(now.guess)}.`];
    verdict.replaceChildren(...told);
    chooser.value = now.word;
    guess.querySelector("input").disabled = Boolean(now.seen);
    reveal.textContent = now.seen ? "Next word" : "Reveal";
    return verdict.textContent;
  }

  // Until the pairs are revealed, the caption says what they are, and not where.
  place.querySelector("figcaption .caption-text")?.after(element("span", { class: "caption-first" },
    `This is one of ${words.length} pairs with not or n't in 25,000 film reviews. Across: how the word leans elsewhere. `
    + "Upwards: how it leans after not. Reveal shows them all."));
  root.setAttribute("aria-label", "Guess the not");
  begin(element("div", { class: "plane not" }, svg,
    element("div", {}, element("p", { class: "hint" }, "Drag the point to where you expect the pair. Then reveal."),
      guess, element("div", { class: "buttons" }, chooser, reveal, reset()), verdict)));
});
