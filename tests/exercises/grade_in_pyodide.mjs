// Grades texts with the page's door, in the page's Python: node grade_in_pyodide.mjs PYODIDE ARCHIVE TEXTS RESULTS
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [pyodide, archive, texts, results] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: pyodide });
python.unpackArchive(new Uint8Array(readFileSync(archive)), "zip", { extractDir: "/book" });
python.globals.set("texts", readFileSync(texts, "utf8"));
const graded = python.runPython(`
import json, sys, time

sys.path.insert(0, "/book")
from exercises import in_page

graded = {}
for chapter, exercises in json.loads(texts).items():
    for name, kinds in exercises.items():
        for kind, text in kinds.items():
            beats = []
            begun = time.monotonic()
            told = in_page.grade(chapter, name, text, lambda: beats.append(1))
            seconds = time.monotonic() - begun
            graded[f"{chapter} {name} {kind}"] = {**told, "seconds": seconds, "beats": len(beats)}
json.dumps(graded)
`);
writeFileSync(results, graded);
