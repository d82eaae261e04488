"""The encoding of a text file, detected if nobody names it."""

import cchardet

from tokensel_nb.datasets.reviews import log_or_print

MARKS = {"\ufeff".encode(name): name for name in ("utf-8", "utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")}
# Characters of Western European texts beyond ASCII. From a few of them, the detector guesses any language.
WESTERN = set("\xa0‘’“”„–—…•€£°½¼«»™®©§·¡¿ÀÁÄÉÖÜßàáâäçèéêëíîïñóôöùúü".encode("cp1252"))
# Guesses read as another encoding: cp1252 contains some of them, and DOS's Western European code pages are rare today.
LIKELIER = dict.fromkeys(["", "ascii", "utf-8", "iso-8859-1", "ibm850", "ibm852", "ibm865"], "cp1252") | {"shift_jis": "cp932"}


def decoded(data, name, encoding):
    """Return the characters of a file, and report the encoding if it had to be guessed."""
    mark = next(filter(data.startswith, MARKS), None)  # UTF-32's first, since it begins with UTF-16's
    even, odd = data[:4096:2].count(0), data[1:4096:2].count(0)
    of_two_bytes = max(even, odd) > max(len(data[:4096]) / 8, 3 * min(even, odd))  # zeros between ASCII letters
    if encoding or mark or of_two_bytes:
        return data.decode(encoding or MARKS.get(mark) or ("utf-16-be" if even > odd else "utf-16-le"))
    text = data.decode("utf-8", "replace")
    if text.encode() == data:
        return text
    wrong = text.count("\ufffd")
    if len(text) - len(text.encode("ascii", "ignore")) > 6 * wrong:  # nearly all non-ASCII letters are valid
        log_or_print(f"{name}: {wrong:,} characters are not valid UTF-8 and were replaced by \ufffd")
        return text
    detected = "" if set(data) - set(range(128)) <= WESTERN else (cchardet.detect(data)["encoding"] or "").lower()
    guess = LIKELIER.get(detected, detected)
    log_or_print(f"{name}: the encoding seems to be {guess}; `encoding` sets another one")
    return data.decode(guess, "replace")
