"""A small built site with everything that an edition changes, written by hand so that no build is needed."""

from __future__ import annotations

import json
from pathlib import Path

HEAD = (
    '<!doctype html><html lang="en"><head><meta property="og:site_name" content="A Small Book">'
    '<meta property="og:description" content="What it is about."><meta name="author" content="Its authors">'
    "<script>1</script></head><body><nav>navigation</nav><article>"
)
FOOT = '</article><footer><div class="md-copyright__highlight">Text CC BY-SA 4.0</div></footer></body></html>'
CODE = '<div class="highlight"><pre><span></span><code><span class="k">return</span> 1 &lt; 2</code></pre></div>'
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 40" width="80" height="40" class="panel">'
    "<style>.b{fill:var(--rank-0, #6b89f9)}</style><linearGradient></linearGradient>"
    '<rect x="1" y="1" width="9" height="9" class="b"/></svg>'
)
EQUATION = (
    '<div class="math-display"><math display="block"><mtable displaystyle="true" scriptlevel="0"><mtr><mtd>'
    '<mfrac displaystyle="true"><mi>n</mi><mi>β</mi></mfrac></mtd><mtd id="eq:{name}"><mtext>(1)</mtext></mtd></mtr>'
    "</mtable></math></div>"
)
LIVE = (
    '<div class="cell"><figure class="book-figure live" id="figure-2" data-name="stepper"><div class="live-status">'
    '<p class="live-notice">Links are alike. Press Play.</p><p class="live-numbers">Four ranks take 6 steps.</p>'
    '<p class="live-note" role="status"></p></div><form class="knobs"><span class="knob"><label for="k">Ranks R<sub>1'
    '</sub></label><input type="text" name="ranks" value="4"><input type="range" id="k" data-knob="ranks"></span>'
    '<label class="knob">Kind<select name="kind"><option>ring</option><option selected>tree</option></select></label>'
    '<label class="knob switch" hidden><input type="checkbox" name="whole" checked>Whole</label>'
    '<button type="button" data-settings="{}" data-notice="Links are alike. Press Play." aria-pressed="true">'
    'The question</button><button type="button" data-settings=\'{"ranks": "8"}\' data-notice=\'Twice as many.\'>'
    'Eight</button><button type="button" data-settings="{}" data-notice="Only two.">A pair</button></form>'
    f'<div class="panels" role="img" aria-label="A ring of four">{DRAWING}</div>'
    '<p class="live-tools"><a class="live-link" href="#figure-2">Link to this setting</a></p>'
    "<figcaption><strong>Figure 2, live.</strong> A square is a rank<em>.</em> Step it. Then raise <em>R</em>: who "
    "waits? Grey ones wait.</figcaption></figure></div>"
)
CHAPTER = f"""
<div class="chapter-tools"><a href="01-one.ipynb" download>Download the notebook</a></div>
<p hidden data-pagefind-meta="also">total, Ampère</p>
<h1 id="1-one">1 · One<a class="headerlink" href="#1-one">#</a></h1>
<p>A <a class="term" title="A process." href="../../glossary/#rank">rank</a>, as
<a class="source" href="../../references/#kaplan-2020">Kaplan 2020</a> says; see
<a href="../02-two/#the-question">two</a>, <a href="../02-two/">all of it</a>,
<a href="../../reference/sums/#total">total</a>, <a href="https://example.org/a?b=1&amp;c=2">a paper</a>,
<a href="https://example.org/a?b=1&amp;c=2">again</a> and <a href="01-one.ipynb">the notebook</a>.</p>
<h2 id="the-question">The question<a class="headerlink" href="#the-question">#</a></h2>
<div class="cell"><div class="jp-OutputArea jp-Cell-outputArea"><div class="jp-OutputArea-child">
<div class="guess" data-unit="s"><label>How long does it take? <span><input type="text" name="guess"> s</span></label>
<p role="status"></p></div></div></div></div>
{EQUATION.format(name="one-time")}
<p>By <a href="#eq:one-time">(1)</a>.</p>
<div class="cell">{CODE}<div class="jp-OutputArea"><div class="jp-OutputArea-child">
<div class="jp-RenderedText jp-OutputArea-output" data-mime-type="text/plain"><pre>printed</pre></div></div></div></div>
<div class="cell"><details class="cell-check"><summary>✓ checked: <em>all</em> of it</summary>{CODE}</details></div>
<div class="cell"><table><tr><td>1</td></tr></table><details class="cell-source"><summary>Code of this cell</summary>
{CODE}</details></div>
<figure class="book-figure" id="figure-1"><div class="panels" role="img" aria-label="One block">
<div class="jp-RenderedSVG jp-OutputArea-output"><img class="only-light" src="figure-1-light.svg" alt="One block"
loading="lazy"><img class="only-dark" src="figure-1-dark.svg" alt="One block" loading="lazy"></div></div>
<figcaption><strong>Figure 1.</strong> A block.</figcaption></figure>
<p>See <em>Eight</em> in figure 2.</p>
{LIVE}
<details><summary>Side road · A detour</summary><p onclick="x()" data-secret="1">By the way.</p>
<details><summary>Deeper</summary><p>Further.</p></details></details>
<div class="answer" data-number="3"><table class="answer-rows"><tr class="own-guess"><th scope="row">your guess</th>
<td>none: <a href="#the-question">make one</a></td></tr><tr><th scope="row">computed</th><td>3 s</td></tr></table></div>
<h2 id="check-yourself">Check yourself</h2>
<ol class="quiz" data-right="b"><li>Which?<ul><li>(a) This.</li><li>(b) That.</li></ul></li></ol>
<details><summary>Answers</summary><p><strong>1 (b).</strong> Because.</p></details>
<h2 id="exercises">Exercises</h2>
<div class="exercise-board" data-chapter="a/one"><ul><li><a href="#exercise-ring">ring</a></li></ul></div>
<h3 id="exercise-1-ring">Exercise 1 · Ring</h3>
<p>Write <code>ring()</code>.</p>
<div class="exercise" data-name="ring" id="exercise-ring"><p>Level: easy.</p>
<details class="exercise-stub"><summary>What to write</summary>{CODE}</details>
<div class="exercise-bar"><button type="button">Solve it here</button></div><pre class="exercise-paper"></pre></div>
<details><summary>Hint 1</summary><p>Count. (<a href="#the-question">where to read</a>)</p></details>
<details><summary>Solution</summary>{CODE}<p>From <a href="https://example.org/b">elsewhere</a> and
<a href="#eq:one-time">(1)</a>:</p>{EQUATION.format(name="one-solved")}</details>
<h2 id="where-next">Where next</h2>
<p>What <a href="#eq:one-solved">the solution</a> found, <span class="planned">Chapter 3</span>.</p>
"""
SECOND = """
<h1 id="2-two">2 · Two</h1><h2 id="the-question">The question</h2>
<p>Back to <a href="../01-one/#the-question">one</a>, its <a href="../01-one/#figure-2">figure</a> and
<a href="https://example.org/a?b=1&amp;c=2">the paper</a>.</p>
<div class="guess"><fieldset><legend>Which wins?</legend><label><input type="radio"> ring</label>
<label><input type="radio"> tree</label></fieldset></div>
"""
PAGES = {
    "": """<h1 id="a-small-book">A Small Book</h1><p><img alt="Machines" class="only-light" src="assets/cover.svg">
<img alt="Machines" class="only-dark" src="assets/cover-dark.svg"></p><p>What it is.</p>
<h2 id="three-ways-in">Three ways in</h2><p>Press it.</p>
<h2 id="what-carries-the-book">What carries it</h2><p>Sums.</p>""",
    "foundations/": '<h1 id="part-i">Part I · Foundations</h1><p>See <a href="01-one/">1</a>.</p>',
    "foundations/01-one/": CHAPTER,
    "foundations/02-two/": SECOND,
    "glossary/": """<h1 id="glossary">Glossary</h1><p>Words.</p><h3 id="rank">Rank</h3><p>A process in a
<a href="#group">group</a>.</p><h3 id="group">Group</h3><p>Ranks.</p>""",
    "references/": """<h1 id="references">References</h1><h3 id="kaplan-2020">Kaplan 2020</h3>
<p>Kaplan. <a href="https://example.org/kaplan">example.org</a></p><h3 id="other">Other</h3><p>Not asked for.</p>""",
}
CONTENTS = """
foundations:
  title: Part I · Foundations
  question: How?
  chapters:
    01-one: {title: One, question: How one?, also: "total, how to count, Ampère"}
    02-two: {title: Two, question: How two?}
    03-three: {title: Three, question: How three?}
"""
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" width="9" height="9"><rect width="9" height="9"/></svg>'
)


NEAR = {
    '{"ranks":"8"}': {
        "svgs": [DRAWING, DRAWING.replace('class="panel"', 'class="panel narrow"')],
        "numbers": "Eight ranks take 14 steps.",
        "alt": "A ring of eight",
        "shown": {"ranks": "8", "kind": "tree", "whole": "on"},
        "idle": [],
    }
}


def write_site(root: Path, math_font: bytes = b"font") -> Path:
    """Write the site and what the book's folder has of it, and return the site's folder."""
    files: dict[str, str | bytes] = {f"site/{url}index.html": HEAD + text + FOOT for url, text in PAGES.items()}
    doctype = '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">\n'
    files |= {
        "site/assets/cover.svg": doctype + PICTURE,
        "site/assets/cover.png": b"png",
        "site/assets/math.woff2": math_font,
        "site/foundations/01-one/figure-1-light.svg": PICTURE,
        "site/foundations/01-one/figure-1-dark.svg": PICTURE,
        "site/foundations/01-one/stepper-near.json": json.dumps(NEAR),
        "chapters/contents.yml": CONTENTS,
        "chapters/foundations/01-one.md": "# 1 · One\n",
        "chapters/foundations/02-two.md": "# 2 · Two\n",
    }
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root / "site"
