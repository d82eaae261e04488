/* Leave words out (14_your_data): a tap on a word of the shaded text takes it out of the sum and its n-grams. */
"use strict";

tokensel.leaveOut = (held) => {
  const { classes, logit, spans, terms } = JSON.parse(held.dataset.terms);
  const [verdict, text, legend] = held.querySelectorAll("p");
  const [whole, out] = [verdict.textContent, new Map()]; // from where a word begins, to the word
  const weight = (times) => (times ? 1 + Math.log(times) : 0);

  /** The logit of what stays: the sum without the terms that are gone, over the attention that is left. */
  function remaining() {
    const there = terms.map(() => 0);
    for (const [start, end, term] of spans) there[term] += [...out.keys()].every((at) => at < start || end <= at);
    let [sum, attention] = [logit, 1];
    terms.slice(0, -1).forEach(([times, share, contribution], term) => { // the last, <cls>, stays
      const gone = 1 - weight(there[term]) / weight(times);
      sum -= gone * contribution;
      attention -= gone * share;
    });
    return sum / attention;
  }

  function press({ currentTarget: word }, start) {
    if (!out.delete(start)) out.set(start, word.textContent);
    word.setAttribute("aria-pressed", out.has(start));
    const now = remaining();
    const names = [...out].sort(([one], [other]) => one - other).map(([, name]) => `“${name}”`);
    verdict.textContent = !out.size ? whole
      : `${classes[Number(now > 0)]}: without ${names.join(", ")}, it leads by ${tokensel.number(Math.abs(now), 2)} (log-odds).`;
  }

  let end = 0;
  for (const part of text.childNodes) {
    const start = end;
    end += part.textContent.length;
    if (part.className !== "word") continue; // it lies between words
    tokensel.set(part, {
      role: "button", tabindex: 0, "aria-pressed": false, onclick: (event) => press(event, start),
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        press(event, start);
      },
    });
  }
  verdict.style.minHeight = `${verdict.offsetHeight}px`; // or words would move under the finger
  verdict.setAttribute("role", "status");
  legend.lastChild.data = `: against. ${tokensel.byKeys("Click", "Tap")} a word to take it out: the model reads on as if it didn’t know it.`;
};

document.querySelectorAll("[data-terms]").forEach(tokensel.leaveOut);
