/* A cloud of a reader's own words, for notebooks: value to the right, score upwards. */
"use strict";

tokensel.plaything("cloud", (root) => {
  const { element, signed, around } = tokensel;
  const { words, weights } = tokensel.cloudOf;
  const { named, values, scores } = tokensel.frame; // new ones with every step that one watches
  const told = (id) => `${words[id]}: value ${signed(values[id])}, score ${signed(scores[id])}`;
  const { now, change, begin } = tokensel.settings(root, "cloud", { word: words[named[0]] }, picture, { word: words });
  const choose = (id) => change({ word: words[id] });
  const cloud = tokensel.scatter({
    words, brief: told, tell: told, choose, name: "Words by value and score",
    xName: "← speaks for blame · speaks for praise →", yName: "↑ gets more attention",
  });
  const finder = tokensel.finder({ words, weights, choose, find: choose });
  const ofWord = element("p", { class: "of-word" });

  function picture() {
    const chosen = words.indexOf(now.word);
    cloud.draw({ x: values, y: scores, xRange: around(values), yRange: around(scores), named, chosen });
    finder.show(chosen);
    ofWord.textContent = told(chosen);
    return ofWord.textContent;
  }

  begin(element("div", { class: "map" }, cloud.root, element("div", { class: "beside" }, finder.root, ofWord)));
});
