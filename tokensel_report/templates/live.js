/* A text box with a model of one's own: what it says of the text as one types, and the words that it rests on.
 *
 * Python's text_box.py wraps engine.js, ui.js, phrases.js and this in one function, so that `tokensel` is this box's own. The model is the JSON
 * in the place of the box. Whatever is typed, and every word and label of the model, goes into the page as text, never as HTML.
 */
"use strict";

function buildLive(root) {
  root.dataset.built = "";
  const { element } = tokensel;
  const LONGEST = 20_000; // characters: whoever pastes a book reads its beginning
  const SHOWN = 8; // classes, and words of the table
  const numbers = (base64, Kind) => new Kind(Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)).buffer);
  const { classes, examples, note, ...packed } = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  const scores = numbers(packed.scores, Float32Array);
  const values = numbers(packed.values, Float32Array);
  const model = {
    words: packed.words,
    starts: numbers(packed.starts, Int32Array),
    lasts: numbers(packed.lasts, Int32Array),
    scores,
    values: Array.from({ length: values.length / scores.length }, (_, k) => values.subarray(k * scores.length, (k + 1) * scores.length)),
  };
  const many = model.values.length > 1;
  let chosen = null; // the class that is shaded, where there are many; by default the likeliest
  const whenCalm = tokensel.unhurried(1500); // characters

  const name = (id) => {
    if (id === scores.length - 1) return "<cls>";
    const words = packed.words.length;
    return id < words ? packed.words[id] : `${name(model.starts[id - words])} ${name(model.lasts[id - words])}`;
  };
  const signed = (x) => `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(2)}`;
  const percent = (q) => (q > 0.999 ? "over 99.9%" : `${(100 * q).toFixed(q < 0.1 ? 1 : 0)}%`);
  const style = (x, strength) => {
    const [colour, line] = x > 0 ? ["0, 114, 178", "solid"] : ["213, 94, 0", "dotted"];
    return `background: rgba(${colour}, ${(strength / 2).toFixed(3)}); border-bottom: 2px ${line} rgba(${colour}, ${strength.toFixed(3)})`;
  };

  const box = element("textarea", { rows: 3, maxlength: LONGEST, spellcheck: "false", autocomplete: "off", dir: "auto", oninput: draw });
  const judged = element("p", { class: "verdict" });
  const bars = element("div", { class: "bars", role: "group", "aria-label": "The classes; one is shaded in the text", hidden: !many });
  const reading = element("p", { class: "reading", dir: "auto", onpointerover: ({ target }) => { target.title = target.tell?.() ?? ""; } });
  const spans = []; // of the text
  const legend = element("p", { class: "legend" });
  const table = element("tbody");
  const { root: forScreenReaders, say } = tokensel.said();

  function draw() {
    const text = box.value;
    const found = tokensel.phrases(model, text);
    const { ids, occurrences, attention, logits } = tokensel.judge(model, found);
    const likely = tokensel.probabilities(logits);
    const best = likely.indexOf(Math.max(...likely));
    const of = many ? (chosen ?? best) : 0;
    const shares = ids.map((id, i) => attention[i] * model.values[of][id]);
    const logit = many ? `logit ${signed(logits[best])}` : `logit ${signed(logits[0])}, positive for ${classes[1]}`;
    judged.replaceChildren(element("strong", {}, classes[best]), `: probability ${percent(likely[best])}, ${logit}`);
    drawBars(likely, of);
    whenCalm(text, () => shade(text, found, new Map(ids.map((id, i) => [id, shares[i] / occurrences[i]]))));
    legend.replaceChildren("Shaded ", element("span", { style: style(1, 1) }, "blue, underlined"), `: speaks for ${classes[many ? of : 1]}; `,
      element("span", { style: style(-1, 1) }, "orange, dotted"), ": against.");
    fill(ids.map((id, i) => [id, occurrences[i], attention[i], model.values[of][id], shares[i]]));
    say(judged.textContent);
  }

  function drawBars(likely, of) {
    if (!many) return;
    const order = likely.map((_, k) => k).sort((one, other) => likely[other] - likely[one]).slice(0, SHOWN);
    const focused = bars.contains(document.activeElement) && document.activeElement.dataset.k;
    bars.replaceChildren(...order.map((k) => element("button",
      { type: "button", "aria-pressed": String(k === of), "data-k": k, onclick: () => { chosen = chosen === k ? null : k; draw(); } },
      element("span", { class: "bar", style: `width: ${100 * likely[k]}%` }), element("span", {}, `${classes[k]} ${percent(likely[k])}`))));
    if (focused) bars.querySelector(`[data-k="${Number(focused)}"]`)?.focus();
  }

  /** The text, each stretch between two ends of phrases shaded by the sum of all that cover it. What stays as it is isn't touched. */
  function shade(text, found, each) {
    const edges = [...new Set([0, text.length, ...found.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b);
    const place = new Map(edges.map((edge, i) => [edge, i]));
    const covering = edges.slice(1).map(() => []);
    for (const { start, end, id } of found) for (let i = place.get(start); i < place.get(end); i++) covering[i].push(id);
    const shades = covering.map((ids) => ids.reduce((total, id) => total + each.get(id), 0));
    const top = shades.reduce((most, x) => Math.max(most, Math.abs(x)), 0) || 1;
    const letters = covering.map((_, i) => text.slice(edges[i], edges[i + 1]));
    const changed = letters.findIndex((some, i) => some !== spans[i]?.letters);
    while (spans.length > letters.length) spans.splice(changed, 1)[0].remove();
    while (spans.length < letters.length) spans.splice(changed, 0, reading.insertBefore(element("span", {}, ""), spans[changed]));
    spans.forEach((span, i) => {
      const look = covering[i].length ? style(shades[i], Math.abs(shades[i]) / top) : "";
      if (span.letters !== letters[i]) span.firstChild.data = span.letters = letters[i];
      if (span.look !== look) span.style = span.look = look;
      span.tell = () => covering[i].map((id) => `${name(id)} ${signed(each.get(id))}`).join("; ");
    });
  }

  function fill(rows) {
    rows.sort((one, other) => Math.abs(other[4]) - Math.abs(one[4]));
    const line = (word, ...cells) => element("tr", {}, element("th", { scope: "row" }, word), ...cells.map((cell) => element("td", {}, cell)));
    const rest = rows.splice(SHOWN);
    table.replaceChildren(...rows.map(([id, count, q, value, share]) => line(name(id), count, percent(q), signed(value), signed(share))));
    const left = rest.reduce((total, row) => total + row[4], 0);
    if (rest.length) table.append(line(`${rest.length} others`, "", "", "", signed(left)));
  }

  const head = ["word or n-gram", "times", "attention", "value", "attention × value"];
  const shorter = (text) => (text.length > 30 ? `${text.slice(0, 28)} …` : text);
  root.replaceChildren(
    element("label", {}, "Write a text", box), judged, bars, reading, legend,
    examples.length && tokensel.buttons("Examples", examples.map((text) => [shorter(text), () => { box.value = text; draw(); }])) || "",
    element("details", {}, element("summary", {}, "The largest terms of the logit"), element("table", {},
      element("thead", {}, element("tr", {}, ...head.map((title) => element("th", { scope: "col" }, title)))), table)),
    element("p", { class: "note" }, note), forScreenReaders,
  );
  root.live = { model, logits: (text) => tokensel.judge(model, tokensel.phrases(model, text)).logits };
  box.value = examples[0] ?? "";
  draw();
}

(function start(left) {
  // A notebook may run a script before its output is a part of the page.
  const places = document.querySelectorAll(".tokensel-live:not([data-built])");
  places.forEach((root) => buildLive(root));
  if (!places.length && left) requestAnimationFrame(() => start(left - 1));
})(100);
