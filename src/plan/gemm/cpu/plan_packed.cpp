#include "base/error.hpp"
#include "plan/gemm/cpu/plan.hpp"

namespace swirl::planning {

using Operand = MatrixKernels::Operand;

/// If kernels do not read panels, a packed operand is a plain copy.
bool MatrixPlan::copies_operands() const { return code_.is_builtin() || route_; }

/// For A or B of the product as given, not the canonical one.
PackedForm MatrixPlan::form_of(Operand operand) const {
    const bool is_a = operand == Operand::a;
    PackedForm form{.operand = is_a != is_swapped_ ? Operand::a : Operand::b,
                    .data_type = product_.data_type,
                    .extent = is_a ? product_.rows : product_.columns,
                    .k_extent = product_.k,
                    .matrices = (is_a ? product_.a : product_.b).batch_stride == 0 ? 1 : product_.batch};
    form.kc = form.k_extent;
    if (is_empty_ || copies_operands()) return form;
    const bool are_rows = form.operand == Operand::a;
    const auto width = [&](const gemm::Tile& tile) -> Integer {
        return are_rows ? tile.rows() : tile.columns;
    };
    if (schedule_.cpu_gemm().dot() != nullptr) {
        form.along_k = are_rows;
    } else if (!is_small_) {
        form.width = width(code_.blocks->schedule().tile);
        form.kc = std::min(kc_of(canonical_, code_), form.k_extent);
    } else if (are_rows && is_complex(product_.data_type)) {
        form.width = width(schedule_.cpu_gemm().unpacked()->tile); // other operands are read in place
    }
    return form;
}

std::shared_ptr<const PackedMatrix> MatrixPlan::pack(Operand operand, const void* data) const {
    const bool is_a = operand == Operand::a;
    const MatrixLayout& layout = is_a ? product_.a : product_.b;
    const PackedForm& form = forms_[is_a ? 0 : 1];
    if (!is_empty_) report_pointer(is_a ? "a" : "b", data, misaligned_[is_a ? 0 : 1]);
    std::shared_ptr<MatrixKernels> kernels = code_.blocks;
    if (is_small_ && form.width != 0)
        kernels =
            MatrixKernels::shared(gemm::OperandTypes::all(product_.data_type),
                                  {.tile = schedule_.cpu_gemm().unpacked()->tile}, *cpu_, {}, code_.check);
    return std::make_shared<const PackedMatrix>(form, data, is_swapped_ ? transposed(layout) : layout,
                                                kernels.get());
}

/// An operand, prepacked or not.
void MatrixPlan::check_packed(const char* name, const void* pointer, const PackedMatrix* packed,
                              Operand operand, const void* c) const {
    if (packed == nullptr) {
        report_pointer(name, pointer, misaligned_[operand == Operand::a ? 0 : 1]);
        check_disjoint_from_c(operand, pointer, c);
        return;
    }
    const PackedForm& wanted = forms_[operand == Operand::a ? 0 : 1];
    if (packed->form() != wanted)
        throw UserError(
            "the packed '{}' does not fit this plan\n  it is {}\n  the plan needs {}, by "
            "its "
            "schedule '{}'\n  pack it with this plan, or with one of the same data type, extents, order of C "
            "and, in "
            "blocks, the same {} and kc",
            name, packed->form().text(), wanted.text(), to_string(schedule()),
            wanted.operand == Operand::a ? "mr" : "nr");
}

void MatrixPlan::execute_packed(const MatrixArguments& arguments, ScalarKind alpha, ScalarKind beta,
                                const void* const* arrays, const PackedMatrix* a,
                                const PackedMatrix* b) const {
    if (is_empty_ || alpha == ScalarKind::zero) return execute_any(arguments, alpha, beta, arrays);
    report_pointer("c", arguments.c, misaligned_[2]);
    check_beta(product_, arguments.beta);
    check_packed("a", arguments.a, a, Operand::a, arguments.c);
    check_packed("b", arguments.b, b, Operand::b, arguments.c);
    if (epilogue_ != nullptr || reductions_ != nullptr) check_arrays(arguments, alpha, arrays);
    MatrixExtras extras{.epilogue = {epilogue_.get(), arrays},
                        .reductions = {reductions_.get(), arrays},
                        .a = PackedPanels(a),
                        .b = PackedPanels(b)};
    if (is_swapped_) std::swap(extras.a, extras.b);
    if (is_small_) return finish_small(arguments, alpha, beta, extras);
    MatrixArguments given = arguments;
    given.extras = &extras;
    if (!copies_operands()) return multiply(product_, given, code_, threads_);
    MatrixProduct product = product_;
    const auto lay_out = [&](const PackedMatrix* packed, MatrixLayout& layout, const void*& pointer) {
        if (packed == nullptr) return;
        layout = is_swapped_ ? transposed(packed->form().layout()) : packed->form().layout();
        pointer = packed->matrix(0);
    };
    lay_out(a, product.a, given.a);
    lay_out(b, product.b, given.b);
    extras.a = extras.b = {};
    extras.route = route_;
    multiply(product, given, code_, threads_);
}

} // namespace swirl::planning
