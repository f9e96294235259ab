#pragma once

#include "lower/context.hpp"
#include "lower/pointwise.hpp"
#include "lower/pointwise_arithmetic.hpp"
#include "lower/tabled_copy.hpp"

#include <optional>
#include <vector>

namespace swirl::lower {

/// Emits what is done to the numbers at some places of the caller's memory.
class PointwiseEmitter {
public:
    /// Of one side; null where nothing is done. `loops`: around the places, as for IndexTables.
    PointwiseEmitter(Context& context, const std::optional<Pointwise>& pointwise,
                     const std::vector<Location>& places, const std::vector<Loop>& loops);

    /// One part of a place that is seen as a pair of reals, else all of it.
    struct Part {
        std::size_t place;
        std::size_t part;
    };
    using Number = PointwiseArithmetic::Number;

    /// Whether memory is touched: always, never, or where all of some conditions hold.
    enum class Touch : std::uint8_t { always, never, sometimes };
    Touch touch(const Part& part, bool loading) const;
    /// For `sometimes`: a boolean; conditions for a statement, without tables of indices.
    ir::Value condition(const Part& part, bool loading);
    std::vector<ir::Condition> conditions(const Part& part, bool loading);

    /// A form's value in this iteration, times 1, 2 or −1.
    ir::Value integer(const Part& part, int form, Integer factor = 1);

    Number apply(const Part& part, const Number& x);
    Number zero(bool complex) { return arithmetic_.zero(complex); }

private:
    const std::vector<Affine>& forms_of(const Part& part) const;
    std::vector<Pointwise::Condition> conditions_of(bool loading) const;
    ir::Value is_negative(ir::Value integer);
    Number element(const Pointwise::Node& node, const Part& part);
    ir::Value compared(const Pointwise::Node& node, const Part& part);

    Context& context_;
    const std::optional<Pointwise>& pointwise_;
    const std::vector<Location>& places_;
    PointwiseArithmetic arithmetic_;
    std::optional<IndexTables> tables_; ///< of forms that are looked up
    std::vector<std::vector<std::vector<std::size_t>>>
        looked_up_; ///< by place, part and form: the table's number
    std::vector<Location> table_places_;
};

} // namespace swirl::lower
