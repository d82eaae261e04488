/* Scenes: while a subsection is read, the plaything pinned beside it is in the state that its mark names, as in
 * data-scene="flow show=leads length=9"; what it does not name is the plaything's default. */
"use strict";

(() => {
  const GLIDE = 600; // milliseconds
  const LINE = matchMedia("(min-width: 1000px)").matches ? 55 : 72; // percent of the window: the scene there is being read

  function pin(section) {
    const stage = section.querySelector(".stage");
    const scenes = [...section.querySelectorAll("section > [data-scene]")].filter((mark) => mark.dataset.scene).map((mark) => {
      const [name, ...settings] = mark.dataset.scene.split(" ");
      return { section: mark.parentElement, name, settings: Object.fromEntries(settings.map((each) => each.split("="))) };
    });
    const places = new Map([...new Set(scenes.map(({ name }) => name))].map((name) => {
      const place = tokensel.element("div", { class: `pinned tag_plaything-${name}`, hidden: true });
      place.append(section.querySelector(`.tag_plaything-${name} .plaything`)); // its still picture stays in the text, for paper
      return [name, place];
    }));
    stage.append(...places.values());
    let [now, finish] = [null, () => {}];

    const made = (name) => tokensel.settings.made[name];
    const stateOf = ({ name, settings }) => {
      const { defaults } = made(name);
      return Object.fromEntries(Object.entries(defaults).map(([key, value]) =>
        [key, key in settings ? (typeof value === "number" ? Number(settings[key]) : settings[key]) : value]));
    };

    /** Show a scene's plaything; one that goes is as it was. */
    function show(scene) {
      finish();
      now = scene;
      for (const [name, place] of places) {
        const away = name !== scene.name;
        if (away && !place.hidden) made(name).settle(made(name).defaults);
        place.hidden = away;
      }
    }

    function enter(scene) {
      if (scene === now) return;
      show(scene);
      const { now: from, settle, glide } = made(scene.name);
      const [before, after] = [{ ...from }, stateOf(scene)];
      const gliding = Object.keys(after).filter((key) => typeof after[key] === "number" && after[key] !== before[key]);
      const halfway = (part) => Object.fromEntries(gliding.map((key) => [key, before[key] + part * (after[key] - before[key])]));
      const halt = tokensel.animate(gliding.length ? GLIDE : 0, (part) => (part < 1 ? glide({ ...after, ...halfway(part) }) : finish()));
      finish = () => {
        finish = () => {};
        halt();
        settle(after);
      };
    }

    /** The scene to which the state belongs that a link asks for. */
    const asked = () => scenes.find(({ name, settings }) => {
      const keys = [...new URLSearchParams(tokensel.address.get()).keys()];
      return keys.some((key) => key.startsWith(`${name}.`)) && (settings.show ?? made(name).defaults.show) === made(name).now.show;
    });
    function follow() {
      const scene = asked();
      if (!scene) return;
      show(scene);
      scene.section.scrollIntoView({ behavior: "instant" });
    }

    /** Enter the scene whose beginning has passed the line; before all of them, the first. */
    const read = () => enter(scenes.findLast((scene) => scene.section.getBoundingClientRect().top <= (LINE / 100) * innerHeight) ?? scenes[0]);

    for (const event of ["pointerdown", "keydown"]) stage.addEventListener(event, () => finish()); // the reader's hand goes first
    if (asked()) follow();
    else show(scenes[0]);
    addEventListener("hashchange", follow);
    addEventListener("scroll", read, { passive: true });
  }

  document.querySelectorAll("section.scenes").forEach(pin);
})();
