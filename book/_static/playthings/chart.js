/* Small charts of lines: axes, and what turns numbers into places of the drawing. */
"use strict";

Object.assign(tokensel, (() => {
  const { element, text, clamp } = tokensel;

  /** A line through points of a drawing, [x, y]; where there is none, null, it is broken. */
  function trace(points) {
    const letters = points.map((_, i) => (points[i - 1] ? "L" : "M"));
    return points.map((at, i) => at && `${letters[i]}${at.map((each) => each.toFixed(1)).join(" ")}`)
      .filter(Boolean).join("");
  }

  /** {root, layer, across, down, back, line, ends}: a drawing with two axes. Give their ranges, ticks [[number, label], ...],
   *  names and, unless numbers are drawn as they are, scales. */
  function chart({ label, width = innerWidth < 600 ? 350 : 320, height = innerWidth < 600 ? 190 : 220, x, y, left = 48 }) {
    const [right, top, bottom] = [width - 14, y.name ? 22 : 14, height - (x.name ? 42 : 24)];
    const along = ({ range, scale = (value) => value }, from, to) => {
      const [low, high] = range.map(scale);
      return (value) => from + ((to - from) * (scale(value) - low)) / (high - low);
    };
    const [across, down] = [along(x, left, right), along(y, bottom, top)];
    /** How far along the lower axis a place of the screen is, from 0 to 1. */
    const back = (event) => clamp((tokensel.pointUnder(root, event)[0] - left) / (right - left), 0, 1);
    const line = (xs, ys, kind) => element("svg:path", {
      class: kind, d: trace(ys.map((each, i) => each !== null && [across(xs[i]), down(each)])),
    });
    const layer = element("svg:g");
    const view = { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label };
    const root = element("svg:svg", { class: "chart", ...view },
      element("svg:path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}` }),
      ...x.ticks.map(([at, name]) => text(across(at), bottom + 18, name, "middle")),
      ...y.ticks.map(([at, name]) => text(left - 6, down(at) + 5, name, "end")),
      text((left + right) / 2, height - 4, x.name ?? "", "middle"), text(4, 13, y.name ?? ""), layer);
    return { root, layer, across, down, back, line, ends: [left, right, top, bottom] };
  }

  /** A chart of leads along a path, on scales on which ten times as much is one step further. */
  function race({ label, name, leads, note = "" }) {
    const scale = (value) => Math.sign(value) * Math.log10(1 + Math.abs(value));
    const ticks = (values) => values.map((each) => [each, tokensel.number(each)]);
    const drawn = chart({
      label, width: 360, height: 250, left: 56,
      x: { range: [0, 2500], ticks: ticks([1, 10, 100, 1000]), name: "length of the path", scale },
      y: { range: [-1500, 1500], ticks: ticks(leads), name, scale },
    });
    drawn.layer.before(text(62, 202, note), drawn.line([0, 2500], [0, 0], "axis"));
    return { ...drawn, line: (...given) => tokensel.set(drawn.line(...given), { pathLength: 1 }) };
  }

  return { chart, race };
})());
