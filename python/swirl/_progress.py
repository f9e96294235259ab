"""A bar that shows how far a search has come, in a terminal or a notebook."""

import html
import re
import shutil
import sys
import time

#: Of a search's line, as in "dft 48: 3 of 12, 2 µs with avx2: 0 …; best 2 µs; 1.3 s left".
LEFT = re.compile(r"; ([0-9.]+) s left$")
BEST = re.compile(r"; best ([^;]+)")
#: Seconds of searching before a bar appears, and between its changes.
SILENT, INTERVAL = 0.5, 0.1


def wanted(progress):
    """A function that is given lines of text, or None.

    Args:
        progress: A function; None for a bar where one can be seen; True and False for a bar and for none.
    """
    if callable(progress) or not (progress is None or isinstance(progress, bool)):
        return progress
    notebook = notebook_display()
    if progress or (progress is None and (notebook or sys.stderr and sys.stderr.isatty())):
        return Bar(Notebook(notebook) if notebook else Terminal(sys.stderr))
    return None


def notebook_display():
    """IPython's function that displays in a notebook; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    return display


class Bar:
    """Called with a search's lines; `close` takes it away."""

    def __init__(self, screen):
        self.screen = screen
        self.begin = time.monotonic()
        self.shown = self.begin + SILENT - INTERVAL

    def __call__(self, line):
        now = time.monotonic()
        if now - self.shown < INTERVAL:
            return
        self.shown = now
        left, best = LEFT.search(line), BEST.search(line)
        fraction = None
        if left:
            fraction = (now - self.begin) / (now - self.begin + float(left[1]))
        problem, _, rest = line.partition(": ")
        text = f"measuring {problem}, "
        text += f"best {best[1]}" if best else rest.partition(" with ")[0]
        if left:
            text += f", {left[1]} s left"
        self.screen.show(fraction, text)

    def close(self):
        self.screen.close()


class Terminal:
    WIDTH = 24

    def __init__(self, stream):
        self.stream = stream
        self.is_shown = False

    def show(self, fraction, text):
        bar = ""
        if fraction is not None:
            done = round(fraction * self.WIDTH)
            bar = "[" + "#" * done + "." * (self.WIDTH - done) + f"] {fraction:4.0%} "
        columns = shutil.get_terminal_size().columns
        self.stream.write("\r" + (bar + text)[:columns - 1] + "\x1b[K")
        self.stream.flush()
        self.is_shown = True

    def close(self):
        if self.is_shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()


class Notebook:
    def __init__(self, display):
        self.display = display
        self.handle = None

    def show(self, fraction, text):
        value = "" if fraction is None else f' value="{fraction:.3f}"'
        page = {"text/html": f"<progress{value}></progress> {html.escape(text)}", "text/plain": text}
        if self.handle is None:
            self.handle = self.display(page, raw=True, display_id=True)
        else:
            self.handle.update(page, raw=True)

    def close(self):
        if self.handle is not None:
            self.handle.update({"text/plain": ""}, raw=True)
