/* A plaything in a notebook: the pages' scripts draw what Python gives. The widget's model stands in for the page: `given` is what
 * a page's data scripts add to `tokensel`, `frame` the part of it that changes often, `address` what a page keeps behind its #. */

/** What Python gives, numbers in arrays; they come as bytes. */
const unpacked = (given) => {
  if (given instanceof DataView) return new Float32Array(given.buffer.slice(given.byteOffset, given.byteOffset + given.byteLength));
  if (Array.isArray(given)) return given.map(unpacked);
  if (given === null || typeof given !== "object") return given;
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, unpacked(value)]));
};

export default {
  render({ model, el }) {
    let [given, seen, shown] = [null, null, null]; // what is drawn, the address that the view has followed, and what it shows
    el.classList.add("tokensel-widget");
    const make = () => {
      const tokensel = Object.assign(scripts(), given, { frame: unpacked(model.get("frame")), unpack: (numbers) => numbers });
      [seen, shown] = [model.get("address"), tokensel];
      Object.assign(tokensel.address, {
        pause: 30,
        whole: true,
        get: () => model.get("address"),
        set: (address) => {
          if (shown !== tokensel) return; // one that was replaced meanwhile
          seen = address;
          model.set("address", address);
          model.save_changes();
        },
      });
      const root = tokensel.element("div", { class: "plaything", role: "group" });
      el.replaceChildren(root);
      tokensel.builds[NAME](root, el);
    };
    const take = () => {
      given = unpacked(model.get("given"));
      make();
    };
    const asked = () => model.get("address") !== seen && make(); // by Python, or by another view
    const heard = { "change:given": take, "change:frame": make, "change:address": asked };
    for (const [name, call] of Object.entries(heard)) model.on(name, call);
    take();
    return () => {
      for (const [name, call] of Object.entries(heard)) model.off(name, call);
    };
  },
};
