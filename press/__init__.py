"""What turns chapters into pages. Only ``press.mkdocs_hook`` knows MkDocs, only ``press.making.convert``
mkdocs-jupyter."""
