// The reference was one page once. Old links to an entry of it, or to a module, lead on to where the entry is now.
const leadOn = () => {
  const plain = (name) => name.replace(/[._]/g, "-");
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (!wanted || document.getElementById(wanted)) return;
  const links = [...document.querySelectorAll("article .overview a[href*='#']")];
  const find = (name) => links.find(({ hash }) => plain(hash.slice(1)) === plain(name) || hash.endsWith(`.${name}`));
  for (let owner = wanted; owner; owner = owner.replace(/\.?[^.]*$/, "")) {
    const link = find(owner) ?? find(`module-tokensel_nb.${owner}`) ?? find(owner.replace("tokensel_nb.", ""));
    if (link) {
      location.replace(link.href + wanted.slice(owner.length)); // of a method, its class has the row
      return;
    }
  }
};
leadOn();
addEventListener("hashchange", leadOn);
