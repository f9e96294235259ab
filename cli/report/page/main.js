// Puts the page together and redraws it when the choice, the theme or the medium changes.

const form = document.getElementById("filters");
const views = [
  new StatisticsView("ratios", "Ratios", "Time of each library over that of the one to compare with: above 1 that one is faster.", () =>
    (libraries.length < 2 ? null : comparisons(chosenRows()))),
  new ChartView("speed", "Speed by size", speedView),
  new ChartView("sorted", "Sorted ratios", ratioView),
  new ChartView("histogram", "Distribution of the ratios", histogramView, true),
  new ChartView("roofline", "Roofline", rooflineView),
  new ChartView("accuracy", "Accuracy", accuracyView),
  new StatisticsView("changes", "Change", "Speed now over speed before: above 1 it has become faster.", () => (hasBefore ? changes(chosenRows()) : null)),
  new ChartView("change", "Sorted change", changeView),
  ...ladderGroups().map((ladders, k) => new ChartView(`ladder-${k}`, `Ladder: ${ladders[0].problem.replace(/\d+(x\d+)*/, "n")}${ladders[0].is_before ? ", before" : ""}`,
    () => ladderView(ladders), true)),
  new ProblemTable(),
];

function update() {
  for (const view of views) view.update();
  document.getElementById("count").textContent = `${chosenRows().length} of ${shownRows.length} problems`;
}

function fillSelect(select, values, all) {
  select.replaceChildren(...(all ? [element("option", { value: "" }, all)] : []), ...values.map(([value, text]) => element("option", { value }, text)));
  if (all) select.closest("label").hidden = values.length < 2;
}

function fillForm() {
  const named = (values) => distinct(values).sort().map((value) => [value, value]);
  fillSelect(form.kind, named(shownRows.map((row) => row.kind)), "all");
  fillSelect(form.type, named(shownRows.map((row) => row.type)), "all");
  fillSelect(form.run, distinct(shownRows.map((row) => row.run)).map((index) => [index, runTitle(report.runs[index], index)]), "all");
  fillSelect(form.base, libraries.map((name) => [name, name]), "");
  for (const name of libraries)
    document.getElementById("libraries").append(element("label", {}, element("input", { type: "checkbox", name: "library", value: name, checked: true }), swatch(styleOf(name)), name));
  form.hidden = !shownRows.length;
}
function runTitle(run, index) {
  const machine = run.machine.gpu || run.machine.cpu || "";
  return `${index + 1}: ${[run.label, run.seed !== null && run.seed !== undefined && `seed ${run.seed}`, machine].filter(Boolean).join(", ")}`;
}

function readForm() {
  for (const name of ["text", "kind", "type", "run", "base"]) choice[name] = form[name].value;
  choice.libraries = new Set([...form.querySelectorAll("input[name=library]:checked")].map((box) => box.value));
  update();
}

function fillHeader() {
  const runs = report.runs.map((run, index) => ({ run, index }));
  const shown = runs.filter(({ run }) => !run.is_before).map(({ run }) => run);
  const machines = distinct(shown.map((run) => run.machine.gpu || run.machine.cpu).filter(Boolean));
  const dates = distinct(shown.map((run) => (run.date || "").slice(0, 10)).filter(Boolean)).sort();
  const files = distinct([...shown.map((run) => run.file), ...report.ladders.map((ladder) => ladder.file)]).filter(Boolean);
  document.getElementById("facts").textContent = [shownRows.length && `${shownRows.length} problems`, libraries.length && libraries.join(", "), machines.join("; "),
    dates.join(", "), files.join(", "), hasBefore && `compared with ${distinct(runs.filter(({ run }) => run.is_before).map(({ run }) => run.file)).join(", ")}`,
    `swirl ${report.swirl}`].filter(Boolean).join(" · ");
  const list = document.querySelector("#runs > div");
  document.getElementById("runs").hidden = !runs.length;
  for (const { run, index } of runs) list.append(element("h3", {}, `${runTitle(run, index)}${run.is_before ? " (before)" : ""}`), runDetails(run));
  document.title = `swirl report: ${files.join(", ") || shown.map((run) => run.command).join(", ")}`;
}

fillHeader();
fillForm();
document.querySelector("main").append(...views.map((view) => view.section));
for (const [left, right] of [["sorted", "histogram"], ["roofline", "accuracy"]]) { // beside each other where there is room
  const pair = element("div", { class: "pair" });
  document.getElementById(left).before(pair);
  pair.append(document.getElementById(left), document.getElementById(right));
}
if (!hasCharts) document.querySelector("main").prepend(element("p", {}, "swirl was built without Chart.js (Debian: libjs-chart.js), so this page has tables only."));
document.getElementById("licence").hidden = !hasCharts;
// Of very many problems the charts are drawn when typing pauses.
let pause = 0;
form.addEventListener("input", () => {
  clearTimeout(pause);
  if (shownRows.length <= 1000) readForm();
  else pause = setTimeout(readForm, 250);
});
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(readForm));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
// Paper is light, and narrower than the window.
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("printing");
  update();
  for (const view of views) if (view.chart) view.chart.resize(680, 320);
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printing");
  update();
});
update();
const linked = /^#row=(\d+)$/.exec(location.hash);
if (linked && report.rows[linked[1]]) openRow(report.rows[linked[1]], null);
