"""Commands: ``python -m snippets``."""

import io
import sys

if __name__ == "__main__":
    try:
        from snippets.command_line import main
    except ModuleNotFoundError as error:
        if error.name != "cyclopts":
            raise
        sys.exit("cyclopts, which reads the options, is not installed: pip install cyclopts")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")  # α and β, also where a pipe on Windows would have another
    sys.exit(main())
