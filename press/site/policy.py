"""The content security policy of a page: what may run in it, and where it may send anything: to its own site alone.

It stands in the page (``<meta http-equiv>``), so it holds wherever the site is put. The workers that run Python are
started from a blob and so inherit it. No other script comes from a blob, but where the runtime comes from another host:
then its scripts are fetched, checked against their hashes and imported from memory.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterable
from hashlib import sha256

_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_SCOPE = re.compile(r'new URL\("[^"]*",location\)')  # where Material names the site's root
_HEAD = re.compile(r"<head>\s*<meta charset=\"?utf-8\"?>", re.IGNORECASE)


class UnknownScript(ValueError):
    """A page has a script in it that none of the theme's templates has."""


def scripts_of(templates: Iterable[str]) -> frozenset[str]:
    """Return the scripts that stand in the theme's templates, without the site's root, which each page names anew."""
    return frozenset(_rooted(text, "") for template in templates for text in _INLINE.findall(template))


def _rooted(script: str, base: str) -> str:
    return _SCOPE.sub(lambda _: f'new URL("{base}",location)', script)


def with_policy(page: str, *, scripts: Collection[str], bases: Iterable[str], host: str, serving: bool) -> str:
    """Return a page with its policy, which allows the theme's own scripts and nothing that a text has brought.

    Args:
        page: the finished HTML.
        scripts: the theme's own, as ``scripts_of`` returns them.
        bases: the ways in which pages name the site's root (``.``, ``..``, …). Material writes it into an inline
            script, and instant navigation keeps the policy of the page that was opened first, so all are allowed.
        host: where the runtime comes from, ``""`` for the site itself.
        serving: whether MkDocs will add its own inline script, which reloads the page.

    Raises:
        UnknownScript: the page has a script that is not the theme's.
    """
    inline = {_rooted(text, "") for text in _INLINE.findall(page)}
    if unknown := inline.difference(scripts):
        raise UnknownScript(f"a page has a script that no template of the theme has: {min(unknown)[:60]!r}")
    texts = {_rooted(text, base) for text in inline for base in bases}
    hashes = " ".join(sorted(f"'sha256-{_digest(text)}'" for text in texts))
    scripts = "'unsafe-inline'" if serving else hashes
    rules = [
        "default-src 'self'",
        f"script-src 'self' {'blob: ' if host else ''}'wasm-unsafe-eval' {scripts}",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self' data:",
        f"connect-src 'self' {host}".strip(),
        "worker-src 'self' blob:",
        "object-src 'none'",
        "frame-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types default book",
    ]
    meta = f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(rules)}">'
    return _HEAD.sub(lambda head: head[0] + meta, page, count=1)


def deck_policy(*, host: str, inline: str, serving: bool) -> str:
    """Return the policy of a deck of slides, as an element: it frames pages of its own site, and sends nothing.

    Args:
        host: where what shows it comes from, ``""`` for the site itself.
        inline: the hash of the script with which reveal.js writes the speaker's window.
        serving: whether MkDocs will add its own inline script, which reloads the page.
    """
    rules = [
        "default-src 'none'",
        f"script-src 'self' {host} ".replace("  ", " ") + ("'unsafe-inline'" if serving else f"'{inline}'"),
        f"style-src 'self' 'unsafe-inline' {host}".strip(),
        "img-src 'self' data:",
        "font-src 'self' data:",
        "frame-src 'self'",
        *(["connect-src 'self'"] if serving else []),
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(rules)}">'


def _digest(text: str) -> str:
    return base64.b64encode(sha256(text.encode()).digest()).decode()
