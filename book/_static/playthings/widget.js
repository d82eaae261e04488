/* A plaything in a notebook: the pages' scripts draw what Python gives. The widget's model stands in for the page: `given` is what
 * a page's data scripts add to `tokensel`, `address` what a page keeps behind its #. */

/** What Python gives, numbers in arrays; they come as bytes. */
const unpacked = (given) => {
  if (given instanceof DataView) return new Float32Array(given.buffer.slice(given.byteOffset, given.byteOffset + given.byteLength));
  if (Array.isArray(given)) return given.map(unpacked);
  if (given === null || typeof given !== "object") return given;
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, unpacked(value)]));
};

export default {
  render({ model, el }) {
    let [own, shown] = [null, null]; // what this view has written itself, and what it shows
    el.classList.add("tokensel-widget");
    const make = () => {
      const tokensel = Object.assign(scripts(), unpacked(model.get("given")), { unpack: (numbers) => numbers });
      [own, shown] = [null, tokensel];
      Object.assign(tokensel.address, {
        pause: 30,
        whole: true,
        get: () => model.get("address"),
        set: (address) => {
          if (shown !== tokensel) return; // one that was replaced meanwhile
          own = address;
          model.set("address", address);
          model.save_changes();
        },
      });
      const root = tokensel.element("div", { class: "plaything", role: "group" });
      el.replaceChildren(root);
      tokensel.builds[NAME](root, el);
    };
    const asked = () => model.get("address") !== own && make(); // by Python, or by another view
    model.on("change:given", make);
    model.on("change:address", asked);
    make();
    return () => {
      model.off("change:given", make);
      model.off("change:address", asked);
    };
  },
};
