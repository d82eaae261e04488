/* Where do you stop? (06_ablations): a line that one drags along the accuracy of five networks. */
"use strict";

tokensel.plaything("stop", (root) => {
  const { element, text, clamp } = tokensel;
  const NAMES = { all: "everything", one_step: "one step on embeddings", frozen: "embeddings frozen", bag: "no attention", shuffled: "shuffled labels" };
  const narrow = innerWidth < 600;
  const KINDS = narrow ? { new: "new", own: "known" } : { new: "new reviews", own: "known reviews" };
  const LEVELS = [72, 88, 95];
  const STEPS = [...new Set(Array.from({ length: 100 }, (_, k) => Math.round(700 ** (k / 99))))];
  const DEFAULTS = { model: "all", step: 8 };
  const data = tokensel.stopping;
  const { now, change, choice, reset, begin } = tokensel.settings(root, "stop", DEFAULTS, picture, { model: Object.keys(NAMES) });

  const nearest = (step) => STEPS.reduce((best, each, i) => (Math.abs(Math.log(each / step)) < Math.abs(Math.log(STEPS[best] / step)) ? i : best), 0);
  const last = () => nearest(data[now.model].steps.at(-1));
  /** The mean accuracy of the runs after a step, in percent. */
  function after(step, kind) {
    const { steps, [kind]: runs } = data[now.model];
    const i = Math.max(1, steps.findIndex((each) => each >= Math.min(step, steps.at(-1))));
    const part = Math.min(1, (step - steps[i - 1]) / (steps[i] - steps[i - 1]));
    return runs.reduce((sum, run) => sum + run[i - 1] + part * (run[i] - run[i - 1]), 0) / runs.length / 10;
  }

  const chart = tokensel.chart({
    label: "Stop training after so many steps",
    width: narrow ? 350 : 640, height: 290,
    x: { range: [1, 700], ticks: [1, 10, 100, 700].map((each) => [each, each]), name: "steps of training", scale: Math.log },
    y: { range: [45, 100], ticks: [50, ...LEVELS].map((each) => [each, `${each}%`]) },
  });
  const [left, right, top, bottom] = chart.ends;
  const models = choice("model", "what is trained", Object.entries(NAMES));
  models.append(reset());
  const readout = element("p", { class: "readout" });

  // The drawing is a slider, for mouse, finger and keys.
  const to = (at) => change({ step: STEPS[clamp(at, 0, last())] });
  const drag = (event) => { if (event.buttons) to(nearest(700 ** chart.back(event))); };
  const keys = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -100, End: 100 };
  tokensel.set(chart.root, {
    role: "slider", tabindex: 0, "aria-valuemin": 1,
    onpointerdown: (event) => {
      chart.root.setPointerCapture(event.pointerId);
      drag(event);
    },
    onpointermove: drag,
    onkeydown: (event) => {
      if (!(event.key in keys)) return;
      event.preventDefault();
      to(Math.min(nearest(now.step), last()) + keys[event.key]);
    },
  });

  function picture() {
    const { steps } = data[now.model];
    const step = now.step = STEPS[Math.min(nearest(now.step), last())];
    const found = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, Math.round(after(step, kind))]));
    const at = chart.across(step);
    const [aside, anchor] = at > right - 150 ? [-9, "end"] : [9, "start"];
    chart.layer.replaceChildren(
      ...LEVELS.map((level) => chart.line([1, 700], [level, level], Object.values(found).includes(level) ? "level hit" : "level")),
      ...Object.keys(KINDS).flatMap((kind) => data[now.model][kind].map((run) => chart.line(steps.slice(1), run.slice(1).map((each) => each / 10), kind))),
      element("svg:line", { class: "stopping", x1: at, x2: at, y1: top, y2: bottom }),
      element("svg:path", { class: "handle", d: `M${at - 9} ${top - 12}h18l-9 13z` }),
      ...Object.entries(found).flatMap(([kind, each]) => [
        element("svg:circle", { class: kind, cx: at, cy: chart.down(after(step, kind)), r: 5 }),
        text(at + aside, chart.down(each) + (kind === "own" ? -6 : 16), `${KINDS[kind]} ${each}%`, anchor, kind)]),
    );
    const told = `${NAMES[now.model]}, stopped after step ${step}: ${found.new}% of new reviews right, `
      + `${found.own}% of those it learns from.`;
    readout.textContent = told[0].toUpperCase() + told.slice(1);
    tokensel.set(chart.root, { "aria-valuenow": step, "aria-valuemax": STEPS[last()], "aria-valuetext": told });
    return document.activeElement !== chart.root && told; // a slider says itself where it is
  }

  root.classList.add("stop");
  begin(chart.root, models, readout, element("p", { class: "hint" }, "Drag the line. Where do you find 72%, 88% and 95%?"));
});
