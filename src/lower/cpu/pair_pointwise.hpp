#pragma once

#include "loops/pointwise.hpp"
#include "lower/context.hpp"
#include "lower/pointwise_arithmetic.hpp"

#include <vector>

namespace swirl::lower {

/// Whether pair lowering takes the callback: it accesses all elements, each of them complex.
bool has_form_in_pairs(const Pointwise& pointwise);

/// A load or store callback on vectors whose lanes 2j and 2j+1 are the real and imaginary components of element j. A
/// real value is in both lanes of its element, so products with reals, and functions and comparisons of reals, go lane
/// by lane; a complex product exchanges neighbouring lanes.
class PairPointwise {
public:
    /// `width` complex elements per vector.
    PairPointwise(Context& context, const Pointwise& pointwise, int width)
        : context_(context),
          pointwise_(pointwise),
          width_(width),
          type_{context.request.loops.scalar, 2 * width},
          reals_(context.builder, type_) {}

    /// The forms of each element in use, in variables of the ir.
    using ElementForms = std::vector<std::vector<Affine>>;
    ir::Value apply(ir::Value x, const ElementForms& forms);

private:
    struct PairValue {
        PointwiseArithmetic::ComplexValue lanes; ///< `re` and, for a comparison, `test`
        bool is_complex;
    };

    PairValue evaluate(const Pointwise::Node& node, ir::Value x, const std::vector<PairValue>& known,
                       const ElementForms& forms);
    ir::Value sum(const PairValue& a, const PairValue& b, bool minus);
    ir::Value product(ir::Value a, ir::Value b);
    ir::Value as_complex(const PairValue& a);

    ir::Value element(const Pointwise::Node& node, const ElementForms& forms);
    ir::Value loaded(ir::Buffer buffer, const std::vector<Affine>& indices, Integer scalars);
    ir::Value real_form(int form, const ElementForms& forms);
    ir::Value compared(const Pointwise::Node& node, const ElementForms& forms);

    /// Lanes of element j, by `of(j)`.
    template <class Of> ir::Value shuffled(ir::Value a, ir::Value b, Of&& of);
    ir::Value repeated(ir::Value a, int component); ///< one component in both lanes
    ir::Value mixed(ir::Value re, ir::Value im); ///< real components of the one, imaginary ones of the other
    ir::Value constants(const std::vector<long double>& elements);

    Context& context_;
    const Pointwise& pointwise_;
    int width_;
    ir::Type type_;
    PointwiseArithmetic reals_;
};

} // namespace swirl::lower
