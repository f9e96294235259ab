#include "plan/portable/addresses.hpp"

#include "loops/index_table.hpp"

#include <algorithm>

namespace swirl::planning {

Iterations::Iterations(std::vector<loops::Loop> loops) : loops_(std::move(loops)) {
    for (const loops::Loop& loop : loops_) count_ *= loop.count;
}

AddressForms::AddressForms(const Iterations& iterations, std::vector<loops::Loop> around)
    : iterations_(iterations), loops_(std::move(around)) {
    loops_.insert(loops_.end(), iterations.loops().begin(), iterations.loops().end());
}

std::size_t AddressForms::add(const Affine& address, const loops::Location& location) {
    if (!location.table) return add(address);
    const Variable symbol = location.table->symbol;
    const std::vector<loops::Loop> varying = loops::table_loops(*location.table, loops_);
    std::vector<Integer> table;
    loops::for_each_value(*location.table, varying,
                          [&](Integer value) { table.push_back(value * address.coefficient(symbol)); });
    return add(Form{terms_of(address.substitute(symbol, 0)), std::move(table), row_of(varying)});
}

std::size_t AddressForms::add(Form form) {
    const auto known = std::find(forms_.begin(), forms_.end(), form);
    if (known != forms_.end()) return static_cast<std::size_t>(known - forms_.begin());
    Integer stride = 0;
    for (const Affine::Term& term : form.terms)
        if (!iterations_.loops().empty() && term.variable == iterations_.loops().back().variable)
            stride = term.coefficient;
    strides_.push_back(stride);
    forms_.push_back(std::move(form));
    return forms_.size() - 1;
}

Integer AddressForms::evaluate(const Form& form, const Integer* values) {
    Integer sum = 0;
    for (const Affine::Term& term : form.terms) sum += term.coefficient * values[term.variable];
    if (form.table.empty()) return sum;
    const Integer row = form.row.evaluate([&](Variable v) { return values[v]; });
    return sum + form.table[static_cast<std::size_t>(row)];
}

void AddressForms::next(Integer* values, Integer lanes, std::span<LaneBases> bases) const {
    const bool is_consecutive = iterations_.is_consecutive(values, lanes);
    bool all_uniform = true;
    for (std::size_t k = 0; k < forms_.size(); ++k) {
        bases[k].uniform = is_consecutive && forms_[k].table.empty();
        all_uniform = all_uniform && bases[k].uniform;
        if (!bases[k].uniform) continue;
        bases[k].first = evaluate(forms_[k], values);
        bases[k].stride = strides_[k];
    }
    if (all_uniform) return iterations_.advance(values, lanes);
    for (Integer lane = 0; lane < lanes; ++lane) {
        for (std::size_t k = 0; k < forms_.size(); ++k)
            if (!bases[k].uniform) bases[k].lanes[lane] = evaluate(forms_[k], values);
        iterations_.advance(values, 1);
    }
}

Affine row_of(const std::vector<loops::Loop>& loops) {
    Affine row = 0;
    Integer stride = 1;
    for (std::size_t k = loops.size(); k-- > 0; stride *= loops[k].count)
        row += Affine::of(loops[k].variable, stride);
    return row;
}

} // namespace swirl::planning
