/* The tables of a report: a click or the Enter key on the name of a column sorts by it, and long ones can be downloaded. */
"use strict";

(() => {
  const FEW = 3; // rows that nobody sorts
  const MANY = 10; // rows that somebody may want elsewhere
  const LONG = 60; // rows that get a box of their own
  const NUMBER = /^[+\-−]?[\d,]*\.?\d+(e[+-]?\d+)?/i;

  /** The rows of a table; what has fewer cells than the head belongs to the row before it, as a quotation under a word. */
  function rowsOf(table) {
    const width = table.tHead.rows[table.tHead.rows.length - 1].cells.length;
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]).map((row) => [row]);
    return rows.reduce((groups, row) => (row[0].cells.length < width && groups.length ? groups.at(-1).push(...row) : groups.push(row), groups), []);
  }

  function numberOf(text) {
    const found = text.match(NUMBER);
    return found ? Number(found[0].replaceAll(",", "").replace("−", "-")) : NaN;
  }

  /** Numbers by size, words as dictionaries have them; what is empty or no number among numbers comes last. */
  function compared(rows, column) {
    const texts = rows.map(([row]) => row.cells[column]?.textContent.trim() ?? "");
    const numeric = texts.every((text) => !text || /^(nan|none|–|-)$/i.test(text) || !Number.isNaN(numberOf(text)));
    const keys = texts.map((text) => (numeric ? numberOf(text) : text));
    const missing = (key) => (numeric ? Number.isNaN(key) : key === "");
    return (i, j, way) => missing(keys[i]) - missing(keys[j]) ||
      way * (numeric ? keys[i] - keys[j] || 0 : keys[i].localeCompare(keys[j]));
  }

  function sort(table, titles, column) {
    const rows = rowsOf(table);
    const way = titles[column].getAttribute("aria-sort") === "descending" ? 1 : -1; // the largest first
    const compare = compared(rows, column);
    const order = rows.map((_, i) => i).sort((i, j) => compare(i, j, way) || i - j);
    table.tBodies[0].append(...order.flatMap((i) => rows[i]));
    titles.forEach((title, i) => title.setAttribute("aria-sort", i !== column ? "none" : way > 0 ? "ascending" : "descending"));
  }

  /** A field of a CSV file; a line that a spreadsheet would compute gets an apostrophe in front. */
  function field(text) {
    const number = !Number.isNaN(Number(text.replace(/[%,]/g, "")));
    const safe = number ? text : text.replace(/(^|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029])(?=\s*[=+@\-＝＋＠－])/g, "$1'");
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }

  function download(table, number) {
    const rows = [[...table.tHead.rows].at(-1), ...rowsOf(table).map(([row]) => row)];
    const lines = rows.map((row) => [...row.cells].map((cell) => field(cell.textContent.trim())).join(","));
    const href = URL.createObjectURL(new Blob(["\ufeff", lines.join("\r\n")], { type: "text/csv" }));
    const link = element("a", { download: `table-${number}.csv`, href });
    link.click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  }

  const element = (name, properties) => Object.assign(document.createElement(name), properties);
  const button = (textContent, onclick) => element("button", { type: "button", textContent, onclick });

  [...document.querySelectorAll("main table")].filter((table) => table.tHead && !table.closest(".tokensel-live")).forEach((table, i) => {
    const number = rowsOf(table).length;
    const box = element("div", { className: number > LONG ? "scrolled long" : "scrolled", tabIndex: 0, role: "region", ariaLabel: `Table ${i + 1}` });
    table.replaceWith(box);
    box.append(table);
    if (number >= FEW) {
      const titles = [...[...table.tHead.rows].at(-1).cells];
      titles.forEach((title, column) => {
        const name = title.textContent.trim();
        title.ariaSort ??= "none";
        title.replaceChildren(button(name || "row", () => sort(table, titles, column)));
      });
    }
    if (number >= MANY) {
      const line = element("p");
      line.append(button("Download this table as CSV", () => download(table, i + 1)));
      box.after(line);
    }
  });
})();
