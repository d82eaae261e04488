// Formulas are no stops of the Tab key, but one that is wider than the window must be, or no key could scroll it.
const stopAtWideFormulas = () => {
  for (const formula of document.querySelectorAll('mjx-container[display="true"]')) {
    const wide = formula.scrollWidth > formula.clientWidth || formula.scrollHeight > formula.clientHeight;
    formula.tabIndex = wide ? 0 : -1;
    formula.classList.toggle("wide", wide); // and it must be seen that there is more
  }
};
addEventListener("load", () => {
  window.MathJax?.startup?.promise.then(stopAtWideFormulas);
  addEventListener("resize", stopAtWideFormulas);
});
