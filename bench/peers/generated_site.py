"""A generated site: interlinked pages of prose-like text with Zipf-distributed words.

A page has the parts of a usual one: head, navigation, headings, paragraphs with some emphasis, code and links in the text, a
list now and then, a footer. The same arguments always make the same bytes.
"""
import itertools
import os
import random

VOCABULARY = 30_000
LINKS = 20
ONSETS = ["b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "br", "ch", "st", "tr"]
VOWELS = ["a", "e", "i", "o", "u"]
CODAS = ["", "", "", "", "n", "r", "s", "t", "l", "nd"]


def vocabulary(rng):
    """Words that can be spoken; the frequent ones are short, as in natural languages."""
    words, known = [], set()
    while len(words) < VOCABULARY:
        syllables = 1 if len(words) < 200 else rng.choice((1, 2, 2, 3)) if len(words) < 3000 else rng.choice((2, 3, 3))
        word = "".join(rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS) for _ in range(syllables))
        if word not in known:
            known.add(word)
            words.append(word)
    return words


class Prose:
    def __init__(self, rng):
        self.rng = rng
        self.words = vocabulary(rng)
        self.weights = list(itertools.accumulate(1.0 / rank for rank in range(1, VOCABULARY + 1)))

    def draw(self, count):
        return self.rng.choices(self.words, cum_weights=self.weights, k=count)

    def sentence(self, link):
        words = self.draw(self.rng.randint(6, 22))
        place, kind = self.rng.randrange(len(words)), self.rng.random()
        if kind < 0.08:
            words[place] = f'<a href="{link()}">{words[place]}</a>'
        elif kind < 0.16:
            words[place] = f"<em>{words[place]}</em>"
        elif kind < 0.22:
            words[place] = f'<code class="name">{words[place]}()</code>'
        words[len(words) // 2] += "," if len(words) > 12 else ""
        text = " ".join(words) + "."
        return text if text.startswith("<") else text[0].upper() + text[1:]

    def paragraph(self, link):
        return " ".join(self.sentence(link) for _ in range(self.rng.randint(3, 8)))


def page(number, pages, prose):
    rng = prose.rng
    size = rng.randint(10_000, 30_000)
    link = lambda: f"/p{rng.randrange(pages)}.html"
    title = " ".join(prose.draw(4)).capitalize()
    links = [f"/p{(number + 1) % pages}.html"] + [link() for _ in range(LINKS - 1)]
    entries = "\n".join(f'<li class="toctree-l1"><a class="reference internal" href="{to}">{" ".join(prose.draw(3))}</a></li>' for to in links)
    parts = [
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta name="description" content="{" ".join(prose.draw(15))}">\n<link rel="stylesheet" href="/style.css">\n</head>\n<body>\n'
        f'<nav class="menu" aria-label="main">\n<ul>\n{entries}\n</ul>\n</nav>\n<main>\n<article>\n<h1>{title}</h1>\n'
    ]
    length = len(parts[0])
    while length < size - 200:
        kind = rng.random()
        if kind < 0.15:
            part = f'<h2 id="s{len(parts)}">{" ".join(prose.draw(4)).capitalize()}</h2>\n'
        elif kind < 0.25:
            part = "<ul>\n" + "".join(f"<li>{prose.sentence(link)}</li>\n" for _ in range(4)) + "</ul>\n"
        else:
            part = f'<p class="text">{prose.paragraph(link)}</p>\n'
        parts.append(part)
        length += len(part)
    parts.append(f'</article>\n</main>\n<footer class="footer"><p>Page {number} of {pages}. <a href="/index.html">Start</a></p></footer>\n</body>\n</html>\n')
    return "".join(parts)


def write(folder, pages, seed=1):
    """Writes the site, unless it is there."""
    done = os.path.join(folder, ".complete")
    if os.path.exists(done):
        return
    os.makedirs(folder, exist_ok=True)
    prose = Prose(random.Random(seed))
    for number in range(pages):
        with open(os.path.join(folder, f"p{number}.html"), "w") as file:
            file.write(page(number, pages, prose))
    with open(os.path.join(folder, "index.html"), "w") as file:
        file.write('<!DOCTYPE html>\n<html lang="en"><head><title>Start</title></head><body><p><a href="/p0.html">Begin here</a></p></body></html>\n')
    with open(done, "w"):
        pass
