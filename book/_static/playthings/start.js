/* From a small start (10_transformers): one layer learns all it has, live, from made-up texts; dots are words. */
"use strict";

// Forty words, rare ones that lean and common ones that hardly do, in texts of six; and a start: all numbers small.
tokensel.leaning = (() => {
  const spread = (from, to, many) => Array.from({ length: many }, (_, i) => from + ((to - from) * i) / (many - 1));
  const leans = [...spread(-0.95, -0.2, 12), ...spread(-0.15, 0.15, 16), ...spread(0.2, 0.95, 12)];
  const next = tokensel.mulberry(1);
  const texts = [-1, 1].flatMap((side) => {
    const times = (lean) => Math.round((Math.abs(lean) < 0.16 ? 45 : 15) * (1 + side * lean));
    const places = leans.flatMap((lean, id) => Array.from({ length: times(lean) }, () => [next(), id])).sort(([one], [other]) => one - other);
    return spread(0, 179, 180).map((k) => ({ tokens: places.slice(6 * k, 6 * k + 6).map(([, id]) => id), label: Number(side > 0) }));
  });
  const start = (size, dim) => {
    const [small, { E, v }] = [(row) => row.map((each) => size * each), tokensel.startOf([...leans.keys(), "p"].map(String), dim, 2)];
    return { E: E.slice(0, -1).map(small), p: small(E.at(-1)), v: v.map(small) };
  };
  return { leans, texts, start };
})();

tokensel.plaything("start", (root) => {
  const { element, text, number } = tokensel;
  const { leans, texts, start } = tokensel.leaning;
  const [SIZES, END, EACH, DIM] = [[1, 0.1, 0.01, 0.001], 800, 4, 8];
  const [WAITS, LEFT] = [0.68, 0.6]; // losses: above the one it waits, below the other it has left zero
  const DEFAULTS = { size: 0.01, line: 0, time: 360 };
  const { now, draw, choice, slider, reset, begin } = tokensel.settings(root, "start", DEFAULTS, picture, { size: SIZES, line: [0, 1] });
  const slowness = 1 / Math.hypot(...tokensel.gradients({ E: leans.map(() => [0]), p: [0], v: [[1]] }, texts).E.flat()); // 1/‖β‖
  let run = {};

  /** Four units of time: two steps while it waits, then eight. */
  function moment() {
    const { scores } = tokensel.modelOf(run.parameters);
    const [tilt, horns] = [leans, leans.map(Math.abs)].map((each) => tokensel.correlation(scores, each));
    const rate = run.loss > WAITS ? 2 : 0.5;
    for (let time = 0; time < EACH; time += rate) run.parameters = tokensel.descended(run.parameters, texts, rate);
    run.loss = run.parameters.loss;
    run.path.push({ scores, signed: tilt, tilt: Math.abs(tilt), horns, loss: run.loss });
  }
  const learn = tokensel.soon(() => { // in pieces, so that the page answers
    for (const until = performance.now() + 50; run.path.length <= END / EACH && performance.now() < until;) moment();
    draw();
  });

  const cloud = tokensel.chart({
    label: "Words: score over lean", left: 8,
    x: { range: [-1.1, 1.1], ticks: [[-0.6, "← blame"], [0.6, "praise →"]] }, y: { range: [-1.2, 1.2], ticks: [] },
  });
  const lines = tokensel.chart({
    label: "Tilt and horns over time", left: 30,
    x: { range: [0, END], ticks: [0, 200, 400, 600, 800].map((each) => [each, each]) }, y: { range: [-0.3, 1.15], ticks: [[0, 0], [1, 1]] },
  });
  const sizes = choice("size", "size of the start", SIZES.map((size) => [size, size]));
  const kinds = choice("line", "words", [[0, "words free"], [1, "on a line"]]);
  kinds.append(reset());
  const readout = element("p", { class: "readout" });

  function picture() {
    const of = `${now.size} ${now.line}`;
    if (run.of !== of) run = { of, parameters: start(now.size, now.line ? 1 : DIM), path: [], loss: 1 };
    if (!run.path.length) moment();
    const { path } = run;
    const at = Math.min(path.length - 1, now.time / EACH);
    const most = Math.max(...path[at].scores.map(Math.abs));
    cloud.layer.replaceChildren(cloud.line([-1.1, 1.1], [0, 0], "level"), text(14, 22, "↑ score"), ...leans.map((lean, s) =>
      element("svg:circle", { class: lean < 0 ? "blame" : "praise", cx: cloud.across(lean), cy: cloud.down(path[at].scores[s] / most), r: 4 })));
    const [foretold, left] = [Math.log(1 / now.size) * slowness, path.findIndex(({ loss }) => loss < LEFT) * EACH];
    const [, , top, bottom] = lines.ends;
    const upright = (when, kind) => element("svg:path", { class: kind, d: `M${lines.across(when)} ${top}V${bottom}` });
    lines.layer.replaceChildren(upright(foretold, "threshold"), text(lines.across(foretold) + 4, bottom - 6, "theory"), upright(at * EACH, "now"),
      ...["tilt", "horns"].flatMap((kind) => [
        lines.line(path.map((_, k) => k * EACH), path.map((each) => each[kind]), kind),
        element("svg:circle", { cx: lines.across(at * EACH), cy: lines.down(path[at][kind]), r: 4 }),
        text(lines.across((path.length - 1) * EACH), lines.down(path.at(-1)[kind]) + (kind === (now.line ? "tilt" : "horns") ? -7 : 18), kind, "end")]));
    const { signed, tilt, horns, loss } = path[at];
    readout.textContent = `Time ${at * EACH}: ${loss > WAITS ? "near zero" : tilt > horns ? "a tilt" : "horns"}. Scores correlate ${number(signed, 2)} with the lean, `
      + `${number(horns, 2)} with its size.${left < 0 ? "" : ` Zero was left at ${left}, ${number(left - foretold)} after theory's ${number(foretold)}.`}`;
    if (path.length <= END / EACH) learn();
    return readout.textContent;
  }

  root.classList.add("start");
  begin(element("div", { class: "pairs" }, cloud.root, lines.root), slider("time", "time", { min: 0, max: END, step: EACH }),
    element("div", { class: "choice" }, element("span", {}, "Start"), sizes, kinds), readout,
    element("p", { class: "hint" }, "Forty made-up words learn live. Choose a smaller start, drag the time."));
});
