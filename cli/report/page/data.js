"use strict";
// The results, what is chosen of them, and statistics. scripts/report defines the same figures.

const report = JSON.parse(document.getElementById("data").textContent);
const slowerThan = 0.95;

report.rows.forEach((row, index) => {
  row.index = index;
  row.floor = Math.max(0, ...Object.values(row.floors));
});
const runOf = (row) => report.runs[row.run];
const isBefore = (row) => runOf(row).is_before;
const beforeOf = (row) => (row.before === undefined ? null : report.rows[row.before]);
const shownRows = report.rows.filter((row) => !isBefore(row));
const hasBefore = shownRows.some((row) => row.before !== undefined);

const distinct = (values) => [...new Set(values)];
const libraries = distinct(["swirl", ...shownRows.flatMap((row) => Object.keys(row.libraries))]).filter((name) =>
  shownRows.some((row) => name in row.libraries));

/// The entry of a library that has a time; wrong results have none.
function timed(row, library) {
  const entry = row && row.libraries[library];
  return entry && !entry.wrong ? entry : null;
}
const gigaflops = (row, seconds) => (row.flops / seconds) * 1e-9;

/// Time of another library over that of the base: above 1 the base is faster.
function ratio(row, library, base) {
  const other = timed(row, library), own = timed(row, base);
  return other && own ? other.median / own.median : null;
}
/// The fastest of the libraries but the base: its name and its ratio.
function fastest(row, names, base) {
  let best = null;
  for (const name of names) {
    const value = name === base ? null : ratio(row, name, base);
    if (value !== null && (best === null || value < best.ratio)) best = { name, ratio: value };
  }
  return best;
}

const geometricMean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
const quantile = (sorted, part) => sorted[Math.trunc(part * (sorted.length - 1))];
function median(sorted) {
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
function statistics(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    count: sorted.length, sorted, slower: sorted.filter((value) => value < slowerThan).length / sorted.length,
    fifth: quantile(sorted, 0.05), twentieth: quantile(sorted, 0.2), median: median(sorted), least: sorted[0],
    mean: geometricMean(sorted),
  };
}

/// What is chosen: all of it if a member is empty.
const choice = { text: "", kind: "", type: "", run: "", base: libraries[0] || "", libraries: new Set(libraries) };

function textOf(row) {
  return [row.problem, row.kind, ...Object.values(row.libraries).map((entry) => entry.made_by || "")].join("\n").toLowerCase();
}
/// All words must occur.
function chosenRows() {
  const words = choice.text.toLowerCase().split(/\s+/).filter(Boolean);
  return shownRows.filter((row) =>
    (!choice.kind || row.kind === choice.kind) && (!choice.type || row.type === choice.type) &&
    (choice.run === "" || row.run === Number(choice.run)) &&
    (!words.length || words.every((word) => textOf(row).includes(word))));
}
const chosenLibraries = () => libraries.filter((name) => choice.libraries.has(name));
