/* A small chart of lines: axes, and what turns numbers into places of the drawing. Colours and letters are those of playthings.css. */
"use strict";

/** {root, layer, across, down, back, line, text}: a drawing with two axes, given their ranges, ticks [[number, label], ...] and names. */
tokensel.chart = ({ label, width, height, x, y, log = false, left = 48 }) => {
  const { element } = tokensel;
  const scale = log ? Math.log : (value) => value;
  const [right, top, bottom] = [width - 14, 14, height - (x.name ? 42 : 24)];
  const part = (value, [low, high], by) => (by(value) - by(low)) / (by(high) - by(low));
  const across = (value) => left + (right - left) * part(value, x.range, scale);
  const down = (value) => bottom - (bottom - top) * part(value, y.range, (each) => each);
  const text = (atX, atY, what, anchor = "middle", kind = null) => element("svg:text", { x: atX, y: atY, "text-anchor": anchor, class: kind }, what);
  /** The number on the lower axis at a place of the screen. */
  const back = (event) => {
    const box = root.getBoundingClientRect();
    const there = Math.min(1, Math.max(0, (((event.clientX - box.left) * width) / box.width - left) / (right - left)));
    const [low, high] = x.range.map(scale);
    return log ? Math.exp(low + there * (high - low)) : low + there * (high - low);
  };
  /** A line through points; where there is none, null, it is broken. */
  const line = (xs, ys, kind) => element("svg:path", { class: kind, d: ys.reduce(
    ([path, begins], each, i) => (each === null ? [path, "M"] : [`${path}${begins}${across(xs[i]).toFixed(1)} ${down(each).toFixed(1)}`, "L"]), ["", "M"])[0] });
  const layer = element("svg:g");
  const root = element("svg:svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    element("svg:path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}` }),
    ...x.ticks.map(([at, name]) => text(across(at), bottom + 18, name)),
    ...y.ticks.map(([at, name]) => text(left - 6, down(at) + 5, name, "end")),
    ...(x.name ? [text((left + right) / 2, height - 4, x.name)] : []), layer);
  return { root, layer, across, down, back, line, text, ends: [left, right, top, bottom] };
};
