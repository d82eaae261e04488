/* What the playthings share on a page: how one takes the place of its still picture, its controls, what moves it, its state
 * in the address.
 *
 * A plaything is a function of its root, and of its place: tokensel.plaything("plane", (root, place) => { ... }). It is
 * called once for each figure of the page with the class plaything-plane, or cell of a notebook with that tag, whose picture
 * it replaces: without a script, and on paper, the picture stays. */
"use strict";

Object.assign(tokensel, (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const HERE = document.currentScript?.src; // none in a page of its own, as a report's

  /** Give a part attributes, and listeners (onclick: f). What is null or false is taken away, but aria-pressed: false. */
  function set(part, attributes) {
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) part.addEventListener(key.slice(2), value);
      else if (key.startsWith("aria-") && value !== null) part.setAttribute(key, value);
      else if (value === null || value === false) part.removeAttribute(key);
      else part.setAttribute(key, value === true ? "" : value);
    }
    return part;
  }

  /** An element with attributes, listeners and children; svg:name for a part of a drawing. */
  function element(name, attributes = {}, ...children) {
    const inDrawing = name.startsWith("svg:");
    const made = inDrawing ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
    made.append(...children);
    return set(made, attributes);
  }

  /** Words in a drawing. */
  const text = (x, y, words, anchor = "start", kind = null) =>
    element("svg:text", { x, y, "text-anchor": anchor, class: kind }, words);

  /** Where an event is in a drawing, in the drawing's units. */
  function pointUnder(drawing, { clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(drawing.getScreenCTM().inverse());
    return [x, y];
  }

  /** Colours that the page has names for, as a canvas takes them. */
  const inks = (canvas, names) => names.map((name) => {
    canvas.style.color = `var(--${name})`;
    return getComputedStyle(canvas).color;
  });

  // ---- numbers

  const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

  const formats = []; // to make one takes longer than to use it
  const format = (digits) => (formats[digits] ??= new Intl.NumberFormat("en", {
    minimumFractionDigits: digits, maximumFractionDigits: digits,
  }));

  /** A number with some decimals, and a true minus sign. */
  const number = (x, digits = 0) =>
    format(digits).format(Number(x.toFixed(digits)) || 0).replace("-", "−"); // || 0: not -0

  const signed = (x, digits = 2) => (x > 0 ? "+" : "") + number(x, digits);

  // ---- the address: #try.text=not%20bad&try.step=3 after whatever names a place of the page

  /** Where in a list the nearest to a number is. */
  const nearest = (values, x) => values.reduce((best, each, i) => (Math.abs(each - x) < Math.abs(values[best] - x) ? i : best), 0);

  /** What keeps it: the page's address; in a notebook the widget's model (widget.js), which keeps defaults, too. */
  const address = {
    pause: 350, // milliseconds
    whole: false,
    get: () => location.hash.slice(1),
    set: (hash) => history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search),
  };
  const read = () => new URLSearchParams(address.get());

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

  /** Write what differs from the defaults into the address, with no entry in the history and no jump; three times a second at
   *  most: Safari allows 100 in 30 seconds. */
  function remember(name, defaults, now) {
    toWrite.set(name, [defaults, { ...now }]);
    writing ??= setTimeout(write, Math.max(address.pause / 3, written + address.pause - performance.now()));
  }

  function write() {
    [writing, written] = [null, performance.now()];
    const all = read();
    for (const [name, [defaults, now]] of toWrite) {
      for (const [key, value] of Object.entries(defaults)) {
        if (now[key] === value && !address.whole) all.delete(`${name}.${key}`);
        else all.set(`${name}.${key}`, typeof now[key] === "number" ? String(Number(now[key].toPrecision(4))) : now[key]);
      }
    }
    toWrite.clear();
    const hash = all.toString().replace(/(^|&)([^.=&]+)=(?=&|$)/g, "$1$2"); // a place of the page is no state
    if (hash !== address.get()) address.set(hash);
  }

  // ---- controls

  const button = (name, onclick, attributes = {}) => element("button", { type: "button", onclick, ...attributes }, name);

  /** An id that no other part has: in a notebook several playthings share a document, each with scripts of its own. */
  const unique = (name) => `${name}-${(document.tokenselIds = (document.tokenselIds ?? 0) + 1)}`;

  /** A slider with its name and what it shows, said once: {root, input, show(text, value)}. Give min, max, step, value. */
  function slider(name, attributes, oninput) {
    const id = unique("slider");
    const output = element("output", { for: id, "aria-live": "off" });
    const listener = () => oninput(input.valueAsNumber);
    const input = element("input", { type: "range", id, autocomplete: "off", ...attributes, oninput: listener });
    const show = (words, value = input.value) => {
      input.value = value;
      output.textContent = words;
      input.setAttribute("aria-valuetext", words);
    };
    return { root: element("div", { class: "slider" }, element("label", { for: id }, name), input, output), input, show };
  }

  /** What is said of mouse and keys where there are likely to be some, and of a finger elsewhere. */
  const byKeys = (words, otherwise = "") => (matchMedia("(hover: hover)").matches ? words : otherwise);

  /** A row of buttons, [name, what it does]. */
  const buttons = (label, entries) => element("div", { class: "buttons", role: "group", "aria-label": label },
    ...entries.map(([name, onclick]) => button(name, onclick)));

  /** A row of buttons, [value, name], of which one is pressed: {root, show(value, which may be)}. */
  function choice(label, entries, choose) {
    const root = buttons(label, entries.map(([value, name]) => [name, () => choose(value)]));
    const show = (now, may = () => true) => entries.forEach(([value], i) => {
      root.children[i].setAttribute("aria-pressed", value === now);
      root.children[i].disabled = !may(value);
    });
    return { root, show };
  }

  /** A line that a screen reader says some time after the last change: typing is not talked over. */
  function said() {
    const root = element("p", { class: "said", role: "status" });
    let waiting;
    const say = (text) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => { root.textContent = text; }, 600);
    };
    return { root, say };
  }

  /** What draws a text at once or, where it is longer than this and the next key would have to wait, when the keys pause. */
  const unhurried = (longest, waiting = null) => (text, draw) => {
    clearTimeout(waiting);
    waiting = text.length > longest ? setTimeout(draw, 100) : draw(); // milliseconds
  };

  /** What a plaything keeps in the address, `now`, and what shows it. Give what draws now and returns what is said of it,
   *  and for keys whose values are few, {key: values}. change({key: value}) and redraw() draw before the next picture of the
   *  screen, draw() at once; begin(...parts) fills the root. Controls of a key show it at each draw. Scenes glide to a
   *  state, and settle in it: the address has what a reader changes from there. */
  function settings(root, name, defaults, picture, known = {}) {
    const now = state(name, defaults);
    let home = defaults; // what a reader has not changed: the scene's state, where there are scenes; null on the way there
    for (const [key, values] of Object.entries(known)) if (!values.includes(now[key])) now[key] = defaults[key];
    const [aloud, controls] = [said(), []];
    const draw = () => {
      const told = picture();
      controls.forEach((show) => show());
      if (told) aloud.say(told);
      const own = home && Object.keys(home).some((key) => now[key] !== home[key]);
      remember(name, defaults, own ? now : defaults);
    };
    const redraw = soon(draw);
    const change = (changed) => {
      Object.assign(now, changed);
      redraw();
    };
    const glide = (state) => {
      home = null;
      change(state);
    };
    const settle = (state) => {
      home = state;
      change(state);
    };
    settings.made = { ...settings.made, [name]: { defaults, now, glide, settle } };
    const shown = (made, show) => {
      controls.push(show);
      return made.root;
    };
    const to = (key) => (value) => change({ [key]: value });
    return {
      now, change, redraw, draw,
      begin(...parts) {
        root.append(...parts, aloud.root);
        draw();
      },
      player: (key, end, pace) => player(now, change, key, end, pace),
      reset: (title = "Reset") => button(title, () => change(home)),
      choice(key, label, entries, { choose = to(key), may } = {}) {
        const made = choice(label, entries, choose);
        return shown(made, () => made.show(now[key], may));
      },
      slider(key, title, attributes, words = String) {
        const made = slider(title, { ...attributes, value: now[key] }, to(key));
        now[key] = made.input.valueAsNumber; // within its bounds, whatever the address says
        return shown(made, () => made.show(words(now[key]), now[key]));
      },
      listSlider(key, title, values, words = number) {
        const made = slider(title, { min: 0, max: values.length - 1, step: 1 }, (at) => to(key)(values[at]));
        return shown(made, () => made.show(words(now[key]), nearest(values, now[key])));
      },
    };
  }

  /** A text with its words as they look: look(token) gives the attributes of a word. */
  function spelled(text, tokens, look) {
    let done = 0;
    const parts = tokens.flatMap((token) => {
      const before = text.slice(done, token.start);
      done = token.end;
      return [before, element("span", look(token), text.slice(token.start, token.end))];
    });
    return [...parts, text.slice(done)];
  }

  /** A verdict: a word or two, in the colour of its side, and a sentence. */
  function judged(word, rest) {
    const side = { "Praise.": "praise", "Blame.": "blame" }[word] ?? null;
    return word ? [element("strong", { class: side }, word), " ", rest] : [rest];
  }

  // ---- keys, fingers, time

  const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

  /** What arrow keys do on a part: act([to the right, up], event), which is false if nothing. */
  function onArrows(part, act) {
    part.addEventListener("keydown", (event) => {
      if (event.key in WAYS && act(WAYS[event.key], event) !== false) event.preventDefault();
    });
  }

  /** What a mouse or a finger that drags a part does, instead of scrolling: move(event). */
  function onDrag(part, move) {
    // touch-action is not heard on parts of a drawing everywhere
    part.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    part.addEventListener("pointerdown", ({ pointerId }) => part.setPointerCapture(pointerId));
    part.addEventListener("pointermove", (event) => part.hasPointerCapture(event.pointerId) && move(event));
  }

  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  /** Call a function with the part of a time that is over, until that is 1, which may be at once. Returns what stops it. */
  function animate(milliseconds, step) {
    const began = performance.now();
    const move = (time) => {
      const part = calm.matches || !milliseconds ? 1 : clamp((time - began) / milliseconds, 0, 1);
      if (part < 1) waiting = requestAnimationFrame(move);
      step(part);
    };
    let waiting = requestAnimationFrame(move);
    return () => cancelAnimationFrame(waiting);
  }

  /** A button that plays a setting on to its end, from 0 if it is there already: {root, go, stop}. Give milliseconds for 1. */
  function player(now, change, key, end, pace) {
    let halt = null;
    const root = button("▶ Play", () => (halt ? stop() : go()), { class: "play" });
    function stop() {
      halt?.();
      halt = null;
      root.textContent = "▶ Play";
    }
    function go() {
      const from = now[key] < end ? now[key] : 0;
      root.textContent = "■ Stop";
      halt = animate(pace * (end - from), (part) => {
        change({ [key]: from + part * (end - from) });
        if (part === 1) stop();
      });
    }
    return { root, go, stop };
  }

  /** Load a script that lies beside this one. */
  const load = (file) => new Promise((resolve, reject) => {
    const src = new URL(file, HERE).href;
    document.head.append(element("script", { src, onload: resolve, onerror: reject }));
  });

  /** Call a function once before the next picture of the screen, however often it is asked for. */
  function soon(draw) {
    let asked = false;
    return () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; draw(); });
    };
  }

  /** Put a plaything in every place of the page that is meant for it: instead of the still picture, or, where the place has
   *  the class or tag played-below, below it. Where another state is asked for in the address, it is made anew. */
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

  return {
    set, element, text, pointUnder, inks, clamp, number, signed, state, remember, settings, button, unique, slider, byKeys, buttons, choice,
    said, unhurried, spelled, judged, onArrows, onDrag, calm, animate, load, soon, plaything, address,
  };
})());
