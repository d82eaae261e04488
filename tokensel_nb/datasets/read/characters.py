"""The characters of a file: unpacked, and decoded as they were encoded, which is found where nobody says it."""

import bz2
import codecs
import gzip
import io
import lzma
import zipfile
from functools import partial

BLOCK = 2**20
MOST_BYTES = 2**33  # 8 GB, unpacked: more is no file that fits into memory, or an archive made to fill it
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Python's names of what the detector names, and of what contains it: who writes ISO-8859-1 usually means cp1252.
# Where it sees nothing, or what has just been ruled out, cp1252 is the likeliest; nobody writes DOS's code pages any more.
WIDER = dict.fromkeys(["", "ascii", "utf-8", "utf-8-sig", "ibm850", "ibm852", "iso-8859-1"], "cp1252")
WIDER |= {"iso-8859-9": "cp1254", "shift_jis": "cp932", "uhc": "cp949", "gb2312": "gb18030"}
NUL = "it holds the byte NUL, so it is no text, or its encoding is another; save it as UTF-8, or give encoding='utf-16'"


def unpacked(path):
    """Open a file's bytes, unpacked if it is a .gz, .bz2, .xz, .zst or .zip of one file; what it is, its first bytes say."""
    with open(path, "rb") as file:
        start = file.read(6)
    if start.startswith(b"\x1f\x8b"):
        return gzip.open(path)
    if start.startswith(b"BZh"):
        return bz2.open(path)
    if start.startswith(b"\xfd7zXZ\x00"):
        return lzma.open(path)
    if start.startswith(b"\x28\xb5\x2f\xfd"):
        import pyarrow as pa

        return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")
    if start.startswith(b"PK\x03\x04"):
        return _only_member(path)
    return open(path, "rb")


def _only_member(path):
    archive = zipfile.ZipFile(path)
    names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
    if "[Content_Types].xml" in names:
        raise ValueError("it is a workbook or a document of an office program; save it there as CSV (UTF-8)")
    if len(names) != 1:
        raise ValueError(f"it is an archive of {len(names)} files; unpack it and give the one, or their folder")
    return archive.open(names[0])


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
        if _is_utf8(start, file):
            return "utf-8", "strict"
    with opened() as file:
        return _detected(iter(lambda: file.read(BLOCK), b""))


def decode(data):
    """Return the characters of a small file's bytes; of none, none."""
    return data.decode(*found_encoding(partial(io.BytesIO, data))) if data else ""


def _of_two_bytes(start):
    """Return which UTF-16 the zeros between ASCII's letters tell of."""
    for encoding, zeros in (("utf-16-le", start[1::2]), ("utf-16-be", start[::2])):
        if zeros.count(0) > len(zeros) / 4:
            return encoding
    raise ValueError(NUL)


def _is_utf8(start, file):
    decoder = codecs.getincrementaldecoder("utf-8")()
    size = 0
    try:
        while start:
            size += len(start)
            if size > MOST_BYTES:
                raise ValueError(f"it unpacks to more than {MOST_BYTES // 2**30} GB; split it")
            if b"\0" in start:
                raise ValueError(NUL)
            decoder.decode(start)
            start = file.read(BLOCK)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _detected(blocks):
    """Return encoding and treatment of errors of bytes that are not UTF-8 throughout."""
    from cchardet import UniversalDetector

    detector, valid, odd = UniversalDetector(), 0, 0
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    for block in blocks:
        if b"\0" in block:
            raise ValueError(NUL)
        beyond = [character for character in decoder.decode(block) if character > "\x7f"]
        strays = sum("\udc80" <= character <= "\udcff" for character in beyond)
        valid, odd = valid + len(beyond) - strays, odd + strays
        detector.feed(block)
    detector.close()
    if valid > 5 * odd:
        return "utf-8", "cp1252"
    found = (detector.result["encoding"] or "").lower()
    found = WIDER.get(found, found)
    try:
        codecs.lookup(found)
    except LookupError:  # it knows some that Python does not
        found = "cp1252"
    return found, "replace"


def _as_cp1252(error):
    odd = error.object[error.start : error.end]
    return odd.decode("cp1252", "replace"), error.end


codecs.register_error("cp1252", _as_cp1252)
