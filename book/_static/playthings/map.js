/* The map (04_reviews): every word by what it says, its value, and by how loudly it says it, its
 * score, at steps of training. Whoever chooses a word reads where it comes from: its counts in both
 * classes, its skew, and for some a sentence. What shuffled labels teach (map_shuffled.js) is
 * loaded when it is asked for, and drawn in the frame of the true ones.
 */
"use strict";

tokensel.plaything("map", (root) => {
  const { element, number, around } = tokensel;
  const LEAST = [18, 30, 50, 100, 200, 300, 500, 1_000, 2_000, 5_000, 10_000]; // occurrences; the rarest words have 18
  const NAMED = ["worst", "waste", "boring", "bad", "not", "the", "movie", "good", "great", "perfect", "excellent", "capote", "inclusion"];
  const DEFAULTS = { step: 150, least: 1_000, word: "worst", labels: "true" };
  const SHUFFLED = [20, 150]; // the steps that are there for shuffled labels
  const SENTENCES = {
    acting: "The acting is what I remember, for better or worse.",
    amazing: "An amazing little film, made with next to nothing.",
    and: "It is warm and funny and over too soon.",
    annoying: "The son is so annoying that you hope for the shark.",
    avoid: "Avoid it, even on a long flight.",
    awful: "Awful from the first line to the last.",
    bad: "Two hours of bad jokes, badly lit.",
    beautiful: "A beautiful film about people who hardly speak.",
    best: "The best scene has no words at all.",
    better: "The trailer is better than the film.",
    boring: "Never was a car chase so boring.",
    brilliant: "The ending is brilliant, and I did not see it coming.",
    classic: "A classic that has not aged by a day.",
    disappointing: "After such a cast, a disappointing evening.",
    disappointment: "What a disappointment after the first part.",
    dull: "The desert is less dull than the dialogue.",
    enjoyable: "Light, enjoyable, and gone by the next morning.",
    excellent: "Excellent in every part, and the smallest is the best.",
    fails: "Where it wants to be funny, it fails.",
    family: "The whole family laughed, at different places.",
    favorite: "My favorite film of that year, and of most others.",
    fun: "Great fun for anyone under ten or over thirty.",
    funny: "It is not funny, though it tries every minute.",
    good: "The first hour is good; then somebody had to end it.",
    great: "Great music, great light, and a story to go with them.",
    highly: "Highly recommended to all who like trains.",
    horrible: "A horrible haircut in a horrible film.",
    least: "At least it was short.",
    love: "I love how little it explains.",
    masterpiece: "A quiet masterpiece about a lighthouse.",
    mess: "A mess, but an expensive one.",
    minutes: "I gave it twenty minutes, and want them back.",
    money: "Save your money, and watch the rain.",
    movie: "This movie was shot where I live.",
    no: "No plot, no jokes, no end.",
    not: "It is not bad; it is not anything.",
    nothing: "Nothing happens, and then it happens again.",
    perfect: "A perfect evening for grown-ups and children.",
    performances: "I believed every minute of both performances.",
    plot: "The plot has holes, and the holes have sequels.",
    pointless: "A pointless remake of a film that was fine.",
    poor: "Poor sound, poor light, poor us.",
    script: "The script must have got lost on the way.",
    superb: "She is superb as the tired detective.",
    terrible: "A terrible accent, and three hours of it.",
    the: "The dog finds the key under the bridge.",
    waste: "A waste of good actors and of a fine afternoon.",
    well: "Well told, well played, and not a minute too long.",
    why: "Why does she go back into the house?",
    wonderful: "A wonderful film to grow old with.",
    worse: "The second half is worse, if that can be.",
    worst: "The worst film that I have seen to its end.",
  };

  const words = tokensel.vocabulary;
  const [negative, positive] = tokensel.counts;
  const occurs = words.map((_, id) => negative[id] + positive[id]);
  const { stages, values, scores } = tokensel.reviews;
  const shownStages = stages.slice(1); // at the start the scores are all zero
  const idOf = (word) => words.indexOf(word);
  const known = { step: shownStages, least: LEAST, word: words, labels: ["true", "shuffled"] };
  const { now, change, draw } = tokensel.settings("map", DEFAULTS, picture, known);
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
  let asked;
  const shuffledLabels = () => (asked ??= tokensel.load("map_shuffled.js"));

  const skew = (id) => (positive[id] - negative[id]) / occurs[id];
  function told(id) {
    const { x, y } = learnt(now.step);
    const digits = now.step < 25 ? 2 : 1;
    return `${words[id]}: value ${number(x[id], digits)}, score ${number(y[id], digits)}`;
  }
  const away = (id) => occurs[id] < now.least;
  const inFull = (id) => `${told(id)}; ${number(negative[id])} times in negative reviews, ${number(positive[id])} in positive ones: skew ${number(skew(id), 2)}`;

  // ---- controls

  function choose(id) {
    change({ word: words[id] });
    if (document.activeElement !== cloud.root) aloud.say(inFull(id));
  }
  function find(id) { // a rare word is to be seen, too
    if (away(id)) now.least = LEAST.findLast((each) => each <= occurs[id]) ?? LEAST[0];
    choose(id);
  }
  const labels = tokensel.choice("labels", known.labels.map((each) => [each, each]), (each) =>
    change({ labels: each, step: ofShuffled(now.step) ? now.step : DEFAULTS.step }));
  const steps = tokensel.choice("after so many steps of training",
    shownStages.map((step) => [step, number(step)]), (step) => change({ step }));
  const least = tokensel.listSlider("occur at least", LEAST, (each) => change({ least: each }));
  const aloud = tokensel.said();
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

  function tell(id) {
    const most = Math.max(negative[id], positive[id]);
    const counts = [
      ...bar("in negative reviews", "blame", negative[id], most),
      ...bar("in positive reviews", "praise", positive[id], most),
    ];
    const sentence = Object.hasOwn(SENTENCES, words[id]) && SENTENCES[words[id]];
    ofWord.replaceChildren(
      element("p", {}, told(id), away(id) ? " (too rare for the picture)" : ""), element("dl", {}, ...counts),
      element("p", {}, `label skew ${number(skew(id), 2)}`),
      sentence ? element("p", { class: "sentence" }, `“${sentence}”`) : "");
  }

  // ---- all together

  function picture() {
    if (now.labels === "shuffled" && !tokensel.mapShuffled) return void shuffledLabels().then(draw);
    const { x, y } = learnt(now.step);
    const frame = learnt(now.step, "true");
    const chosen = idOf(now.word);
    const often = (id) => occurs[id] >= now.least;
    const drawn = y.map((each, id) => (often(id) ? each : NaN)); // a point that is nowhere is not drawn
    cloud.draw({ x, y: drawn, xRange: around(frame.x, often), yRange: around(frame.y, often), named: NAMED.map(idOf), chosen });
    tell(chosen);
    finder.show(chosen);
    const common = occurs.filter((each) => each >= now.least).length;
    least.show(`${number(now.least)} times: ${number(common)} words`, now.least);
    steps.show(now.step, (step) => now.labels === "true" || ofShuffled(step));
    labels.show(now.labels);
    why.hidden = now.labels === "true";
  }

  const why = element("p", { class: "hint" }, `With shuffled labels, only steps ${SHUFFLED.join(" and ")} are recorded.`);
  const when = element("div", { class: "when" }, element("div", {}, "steps of training:", steps.root), element("div", {}, "labels:", labels.root), why);
  const beside = element("div", { class: "beside" }, finder.root, ofWord);
  root.append(element("div", { class: "map" }, cloud.root, element("div", { class: "controls" }, least.root, when), beside), aloud.root);
  draw();
});
