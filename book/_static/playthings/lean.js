/* Same lean, any frequency (07_classes): words of four classes in space, as far out as a first step moves them. */
"use strict";

tokensel.plaything("lean", (root) => {
  const { element, text, number, set, clamp } = tokensel;
  const { words, counts, classes, rare, moves } = tokensel.lean;
  const [MIDDLE, RADIUS, REACH, TIME, YARD] = [180, 140, 24, 500, words.indexOf("the")];
  const DEFAULTS = { step: "Adam", only: "all", word: "worst", yaw: -25, pitch: 20 };
  const SHOWN = { all: () => true, common: (id) => counts[id] > rare, rare: (id) => counts[id] <= rare };
  const CORNERS = [[-1, -1, 1], [1, -1, -1], [-1, 1, -1], [1, 1, 1]].map((corner) => corner.map((x) => x / Math.sqrt(3)));
  const known = { step: Object.keys(moves), only: Object.keys(SHOWN), word: words };
  const { now, change, draw, choice, begin } = tokensel.settings(root, "lean", DEFAULTS, picture, known);

  const spots = {};
  for (const [step, packed] of Object.entries(moves)) {
    const numbers = tokensel.unpack(packed);
    const all = words.map((_, id) => Array.from(numbers.slice(3 * id, 3 * id + 3)));
    const most = Math.max(...all.map((spot) => Math.hypot(...spot)));
    spots[step] = all.map((spot) => spot.map((x) => x / most));
  }
  let share = Number(now.step === "Adam"); // of the way from the plain step to Adam's
  const spot = (id) => spots.plain[id].map((x, i) => x + share * (spots.Adam[id][i] - x));

  /** Where a point is seen, in the drawing's units, and how near it is. */
  function seen([x, y, z]) {
    const [yaw, pitch] = [now.yaw, now.pitch].map((turn) => (turn * Math.PI) / 180);
    const [right, deep] = [x * Math.cos(yaw) + z * Math.sin(yaw), z * Math.cos(yaw) - x * Math.sin(yaw)];
    const [up, near] = [y * Math.cos(pitch) - deep * Math.sin(pitch), deep * Math.cos(pitch) + y * Math.sin(pitch)];
    return [MIDDLE + RADIUS * right, MIDDLE - RADIUS * up, near];
  }

  const edges = CORNERS.flatMap((one, i) => CORNERS.slice(i + 1).map((other) => [one, other, element("svg:line", { class: "zero" })]));
  const corners = CORNERS.map((corner, k) => [corner, text(0, 0, classes[k], "middle", "name")]);
  const dots = words.map((_, id) => element("svg:circle", { r: 2.6, class: SHOWN.rare(id) ? "rare" : "common" }));
  const ring = element("svg:circle", { r: 6, class: "chosen" });
  const name = text(0, 0, "", "start", "chosen");
  const drawing = element("svg:svg", { viewBox: `0 0 ${2 * MIDDLE} ${2 * MIDDLE}`, tabindex: 0, role: "slider", "aria-label": "Words in space: arrow keys turn them",
    "aria-valuemin": -180, "aria-valuemax": 180 }, ...edges.map(([, , line]) => line), ...dots, ...corners.map(([, its]) => its), ring, name);

  function told(id) {
    const lean = CORNERS.map((corner) => corner.reduce((sum, x, i) => sum + x * spots.plain[id][i], 0) * Math.sqrt(0.75) / Math.hypot(...spots.plain[id]));
    const far = Math.hypot(...spots[now.step][id]) / Math.hypot(...spots[now.step][YARD]);
    return [`“${words[id]}” occurs ${number(counts[id])} times. This step moves it ${number(far, 3)} times as far as “the”.`,
      `Its lean: ${classes.map((each, k) => `${each} ${number(lean[k], 2)}`).join(", ")}.`];
  }

  const place = (part, [x, y], dx = 0, dy = 0) => {
    const [across, down] = part.localName === "circle" ? ["cx", "cy"] : ["x", "y"];
    set(part, { [across]: (x + dx).toFixed(1), [down]: (y + dy).toFixed(1) });
  };
  function picture() {
    for (const [one, other, line] of edges) {
      const [[x1, y1], [x2, y2]] = [seen(one), seen(other)];
      set(line, { x1, y1, x2, y2 });
    }
    dots.forEach((dot, id) => {
      const at = seen(spot(id));
      dot.setAttribute("opacity", !SHOWN[now.only](id) ? 0 : at[2] < 0 ? 0.25 : 0.75);
      place(dot, at);
    });
    for (const [corner, its] of corners) place(its, seen(corner.map((x) => 1.12 * x)), 0, 4);
    const id = words.indexOf(now.word);
    const at = seen(spot(id));
    place(ring, at);
    place(name, at, at[0] < MIDDLE ? -10 : 10, -8);
    name.setAttribute("text-anchor", at[0] < MIDDLE ? "end" : "start");
    name.textContent = now.word;
    ofWord.replaceChildren(...told(id).map((line) => element("p", {}, line)));
    const [yaw, pitch] = [now.yaw, now.pitch].map(Math.round);
    set(drawing, { "aria-valuenow": yaw, "aria-valuetext": `turned by ${yaw}, tilted by ${pitch} degrees` });
    finder.show(id);
    return told(id)[0];
  }

  const turn = (yaw, pitch) => change({ yaw: ((yaw + 540) % 360) - 180, pitch: clamp(pitch, -90, 90) });
  function take(step, others = {}) { // points move to where the other step puts them
    const [from, to] = [share, Number(step === "Adam")];
    stop();
    change({ ...others, step });
    stop = tokensel.animate(TIME, (part) => {
      share = from + part * (to - from);
      draw();
    });
  }
  let stop = () => {};
  const choose = (id) => change({ word: words[id], only: SHOWN[now.only](id) ? now.only : "all" });
  const steps = choice("step", "step", [["plain", "plain gradient step"], ["Adam", "step of Adam"]], { choose: (step) => take(step) });
  const only = choice("only", "words", known.only.map((each) => [each, each]));
  only.append(tokensel.button("Reset", () => take(DEFAULTS.step, DEFAULTS)));
  const finder = tokensel.finder({ words, weights: counts, choose, find: choose });
  const ofWord = element("div", { class: "of-word" });

  tokensel.onArrows(drawing, ([right, up]) => turn(now.yaw + 15 * right, now.pitch - 15 * up));
  let held; // a finger turns it from side to side; up and down, it scrolls the page
  drawing.addEventListener("pointerdown", (event) => { held = { x: event.clientX, y: event.clientY, yaw: now.yaw, pitch: now.pitch }; });
  drawing.addEventListener("pointermove", (event) => {
    if (!held || !event.buttons) return;
    drawing.setPointerCapture(event.pointerId);
    held.turned ||= Math.hypot(event.clientX - held.x, event.clientY - held.y) > 5;
    if (held.turned) turn(held.yaw + (event.clientX - held.x) / 2, held.pitch + (event.clientY - held.y) / 2);
  });
  drawing.addEventListener("click", (event) => {
    if (held?.turned) return;
    const [x, y] = tokensel.pointUnder(drawing, event);
    const away = words.map((_, id) => {
      const at = seen(spot(id));
      return SHOWN[now.only](id) ? Math.hypot(at[0] - x, at[1] - y) - at[2] : Infinity;
    });
    const nearest = away.indexOf(Math.min(...away));
    if (away[nearest] <= REACH) choose(nearest);
  });
  const beside = element("div", { class: "beside" }, finder.root, ofWord, only);
  begin(element("div", { class: "map lean" }, drawing, element("div", { class: "controls" }, steps), beside));
});
