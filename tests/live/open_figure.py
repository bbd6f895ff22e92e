"""A live figure of a built page in Chromium, worked by hand."""

from __future__ import annotations

from typing import Any

from browser_fixtures import until

from snippets.live.declaring import LiveFigure
from snippets.live.knobs import Choice, Knob, Number, Switch


def live(page: Any, place: dict[str, str]) -> Any:
    return page.locator(f"#{place['id']}")


def unfold(page: Any, place: dict[str, str]) -> None:
    """Open the folds in which a figure stands."""
    page.evaluate(
        "id => { for (let fold = document.getElementById(id).closest('details'); fold;"
        " fold = fold.parentElement.closest('details')) fold.open = true }",
        place["id"],
    )


def note(page: Any, place: dict[str, str]) -> str:
    return str(live(page, place).locator(".live-note").inner_text())


def turn(page: Any, place: dict[str, str], knob: Knob) -> None:
    """Turn a knob away from where it stands, as a hand does."""
    figure = live(page, place)
    if isinstance(knob, Choice):
        select = figure.locator(f"select[name={knob.name}]")
        select.select_option(next(option for option in knob.options if option != select.input_value()))
    elif isinstance(knob, Switch):
        figure.locator(f"[name={knob.name}]").click()
    else:
        slider = figure.locator(f"[data-knob={knob.name}]")
        slider.focus()
        at_the_end = slider.evaluate("slider => Number(slider.value) >= Number(slider.max)")
        page.keyboard.press("ArrowLeft" if at_the_end else "ArrowRight")


def settled(page: Any, place: dict[str, str], *, rest_ms: float = 350) -> None:
    """Wait until the last setting is drawn, or refused, and stands in the address, and Python runs."""
    page.wait_for_timeout(50)
    until(page, "id => !document.getElementById(id).ariaBusy", place["id"], within_s=60)
    starting = "id => document.querySelector(`#${id} .live-note`).style.getPropertyValue('--share')"
    until(page, f"id => !({starting})(id)", place["id"], within_s=60)
    page.wait_for_timeout(rest_ms)


def first_number(figure: LiveFigure) -> Number:
    return next(knob for knob in figure.knobs if isinstance(knob, Number) and not knob.play)
