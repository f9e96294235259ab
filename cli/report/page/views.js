// The charts: what each shows of the chosen rows.

const axisOfSize = (rows) => ({ log: true, title: rows.every((row) => row.problem.startsWith("gemm")) ? "cube root of m·n·k"
  : rows.some((row) => row.problem.startsWith("gemm")) ? "n: points of a transform, cube root of m·n·k of a product" : "n: points of a transform" });
const point = (row, library, x, y, ...text) => ({ x, y, row, library, text: [...text, row.problem], open: (origin) => openRow(row, origin) });
const bySize = (a, b) => a.x - b.x;
/// Lines join points of one kind, type and run, where each size occurs once.
const areLines = (rows) => rows.length > 1 && distinct(rows.map((row) => row.n)).length === rows.length &&
  distinct(rows.map((row) => [row.kind, row.type, row.run].join())).length === 1;
const openButton = (row) => element("button", { type: "button", onclick: (event) => openRow(row, event.currentTarget) }, element("code", {}, row.problem));

function tableByLibrary(rows, names, value, text) {
  return { header: ["problem", "n", ...names], rows: rows.map((row) => [openButton(row), figure(size(row.n)),
    ...names.map((name) => { const v = value(row, name); return figure(v === null ? "–" : text(v)); })]) };
}

function speedView() {
  const rows = chosenRows(), names = chosenLibraries(), isLine = areLines(rows);
  if (!shownRows.length) return null;
  const series = names.map((name) => ({ name, ...styleOf(name), line: isLine, points: rows.filter((row) => timed(row, name)).map((row) =>
    point(row, name, row.n, gigaflops(row, timed(row, name).median), `${number(gigaflops(row, timed(row, name).median))} Gflop/s, ${seconds(timed(row, name).median)}`)).sort(bySize) }));
  if (hasBefore) for (const name of names) {
    const paired = rows.filter((row) => timed(beforeOf(row), name));
    series.push({ name: `${name}, before`, ...styleOf(name), hollow: true, dash: true, line: isLine, points: paired.map((row) => {
      const speed = gigaflops(row, timed(beforeOf(row), name).median);
      return point(row, name, row.n, speed, `${number(speed)} Gflop/s before`);
    }).sort(bySize) });
  }
  const floors = rows.filter((row) => row.floor > 0);
  series.push({ name: "floor", colour: "floor", marker: isLine ? null : "line", dash: true, points: floors.map((row) =>
    point(row, "floor", row.n, gigaflops(row, row.floor), `${number(gigaflops(row, row.floor))} Gflop/s at ${seconds(row.floor)}`)).sort(bySize) });
  return {
    caption: `Median times. The floor is what the measured rates of arithmetic and of copying allow; data that a faster cache holds in part may exceed it. Transforms count 5 n log₂ n operations (2.5 for real data), products 2 m n k.${isLine ? "" : " Lines join points of one kind, type and run, unless a size occurs twice."}`,
    x: axisOfSize(rows), y: { log: true, title: "Gflop/s" }, series,
    table: () => tableByLibrary(rows, [...names, "floor"], (row, name) => (name === "floor" ? row.floor > 0 ? gigaflops(row, row.floor) : null
      : timed(row, name) ? gigaflops(row, timed(row, name).median) : null), (value) => number(value)),
  };
}

/// Each library's ratios, and those of the fastest of several.
function comparisons(rows) {
  const names = chosenLibraries().filter((name) => name !== choice.base);
  const result = names.map((name) => ({ name, ...styleOf(name), ratios: rows.map((row) => ({ row, ratio: ratio(row, name, choice.base) }))
    .filter((one) => one.ratio !== null) })).filter((one) => one.ratios.length);
  if (result.length > 1) result.push({ name: "the fastest of them", colour: "text", marker: "rectRounded", ratios: rows.map((row) =>
    ({ row, ratio: (fastest(row, names, choice.base) || { ratio: null }).ratio })).filter((one) => one.ratio !== null) });
  return result;
}
const statisticsHeader = ["problems", `below ${slowerThan}`, "5th percentile", "20th percentile", "median", "least", "geometric mean"];
function statisticsCells(values) {
  const s = statistics(values);
  return [figure(String(s.count)), figure(percent(s.slower), s.slower > 0), ...[s.fifth, s.twentieth, s.median, s.least, s.mean].map((value) =>
    figure(ratioText(value), value < slowerThan))];
}
function sortedCurves(compared, verb) {
  return compared.map(({ name, colour, marker, ratios }) => {
    const sorted = [...ratios].sort((a, b) => a.ratio - b.ratio);
    return { name, colour, marker, radius: sorted.length > 60 ? 2 : 3.5, line: true, points: sorted.map(({ row, ratio }, k) =>
      point(row, name, sorted.length > 1 ? (100 * k) / (sorted.length - 1) : 50, ratio, `${ratioText(ratio)} ${verb}`)) };
  });
}
const level = (name, value, { low = 0, high = 100, below = false } = {}) => ({ name, endLabel: name, labelBelow: below, colour: "floor", dash: true,
  points: [{ x: low, y: value, text: [name] }, { x: high, y: value, text: [name] }] });

function ratioView() {
  const compared = comparisons(chosenRows());
  if (libraries.length < 2) return null;
  return {
    caption: `Time of each library over ${choice.base}'s, sorted: above 1 ${choice.base} is faster.`,
    x: { title: "share of the problems", min: 0, max: 100, tick: (value) => `${value}%` }, y: { log: true, title: `time over ${choice.base}'s` },
    series: compared.length ? [...sortedCurves(compared, `times ${choice.base}'s time`), level("1", 1), level(String(slowerThan), slowerThan, { below: true })] : [],
    table: () => ({ header: ["problem", "library", `time over ${choice.base}'s`], rows: compared.flatMap(({ name, ratios }) => [...ratios]
      .sort((a, b) => a.ratio - b.ratio).map(({ row, ratio }) => [openButton(row), name, figure(ratioText(ratio), ratio < slowerThan)])) }),
  };
}

/// Bars of equal width in the logarithm, one of whose edges is 1.
function histogramView() {
  if (libraries.length < 2) return null;
  const last = comparisons(chosenRows()).at(-1);
  const ratios = last ? last.ratios : [];
  const spread = ratios.length ? Math.max(...ratios.map((one) => Math.abs(Math.log2(one.ratio)))) : 1;
  const perOctave = spread > 3 ? 2 : spread > 1.2 ? 4 : 8;
  const bin = (value) => Math.floor(Math.log2(value) * perOctave + 1e-9);
  const first = Math.min(-1, ...ratios.map((one) => bin(one.ratio))), end = Math.max(0, ...ratios.map((one) => bin(one.ratio)));
  const bins = Array.from({ length: end - first + 1 }, (unused, k) => {
    const low = 2 ** ((first + k) / perOctave), high = 2 ** ((first + k + 1) / perOctave);
    return { low, label: `${low.toFixed(2)}–${high.toFixed(2)}`, rows: ratios.filter((one) => bin(one.ratio) === first + k) };
  });
  const bars = (name, colour, wanted) => ({ name, colour, marker: "rect", alone: true, points: bins.map((one) => ({ x: one.label, y: wanted(one) ? one.rows.length : 0,
    text: [`${one.rows.length} problems from ${one.label.replace("–", " to ")}`], open: wanted(one) && one.rows.length
      ? (origin) => openRows(`${last.name}: ${one.label}`, [...one.rows].sort((a, b) => a.ratio - b.ratio).map(({ row, ratio }) => ({ row, text: ratioText(ratio) })), origin) : null })) });
  return {
    caption: last ? `How many problems have which ratio: ${last.name} over ${choice.base}. A click lists the problems of a bar.` : "",
    x: { title: `time over ${choice.base}'s`, categories: bins.map((one) => one.label) }, y: { title: "problems", precision: 0 },
    series: ratios.length ? [bars(`${choice.base} is slower`, "series-0", (one) => one.low < 0.999), bars(`${choice.base} is faster`, "series-2", (one) => one.low >= 0.999)] : [],
    table: () => ({ header: ["ratio", "problems"], rows: bins.map((one) => [one.label, figure(String(one.rows.length))]) }),
  };
}

const isProduct = (row) => row.kind.startsWith("gemm");
const isDouble = (row) => ["float64", "complex128"].includes(row.type);
const isNarrow = (row) => ["float16", "bfloat16"].includes(row.type);
/// What bounds arithmetic, and the rows that it concerns. `rate` is the name in a run's "machine".
const arithmeticRoofs = [
  { rate: "flops_float64", name: "float64", concerns: isDouble },
  { rate: "flops_float32", name: "float32", concerns: (row) => !isDouble(row) },
  { rate: "tensor_flops_float64", name: "float64 on tensor cores", concerns: (row) => isProduct(row) && isDouble(row) },
  { rate: "tensor_flops_float32", name: "tf32 on tensor cores", concerns: (row) => isProduct(row) && !isDouble(row) && !isNarrow(row) },
  { rate: "tensor_flops_float16", name: "16-bit types on tensor cores", concerns: (row) => isProduct(row) && isNarrow(row) },
];

/// The highest rates of the machines of these rows, by name: Gflop/s and GB/s.
function roofs(rows) {
  const peaks = {}, copies = {};
  for (const run of distinct(rows.map((row) => row.run)).map((index) => report.runs[index])) {
    for (const { rate, name, concerns } of arithmeticRoofs)
      if (run.machine[rate] && rows.some(concerns)) peaks[name] = Math.max(peaks[name] || 0, run.machine[rate] * 1e-9);
    const copy = run.machine.copy_bytes_per_second;
    for (const [name, value] of Object.entries(typeof copy === "object" && copy !== null ? copy : copy ? { memory: copy } : {}))
      copies[name] = Math.max(copies[name] || 0, value * 1e-9);
  }
  return { peaks, copies };
}
function rooflineView() {
  const rows = chosenRows().filter((row) => row.bytes > 0 && row.flops > 0), names = chosenLibraries();
  if (!shownRows.length) return null;
  const series = names.map((name) => ({ name, ...styleOf(name), points: rows.filter((row) => timed(row, name)).map((row) => {
    const speed = gigaflops(row, timed(row, name).median);
    return point(row, name, row.flops / row.bytes, speed, `${number(speed)} Gflop/s at ${number(row.flops / row.bytes)} flop/byte`);
  }).sort(bySize) }));
  const { peaks, copies } = roofs(rows);
  const intensities = rows.map((row) => row.flops / row.bytes);
  if (rows.length) {
    const low = Math.min(...intensities) / 1.5, high = Math.max(...intensities) * 1.5, top = Math.max(...Object.values(peaks));
    const known = Number.isFinite(top);
    for (const [name, peak] of Object.entries(peaks))
      series.push({ name: `peak, ${name}`, endLabel: `peak of multiply-adds, ${name}: ${number(peak)} Gflop/s`, colour: "floor", points: [low, high].map((x) => ({ x, y: peak, text: [name] })) });
    for (const [name, copy] of Object.entries(copies)) {
      const hasNeighbour = Object.values(copies).some((other) => other < copy && other * 1.5 > copy); // whose label would be on this one's
      const end = known ? Math.min(high, top / copy) : high;
      if (end > low) series.push({ name: `copies, ${name}`, endLabel: `${name} ${number(copy)} GB/s`, labelAtStart: true, labelBelow: !hasNeighbour, colour: "floor", dash: true,
        points: [low, end].map((x) => ({ x, y: x * copy, text: [name] })) });
    }
  }
  const lacking = !Object.keys(peaks).length && !Object.keys(copies).length ? " The results name no rates of the machine, so there are no roofs."
    : !Object.keys(peaks).length ? " The results name no arithmetic peak of this machine." : " Rates of one core or of the whole GPU; the highest of the runs shown.";
  return {
    caption: `Operational intensity counts each element once, read or written. Roofs: multiply-adds, measured on CPUs, of a GPU those of its units at its clock; measured copies in each level of the memory.${lacking}`,
    x: { log: true, title: "operations per byte of data" }, y: { log: true, title: "Gflop/s" }, series,
    table: () => ({ header: ["problem", "flop/byte", ...names], rows: rows.map((row) => [openButton(row), figure(number(row.flops / row.bytes)),
      ...names.map((name) => figure(timed(row, name) ? number(gigaflops(row, timed(row, name).median)) : "–"))]) }),
  };
}

function accuracyView() {
  const hasDistance = (row, name) => { const entry = timed(row, name); return entry && entry.distance !== undefined && entry.distance !== null; };
  if (!shownRows.some((row) => libraries.some((name) => hasDistance(row, name)))) return null;
  const rows = chosenRows(), names = chosenLibraries();
  const series = names.map((name) => ({ name, ...styleOf(name), line: areLines(rows), points: rows.filter((row) => hasDistance(row, name) && timed(row, name).distance > 0).map((row) =>
    point(row, name, row.n, timed(row, name).distance, `distance ${number(timed(row, name).distance)}`)).sort(bySize) }));
  const sizes = series.flatMap((one) => one.points.map((p) => p.x));
  const epsilons = { float64: 2 ** -52, float32: 2 ** -23 };
  if (sizes.length) for (const [type, epsilon] of Object.entries(epsilons))
    if (rows.some((row) => row.type === type)) series.push(level(`ε of ${type}`, epsilon, { low: Math.min(...sizes), high: Math.max(...sizes) }));
  const exact = rows.filter((row) => names.some((name) => hasDistance(row, name) && timed(row, name).distance === 0)).length;
  return {
    caption: `Distance from the definition, relative to the result (l₂ norm).${exact ? ` ${exact} problems have results without error, which a logarithmic axis cannot show.` : ""}`,
    x: axisOfSize(rows), y: { log: true, title: "relative distance" }, series,
    table: () => tableByLibrary(rows, names, (row, name) => (hasDistance(row, name) ? timed(row, name).distance : null), (value) => number(value)),
  };
}

/// Time before over time now, of each library.
function changes(rows) {
  return chosenLibraries().map((name) => ({ name, ...styleOf(name), ratios: rows.filter((row) => timed(row, name) && timed(beforeOf(row), name))
    .map((row) => ({ row, ratio: timed(beforeOf(row), name).median / timed(row, name).median })) })).filter((one) => one.ratios.length);
}
function changeView() {
  if (!hasBefore) return null;
  const compared = changes(chosenRows());
  return {
    caption: "Speed now over speed before (time before ÷ time now), sorted: above 1 it has become faster. What other libraries' speeds changed by is the machine's share.",
    x: { title: "share of the problems", min: 0, max: 100, tick: (value) => `${value}%` }, y: { log: true, title: "speed, now over before" },
    series: compared.length ? [...sortedCurves(compared, "times the speed before"), level("1", 1)] : [],
    table: () => ({ header: ["problem", "library", "before", "now", "speed, now over before"], rows: compared.flatMap(({ name, ratios }) => [...ratios]
      .sort((a, b) => a.ratio - b.ratio).map(({ row, ratio }) => [openButton(row), name, figure(seconds(timed(beforeOf(row), name).median)),
        figure(seconds(timed(row, name).median)), figure(ratioText(ratio), ratio < slowerThan)])) }),
  };
}

/// A table of statistics in a section of its own.
class StatisticsView {
  constructor(id, title, caption, compute) {
    Object.assign(this, { compute });
    this.body = element("div", { class: "scroll" });
    this.section = element("section", { id, "aria-label": title }, element("h2", {}, title), element("p", { class: "caption" }, caption), this.body);
  }
  update() {
    const compared = this.compute();
    this.section.hidden = compared === null;
    if (compared === null) return;
    this.body.replaceChildren(compared.length ? simpleTable(["library", ...statisticsHeader], compared.map(({ name, ratios }) =>
      [name, ...statisticsCells(ratios.map((one) => one.ratio))])) : element("p", { class: "nothing" }, "Nothing to compare."));
  }
}

/// One chart for each ladder, by the words of its problem without the size.
function ladderGroups() {
  const groups = {};
  for (const ladder of report.ladders)
    (groups[[ladder.file, ladder.problem.replace(/\d+(x\d+)*/, "n"), ladder.is_before].join("\n")] ||= []).push(ladder);
  return Object.values(groups);
}
function ladderView(ladders) {
  const names = distinct(ladders.flatMap((ladder) => ladder.steps.map((step) => step.name)));
  const stepOf = (ladder, name) => ladder.steps.find((step) => step.name === name);
  const open = (ladder, step) => (origin) => showDetail(origin, `${ladder.problem}: ${step.name}`, element("p", {}, step.what), definitions([
    ["plan", element("code", { class: "made-by" }, step.made_by)], ["speed", `${number(step.gflops)} Gflop/s`], ["least time", seconds(step.minimum)],
    ["gain", step.is_new ? `×${ratioText(step.gain)}` : "the same program as the step before"], ["threads", step.threads]]),
    ladder.run && element("h3", {}, "Run"), runDetails({ ...ladder.run, file: ladder.file }));
  return {
    caption: `Each step adds one optimisation: ${ladders.at(-1).steps.map((step) => `${step.name} (${step.what})`).join("; ")}.`,
    x: { title: "n", categories: ladders.map((ladder) => size(ladder.n)) }, y: { title: "Gflop/s" },
    series: names.map((name, k) => ({ name, colour: `series-${(k + 9) % 10}`, marker: "rect", points: ladders.filter((ladder) => stepOf(ladder, name)).map((ladder) => {
      const step = stepOf(ladder, name);
      return { x: size(ladder.n), y: step.gflops, text: [`${number(step.gflops)} Gflop/s${step.is_new && step.gain !== 1 ? `, ×${ratioText(step.gain)}` : ""}`, ladder.problem], open: open(ladder, step) };
    }) })),
    table: () => ({ header: ["n", ...names], rows: ladders.map((ladder) => [figure(size(ladder.n)), ...names.map((name) =>
      figure(stepOf(ladder, name) ? number(stepOf(ladder, name).gflops) : "–"))]) }),
  };
}
