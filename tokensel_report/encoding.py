"""The encoding of a file of text, found where nobody says it."""

import cchardet

from tokensel_nb.datasets.reviews import tell

MARKS = {"\ufeff".encode(name): name for name in ("utf-8", "utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")}
# What texts of Western Europe have beyond ASCII. Of a few such letters, the detector makes any language.
WESTERN = set("\xa0‘’“”„–—…•€£°½¼«»™®©§·¡¿ÀÁÄÉÖÜßàáâäçèéêëíîïñóôöùúü".encode("cp1252"))
# What is read as cp1252, which contains it, or as it is likelier: DOS's pages of Western Europe are seldom written now.
LIKELIER = dict.fromkeys(["", "ascii", "utf-8", "iso-8859-1", "ibm850", "ibm852", "ibm865"], "cp1252") | {"shift_jis": "cp932"}


def decoded(data, name, encoding):
    """Return the characters of a file, and say in which encoding they were read where it had to be guessed."""
    mark = next(filter(data.startswith, MARKS), None)  # UTF-32's before UTF-16's, which is a part of it
    even, odd = data[:4096:2].count(0), data[1:4096:2].count(0)
    of_two_bytes = max(even, odd) > max(len(data[:4096]) / 8, 3 * min(even, odd))  # zeros stand between ASCII's letters
    if encoding or mark or of_two_bytes:
        return data.decode(encoding or MARKS.get(mark) or ("utf-16-be" if even > odd else "utf-16-le"))
    text = data.decode("utf-8", "replace")
    if text.encode() == data:
        return text
    wrong = text.count("\ufffd")
    if len(text) - len(text.encode("ascii", "ignore")) > 6 * wrong:  # of the letters beyond ASCII, nearly all are UTF-8
        tell(f"{name}: {wrong:,} of its characters are no UTF-8 and are read as \ufffd")
        return text
    found = "" if set(data) - set(range(128)) <= WESTERN else (cchardet.detect(data)["encoding"] or "").lower()
    guess = LIKELIER.get(found, found)
    tell(f"{name}: its encoding was guessed as {guess}; `encoding` names another")
    return data.decode(guess, "replace")
