"""Which HTML may stand in a page's text, in a figure and in what a cell shows: what is not listed here is refused.

Nothing listed runs a script, changes what the whole page is, or loads anything but a file of the site, which ``links``
looks for, and pieces of the page itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from press.reading.links import scheme


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HTML = _names(
    "a abbr aside audio b bdi bdo blockquote br button caption cite code col colgroup datalist dd del details dfn"
    " div dl dt em fieldset figcaption figure form h1 h2 h3 h4 h5 h6 hr i img input ins kbd label legend li mark"
    " meter nav ol optgroup option output p picture pre progress q rp rt ruby s samp section select small source"
    " span strong sub summary sup table tbody td textarea tfoot th thead time tr track tt u ul var video wbr"
)
_MATHML = _names(
    "annotation math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms"
    " mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics"
)
_SVG = _names(
    "circle clippath defs desc ellipse g line lineargradient marker mask path pattern polygon polyline"
    " radialgradient rect stop style svg symbol text textpath title tspan use"
)
_TAGS = _HTML | _MATHML | _SVG
_NAMESPACES = _names("xmlns xmlns:xlink xml:lang xml:space version")
_ANYWHERE = _names("class dir hidden id lang role tabindex title translate")
_OF_HTML = _names(
    "abbr align alt autocomplete bgcolor border cellpadding cellspacing checked cols colspan controls datetime"
    " decoding default disabled download for headers height high hreflang inputmode kind label loading loop low"
    " markdown max maxlength media min minlength multiple muted name open optimum pattern placeholder preload"
    " readonly rel required reversed rows rowspan scope selected size span spellcheck srclang start step target type"
    " valign value width wrap"
)
_OF_MATHML = _names(
    "accent accentunder alttext arg columnalign columnlines columnspacing columnspan depth display displaystyle"
    " encoding fence form frame intent largeop linethickness lspace mathbackground mathcolor mathsize mathvariant"
    " maxsize minsize movablelimits notation rowalign rowlines rowspacing rspace scriptlevel separator separators"
    " stretchy symmetric voffset"
)
_OF_SVG = _names(
    "alignment-baseline baseline-shift clip-rule clippathunits cx cy d dominant-baseline dx dy fill-opacity"
    " fill-rule font-family font-size font-style font-variant font-weight fx fy gradienttransform gradientunits"
    " lengthadjust letter-spacing markerheight markerunits markerwidth maskcontentunits maskunits offset opacity"
    " orient overflow paint-order pathlength patterncontentunits patterntransform patternunits pointer-events points"
    " preserveaspectratio r refx refy rotate rx ry shape-rendering spreadmethod startoffset stop-opacity"
    " stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity"
    " stroke-width text-anchor text-rendering textlength transform vector-effect viewbox visibility writing-mode x"
    " x1 x2 y y1 y2"
)
# What a browser reads as CSS, where a colour may be the address of one.
_CSS = _names("clip-path color fill filter marker-end marker-mid marker-start mask stop-color stroke style")
_ATTRIBUTES = _NAMESPACES | _ANYWHERE | _OF_HTML | _OF_MATHML | _OF_SVG | _CSS
_ADDRESSES = {  # the tags that may have them; ``links`` leads them to files of the site and looks whether these exist
    "href": _names("a"),
    "src": _names("audio img source track video"),
    "poster": _names("video"),
}
_PIECES = _names("lineargradient pattern radialgradient textpath use")  # of which href names a piece of the page
# All functions of CSS that give a colour, a number or a shape; what loads is url() and the like.
_FUNCTIONS = _names(
    "abs attr calc circle clamp color color-mix conic-gradient cubic-bezier ellipse fit-content hsl hsla hwb inset"
    " lab lch light-dark linear-gradient matrix matrix3d max min minmax oklab oklch path perspective polygon"
    " radial-gradient repeat rgb rgba rotate rotatex rotatey rotatez round scale scalex scaley skew skewx skewy"
    " steps translate translate3d translatex translatey var"
)
_CALL = re.compile(r"([\w-]*)\(\s*(['\"]?#)?")


def refusals(tag: str, attributes: Sequence[tuple[str, str | None]]) -> Iterator[tuple[str, str]]:
    """Say why a tag may not stand in a page, once for each reason.

    Args:
        tag: its name, in small letters.
        attributes: their names, in small letters, and values.

    Yields:
        A piece of the page's text, by which its place is found (``""`` for the tag's own), and a sentence.
    """
    if tag not in _TAGS:
        yield "", f"a page may not have the tag <{tag}> in its text"
    for name, given in attributes:
        value = given or ""
        if name.startswith("on"):
            yield value or name, f"a page may not have scripts in its text, got {name}={given!r}"
        elif ":" in value and scheme(value) in ("javascript", "vbscript"):
            yield value, f"a link may not be a script, got {value[:60]!r}"
        elif tag in _TAGS:
            yield from ((value or name, message) for message in _attribute(tag, name, value))


def _attribute(tag: str, name: str, value: str) -> Iterator[str]:
    if name in ("href", "xlink:href") and tag in _PIECES:
        if not value.startswith("#"):
            yield f"a <{tag}> may name a piece of the page alone, as #id, got {value[:60]!r}"
    elif tag in _ADDRESSES.get(name, ()):
        if name != "href" and scheme(value) not in (None, "data"):
            yield f"a page may load nothing from another site, got {value[:60]}"
    elif name in _CSS:
        yield from style_refusals(value)
    elif name not in _ATTRIBUTES and not name.startswith(("aria-", "data-")):
        yield f"a <{tag}> may not have the attribute {name} in a page's text"


def style_refusals(css: str) -> Iterator[str]:
    """Say why CSS may not stand in a page: it would load something, or could hide that it does.

    >>> list(style_refusals("fill: url(#dots); width: calc(1em + 2px)"))
    []
    >>> list(style_refusals("background: url(a.png)"))
    ['a style may load nothing and call no url(…), got background: url(a.png)']
    """
    for called, piece in _CALL.findall(css):
        name = called.lower()
        if name and name not in _FUNCTIONS and not (name == "url" and piece):
            yield f"a style may load nothing and call no {name}(…), got {css[:60]}"
            return
    if "\\" in css or "@" in css:
        yield f"a style may have neither a backslash nor an @ rule, got {css[:60]}"
