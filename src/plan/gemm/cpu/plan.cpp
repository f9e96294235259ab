#include "plan/gemm/cpu/plan.hpp"

#include "base/error.hpp"
#include "base/integer.hpp"
#include "plan/gemm/cpu/amx/multiply.hpp"
#include "plan/gemm/cpu/arrays.hpp"
#include "plan/gemm/cpu/kernels.hpp"
#include "plan/gemm/cpu/packing_buffers.hpp"
#include "plan/gemm/cpu/result_conversion.hpp"
#include "plan/gemm/cpu/shared_panels.hpp"
#include "plan/gemm/cpu/work_items.hpp"
#include "plan/memory_need.hpp"
#include "plan/transform/cpu/advanced_pointer.hpp"
#include "runtime/cpu/team.hpp"
#include "runtime/cpu/tile_state.hpp"
#include "runtime/cpu/work_queues.hpp"

#include <algorithm>
#include <span>

namespace swirl::planning {

namespace {

/// What tile registers compute, as a tile of vectors.
constexpr gemm::Tile amx_shape{.lanes = 1, .vectors = gemm::amx_tile, .columns = gemm::amx_tile};

/// Whether a range is the last one: the values that occur.
std::span<const bool> last_of(const SmallShares::Ranges& ranges) {
    static constexpr bool values[] = {true, false};
    return {values, ranges.count == 1 ? std::size_t{1} : std::size_t{2}};
}

} // namespace

MatrixProduct canonical(const MatrixProduct& product) {
    MatrixProduct result = wants_transposition(product) ? transposed(product) : product;
    result.batch = std::min<Integer>(product.batch, 1);
    result.a.batch_stride = result.b.batch_stride = result.c.batch_stride = 0;
    result.epilogue = {};
    result.reductions = {};
    return result;
}

Integer kc_of_blocks(const gemm::BlockedGemm& blocked, const MatrixProduct& canonical,
                     const target::Cpu& cpu) {
    if (gemm::suits_small_gemm(canonical)) return std::min(blocked.kc, canonical.k);
    const gemm::OperandTypes types = gemm::operand_types_on(canonical, cpu);
    return gemm::balanced_block(canonical.k, blocked.kc, Integer{blocked.unroll} * types.k_packing.k_group());
}

SmallShares small_shares(const MatrixProduct& canonical, const gemm::CpuGemm& schedule, int threads,
                         Integer batch) {
    const gemm::DotGemm* const dot = schedule.dot();
    const gemm::UnpackedGemm* const unpacked = schedule.unpacked();
    Integer row_step = dot != nullptr ? dot->rows : unpacked->tile.rows();
    Integer column_step = dot != nullptr ? dot->columns : unpacked->tile.columns;
    if (unpacked != nullptr && unpacked->along_columns) std::swap(row_step, column_step);
    SmallShares best{.rows = {canonical.rows, 1}, .columns = {canonical.columns, 1}};
    if (threads <= batch) return best;
    const auto ranges = [](Integer extent, Integer step, Integer count) {
        const Integer of_share = std::min(ceil_divide(ceil_divide(extent, count), step) * step, extent);
        return SmallShares::Ranges{of_share, ceil_divide(extent, of_share)};
    };
    // Operands that a share reads weigh as much as so many rows or columns of multiply-adds.
    constexpr double reading = 8;
    const auto cost_of = [](const SmallShares& shares) {
        const auto rows = static_cast<double>(shares.rows.extent),
                   columns = static_cast<double>(shares.columns.extent);
        return rows * columns + reading * (rows + columns);
    };
    const Integer wanted = ceil_divide(Integer{threads}, batch);
    for (Integer along_rows = 1; along_rows <= wanted; ++along_rows) {
        const SmallShares shares{.rows = ranges(canonical.rows, row_step, along_rows),
                                 .columns = ranges(canonical.columns, column_step, wanted / along_rows)};
        if (cost_of(shares) < cost_of(best)) best = shares;
    }
    return best;
}

MatrixPlan::MatrixPlan(const MatrixProduct& product, const Schedule& schedule, const Options& options)
    : type_key_(type_key_of(product.type_of_a(), product.type_of_b(), product.type_of_c())),
      schedule_(schedule),
      cpu_(&target::cpu_named(schedule.target)),
      product_(product),
      canonical_(canonical(product)),
      is_swapped_(wants_transposition(product)),
      is_empty_(product.rows == 0 || product.columns == 0 || product.k == 0 || product.batch == 0),
      is_small_(schedule.cpu_gemm().unpacked() != nullptr || schedule.cpu_gemm().dot() != nullptr),
      threads_asked_for_(options.threads),
      threads_(options.team > 0 ? options.team : threads_worthwhile(product, options.threads)),
      misaligned_{misaligned_bits(product.type_of_a()), misaligned_bits(product.type_of_b()),
                  misaligned_bits(product.type_of_c())},
      accuracy_(options.accuracy) {
    gemm::require_suitable(schedule_.cpu_gemm(), *cpu_, canonical_);
    code_ = {.cpu = cpu_, .blocks = {}, .amx = {}, .kc = {}, .check = options.check};
    const bool is_made_float = product.converts() && product.data_type == DataType::int32;
    if (!product.epilogue.is_identity() || is_made_float)
        epilogue_ = std::make_unique<MatrixEpilogue>(product);
    if (!product.reductions.empty()) reductions_ = std::make_unique<MatrixReductions>(product);
    if (epilogue_ != nullptr) epilogue_->generate_for(*cpu_, options.check);
    if (reductions_ != nullptr) reductions_->generate_for(product, *cpu_, options.check);
    code_.scattered = stores_of(canonical_, *cpu_, options.check);
    code_.scaling = ScalingKernels(canonical_, *cpu_, options.check);
    code_.conversion = conversion_kernels(canonical_, *cpu_, options.check);
    make_code();
    if (is_small_)
        shares_ = small_shares(canonical_, schedule_.cpu_gemm(),
                               threads_ * tasks_of_member(work_of(canonical_), threads_), product_.batch);
    require_on_host(options.memory_limit, {.packing = packing_bytes()}, product);
    require_in_time(options.planning_limit, time_of(planning_work()), product);
    is_one_kernel_ = is_small_ && threads_ == 1 && epilogue_ == nullptr && reductions_ == nullptr;
    a_with_c_ = b_with_c_ = {0, 0};
    arrays_ = given_arrays_of(product);
    forms_ = {form_of(MatrixKernels::Operand::a), form_of(MatrixKernels::Operand::b)};
    if (is_empty_) return;
    const Extent c = extent_of(product.c, product.rows, product.columns, product.batch);
    const Integer bytes = bytes_of(product.type_of_c());
    a_with_c_ = overlap_of(extent_of(product.a, product.rows, product.k, product.batch),
                           bytes_of(product.type_of_a()), c, bytes);
    b_with_c_ = overlap_of(extent_of(product.b, product.k, product.columns, product.batch),
                           bytes_of(product.type_of_b()), c, bytes);
    if (is_small_)
        for (const bool last_rows : last_of(shares_.rows))
            for (const bool last_columns : last_of(shares_.columns))
                kernel(gemm::Update::overwrite, true, {false, false}, {last_rows, last_columns});
}

/// The kernels of the schedule, not compiled yet, and the epilogue in their tiles.
void MatrixPlan::make_code() {
    const auto use_blocks = [&](const gemm::BlockedGemm& blocked) {
        const gemm::OperandTypes types = gemm::operand_types_on(canonical_, *cpu_);
        code_.blocks = MatrixKernels::shared(types, blocked, *cpu_, {}, code_.check);
        code_.kc = kc_of_blocks(blocked, canonical_, *cpu_);
        if (epilogue_ != nullptr && epilogue_->suits(blocked.tile)) epilogue_->use(*code_.blocks);
    };
    const auto require_epilogue = [&](const gemm::Tile& tile) {
        if (epilogue_ == nullptr || epilogue_->suits(tile)) return;
        throw UserError(
            "schedule '{}': its tiles cannot apply the epilogue \"{}\", whose operands are too many or "
            "too far apart, or C has no unit stride; use blocked",
            to_string(schedule_), product_.epilogue.text());
    };
    if (const gemm::BlockedGemm* const blocked = schedule_.cpu_gemm().blocked()) use_blocks(*blocked);
    if (const gemm::UnpackedGemm* const unpacked = schedule_.cpu_gemm().unpacked()) {
        require_epilogue(unpacked->tile);
        if (epilogue_ != nullptr && unpacked->along_columns)
            throw UserError("schedule '{}': lanes along columns apply no epilogue; use along=rows",
                            to_string(schedule_));
    }
    if (const gemm::DotGemm* const dot = schedule_.cpu_gemm().dot())
        require_epilogue({.lanes = 1, .vectors = dot->rows, .columns = dot->columns});
    if (const gemm::AmxGemm* const amx = schedule_.cpu_gemm().amx()) {
        require_epilogue(amx_shape);
        if (amx->fallback) {
            require_epilogue(amx->fallback->tile);
            use_blocks(*amx->fallback);
        }
        if (!runtime::may_use_tiles())
            throw UserError("schedule '{}': this CPU has no tile registers; use blocked",
                            to_string(schedule_));
        if (!has_amx_types(canonical_) && amx->term_products < term_products_for(accuracy_))
            throw UserError("schedule '{}': products is {}, but the accuracy asked for needs {}",
                            to_string(schedule_), amx->term_products, term_products_for(accuracy_));
        code_.amx = AmxKernels::shared(*amx, gemm::AmxTypes::of(canonical_), {}, code_.check);
        if (epilogue_ != nullptr) epilogue_->use(*code_.amx);
        route_ = {.term_products = amx->term_products};
    }
}

PlanningWork MatrixPlan::planning_work() const {
    const auto kernels = static_cast<double>(last_of(shares_.rows).size() * last_of(shares_.columns).size());
    return {.product_kernels = is_small_ ? kernels : 0.0};
}

MatrixPlan::Overlap MatrixPlan::overlap_of(const Extent& first, Integer first_bytes, const Extent& second,
                                           Integer second_bytes) {
    // second + lowest must lie before first's end, and second's end after first + lowest.
    const Integer from = first.lowest * first_bytes - (second.highest + 1) * second_bytes + 1;
    const Integer to = (first.highest + 1) * first_bytes - second.lowest * second_bytes;
    return {static_cast<Address>(from), static_cast<Address>(to - from)};
}

/// The canonical product, with the layouts of copies that are given instead of operands.
MatrixProduct MatrixPlan::product_of_kernel(GivenPacked packed) const {
    MatrixProduct product = canonical_;
    const PackedForm &a = canonical_form(MatrixKernels::Operand::a),
                     &b = canonical_form(MatrixKernels::Operand::b);
    if (packed.a && a.width == 0) product.a = a.layout();
    if (packed.b) product.b = b.layout();
    return product;
}

gemm::SmallGemm MatrixPlan::small_of(const MatrixProduct& product, gemm::Update update,
                                     bool alpha_is_one) const {
    gemm::SmallGemm small{.product = product, .update = update, .alpha_is_one = alpha_is_one};
    if (const gemm::DotGemm* const dot = schedule_.cpu_gemm().dot())
        small.schedule = *dot;
    else
        small.schedule = *schedule_.cpu_gemm().unpacked();
    return small;
}

/// Compiled on first use.
const SmallKernel& MatrixPlan::make_kernel(std::size_t kind, gemm::Update update, bool alpha_is_one,
                                           GivenPacked packed, LastShare last) const {
    const std::lock_guard lock(making_);
    if (made_[kind] == nullptr) {
        MatrixProduct product = product_of_kernel(packed);
        const auto cut = [](Integer& extent, const SmallShares::Ranges& ranges, bool is_last) {
            extent = is_last ? extent - (ranges.count - 1) * ranges.extent : ranges.extent;
        };
        cut(product.rows, shares_.rows, last.of_rows);
        cut(product.columns, shares_.columns, last.of_columns);
        gemm::SmallGemm small = small_of(product, update, alpha_is_one);
        small.a_is_given_packed = packed.a && canonical_form(MatrixKernels::Operand::a).width > 0;
        if (epilogue_ != nullptr) small.epilogue = epilogue_->code();
        made_[kind] = std::make_unique<const SmallKernel>(small, *cpu_, code_.check);
        kernels_[kind].store(made_[kind].get(), std::memory_order_release);
    }
    return *made_[kind];
}

void MatrixPlan::check(const MatrixArguments& arguments, ScalarKind alpha, const void* const* arrays) const {
    check_beta(product_, arguments.beta);
    if (epilogue_ != nullptr || reductions_ != nullptr) check_arrays(arguments, alpha, arrays);
    if (product_.rows == 0 || product_.columns == 0 || product_.batch == 0) return;
    if (product_.k == 0 || alpha == ScalarKind::zero)
        report_pointer("c", arguments.c, misaligned_[2]);
    else if (!look_right(arguments))
        check_closely(arguments);
}

void MatrixPlan::execute_any(const MatrixArguments& arguments, ScalarKind alpha, ScalarKind beta,
                             const void* const* arrays) const {
    check(arguments, alpha, arrays);
    MatrixExtras extras{.route = route_};
    if (epilogue_ != nullptr) extras.epilogue = {epilogue_.get(), arrays};
    if (reductions_ != nullptr) extras.reductions = {reductions_.get(), arrays};
    if (is_small_ && alpha != ScalarKind::zero) return finish_small(arguments, alpha, beta, extras);
    MatrixArguments with_extras = arguments;
    with_extras.extras = &extras;
    multiply(product_, with_extras, code_, threads_);
}

namespace {

/// Elements that an execution touches.
struct Touched {
    std::string name;
    const void* pointer = nullptr;
    Elements elements;
    bool is_written = false;

    bool overlaps(const Touched& other) const {
        return share_a_byte(elements, pointer, other.elements, other.pointer);
    }
};

} // namespace

void MatrixPlan::check_arrays(const MatrixArguments& arguments, ScalarKind alpha,
                              const void* const* arrays) const {
    const std::size_t first_written = arrays_.size() - product_.reductions.size();
    const bool has_no_c = product_.rows == 0 || product_.columns == 0 || product_.batch == 0;
    const Integer scalar = bytes_of(gemm::epilogue_scalar(product_.data_type));
    std::vector<Touched> all;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
        const AuxiliaryArray& array = arrays_[k];
        if (array.elements == 0 || (has_no_c && k < first_written)) continue;
        if (arrays == nullptr || arrays[k] == nullptr) report_missing(product_, array);
        report_pointer(array.name.c_str(), arrays[k], static_cast<Address>(scalar - 1));
        all.push_back({"array " + array.name, arrays[k],
                       Elements{{{array.elements, 1}}, scalar * (array.is_complex ? 2 : 1)},
                       k >= first_written});
    }
    const auto add = [&](const char* name, const void* pointer, const MatrixLayout& layout, Integer rows,
                         Integer columns, DataType data_type, bool is_written) {
        if (pointer != nullptr)
            all.push_back({fmt::format("'{}'", name), pointer,
                           elements_of(layout, rows, columns, product_.batch, bytes_of(data_type)),
                           is_written});
    };
    if (!has_no_c)
        add("c", arguments.c, product_.c, product_.rows, product_.columns, product_.type_of_c(), true);
    if (!is_empty_ && alpha != ScalarKind::zero && first_written < arrays_.size()) {
        add("a", arguments.a, product_.a, product_.rows, product_.k, product_.type_of_a(), false);
        add("b", arguments.b, product_.b, product_.k, product_.columns, product_.type_of_b(), false);
    }
    for (const Touched& written : all)
        for (const Touched& other : all)
            if (written.is_written && &written != &other && written.overlaps(other))
                throw UserError("{} and {} overlap; an array that is written must overlap no other argument",
                                other.name, written.name);
}

/// Runs the specialised kernels, with extras: those of all shares of all matrices.
void MatrixPlan::finish_small(MatrixArguments arguments, ScalarKind alpha, ScalarKind beta,
                              MatrixExtras extras) const {
    const GivenPacked packed{.a = bool{extras.a}, .b = bool{extras.b}};
    std::array<std::array<const SmallKernel*, 2>, 2>
        kernels{}; // by whether a share is in the last rows, last columns
    for (const bool last_rows : last_of(shares_.rows))
        for (const bool last_columns : last_of(shares_.columns))
            kernels[last_rows][last_columns] =
                &kernel(update_for(beta), alpha == ScalarKind::one, packed, {last_rows, last_columns});
    const MatrixProduct product = product_of_kernel(packed);
    if (is_swapped_) std::swap(arguments.a, arguments.b);
    const Integer bytes = bytes_of(product_.data_type);
    Integer a_stride = product_.a.batch_stride * bytes, b_stride = product_.b.batch_stride * bytes;
    if (is_swapped_) std::swap(a_stride, b_stride);
    const auto matrix_of = [&](Integer matrix) {
        MatrixArguments given = arguments;
        given.a = extras.a ? extras.a.matrix(matrix) : advanced(arguments.a, matrix * a_stride);
        given.b = extras.b ? extras.b.matrix(matrix) : advanced(arguments.b, matrix * b_stride);
        given.c = advanced(arguments.c, matrix * product_.c.batch_stride * bytes);
        return given;
    };
    // Panels of a prepacked A follow each other.
    const bool has_panels = packed.a && canonical_form(MatrixKernels::Operand::a).width > 0;
    const Integer a_row_stride = has_panels ? product.k : product.a.row_stride;
    const auto run_share = [&](Integer item) {
        const Integer matrix = item / shares_.count(), share = item % shares_.count();
        const Integer row_range = share % shares_.rows.count, column_range = share / shares_.rows.count;
        const Integer row = row_range * shares_.rows.extent, column = column_range * shares_.columns.extent;
        const MatrixArguments given =
            moved(product, matrix_of(matrix), row * a_row_stride, column * product.b.column_stride,
                  row * product.c.row_stride + column * product.c.column_stride);
        const SmallKernel& chosen =
            *kernels[row_range == shares_.rows.count - 1][column_range == shares_.columns.count - 1];
        if (!extras.epilogue) return chosen.run(given);
        EpilogueCall epilogue = extras.epilogue;
        epilogue.matrix = matrix;
        epilogue.row = row;
        epilogue.column = column;
        chosen.run(given, epilogue);
    };
    const Integer items = product_.batch * shares_.count();
    const auto run_shares = [&](Integer first, Integer stride) {
        for (Integer item = first; item < items; item += stride) run_share(item);
    };
    if (threads_ == 1) {
        run_shares(0, 1);
    } else if (items <= threads_) {
        runtime::run_team(
            threads_, [&](const runtime::TeamMember& member) { run_shares(member.index(), member.size()); },
            min_seconds(work()));
    } else {
        runtime::WorkQueues queues(threads_);
        runtime::run_team(
            threads_,
            [&](const runtime::TeamMember& member) {
                const auto tasks = static_cast<int>(ceil_divide(items, Integer{member.size()}));
                queues.run(member.index(), member.size(), tasks, [&](Integer owner, Integer task) {
                    const Integer item = owner + task * member.size();
                    if (item < items) run_share(item);
                });
            },
            min_seconds(work()));
    }
    if (!extras.reductions) return;
    for (Integer matrix = 0; matrix < product_.batch; ++matrix) {
        extras.reductions.matrix = matrix;
        reduce_matrix(canonical_, extras.reductions, matrix_of(matrix).c, threads_);
    }
}

/// For canonical arguments.
void MatrixPlan::to_next_matrix(MatrixArguments& arguments) const {
    const Integer bytes = bytes_of(product_.data_type);
    Integer a = product_.a.batch_stride * bytes, b = product_.b.batch_stride * bytes;
    if (is_swapped_) std::swap(a, b);
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

/// Throws if the pointer by itself is invalid.
void MatrixPlan::report_pointer(const char* name, const void* pointer, Address misaligned) {
    if (pointer == nullptr) throw UserError("argument '{}' is a null pointer", name);
    if ((address(pointer) & misaligned) != 0)
        throw UserError("argument '{}' is {}, not a multiple of {} bytes", name, pointer, misaligned + 1);
}

void MatrixPlan::check_closely(const MatrixArguments& arguments) const {
    report_pointer("a", arguments.a, misaligned_[0]);
    report_pointer("b", arguments.b, misaligned_[1]);
    report_pointer("c", arguments.c, misaligned_[2]);
    check_disjoint_from_c(MatrixKernels::Operand::a, arguments.a, arguments.c);
    check_disjoint_from_c(MatrixKernels::Operand::b, arguments.b, arguments.c);
}

void MatrixPlan::check_disjoint_from_c(MatrixKernels::Operand operand, const void* pointer,
                                       const void* c) const {
    const bool is_a = operand == MatrixKernels::Operand::a;
    if (!(is_a ? a_with_c_ : b_with_c_).holds(pointer, c)) return;
    const Elements of_operand = is_a ? elements_of(product_.a, product_.rows, product_.k, product_.batch,
                                                   bytes_of(product_.type_of_a()))
                                     : elements_of(product_.b, product_.k, product_.columns, product_.batch,
                                                   bytes_of(product_.type_of_b()));
    const Elements of_c = elements_of(product_.c, product_.rows, product_.columns, product_.batch,
                                      bytes_of(product_.type_of_c()));
    if (share_a_byte(of_operand, pointer, of_c, c))
        throw UserError("arguments '{}' ({}) and 'c' ({}) overlap; C must share no element with A and B",
                        is_a ? "a" : "b", pointer, c);
}

Integer MatrixPlan::packing_bytes() const {
    if (is_empty_ || code_.is_builtin()) return 0;
    const auto taken = [](Integer bytes) {
        return static_cast<Integer>(packing_buffer_bytes(static_cast<std::size_t>(bytes)));
    };
    if (is_small_)
        return threads_ * taken(gemm::packed_bytes(small_of(canonical_, gemm::Update::overwrite, true)));
    const int members = threads_worthwhile(canonical_, threads_);
    const bool needs_all = needs_all_blocks(canonical_, epilogue_.get(), bool{route_});
    // Of the team together, or of each member, in blocks of so many rows and columns.
    const auto of_panels = [&](const PanelShape& a, const PanelShape& b, Integer rows, Integer columns) {
        const Integer together =
            members > 1 ? k_blocks_at_once(canonical_, a, b, members, needs_all, *code_.cpu) : 0;
        if (together == 0)
            return members * (taken(a.bytes_of_block(rows)) + taken(b.bytes_of_block(columns)));
        return taken(together * a.bytes_of_block(canonical_.rows)) +
               taken(together * b.bytes_of_block(canonical_.columns));
    };
    Integer bytes = 0;
    if (code_.blocks != nullptr) {
        using Operand = MatrixKernels::Operand;
        const MatrixKernels& kernels = *code_.blocks;
        const Integer kc = kc_of(canonical_, code_);
        const gemm::BlockSizes blocks =
            gemm::blocks_of(kernels.schedule(), canonical_.rows, canonical_.k, canonical_.columns, kc);
        bytes = of_panels(panel_shape(kernels, Operand::a, kc, canonical_.k),
                          panel_shape(kernels, Operand::b, kc, canonical_.k), blocks.mc, blocks.nc);
    }
    if (code_.amx != nullptr) {
        const gemm::AmxGemm& amx = code_.amx->schedule();
        const PanelShape shape = amx_panel_shape(*code_.amx, amx_kc(*code_.amx, canonical_));
        bytes = std::max(
            bytes, of_panels(shape, shape, gemm::balanced_block(canonical_.rows, amx.mc, gemm::amx_tile),
                             gemm::balanced_block(canonical_.columns, amx.nc, gemm::amx_tile)));
    }
    return bytes;
}

double MatrixPlan::flops() const {
    const double flops_per_element = is_complex(product_.data_type) ? 8 : 2;
    return flops_per_element * static_cast<double>(product_.rows) * static_cast<double>(product_.columns) *
           static_cast<double>(product_.k) * static_cast<double>(product_.batch);
}

std::vector<ir::Program> MatrixPlan::programs() const {
    using Operand = MatrixKernels::Operand;
    if (code_.is_builtin()) return {};
    if (is_empty_) return programs_without_products();
    if (is_small_) {
        std::vector<ir::Program> small = {gemm::small_gemm(kernel(gemm::Update::overwrite, true).small())};
        add_elementwise(small);
        return small;
    }
    const bool is_finished = epilogue_ != nullptr && epilogue_->is_in_tiles();
    if (route_) {
        std::vector<ir::Program> tiles =
            amx_programs(*code_.amx, canonical_, is_finished ? &epilogue_->amx() : nullptr);
        add_elementwise(tiles);
        return tiles;
    }
    MatrixKernels& kernels = is_finished ? epilogue_->kernels() : *code_.blocks;
    std::vector<ir::Program> programs = {gemm::micro_kernel(kernels.tile_description(
        kernels.width(Operand::a), kernels.width(Operand::b), gemm::Update::overwrite))};
    for (const Operand operand : {Operand::a, Operand::b}) {
        const MatrixLayout& layout = operand == Operand::a ? canonical_.a : canonical_.b;
        const PanelSource source(operand, nullptr, layout);
        programs.push_back(gemm::pack(
            kernels.description(operand, source.kind(), source.conjugated, kernels.width(operand))));
        programs.back().name += operand == Operand::a ? "_a" : "_b";
    }
    add_elementwise(programs);
    return programs;
}

/// β·C and what follows it.
std::vector<ir::Program> MatrixPlan::programs_without_products() const {
    if (product_.rows == 0 || product_.columns == 0 || product_.batch == 0) return {};
    std::vector<ir::Program> programs;
    for (const auto& kernels : {code_.scaling.scaling, code_.scaling.clearing})
        programs.push_back(gemm::elementwise(
            kernels->description(canonical_.rows, canonical_.rows > 1 ? canonical_.c.row_stride : 1)));
    return programs;
}

/// What is done to finished elements in memory.
void MatrixPlan::add_elementwise(std::vector<ir::Program>& programs) const {
    const bool converts = code_.conversion != nullptr;
    const auto add = [&](const ElementwiseKernels& kernels, Integer rows, Integer row_stride) {
        programs.push_back(gemm::elementwise(kernels.description(rows, row_stride)));
    };
    const bool is_in_memory = epilogue_ != nullptr && !is_small_ && !epilogue_->is_in_tiles();
    if (const auto& fused = is_in_memory ? epilogue_->scattered() : code_.scattered;
        fused.overwriting != nullptr)
        add(*fused.overwriting, canonical_.rows, 1);
    else if (is_in_memory)
        add(*epilogue_->in_memory(), canonical_.rows, converts ? 1 : canonical_.c.row_stride);
    if (reductions_ != nullptr)
        for (std::size_t k = 0; k < reductions_->all().size(); ++k) {
            add(*reductions_->all()[k].of_block, std::min(usual_grid(canonical_).block_rows, canonical_.rows),
                converts ? 1 : canonical_.c.row_stride);
            programs.back().name += fmt::format("_{}", k);
        }
    if (converts) add(*code_.conversion, canonical_.rows, 1);
}

std::string MatrixPlan::description() const {
    if (is_empty_) return "nothing to multiply";
    if (code_.is_builtin()) return fmt::format("built-in tiles, {} threads", threads_);
    if (const gemm::UnpackedGemm* const small = schedule_.cpu_gemm().unpacked())
        return fmt::format("{}: one kernel, tile {}x{}, unroll {}, kc {}, {} outside, {} threads", cpu_->name,
                           small->tile.rows(), small->tile.columns, small->unroll, small->kc,
                           small->rows_outermost ? "rows" : "columns", threads_);
    if (const gemm::DotGemm* const dot = schedule_.cpu_gemm().dot())
        return fmt::format(
            "{}: one kernel, {} lanes along k, tile {}x{}, unroll {}, kc {}, {} outside, {} threads",
            cpu_->name, dot->lanes, dot->rows, dot->columns, dot->unroll, dot->kc,
            dot->rows_outermost ? "rows" : "columns", threads_);
    if (route_)
        return fmt::format(
            "amx: {} bfloat16 products per product of elements, packed blocks, tile {}x{}, {} threads",
            route_.term_products, gemm::amx_tile, gemm::amx_tile, threads_);
    const gemm::BlockedGemm& blocked = *schedule_.cpu_gemm().blocked();
    return fmt::format("{}: {}packed blocks {}x{}x{}, tile {}x{}, unroll {}, {} threads", cpu_->name,
                       product_.widens() ? gemm::words_of(code_.blocks->types()) : "", blocked.mc, blocked.nc,
                       blocked.kc, blocked.tile.rows(), blocked.tile.columns, blocked.unroll, threads_);
}

} // namespace swirl::planning
