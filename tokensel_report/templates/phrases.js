/* How a TextClassifier reads a raw text, in addition to engine.js: words as they stand there, and n-grams of them.
 *
 * Its model: {words, starts, lasts, scores, values}, columns of words, then of n-grams, <cls> last.
 */
"use strict";

Object.assign(tokensel, (() => {
  // What phrases.py says of words: marks are letters too, but those that choose how an emoji is drawn; "n't" begins a word; what is
  // invisible cuts none; an emoji is a word, and so is each character of a script without spaces.
  const { INVISIBLE, lower } = tokensel;
  const NOT = "[nN]['’ʼ][tT]\\b";
  const EMOJI = "[\\u2600-\\u27bf\\u2b50\\u{1f000}-\\u{1f3fa}\\u{1f400}-\\u{1faff}]";
  const UNSPACED = "[\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u9fff\\u{20000}-\\u{323af}\\uf900-\\ufaff]";
  const LETTER = `(?![\\ufe00-\\ufe0f])[\\p{L}\\p{M}\\p{N}_${INVISIBLE}]`;
  const ALONE = `${EMOJI}|(?=${LETTER})${UNSPACED}(?:(?![\\ufe00-\\ufe0f])[\\p{M}ー${INVISIBLE}])*`;
  const LETTERS = `(?:(?!${NOT}|${EMOJI}|${UNSPACED})${LETTER})+`;
  const RAW_WORD = new RegExp(`<[bB][rR][ \\t\\n\\f\\r]*/?>|(${ALONE}|(?:${NOT})?${LETTERS}|${NOT})`, "gu");

  /** The words of a raw text, as phrases.py finds them, by what they are compared by: [{word, start, end}]. */
  const rawWords = (text) => tokensel.wordsBy(RAW_WORD, key, text);

  /** What words are compared by, "n't" with any apostrophe. JavaScript has no case folding, but the capitals of small letters
   *  tell the same words apart, all but the Turkish ı from i. */
  const key = (word) =>
    lower(word.replace(/^[nN]['’][tT]\b/, "nʼt")).replace(/[^ı]+/gu, (part) => part.toUpperCase()).normalize("NFC");

  /** The known words and n-grams of a raw text: [{start, end, id}]. An n-gram is a column and the word after it. */
  function phrases(model, text) {
    model.idOf ??= new Map(model.words.map((word, id) => [key(word), id]));
    const single = rawWords(text).map(({ word, start, end }) => ({ start, end, id: model.idOf.get(word) ?? -1 }));
    const all = [];
    let runs = single;
    for (let length = 1; runs.some(({ id }) => id >= 0); length++) {
      all.push(...runs.filter(({ id }) => id >= 0));
      runs = runs.slice(0, -1).map(({ start, id }, first) => {
        const last = single[first + length];
        return { start, end: last.end, id: id >= 0 && last.id >= 0 ? pairId(model, id, last.id) : -1 };
      });
    }
    return all;
  }

  /** The column of an n-gram, or -1; they are sorted by what they begin with, then by their last word. */
  function pairId({ words: { length }, starts, lasts }, start, last) {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle] < start || (starts[middle] === start && lasts[middle] < last)) low = middle + 1;
      else high = middle;
    }
    return starts[low] === start && lasts[low] === last ? length + low : -1;
  }

  /** What a TextClassifier says of its phrases: {ids: each once, <cls> last, occurrences, attention, logits}. */
  function judge(model, found) {
    const counts = new Map();
    for (const { id } of found) counts.set(id, (counts.get(id) ?? 0) + 1);
    counts.set(model.scores.length - 1, 1);
    const [ids, occurrences] = [[...counts.keys()], [...counts.values()]];
    return { ids, occurrences, ...tokensel.forward(model, ids, occurrences.map((count) => 1 + Math.log(count))) };
  }

  return { key, rawWords, phrases, judge };
})());
