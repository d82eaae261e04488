/* Plant a leak (14_your_data): a made-up word is put before some reviews, and finds its place among a report's suspects. */
"use strict";

tokensel.plaything("plant", (root) => {
  const { element, number } = tokensel;
  const { mark, bad, good, runs, shuffled } = tokensel.planted;
  const [NAMED, REAL] = [0.5, /^\d+ (10|out)$/]; // "4 10" is how the report reads a reviewer's own mark, 4/10
  const SIDES = { negative: "bad", positive: "good" };
  const DEFAULTS = { bad: 20, good: 0, shuffle: 0 };
  const { now, change, listSlider, reset, begin } = tokensel.settings(root, "plant", DEFAULTS, picture, { bad, good, shuffle: [0, ...shuffled.map((_, i) => i + 1)] });
  const rounded = (suspicion) => number(suspicion, 2);

  // ---- the list: a word keeps its row wherever it goes

  const rows = new Map();
  function make(word) {
    const fill = element("i");
    const [place, bar, count] = ["place", "bar", "count"].map((kind) => element("td", { class: kind }));
    bar.append(element("div", { role: "img" }, fill));
    const kind = word === mark ? "planted" : REAL.test(word) && "real";
    return { line: element("tr", { class: kind }, place, element("th", { scope: "row" }, word), bar, count), place, bar, fill, count };
  }
  function row(at, [word, texts, side, share, , suspicion]) {
    if (!rows.has(word)) rows.set(word, make(word));
    const { line, place, bar, fill, count } = rows.get(word);
    place.textContent = number(at);
    bar.className = `bar ${side === "negative" ? "blame" : "praise"}`;
    bar.firstChild.setAttribute("aria-label", `suspicion ${rounded(suspicion)}`);
    fill.style.width = `${100 * suspicion}%`;
    count.textContent = `${Math.round(share * texts)}\u00a0of\u00a0${texts}\u00a0${SIDES[side]}`;
    return line;
  }

  /** Where each row is, and how wide its bar. */
  const top = (line) => line.getBoundingClientRect().top - body.getBoundingClientRect().top;
  const places = () => new Map([...body.children].map((line) => [line, [top(line), line.querySelector("i")?.offsetWidth]]));

  /** Move each row to its place from where it was, and let a new one fade in. */
  function move(before) {
    if (tokensel.calm.matches || !before.size) return;
    const go = (part, from) => part.animate([from, {}], { duration: 500, easing: "ease-in-out" });
    for (const line of body.children) {
      for (const each of line.getAnimations()) each.cancel();
      const [from, width] = before.get(line) ?? [];
      go(line, from === undefined ? { opacity: 0 } : { transform: `translateY(${from - top(line)}px)` });
      if (width) go(line.querySelector("i"), { width: `${width}px` });
    }
  }

  const body = element("tbody");
  const head = ["#", "word", "suspicion", "reviews"].map((name) => element("th", { scope: "col" }, name));
  head[2].append(element("span", {}, "named →"));
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...head)), body);

  // ---- controls, and what is said

  const sliders = Object.entries({ bad, good }).map(([key, values]) => listSlider(key, `${mark} in ${key} reviews`, values));
  const labels = tokensel.choice("labels", [[false, "True labels"], [true, "Shuffle labels"]], (mixed) =>
    change({ shuffle: mixed ? (now.shuffle % shuffled.length) + 1 : 0 }));
  labels.root.append(reset());
  const readout = element("p", { class: "readout" });

  function told({ mark: found, first }) {
    const highest = `highest suspicion is ${rounded(first[0][5])}`;
    if (now.shuffle) return `Shuffle ${now.shuffle} of ${shuffled.length}, without ${mark}: the ${highest}.`;
    if (!now.bad && !now.good) return `No review has ${mark}. The ${highest}.`;
    const where = `${mark} in ${now.bad} bad and ${now.good} good review${now.good === 1 ? "" : "s"}`;
    if (!found) return `${where} is too rare to be judged.`;
    const named = found.row[5] > NAMED ? "named" : "not named";
    return `${where}: place ${number(found.place)}, suspicion ${rounded(found.row[5])}, ${named}.`;
  }

  function picture() {
    const before = places();
    const run = now.shuffle ? shuffled[now.shuffle - 1] : runs[`${now.bad} ${now.good}`];
    const shown = run.first.map((each, i) => row(i + 1, each));
    const below = run.mark?.place > shown.length ? row(run.mark.place, run.mark.row)
      : element("tr", {}, element("td", { colspan: 4 }, "\u00a0")); // its room is kept
    body.replaceChildren(...shown, below);
    move(before);
    for (const slider of sliders) slider.querySelector("input").disabled = now.shuffle > 0;
    labels.show(now.shuffle > 0);
    return readout.textContent = told(run);
  }

  root.classList.add("plant");
  begin(table, element("div", { class: "pairs" }, ...sliders),
    element("div", { class: "choice" }, labels.root, element("div", { class: "told" }, readout,
      element("p", { class: "hint" }, `Move the sliders. In bold: ${mark}, and marks that reviewers gave.`))));
});
