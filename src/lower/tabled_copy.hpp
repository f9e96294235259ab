#pragma once

#include "base/error.hpp"
#include "lower/context.hpp"

#include <optional>
#include <vector>

namespace swirl::lower {

/// Those of the loops that a table of indices varies with, in the same order.
std::vector<Loop> table_loops(const IndexTable& table, const std::vector<Loop>& loops);
/// Calls f(value) with the table's value in each iteration of `varying`, the last loop fastest.
template <class F> void for_each_value(const IndexTable& table, const std::vector<Loop>& varying, F&& f) {
    std::vector<Integer> iteration(varying.size());
    const IndexTable::Lookup lookup = [&](Variable v) {
        for (std::size_t k = varying.size(); k-- > 0;)
            if (varying[k].variable == v) return iteration[k];
        throw InternalError("a table of indices depends on a variable outside its loops");
    };
    Integer size = 1;
    for (const Loop& loop : varying) size *= loop.count;
    for (Integer row = 0; row < size; ++row) {
        f(table.value(lookup));
        for (std::size_t k = varying.size(); k-- > 0;) {
            if (++iteration[k] < varying[k].count) break;
            iteration[k] = 0;
        }
    }
}

/// What of a codelet's addresses comes out of tables of indices, all in one: [entry][loops that its index varies with].
class IndexTables {
public:
    IndexTables(Context& context, const std::vector<Location>& places, const std::vector<Loop>& loops);

    /// To be added to the address of the place's real part; ir::no_value where nothing is.
    ir::Value dynamic(std::size_t place) { return load(indices_[place]); }
    /// The same of the imaginary part, which may lie further on where the real part lies further back.
    ir::Value dynamic_of_imaginary(std::size_t place) { return load(imaginary_[place]); }

private:
    /// What a form of a place takes from its table: the values times `coefficient`, from `first` on.
    struct Section {
        const IndexTable* table;
        std::vector<Loop> varying;
        Integer coefficient;
        Integer first;
        Integer size() const;
    };

    ir::Value load(const std::optional<Affine>& index);
    Affine add(const Location& place, const Affine& form, const std::vector<Loop>& loops);
    ir::Table contents() const;

    Context& context_;
    std::vector<Section> sections_;
    std::vector<std::optional<Affine>> indices_; ///< into the table
    std::vector<std::optional<Affine>> imaginary_;
    std::optional<Context::TablePlace> table_;
};

/// Emits a copy of which one side at least is reached through a table of indices.
void emit_tabled_copy(Context& context, const Call& call);

} // namespace swirl::lower
