/* Small charts of lines: axes, and what turns numbers into places of the drawing. Colours and letters are those of
 * playthings.css. */
"use strict";

Object.assign(tokensel, (() => {
  const { element, text, clamp } = tokensel;

  /** A line through points of a drawing, [x, y]; where there is none, null, it is broken. */
  function trace(points) {
    const letters = points.map((_, i) => (points[i - 1] ? "L" : "M"));
    return points.map((at, i) => at && `${letters[i]}${at.map((each) => each.toFixed(1)).join(" ")}`)
      .filter(Boolean).join("");
  }

  /** {root, layer, across, down, back, line, ends}: a drawing with two axes. Give their ranges, ticks [[number, label], ...]
   *  and names. */
  function chart({ label, width = innerWidth < 600 ? 350 : 320, height = innerWidth < 600 ? 190 : 220, x, y, log = false, left = 48 }) {
    const [right, top, bottom] = [width - 14, 14, height - (x.name ? 42 : 24)];
    const [scale, unscale] = log ? [Math.log, Math.exp] : [(value) => value, (value) => value];
    const [low, high] = x.range.map(scale);
    const across = (value) => left + ((right - left) * (scale(value) - low)) / (high - low);
    const down = (value) => bottom - ((bottom - top) * (value - y.range[0])) / (y.range[1] - y.range[0]);
    /** The number on the lower axis at a place of the screen. */
    const back = (event) => {
      const part = clamp((tokensel.pointUnder(root, event)[0] - left) / (right - left), 0, 1);
      return unscale(low + part * (high - low));
    };
    const line = (xs, ys, kind) => element("svg:path", {
      class: kind, d: trace(ys.map((each, i) => each !== null && [across(xs[i]), down(each)])),
    });
    const layer = element("svg:g");
    const view = { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label };
    const root = element("svg:svg", { class: "chart", ...view },
      element("svg:path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}` }),
      ...x.ticks.map(([at, name]) => text(across(at), bottom + 18, name, "middle")),
      ...y.ticks.map(([at, name]) => text(left - 6, down(at) + 5, name, "end")),
      x.name ? text((left + right) / 2, height - 4, x.name, "middle") : "", layer);
    return { root, layer, across, down, back, line, ends: [left, right, top, bottom] };
  }

  /** A race of leads along a path, both on scales on which ten times as much is one step further: {root, layer, path(points:
   *  [[length, lead], ...]), right(length), up(lead)}. */
  function race({ label, name, leads, note = "" }) {
    const [width, height, left, middle] = [360, 250, 48, 117];
    const right = (s) => left + 90 * Math.log10(1 + s);
    const up = (lead) => middle - 28 * Math.sign(lead) * Math.log10(1 + Math.abs(lead));
    const path = (points, kind) => element("svg:path", {
      class: `path ${kind}`, pathLength: 1, d: trace(points.map(([s, lead]) => [right(s), up(lead)])),
    });
    const axes = `M${left} 20V${height - 28}H${width}M${left} ${middle}H${width}`;
    const layer = element("svg:g");
    const view = { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label };
    const root = element("svg:svg", view,
      ...leads.map((lead) => text(left - 5, up(lead) + 4, tokensel.number(lead), "end", "tick")),
      ...[1, 10, 100, 1000].map((s) => text(right(s), height - 16, tokensel.number(s), "middle", "tick")),
      text(width - 4, height - 3, "length of the path", "end", "tick"),
      text(4, 13, name, "start", "tick"), text(left + 6, height - 34, note, "start", "tick"),
      element("svg:path", { class: "axis", d: axes }), layer);
    return { root, layer, path, right, up };
  }

  return { chart, race, trace };
})());
