// Charts: axes, colours of the page's theme, points that mouse and keyboard reach, and a table of each chart.

const hasCharts = typeof Chart !== "undefined";
const markers = ["circle", "triangle", "rect", "rectRot", "crossRot", "star", "cross", "rectRounded"];
const cssColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
/// Of a library, the same in all charts.
const styleOf = (library) => {
  const index = Math.max(0, libraries.indexOf(library));
  return { colour: `series-${index % 10}`, marker: markers[index % markers.length] };
};

const svgNames = {
  circle: "M8 4a4 4 0 1 0 .01 0z", triangle: "M8 3.5l4.5 8h-9z", rect: "M4.5 4.5h7v7h-7z", rectRot: "M8 3l5 5-5 5-5-5z",
  crossRot: "M4 4l8 8M12 4l-8 8", star: "M8 3v10M3 8h10M4.5 4.5l7 7M11.5 4.5l-7 7", cross: "M8 3v10M3 8h10",
  rectRounded: "M5 4.5h6v7h-6z", line: "M0 8h16",
};
function swatch(series) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  for (const [key, value] of Object.entries({ width: 16, height: 16, class: "swatch", "aria-hidden": "true" }))
    svg.setAttribute(key, value);
  const isFilled = series.marker && !series.hollow && !["crossRot", "star", "cross"].includes(series.marker);
  path.setAttribute("d", svgNames[series.marker || "line"]);
  path.setAttribute("style", `stroke: var(--${series.colour}); stroke-width: 2; fill: ${isFilled ? `var(--${series.colour})` : "none"};` +
    (series.dash && (!series.marker || series.marker === "line") ? "stroke-dasharray: 4 3" : ""));
  svg.append(path);
  return svg;
}

/// Powers of ten; more of each where there are few.
function decades(low, high) {
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high)), count = Math.log10(high / low);
  const digits = count > 2.5 ? [1] : count > 1.2 ? [1, 2, 5] : count > 0.5 ? [1, 1.5, 2, 3, 5, 7] : [1, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.5, 3, 4, 5, 6, 7, 8, 9];
  const every = Math.ceil(count / 10) || 1, values = [];
  for (let exponent = first; exponent <= last; ++exponent)
    if (exponent % every === 0) values.push(...digits.map((digit) => digit * 10 ** exponent));
  return values.filter((value) => value >= low * 0.999 && value <= high * 1.001);
}
function power(value) {
  const exponent = Math.round(Math.log10(value));
  const isPower = Math.abs(value / 10 ** exponent - 1) < 1e-9;
  if (!isPower || (exponent >= -3 && exponent < 5)) return number(value);
  return "10" + String(exponent).replace(/./g, (digit) => (digit === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]));
}

function axis(title, options, values) {
  const common = {
    title: { display: true, text: title, color: cssColour("weak") }, grid: { color: cssColour("line"), drawBorder: false }, ticks: { color: cssColour("weak"), maxRotation: 0 },
  };
  if (options.categories) return { ...common, type: "category", grid: { display: false } };
  if (!options.log) return { ...common, type: "linear", min: options.min, max: options.max, ticks: { ...common.ticks, precision: options.precision, ...(options.tick && { callback: options.tick }) } };
  const low = Math.min(...values), high = Math.max(...values), margin = Math.max((high / low) ** 0.04, 1.05);
  return {
    ...common, type: "logarithmic", min: low / margin, max: high * margin,
    afterBuildTicks: (scale) => { scale.ticks = decades(scale.min, scale.max).map((value) => ({ value })); },
    ticks: { ...common.ticks, autoSkip: false, callback: power },
  };
}

/// Writes the name of a line at its right or left end, above or below it.
const endLabels = {
  id: "endLabels",
  afterDatasetsDraw(chart) {
    const context = chart.ctx;
    context.save();
    context.font = "11px sans-serif";
    chart.data.datasets.forEach(({ series, borderColor }, index) => {
      if (!series.endLabel) return;
      const point = chart.getDatasetMeta(index).data.at(series.labelAtStart ? 0 : -1);
      context.textAlign = series.labelAtStart ? "left" : "right";
      context.fillStyle = borderColor;
      context.fillText(series.endLabel, point.x + (series.labelAtStart ? 3 : -3), point.y + (series.labelBelow ? 12 : -4));
    });
    context.restore();
  },
};

function dataset(series, isBar) {
  const colour = cssColour(series.colour);
  return {
    label: series.name, data: series.points, series, clip: 8, borderColor: colour, order: series.marker ? 1 : 2,
    backgroundColor: series.hollow ? "transparent" : isBar || series.marker ? colour + (isBar ? "e0" : "b0") : colour,
    ...(isBar ? { borderWidth: 0, grouped: !series.alone } : {
      showLine: series.line || !series.marker, borderWidth: series.marker ? 1.5 : 1.2, borderDash: series.dash ? [5, 4] : [],
      pointStyle: series.marker || false, pointRadius: series.marker ? series.radius || 3.5 : 0, pointHoverRadius: series.marker ? 7 : 0,
      pointBorderWidth: 1.5, pointHoverBorderWidth: 3, pointHitRadius: series.marker ? 4 : 0, stepped: series.stepped || false,
    }),
  };
}

/// A section of the page with one chart and its table.
///   compute()   null if there is nothing to show, else {caption, x, y, series, table: {header, rows}}
///   A series is {name, colour, marker, points: [{x, y, text, open}]}, a line without marker: floors, roofs. `open` shows
///   what is behind a point.
class ChartView {
  constructor(id, title, compute, isBar = false) {
    Object.assign(this, { id, title, compute, isBar, chart: null, at: -1 });
    this.caption = element("p", { class: "caption" });
    this.canvas = element("canvas", { tabindex: "0", role: "img", "aria-describedby": `${id}-caption` });
    this.caption.id = `${id}-caption`;
    this.frame = element("div", { class: "canvas" }, this.canvas);
    this.legend = element("ul", { class: "legend" });
    this.tableBody = element("div", { class: "scroll" });
    this.table = element("details", { open: !hasCharts }, element("summary", {}, "As a table"), this.tableBody);
    this.spoken = element("p", { class: "spoken", "aria-live": "polite" }); // the point that keys have marked
    this.table.addEventListener("toggle", () => this.fillTable());
    this.section = element("section", { id, "aria-label": title }, element("h2", {}, title), this.caption,
      element("figure", {}, this.frame, this.legend), this.spoken, this.table);
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("blur", () => this.activate(-1));
  }

  update() {
    this.shown = this.compute();
    if (this.chart) this.chart.destroy();
    this.chart = null;
    this.at = -1;
    const isThere = this.shown !== null && this.shown.series.some((series) => series.points.length);
    this.section.hidden = this.shown === null;
    if (this.shown === null) return;
    this.caption.replaceChildren(this.shown.caption);
    this.frame.hidden = !isThere || !hasCharts;
    this.legend.hidden = this.frame.hidden;
    this.legend.replaceChildren(...this.shown.series.filter((series) => !series.endLabel && series.points.length).map((series) =>
      element("li", {}, swatch(series), series.name)));
    this.canvas.setAttribute("aria-label", `${this.title}: ${this.shown.series.map((series) =>
      `${series.name}, ${series.points.length} points`).join("; ")}. Arrow keys go from point to point, Enter shows what is behind it.`);
    this.fillTable();
    if (isThere && hasCharts) this.draw();
  }

  fillTable() {
    if (!this.table.open || !this.shown) return this.tableBody.replaceChildren();
    const { header, rows } = this.shown.table();
    this.tableBody.replaceChildren(simpleTable(header, rows));
  }

  draw() {
    const { x, y, series } = this.shown;
    const points = series.flatMap((one) => one.points);
    this.chart = new Chart(this.canvas, {
      type: this.isBar ? "bar" : "scatter",
      plugins: [endLabels],
      data: { labels: x.categories, datasets: series.map((one) => dataset(one, this.isBar)) },
      options: {
        animation: false, maintainAspectRatio: false, responsive: true, parsing: this.isBar ? undefined : false,
        interaction: { mode: "nearest", intersect: true },
        scales: { x: axis(x.title, x, points.map((point) => point.x)), y: axis(y.title, y, points.map((point) => point.y)) },
        onClick: (event, elements) => elements.length && this.open(elements[0]),
        onHover: (event, elements) => { this.canvas.style.cursor = elements.length ? "pointer" : ""; },
        plugins: {
          legend: { display: false },
          tooltip: { callbacks: {
            title: () => "",
            label: (item) => [`${item.dataset.label}: ${item.raw.text[0]}`, ...item.raw.text.slice(1)],
          }, displayColors: false },
        },
      },
    });
    // The points that can be opened, from left to right.
    this.targets = series.flatMap((one, datasetIndex) => one.points.map((point, index) => ({ datasetIndex, index, point })))
      .filter((target) => target.point.open).sort((a, b) => (this.isBar ? a.index - b.index : a.point.x - b.point.x));
  }

  open({ datasetIndex, index }) {
    const point = this.chart.data.datasets[datasetIndex].data[index];
    if (point.open) point.open(this.canvas);
  }

  /// Marks a target and shows its tooltip; none for −1.
  activate(at) {
    this.at = at;
    if (!this.chart) return;
    const { datasetIndex, index, point } = this.targets[at] || {};
    this.spoken.textContent = at < 0 ? "" : `${this.shown.series[datasetIndex].name}: ${point.text.join(", ")}`;
    const active = at < 0 ? [] : [{ datasetIndex, index }];
    const where = at < 0 ? { x: 0, y: 0 } : this.chart.getDatasetMeta(datasetIndex).data[index].getCenterPoint();
    this.chart.setActiveElements(active);
    this.chart.tooltip.setActiveElements(active, where);
    this.chart.update();
  }

  onKey(event) {
    if (!this.chart || !this.targets.length) return;
    const last = this.targets.length - 1;
    const current = this.targets[this.at];
    const sameSeries = (step) => { // the next of the same series, from left to right
      for (let at = this.at + step; at >= 0 && at <= last; at += step)
        if (this.targets[at].datasetIndex === current.datasetIndex) return at;
      return this.at;
    };
    const otherSeries = (step) => { // the nearest of the next series
      const indices = distinct(this.targets.map((target) => target.datasetIndex)).sort((a, b) => a - b);
      const next = indices[(indices.indexOf(current.datasetIndex) + step + indices.length) % indices.length];
      let best = this.at;
      this.targets.forEach((target, at) => {
        const distance = Math.abs(at - this.at);
        if (target.datasetIndex === next && (best === this.at || distance < Math.abs(best - this.at))) best = at;
      });
      return best;
    };
    const moves = {
      ArrowRight: () => (current ? sameSeries(1) : 0), ArrowLeft: () => (current ? sameSeries(-1) : last), Home: () => 0, End: () => last,
      ArrowDown: () => (current ? otherSeries(1) : 0), ArrowUp: () => (current ? otherSeries(-1) : 0),
    };
    if (event.key in moves) {
      event.preventDefault();
      this.activate(moves[event.key]());
    } else if ((event.key === "Enter" || event.key === " ") && current) {
      event.preventDefault();
      this.open(current);
    } else if (event.key === "Escape") {
      this.activate(-1);
    }
  }
}
