/* The model's formulas for the pages one plays with: arrays of numbers in, arrays of numbers out, and nothing of a page.
 *
 * A classic script, for browsers refuse modules to pages that lie on a disk; all of it is in the one object `tokensel`.
 * tests/site/test_engine.py holds every function against the Python package. Symbols are those of the book's notation:
 * a = E p scores, γ = E v values, q attention, f logits.
 *
 * Parameters: {E: |S| rows of d numbers, p: d numbers, v: rows of d numbers, one for two classes, else one a class}.
 * Model, what is left of them for reading: {vocabulary, scores: |S| numbers, values: for each row of v, |S| numbers}.
 * Texts: [{tokens: numbers of rows of E, as often as they occur, label: 0 ... K-1}].
 */
"use strict";

var tokensel = (() => {
  // What text.py says of words: a line break in HTML, or what is no letter, mark, digit or underscore, stands between them; the
  // soft hyphen and the joiners, which nobody sees, belong to the words around them.
  const INVISIBLE = "\u00ad\u200c\u200d\u2060\ufeff";
  const HIDDEN = new RegExp(`[${INVISIBLE}]`, "g");
  const WORD = new RegExp(`<br[\\t\\n\\f\\r ]*/?>|((?:(?![\\ufe00-\\ufe0f])[\\p{L}\\p{M}\\p{N}_${INVISIBLE}])+)`, "giu");
  const FIFTH_ORDER = [
    [],
    [1 / 5],
    [3 / 40, 9 / 40],
    [44 / 45, -56 / 15, 32 / 9],
    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
  ]; // Dormand and Prince, 1980; the last row is the step itself
  const ITS_ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];
  const CANCELLED = 1e-8; // as in flow/path.py

  const sum = (x) => x.reduce((total, each) => total + each, 0);
  function dot(x, y) {
    let total = 0; // a loop: no other sum is taken as often
    for (let i = 0; i < x.length; i++) total += x[i] * y[i];
    return total;
  }
  const norm = (x) => Math.sqrt(dot(x, x)); // some lists are too long for Math.hypot
  const times = (rows, x) => rows.map((row) => dot(row, x));
  /** x + Σ factors_i vectors_i */
  const plus = (x, factors, vectors) => x.map((each, i) => factors.reduce((total, c, j) => total + c * vectors[j][i], each));
  const transposedTimes = (rows, x) => plus(rows[0].map(() => 0), x, rows);
  const sigmoid = (x) => 1 / (1 + Math.exp(-x));
  const softplus = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

  function softmax(scores) {
    const largest = scores.reduce((one, other) => Math.max(one, other), -Infinity);
    const weights = Array.from(scores, (score) => Math.exp(score - largest));
    const total = sum(weights);
    return weights.map((weight) => weight / total);
  }

  // ---- texts

  /** A word in lower case and composed form, without what is invisible. */
  const lower = (word) => word.replace(HIDDEN, "").toLowerCase().normalize("NFC");

  /** The words of a text and where they stand in it: [{word, start, end}]. */
  const words = (text) => wordsBy(WORD, lower, text);

  /** What the first group of a pattern finds in a text, less what is invisible alone, in one form. */
  function wordsBy(pattern, form, text) {
    const found = Array.from(text.matchAll(pattern)).filter((match) => match[1]);
    return found.map(({ index, 1: word }) => ({ word: form(word), start: index, end: index + word.length })).filter(({ word }) => word);
  }

  /** The tokens of a text: [{word, start, end, id}], with the id -1 where the vocabulary lacks it. */
  function tokens(model, text) {
    model.idOf ??= new Map(Array.from(model.vocabulary, (word, id) => [word, id]));
    return words(text).map((token) => ({ ...token, id: model.idOf.get(token.word) ?? -1 }));
  }

  /** A text as a model of two classes reads it: {tokens, known: those in the vocabulary, with attention, score and value,
   *  ids, attention, logit}. */
  function reading(model, text) {
    const all = tokens(model, text);
    const known = all.filter(({ id }) => id >= 0);
    const ids = known.map(({ id }) => id);
    const { attention, logits } = forward(model, ids);
    known.forEach((token, i) => {
      token.attention = attention[i];
      token.score = model.scores[token.id];
      token.value = model.values[0][token.id];
    });
    return { tokens: all, known, ids, attention, logit: logits[0] };
  }

  // ---- the model

  /** Two classes: {attention: one number a token, logits: one}; K classes: K logits. Ids of known tokens only, and how much
   *  each counts. */
  function forward(model, ids, weights = ids.map(() => 1)) {
    const attention = softmax(ids.map((id, i) => model.scores[id] + Math.log(weights[i])));
    return { attention, logits: model.values.map((values) => dot(attention, ids.map((id) => values[id]))) };
  }

  /** What the logits say of each class, from 0 to K-1. */
  const probabilities = (logits) => (logits.length > 1 ? softmax(logits) : [sigmoid(-logits[0]), sigmoid(logits[0])]);

  /** How a logit is told, tokensel.verdictData: {kind: "unknown", "strange", "unclear", "close", "blame" or "praise", long: whether the
   *  text is, praise: the probability, tenths: how many verdicts of ten as clear are right, where 10 stands for more than 9}. A text
   *  of `many` words is strange, perhaps of another language, if only half of them or fewer are familiar. */
  function verdict({ clear, familiar, short, long, shortest, sure }, ids, attention, logit, many = ids.length) {
    if (!ids.length) return { kind: "unknown" };
    const marked = (packed) => {
      const bits = atob(packed);
      return ids.map((id) => (bits.charCodeAt(id >> 3) >> (id & 7)) & 1);
    };
    const well = sum(marked(familiar));
    if (2 * well <= many) return { kind: "strange", well, many };
    if (dot(attention, marked(clear)) < 0.5) return { kind: "unclear" };
    const [slope, intercept] = ids.length > shortest ? long : short;
    const praise = sigmoid(slope * logit + intercept);
    const certainty = Math.max(praise, 1 - praise);
    const tenths = certainty > sure ? 10 : Math.min(9, Math.floor(10 * certainty + 0.5));
    return { kind: tenths === 5 ? "close" : praise > 0.5 ? "praise" : "blame", long: ids.length > shortest, praise, tenths };
  }

  /** The same in words, of a reading: [a word or two, a sentence]. */
  function verdictInWords({ tokens: all, ids, attention, logit }) {
    const counted = all.filter(({ word }) => word.length > 1).length; // as words are in the book
    const { kind, long, tenths, well, many } = verdict(tokensel.verdictData ?? {}, ids, attention, logit, counted);
    if (kind === "unknown") return ["", "None of these words is in its vocabulary."];
    if (kind === "strange") return ["", `It knows only ${well} of ${many} words well: too few for a verdict.`];
    if (kind === "unclear") return ["", "No clear word here."];
    if (kind === "close") return ["", "Too close to call."];
    const often = tenths === 10 ? "more than 9" : `about ${tenths}`;
    return [kind === "praise" ? "Praise." : "Blame.", `Verdicts this clear on ${long ? "long" : "short"} texts are right ${often} times in 10.`];
  }

  /** {vocabulary, scores, values} of parameters. */
  const modelOf = ({ E, p, v }, vocabulary) => ({ vocabulary, scores: times(E, p), values: v.map((row) => times(E, row)) });

  /** Mean logistic loss and its gradients, two classes: {loss, E, p, v}. */
  function gradients({ E, p, v }, texts) {
    const { scores, values: [values] } = modelOf({ E, p, v });
    const [byScore, byValue] = [E.map(() => 0), E.map(() => 0)];
    let loss = 0;
    for (const { tokens: ids, label } of texts) { // as `forward`, but in loops: playthings take a thousand steps
      let [largest, total, logit] = [-Infinity, 0, 0];
      for (const id of ids) largest = Math.max(largest, scores[id]);
      const weights = ids.map((id) => Math.exp(scores[id] - largest));
      for (let i = 0; i < ids.length; i++) total += weights[i];
      for (let i = 0; i < ids.length; i++) logit += (weights[i] / total) * values[ids[i]];
      loss += softplus(label ? -logit : logit) / texts.length;
      const pull = (sigmoid(logit) - label) / texts.length / total;
      for (let i = 0; i < ids.length; i++) {
        byValue[ids[i]] += pull * weights[i];
        byScore[ids[i]] += pull * weights[i] * (values[ids[i]] - logit);
      }
    }
    return {
      loss,
      E: E.map((_, s) => plus(p.map(() => 0), [byScore[s], byValue[s]], [p, v[0]])),
      p: transposedTimes(E, byScore),
      v: [transposedTimes(E, byValue)],
    };
  }

  /** Uniform numbers that follow from a seed: mulberry32. */
  function mulberry(seed) {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
  }

  /** Those that follow from a text: the seed is its FNV-1a hash. */
  const drawn = (text) =>
    mulberry(Array.from(text).reduce((hash, one) => Math.imul(hash ^ one.codePointAt(0), 16777619), 2166136261));

  /** A random start: p = 0, v of length one, and rows of variance 1/dim, each drawn from its word alone, and from a seed. */
  function startOf(vocabulary, dim, seed) {
    const row = (name) => {
      const next = drawn(`${seed}${name}`);
      return Array.from({ length: dim }, () => Math.sqrt((-2 / dim) * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()));
    };
    const v = row("<v>");
    return { E: vocabulary.map(row), p: v.map(() => 0), v: [v.map((each) => each / norm(v))] };
  }

  /** Parameters after a step against the gradients, and the loss before it. */
  function descended(parameters, texts, rate) {
    const slopes = gradients(parameters, texts);
    const lower = (x, slope) => plus(x, [-rate], [slope]);
    const [E, v] = ["E", "v"].map((name) => parameters[name].map((row, i) => lower(row, slopes[name][i])));
    return { E, p: lower(parameters.p, slopes.p), v, loss: slopes.loss };
  }

  // ---- gradient flow on p, two classes

  /** How often each token stands in a text: {label, tokens: each once, logCounts}. */
  function counted({ tokens: ids, label }) {
    const counts = new Map();
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    return { label, tokens: [...counts.keys()], logCounts: [...counts.values()].map(Math.log) };
  }

  /** A text's pull on its scores, -n ∂L/∂a, as {pull, log}: exp(log) * pull, exact however closed attention is.
   *  With the top token t and δ_s = γ_s - γ_t, γ_s - f is δ_s - Σ q δ, or -Σ q δ where δ_s = 0: nothing cancels. */
  function textPull({ tokens: ids, logCounts, label }, scores, values) {
    const weights = ids.map((id, i) => scores[id] + logCounts[i]);
    const top = weights.indexOf(Math.max(...weights));
    const below = ids.map((id) => values[id] - values[ids[top]]);
    const unit = Math.max(...weights.filter((_, i) => below[i] !== 0)) - weights[top]; // of what has another value
    const sign = label ? 1 : -1;
    if (unit === -Infinity) return { pull: ids.map(() => 0), log: -Infinity, margin: sign * values[ids[top]] };
    const total = sum(weights.map((weight) => Math.exp(weight - weights[top])));
    const small = weights.map((weight, i) => (below[i] ? Math.exp(weight - weights[top] - unit) / total : 0));
    const shift = dot(small, below); // (f - γ_t) / exp(unit)
    const margin = sign * (values[ids[top]] + Math.exp(unit) * shift);
    const pull = weights.map((weight, i) =>
      sign * (below[i] ? small[i] * (below[i] - Math.exp(unit) * shift) : (-Math.exp(weight - weights[top]) / total) * shift),
    );
    return { pull, log: unit - softplus(margin), margin };
  }

  /** Where p is drawn to: {direction: -∇L/‖∇L‖ or null where the texts' pulls cancel, loss, pulls: each text's share of it}. */
  function pullOnQuery({ E, p, v }, texts) {
    const model = modelOf({ E, p, v });
    const found = texts.map((text) => textPull(text.logCounts ? text : counted(text), model.scores, model.values[0]));
    const largest = Math.max(...found.map((each) => each.log));
    const pulls = found.map(({ pull, log }, i) => {
      const size = log === -Infinity ? 0 : Math.exp(log - largest);
      return plus(p.map(() => 0), pull.map((each) => size * each), [...new Set(texts[i].tokens)].map((id) => E[id]));
    });
    const together = plus(p.map(() => 0), pulls.map(() => 1), pulls);
    const length = norm(together);
    const loss = sum(found.map((each) => softplus(-each.margin))) / texts.length;
    if (!(length > CANCELLED * sum(pulls.map(norm)))) return { direction: null, loss, pulls };
    return { direction: together.map((each) => each / length), loss, pulls: pulls.map((pull) => pull.map((x) => x / length)) };
  }

  /** The path dp/ds = -∇L/‖∇L‖ at given arc lengths, rising from 0, or until a point is enough: {points: [{s, p, loss}], stopped}. */
  function flow({ E, p, v }, texts, lengths, tolerance = 1e-9, enough = () => false) {
    const short = texts.map(counted);
    const pulled = (query) => pullOnQuery({ E, p: query, v }, short);
    const points = [{ s: 0, p, loss: pulled(p).loss }];
    let [s, step, slope] = [0, 0.01, pulled(p).direction];
    for (const end of lengths.slice(1)) {
      while (s < end) {
        if (!slope) return { points, stopped: "no direction" };
        const size = Math.min(step, end - s);
        const slopes = [slope];
        let next = p;
        for (const row of FIFTH_ORDER.slice(1)) {
          next = plus(p, row.map((c) => c * size), slopes);
          slopes.push(pulled(next).direction);
          if (!slopes.at(-1)) return { points, stopped: "no direction" };
        }
        const error = size * norm(transposedTimes(slopes, ITS_ERROR));
        if (error <= tolerance || size < 1e-12) [s, p, slope] = [size === end - s ? end : s + size, next, slopes[6]];
        if (size === step || error > tolerance) step = size * Math.min(4, Math.max(0.2, 0.9 * (tolerance / error) ** 0.2));
      }
      points.push({ s, p, loss: pulled(p).loss });
      if (enough(points.at(-1))) return { points, stopped: "enough" };
    }
    return { points, stopped: "the end" };
  }

  /** Embeddings and v whose products are those of one large step for d → ∞, for given values: rows (e_s, γ_s), v = (0, 1). */
  function limitParameters(values) {
    const E = Array.from(values, (value, s) => [...Array.from(values, (_, r) => Number(r === s)), value]);
    return { E, p: E[0].map(() => 0), v: [E[0].map((_, i) => Number(i === values.length))] };
  }

  // ---- one step

  /** Values after one step on E from p = 0, of tokensel.firstStep: exact but for the third order of the start's logits. */
  function steppedValues({ share, draw, drawn_pull: pull }, step, dim) {
    const root = Math.sqrt(dim);
    return share.map((each, s) => draw[s] / root + step * (each / 2 - pull[s] / (4 * root)));
  }

  /** The seconds of a step of Adam, part by part and in all, the bytes that each unit holds, and how many units would hold
   *  all: as on_paper in experiments/scale.py. */
  function onPaper({ texts, entries, words, dim }, { units, bandwidth, memory, feed, link, share }, entry, preparing) {
    const [counts, parameters, rate] = [entry * entries + 8 * texts, 4 * words * dim, bandwidth * share];
    const enough = memory > 4 * parameters ? Math.ceil(counts / (memory - 4 * parameters)) : Infinity;
    const often = Number(enough > units); // storage is read in every step, unless memory holds the counts
    const seconds = {
      disk: (often * 8 * (entries + texts)) / feed, preparing: (often * preparing * entries) / units,
      counts: (16 * entries) / (units * rate), embeddings: (7 * parameters) / rate,
      network: (16 * words * (units - 1)) / units / link,
    };
    return { seconds, step: sum(Object.values(seconds)), memory: counts / units + 4 * parameters, enough };
  }

  // ---- numbers

  /** Pearson's correlation of two lists. */
  function correlation(x, y) {
    const centred = [x, y].map((list) => {
      const mean = sum(list) / list.length;
      return list.map((each) => each - mean);
    });
    return dot(...centred) / (norm(centred[0]) * norm(centred[1]));
  }

  /** Numbers as the data files hold them: {step, bytes}, base64 of the low bytes of all, then of the high ones, times a step. */
  function unpack({ step, bytes }) {
    const raw = atob(bytes);
    const count = raw.length / 2;
    return Float64Array.from({ length: count }, (_, i) => {
      const word = raw.charCodeAt(i) | (raw.charCodeAt(count + i) << 8);
      return step * (word < 32768 ? word : word - 65536);
    });
  }

  return {
    INVISIBLE, lower, words, wordsBy, tokens, reading, forward, probabilities, modelOf, verdict, verdictInWords,
    gradients, pullOnQuery, flow, limitParameters, correlation, unpack, steppedValues, startOf, descended, mulberry, onPaper,
  };
})();
