#include "gemm/reduction.hpp"

#include <limits>

namespace swirl::gemm {

using ir::Value;

Value identity_of(ir::Builder& builder, ir::Type type, Reduce operation) {
    constexpr long double infinity = std::numeric_limits<long double>::infinity();
    return builder.constant(type, operation == Reduce::sum       ? 0
                                  : operation == Reduce::maximum ? -infinity
                                                                 : infinity);
}

/// Keeps a if it is NaN, and takes b if it is: b is not NaN if it is below 0 or above −1.
Value reduce_two(ir::Builder& builder, Reduce operation, Value a, Value b) {
    if (operation == Reduce::sum) return builder.add(a, b);
    const ir::Type type = builder.type(a);
    const Value further = operation == Reduce::maximum ? builder.less(a, b) : builder.less(b, a);
    const Value chosen = builder.select(further, b, a);
    const Value is_above = builder.less(builder.constant(type, -1), b);
    const Value is_below = builder.less(b, builder.constant(type, 0));
    return builder.select(is_below, chosen, builder.select(is_above, chosen, b));
}

} // namespace swirl::gemm
