// Read, + Code, + Proofs: what is folded opens kind by kind, and stays so. Runs before the page is drawn.
// The first tap on Code opens what a learner should read, the second one all code, the third none.
(() => {
  const of = (kind) => `details[data-kind~="${kind}"]`;
  const KINDS = { code: of("model"), all: of("code"), proofs: `${of("proofs")}, details.proof` };
  const BAR = 60; // px: the height of the bar at the top
  const root = document.documentElement;

  const remembered = () => {
    const wanted = new URLSearchParams(location.search).get("show");
    if (wanted !== null) return wanted.split(",");
    try { return (localStorage.getItem("show") || "").split(","); } catch { return []; } // a reader may forbid storage
  };
  let shown = remembered().filter((kind) => kind in KINDS);

  /** Open what is of some kinds, and close the rest. */
  function open(kinds) {
    for (const each of document.querySelectorAll(Object.values(KINDS).join())) each.open = kinds.some((kind) => each.matches(KINDS[kind]));
  }

  function toggle(button) {
    const { kind } = button.dataset;
    const steps = kind === "code" ? ["code", "all"] : [kind];
    const next = steps.find((each) => !shown.includes(each));
    shown = next ? [...shown, next] : shown.filter((each) => !steps.includes(each));
    try { localStorage.setItem("show", shown.join(",")); } catch { /* then this page alone remembers */ }
    const top = (each) => each.getBoundingClientRect().top;
    const read = [...document.querySelectorAll("article :is(p, figure, h2)")].find((each) => top(each) > BAR);
    const before = read && top(read);
    open(shown);
    if (read) scrollBy(0, top(read) - before); // what is being read stays where it is
    at = scrollY;
    show();
  }

  function show() {
    document.querySelectorAll(".modes [data-kind]").forEach((button) => {
      const { kind } = button.dataset, on = shown.includes(kind), code = kind === "code";
      button.setAttribute("aria-pressed", on && code && !shown.includes("all") ? "mixed" : on);
      if (code) button.textContent = on ? "All code" : "Code";
    });
  }

  // On a phone the bar leaves while one reads on, and returns when one scrolls back.
  let at = 0;
  addEventListener("scroll", () => {
    if (scrollY !== at) root.toggleAttribute("data-reads-on", scrollY > at && scrollY > BAR);
    at = scrollY;
  }, { passive: true });

  // A link leads to what it names, also where that is folded.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    let closed = false;
    for (let each = target.closest("details"); each; each = each.parentElement.closest("details")) {
      closed ||= !each.open;
      each.open = true;
    }
    if (closed) target.scrollIntoView();
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".modes [data-kind]").forEach((button) => {
      button.addEventListener("click", () => toggle(button));
    });
    open(shown);
    show();
    reveal();
    addEventListener("hashchange", reveal);
    addEventListener("click", ({ target }) => target.closest("[popover] a")?.closest("[popover]").hidePopover()); // it led there
  });
})();
