"""The loopback measurement runs with a second process, and the recorded one reads as it was written."""

from __future__ import annotations

import socket
import struct
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from snippets.foundations.alpha_beta.fit import fit_alpha_beta
from snippets.foundations.alpha_beta.loopback import (
    RECORDED,
    SIZES_BYTES,
    Loopback,
    measure_loopback,
    recorded_loopback,
)
from snippets.foundations.alpha_beta.loopback_echo import HEADER, receive_exactly, serve


def test_a_measurement_has_a_time_for_every_message_and_64_megabytes_take_longer_than_a_byte() -> None:
    run = measure_loopback(sizes_bytes=[0, 1, 2**26], messages=9)
    assert run.sizes_bytes == (0, 1, 2**26)
    assert [len(times) for times in run.times_s] == [9, 9, 9]
    assert all(0 < time < 30 for times in run.times_s for time in times)
    assert min(run.times_s[2]) > min(run.times_s[1])  # idle, several hundred times as long
    assert run.machine
    assert len(run.date) == len("2026-11-21")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"sizes_bytes": []}, "sizes_bytes"),
        ({"sizes_bytes": [-1]}, "sizes_bytes"),
        ({"sizes_bytes": [1.5]}, "sizes_bytes"),
        ({"messages": 0}, "messages"),
        ({"timeout_s": 0}, "timeout_s"),
    ],
)
def test_bad_input_is_named(arguments: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        measure_loopback(**arguments)  # type: ignore[arg-type]


def test_the_other_process_returns_what_it_got_and_ends_when_the_sender_hangs_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        echo = threading.Thread(target=serve, args=(server.getsockname()[1],))
        echo.start()
        link, _ = server.accept()
        with link:
            for message in (b"", b"gradient", bytes(range(256)) * 999):
                link.sendall(HEADER.pack(len(message)) + message)
                answer = bytearray(len(message))
                assert receive_exactly(link, answer)
                assert answer == message
            link.sendall(struct.pack("!Q", 10) + b"half")
        echo.join(10)
        assert not echo.is_alive()


def test_a_written_measurement_is_read_back_to_a_tenth_of_a_microsecond(tmp_path: Path) -> None:
    run = Loopback('a "machine", ½', "2026-01-02", (1, 2), ((1.23e-5, 2.34e-5), (0.5, 1e-7)))
    run.write(tmp_path / "run.json")
    assert recorded_loopback(tmp_path / "run.json") == run
    replace(run, times_s=((1.234e-5,), (0.5,))).write(tmp_path / "run.json")
    assert recorded_loopback(tmp_path / "run.json").times_s == ((1.23e-5,), (0.5,))


def test_the_recorded_measurement_is_as_the_file_of_the_book_was_written(tmp_path: Path) -> None:
    run = recorded_loopback()
    assert run.sizes_bytes == SIZES_BYTES
    assert {len(times) for times in run.times_s} == {40}
    run.write(tmp_path / "run.json")
    assert (tmp_path / "run.json").read_bytes() == RECORDED.read_bytes()
    fit = fit_alpha_beta(run.sizes_bytes, run.medians_s)
    assert abs(fit.latency_s - run.medians_s[0]) < 3 * fit.latency_standard_error_s


def test_medians_and_quartiles() -> None:
    run = Loopback("m", "d", (1, 2, 3), ((1.0, 2.0, 3.0, 4.0, 5.0), (7.0,), (1.0, 2.0)))
    assert run.medians_s == (3.0, 7.0, 1.5)
    assert run.spreads_s == (2.0, 0.0, 0.5)
