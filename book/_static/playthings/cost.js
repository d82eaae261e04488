/* Fill in your numbers (cost.md): what a step over all texts costs on paper, and what runs out first. */
"use strict";

tokensel.plaything("cost", (root) => {
  const { element, text, number } = tokensel;
  const { begin: size, entries, preparing, machines } = tokensel.costs;
  const FIELDS = { // names, and units in which they are typed
    texts: ["million texts", 1e6], tokens: ["tokens a text", 1], words: ["words", 1], dim: ["dimension", 1], entry: ["bytes an entry", 1],
    bandwidth: ["memory, GB/s", 1e9], share: ["% of it used", 0.01], memory: ["memory, GB", 1e9], feed: ["storage, GB/s", 1e9],
    link: ["network, GB/s", 1e9],
  };
  const PARTS = { disk: "reading", preparing: "preparing", counts: "counts", embeddings: "embeddings", network: "network" };
  const TIMES = [[86400, "days"], [3600, "h"], [60, "min"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"]];
  const BYTES = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"]];
  const unit = (key) => FIELDS[key]?.[1] ?? 1;
  const typed = (machine) => Object.fromEntries(Object.entries(machine).map(([key, value]) => [key, Number((value / unit(key)).toPrecision(4))]));
  const DEFAULTS = typed({ ...size, ...machines["8 H200"] });
  const { now, change, redraw, reset, begin } = tokensel.settings(root, "cost", DEFAULTS, picture);
  for (const key of Object.keys(DEFAULTS)) if (!(now[key] > 0)) now[key] = DEFAULTS[key];

  const shown = (value, units) => { // in the largest unit of which there are two
    const [size, name] = units.find(([each]) => value >= 2 * each) ?? units.at(-1);
    return `${number(value / size, value < 10 * size ? 1 : 0)} ${name}`;
  };

  const fields = Object.entries(FIELDS).map(([key, [name]]) => {
    const fill = (value) => (value > 0 && value < 1e18 ? change({ [key]: value }) : tokensel.set(input, { "aria-invalid": true }));
    const read = () => Number(input.value.replaceAll(",", ""));
    const attributes = { id: `cost-${key}`, type: "text", inputmode: "decimal", autocomplete: "off" };
    const input = element("input", { ...attributes, oninput: () => fill(read()), onblur: redraw });
    tokensel.onArrows(input, ([, up]) => up !== 0 && fill(now[key] * 2 ** up));
    const show = () => {
      if (input === document.activeElement && read() === now[key]) return; // as it was typed
      input.value = now[key].toLocaleString("en", { maximumSignificantDigits: 4 });
      tokensel.set(input, { "aria-invalid": null });
    };
    return { root: element("div", { class: "slider" }, element("label", { for: input.id }, name), input), show };
  });
  const kinds = tokensel.choice("machines", Object.keys(machines).map((name) => [name, name]), (name) => change(typed(machines[name])));
  kinds.root.append(reset());
  const many = tokensel.slider("how many", { min: 0, max: 3, step: 0.01 }, (at) => change({ units: Math.round(10 ** at) }));
  const readout = element("p", { class: "readout" });
  const [width, left, high] = [innerWidth < 600 ? 310 : 820, 100, 24];
  const room = width - left - 80;
  const drawing = element("svg:svg", { class: "chart", viewBox: `0 0 ${width} ${6.7 * high}`, role: "img", "aria-label": "Memory, and parts of a step" });

  function bar(row, name, part, kind, words) {
    const [y, wide] = [row * high, Math.max(1, room * Math.min(1, part))];
    return [text(left - 8, y + 17, name, "end"), text(left + wide + 6, y + 17, words),
      element("svg:rect", { class: kind, fill: "currentColor", x: left, y: y + 4, width: wide, height: high - 8 })];
  }

  function picture() {
    const given = Object.fromEntries(Object.keys(DEFAULTS).map((key) => [key, now[key] * unit(key)]));
    given.entries = entries * given.tokens * given.texts;
    const { seconds, step, memory, enough } = tokensel.onPaper(given, given, given.entry, preparing);
    const [most, holds, each] = [Math.max(...Object.values(seconds)), enough <= given.units, given.entries / given.units];
    drawing.replaceChildren(
      ...bar(0, "memory", memory / given.memory / 2, holds ? "praise" : "blame", shown(memory, BYTES)),
      element("svg:path", { class: "threshold", d: `M${left + room / 2} 0v${high}` }), text(left + room / 2, high + 13, `${number(now.memory)} GB`, "middle"),
      ...Object.entries(PARTS).flatMap(([part, name], i) => bar(i + 1.7, name, seconds[part] / most,
        i < 2 ? "blame" : "praise", seconds[part] ? shown(seconds[part], TIMES) : "none")));
    readout.textContent = `A step takes ${shown(step, TIMES)}; the longest part is ${PARTS[Object.keys(PARTS).find((part) => seconds[part] === most)]}. `
      + (holds ? `Memory holds all counts; ${number(enough)} would do.` : `Memory runs out first: ${enough < Infinity
        ? `${number(enough)} of these would hold the counts.` : "the embeddings alone are too large."}`)
      + (each >= 2 ** 31 ? ` Each has ${number(each / 1e9, 1)} billion entries, so row ends need 64 bits.` : "");
    for (const field of fields) field.show();
    many.show(number(now.units), Math.log10(now.units));
    kinds.show(Object.keys(machines).find((name) => Object.entries(typed(machines[name])).every(([key, value]) => now[key] === value)));
    return readout.textContent;
  }

  root.classList.add("cost");
  begin(drawing, readout, element("div", { class: "choice" }, kinds.root, many.root),
    element("div", { class: "pairs" }, ...fields.map((field) => field.root)));
});
