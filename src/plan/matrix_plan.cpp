#include "plan/matrix_plan.hpp"

#include "base/error.hpp"
#include "plan/advanced_pointer.hpp"
#include "plan/matrix_arrays.hpp"
#include "plan/matrix_kernels.hpp"
#include "plan/portable_product.hpp"
#include "plan/sliced_kernels.hpp"

namespace swirl::planning {

MatrixPlan::MatrixPlan(const MatrixProduct& product, int threads, Accuracy accuracy)
    : kinds_of_numbers_(kinds_of(product.number_of_a(), product.number_of_b(), product.number_of_c())),
      product_(product),
      oriented_(product),
      is_turned_(wants_transposition(product)),
      is_empty_(product.rows == 0 || product.columns == 0 || product.depth == 0 || product.batch == 0),
      threads_asked_for_(threads),
      threads_(threads_worthwhile(product, threads)),
      misaligned_{misaligned_bits(product.number_of_a()), misaligned_bits(product.number_of_b()),
                  misaligned_bits(product.number_of_c())},
      accuracy_(accuracy) {
    if (is_turned_) oriented_ = transposed(product);
    oriented_.batch = 1;
    oriented_.a.batch_stride = oriented_.b.batch_stride = oriented_.c.batch_stride = 0;
    oriented_.epilogue = {};
    oriented_.reductions = {};
    const bool is_made_float = product.converts() && product.number == Number::int32;
    if (!product.epilogue.is_identity() || is_made_float)
        epilogue_ = std::make_unique<MatrixEpilogue>(product);
    if (!product.reductions.empty()) reductions_ = std::make_unique<MatrixReductions>(product);
    choose_route();
    is_small_ = !is_empty_ && !product.converts() && !route_ && threads_ == 1 &&
                gemm::suits_small_product(oriented_) && !needs_portable_products() &&
                (epilogue_ == nullptr || epilogue_->is_in_tiles());
    is_direct_ = is_small_ && epilogue_ == nullptr && reductions_ == nullptr;
    a_with_c_ = b_with_c_ = {0, 0};
    arrays_ = given_arrays_of(product);
    forms_ = {form_of(MatrixKernels::Operand::a), form_of(MatrixKernels::Operand::b)};
    if (is_empty_) return;
    const Extent c = extent_of(product.c, product.rows, product.columns, product.batch);
    const Integer bytes = bytes_of(product.number_of_c());
    a_with_c_ = overlap_of(extent_of(product.a, product.rows, product.depth, product.batch),
                           bytes_of(product.number_of_a()), c, bytes);
    b_with_c_ = overlap_of(extent_of(product.b, product.depth, product.columns, product.batch),
                           bytes_of(product.number_of_b()), c, bytes);
    if (is_small_) kernel(gemm::Update::overwrite, true);
}

/// By tile registers, where they are faster.
void MatrixPlan::choose_route() {
    if (is_empty_ || (epilogue_ != nullptr && !epilogue_->suits_slices())) return;
    route_ = sliced_route(oriented_, accuracy_);
    if (route_ && epilogue_ != nullptr)
        epilogue_->make_sliced(SlicedKernels::of(route_.products, gemm::TileNumbers::of(oriented_)));
}

/// Whole ranges are compared: matrices that interlock without a common element count as overlapping.
MatrixPlan::Overlap MatrixPlan::overlap_of(const Extent& first, Integer first_bytes, const Extent& second,
                                           Integer second_bytes) {
    // second + lowest … lies before first's end, and its end behind first + lowest.
    const Integer from = first.lowest * first_bytes - (second.highest + 1) * second_bytes + 1;
    const Integer to = (first.highest + 1) * first_bytes - second.lowest * second_bytes;
    return {static_cast<Address>(from), static_cast<Address>(to - from)};
}

/// Made when it is first asked for.
const SmallKernel& MatrixPlan::make_kernel(std::size_t kind, gemm::Update update, bool alpha_is_one,
                                           GivenPacked packed) const {
    const std::lock_guard lock(making_);
    if (made_[kind] == nullptr) {
        const target::Cpu& cpu = target::host_cpu();
        MatrixProduct product = oriented_;
        const PackedForm &a = oriented_form(MatrixKernels::Operand::a),
                         &b = oriented_form(MatrixKernels::Operand::b);
        if (packed.a && a.width == 0) product.a = a.layout();
        if (packed.b) product.b = b.layout();
        gemm::SmallProduct small = gemm::model_small_product(product, update, alpha_is_one,
                                                             gemm::small_block_depth(product, cpu), cpu);
        small.a_is_given_packed = packed.a && a.width > 0;
        if (epilogue_ != nullptr) small.epilogue = epilogue_->code();
        made_[kind] = std::make_unique<const SmallKernel>(small, cpu);
        kernels_[kind].store(made_[kind].get(), std::memory_order_release);
    }
    return *made_[kind];
}

void MatrixPlan::check(const MatrixArguments& arguments, Factor alpha, const void* const* arrays) const {
    check_beta(product_, arguments.beta);
    if (epilogue_ != nullptr || reductions_ != nullptr) check_arrays(arguments, alpha, arrays);
    if (product_.rows == 0 || product_.columns == 0 || product_.batch == 0) return;
    if (product_.depth == 0 || alpha == Factor::zero)
        report_pointer("c", arguments.c, misaligned_[2]);
    else if (!look_right(arguments))
        report(arguments);
}

void MatrixPlan::execute_any(const MatrixArguments& arguments, Factor alpha, Factor beta,
                             const void* const* arrays) const {
    check(arguments, alpha, arrays);
    MatrixExtras extras{.route = route_};
    if (epilogue_ != nullptr) extras.epilogue = {epilogue_.get(), arrays};
    if (reductions_ != nullptr) extras.reductions = {reductions_.get(), arrays};
    if (is_small_ && alpha != Factor::zero) return finish_small(arguments, alpha, beta, extras);
    MatrixArguments with_extras = arguments;
    with_extras.extras = &extras;
    multiply(product_, with_extras, threads_);
}

namespace {

/// Bytes that an execution touches.
struct Touched {
    std::string name;
    std::uintptr_t first = 0, end = 0;
    bool is_written = false;

    bool overlaps(const Touched& other) const { return first < other.end && other.first < end; }
};

Touched touched(std::string name, const void* pointer, const Extent& elements, Integer bytes,
                bool is_written) {
    const auto at = reinterpret_cast<std::uintptr_t>(pointer);
    return {std::move(name), at + static_cast<std::uintptr_t>(elements.lowest * bytes),
            at + static_cast<std::uintptr_t>((elements.highest + 1) * bytes), is_written};
}

} // namespace

void MatrixPlan::check_arrays(const MatrixArguments& arguments, Factor alpha,
                              const void* const* arrays) const {
    const std::size_t first_written = arrays_.size() - product_.reductions.size();
    const bool has_no_c = product_.rows == 0 || product_.columns == 0 || product_.batch == 0;
    const Integer scalar = ir::size_in_bytes(gemm::epilogue_scalar(product_.number));
    std::vector<Touched> all;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
        const ProblemArray& array = arrays_[k];
        if (array.elements == 0 || (has_no_c && k < first_written)) continue;
        if (arrays == nullptr || arrays[k] == nullptr) report_missing(product_, array);
        report_pointer(array.name.c_str(), arrays[k], static_cast<Address>(scalar - 1));
        all.push_back(touched("array " + array.name, arrays[k], {0, array.elements - 1},
                              scalar * (array.is_complex ? 2 : 1), k >= first_written));
    }
    const auto add = [&](const char* name, const void* pointer, const MatrixLayout& layout, Integer rows,
                         Integer columns, Number number, bool is_written) {
        if (pointer != nullptr)
            all.push_back(touched(fmt::format("'{}'", name), pointer,
                                  extent_of(layout, rows, columns, product_.batch), bytes_of(number),
                                  is_written));
    };
    if (!has_no_c)
        add("c", arguments.c, product_.c, product_.rows, product_.columns, product_.number_of_c(), true);
    if (!is_empty_ && alpha != Factor::zero && first_written < arrays_.size()) {
        add("a", arguments.a, product_.a, product_.rows, product_.depth, product_.number_of_a(), false);
        add("b", arguments.b, product_.b, product_.depth, product_.columns, product_.number_of_b(), false);
    }
    for (const Touched& written : all)
        for (const Touched& other : all)
            if (written.is_written && &written != &other && written.overlaps(other))
                throw UserError("{} and {} overlap; what is written must lie apart from everything else",
                                other.name, written.name);
}

/// By the kernel of its own, with what the extras have.
void MatrixPlan::finish_small(MatrixArguments arguments, Factor alpha, Factor beta,
                              MatrixExtras extras) const {
    const SmallKernel& chosen =
        kernel(update_for(beta), alpha == Factor::one, {.a = bool{extras.a}, .b = bool{extras.b}});
    if (is_turned_) std::swap(arguments.a, arguments.b);
    for (Integer matrix = 0; matrix < product_.batch; ++matrix) {
        MatrixArguments given = arguments;
        if (extras.a) given.a = extras.a.packed->matrix(matrix);
        if (extras.b) given.b = extras.b.packed->matrix(matrix);
        extras.epilogue.matrix = matrix;
        if (extras.epilogue)
            chosen.run(given, extras.epilogue);
        else
            chosen.run(given);
        if (extras.reductions) {
            extras.reductions.matrix = matrix;
            reduce_matrix(oriented_, extras.reductions, given.c, 1);
        }
        to_next_matrix(arguments);
    }
}

/// Of oriented arguments.
void MatrixPlan::to_next_matrix(MatrixArguments& arguments) const {
    const Integer bytes = bytes_of(product_.number);
    Integer a = product_.a.batch_stride * bytes, b = product_.b.batch_stride * bytes;
    if (is_turned_) std::swap(a, b);
    arguments.a = advanced(arguments.a, a);
    arguments.b = advanced(arguments.b, b);
    arguments.c = advanced(arguments.c, product_.c.batch_stride * bytes);
}

void MatrixPlan::run_batch(const SmallKernel& chosen, MatrixArguments of_matrix) const {
    for (Integer matrix = 0; matrix < product_.batch; ++matrix) {
        chosen.run(of_matrix);
        to_next_matrix(of_matrix);
    }
}

/// Throws if the pointer alone is wrong.
void MatrixPlan::report_pointer(const char* name, const void* pointer, Address misaligned) {
    if (pointer == nullptr) throw UserError("argument '{}' is a null pointer", name);
    if ((address(pointer) & misaligned) != 0)
        throw UserError("argument '{}' is {}, not a multiple of {} bytes", name, pointer, misaligned + 1);
}

void MatrixPlan::report(const MatrixArguments& arguments) const {
    report_pointer("a", arguments.a, misaligned_[0]);
    report_pointer("b", arguments.b, misaligned_[1]);
    report_pointer("c", arguments.c, misaligned_[2]);
    const bool is_a = a_with_c_.holds(arguments.a, arguments.c);
    throw UserError("arguments '{}' ({}) and 'c' ({}) overlap; C must lie apart from A and B",
                    is_a ? "a" : "b", is_a ? arguments.a : arguments.b,
                    static_cast<const void*>(arguments.c));
}

double MatrixPlan::flops() const {
    const double of_number = is_complex(product_.number) ? 8 : 2;
    return of_number * static_cast<double>(product_.rows) * static_cast<double>(product_.columns) *
           static_cast<double>(product_.depth) * static_cast<double>(product_.batch);
}

std::vector<ir::Program> MatrixPlan::programs() const {
    using Operand = MatrixKernels::Operand;
    if (is_empty_ || needs_portable_products() || route_) return {};
    if (is_small_) return {gemm::small_product(kernel(gemm::Update::overwrite, true).small())};
    const bool is_finished = epilogue_ != nullptr && epilogue_->is_in_tiles();
    MatrixKernels& kernels = is_finished ? epilogue_->kernels() : MatrixKernels::of_this_machine(oriented_);
    std::vector<ir::Program> programs = {gemm::micro_kernel(kernels.tile_description(
        kernels.width(Operand::a), kernels.width(Operand::b), gemm::Update::overwrite))};
    for (const Operand operand : {Operand::a, Operand::b}) {
        const MatrixLayout& layout = operand == Operand::a ? oriented_.a : oriented_.b;
        const PanelSource source(operand, nullptr, layout);
        programs.push_back(gemm::pack(
            kernels.description(operand, source.kind(), source.conjugated, kernels.width(operand))));
        programs.back().name += operand == Operand::a ? "_a" : "_b";
    }
    return programs;
}

std::string MatrixPlan::description() const {
    if (is_small_) {
        const gemm::SmallProduct& small = kernel(gemm::Update::overwrite, true).small();
        return fmt::format("{}: one kernel, tile {}x{}, unroll {}, depth {}, {} outside",
                           target::host_cpu().name, small.tile.rows(), small.tile.columns, small.unroll,
                           small.block_depth, small.rows_outside ? "rows" : "columns");
    }
    if (needs_portable_products()) return fmt::format("built-in tiles, {} threads", threads_);
    if (route_)
        return fmt::format(
            "amx: sums of {} products of bfloat16 slices, packed blocks, tile {}x{}, {} threads",
            route_.products, gemm::slice_tile, gemm::slice_tile, threads_);
    const MatrixKernels& kernels = MatrixKernels::of_this_machine(product_);
    const gemm::Schedule& schedule = kernels.schedule();
    return fmt::format("{}: {}packed blocks {}x{}x{}, tile {}x{}, unroll {}, {} threads",
                       target::host_cpu().name, product_.widens() ? gemm::words_of(kernels.numbers()) : "",
                       schedule.block_rows, schedule.block_columns, schedule.block_depth,
                       schedule.tile.rows(), schedule.tile.columns, schedule.unroll, threads_);
}

} // namespace swirl::planning
