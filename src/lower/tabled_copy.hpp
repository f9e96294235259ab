#pragma once

#include "lower/context.hpp"

#include <optional>
#include <vector>

namespace swirl::lower {

/// Those of the loops that a table of indices varies with, in the same order.
std::vector<Loop> table_loops(const IndexTable& table, const std::vector<Loop>& loops);
/// The table's values, for each iteration of `varying`, the last loop fastest.
std::vector<Integer> table_values(const IndexTable& table, const std::vector<Loop>& varying);

/// What of a codelet's addresses comes out of tables of indices, all in one: [entry][loops that its index varies with].
class IndexTables {
public:
    IndexTables(Context& context, const std::vector<Location>& places, const std::vector<Loop>& loops);

    /// To be added to the address of the place's real part; ir::no_value where nothing is.
    ir::Value dynamic(std::size_t place) { return load(indices_[place]); }
    /// The same of the imaginary part, which may lie further on where the real part lies further back.
    ir::Value dynamic_of_imaginary(std::size_t place) { return load(imaginary_[place]); }

private:
    ir::Value load(const std::optional<Affine>& index);
    Affine add(const Location& place, const Affine& form, const std::vector<Loop>& varying,
               std::vector<Integer>& all) const;

    Context& context_;
    std::vector<std::optional<Affine>> indices_; ///< into the table
    std::vector<std::optional<Affine>> imaginary_;
    std::optional<ir::Buffer> table_;
};

/// Emits a copy of which one side at least is reached through a table of indices.
void emit_tabled_copy(Context& context, const Call& call);

} // namespace swirl::lower
