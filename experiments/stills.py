"""The front page without scripts: eight still pictures, one a scene, and the card that a shared link shows.

Both are drawn from the data that the page itself loads. ``make playthings`` writes them.
"""

import base64
import json
import re
from html import escape
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

DATA, PICTURES, CARD = Path("book/_static/playthings"), Path("book/images/front"), Path("book/_static/share.png")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 660, 560, 12, 12, 34, 44  # pixels of a picture, and of its edges
FRAME = (-23.5, 19.5), (-3.1, 2.75)  # of the cloud: values, scores
NEAR = 5  # times, of the second scene, around (0, -0.14)
NAMES = dict(zip("worst boring bad not movie the good great excellent".split(), "r l l l bl br r r t".split()))  # where each is
DISC = 34  # pixels: the radius of a word with all of the attention
SENTENCE, NOT_BAD = "The story is slow, but the music is wonderful.", "The film was not bad."
TITLE = "Why does attention pick the right word?"
STYLE = """<style>
text { font: 600 15px system-ui, sans-serif; fill: #1d2433; paint-order: stroke; stroke: #fff; stroke-width: 4px }
.quiet { font-weight: 400; fill: #5a6070 } .large { font: 600 40px Charter, Cambria, Georgia, serif }
.blame { fill: #b34a00 } .blame:is(.dots, .line) { stroke: #b34a00 }
.praise { fill: #0072b2 } .praise:is(.dots, .line) { stroke: #0072b2 }
.dots { fill: none; stroke-width: 6px; stroke-linecap: round; opacity: .55 }
.faint { opacity: .15 }
.rule { stroke: #c9ccd4; fill: none } .ring { fill: none; stroke: #1d2433; stroke-width: 1.5px } .disc { opacity: .85 }
@media (prefers-color-scheme: dark) {
text { fill: #e6e8ee; stroke: #14171f } .quiet { fill: #a3a9b8 } .rule { stroke: #454b59 } .ring { stroke: #e6e8ee }
.blame { fill: #ff9a4d } .blame:is(.dots, .line) { stroke: #ff9a4d }
.praise { fill: #5bb8f5 } .praise:is(.dots, .line) { stroke: #5bb8f5 }
.dots { fill: none }
}</style>"""


def read(name):
    """Return what a data file of the pages' playthings holds."""
    return json.loads((DATA / f"{name}.js").read_text("utf-8").split(" = ", 1)[1].removesuffix(";\n"))


def numbers(packed) -> np.ndarray:
    """Return packed numbers."""
    low, high = np.frombuffer(base64.b64decode(packed["bytes"]), np.uint8).reshape(2, -1)
    return packed["step"] * (low + 256 * high.astype(int)).astype(np.int16)


def cloud(horns, kind, step) -> tuple[np.ndarray, np.ndarray]:
    """Return values and scores of the cloud's words at a step."""
    at = horns[kind]["steps"].index(step)
    return tuple(numbers(horns[kind][each][at]) for each in ("values", "scores"))


def place(values, scores, near=1, centre=(0.0, -0.14)):
    """Return where words are drawn, in pixels."""
    ends = FRAME if near == 1 else [[c + (end - np.mean(of)) / near for end in of] for c, of in zip(centre, FRAME)]
    (left, right), (low, high) = ends
    x = LEFT + (np.asarray(values) - left) / (right - left) * (WIDTH - LEFT - RIGHT)
    return x, HEIGHT - BOTTOM - (np.asarray(scores) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)


def dots(x, y, side, kind="") -> str:
    """Draw points, in the colour of their side: a path of lines of no length, each with round ends."""
    drawn = ""
    for name, which in (("blame", side < 0), ("praise", side >= 0)):
        path = "".join(f"M{a:.0f} {b:.0f}h0" for a, b in zip(x[which], y[which]))
        drawn += f'<path class="dots {name} {kind}" d="{path}"/>'
    return drawn


def text(x, y, what, kind="", anchor="start") -> str:
    """Write a word."""
    return f'<text x="{x:.0f}" y="{y:.0f}" class="{kind}" text-anchor="{anchor}">{escape(what)}</text>'


def name(x, y, what, side) -> str:
    """Write a word beside its ringed point: to the left or the right, above or below."""
    across = -10 if "l" in side else 10 if "r" in side else 0
    down = 19 if "b" in side else -11 if "t" in side else 5
    anchor = {-10: "end", 10: "start", 0: "middle"}[across]
    return f'<circle class="ring" cx="{x:.0f}" cy="{y:.0f}" r="5"/>' + text(x + across, y + down, what, anchor=anchor)


def axes(x=None) -> str:
    """Draw the line between the sides, and say what the directions mean."""
    x = place(0, 0)[0] if x is None else x
    return (
        f'<path class="rule" d="M{x:.0f} {TOP}V{HEIGHT - BOTTOM}"/>'
        + text(x + 8, TOP - 8, "↑ gets attention", "quiet")
        + text(x - 8, HEIGHT - BOTTOM - 4, "↓ ignored", "quiet", "end")
        + text(4, HEIGHT - 14, "← speaks for blame", "blame")
        + text(WIDTH - 4, HEIGHT - 14, "speaks for praise →", "praise", "end")
    )


def picture(*parts) -> str:
    """Return an SVG."""
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
    return "\n".join([opening, STYLE, *parts, "</svg>\n"])


def whole_cloud(horns, kind="true", step=20, near=1, faint="") -> str:
    """Draw all words at a step."""
    values, scores = cloud(horns, kind, step)
    return dots(*place(values, scores, near), values, faint)


def named(horns, words, kind="true", step=20, near=1) -> str:
    """Write words beside their points."""
    values, scores = cloud(horns, kind, step)
    spots = dict(zip(horns["words"], zip(*place(values, scores, near))))
    return "".join(name(*spots[word], word, side) for word, side in words.items())


def reading(sentence, stopped, vocabulary) -> dict:
    """Return attention, value and score of every known word of a sentence, that of the most attention first."""
    values, scores = (numbers(stopped[kind]) for kind in ("values", "scores"))
    tokens = [vocabulary.index(word) for word in re.findall(r"\w+", sentence.lower()) if word in vocabulary]
    weights = np.exp(scores[tokens] - scores[tokens].max())
    shares = dict.fromkeys(tokens, 0.0)
    for token, weight in zip(tokens, weights / weights.sum()):
        shares[token] += weight
    order = sorted(shares, key=lambda token: -shares[token])
    return {vocabulary[token]: (shares[token], values[token], scores[token]) for token in order}


def discs(read) -> str:
    """Draw the words of a sentence as discs, the area their attention, with names beside the three of most."""
    drawn = ""
    for rank, (word, (share, value, score)) in enumerate(read.items()):
        x, y = place(value, score)
        radius, side = DISC * share**0.5, "blame" if value < 0 else "praise"
        drawn += f'<circle class="disc {side}" cx="{x:.0f}" cy="{y:.0f}" r="{max(3, radius):.1f}"/>'
        if rank < 3:
            way = 1 if value < 0 else -1  # into the V
            drawn += text(x + way * (radius + 8), y + 5, f"{word} {share:.0%}", anchor="start" if way > 0 else "end")
    return drawn


def large_sentence(read, sentence=SENTENCE, most=24) -> str:
    """Write a sentence large, its two words of most attention underlined, as thick as their attention."""
    loud, line, at, drawn = list(read)[:2], 0, 30, ""
    for word in f"“{sentence}”".split():
        long = 19.5 * len(word)
        if at + long > WIDTH:
            line, at = line + 1, 30
        y, plain = 220 + 74 * line, word.strip("“”.,").lower()
        if plain in loud:
            share, value, _ = read[plain]
            side, thick = "blame" if value < 0 else "praise", max(3, most * share)
            path = f"M{at} {y + 10 + thick / 2:.0f}h{long - 12:.0f}"
            drawn += f'<path class="line {side}" fill="none" stroke-width="{thick:.0f}" d="{path}"/>'
        drawn += f'<text class="large" x="{at}" y="{y}" textLength="{long - 12:.0f}">{escape(word)}</text>'
        at += long
    return drawn


def tips(horns, kind, step=20, each=1) -> dict:
    """Return the words of the highest score on either side."""
    values, scores = cloud(horns, kind, step)
    order = np.argsort(-scores)
    found = [[word for word in order if (values[word] < 0) == left][:each] for left in (True, False)]
    return {horns["words"][word]: side for words, side in zip(found, "tt") for word in words}


def stills() -> list[str]:
    """Return the eight pictures, in the order of the scenes."""
    horns, stopped, vocabulary = read("horns_data"), read("stopped"), read("words")
    sentence = reading(SENTENCE, stopped, vocabulary)
    scale = text(4, TOP - 8, f"{NEAR} times closer", "quiet")
    faint = whole_cloud(horns, faint="faint")
    shuffled = text(4, TOP - 8, "shuffled labels", "quiet")
    sunk = {"worst": "br", "excellent": "bl"}
    return [
        picture(large_sentence(sentence)),
        picture(axes(), whole_cloud(horns, step=0)),
        picture(
            axes(place(0, 0, NEAR)[0]),
            whole_cloud(horns, step=5, near=NEAR),
            named(horns, {"bad": "r", "great": "l", "the": "r"}, step=5, near=NEAR),
            scale,
        ),
        picture(axes(), whole_cloud(horns), named(horns, NAMES)),
        picture(axes(), faint, discs(sentence)),
        picture(axes(), faint, discs(reading(NOT_BAD, stopped, vocabulary))),
        picture(axes(), whole_cloud(horns, "shuffled"), named(horns, tips(horns, "shuffled") | sunk, "shuffled"), shuffled),
        picture(axes(), whole_cloud(horns), named(horns, {word: NAMES[word] for word in ("worst", "the", "excellent")})),
    ]


def draw_card(path: Path) -> None:
    """Draw the card: the cloud after training, three words, the title, no numbers."""
    horns = read("horns_data")
    values, scores = cloud(horns, "true", 20)
    with plt.rc_context({"font.family": "sans-serif"}):
        figure = plt.figure(figsize=(12, 6.3), dpi=100, facecolor="white")
        ax = figure.add_axes((0.04, 0.04, 0.92, 0.76))
        colours = np.where(values < 0, "#b34a00", "#0072b2")
        ax.scatter(values, scores, s=42, color=colours, alpha=0.55, linewidths=0)
        spots = dict(zip(horns["words"], zip(values, scores)))
        for word, (across, align) in {"worst": (14, "left"), "the": (16, "left"), "excellent": (-16, "right")}.items():
            ax.annotate(word, spots[word], (across, -8), textcoords="offset points", fontsize=22, weight="bold", ha=align)
        ax.set(xlim=FRAME[0], ylim=(FRAME[1][0] - 0.1, FRAME[1][1]))
        ax.axis("off")
        figure.text(0.5, 0.885, TITLE, fontsize=33, weight="bold", ha="center", family="serif", color="#1d2433")
        figure.savefig(path, dpi=100, metadata={"Software": None})
        plt.close(figure)


def main(pictures: Path = PICTURES, card: Path = CARD):
    """Write the pictures and the card."""
    pictures.mkdir(parents=True, exist_ok=True)
    for number, drawn in enumerate(stills()):
        (pictures / f"scene_{number}.svg").write_text(drawn, "utf-8")
    draw_card(card)


if __name__ == "__main__":
    main()
