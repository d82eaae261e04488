// Formulas: those in view are set first, the others a few at a time, so that the page answers meanwhile.
(() => {
  const A_MOMENT = 50; // ms: as long as a reader may wait for an answer

  const inView = (formula) => {
    const { top, bottom, height } = formula.getBoundingClientRect();
    return height > 0 && bottom > 0 && top < innerHeight;
  };

  async function set(formulas) {
    await MathJax.typesetPromise(formulas);
    for (const each of formulas) {
      each.querySelectorAll('mjx-container[display="true"], [display="true"] > mjx-math').forEach((part) => widths.observe(part));
    }
  }

  async function setAll() {
    const formulas = [...document.querySelectorAll(".math")];
    const first = new Set(formulas.filter(inView));
    await set([...first]);
    performance.mark("formulas in view are set");
    const later = formulas.filter((formula) => !first.has(formula));
    for (let few = 8; later.length; ) {
      await new Promise((resolve) => { setTimeout(resolve); });
      const began = performance.now();
      await set(later.splice(0, few));
      few = performance.now() - began < A_MOMENT ? 2 * few : Math.ceil(few / 2);
    }
  }

  // Formulas are no stops of the Tab key, but one that is wider than its place must be, or no key could scroll it.
  // A window may be turned, a proof opened, a font arrive.
  const widths = new ResizeObserver((changed) => {
    for (const formula of new Set(changed.map(({ target }) => target.closest("mjx-container")))) {
      const wide = formula.scrollWidth > formula.clientWidth || formula.scrollHeight > formula.clientHeight;
      formula.tabIndex = wide ? 0 : -1;
      formula.classList.toggle("wide", wide); // and it must be seen that there is more
    }
  });

  if (window.MathJax) MathJax.startup = { pageReady: setAll };
})();
