/* What a head sees (10_transformers): its attention over the lean of words, and a sentence, as large as it looks at it. */
"use strict";

tokensel.plaything("heads", (root) => {
  const { element, text, clamp, number } = tokensel;
  const NETWORKS = { "free 1": "1 layer", "line 1": "held on a line", "free 2": "2 layers", "free 4": "4 layers" };
  const SENTENCES = ["Thanks for the amazing flight, but you lost my bag", "Why is my flight late again? Worst service ever!",
    "I love the new phone, but the battery is awful"];
  const [COUNTED, MIDDLE, LEANS] = [[1, 2, 3, 4], 110, 2]; // a letter's number for 0, and tenths of lean from which a word has a side
  const DEFAULTS = { network: "free 1", layer: 1, head: 3, step: 750, text: SENTENCES[0] };
  const data = tokensel.heads;
  const { now, change, choice, listSlider, reset, begin } = tokensel.settings(root, "heads", DEFAULTS, picture,
    { network: Object.keys(NETWORKS), layer: COUNTED, head: COUNTED, step: data.moments });
  const depth = () => Number(now.network.at(-1));

  const chart = tokensel.chart({
    label: "", left: 30,
    x: { range: [0, 9], ticks: [[1.2, "← blame"], [7.8, "praise →"]] }, y: { range: [-2.3, 2.3], ticks: [[-2, "¼"], [0, 1], [2, 4]] },
  });
  const numbered = COUNTED.map((each) => [each, each]);
  const networks = choice("network", "network", Object.entries(NETWORKS));
  networks.append(reset());
  const sentences = choice("text", "text", SENTENCES.map((each) => [each, `${each.split(" ", 2).join(" ")} …`]));
  const box = element("input", {
    type: "text", maxlength: 120, "aria-label": "your own sentence", autocomplete: "off", oninput: () => change({ text: box.value }),
  });
  const [reading, readout] = ["reading", "readout"].map((kind) => element("p", { class: kind }));
  const row = (name, chosen) => element("div", { class: "choice" }, element("span", {}, name), chosen);
  const ofLayer = row("Layer", choice("layer", "layer", numbered, { may: (layer) => layer <= depth() }));
  const ofHead = row("Head", choice("head", "head", numbered));

  function picture() {
    now.layer = Math.min(now.layer, depth());
    const [curves, looks] = ["curves", "looks"].map((kind) => data[kind][now.network][data.moments.indexOf(now.step)][now.layer - 1]);
    chart.layer.replaceChildren(chart.line([0, 9], [0, 0], "level"), text(36, 22, "↑ attention, over average"), ...curves.map((curve, i) =>
      chart.line([...curve.keys()], curve.map(Math.log2), i === now.head - 1 ? "chosen" : "other")));
    const told = curves[now.head - 1].map((each) => number(each, 1)).join(", ");
    tokensel.set(chart.root, { "aria-label": `Attention to ten groups of words, from blame to praise: ${told} times the average` });
    const [known, tokens] = [[], tokensel.tokens(data, now.text)];
    const parts = tokensel.spelled(now.text, tokens, ({ id, word }) => {
      const [look, lean] = [looks[now.head - 1], data.lean].map((letters) => letters.charCodeAt(id) - MIDDLE);
      const size = `font-size: ${clamp(2 ** (look / data.fine / 2), 0.7, 2.2).toFixed(2)}em`; // its square is the attention
      if (id >= 0) known.push({ word, look });
      const kind = id < 0 ? "unknown" : lean > LEANS ? "praise" : lean < -LEANS ? "blame" : null;
      return { class: kind, style: id >= 0 && size };
    });
    reading.replaceChildren(...parts);
    const most = known.sort((one, other) => other.look - one.look).slice(0, 2).map(({ word, look }) => `“${word}” ${number(2 ** (look / data.fine), 1)} times`);
    readout.textContent = `After ${now.step} steps, head ${now.head} of layer ${now.layer} gives `
      + (known.length ? `${most.join(" and ")} the attention of an average word.` : "us no number: these words are too rare.")
      + (known.length && known.length < tokens.length ? " Dotted words are not counted." : "");
    if (box.value !== now.text) box.value = now.text;
    ofLayer.hidden = depth() === 1;
    return readout.textContent;
  }

  root.classList.add("heads");
  begin(element("div", { class: "pairs" }, chart.root, element("div", {}, reading, readout)), element("div", { class: "choice" }, box, sentences),
    listSlider("step", "steps of training", data.moments), element("div", { class: "choice" }, networks, ofLayer, ofHead),
    element("p", { class: "hint" }, "Large words get attention. Write your own sentence, or move the steps."));
});
