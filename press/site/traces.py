"""Writes where a chapter takes a reader's trace: the form, and what the recorded traces say, complete without scripts.

A link alone on its line titled ``collected: traces`` stands for it. ``docs/javascripts/traces.js`` reads the files that
a reader drops, has the same Python analyse them in the page's worker, and puts its answers into the parts written here.
"""

from __future__ import annotations

import json
from html import escape

MODULE = "snippets.synthesis.profiling.trace_view"  # what the page's worker calls
SUBJECT = "pages/traces"
RECORDED = "snippets/synthesis/profiling/recorded"
MOST_MEGABYTES = 64  # of JSON, all files together
PARTS = ("summary", "step", "kernels", "steps", "ranks", "unread")


def traces_html() -> bytes:
    """Return the form, and the answer with which the page opens."""
    from snippets.synthesis.profiling.trace_view import MOST_FILES, trace_view

    answer = json.loads(trace_view("{}"))
    parts = "".join(f'<div data-part="{name}">{answer["parts"][name]}</div>' for name in PARTS)
    return (
        f'<div class="traces" data-subject="{SUBJECT}" data-module="{MODULE}" data-megabytes="{MOST_MEGABYTES}">'
        f"{_form(answer['steps'], answer['ranks'], answer['shown'], MOST_FILES)}"
        f'<div class="traces-answer">{parts}</div></div>'
    ).encode()


def _form(steps: list[str], ranks: list[str], shown: dict[str, str], most_files: int) -> str:
    from snippets.hardware import ACCELERATORS, wide_peak_flops_per_s

    peaks = {name: f"{name}, {wide_peak_flops_per_s(name) / 1e12:.0f} TFLOP/s" for name in ACCELERATORS if _has(name)}
    return (
        '<form class="traces-form" aria-label="A trace of your own">'
        '<div class="traces-drop"><p><label for="traces-file"><strong>Drop a trace of your own</strong>, or choose it:'
        '</label> <input type="file" id="traces-file" multiple'
        ' aria-describedby="traces-about traces-file-error"></p>'
        '<p id="traces-about"><small>What <code>export_chrome_trace</code> of <code>torch.profiler</code> writes, as'
        f" <code>.json</code> or <code>.json.gz</code>. One trace, or one of each rank, up to {most_files}, and at most"
        f" {MOST_MEGABYTES} MB of JSON in all. It is read in this page and sent nowhere: the page's security policy"
        " lets it send nothing to another site.</small></p>"
        '<p class="traces-error" id="traces-file-error"></p></div>'
        '<p class="traces-fields">'
        f"{_select('rank', 'Rank', dict(zip(map(str, range(len(ranks))), ranks, strict=True)), shown['rank'])}"
        f"{_select('step', 'Step', dict(zip(map(str, range(len(steps))), steps, strict=True)), shown['step'])}</p>"
        '<p class="traces-fields">'
        f"{_select('device', 'A GPU’s 16-bit peak', {'': 'not asked', **peaks}, '')}"
        f"{_text('parameters', 'Parameters of the model', '8.03B')}"
        f"{_text('tokens', 'Tokens of a step, by GPU', '8192')}</p>"
        "<p><small>With these three, 6 FLOPs for each parameter and token say what the step reaches of the peak. Tokens"
        " by GPU are all tokens of a step over all GPUs.</small></p>"
        '<p class="traces-note" role="status"></p></form>'
    )


def _has(name: str) -> bool:
    from snippets.hardware import wide_peak_flops_per_s

    try:
        wide_peak_flops_per_s(name)
    except ValueError:
        return False
    return True


def _select(name: str, label: str, options: dict[str, str], chosen: str) -> str:
    written = "".join(
        f'<option value="{escape(value)}"{" selected" * (value == chosen)}>{escape(said)}</option>'
        for value, said in options.items()
    )
    return _field(name, label, f'<select id="traces-{name}" name="{name}">{written}</select>')


def _text(name: str, label: str, hint: str) -> str:
    control = f'<input type="text" id="traces-{name}" name="{name}" placeholder="{hint}" autocomplete="off">'
    return _field(name, label, control)


def _field(name: str, label: str, control: str) -> str:
    return (
        f'<span class="traces-field"><label for="traces-{name}">{label}</label>{control}'
        f'<span class="traces-error" id="traces-{name}-error"></span></span>'
    )
