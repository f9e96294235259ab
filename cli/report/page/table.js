// All problems: sorted by any column.

class ProblemTable {
  constructor() {
    Object.assign(this, { column: "problem", descending: false, isWhole: false });
    this.body = element("div", { class: "scroll" });
    this.section = element("section", { id: "problems", "aria-label": "All problems" }, element("h2", {}, "All problems"),
      element("p", { class: "caption" }, "A column's head sorts by it; a problem opens its plan."), this.body);
  }

  columns() {
    const base = choice.base, names = chosenLibraries().filter((name) => name !== base);
    const own = (row) => timed(row, base);
    const best = (row) => fastest(row, names, base);
    const marked = (value) => figure(ratioText(value), value !== null && value < slowerThan);
    return [
      { name: "problem", value: (row) => row.problem, cell: openButton },
      { name: "kind", value: (row) => row.kind, cell: (row) => element("span", { class: "whole" }, row.kind) },
      { name: "type", value: (row) => row.type },
      { name: "n", value: (row) => row.n, cell: (row) => figure(size(row.n)) },
      { name: `${base}'s time`, value: (row) => (own(row) ? own(row).median : null), cell: (row) => figure(own(row) ? seconds(own(row).median) : row.libraries[base] ? "wrong" : "–", !own(row)) },
      { name: "Gflop/s", value: (row) => (own(row) ? gigaflops(row, own(row).median) : null), cell: (row) => figure(own(row) ? number(gigaflops(row, own(row).median)) : "–") },
      { name: "% of the floor", value: (row) => (own(row) && row.floor ? row.floor / own(row).median : null), cell: (row) => figure(percent(own(row) && row.floor ? row.floor / own(row).median : null)) },
      ...(names.length > 1 ? [{ name: "fastest other", value: (row) => (best(row) || { ratio: null }).ratio, cell: (row) => marked((best(row) || { ratio: null }).ratio) }] : []),
      ...names.map((name) => ({ name: `${name} ÷ ${base}`, value: (row) => ratio(row, name, base), cell: (row) => marked(ratio(row, name, base)) })),
      ...(hasBefore ? [{ name: "now ÷ before", value: (row) => this.change(row), cell: (row) => marked(this.change(row)) }] : []),
      { name: "distance", value: (row) => (own(row) ? own(row).distance ?? null : null), cell: (row) => figure(own(row) && own(row).distance !== undefined ? number(own(row).distance) : "–") },
    ];
  }
  change(row) {
    const before = timed(beforeOf(row), choice.base), now = timed(row, choice.base);
    return before && now ? before.median / now.median : null;
  }

  /// Rows without a value are last either way.
  sorted(rows, column) {
    const sign = this.descending ? -1 : 1;
    return rows.map((row) => ({ row, value: column.value(row) })).sort((a, b) => {
      if (a.value === null || b.value === null) return (a.value === null) - (b.value === null);
      return sign * (typeof a.value === "string" ? a.value.localeCompare(b.value, "en", { numeric: true }) : a.value - b.value);
    }).map((one) => one.row);
  }

  update() {
    this.section.hidden = !shownRows.length;
    const most = 300, columns = this.columns();
    const column = columns.find((one) => one.name === this.column) || columns[0];
    const rows = this.sorted(chosenRows(), column), shown = this.isWhole ? rows : rows.slice(0, most);
    const isNumber = (one) => rows.length && one.cell && "number" in one.cell(rows[0]);
    const head = columns.map((one) => element("th", { scope: "col", class: isNumber(one) ? "number" : null, "aria-sort": one === column ? (this.descending ? "descending" : "ascending") : null },
      element("button", { type: "button", onclick: () => this.sortBy(one.name, one === column) }, one.name + (one === column ? (this.descending ? " ▼" : " ▲") : ""))));
    const body = shown.map((row) => element("tr", { "data-row": row.index }, ...columns.map((one) => {
      const cell = one.cell ? one.cell(row) : one.value(row);
      return cell !== null && typeof cell === "object" && "number" in cell ? element("td", { class: cell.bad ? "number bad" : "number" }, cell.number) : element("td", {}, cell);
    })));
    this.body.replaceChildren(element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
    if (shown.length < rows.length) this.body.append(element("button", { type: "button", onclick: () => { this.isWhole = true; this.update(); } }, `Show all ${rows.length}`));
  }

  sortBy(name, isCurrent) {
    this.descending = isCurrent ? !this.descending : false;
    this.column = name;
    this.update();
    const button = [...this.body.querySelectorAll("th button")].find((one) => one.textContent.startsWith(name));
    if (button) button.focus();
  }
}
