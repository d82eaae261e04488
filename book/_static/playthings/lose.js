/* 10_synthetic's map of runs: tap one, and its flow is followed anew. 32 texts of one decisive word and three fillers, in the
   limit d → ∞; the axes are the size of the first step and how far the query starts towards praise. */
"use strict";

tokensel.plaything("lose", (root) => {
  const { element } = tokensel;
  const shown = (number) => String(number).replace("-", "−");
  // synthetic.one_against_many(32, 11, 4, 4, seed=10): a digit a token; 0 to 3 speak for praise, 4 for blame, the rest for nothing.
  const TEXTS = ("0689 257a 268a 3579 168a 0579 3789 056a 169a 1578 367a 0589 378a 1569 259a 2678 "
    + "4689 457a 468a 4579 468a 4579 4789 456a 469a 4578 467a 4589 478a 4569 459a 4678").split(" ")
    .map((text) => ({ tokens: [...text].map((token) => parseInt(token, 16)), label: text[0] === "4" ? 0 : 1 }));
  const [LONE, FILLER, TOKENS] = [4, 5, 11];
  const [STEPS, STARTS] = [[8, 12, 18, 24, 28, 32, 40], [12, 9, 6, 3, 0]];
  const LENGTHS = Array.from({ length: 61 }, (_, i) => Math.expm1((i / 60) * Math.log1p(1500)));
  const WON = 100; // a lead after which a race need not be followed
  const START = { step: 28, start: 9 };
  const softplus = (x) => Math.log1p(Math.exp(x));

  /** After the step a word's value is half the step times its share of texts of praise less that of texts of blame. */
  function begin({ step, start }) {
    const values = Array(TOKENS).fill(0);
    for (const { tokens, label } of TEXTS) {
      for (const token of tokens) values[token] += (step / 2) * (label ? 1 : -1) / tokens.length / TEXTS.length;
    }
    const model = tokensel.limitParameters(values.map((value, token) => (token < FILLER ? value : 0)));
    return { ...model, p: model.v[0].map((each) => start * each) };
  }

  /** The lead of each decisive word over the loudest filler along the path, and whether selection is certain, since the loss
      is below the certificate's threshold: that of full attention on the decisive words, and what one text costs without. */
  function follow(setting) {
    const model = begin(setting);
    const losses = TEXTS.map(({ tokens: [token] }) => softplus(-Math.abs(model.E[token].at(-1))));
    const threshold = (losses.reduce((one, other) => one + other) + Math.LN2 - Math.max(...losses)) / TEXTS.length;
    const seen = ({ s, p, loss }) => {
      const { scores } = tokensel.modelOf({ ...model, p });
      const filler = Math.max(...scores.slice(FILLER));
      return { s, certain: loss < threshold, leads: Array.from(scores.slice(0, FILLER), (score) => score - filler) };
    };
    const won = (point) => seen(point).certain && Math.min(...seen(point).leads) > WON;
    return tokensel.flow(model, TEXTS, LENGTHS, 1e-4, won).points.map(seen);
  }

  // The race: leads over the length of the path, both on scales on which ten times as much is one step further.
  const [WIDTH, HEIGHT, LEFT, MIDDLE] = [340, 230, 44, 105];
  const right = (s) => LEFT + 90 * Math.log10(1 + s);
  const up = (lead) => MIDDLE - 27 * Math.sign(lead) * Math.log10(1 + Math.abs(lead));
  const text = (x, y, words, anchor = "start") => element("svg:text", { x, y, class: "tick", "text-anchor": anchor }, words);
  const called = "Leads of the decisive words over filler, along the path";
  const svg = element("svg:svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": called });
  svg.append(
    ...[-100, -10, 0, 10, 100].map((lead) => text(LEFT - 5, up(lead) + 4, shown(lead), "end")),
    ...[1, 10, 100, 1000].map((s) => text(right(s), HEIGHT - 20, shown(s), "middle")),
    text(4, 13, "lead over filler"), text(WIDTH - 4, HEIGHT - 4, "length of the path →", "end"),
    element("svg:path", { class: "axis", d: `M${LEFT} 20V${HEIGHT - 32}H${WIDTH}M${LEFT} ${MIDDLE}H${WIDTH}` }));
  const curves = svg.appendChild(element("svg:g"));

  const setting = tokensel.state("lose", START);
  if (!STEPS.includes(setting.step) || !STARTS.includes(setting.start)) Object.assign(setting, START); // an address may say anything
  const verdict = element("p", { class: "verdict long" });
  const { root: saidLine, say } = tokensel.said();
  const cells = STARTS.map((start) => STEPS.map((step) => {
    const cell = element("button", { type: "button", "aria-label": `Step ${step}, start ${start}` });
    cell.addEventListener("click", () => choose({ step, start }));
    return cell;
  }));
  const map = element("div", { class: "lose-map", role: "group", "aria-label": "Runs, by start and by size of the first step" },
    element("span", { class: "across tick" }, "↑ start favours praise"),
    ...STARTS.flatMap((start, row) => [element("span", { class: "tick" }, String(start)), ...cells[row]]),
    ...["", ...STEPS].map((step) => element("span", { class: "tick" }, String(step))),
    element("span", { class: "across tick" }, "size of the first step →"));

  function choose(chosen) {
    Object.assign(setting, chosen);
    draw("race");
  }

  // One stop of the Tab key for all runs; arrows go from one to the next.
  map.addEventListener("keydown", (event) => {
    const [across, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
    const cell = cells[STARTS.indexOf(setting.start) + down]?.[STEPS.indexOf(setting.step) + across];
    if (!(across || down)) return;
    event.preventDefault();
    cell?.click();
    cell?.focus();
  });

  const outcomes = new Map(STEPS.flatMap((step) => STARTS.map((start) => [`${step} ${start}`, null])));
  function draw(moving = "") {
    const points = follow(setting);
    const [before, { leads: end, certain }] = points.slice(-2);
    const lost = !certain && end[LONE] < Math.min(before.leads[LONE], 0);
    const safe = points.find((point) => point.certain)?.s;
    curves.replaceChildren(...end.map((_, token) => element("svg:path", {
      class: `path ${moving} ${token === LONE ? "blame" : "praise"}`, pathLength: 1,
      d: `M${points.map(({ s, leads }) => `${right(s).toFixed(1)} ${up(leads[token]).toFixed(1)}`).join("L")}`,
    })), ...[[0, "praise", "words of praise"], [LONE, "blame", "word of blame"]].map(([token, side, name]) => {
      const at = points[34];
      const [away, anchor] = token ? [20, at.leads[token] > 0 ? "start" : "end"] : [-9, "end"];
      return element("svg:text", { x: right(at.s), y: up(at.leads[token]) + away, class: side, "text-anchor": anchor }, name);
    }));
    outcomes.set(`${setting.step} ${setting.start}`, lost);
    cells.forEach((row, i) => row.forEach((cell, j) => {
      const [here, known] = [STARTS[i] === setting.start && STEPS[j] === setting.step, outcomes.get(`${STEPS[j]} ${STARTS[i]}`)];
      cell.tabIndex = here ? 0 : -1;
      cell.setAttribute("aria-pressed", here);
      if (known !== null) [cell.className, cell.textContent] = known ? ["blame", "✕"] : ["praise", "■"];
    }));
    const told = lost ? "Lost" : certain ? "Certified" : "Undecided";
    const because = lost ? "the word of blame keeps falling further behind" : certain ?
      `from a length of ${shown(Math.ceil(safe))} on, every decisive word is sure to win` : "the path is too short to decide";
    verdict.replaceChildren(element("strong", {}, told), `: ${because} (step ${setting.step}, start ${setting.start}).`);
    say(verdict.textContent);
    tokensel.remember("lose", START, setting);
  }

  root.setAttribute("aria-label", "Lose a word");
  const back = tokensel.buttons("Lose a word", [["Reset", () => choose(START)]]);
  root.append(element("div", { class: "plane" },
    element("div", {}, map, element("p", { class: "hint" }, "Tap a run. Which runs lose a word?"), back),
    element("div", {}, svg, verdict, saidLine)));
  draw();
});
