"""The book's own addresses: where its repository is, which state of it is built, where the site will be.

They come from the environment, so that no file of the book names a place that may be somebody else's. Without them a
page links to no source, and a notebook installs from nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

REPOSITORY = "BOOK_REPOSITORY"
REVISION = "BOOK_REVISION"
SITE = "BOOK_SITE"
DOWNLOADS = "BOOK_DOWNLOADS"  # "1": the pages offer the editions that `python -m press.edition SITE --into-site` makes

BRANCH = "main"  # which an edit goes to
PACKAGE = "many-machines-one-gradient"  # what pip calls the book
DOWNLOADS_FOLDER = "downloads"  # of the site: where the whole book lies
ERROR_FORM = "error-on-a-page.yml"  # of .github/ISSUE_TEMPLATE; its fields' ids are filled in by name
NOTEBOOKS = "notebooks"  # the branch with the executed notebooks: Colab opens what a repository on GitHub holds

_REPOSITORY = re.compile(
    r"https://github\.com/(?P<owner>[A-Za-z0-9][A-Za-z0-9-]*)/(?P<name>(?!\.)(?!.*\.git$)[\w.-]+)", re.ASCII
)
_REVISION = re.compile(r"(?!.*(\.\.|//))\w([\w./-]*[\w-])?", re.ASCII)
_SITE = re.compile(r"https://[a-z0-9][a-z0-9.-]*(:\d+)?/((?!\.)[\w.~-]+/)*", re.ASCII | re.IGNORECASE)
_CREDENTIALS = re.compile(r"//[^/]*@")


@dataclass(frozen=True)
class Addresses:
    """Where the book is; ``repository`` and ``site`` are empty if nobody has said so."""

    repository: str = ""
    revision: str = BRANCH
    site: str = ""
    downloads: bool = False

    @property
    def source_url(self) -> str:
        """What a file's path is put behind, to read it as it was when the page was built."""
        return f"{self.repository}/blob/{self.revision}/" if self.repository else ""

    def edit_url(self, path: str) -> str | None:
        """Return where a file of the repository is edited."""
        return f"{self.repository}/edit/{BRANCH}/{path}" if self.repository else None

    @property
    def tree_url(self) -> str:
        """Where the repository is read as it was when the pages were built."""
        return f"{self.repository}/tree/{self.revision}" if self.repository else ""

    def report_url(self, title: str, where: str, version: str) -> str:
        """Return where an error on a page is reported: the repository's form, with the page filled in.

        >>> Addresses("https://github.com/OWNER/NAME").report_url("22 · ZeRO", "memory/22-zero/", "1.0.0")
        'https://github.com/OWNER/NAME/issues/new?template=error-on-a-page.yml&title=22+%C2%B7+ZeRO%3A+&where=memory%2F22-zero%2F&version=1.0.0+%28main%29'
        """
        if not self.repository:
            return ""
        which = f"{version} ({self.revision})".lstrip()
        asked = {"template": ERROR_FORM, "title": f"{title}: ", "where": where, "version": which}
        return f"{self.repository}/issues/new?{urlencode(asked)}"

    def colab_url(self, notebook: str) -> str | None:
        """Return where Colab opens a notebook, given by its path on the site."""
        if not self.repository:
            return None
        repository = self.repository.removeprefix("https://github.com/")
        return f"https://colab.research.google.com/github/{repository}/blob/{NOTEBOOKS}/{notebook}"

    @property
    def requirement(self) -> str:
        """What pip installs the book from, with all that its repository has: into a folder named ``PACKAGE``."""
        return f"git+{self.repository}@{self.revision}#egg={PACKAGE}" if self.repository else ""


def addresses(environment: Mapping[str, str]) -> Addresses:
    """Return the addresses that the environment gives; an empty variable counts as none.

    >>> addresses({"BOOK_REPOSITORY": "https://github.com/OWNER/NAME"}).site
    'https://owner.github.io/NAME/'
    >>> addresses({})
    Addresses(repository='', revision='main', site='', downloads=False)
    """
    repository = _checked(environment, REPOSITORY, _REPOSITORY, "https://github.com/OWNER/NAME and nothing behind it")
    revision = _checked(environment, REVISION, _REVISION, "a tag, a commit or a branch of letters, digits and ._-/")
    site = _checked(environment, SITE, _SITE, "https://HOST/ or https://HOST/PATH/, with the slash at its end")
    if revision and not repository:
        raise ValueError(f"{REVISION} is {revision!r}, but {REPOSITORY} does not say of which repository")
    downloads = _checked(environment, DOWNLOADS, re.compile("[01]"), "1, or 0 or unset where there are no downloads")
    return Addresses(repository, revision or BRANCH, site or _pages(repository), downloads == "1")


def download_name(title: str) -> str:
    """Return what the files of the whole book are called, without their endings.

    >>> download_name("Many Machines, One Gradient")
    'many-machines-one-gradient'
    """
    return "-".join(re.findall(r"[a-z0-9]+", title.lower())) or "book"


def _checked(environment: Mapping[str, str], name: str, pattern: re.Pattern[str], allowed: str) -> str:
    value = environment.get(name, "")
    if value and not pattern.fullmatch(value):
        raise ValueError(f"{name} must be {allowed}, got {_CREDENTIALS.sub('//…@', value)!r}")
    return value


def _pages(repository: str) -> str:
    """Return where GitHub Pages puts the site of a repository."""
    match = _REPOSITORY.fullmatch(repository)
    if not match:
        return ""
    host = f"{match['owner'].lower()}.github.io"
    return f"https://{host}/" if match["name"].lower() == host else f"https://{host}/{match['name']}/"
