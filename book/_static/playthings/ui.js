/* What the playthings share on a page: how one is put in the place of its still picture, its controls, its state in the address.
 *
 * A plaything is a function of its root, and of its place: tokensel.plaything("plane", (root, place) => { ... }). It is called once for each element
 * of the page with the class plaything-plane (a figure) or tag_plaything-plane (a cell of a notebook), whose picture it replaces:
 * without a script, and on paper, the picture stays.
 */
"use strict";

Object.assign(tokensel, (() => {
  const SVG = "http://www.w3.org/2000/svg";

  /** An element with attributes, listeners (onclick: f) and children; svg:name for a part of a drawing. */
  function element(name, attributes = {}, ...children) {
    const made = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  }

  // ---- the address: #try.text=not%20bad&try.step=3 after whatever names a place of the page

  const read = () => new URLSearchParams(location.hash.slice(1));

  /** The state of a plaything, from its defaults (strings or numbers) and the address. */
  function state(name, defaults) {
    const asked = read();
    return Object.fromEntries(
      Object.entries(defaults).map(([key, value]) => {
        const given = asked.get(`${name}.${key}`);
        if (given === null) return [key, value];
        if (typeof value !== "number") return [key, given];
        return [key, Number.isFinite(Number(given)) && given !== "" ? Number(given) : value];
      }),
    );
  }

  const toWrite = new Map();
  let [writing, written] = [null, -Infinity];

  /** Write what differs from the defaults into the address; no entry in the history, no jump. Once the page is drawn, and three
   *  times a second at most: browsers allow no more for long (Safari: 100 in 30 seconds), and for each they fetch the page's
   *  icon anew. */
  function remember(name, defaults, now) {
    toWrite.set(name, [defaults, { ...now }]);
    writing ??= setTimeout(write, Math.max(100, written + 350 - performance.now()));
  }

  function write() {
    [writing, written] = [null, performance.now()];
    const all = read();
    for (const [name, [defaults, now]] of toWrite) {
      for (const [key, value] of Object.entries(defaults)) {
        if (now[key] === value) all.delete(`${name}.${key}`);
        else all.set(`${name}.${key}`, typeof now[key] === "number" ? String(Number(now[key].toPrecision(4))) : now[key]);
      }
    }
    toWrite.clear();
    const text = all.toString().replace(/=(?=&|$)/g, (equals, at, whole) => (whole.slice(0, at).includes(".") ? equals : ""));
    const address = text ? `#${text}` : location.pathname + location.search;
    if (text !== location.hash.slice(1)) history.replaceState(null, "", address);
  }

  // ---- controls

  let made = 0;
  const nextId = (name) => `plaything-${name}-${++made}`;

  /** A slider with its name and what it shows, said once: {root, input, show(text)}. Give min, max, step, value. */
  function slider(name, attributes, oninput) {
    const id = nextId("slider");
    const output = element("output", { for: id, "aria-live": "off" });
    const input = element("input", { type: "range", id, autocomplete: "off", ...attributes, oninput: () => oninput(input.valueAsNumber) });
    const show = (text) => {
      output.textContent = text;
      input.setAttribute("aria-valuetext", text);
    };
    return { root: element("div", { class: "slider" }, element("label", { for: id }, name), input, output), input, show };
  }

  /** What is said of mouse and keys, where there are likely to be some, and of a finger elsewhere. */
  const byKeys = (words, otherwise = "") => (matchMedia("(hover: hover)").matches ? words : otherwise);

  /** A row of buttons, of which one does something at a time. */
  const buttons = (label, entries) =>
    element("div", { class: "buttons", role: "group", "aria-label": label },
      ...entries.map(([text, onclick]) => element("button", { type: "button", onclick }, text)));

  /** A line that a screen reader says some time after the last change, so that typing is not talked over. */
  function said() {
    const root = element("p", { class: "said", role: "status" });
    let waiting;
    const say = (text) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => { root.textContent = text; }, 600);
    };
    return { root, say };
  }

  /** A part of a drawing that moves by mouse, finger and arrow keys.
   *  Give its name, toPoint (event -> [x, y] in the drawing's units), where (() -> [x, y]), move ([x, y] -> anything), keyStep. */
  function draggable(part, { name, toPoint, where, move, keyStep }) {
    const keys = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const tell = () => {
      const [x, y] = where();
      part.setAttribute("aria-valuenow", x.toFixed(2));
      part.setAttribute("aria-valuetext", `${name} at ${x.toFixed(2)}, ${y.toFixed(2)}`);
    };
    const set = (point) => { move(point); tell(); };
    for (const [key, value] of Object.entries({ tabindex: 0, role: "slider", "aria-label": `${name}: arrow keys move it`, "aria-roledescription": "point" })) {
      part.setAttribute(key, value);
    }
    part.classList.add("draggable");
    part.addEventListener("keydown", (event) => {
      const way = keys[event.key];
      if (!way) return;
      event.preventDefault();
      const size = keyStep * (event.shiftKey ? 5 : 1);
      set(where().map((each, i) => each + size * way[i]));
    });
    // A finger on it moves it, and does not scroll the page: touch-action is not heard on parts of a drawing everywhere.
    part.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    part.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      part.setPointerCapture(event.pointerId);
      part.focus();
      const drag = (moved) => set(toPoint(moved));
      part.addEventListener("pointermove", drag);
      for (const end of ["pointerup", "pointercancel"]) {
        part.addEventListener(end, () => part.removeEventListener("pointermove", drag), { once: true });
      }
    });
    tell();
    return tell;
  }

  /** Call a function once before the next picture of the screen, however often it is asked for. */
  function soon(draw) {
    let asked = false;
    return () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; draw(); });
    };
  }

  /** Put a plaything in every place of the page that is meant for it: instead of the still picture, or, where the place
   *  has the class or tag played-below, below it. Where another state is asked for in the address, it is made anew. */
  function plaything(name, build) {
    const asked = () => [...read().keys()].some((key) => key.startsWith(`${name}.`));
    const start = () => {
      for (const place of document.querySelectorAll(`.plaything-${name}, .tag_plaything-${name}`)) {
        const still = place.querySelector("img, svg");
        const holder = place.matches("figure") ? place : still?.closest("figure, .cell_output") ?? place;
        let root = element("div");
        if (place.matches(".played-below, .tag_played-below")) holder.after(root);
        else {
          holder.prepend(root);
          holder.classList.add("played");
        }
        const make = () => {
          const made = element("div", { class: "plaything", role: "group" });
          build(made, place);
          root.replaceWith(made);
          root = made;
          if (asked()) root.scrollIntoView(); // who follows a link to a state wants to see it
        };
        make();
        addEventListener("hashchange", () => asked() && make());
      }
    };
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();
  }

  return { element, state, remember, slider, byKeys, buttons, said, draggable, soon, plaything };
})());
