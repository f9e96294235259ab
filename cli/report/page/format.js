// Values as text, and elements of the page. All text goes in as text nodes: names and commands of results are not HTML.

function number(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)) return value.toExponential(digits - 1).replace(/\.?0*e\+?/, "e");
  const rounded = Number(value.toPrecision(digits));
  return Math.abs(rounded) >= 1000 ? Math.round(value).toLocaleString("en") : String(rounded);
}
function seconds(value) {
  for (const [unit, name] of [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]])
    if (value >= unit) return `${number(value / unit)} ${name}`;
  return `${number(value / 1e-9)} ns`;
}
const percent = (value) => (value === null ? "–" : `${Math.round(100 * value)}%`);
const ratioText = (value) => (value === null ? "–" : value.toFixed(2));
const size = (n) => (Number.isInteger(n) ? n.toLocaleString("en") : number(n));

/// element("td", {class: "number", onclick: f}, text or elements …)
function element(name, attributes = {}, ...children) {
  const result = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on")) result.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) result.setAttribute(key, value === true ? "" : value);
  result.append(...children.filter((child) => child !== null && child !== undefined));
  return result;
}

/// A table of rows of cells: text, elements, or {number: text, bad: whether it is to be marked}.
function simpleTable(header, rows) {
  const isNumber = (cell) => cell !== null && typeof cell === "object" && "number" in cell;
  const first = rows[0] || [];
  const head = element("tr", {}, ...header.map((text, column) =>
    element("th", { scope: "col", class: isNumber(first[column]) ? "number" : null }, text)));
  const body = rows.map((cells) => element("tr", {}, ...cells.map((cell) => isNumber(cell)
    ? element("td", { class: cell.bad ? "number bad" : "number" }, cell.number) : element("td", {}, cell))));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
}
const figure = (text, bad = false) => ({ number: text, bad });

function definitions(pairs) {
  return element("dl", {}, ...pairs.filter(([, value]) => value !== undefined && value !== null && value !== "").flatMap(
    ([name, value]) => [element("dt", {}, name), element("dd", {}, value instanceof Node ? value : String(value))]));
}
