#!/usr/bin/env python3
"""Opens a page of `swirl report` in headless Chromium and uses it as people do.

usage: check_page.py PAGE EXPECTED [PICTURES]

EXPECTED is scripts/report's text of the same results: the page must show the same figures. PICTURES is a folder for pictures of the page
at two widths, light and dark. Ends with status 77 without a browser. The page has transforms by swirl and fftw, see report_test.cpp.
"""

import re
import sys
from pathlib import Path

import browser


def check(holds, what):
    if not holds:
        raise SystemExit(f"check_page: {what}")


def text_of(page, selector):
    return page.evaluate(f"document.querySelector({selector!r}).innerText")


def cells(page, selector):
    return page.evaluate(f"[...document.querySelectorAll({selector!r})].map((cell) => cell.textContent)")


def loads_nothing_else(page):
    check(page.errors == [], f"the script fails: {page.errors}")
    others = [url for url in page.requests if not url.startswith(("file:", "data:", "blob:"))]
    check(others == [], f"the page asks for {others}")
    files = {url.split("#")[0] for url in page.requests if url.startswith("file:")}
    check(len(files) == 1, f"the page reads {files}")


def shows_the_figures_of_the_script(page, expected):
    """`| fftw | 2 | 50% | 0.80 | 1.40 | 0.80 | 1.26 |`: problems, below 0.95, 5th percentile, median, least, geometric mean."""
    rows = re.findall(r"^\| (fftw|mkl|the fastest of them) +\|(.*)\|$", expected, re.M)
    check(len(rows) == 3, f"no ratios in {expected}")
    for name, figures in rows:
        wanted = [figure.strip() for figure in figures.split("|")]
        shown = page.evaluate(f"[...document.querySelectorAll('#ratios tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
                              f".find((cells) => cells[0] === {name!r})")
        check(shown and shown[1:4] + shown[5:] == wanted, f"{name}: {shown} on the page, {wanted} by scripts/report")


def click_on_a_point_opens_its_plan(page):
    """Where Chart.js has drawn swirl's first point."""
    page.evaluate("document.querySelector('#speed canvas').scrollIntoView({block: 'center'})")
    x, y, problem = page.evaluate(
        "(() => { const chart = views.find((view) => view.id === 'speed').chart, box = chart.canvas.getBoundingClientRect();"
        " const {x, y} = chart.getDatasetMeta(0).data[0]; return [box.x + x, box.y + y, chart.data.datasets[0].data[0].row.problem]; })()")
    page.click(x, y)
    check(page.evaluate("!detail.hidden"), "a click on a point opens nothing")
    shown = text_of(page, "#detail")
    check(shown.splitlines()[1:2] == [problem] or problem in shown, f"not {problem} but {shown}")
    for words in ("avx512: 0 stockham", "bench x", "A CPU", "seed", "results.jsonl, line"):
        check(words in shown, f"the detail lacks {words}: {shown}")
    check(page.evaluate("location.hash").startswith("#row="), "the address does not name the row")
    page.press("Escape")
    check(page.evaluate("detail.hidden"), "Escape does not close the plan")


def keys_reach_points(page):
    page.evaluate("document.querySelector('#speed canvas').focus()")
    page.press("ArrowRight")
    page.press("ArrowRight")
    page.press("ArrowDown")
    check(page.evaluate("views.find((view) => view.id === 'speed').chart.tooltip.opacity") == 1, "keys show no tooltip")
    check("Gflop/s" in page.evaluate("document.querySelector('#speed .spoken').textContent"), "the point is not spoken")
    page.press("Enter")
    check(page.evaluate("!detail.hidden && document.activeElement === detail"), "Enter opens nothing")
    page.press("Escape")
    check(page.evaluate("document.activeElement === document.querySelector('#speed canvas')"), "the focus is lost")


def filters_and_sorts(page):
    total = len(cells(page, "#problems tbody tr"))
    check(total == 4, f"{total} rows")
    page.click_on("#filters input[type=search]")
    page.type("dft (8,8)")
    check(cells(page, "#problems tbody td:first-child") == ["dft 64"], cells(page, "#problems tbody td:first-child"))
    check(text_of(page, "#count") == "1 of 4 problems", text_of(page, "#count"))
    check(page.evaluate("views.find((view) => view.id === 'speed').chart.data.datasets[0].data.length") == 1, "the chart ignores the filter")
    page.click_on("#filters button[type=reset]")
    page.settle()
    check(len(cells(page, "#problems tbody tr")) == total, "the filter is not reset")
    page.click_on("#problems th:nth-child(4) button")
    sizes = [int(cell.replace(",", "")) for cell in cells(page, "#problems tbody td:nth-child(4)")]
    check(sizes == sorted(sizes), f"not sorted: {sizes}")
    page.click_on("#problems th:nth-child(4) button")
    check([int(cell.replace(",", "")) for cell in cells(page, "#problems tbody td:nth-child(4)")] == sizes[::-1], "not sorted the other way")
    page.click_on("#libraries input[value=mkl]")
    check("mkl" not in cells(page, "#ratios tbody td:first-child"), "an unchecked library is still shown")
    page.click_on("#libraries input[value=mkl]")
    page.click_on("#problems tbody tr:first-child button")
    check(page.evaluate("!detail.hidden"), "a row opens nothing")
    page.press("Escape")


def bars_list_their_problems(page):
    page.evaluate("document.querySelector('#histogram canvas').focus()")
    page.press("ArrowRight")
    page.press("Enter")
    check(len(cells(page, "#detail li button")) >= 1, "a bar lists no problems")
    page.click_on("#detail li button")
    check("Plan" in text_of(page, "#detail"), "a problem of a bar opens nothing")
    page.press("Escape")


def results_are_no_html(page):
    check(page.evaluate("document.querySelectorAll('main img, aside img, #runs b').length") == 0, "text of the results became elements")
    check("<b>" in page.evaluate("document.querySelector('#runs').textContent"), "the label is not shown as it is")


def tables_have_the_data_of_charts(page):
    page.click_on("#speed details summary")
    page.settle()
    check(len(cells(page, "#speed details tbody tr")) == 4, "the chart's table lacks rows")


def shows_the_change(page):
    check(page.evaluate("!document.getElementById('changes').hidden"), "no change is shown")
    row = page.evaluate("[...document.querySelectorAll('#changes tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
                        ".find((cells) => cells[0] === 'swirl')")
    check(row == ["swirl", "4", "25%", "0.50", "0.50", "2.00", "0.50", "1.41"], f"change of swirl: {row}")


def main():
    if browser.program() is None:
        print("there is no Chromium here")
        sys.exit(77)
    file, expected = sys.argv[1], Path(sys.argv[2]).read_text()
    pictures = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    with browser.Browser() as page:
        page.open(file)
        loads_nothing_else(page)
        shows_the_figures_of_the_script(page, expected)
        shows_the_change(page)
        results_are_no_html(page)
        click_on_a_point_opens_its_plan(page)
        keys_reach_points(page)
        filters_and_sorts(page)
        bars_list_their_problems(page)
        tables_have_the_data_of_charts(page)
        loads_nothing_else(page)
        for width in (1200, 500):
            for dark in (False, True):
                page.open(file, width=width, dark=dark)
                overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                check(overflow <= 0, f"at {width} pixels the page is {overflow} too wide")
                background = page.evaluate("getComputedStyle(document.body).backgroundColor")
                check((background == "rgb(255, 255, 255)") != dark, f"the background is {background}, dark: {dark}")
                if pictures:
                    page.picture(pictures / f"{width}-{'dark' if dark else 'light'}.png")
        if pictures:
            page.print(pictures / "print.pdf")
        loads_nothing_else(page)
    print("ok")


if __name__ == "__main__":
    main()
