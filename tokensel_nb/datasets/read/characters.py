"""The characters of a file: unpacked, and decoded in its encoding, which is found where nobody says it."""

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import zipfile
from functools import partial

BLOCK = 2**20
MOST_BYTES = 2**33  # 8 GB, unpacked: more is no file that fits into memory
MOST_TIMES, FEW_BYTES = 100, 2**24  # texts pack to a third, or a tenth: what unpacks to more times its size is made to fill it
BYTE_ORDER_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"}
BYTE_ORDER_MARKS |= {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}  # last: the first is part of UTF-32's
# Python's names of what the detector names, and of what contains it: who writes ISO-8859-1 usually means cp1252.
# Where it sees nothing, or what has just been ruled out, cp1252 is the likeliest; DOS's code pages are seldom written now.
WIDER = dict.fromkeys(["", "ascii", "utf-8", "utf-8-sig", "ibm850", "ibm852", "iso-8859-1"], "cp1252")
WIDER |= {"iso-8859-9": "cp1254", "shift_jis": "cp932", "uhc": "cp949", "gb2312": "gb18030"}
# What no true text has beyond ASCII: a control, a box, a sign or a Cyrillic letter within a Latin word, a capital after a small
# letter, three accented letters in a row.
STRANGE = re.compile(
    r"[\x80-\x9f\u2500-\u25ff\ufffd]|(?<=[a-zß-öø-ÿ])[À-ÖØ-ÞŒŠŽŸ‚„¢£ˆ‹]|[À-ÖØ-öø-ÿ]{3}|(?<=[A-Za-z])[\u0370-\u04ff]"
    r"|(?<=[A-Za-zÀ-ÿ])[^\w\s\0-\x7f’‘´–—…·•/®™©](?=[A-Za-zÀ-ÿ])|(?<=\s)[œƒ](?=\d)"
)
NUL = "it contains NUL bytes, so it is not text, or has another encoding; save it as UTF-8, or give encoding='utf-16'"


def unpacked(path):
    """Open a file's bytes, unpacked if it is a .gz, .bz2, .xz, .zst or .zip of one file, which its first bytes tell."""
    with open(path, "rb") as file:
        start = file.read(6)
    return next((opener for magic, opener in OPENERS.items() if start.startswith(magic)), partial(open, mode="rb"))(path)


def beginning(path):
    """Return the first block of a file, or raise ValueError where all of them are too many; see `bounded`."""
    first = b""
    with unpacked(path) as file:
        for block in bounded(iter(partial(file.read, BLOCK), b""), path):
            first = first or block
    return first


def bounded(parts, path, size=len):
    """Yield what a file unpacks to, part by part, as long as it may be a text: before anything is kept of it."""
    packed, total = os.path.getsize(path), 0
    most = min(MOST_BYTES, max(MOST_TIMES * packed, FEW_BYTES))
    for part in parts:
        total += size(part)
        if total > most:
            raise ValueError(f"it unpacks to more than {most / 1e6:,.0f} MB, from {packed / 1e6:,.1f} MB; unpack and split it")
        yield part


def _only_member(path):
    archive = zipfile.ZipFile(path)
    names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
    if "[Content_Types].xml" in names:
        raise ValueError("it is a workbook or a document of an office program; save it there as CSV (UTF-8)")
    if len(names) != 1:
        raise ValueError(f"it is an archive of {len(names)} files; unpack it and give one of them, or their folder")
    return archive.open(names[0])


def _zstandard(path):
    from pyarrow import input_stream  # here, since it takes a tenth of a second

    return input_stream(path, compression="zstd")


def _no_text(path):
    raise ValueError("it is a PDF, a web page, a picture or an office document; save its texts as CSV (UTF-8)")


OPENERS = {  # by the first bytes
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x28\xb5\x2f\xfd": _zstandard,
    b"PK\x03\x04": _only_member,
    b"PK\x05\x06": _only_member,
}
OPENERS |= dict.fromkeys(
    [b"%PDF", b"<html", b"<HTML", b"<!DOCT", b"<!doct", b"<?xml", b"{\\rtf", b"\xd0\xcf\x11\xe0", b"\xff\xd8\xff"], _no_text
)


def decoded(path, encoding, errors):
    """Open a file's characters, line ends as they are."""
    return io.TextIOWrapper(unpacked(path), encoding, errors, newline="")


def found_encoding(opened):
    """Return the encoding of a file, which ``opened`` opens, and how to treat bytes that are not of it.

    UTF-8 if it is valid, by a byte order mark, or as the detector of the library uchardet says. A file that is UTF-8 but for a
    few bytes is read as such, each odd byte as the character of cp1252.
    """
    with opened() as file:
        start = file.read(BLOCK)
    if not start:
        raise ValueError("it is empty")
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if start.startswith(mark):
            return encoding, "strict"
    if b"\0" in start:
        return _of_two_bytes(start[:4096]), "strict"
    try:
        for _ in codecs.iterdecode(_blocks(opened), "utf-8"):
            pass
    except UnicodeDecodeError:
        return _detected(_blocks(opened))
    return "utf-8", "strict"


def decode(data):
    """Return the characters of a small file's bytes; of none, none."""
    return data.decode(*found_encoding(partial(io.BytesIO, data))) if data else ""


def _of_two_bytes(start):
    """Return which UTF-16 it is, judged by the zeros between ASCII's letters."""
    for encoding, zeros in (("utf-16-le", start[1::2]), ("utf-16-be", start[::2])):
        if zeros.count(0) > max(len(zeros) / 4, 0.75 * start.count(0)):
            return encoding
    raise ValueError(NUL)


def _blocks(opened):
    """Yield a file's bytes, which have to be those of a text."""
    with opened() as file:
        while block := file.read(BLOCK):
            if b"\0" in block:
                raise ValueError(NUL)
            yield block


def _detected(blocks):
    """Return encoding and treatment of errors of bytes that are not UTF-8 throughout."""
    from cchardet import UniversalDetector

    detector, letters, odd, lines = UniversalDetector(), 0, 0, []
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    for block in blocks:
        text = decoder.decode(block)
        letters += len(re.findall(r"[^\0-\x7f]", text))
        odd += len(re.findall("[\udc80-\udcff]", text))
        lines += [line for line in block.split(b"\n") if not line.isascii()] if len(lines) < 10_000 else []
        detector.feed(block)
    detector.close()
    if letters - odd > 5 * odd:
        return "utf-8", "cp1252"
    name = (detector.result["encoding"] or "").lower()
    encoding = WIDER.get(name, name)
    try:
        codecs.lookup(encoding)
    except LookupError:  # it knows some that Python does not
        encoding = "cp1252"
    beyond = re.findall(rb"[\x80-\xff]", sample := b"\n".join(lines))
    if len(beyond) > len(sample) / 3:  # no Latin script
        return encoding, "replace"
    known = len(beyond) > len(sample) / 30 and len(set(beyond)) > 4 and not re.match("ibm|mac", encoding)
    for likely in (*((encoding, "cp1252") if known else ("cp1252", encoding)), "mac_roman", "cp850"):
        if len(STRANGE.findall(sample.decode(likely, "replace"))) <= len(beyond) / 20:
            return likely, "replace"
    return encoding, "replace"


codecs.register_error("cp1252", lambda error: (error.object[error.start : error.end].decode("cp1252", "replace"), error.end))
