"""What a page's text may not load, run or change: all that is not on the list, in whatever way it is written."""

from __future__ import annotations

from typing import Any

import pytest
from made_page import CHAPTER, PAGE, MadePages

from press.reading.checks import Scan

HOST = "https://example.org/x"
ELSEWHERE = [
    f'<img src="a.svg" srcset="{HOST} 2x" alt="x">',
    f'<p style="background:url({HOST})">x</p>',
    f"<style>@import url({HOST});</style>",
    f'<style>@import "{HOST}";</style>',
    f'<svg><use href="{HOST}#a"/></svg>',
    f'<svg><use xlink:href="{HOST}#a"/></svg>',
    f'<form action="{HOST}"><button>x</button></form>',
    # Fresh ones.
    f'<form><button formaction="{HOST}">x</button></form>',
    f'<svg><image href="{HOST}"/></svg>',
    f'<svg><filter id="f"><feImage href="{HOST}"/></filter></svg>',
    f'<svg><rect fill="url({HOST}#a)"/></svg>',
    f'<svg><rect fill="u\\72l({HOST}#a)"/></svg>',
    f'<svg><g filter="url({HOST}#a)"></g></svg>',
    f'<svg><style>rect{{fill:URL("{HOST}")}}</style></svg>',
    f'<svg><style><img src="{HOST}"></style></svg>',
    f'<svg><title><img src="{HOST}" alt="x"></title></svg>',
    f'<svg><foreignObject><img src="{HOST}" alt="x"></foreignObject></svg>',
    f'<svg><a><animate attributeName="href" values="{HOST}"/>x</a></svg>',
    f'<svg><set attributeName="href" to="{HOST}"/></svg>',
    f'<svg><a xlink:href="{HOST}">x</a></svg>',
    f"<p style=\"background:image-set('{HOST}' 1x)\">x</p>",
    f'<p style="background:cross-fade(url({HOST}), red)">x</p>',
    f'<p style="cursor:url({HOST}), auto">x</p>',
    f'<p style="background:u\\72l({HOST})">x</p>',
    f'<ul style="list-style-image:url({HOST})"><li>x</li></ul>',
    f"<p style=\"background:src('{HOST}')\">x</p>",
    f'<table background="{HOST}"><tr><td>x</td></tr></table>',
    f'<video poster="{HOST}"></video>',
    f'<img src={HOST}"y alt="x">',
    f'<img a<b src="{HOST}" alt="x">',
    '<img src="//example.org/x" alt="x">',
    f'<input type="image" src="{HOST}" alt="x">',
    f'<a href="a.svg" ping="{HOST}">x</a>',
    f'<a href="a.svg" attributionsrc="{HOST}">x</a>',
    f'<img src="a.svg" longdesc="{HOST}" alt="x">',
    f'<img src="a.svg" usemap="{HOST}" alt="x">',
    f'<picture><source srcset="{HOST}"></picture>',
    f'<link rel="preload" href="{HOST}" as="image">',
    f'<link rel="stylesheet" href="{HOST}">',
    f'<base href="{HOST}">',
    f'<meta http-equiv="refresh" content="0;url={HOST}">',
    f'<object data="{HOST}"></object>',
    f'<embed src="{HOST}">',
    f'<iframe srcdoc="<img src={HOST}>"></iframe>',
    f'<portal src="{HOST}"></portal>',
    f'<math><mi href="{HOST}">x</mi></math>',
    f'<math><maction actiontype="statusline" href="{HOST}">x</maction></math>',
    f'<p><?xml-stylesheet href="{HOST}"?></p>',
    f'<p><![CDATA[ > <img src="{HOST}" alt="x"> ]]></p>',
    f'<!--> <img src="{HOST}" alt="x"> -->',
    f'<!-- --!> <img src="{HOST}" alt="x"> -->',
    f'<textarea><img src="{HOST}" alt="x"></textarea>',
    f'<noscript><img src="{HOST}" alt="x"></noscript>',
    f'<template><img src="{HOST}" alt="x"></template>',
    f'<x-y src="{HOST}"></x-y>',
    f'<p>x <img src="{HOST}" alt="x"',
    "<p is='x-y' nonce='x' slot='x'>x</p>",
]


@pytest.mark.parametrize("written", ELSEWHERE)
def test_what_is_not_on_the_list_is_refused(written: str) -> None:
    assert Scan(written).findings


@pytest.mark.parametrize("place", ["prose", "output", "panel"])
@pytest.mark.parametrize("written", ELSEWHERE[:7])
def test_it_is_refused_in_prose_in_outputs_and_in_figures(made_pages: MadePages, written: str, place: str) -> None:
    made_pages.write("docs/a.svg", "")
    if place == "prose":
        problems, line = made_pages.problems_of(f"# T\n\n{written}\n"), f"{PAGE}:3: "
    else:
        drawn = f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{written}{" " * 7000}</svg>'
        panel = {"metadata": {"book": {"role": "panel", "alt": "x"}}, "data": {"image/svg+xml": drawn}}
        caption = {"metadata": {"book": {"role": "caption"}}, "data": {"text/markdown": "x"}}
        shown = [panel, caption] if place == "panel" else [{"metadata": {}, "data": {"text/html": written}}]
        outputs: list[dict[str, Any]] = [{"output_type": "display_data", **output} for output in shown]
        made_pages.chapter("Text.", outputs)
        problems, line = made_pages.problems(), f"{CHAPTER}:12: in the {'figure' if place == 'panel' else 'output'}: "
    assert any(problem.startswith(line) for problem in problems), problems


@pytest.mark.parametrize(
    "written",
    [
        '<table border="1" class="dataframe"><tr style="text-align: right;"><th scope="col">x</th></tr></table>',
        '<svg viewBox="0 0 9 9"><linearGradient id="a"><stop offset="0" stop-color="#123"/></linearGradient>'
        '<rect fill="url(#a)" clip-path="url(#b)" transform="rotate(45 1 2)"/><use href="#c" xlink:href="#c"/></svg>',
        "<svg><style>.panel text{fill:var(--ink, #1d2026);stroke:rgb(1 2 3)}</style></svg>",
        "<p style='width: calc(100% - 2em); color: light-dark(#000, #fff)'>x</p>",
        '<a href="https://example.org/" title="x" download>x</a><img src="data:image/png;base64," alt="x">',
        "<!-- a note: <b>old</b> -->",
        "<p>a < b, 3 &lt; 4</p>",
    ],
)
def test_what_a_page_needs_is_allowed(written: str) -> None:
    assert Scan(written).findings == []
