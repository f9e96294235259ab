"""The bar that searches show, and what Ctrl-C leaves of a search."""

import io
import os
import signal
import sys
import threading
import time
import types

import pytest

import swirl
from swirl import _progress


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_has_a_bar_and_a_file_none(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    swirl.plan("dft 50400", effort="measure", time_budget=1.5, use_wisdom=False)
    shown = screen.getvalue().split("\r")
    bars = [line for line in shown if line.startswith("[")]
    assert bars and all("measuring dft 50400" in line for line in bars)
    assert any("best" in line and "s left" in line for line in bars)
    assert shown[-1] == "\x1b[K"  # it is taken away

    for options in ({"progress": False}, {"effort": "estimate"}):
        screen = Screen()
        monkeypatch.setattr(sys, "stderr", screen)
        swirl.plan("dft 1013", **{"effort": "measure", "time_budget": 0.8, "use_wisdom": False, **options})
        assert screen.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert _progress.wanted(None) is None and _progress.wanted(True) is not None
    monkeypatch.setattr(sys, "stderr", None)
    assert _progress.wanted(None) is None


def test_a_bar_knows_what_fraction_is_done():
    shown = []
    bar = _progress.Bar(types.SimpleNamespace(show=lambda *given: shown.append(given), close=lambda: shown.append(None)))
    bar("dft 48: 1 of 12, 2 µs with avx2: 0 a(4,12)")
    assert not shown  # so soon nothing is
    bar.begin -= 3
    bar.shown -= 3
    bar("dft 48: 3 of 12, 2.5 µs with avx2: 0 a(4,12); best 2 µs; 1.0 s left")
    fraction, text = shown[0]
    assert 0.7 < fraction < 0.8 and text == "measuring dft 48, best 2 µs, 1.0 s left"
    bar.shown -= 3
    bar("dft 48: 4 of 12, 2.5 µs with avx2: 0 a(4,12)")
    assert shown[1] == (None, "measuring dft 48, 4 of 12, 2.5 µs")


def test_a_notebook_has_a_bar(monkeypatch):
    pages = []

    class Handle:
        def update(self, page, raw):
            pages.append(page)

    def display(page, raw, display_id):
        assert raw and display_id
        pages.append(page)
        return Handle()

    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    of_display = types.ModuleType("IPython.display")
    of_display.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", of_display)
    swirl.plan("dft 50400", effort="measure", time_budget=1.5, use_wisdom=False)
    assert "<progress" in pages[0]["text/html"] and "dft 50400" in pages[0]["text/plain"]
    assert pages[-1] == {"text/plain": ""}


def test_an_interrupted_search_keeps_the_fastest_so_far():
    problem, lines = "dft 50400 float32 batch=7", []  # searched for seconds

    def interrupt(line):  # when schedules of the whole problem are compared; before, some of its parts are
        if "subproblem" in line:
            return
        lines.append(line)
        if len(lines) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        swirl.plan(problem, effort="measure", time_budget=120, progress=interrupt)
    later = []
    again = swirl.plan(problem, effort="measure", time_budget=120, progress=later.append)
    assert not later, "it is not searched for again"
    assert again.schedule == swirl.plan(problem).schedule


def test_a_second_interrupt_is_not_waited_for():
    def kill():
        for _ in range(2):
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            swirl.plan("dft 2^22", effort="exhaustive", use_wisdom=False)
    finally:
        try:
            killer.join()
        except KeyboardInterrupt:
            killer.join()
