#pragma once

#include "loops/pointwise.hpp"
#include "lower/context.hpp"
#include "lower/pointwise_arithmetic.hpp"
#include "lower/tabled_copy.hpp"

#include <optional>
#include <vector>

namespace swirl::lower {

/// Emits a load or store callback for elements at some locations of the caller's memory.
class PointwiseEmitter {
public:
    /// For one side; null if it has no callback. `loops`: the loops around the locations, as for IndexTables.
    PointwiseEmitter(Context& context, const std::optional<Pointwise>& pointwise,
                     const std::vector<Location>& locations, const std::vector<Loop>& loops);

    /// One component of a location viewed as a pair of reals, else the whole location.
    struct Component {
        std::size_t location;
        std::size_t component;
    };
    using ComplexValue = PointwiseArithmetic::ComplexValue;

    /// Whether memory is accessed: always, never, or only where some conditions hold.
    enum class Touch : std::uint8_t { always, never, sometimes };
    Touch touch(const Component& component, bool loading) const;
    /// In a loop that becomes vector lanes: its variable. Then forms are reals in every lane.
    void set_lane(std::optional<Variable> variable) { lane_ = variable; }

    /// For `sometimes`: the condition as a boolean, or as conditions of a statement if no index tables are involved.
    ir::Value condition(const Component& component, bool loading);
    std::vector<ir::Condition> conditions(const Component& component, bool loading);

    /// A form's value in this iteration, times 1, 2 or −1.
    ir::Value integer(const Component& component, int form, Integer factor = 1);

    /// On a CPU: the value where `where` holds for the element, elsewhere 0.
    ComplexValue masked(const Component& component, ComplexValue value);

    ComplexValue apply(const Component& component, const ComplexValue& x);
    ComplexValue zero(bool complex) { return arithmetic_.zero(complex); }

private:
    const std::vector<Affine>& forms_of(const Component& component) const;
    std::vector<Pointwise::Condition> conditions_of(bool loading) const;
    ir::Value is_negative(ir::Value integer);
    ir::Value real_form(const Component& component, int form);
    ir::Value is_form_negative(const Component& component, int form);
    ir::Value is_form_positive(const Component& component, int form);
    ComplexValue element(const Pointwise::Node& node, const Component& component);
    ir::Value compared(const Pointwise::Node& node, const Component& component);

    Context& context_;
    const std::optional<Pointwise>& pointwise_;
    const std::vector<Location>& locations_;
    PointwiseArithmetic arithmetic_;
    std::optional<IndexTables> tables_; ///< for forms that are looked up
    std::vector<std::vector<std::vector<std::size_t>>>
        looked_up_; ///< by location, component and form: the table's index
    std::vector<Location> table_places_;
    std::optional<Variable> lane_;
};

} // namespace swirl::lower
