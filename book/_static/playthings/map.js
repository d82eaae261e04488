/* The map (04_reviews): every word by its value and its score, at steps of training. */
"use strict";

tokensel.plaything("map", (root) => {
  const { element, number, around } = tokensel;
  const LEAST = [18, 30, 50, 100, 200, 300, 500, 1_000, 2_000, 5_000, 10_000]; // occurrences; the rarest words have 18
  const NAMED = ["worst", "waste", "boring", "bad", "not", "the", "movie", "good", "great", "perfect", "excellent", "capote", "inclusion"];
  const DEFAULTS = { step: 150, least: 1_000, word: "worst", labels: "true" };
  const SHUFFLED = [20, 150]; // the steps that are there for shuffled labels
  const words = tokensel.vocabulary;
  const [negative, positive] = tokensel.counts;
  const occurs = words.map((_, id) => negative[id] + positive[id]);
  const { stages, values, scores } = tokensel.reviews;
  const shownStages = stages.slice(1); // at the start the scores are all zero
  const idOf = (word) => words.indexOf(word);
  const known = { step: shownStages, least: LEAST, word: words, labels: ["true", "shuffled"] };
  const { now, change, draw, choice, listSlider, begin } = tokensel.settings(root, "map", DEFAULTS, picture, known);
  const ofShuffled = (step) => SHUFFLED.includes(step);
  if (!ofShuffled(now.step)) now.labels = DEFAULTS.labels;

  // ---- what training has made of the words, until some step

  const found = new Map();
  function learnt(step, labels = now.labels) {
    const [at, key] = [stages.indexOf(step), labels + step];
    const packed = () => (labels === "true" ? [values[at], scores[at]] : tokensel.mapShuffled[step]);
    if (!found.has(key)) found.set(key, Object.fromEntries(packed().map((each, i) => ["xy"[i], tokensel.unpack(each)])));
    return found.get(key);
  }

  const skew = (id) => (positive[id] - negative[id]) / occurs[id];
  function told(id) {
    const { x, y } = learnt(now.step);
    const digits = now.step < 25 ? 2 : 1;
    return `${words[id]}: value ${number(x[id], digits)}, score ${number(y[id], digits)}`;
  }
  const inFull = (id) => `${told(id)}; ${number(negative[id])} times in negative reviews, ${number(positive[id])} in positive ones: skew ${number(skew(id), 2)}`;

  // ---- controls

  const choose = (id) => change({ word: words[id] });
  const seen = (id) => LEAST.findLast((each) => each <= Math.min(now.least, occurs[id])) ?? LEAST[0];
  const find = (id) => change({ word: words[id], least: seen(id) }); // a rare word is to be seen, too
  const labels = choice("labels", "labels", known.labels.map((each) => [each, each]), {
    choose: (each) => change({ labels: each, step: ofShuffled(now.step) ? now.step : DEFAULTS.step }),
  });
  const steps = choice("step", "after so many steps of training", shownStages.map((step) => [step, number(step)]), {
    may: (step) => now.labels === "true" || ofShuffled(step),
  });
  const common = (least) => number(occurs.filter((each) => each >= least).length);
  const least = listSlider("least", "occur at least", LEAST, (each) => `${number(each)} times: ${common(each)} words`);
  const cloud = tokensel.scatter({
    words, brief: told, tell: inFull, choose, name: "Words by value and score",
    xName: "← speaks for blame · speaks for praise →", yName: "↑ gets more attention",
  });
  const finder = tokensel.finder({ words, weights: occurs, choose, find });
  const ofWord = element("div", { class: "of-word" });

  /** How often a word occurs in the reviews of a class, as a bar beside the number. */
  function bar(name, kind, count, most) {
    const filled = element("svg:rect", { class: kind, width: (100 * count) / most, height: 10 });
    const drawn = element("svg:svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, filled);
    return [element("dt", {}, name), element("dd", {}, number(count), drawn)];
  }

  function facts(id) {
    const most = Math.max(negative[id], positive[id]);
    return [
      element("p", {}, told(id), occurs[id] < now.least ? " (too rare for the picture)" : ""),
      element("dl", {}, ...bar("in negative reviews", "blame", negative[id], most), ...bar("in positive reviews", "praise", positive[id], most)),
      element("p", {}, `label skew ${number(skew(id), 2)}`),
    ];
  }

  // ---- all together

  function picture() {
    if (now.labels === "shuffled" && !tokensel.mapShuffled) return void tokensel.load("map_shuffled.js").then(draw);
    const { x, y } = learnt(now.step);
    const frame = learnt(now.step, "true");
    const chosen = idOf(now.word);
    const often = (id) => occurs[id] >= now.least;
    const drawn = y.map((each, id) => (often(id) ? each : NaN)); // a point that is nowhere is not drawn
    cloud.draw({ x, y: drawn, xRange: around(frame.x, often), yRange: around(frame.y, often), named: NAMED.map(idOf), chosen });
    ofWord.replaceChildren(...facts(chosen));
    finder.show(chosen);
    why.hidden = now.labels === "true";
    return document.activeElement !== cloud.root && inFull(chosen); // a cloud says itself which word is chosen
  }

  const why = element("p", { class: "hint" }, `With shuffled labels, only steps ${SHUFFLED.join(" and ")} are recorded.`);
  const when = element("div", { class: "when" }, element("div", {}, "steps of training:", steps), element("div", {}, "labels:", labels), why);
  const beside = element("div", { class: "beside" }, finder.root, ofWord);
  begin(element("div", { class: "map" }, cloud.root, element("div", { class: "controls" }, least, when), beside));
});
