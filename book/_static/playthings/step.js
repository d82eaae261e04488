/* 02_one_step's figure: words by signed share, and by value or score. What is shown is a view: a scene of the chapter each. The
 * first four are of ten sentences, whose step is taken here; the others of 25,000 reviews, whose words come from step_data.js. */
"use strict";

tokensel.plaything("step", (root, place) => {
  const { element, text, number, around, set } = tokensel;
  const pinned = place.closest(".scenes");
  const TEN = ["the film was great", "a great story", "the music is great and the story is good", "a good film with a good story",
    "the story was wonderful", "the film was bad", "a bad story", "the music is bad and the story is dull",
    "a dull film with a bad story", "the story was awful"];
  const STEPS = [0, ...[10, 100, 1_000, 10_000].flatMap((power) => [1, 1.5, 2, 3, 4, 5, 7].map((each) => each * power)), 100_000];
  const DIMS = [...Array.from({ length: 12 }, (_, k) => [2 ** (k + 4), 3 * 2 ** (k + 3)]).flat(), 2 ** 16];
  const NAMED = tokensel.named ?? ["bad", "and", "great", "the", "is", "movie", "no", "very"]; // in a notebook, the reader's own
  const PER = 10_000; // shares of reviews are shown times so much
  const LARGE = 3_000; // a step up to which the frame stays: beyond it, the picture does
  const GLIDE = 600; // milliseconds
  const ROOM = 0.125; // for signed shares of the ten sentences, to each side
  const SMALL = 0.04; // a price that one would not see
  const ofTen = ["start", "push", "sum", "line"];
  const ofScores = ["score", "both", "price", "tilt"];

  const words = tokensel.vocabulary;
  const { second, ...packed } = tokensel.firstStep; // only a step on the embeddings is known of a reader's own words
  const unpacked = (all) => Object.fromEntries(Object.entries(all).map(([key, each]) => [key, each.bytes || !second ? tokensel.unpack(each) : each]));
  const [data, query] = [unpacked(packed), unpacked(second ?? {})];
  const views = second ? [...ofTen, "reviews", "luck", ...ofScores, "plank"] : ["reviews"];
  const START = {
    show: pinned && second ? "start" : "reviews", word: NAMED[0], seed: 1, labels: "1111100000", lit: 0, turned: 0, size: 0,
    eta: place.matches(".unanswered") ? 0 : 3_000, d: 2_048, shuffled: 0, query: 0, first: 100, price: 0,
  };
  const { now, change, choice, slider, listSlider, begin } = tokensel.settings(root, "step", START, picture, { show: views, word: words });
  let [taken, values] = [{}, []]; // what a step on the ten sentences gives, and what reviews give

  /** Let a number go to its end through all between, so that one sees the words move. */
  const glide = (key) => (end) => {
    const from = now[key];
    tokensel.animate(GLIDE, (part) => change({ [key]: part < 1 ? from + part * (end - from) : end }));
  };
  const path = (kind, d) => element("svg:path", { class: kind, d });
  const ghost = (cx, cy) => element("svg:circle", { class: "ghost", cx, cy, r: 3.5 });
  const idOf = (word) => words.indexOf(word);
  const three = (x) => number(x, x ? Math.min(4, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(x))))) : 0); // digits that count

  // ---- ten sentences

  const read = TEN.map((sentence) => sentence.split(" ").filter((word) => word.length > 1)); // as in the book
  const few = [...new Set(read.flat())];
  const sideOf = (i) => (now.labels[i] === "1" ? 1 : -1);
  const side = (x) => (x > 0 ? "praise" : "blame");
  const times = (i, word) => read[i].filter((each) => each === word).length;
  const push = (i) => sideOf(i) / read[i].length; // on a word that stands there once

  /** Of every word its signed share, its value before the step, and the slope down which a step goes. */
  function step() {
    const of = [now.seed, now.d, now.labels].join();
    if (taken.of === of) return taken;
    const start = tokensel.startOf(few, now.d, now.seed);
    const texts = read.map((all, i) => ({ tokens: all.map((word) => few.indexOf(word)), label: Number(sideOf(i) > 0) }));
    const share = few.map((word) => read.reduce((sum, _, i) => sum + times(i, word) * push(i), 0) / TEN.length);
    const [before, slope] = [start.E, tokensel.gradients(start, texts).E].map((E) => tokensel.modelOf({ ...start, E }).values[0]);
    return (taken = { of, share, before, slope });
  }
  const valueOf = (s) => taken.before[s] - now.size * taken.slope[s];
  const rowOf = (s) => 1.8 * ROOM * ((s + 0.5) / few.length - 0.5);
  const names = (across, down) => few.map((word, s) => {
    const [x, y] = [across(rowOf(s)) + 4, down(-0.36)];
    return set(text(x, y, word), { transform: `rotate(-90 ${x} ${y})` });
  });

  /** A sentence's pushes, laid end to end where it has a word twice. */
  const arrows = (x, y) => (across, down) => few.flatMap((word, s) => Array.from({ length: times(now.lit, word) }, (_, i) => {
    const [foot, tip] = [i, i + 1].map((pushes) => down(y[s] + 0.5 * pushes * push(now.lit)));
    const head = tip < foot ? 5 : -5;
    return path(`arrow ${side(push(now.lit))}`, `M${across(x[s])} ${foot}V${tip}m-5 ${head}l5 ${-head}l5 ${head}`);
  }));

  /** All pushes on a word as one bar, which turns aside. */
  const bars = (x, y) => (across, down) => few.map((_, s) => {
    const upright = 2 * Math.cos((now.turned * Math.PI) / 2) * taken.share[s];
    return path(`bar ${side(taken.share[s])}`, `M${across((1 - now.turned) * rowOf(s))} ${down(y[s])}L${across(x[s])} ${down(y[s] + upright)}`);
  });
  const along = (x, y) => x.flatMap((end, s) => Array.from({ length: 10 }, (_, i) => [(i / 10) * end, y[s]])); // where such bars lie

  const ghosts = (x) => (across, down) => few.map((_, s) => ghost(across(x[s]), down(taken.before[s])));

  function toldOfTen(s) {
    const { share } = step();
    const sum = ["start", "push"].includes(now.show) ? "" : `pushes add up to ${number(TEN.length * share[s], 2)}, signed share ${number(share[s], 3)}, `;
    return `${few[s]}: ${sum}value ${number(valueOf(s), 3)}`;
  }

  function drawTen() {
    const { share } = step();
    const row = now.turned < 0.5;
    const x = few.map((_, s) => (1 - now.turned) * rowOf(s) + Math.sin((now.turned * Math.PI) / 2) * share[s]);
    const y = few.map((_, s) => valueOf(s));
    const over = { push: arrows(x, y), sum: bars(x, y), line: ghosts(x) }[now.show] ?? (() => []);
    const chosen = Math.max(few.indexOf(now.word), 0);
    const lean = [...few.keys()].filter((s) => share[s] || few[s] === "the"); // of those that don't, one is named
    small.draw({
      x, y, xRange: [-ROOM, ROOM], yRange: [-0.42, 0.42], bare: row, chosen,
      named: row ? [] : lean.sort((one, other) => Math.abs(share[other]) - Math.abs(share[one])), clear: now.show === "sum" ? along(x, y) : [],
      line: now.show === "line" && [-ROOM, ROOM].map((each) => [each, (now.size / 2) * each]),
      tone: (s) => [row || !share[s] ? 2 : Number(share[s] > 0), now.show === "push" && !times(now.lit, few[s]) ? 0.25 : 1],
      over: (across, down) => [...(row ? names(across, down) : []), ...over(across, down)],
    });
    TEN.forEach((sentence, i) => { cards.children[i].textContent = `${sideOf(i) > 0 ? "▲" : "▼"} ${sentence}`; });
    return toldOfTen(chosen);
  }
  const flip = () => change({ labels: [...now.labels].with(now.lit, sideOf(now.lit) > 0 ? 0 : 1).join("") });

  // ---- 25,000 reviews

  const x = data.share.map((each) => PER * each);
  const noise = () => 1 / Math.sqrt(now.d);
  const predicted = (id) => (now.eta / 2) * data.share[id];
  const heard = (id) => Math.abs(predicted(id)) > noise();
  const told = (id) => `${words[id]}: signed share ${three(x[id])}, value ${three(values[id])}`;
  const part = (ids) => `${number((100 * ids.filter(heard).length) / ids.length)}%`;

  /** The noise: what lies in it may be chance. */
  const band = (across, down) => [path("band", `M${across(x[idOf("bad")])} ${down(noise())}H${across(x[idOf("and")])}V${down(-noise())}H${across(x[idOf("bad")])}Z`)];

  function drawReviews() {
    const [luck, shuffled, chosen] = [now.show === "luck", now.show === "luck" && now.shuffled, idOf(now.word)];
    values = tokensel.steppedValues({ ...data, share: shuffled ? data.shuffled : data.share }, now.eta, now.d);
    const xRange = around(x);
    const lineOf = (step) => xRange.map((each) => [each, (step / 2) * (each / PER)]);
    // The frame holds the words, and the line of a step of 3,000 or more from side to side
    const [[low, high], [[, bottom], [, top]]] = [around(values), lineOf(Math.max(now.eta, LARGE))];
    large.draw({
      x, y: values, xRange, yRange: [Math.min(low, bottom), Math.max(high, top)], named: NAMED.map(idOf), chosen, line: lineOf(now.eta),
      xName: `← blame · ${shuffled ? "true" : "signed"} share × 10,000 · praise →`, yName: "↑ speaks for praise",
      tone: (id) => [now.eta ? Number(x[id] > 0) : 2, luck && !shuffled && !heard(id) ? 0.3 : 1], over: luck && band,
    });
    finder.show(chosen);
    const fits = `Correlation of words and line: ${number(tokensel.correlation(values, data.share), 3)}.`;
    if (!luck) return `${told(chosen)}; the line is at ${three(predicted(chosen))}, before the step it was ${three(data.draw[chosen] / Math.sqrt(now.d))}. ${fits}`;
    const all = `Heard: ${part(query.common.slice(0, 500))} of the 500 most frequent words, ${part([...words.keys()])} of all.`;
    return `${told(chosen)}. ${shuffled ? fits : all}`;
  }

  // ---- scores

  /** How far the plank tips for a step on the query of size 1: h, for a first step. */
  const tilt = () => now.first ** 2 * (query.tilt[0] + now.first * query.tilt[1]);
  const tilted = (share) => (tilt() * now.first * share) / 2;
  const bent = (share) => (now.first * share * (share - query.lean)) / 4;

  /** Scores of the common words where being common costs nothing. */
  const free = () => query.common.map((id, i) => now.first * (query.own[i] + now.first * query.bent[i] + query.price[i]) + tilted(data.share[id]));
  const ofBad = (all) => all[query.common.indexOf(idOf("bad"))];

  function drawScores() {
    const all = free();
    const unit = now.query / ofBad(all); // where bad costs nothing, it has 1
    const price = (i) => now.first * query.price[i] * unit;
    const y = new Float64Array(words.length).fill(NaN); // a word that is nowhere is not drawn
    query.common.forEach((id, i) => { y[id] = unit * all[i] - now.price * price(i); });
    values = data.share.map((each) => (now.first / 2) * each);
    const at = Math.max(query.common.indexOf(idOf(now.word)), 0);
    const chosen = query.common[at];
    const [yRange, line] = now.show === "tilt" ? [[-2.3, 4], tilted] : [[-1.3, 4], (share) => bent(share) + tilted(share)];
    const curve = Array.from({ length: 53 }, (_, i) => [i - 17, unit * line((i - 17) / PER)]);
    large.draw({
      x, y, xRange: [-17, 35], yRange, named: NAMED.map(idOf), chosen, line: curve.filter(([, height]) => height < yRange[1]),
      xName: "← blame · signed share × 10,000 · praise →", yName: "↑ gets more attention",
      over: (across, down) => query.common.flatMap((id, i) => {
        const [left, top] = [across(x[id]), down(unit * all[i])];
        return now.price * price(i) < SMALL ? [] : [path("stem", `M${left} ${top}V${down(y[id])}`), ghost(left, top)];
      }),
    });
    const cost = ["price", "tilt"].includes(now.show) ? `, price ${number(price(at), 2)}` : ""; // before, a reader knows of none
    return `${told(chosen)}, score ${number(y[chosen], 2)}${cost}`;
  }

  // ---- the plank, and who tips it

  const drawing = element("svg:svg", { viewBox: "0 0 360 250", role: "img", "aria-label": "A see-saw, and where verdicts lean" });

  /** One mark for 250 reviews of one label: where their verdicts lean. Those misjudged pull the harder, the larger the first step. */
  function marks(label, top, part) {
    const pull = 0.4 + 0.6 * Math.sqrt(now.first / LARGE);
    return [text(14, top - 16, `Reviews of ${side(label)}: ${number(100 * part)}% lean to praise`), ...Array.from({ length: 50 }, (_, i) => {
      const leans = i < Math.round(50 * part) ? 1 : -1;
      const mark = text(20 + 13.3 * (i % 25), top + 18 * Math.floor(i / 25), leans > 0 ? "▲" : "▼", "middle", leans === label ? "pale" : side(label));
      return leans === label ? mark : set(mark, { style: `opacity: ${pull}` });
    })];
  }

  function drawPlank() {
    const lifted = tilted(data.share[idOf("bad")]);
    const rise = lifted / (Math.abs(lifted) + Math.abs(ofBad(free()) - lifted)); // how much of bad's score is the plank's
    const down = (way) => 66 + way * 40 * rise;
    const beside = (way) => down(way) + (way * rise > 0.1 ? 22 : -8); // below an end that has sunk
    drawing.replaceChildren(path("pivot", "M180 66l-12 40h24Z"), path("plank", `M30 ${down(-1)}L330 ${down(1)}`),
      text(14, beside(-1), "blame", "start", "blame"), text(346, beside(1), "praise", "end", "praise"),
      ...query.praised[0].flatMap((part, i) => marks(1 - 2 * i, 146 + 68 * i, part)));
    return Math.abs(rise) < 0.1 ? "The plank is nearly level." : `The side of ${side(-rise)} goes up.`;
  }

  // ---- all together

  const choose = (id) => change({ word: words[id] });
  const small = tokensel.scatter({
    words: few, brief: toldOfTen, tell: toldOfTen, choose: (s) => change({ word: few[s] }),
    name: "Words of ten sentences", xName: "← more of blame · signed share · more of praise →", yName: "↑ speaks for praise", radius: 4,
  });
  const large = tokensel.scatter({ words, brief: told, tell: told, choose, name: "Words by signed share" });
  const finder = tokensel.finder({ words, weights: x.map(Math.abs), choose, find: choose });
  const readout = element("p", { class: "of-word readout" });
  const cards = choice("lit", "Sentences", TEN.map((sentence, i) => [i, sentence]));
  cards.classList.add("sentences");

  function picture() {
    const draw = ofTen.includes(now.show) ? drawTen : ofScores.includes(now.show) ? drawScores : now.show === "plank" ? drawPlank : drawReviews;
    for (const [part, ...of] of parts) part.style.display = of.includes(now.show) ? "" : "none";
    readout.textContent = draw();
    return ![small.root, large.root].includes(document.activeElement) && readout.textContent; // they say themselves which word is chosen
  }

  const alone = pinned ? [] : ["reviews"]; // elsewhere, one view has all that moves it
  const parts = [
    [small.root, ...ofTen], [large.root, "reviews", "luck", ...ofScores], [drawing, "plank"],
    [cards, "start", "push", "sum"], [tokensel.button("Swap ▲ and ▼", flip), "push", "sum"],
    [tokensel.button("Another start", () => change({ seed: (now.seed % 99) + 1 })), "start", "line"],
    [slider("size", "Size of the step", { min: 0, max: 6, step: 0.1 }, (size) => number(size, 1)), "line"],
    [choice("eta", "Step sizes", [[0, "before"], [300, "size 300"], [3_000, "size 3,000"]], { choose: glide("eta") }), "reviews"],
    [choice("shuffled", "Labels", [[0, "true labels"], [1, "shuffled labels"]]), "luck"],
    [listSlider("eta", "Size of the step", STEPS, (each) => (each ? number(each) : "0 (before)")), ...alone],
    [listSlider("d", "Dimensions", DIMS), ...alone],
    [finder.root, "reviews"],
    [choice("query", "The query", [[0, "before"], [1, "step on the query"]], { choose: glide("query") }), "both"],
    [choice("first", "First step", [100, 300, 1_000, 3_000].map((each) => [each, number(each)]), { choose: glide("first") }), "tilt", "plank"],
    [choice("price", "Price", [[0, "no price"], [1, "price of being common"]], { choose: glide("price") }), "price", "tilt"],
    [readout, ...views], [element("p", {}, "Theory, for very many dimensions. Unit: the score of “bad”, without its price."), ...ofScores],
  ];
  root.setAttribute("aria-label", "One step, and what it does to words");
  begin(element("div", { class: pinned ? "plane maps stepped" : "step" }, small.root, large.root, drawing,
    element("div", { class: "beside" }, ...parts.slice(3).map(([part]) => part))));
});
