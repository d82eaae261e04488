/* Train it yourself (01_model): ten sentences, a network of random numbers, and what its words become step by step. */
"use strict";

tokensel.plaything("train", (root, place) => {
  const { element, text, shown } = tokensel;
  const GOOD = ["the film was great", "a great story", "the music is great and the story is good", "a good film with a good story", "the story was wonderful"];
  const BAD = ["the film was bad", "a bad story", "the music is bad and the story is dull", "a dull film with a bad story", "the story was awful"];
  const START = { texts: [...GOOD, ...BAD].join("/"), labels: "1111100000", steps: place.matches(".unanswered") ? 0 : 20 };
  const [DIM, RATE, SEED, MOST, RUN, EACH] = [64, 4, 1, 200, 20, 30]; // EACH: milliseconds a step, so that a run takes 600
  const [WIDTH, HEIGHT] = [360, 300];
  const FRAMES = [1, 2, 4, 8, 16, 32]; // how far the picture reaches, in either direction

  const { now, change, draw, begin } = tokensel.settings(root, "train", START, show);
  const places = [...GOOD, ...BAD].map((_, i) => i);
  now.steps = tokensel.clamp(Math.round(now.steps), 0, MOST);
  now.labels = places.map((i) => Number(now.labels[i] === "1")).join("");
  let [texts, labels] = [[], []];
  let trained = { of: null, path: [] };
  let stop = () => {};

  /** What the network is after so many steps, and the sentences as it reads them; what was computed before is kept. */
  function network() {
    const found = texts.map((text) => tokensel.words(text).map(({ word }) => word).filter((word) => word.length > 1)); // as in the book
    const of = JSON.stringify([found, labels]);
    const vocabulary = [...new Set(found.flat())];
    const read = found.map((words, i) => ({ tokens: words.map((word) => vocabulary.indexOf(word)), label: labels[i] }));
    const there = read.filter(({ tokens }) => tokens.length);
    if (trained.of !== of) trained = { of, path: [tokensel.startOf(vocabulary, DIM, SEED)] };
    while (there.length && trained.path.length <= now.steps) trained.path.push(tokensel.descended(trained.path.at(-1), there, RATE));
    return { model: vocabulary.length ? tokensel.modelOf(trained.path[there.length ? now.steps : 0], vocabulary) : null, read, vocabulary };
  }

  // ---- the picture

  const drawing = element("svg:svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });

  function picture({ model, vocabulary }) {
    const [scores, values] = model ? [model.scores, model.values[0]] : [[], []];
    const reach = (numbers) => FRAMES.find((each) => each >= 1.1 * Math.max(0, ...numbers.map(Math.abs))) ?? FRAMES.at(-1);
    const [across, up] = [reach(values), reach(scores)];
    const at = (s) => [WIDTH / 2 + (values[s] / across) * 160, HEIGHT / 2 - 8 - (scores[s] / up) * 120];
    const parts = vocabulary.map((word, s) => {
      const [cx, cy] = at(s);
      const name = `${word}: value ${shown(values[s], 1)}, score ${shown(scores[s], 1)}`;
      return element("svg:circle", { class: `disc ${values[s] < 0 ? "blame" : "praise"}`, cx, cy, r: 6 }, element("svg:title", {}, name));
    });
    // Names, the clearest words first, where no other name stands
    const clear = (s) => Math.abs(values[s]) / across + Math.abs(scores[s]) / up;
    const taken = [];
    for (const s of vocabulary.map((_, s) => s).sort((one, other) => clear(other) - clear(one))) {
      const [x, y] = at(s);
      const length = 9 * vocabulary[s].length + 12; // and the disc of the next word
      const way = x > WIDTH - 20 - length ? -1 : 1;
      const box = [way > 0 ? x + 9 : x - 9 - length, y];
      if (taken.some(([left, down, wide]) => Math.abs(down - y) < 13 && box[0] < left + wide && left < box[0] + length)) continue;
      taken.push([...box, length]);
      parts.push(text(x + 9 * way, y + 5, vocabulary[s], way > 0 ? "start" : "end", "name"));
    }
    drawing.replaceChildren(
      element("svg:path", { class: "level", d: `M10 ${HEIGHT / 2 - 8}H${WIDTH - 10}M${WIDTH / 2} 18V${HEIGHT - 26}` }),
      text(WIDTH / 2, 13, "↑ gets more attention", "middle", "tick"),
      text(8, HEIGHT - 8, "← speaks for blame", "start", "tick"),
      text(WIDTH - 8, HEIGHT - 8, "speaks for praise →", "end", "tick"), ...parts);
  }

  // ---- the sentences

  const rows = places.map((i) => {
    const flip = tokensel.button("", () => change({ labels: labels.with(i, 1 - labels[i]).join("") }));
    const box = element("input", {
      type: "text", maxlength: 80, "aria-label": `sentence ${i + 1}`, autocomplete: "off", spellcheck: "false",
      oninput: () => change({ texts: texts.with(i, box.value.replaceAll("/", " ")).join("/") }),
    });
    const verdict = element("span");
    return { flip, box, verdict, root: element("div", { class: "sentence" }, flip, box, verdict) };
  });

  function sentences({ model, read, vocabulary }) {
    return rows.reduce((right, { flip, box, verdict }, i) => {
      const praise = labels[i] === 1;
      flip.textContent = praise ? "▲" : "▼";
      flip.className = praise ? "praise" : "blame";
      flip.setAttribute("aria-label", `sentence ${i + 1} counts as ${praise ? "praise" : "blame"}: change that`);
      if (box.value !== texts[i]) box.value = texts[i];
      verdict.textContent = "";
      if (!read[i].tokens.length) return right;
      const { attention, logits: [logit] } = tokensel.forward(model, read[i].tokens);
      const shares = vocabulary.map((_, id) => read[i].tokens.reduce((sum, one, k) => sum + (one === id ? attention[k] : 0), 0)); // of a word, however often it stands there
      const share = Math.max(...shares);
      const fits = logit > 0 === praise;
      if (now.steps) verdict.textContent = `${fits ? "✓" : "✗"} ${Math.round(100 * share)}% ${vocabulary[shares.indexOf(share)]}`;
      verdict.className = logit > 0 ? "praise" : "blame";
      return right + fits;
    }, 0);
  }

  // ---- all together

  const verdict = element("p", { class: "verdict" });

  function show() {
    texts = places.map((i) => now.texts.split("/")[i]?.slice(0, 80) ?? "");
    labels = [...now.labels].map(Number);
    const seen = network();
    picture(seen);
    const right = sentences(seen);
    const there = seen.read.filter(({ tokens }) => tokens.length).length;
    const told = `After ${now.steps} step${now.steps === 1 ? "" : "s"}: right on ${right} of ${there} sentences.`;
    verdict.textContent = told;
    drawing.setAttribute("aria-label", `Words by value and score. ${told}`);
    return told;
  }

  function walk(many) {
    stop();
    const [from, all] = [now.steps, Math.min(MOST - now.steps, many)];
    const go = (done) => {
      if (from + done === now.steps) return;
      now.steps = from + done;
      draw();
    };
    go(Math.min(1, all));
    if (all > 1) stop = tokensel.animate(EACH * all, (part) => go(Math.max(1, Math.floor(part * all))));
  }

  /** Labels elsewhere, and a network that knows nothing: a control has learnt from no true label. */
  function shuffle() {
    let drawn;
    do drawn = places.map((i) => [Math.random(), labels[i]]).sort(([one], [other]) => one - other).map(([, label]) => label).join("");
    while (Math.abs(places.filter((i) => drawn[i] === START.labels[i]).length - 5) > 2); // or it would nearly be the true labels, or their opposites
    begun({ labels: drawn });
  }

  function begun(changed) {
    stop();
    change({ ...changed, steps: 0 });
  }

  root.setAttribute("aria-label", "Train it yourself: ten sentences and a small network");
  const buttons = [["Step", () => walk(1)], [`Run ${RUN}`, () => walk(RUN)], ["Reset", () => begun(START)], ["Shuffle labels", shuffle]];
  begin(element("div", { class: "plane train" }, element("div", {}, drawing, tokensel.buttons("Training", buttons), verdict),
    element("div", {}, ...rows.map((row) => row.root)),
    element("p", { class: "hint" }, "Tap ▲ or ▼ to flip a label, or rewrite a sentence: the network then learns anew.")));
});
