"""Draw the map of the house from the code: folders are rooms, imports are arrows, and a room stands above all that it imports.

python book/_tools/house.py        writes book/images/house.svg, and says how many rooms, floors and arrows there are
"""

import ast
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAP = ROOT / "book" / "images" / "house.svg"
TREES = ("tokensel_nb", "experiments", "course", "benchmarks", "book")
WIDTH, ROW, BOX = 720, 92, 66  # pixels: of the map, from floor to floor, and the height of a room


def rooms() -> dict[str, list[Path]]:
    """Return the Python files of every folder that holds code of its own."""
    files = sorted(file for tree in TREES for file in (ROOT / tree).rglob("*.py"))
    of_rooms = {}
    for file in files:
        room = "book" if file.is_relative_to(ROOT / "book") else file.parent.relative_to(ROOT).as_posix()
        of_rooms.setdefault(room.removeprefix("tokensel_nb/"), []).append(file)
    return {room: files for room, files in of_rooms.items() if room != "tokensel_nb"}


def imported(file: Path) -> set[str]:
    """Return the dotted names that a file imports from this repository when it runs, not for its types alone."""
    tree, package = ast.parse(file.read_text("utf-8")), file.parent.relative_to(ROOT).parts
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    names = set()
    for node in set(ast.walk(tree)) - for_types:
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            names |= {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def arrows(of_rooms: dict[str, list[Path]]) -> set[tuple[str, str]]:
    """Return the pairs of rooms of which the first imports from the second."""
    room_of = {}
    for room, files in of_rooms.items():
        for file in files:
            module = file.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
            room_of[module.removesuffix(".__init__")] = room
    pairs = set()
    for room, files in of_rooms.items():
        for name in set().union(*map(imported, files)):
            while name and name not in room_of:  # a function's module, a module's package
                name = name.rpartition(".")[0]
            if name and room_of[name] != room:
                pairs.add((room, room_of[name]))
    return pairs


def floors(of_rooms, pairs) -> dict[str, int]:
    """Return the floor of every room; a circle of imports is an error."""
    floor_of = {}
    while left := [room for room in of_rooms if room not in floor_of]:
        ready = {room: [floor_of.get(below) for above, below in pairs if above == room] for room in left}
        ready = {room: 1 + max(below, default=0) for room, below in ready.items() if None not in below}
        if not ready:
            raise ValueError(f"rooms that import one another: {', '.join(sorted(left))}")
        floor_of |= ready
    return floor_of


def idea(files: list[Path]) -> str:
    """Return the first line of a folder's docstring."""
    doc = next((ast.get_docstring(ast.parse(file.read_text("utf-8"))) for file in files if file.name == "__init__.py"), "")
    return (doc or "Sphinx extensions, and the programs behind make.").splitlines()[0]


def drawing(of_rooms, pairs, floor_of) -> str:
    """Return the map as SVG; an arrow that follows from two others is not drawn."""
    top, place = max(floor_of.values()), {}
    for floor in range(top, 0, -1):
        row = sorted(room for room in of_rooms if floor_of[room] == floor)
        width = WIDTH / len(row)
        for column, room in enumerate(row):
            place[room] = (width * (column + 0.5), ROW * (top - floor) + 10, min(width - 12, 270))
    below = {room: {other for above, other in pairs if above == room} for room in of_rooms}
    reached = {}
    for room in sorted(of_rooms, key=floor_of.get):
        reached[room] = below[room].union(*(reached[other] for other in below[room]))
    direct = [(room, other) for room, other in sorted(pairs) if not any(other in reached[via] for via in below[room])]
    parts = [_line(place[room], place[other]) for room, other in direct]
    for room in sorted(of_rooms):
        kind = "installed" if (ROOT / "tokensel_nb" / room).is_dir() else "kept"
        parts.append(_box(kind, room, idea(of_rooms[room]), *place[room]))
    style = (
        "text{font:14px sans-serif;text-anchor:middle;fill:#222}.name{font-weight:bold}.idea{font-size:11px}"
        "rect{stroke:#5b7aa5}.installed{fill:#dde9f7}.kept{fill:#fff}"
        "path{fill:none;stroke:#8a8a8a;marker-end:url(#tip)}marker path{fill:#8a8a8a}"
    )
    tip = '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    tip += '<path d="M0 0L8 4L0 8z" style="marker-end:none"/></marker></defs>'
    size = f'viewBox="0 0 {WIDTH} {ROW * top - ROW + BOX + 20}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style}</style>{tip}', *parts, "</svg>\n"])


def _line(above, below):
    (x, y, _), (to_x, to_y, _) = above, below
    return f'<path d="M{x:.0f} {y + BOX}C{x:.0f} {y + ROW} {to_x:.0f} {to_y - (ROW - BOX)} {to_x:.0f} {to_y}"/>'


def _box(kind, room, text, x, y, width):
    lines, letters = [""], int(width / 6.2)
    for word in text.split():
        if len(lines[-1]) + len(word) >= letters:
            lines.append("")
        lines[-1] += f"{word} "
    parts = [f'<rect class="{kind}" x="{x - width / 2:.0f}" y="{y}" width="{width:.0f}" height="{BOX}" rx="6"/>']
    parts += [f'<text class="name" x="{x:.0f}" y="{y + 17}">{escape(room)}</text>']
    for row, line in enumerate(lines[:3]):
        parts += [f'<text class="idea" x="{x:.0f}" y="{y + 32 + 13 * row}">{escape(line.strip())}</text>']
    return "".join(parts)


def main() -> None:
    """Write the map and print its figures."""
    of_rooms = rooms()
    pairs = arrows(of_rooms)
    floor_of = floors(of_rooms, pairs)
    MAP.write_text(drawing(of_rooms, pairs, floor_of), "utf-8")
    print(f"{len(of_rooms)} rooms, {max(floor_of.values())} floors, {len(pairs)} arrows: {MAP.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
