// An entry keeps its address when its module moves: the reference's overview and pages lead on to where the entry is now.
const leadOn = () => {
  const plain = (name) => name.replace(/[._]/g, "-");
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (!wanted || document.getElementById(wanted)) return;
  const rows = document.querySelectorAll("article .overview a[href*='#']");
  const entries = document.querySelectorAll("article dt[id^=tokensel_nb]");
  const places = [...[...rows].map(({ href, hash }) => [hash.slice(1), href]), ...[...entries].map(({ id }) => [id, `#${id}`])];
  places.sort(([one], [other]) => one.length - other.length); // a function stands before the method of its name
  const isModule = (id) => id.startsWith("module-");
  const find = (name, module) =>
    places.find(([id]) => isModule(id) === module && (plain(id) === plain(name) || id.endsWith(`.${name}`)))?.[1];
  const parts = wanted.replace(/^(module-)?tokensel_nb\./, "").split(".");
  for (const module of isModule(wanted) ? [true] : [false, true]) {
    for (let last = parts.length; last; last--) {
      for (let first = 0; first < last; first++) {
        const owner = parts.slice(first, last).join(".");
        const place = find(module ? `module-tokensel_nb.${owner}` : owner, module);
        if (place) {
          location.replace([place, ...parts.slice(last)].join(".")); // of a method, its class has the row
          return;
        }
      }
    }
  }
};
leadOn();
addEventListener("hashchange", leadOn);
