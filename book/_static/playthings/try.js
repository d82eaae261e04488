/* Try it: a review of one's own, read by the classifier of 04_reviews at five moments of its training. */
"use strict";

tokensel.plaything("try", (root, holder) => {
  const { element, reviews, clamp } = tokensel;
  const EXAMPLES = {
    "both at once": "The story is slow, but the music is wonderful.",
    praise: "I laughed, I cried, and I would see it again tomorrow. A gem!",
    blame: "Two hours of my life that nobody gives back. What a waste!",
    "not bad": "The film was not bad.",
    "dull dull dull": "I've heard people who say this movie is dull dull dull",
    "a long one":
      "We had tickets for something else, but it was sold out, so we ended up in this one, and for the first twenty minutes " +
      "I was sure that we had made a mistake. The plot takes its time, the dialogue is stiff, and the hero, a clerk who " +
      "collects lost umbrellas, hardly says a word. Then his sister comes home, and everything changes. What looked awkward " +
      "turns out to be shy; what looked slow turns out to be patient. The scene in the railway station, where the two wait " +
      "for a train that never comes, is one of the best I have seen this year. Not every joke works, and the ending is a " +
      "little predictable. But it is a quiet, touching film with an excellent cast, and I left the cinema smiling.",
  };
  const NOTES = {
    [EXAMPLES["not bad"]]: "Each word has one value, whatever stands beside it: “bad” is just as bad after “not”.",
  };
  const INSTEAD = ["wonderful", "good", "boring", "worst"];
  const LONGEST = 3000; // characters: whoever pastes a book reads its beginning
  const STOPPED = tokensel.verdictData?.step; // none of a reader's own model
  const DEFAULTS = { text: EXAMPLES[holder.matches(".tag_opens-dull") ? "dull dull dull" : "both at once"], step: STOPPED ?? reviews.stages.at(-1) };
  const RARE = STOPPED ? ": the model knows words of two letters or more that occur at least 45 times in the reviews" : "";
  const LOUD = 30; // about the largest value and the largest logit there are

  const trained = []; // a model a stage, unpacked when it is first asked for
  const model = (stage) => (trained[stage] ??= {
    vocabulary: tokensel.vocabulary,
    scores: tokensel.unpack(reviews.scores[stage]),
    values: [tokensel.unpack(reviews.values[stage])],
  });

  const { now, draw, listSlider, begin } = tokensel.settings(root, "try", DEFAULTS, picture, { step: reviews.stages });
  const stage = () => reviews.stages.indexOf(now.step);
  now.text = now.text.slice(0, LONGEST);
  const whenCalm = tokensel.unhurried(800); // characters
  let chosen = null; // {before, after, first}: the text around a word, and the whole before anything was exchanged

  // ---- what is read

  function read(review = now.text) {
    const found = tokensel.reading(model(stage()), review);
    const top = found.known.reduce((one, other) => (other.attention > (one?.attention ?? 0) ? other : one), undefined);
    return { ...found, top, likely: tokensel.probabilities([found.logit])[1] };
  }

  const signed = (x) => (x ? `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(Math.abs(x) < 0.1 ? 3 : 2)}` : "0");
  const percent = (q) => `${(100 * q).toFixed(q < 0.01 ? 1 : 0)}%`;
  const sure = (q) => (q > 0.999 ? "over 99.9%" : percent(q));
  const side = (x) => (x < 0 ? "blame" : "praise");

  /** [a word, the rest of the sentence] */
  function verdict(reading) {
    const { known, logit, likely } = reading;
    const number = known.length ? ` Logit ${signed(logit)} (above 0: praise).` : "";
    if (now.step === STOPPED || !known.length) {
      const [word, rest] = tokensel.verdictInWords(reading);
      return [word, rest + number];
    }
    if (Math.abs(likely - 0.5) < 0.03) return [now.step ? "Undecided." : "Not trained yet.", `It claims that praise is ${percent(likely)} likely.${number}`];
    const word = side(logit);
    return [`${word[0].toUpperCase() + word.slice(1)}.`, `It claims to be ${sure(Math.max(likely, 1 - likely))} sure.${number}`];
  }

  // ---- what is drawn

  const box = element("textarea", {
    id: tokensel.unique("try-text"), rows: 2, maxlength: LONGEST, spellcheck: "false", autocomplete: "off",
    oninput: () => show({ text: box.value }),
  });
  const judged = element("p", { class: "verdict" });
  const pointer = element("span", { class: "pointer" });
  const meter = element("div", { class: "meter", "aria-hidden": "true" }, pointer);
  const ends = [`−${LOUD}`, "logit 0", `+${LOUD}`];
  const scale = element("div", { class: "scale", "aria-hidden": "true" }, ...ends.map((at) => element("span", {}, at)));
  const reading = element("div", { class: "reading", role: "group", "aria-label": "The words and their attention" });
  const hint = element("p", { class: "hint" });
  const panel = element("div", { class: "panel", hidden: true });
  const table = element("details", { ontoggle: () => fillTable(read()) }, element("summary", {}, "All numbers"));
  const slider = listSlider("step", "Steps of training", reviews.stages, told, (step) => {
    now.step = step;
    reading.classList.add("moving");
    draw();
  });
  slider.querySelector("input").after(element("div", { class: "stops", "aria-hidden": "true" }, ...reviews.stages.map((each) => element("span", {}, each))));

  // The text as it was typed: pairs of what stands before a word, and the word. They stay, or the focus would be lost.
  const pieces = [];
  const tail = document.createTextNode("");
  reading.append(tail);

  function spell(tokens) {
    let at = 0;
    tokens.forEach(({ start, end }, i) => {
      if (i === pieces.length) {
        pieces.push([document.createTextNode(""), element("span", { role: "button", tabindex: i ? -1 : 0, class: "word" })]);
        tail.before(...pieces[i]);
      }
      pieces[i][0].data = now.text.slice(at, start);
      pieces[i][1].textContent = now.text.slice(start, end);
      at = end;
    });
    for (const piece of pieces.splice(tokens.length)) piece.forEach((node) => node.remove());
    tail.data = now.text.slice(at);
  }

  function drawWords({ tokens, known, top }) {
    spell(tokens);
    const long = known.length > 20;
    const full = [0.2, 0.4].find((share) => long && top.attention < share) ?? 1; // what a bar of full height stands for
    reading.classList.toggle("long", long);
    tokens.forEach(({ id, attention = 0, value = 0, start }, i) => {
      const stands = attention >= 0.1 && attention * known.length >= 1.5; // more than words get by equal shares
      const loud = Math.round(100 * Math.min(1, Math.sqrt(Math.abs(value) / LOUD)));
      tokensel.set(pieces[i][1], {
        class: `word ${id < 0 ? "unknown" : side(value)}`,
        title: id < 0 ? "not in the vocabulary" : `attention ${percent(attention)}, value ${signed(value)}`,
        "aria-pressed": start === chosen?.before.length,
        "data-label": stands && `${value < 0 ? "▼" : "▲"}${percent(attention)}`,
        style: `--attention: ${(attention / full).toFixed(3)}; --loud: ${loud}%`,
      });
    });
  }

  function drawVerdict(seen) {
    const [word, rest] = verdict(seen);
    judged.replaceChildren(...tokensel.judged(word, rest));
    pointer.style.left = `${50 + 50 * clamp(seen.logit / LOUD, -1, 1)}%`;
    const most = seen.top ? ` Most attention: ${seen.top.word}, ${percent(seen.top.attention)}` : "";
    return `${word} ${rest}${most}`;
  }

  function fillTable({ known }) {
    table.querySelector("div")?.remove();
    if (!table.open) return;
    const row = (name, cells) => element("tr", {}, ...cells.map((cell) => element(name, {}, cell)));
    const rows = [...known].sort((one, other) => other.attention - one.attention).slice(0, 12);
    const left = 1 - rows.reduce((total, { attention }) => total + attention, 0);
    const rest = known.length > 12 ? ` Not shown: ${known.length - 12} words with ${percent(left)} of the attention.` : "";
    table.append(element("div", {}, element("table", {},
      element("thead", {}, row("th", ["word", "score", "attention", "value", "attention × value"])),
      element("tbody", {}, ...rows.map(({ word, score, attention, value }) =>
        row("td", [word, signed(score), percent(attention), signed(value), signed(attention * value)])))),
      element("p", {}, `The logit is the sum of the last column.${rest}`)));
  }

  function picture() {
    const seen = read();
    if (box.value !== now.text) box.value = now.text;
    whenCalm(document.activeElement === box ? now.text : "", () => drawWords(seen));
    drawPanel(seen);
    fillTable(seen);
    return drawVerdict(seen);
  }

  function told(steps) {
    const moment = steps ? `after ${steps} step${steps > 1 ? "s" : ""}` : "before training";
    return `${moment}; right on ${(100 * reviews.right[stage()]).toFixed(1)}% of new reviews${steps ? "" : " (chance: 50%)"}`;
  }

  // ---- one word

  const facts = element("p", {});
  const asked = element("span", {});
  const instead = element("input", {
    type: "text", "aria-label": "the word, or another one", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    oninput: () => exchange(instead.value),
  });
  panel.append(
    facts,
    element("div", { class: "buttons", role: "group", "aria-label": "Exchange the word" },
      asked, instead, ...INSTEAD.map((word) => tokensel.button(word, () => exchange(word))),
      tokensel.button("leave it out", () => exchange("")), tokensel.button("done", () => choose(null))),
  );

  function choose(token) {
    const opened = chosen;
    chosen = token && { before: now.text.slice(0, token.start), after: now.text.slice(token.end), first: now.text };
    instead.value = token ? now.text.slice(token.start, token.end) : "";
    draw();
    if (token) panel.scrollIntoView({ block: "nearest" });
    else if (opened) pieces[0]?.[1].focus();
  }

  function exchange(word) {
    const { before, after } = chosen;
    if (instead.value !== word) instead.value = word;
    now.text = word.trim() ? before + word + after : before ? before.replace(/\s$/, "") + after : after.trimStart();
    draw();
  }

  function drawPanel({ tokens, known, logit }) {
    panel.hidden = !chosen;
    const skipped = known.length < tokens.length ? " Dashed: not in the vocabulary, skipped." : "";
    const how = `${tokensel.byKeys("Click a word (keys: Tab, arrows, Enter)", "Tap a word")} to see its numbers, exchange it, or leave it out.`;
    hint.textContent = NOTES[now.text] ?? (chosen ? skipped : how + skipped);
    if (!chosen) return;
    asked.textContent = instead.value.trim() ? "Exchange it for" : "In its place:";
    const token = tokens.find(({ start }) => start === chosen.before.length);
    const moved = chosen.first === now.text ? "" : ` The logit was ${signed(read(chosen.first).logit)}; now it is ${signed(logit)}.`;
    if (!instead.value.trim()) facts.replaceChildren("Left out.", moved);
    else if (!token) facts.replaceChildren("No word.", moved);
    else facts.replaceChildren(element("strong", {}, token.word), about(token), moved);
  }

  const about = ({ id, score, attention, value }) =>
    id < 0
      ? ` is not in the vocabulary, and is skipped${RARE}.`
      : `: score ${signed(score)}, attention ${percent(attention)}, value ${signed(value)} (${side(value)}).`;

  // ---- words are one stop of the Tab key; arrows go from one to the next

  const place = (word) => pieces.findIndex(([, each]) => each === word);
  const pick = ({ target }) => { if (place(target) >= 0) choose(tokensel.tokens(model(stage()), now.text)[place(target)]); };
  reading.addEventListener("click", pick);
  reading.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    pick(event);
  });
  tokensel.onArrows(reading, ([right, up], { target }) => {
    const next = pieces[place(target) + right - up]?.[1];
    if (!next) return;
    target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  panel.addEventListener("keydown", ({ key }) => { if (key === "Escape") choose(null); });

  /** Show another text, as it is typed, or an example where one stops. */
  function show(other) {
    Object.assign(now, other);
    chosen = null;
    reading.classList.remove("moving");
    draw();
  }

  root.classList.add("try");
  root.setAttribute("aria-label", "Try it: attention on a review of your own");
  begin(
    element("label", { for: box.id }, "Write a review"), box, judged, meter, scale, reading, slider, hint, panel,
    tokensel.buttons("Examples", Object.entries(EXAMPLES).map(([name, example]) => [name, () => show({ ...DEFAULTS, text: example })])),
    table,
  );
});
