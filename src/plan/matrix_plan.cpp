#include "plan/matrix_plan.hpp"

#include "base/error.hpp"
#include "plan/matrix_kernels.hpp"
#include "plan/matrix_values.hpp"
#include "plan/portable_product.hpp"

#include <cstdint>
#include <utility>

namespace swirl::planning {

MatrixPlan::MatrixPlan(const MatrixProduct& product, int threads)
    : product_(product),
      oriented_(product),
      is_turned_(wants_transposition(product)),
      threads_(threads_worthwhile(product, threads)),
      a_(extent_of(product.a, product.rows, product.depth, product.batch)),
      b_(extent_of(product.b, product.depth, product.columns, product.batch)),
      c_(extent_of(product.c, product.rows, product.columns, product.batch)) {
    if (is_turned_) oriented_ = transposed(product);
    oriented_.batch = 1;
    oriented_.a.batch_stride = oriented_.b.batch_stride = oriented_.c.batch_stride = 0;
    const bool is_empty =
        product.rows == 0 || product.columns == 0 || product.depth == 0 || product.batch == 0;
    is_small_ =
        !is_empty && threads_ == 1 && gemm::suits_small_product(oriented_) && !needs_portable_products();
    if (is_small_) kernel(gemm::Update::overwrite, true);
}

/// Made when it is first asked for.
const SmallKernel& MatrixPlan::kernel(gemm::Update update, bool alpha_is_one) const {
    const std::size_t kind = static_cast<std::size_t>(update) * 2 + (alpha_is_one ? 1 : 0);
    if (const SmallKernel* made = kernels_[kind].load(std::memory_order_acquire)) return *made;
    const std::lock_guard lock(making_);
    if (made_[kind] == nullptr) {
        const target::Cpu& cpu = target::host_cpu();
        made_[kind] = std::make_unique<const SmallKernel>(
            gemm::model_small_product(oriented_, update, alpha_is_one,
                                      gemm::small_block_depth(oriented_, cpu), cpu),
            cpu);
        kernels_[kind].store(made_[kind].get(), std::memory_order_release);
    }
    return *made_[kind];
}

void MatrixPlan::execute(const MatrixArguments& arguments) const {
    if (product_.rows == 0 || product_.columns == 0 || product_.batch == 0) return;
    check(arguments);
    if (is_small_ && !is_zero(product_.number, arguments.alpha))
        run_small(arguments);
    else
        multiply(product_, arguments, threads_);
}

void MatrixPlan::run_small(const MatrixArguments& arguments) const {
    const SmallKernel& chosen =
        kernel(update_for(product_.number, arguments.beta), is_one(product_.number, arguments.alpha));
    MatrixArguments of_matrix = arguments;
    if (is_turned_) std::swap(of_matrix.a, of_matrix.b);
    if (product_.batch == 1) return chosen.run(of_matrix);
    const Integer bytes = bytes_of(product_.number);
    Integer a = product_.a.batch_stride * bytes, b = product_.b.batch_stride * bytes;
    if (is_turned_) std::swap(a, b);
    for (Integer matrix = 0; matrix < product_.batch; ++matrix) {
        chosen.run(of_matrix);
        of_matrix.a = static_cast<const std::byte*>(of_matrix.a) + a;
        of_matrix.b = static_cast<const std::byte*>(of_matrix.b) + b;
        of_matrix.c = static_cast<std::byte*>(of_matrix.c) + product_.c.batch_stride * bytes;
    }
}

void MatrixPlan::check(const MatrixArguments& arguments) const {
    check_pointer("c", arguments.c);
    if (product_.depth == 0 || is_zero(product_.number, arguments.alpha)) return;
    check_pointer("a", arguments.a);
    check_pointer("b", arguments.b);
    check_apart("a", arguments.a, a_, arguments.c);
    check_apart("b", arguments.b, b_, arguments.c);
}

void MatrixPlan::check_pointer(const char* name, const void* pointer) const {
    if (pointer == nullptr) throw UserError("argument '{}' is a null pointer", name);
    const Integer alignment = bytes_of(product_.number) / (is_complex(product_.number) ? 2 : 1);
    if (reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(alignment) != 0)
        throw UserError("argument '{}' is {}, not a multiple of {} bytes", name, pointer, alignment);
}

/// Whole ranges are compared: matrices that interlock without a common element count as overlapping.
void MatrixPlan::check_apart(const char* name, const void* pointer, const Extent& extent,
                             const void* c) const {
    const auto address = [](const void* p) {
        return static_cast<Integer>(reinterpret_cast<std::intptr_t>(p));
    };
    const Integer bytes = bytes_of(product_.number);
    const bool is_before = address(pointer) + (extent.highest + 1) * bytes <= address(c) + c_.lowest * bytes;
    const bool is_behind = address(c) + (c_.highest + 1) * bytes <= address(pointer) + extent.lowest * bytes;
    if (!is_before && !is_behind)
        throw UserError("arguments '{}' ({}) and 'c' ({}) overlap; C must lie apart from A and B", name,
                        pointer, c);
}

double MatrixPlan::flops() const {
    const double of_number = is_complex(product_.number) ? 8 : 2;
    return of_number * static_cast<double>(product_.rows) * static_cast<double>(product_.columns) *
           static_cast<double>(product_.depth) * static_cast<double>(product_.batch);
}

std::string MatrixPlan::description() const {
    if (is_small_) {
        const gemm::SmallProduct& small = kernel(gemm::Update::overwrite, true).small();
        return fmt::format("{}: one kernel, tile {}x{}, unroll {}, depth {}, {} outside",
                           target::host_cpu().name, small.tile.rows(), small.tile.columns, small.unroll,
                           small.block_depth, small.rows_outside ? "rows" : "columns");
    }
    if (needs_portable_products()) return fmt::format("built-in tiles, {} threads", threads_);
    const gemm::Schedule& schedule = MatrixKernels::of_this_machine(product_.number).schedule();
    return fmt::format("{}: packed blocks {}x{}x{}, tile {}x{}, unroll {}, {} threads",
                       target::host_cpu().name, schedule.block_rows, schedule.block_columns,
                       schedule.block_depth, schedule.tile.rows(), schedule.tile.columns, schedule.unroll,
                       threads_);
}

} // namespace swirl::planning
