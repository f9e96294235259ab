#pragma once

#include "loops/index_table.hpp"
#include "lower/context.hpp"

#include <optional>
#include <vector>

namespace swirl::lower {

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
