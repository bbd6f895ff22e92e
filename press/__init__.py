"""What turns chapters into pages. Only ``press.mkdocs_hook`` knows MkDocs and mkdocs-jupyter."""
