/* Slides: a page whose sections are shown one at a time. Without this script it is a page to be read, notes included.
 *
 * The address keeps the slide, and that it is presented: #one-step&present. A second window, opened by W, shows the notes of the
 * slide that the first one shows, and the other way round: they tell each other by messages, which pages on a disk may, too.
 */
"use strict";

(() => {
  const bar = document.querySelector(".slides-bar");
  const slides = [...bar.closest("section").querySelectorAll(":scope > section")];
  const screen = document.documentElement;
  const inNotesWindow = asked().includes("notes");
  let [at, presenting] = read();
  let other = inNotesWindow ? window.opener : null; // the window that shows the same slide
  let began = null; // when the first slide was left

  function asked() {
    return location.hash.slice(1).split("&");
  }

  /** The slide and the mode that the address asks for. */
  function read() {
    return [Math.max(0, slides.findIndex(({ id }) => asked().includes(id))), asked().includes("present")];
  }

  function button(name, onclick, className = "") {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", textContent: name, onclick, className });
    return made;
  }

  const where = Object.assign(document.createElement("output"), { className: "where" });
  const clock = Object.assign(document.createElement("span"), { className: "clock" });
  const full = () => (document.fullscreenElement ? document.exitFullscreen() : screen.requestFullscreen());
  const notes = button("Notes", () => toggleNotes());
  const controls = document.createElement("nav");
  controls.className = "slides-controls";
  controls.setAttribute("aria-label", "Slides");
  controls.append(
    button("Back", () => go(at - 1)), where, button("Next", () => go(at + 1)), notes,
    ...(inNotesWindow ? [clock] : [button("Notes in a window", openNotes, "in-a-room"), button("Fill the screen", full, "in-a-room")]),
    button("End", () => present(false)),
  );
  document.body.append(controls);
  bar.prepend(button("Present", () => present(true)));
  for (const slide of slides) slide.querySelector("h2").tabIndex = -1; // a screen reader begins there

  function toggleNotes(shown = !screen.classList.contains("with-notes")) {
    screen.classList.toggle("with-notes", shown);
    notes.setAttribute("aria-pressed", shown);
  }

  function openNotes() {
    other = window.open(`${location.href.split("#")[0]}#${slides[at].id}&present&notes`, "slides-notes", "width=900,height=700");
  }

  /** The slide and the mode first, then what playthings keep there. */
  function remember() {
    const states = asked().filter((part) => part.includes("."));
    const modes = [presenting && "present", inNotesWindow && "notes"].filter(Boolean);
    history.replaceState(null, "", `#${[slides[at].id, ...modes, ...states].join("&")}`);
  }

  function show() {
    screen.classList.toggle("presenting", presenting);
    slides.forEach((slide, i) => slide.classList.toggle("current", i === at));
    where.textContent = `${at + 1} of ${slides.length}`;
    remember();
    if (!presenting) return;
    scrollTo(0, 0);
    slides[at].querySelector("h2").focus({ preventScroll: true });
  }

  function go(to, told = false) {
    if (to === at || !slides[to]) return;
    at = to;
    began ??= Date.now();
    show();
    if (!told) other?.postMessage({ slide: at }, "*"); // a number of a slide is no secret
  }

  function present(now) {
    presenting = now;
    if (now && scrollY > 0) at = Math.max(0, slides.findLastIndex((slide) => slide.getBoundingClientRect().top < innerHeight / 2));
    if (!now && document.fullscreenElement) document.exitFullscreen();
    show();
    if (!now) slides[at].scrollIntoView();
  }

  const KEYS = {
    ArrowRight: () => go(at + 1), ArrowDown: () => go(at + 1), " ": () => go(at + 1), PageDown: () => go(at + 1),
    ArrowLeft: () => go(at - 1), ArrowUp: () => go(at - 1), PageUp: () => go(at - 1),
    Home: () => go(0), End: () => go(slides.length - 1),
    n: () => toggleNotes(), w: openNotes, f: full, Escape: () => present(false), p: () => present(!presenting),
  };

  // Keys that mean something where the focus is. Paging is not among them: a presenter's clicker sends it, wherever the focus is.
  const KEPT = [
    ["textarea, select, input:not([type=range])", /^(?!Page|Escape)/],
    ["input, [role=slider], [tabindex='0']", /^(Arrow|Home|End| )/],
    ["button, a, summary", /^ $/],
  ];
  const kept = (target, key) => KEPT.some(([places, keys]) => keys.test(key) && target.closest(places));

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!KEYS[key] || kept(event.target, key) || (!presenting && key !== "p")) return;
    event.preventDefault();
    event.stopPropagation();
    KEYS[key]();
  }, { capture: true });

  addEventListener("message", ({ source, data }) => {
    if (!source || (other && source !== other) || !Number.isInteger(data?.slide)) return;
    other = source;
    if (data.slide >= 0) go(data.slide, true);
  });

  addEventListener("hashchange", () => {
    [at, presenting] = read();
    show();
  });

  function tick() {
    const seconds = began ? Math.round((Date.now() - began) / 1000) : 0;
    clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }

  tick();
  setInterval(tick, 500);

  if (inNotesWindow) {
    screen.classList.add("notes-window");
    toggleNotes(true);
  }
  if (presenting) show();
})();
