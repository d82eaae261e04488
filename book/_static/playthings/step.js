/* One step (02_one_step): words by signed share and value, which two sliders move onto the line of the prediction. */
"use strict";

tokensel.plaything("step", (root, place) => {
  const { element, text, number, around } = tokensel;
  // Neighbours differ by some ten per cent, and are round numbers
  const MANTISSAS = [1, 1.1, 1.2, 1.3, 1.5, 1.6, 1.8, 2, 2.2, 2.4, 2.7, 3, 3.3, 3.6, 4, 4.4, 5, 5.5, 6, 6.5, 7, 7.5, 8, 9];
  const STEPS = [0, ...[10, 100, 1_000, 10_000].flatMap((power) => MANTISSAS.map((each) => Math.round(each * power))), 100_000];
  const DIMS = [...Array.from({ length: 12 }, (_, k) => [2 ** (k + 4), 3 * 2 ** (k + 3)]).flat(), 2 ** 16];
  const PRESETS = [0, 300, 3_000];
  const NAMED = tokensel.named ?? ["bad", "great", "worst", "the", "movie", "and"]; // in a notebook, the reader's own
  const PER = 10_000; // shares are shown times so much
  const MIDDLE = 2.1e-4; // 99 of 100 words have a smaller share than this, of either sign
  const FRAME = 3_000; // a step up to which the frame stays: beyond it, the picture does
  const GLIDE = 800; // milliseconds from one step to another
  const DEFAULTS = { eta: place.matches(".unanswered") ? 0 : 3_000, d: 2_048, word: NAMED[0], middle: 0 };

  const words = tokensel.vocabulary;
  const data = Object.fromEntries(Object.entries(tokensel.firstStep).map(([key, packed]) => [key, tokensel.unpack(packed)]));
  const x = data.share.map((each) => PER * each);
  const ends = { 0: around(x), 1: [-PER * MIDDLE, PER * MIDDLE] };
  const idOf = (word) => words.indexOf(word);
  const { now, change, choice, listSlider, begin } = tokensel.settings(root, "step", DEFAULTS, picture, { word: words, middle: [0, 1] });
  const nearest = (list, value) => list.reduce((best, each, i) => (Math.abs(each - value) < Math.abs(list[best] - value) ? i : best), 0);
  now.eta = STEPS[nearest(STEPS, now.eta)];
  now.d = DIMS[nearest(DIMS, now.d)];
  let values, spokenOf;
  let stop = () => {};

  // ---- what is said of a word, and of all

  const predicted = (id) => (now.eta / 2) * data.share[id];
  const three = (x) => number(x, x ? Math.min(4, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(x))))) : 0); // digits that count
  const told = (id) => `${words[id]}: signed share ${three(x[id])}, value ${three(values[id])}`;
  const away = (id) => now.middle && Math.abs(data.share[id]) > MIDDLE;
  const inFull = (id) => `${told(id)}; the line is at ${three(predicted(id))}, before the step it was ${three(data.draw[id] / Math.sqrt(now.d))}${away(id) ? " (outside the zoom)" : ""}`;
  const spoken = (found, law) => `step of size ${number(now.eta)}, dimension ${number(now.d)}: correlation ${number(found, 3)}, predicted ${number(law, 3)}`;

  // ---- controls

  const choose = (id) => change({ word: words[id] });
  const find = (id) => change({ word: words[id], middle: away(id) ? 0 : now.middle }); // and let it be seen
  const named = (step) => (step ? number(step) : "0 (before)");
  const eta = listSlider("eta", "step size, η₀", STEPS, named, (each) => {
    stop();
    change({ eta: each });
  });

  /** Go to a step through all between, so that one sees the words move. */
  function glide(step) {
    const [from, to] = [now.eta, step].map((each) => STEPS.indexOf(each));
    stop();
    stop = tokensel.animate(GLIDE, (part) => change({ eta: STEPS[Math.round(from + part * (to - from))] }));
  }

  const sizes = PRESETS.map((step) => [step, step ? `size ${number(step)}` : "before"]);
  const presets = choice("eta", "step sizes", sizes, { choose: glide });
  const zoom = choice("middle", "which words are shown", [[0, "all words"], [1, "words near zero"]]);
  zoom.classList.add("zoom");
  const cloud = tokensel.scatter({
    words, brief: told, tell: inFull, choose, name: "Words by signed share and value",
    xName: "signed share × 10,000", yName: "value E·v",
  });
  const finder = tokensel.finder({ words, weights: x.map(Math.abs), choose, find });
  const ofWord = element("p", { class: "of-word" });
  const readout = element("p", { class: "readout" });
  const legend = element("p");

  // ---- the law: the same way along as the slider's, 0 at its left end

  const brief = new Intl.NumberFormat("en", { notation: "compact" }); // 10K
  const law = tokensel.chart({
    label: "Correlation by the size of the step", width: 250, height: 158, left: 30,
    x: {
      range: [0, 150_000], ticks: [0, 10, 100, 1_000, 10_000, 100_000].map((step) => [step, brief.format(step)]),
      name: "size of the step η₀", scale: (step) => (step ? Math.log10(step) : 0.64),
    },
    y: { range: [0, 1], ticks: [0, 0.5, 1].map((each) => [each, each]), name: "correlation" },
  });
  function drawLaw(found, equal) {
    const [threshold, [, , top, bottom]] = [law.across(equal), law.ends];
    const [x, y] = [law.across(now.eta), law.down(Math.max(0, found))];
    const right = threshold > 134;
    law.layer.replaceChildren(
      element("svg:line", { class: "threshold", x1: threshold, x2: threshold, y1: top, y2: bottom }),
      text(threshold + (right ? -4 : 4), right ? top + 12 : bottom - 6, "= chance", right ? "end" : "start"),
      law.line(STEPS, STEPS.map((step) => tokensel.expectedCorrelation(step, equal)), "law"),
      element("svg:path", { class: "here", d: `M${x - 5} ${y - 5}l10 10m0-10l-10 10` }), // a cross: no handle
    );
  }

  // ---- all together

  function picture() {
    values = tokensel.steppedValues(data, now.eta, now.d);
    const equal = tokensel.equalStep(data.share, now.d);
    const [found, expected] = [tokensel.correlation(values, data.share), tokensel.expectedCorrelation(now.eta, equal)];
    const chosen = idOf(now.word);
    const range = ends[now.middle];
    const lineOf = (step) => range.map((each) => [each, (step / 2) * (each / PER)]);
    // The frame holds the words, and the line of a step of 3,000 or more from side to side
    const inside = around(values, (id) => x[id] >= range[0] && x[id] <= range[1]);
    const [[, bottom], [, top]] = lineOf(Math.max(now.eta, FRAME));
    const yRange = [Math.min(inside[0], bottom), Math.max(inside[1], top)];
    cloud.draw({ x, y: values, xRange: range, yRange, named: NAMED.map(idOf), chosen, line: lineOf(now.eta) });
    drawLaw(found, equal);
    readout.textContent = `Correlation of words and line: ${number(found, 3)}, predicted ${number(expected, 3)}. A step of ${number(equal)} moves words as far as the noise.`;
    legend.textContent = now.eta > FRAME ? "Beyond 3,000: the same picture, with larger numbers." : "Curve: what a formula predicts. Cross: this step.";
    ofWord.textContent = inFull(chosen);
    finder.show(chosen);
    const told = spokenOf === now.word ? spoken(found, expected) : inFull(chosen);
    const quiet = !spokenOf || document.activeElement === cloud.root; // it says itself which word is chosen
    spokenOf = now.word;
    return !quiet && told;
  }

  const controls = element("div", { class: "controls" }, presets, eta, listSlider("d", "dimension d", DIMS));
  const more = element("details", { open: now.middle > 0 }, element("summary", {}, "More: find a word, zoom in"), finder.root, zoom);
  const beside = element("div", { class: "beside" }, ofWord, more, readout, law.root, legend);
  begin(element("div", { class: "step" }, cloud.root, controls, beside));
});
