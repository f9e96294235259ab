// What is behind a point: the plan, all times, the run and its machine.

const detail = document.getElementById("detail");
let detailOrigin = null;

function showDetail(origin, title, ...content) {
  if (origin && !detail.contains(origin)) detailOrigin = origin;
  const close = element("button", { class: "close", type: "button", "aria-label": "Close", onclick: hideDetail }, "×");
  detail.replaceChildren(close, element("h2", {}, title), ...content.filter(Boolean));
  detail.hidden = false;
  detail.scrollTop = 0;
  detail.focus();
}
function hideDetail() {
  if (detail.hidden) return;
  detail.hidden = true;
  for (const row of document.querySelectorAll("tr.chosen")) row.classList.remove("chosen");
  if (location.hash.startsWith("#row=")) history.replaceState(null, "", "#");
  if (detailOrigin) detailOrigin.focus();
}
document.addEventListener("keydown", (event) => event.key === "Escape" && hideDetail());

const flat = (value) => (value !== null && typeof value === "object"
  ? Object.entries(value).map(([name, inner]) => `${name} ${flat(inner)}`).join(", ")
  : typeof value === "number" && !Number.isInteger(value) ? number(value, 4) : String(value));

/// Rates of a machine by their names: flops_float64, copy_bytes_per_second, hertz.
function rate(name, value) {
  if (value !== null && typeof value === "object") return Object.entries(value).map(([part, inner]) => `${part} ${rate(name, inner)}`).join(", ");
  const unit = name.startsWith("flops") ? "Gflop/s" : name.endsWith("bytes_per_second") ? "GB/s" : name === "hertz" ? "GHz" : null;
  return unit ? `${number(value * 1e-9)} ${unit}` : flat(value);
}
const nameOfRate = (name) => name.replace(/^flops_/, "multiply-adds, ").replace(/_bytes_per_second$/, " bandwidth").replaceAll("_", " ");

function runDetails(run) {
  const { machine, command, file, is_before, ...rest } = run;
  return definitions([["command", element("code", {}, command || "")], ...Object.entries(rest).map(([name, value]) => [name,
    value === null ? null : flat(value)]), ...Object.entries(machine || {}).map(([name, value]) => [nameOfRate(name), rate(name, value)]),
    ["file", file]]);
}

/// A shell's word.
const quoted = (text) => (/^[\w.,:=/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
function planCommand(row, madeBy) {
  const target = madeBy.split(":")[0];
  const device = target.startsWith("sm_") ? ` --device ${target}` : "";
  const problem = row.problem.split(" ").map(quoted).join(" ");
  return `swirl plan${device} ${problem} --schedule '${madeBy}'`;
}

function rowDetails(row) {
  const run = runOf(row), before = beforeOf(row);
  const names = libraries.filter((name) => name in row.libraries);
  const header = ["library", "median", "least", "Gflop/s", `over ${choice.base}`, ...(before ? ["before", "now"] : []), "planning", "distance"];
  const rows = names.map((name) => {
    const entry = row.libraries[name], other = timed(before, name);
    if (entry.wrong) return [name, { number: "wrong", bad: true }, ...header.slice(3).map(() => figure("")), figure(number(entry.distance))];
    const overBase = ratio(row, name, choice.base);
    return [name, figure(seconds(entry.median)), figure(entry.minimum ? seconds(entry.minimum) : "–"), figure(number(gigaflops(row, entry.median))),
      figure(ratioText(overBase), overBase !== null && overBase < slowerThan),
      ...(before ? [figure(other ? seconds(other.median) : "–"), figure(other ? `×${ratioText(other.median / entry.median)}` : "–")] : []),
      figure(entry.planning ? seconds(entry.planning) : "–"), figure(number(entry.distance))];
  });
  const own = timed(row, choice.base);
  const plans = names.filter((name) => row.libraries[name].made_by);
  const isOwn = (name) => /^swirl( \d+)?$|^swirl-measured$/.test(name);
  const planOf = (side, name) => element("code", { class: "made-by" }, side.libraries[name].made_by);
  return [
    element("h3", {}, "Plan"),
    plans.length ? definitions(plans.map((name) => [name, planOf(row, name)])) : element("p", {}, "The results do not say."),
    before && before.libraries.swirl && before.libraries.swirl.made_by && element("div", {}, element("h3", {}, "Plan before"), planOf(before, "swirl")),
    plans.some(isOwn) && element("details", {}, element("summary", {}, "How to see it"),
      ...plans.filter(isOwn).map((name) => element("p", {}, element("code", {}, planCommand(row, row.libraries[name].made_by))))),
    element("h3", {}, "Times"), element("div", { class: "scroll" }, simpleTable(header, rows)),
    definitions([
      ...Object.entries(row.floors).map(([name, value]) => [`${name} floor`, `${seconds(value)}${own ? `, ${percent(value / own.median)} of ${choice.base}'s time` : ""}`]),
      ["operations", size(Math.round(row.flops))], ["data", `${size(row.bytes)} bytes`], ["intensity", `${number(row.flops / row.bytes)} flop/byte`],
      ...Object.entries(row.absent).map(([name, reason]) => [name, reason])]),
    element("h3", {}, "Run"), runDetails(run), element("p", { class: "caption" }, row.line ? `${run.file}, line ${row.line}` : run.file),
    before && element("div", {}, element("h3", {}, "Run before"), runDetails(runOf(before))),
  ];
}

function openRow(row, origin) {
  for (const other of document.querySelectorAll("tr.chosen")) other.classList.remove("chosen");
  const line = document.querySelector(`tr[data-row="${row.index}"]`);
  if (line) line.classList.add("chosen");
  history.replaceState(null, "", `#row=${row.index}`);
  showDetail(origin, row.problem, ...rowDetails(row));
}

/// The problems of a bar of a histogram.
function openRows(title, rows, origin) {
  showDetail(origin, title, element("ul", {}, ...rows.map(({ row, text }) => element("li", {},
    element("button", { type: "button", class: "link", onclick: (event) => openRow(row, event.target) }, element("code", {}, row.problem)), ` ${text}`))));
}
