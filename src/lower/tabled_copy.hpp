#pragma once

#include "base/error.hpp"
#include "lower/context.hpp"

#include <optional>
#include <vector>

namespace swirl::lower {

/// The loops on which an index table depends, in the same order.
std::vector<Loop> table_loops(const IndexTable& table, const std::vector<Loop>& loops);
/// Calls f(value) with the table's value in each iteration of `varying`; the last loop runs fastest.
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

/// All index tables of a codelet's addresses, in one table: [entry][loops that its index depends on].
class IndexTables {
public:
    IndexTables(Context& context, const std::vector<Location>& locations, const std::vector<Loop>& loops);

    /// Offset to add to the address of the location's real component; ir::no_value if there is none.
    ir::Value dynamic(std::size_t location) { return load(indices_[location]); }
    /// The same for the imaginary component, whose offset may grow where that of the real one shrinks.
    ir::Value dynamic_of_imaginary(std::size_t location) { return load(imaginary_[location]); }

private:
    /// Table values for a form of a location: the index table's values times `coefficient`, from `first` on.
    struct Section {
        const IndexTable* table;
        std::vector<Loop> varying;
        Integer coefficient;
        Integer first;
        Integer size() const;
    };

    ir::Value load(const std::optional<Affine>& index);
    Affine add(const Location& location, const Affine& form, const std::vector<Loop>& loops);
    ir::Table contents() const;

    Context& context_;
    std::vector<Section> sections_;
    std::vector<std::optional<Affine>> indices_; ///< into the table
    std::vector<std::optional<Affine>> imaginary_;
    std::optional<Context::TableLocation> table_;
};

/// Emits a copy with an index table on at least one side.
void emit_tabled_copy(Context& context, const Call& call);

} // namespace swirl::lower
