// A formula that is wider than its place scrolls in a box of its own. Then the box is a stop of the Tab key, or no key could
// scroll it, and it must be seen that there is more. A window may be turned, a proof opened, the font arrive.
(() => {
  const widths = new ResizeObserver((changed) => {
    for (const box of new Set(changed.map(({ target }) => target.closest(".formula, span.math")))) {
      const wide = box.scrollWidth > box.clientWidth;
      box.classList.toggle("wide", wide);
      if (wide) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  });
  document.querySelectorAll(":is(.formula, span.math), :is(.formula, span.math) > math").forEach((each) => widths.observe(each));
})();
