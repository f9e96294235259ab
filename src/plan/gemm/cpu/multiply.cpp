#include "plan/gemm/cpu/multiply.hpp"

#include "base/integer.hpp"
#include "plan/gemm/cpu/amx/kernels.hpp"
#include "plan/gemm/cpu/amx/multiply.hpp"
#include "plan/gemm/cpu/blocks.hpp"
#include "plan/gemm/cpu/code.hpp"
#include "plan/gemm/cpu/extras.hpp"
#include "plan/gemm/cpu/packing_buffers.hpp"
#include "plan/gemm/cpu/result_conversion.hpp"
#include "plan/gemm/cpu/shared_panels.hpp"
#include "plan/gemm/cpu/small_gemm_cache.hpp"
#include "plan/gemm/cpu/work_items.hpp"
#include "plan/gemm/values.hpp"
#include "plan/portable/gemm.hpp"
#include "plan/transform/cpu/advanced_pointer.hpp"
#include "runtime/cpu/team.hpp"
#include "runtime/cpu/team_call.hpp"
#include "runtime/cpu/work_queues.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace swirl::planning {

namespace {

using Operand = MatrixKernels::Operand;

/// A product of one matrix, with the decisions made for all of it, so that its subproblems give the same bits whichever
/// thread computes them.
struct Work {
    const MatrixCode* code;
    MatrixProduct product;
    MatrixArguments arguments;
    gemm::Update update;
    bool alpha_is_one;
    bool is_small;
    Integer kc;
    AmxRoute route;
    std::shared_ptr<AmxKernels> amx; ///< of the route
    MatrixExtras extras;

    Work(const MatrixProduct& given, const MatrixArguments& given_arguments, const MatrixCode& given_code)
        : code(&given_code), product(given), arguments(given_arguments) {
        product.batch = 1;
        product.a.batch_stride = product.b.batch_stride = product.c.batch_stride = 0;
        if (wants_transposition(product)) {
            product = transposed(product);
            std::swap(arguments.a, arguments.b);
        }
        if (arguments.extras != nullptr) extras = *arguments.extras;
        update = update_for(scalar_kind(product.data_type, arguments.beta));
        alpha_is_one = scalar_kind(product.data_type, arguments.alpha) == ScalarKind::one;
        is_small = gemm::suits_small_gemm(product);
        if (extras.route)
            route = *extras.route;
        else if (!extras.epilogue && !extras.a && !extras.b && code->cpu == &target::host_cpu())
            route = amx_route(product, Accuracy::ordinary, code->blocks.get());
        if (route) amx = code->amx != nullptr ? code->amx : model_amx_kernels();
        kc = amx != nullptr ? amx_kc(*amx, product) : kc_of(product, *code);
    }

    MatrixKernels& blocks() const { return *code->blocks; }

    /// Refines the route once the elements of A and B are available.
    void look_at_operands(int threads) {
        if (!route) return;
        route = with_scale(route, product, arguments, threads);
        if (route) return;
        amx = nullptr;
        kc = kc_of(product, *code);
    }

    /// The subproblem for these rows and columns of C.
    Work subproblem(runtime::IterationRange rows, runtime::IterationRange columns) const {
        Work subproblem = *this;
        subproblem.product.rows = rows.last - rows.first;
        subproblem.product.columns = columns.last - columns.first;
        subproblem.extras.epilogue.row += rows.first;
        subproblem.extras.epilogue.column += columns.first;
        subproblem.extras.a.first += rows.first;
        subproblem.extras.b.first += columns.first;
        subproblem.arguments = moved(
            product, arguments, rows.first * product.a.row_stride, columns.first * product.b.column_stride,
            rows.first * product.c.row_stride + columns.first * product.c.column_stride);
        return subproblem;
    }

    /// C is divided in multiples of these rows and columns.
    gemm::BlockSizes grain() const {
        if (route) return {.mc = gemm::amx_tile, .nc = gemm::amx_tile};
        if (code->is_builtin()) return {.mc = builtin_grain, .nc = builtin_grain};
        return {.mc = blocks().schedule().tile.rows(), .nc = blocks().schedule().tile.columns};
    }

    /// Of panels that tiles read.
    PanelShape panel_shape(Operand operand) const {
        if (route) return amx_panel_shape(*amx, std::min(kc, product.k));
        return planning::panel_shape(blocks(), operand, kc, product.k);
    }
    void pack(Operand operand, const PanelRange& range, std::byte* to) const {
        if (route) return pack_amx_panels(*amx, AmxOperand(operand, route, product, arguments), range, to);
        const bool is_a = operand == Operand::a;
        pack_panels(blocks(),
                    PanelSource(operand, is_a ? arguments.a : arguments.b, is_a ? product.a : product.b),
                    range, to);
    }

private:
    static constexpr Integer builtin_grain = 8;

    std::shared_ptr<AmxKernels> model_amx_kernels() const {
        const gemm::AmxTypes types = gemm::AmxTypes::of(product);
        return AmxKernels::shared(model_amx(route.term_products, types), types, {}, code->check);
    }
};

bool is_scattered(const Work& work) {
    return !work.route && !work.code->is_builtin() && has_scattered_columns(work.product);
}

/// The kernels that store a scattered C, with the epilogue if there is one; null if there are none.
ElementwiseKernels* scattered_store(const Work& work) {
    const EpilogueCall& epilogue = work.extras.epilogue;
    const ScatteredStores& stores = epilogue ? epilogue.epilogue->scattered() : work.code->scattered;
    return (work.update == gemm::Update::overwrite ? stores.overwriting : stores.adding).get();
}

/// C has no unit stride: some columns at a time are computed in a buffer.
void multiply_scattered(const Work& work) {
    constexpr Integer most = 64;
    const MatrixProduct& product = work.product;
    const Integer width = work.blocks().schedule().tile.columns; // of packed panels
    const Integer columns_at_once = std::min(most / width * width, product.columns);
    ElementwiseKernels* const store = scattered_store(work);
    ensure(store != nullptr, "no kernel for a C with row stride {}", product.c.row_stride);
    std::vector<std::byte> accumulators(
        static_cast<std::size_t>(product.rows * columns_at_once * bytes_of(product.data_type)));
    for (Integer first = 0; first < product.columns; first += columns_at_once) {
        const Work columns =
            work.subproblem({0, product.rows}, {first, std::min(first + columns_at_once, product.columns)});
        Work contiguous = columns;
        contiguous.product.c = {.row_stride = 1, .column_stride = product.rows};
        contiguous.arguments.c = accumulators.data();
        contiguous.extras.epilogue = {};
        multiply_blocks(work.blocks(), contiguous.product, contiguous.arguments, gemm::Update::overwrite,
                        work.kc, {}, contiguous.extras);
        store->run({.rows = product.rows,
                    .columns = columns.product.columns,
                    .elements = accumulators.data(),
                    .column_stride = product.rows,
                    .results = columns.arguments.c,
                    .result_stride = product.c.column_stride,
                    .beta = work.arguments.beta},
                   1, [&](std::size_t index) { return columns.extras.epilogue.operand(index, 0, 0); });
    }
}

/// A product without α·A·B: C = β·C, then epilogue and reductions.
void scale_matrix_of_batch(const MatrixProduct& product, const MatrixArguments& arguments,
                           const MatrixCode& code, void* c, Integer matrix) {
    if (wants_transposition(product))
        return scale_matrix_of_batch(transposed(product), arguments, code, c, matrix);
    MatrixExtras extras = arguments.extras == nullptr ? MatrixExtras{} : *arguments.extras;
    extras.epilogue.matrix = extras.reductions.matrix = matrix;
    if (!needs_conversion_buffer(product)) {
        scale_matrix(code.scaling, product, arguments.beta, c);
        if (extras.epilogue) apply_epilogue(product, extras.epilogue, c);
        if (extras.reductions) reduce_matrix(product, extras.reductions, c, 1);
        return;
    }
    const ReductionGrid grid{product.rows, product.columns, product.rows, 1};
    std::optional<PartialReductions> partials;
    if (extras.reductions) partials.emplace(product, extras.reductions, grid);
    std::vector<float> accumulators(static_cast<std::size_t>(product.rows)); // or int32
    MatrixProduct subproblem = product;
    subproblem.columns = 1;
    for (Integer column = 0; column < product.columns; ++column) {
        subproblem.c = {.row_stride = 1, .column_stride = product.rows};
        scale_matrix(code.scaling, subproblem, arguments.beta, accumulators.data()); // by zero
        extras.epilogue.column = column;
        if (extras.epilogue) apply_epilogue(subproblem, extras.epilogue, accumulators.data());
        if (partials) partials->take(column, accumulators.data(), 1, product.rows);
        subproblem.c = product.c;
        convert_and_store(
            code.conversion.get(), accumulators.data(), subproblem,
            static_cast<std::byte*>(c) + column * product.c.column_stride * bytes_of(product.type_of_c()));
    }
    if (partials) partials->finish();
}

/// Reductions over matrices without elements.
void reduce_nothing(const MatrixProduct& product, const MatrixArguments& arguments) {
    if (arguments.extras == nullptr || !arguments.extras->reductions) return;
    ReductionCall call = arguments.extras->reductions;
    const MatrixProduct canonical = wants_transposition(product) ? transposed(product) : product;
    for (call.matrix = 0; call.matrix < product.batch; ++call.matrix)
        reduce_matrix(canonical, call, nullptr, 1);
}

/// Runs the product's specialised kernel; returns false if it has none.
bool multiply_small(const std::optional<SmallKey>& key, const MatrixArguments& arguments) {
    const SmallKernel* kernel = key ? SmallGemmCache::of_host().find(*key) : nullptr;
    if (kernel != nullptr) kernel->run(arguments);
    return kernel != nullptr;
}

/// The fast path, for products that need neither a second thread nor a transposition.
bool multiply_small(const MatrixProduct& product, const MatrixArguments& arguments, ScalarKind alpha,
                    const MatrixCode& code) {
    if (product.batch != 1 || !gemm::suits_small_gemm(product) || work_of(product) >= 2 * min_parallel_work ||
        code.cpu != &target::host_cpu() || code.is_builtin())
        return false;
    return multiply_small(SmallKey::of(product, update_for(scalar_kind(product.data_type, arguments.beta)),
                                       alpha == ScalarKind::one, gemm::small_kc(product, target::host_cpu())),
                          arguments);
}

void multiply_alone(const Work& work);

/// Blocks of accumulators in a buffer.
ReductionGrid grid_of_stored(const Work& work) {
    const MatrixProduct& product = work.product;
    const gemm::BlockSizes grain = work.grain();
    const auto whole = [&](Integer width) { return std::max(width, max_conversion_block / width * width); };
    return {product.rows, product.columns, std::min(whole(grain.mc), product.rows),
            std::min(whole(grain.nc), product.columns)};
}

/// C is narrower than the accumulators. Computes the blocks first, first + stride, … of a grid.
void multiply_stored(const Work& work, const ReductionGrid& grid, Integer first, Integer stride,
                     PartialReductions* partials) {
    const MatrixProduct& product = work.product;
    std::vector<float> accumulators(
        static_cast<std::size_t>(grid.block_rows * grid.block_columns)); // or int32 until the epilogue
    for (Integer block = first; block < grid.count(); block += stride) {
        const Integer row = block % grid.row_blocks() * grid.block_rows;
        const Integer column = block / grid.row_blocks() * grid.block_columns;
        Work subproblem = work.subproblem({row, std::min(row + grid.block_rows, product.rows)},
                                          {column, std::min(column + grid.block_columns, product.columns)});
        const MatrixProduct target = subproblem.product;
        void* const c = subproblem.arguments.c;
        subproblem.product.c_type =
            product.data_type == DataType::int32 ? DataType::float32 : product.data_type;
        subproblem.product.c = {.row_stride = 1, .column_stride = subproblem.product.rows};
        subproblem.arguments.c = accumulators.data();
        multiply_alone(subproblem);
        if (partials != nullptr)
            partials->take(grid.block_index(row, column), accumulators.data(), 1, subproblem.product.rows);
        convert_and_store(work.code->conversion.get(), accumulators.data(), target, c);
    }
}

/// An epilogue that tiles do not apply waits until all elements have been computed.
void multiply_alone(const Work& work) {
    if (needs_conversion_buffer(work.product))
        return multiply_stored(work, grid_of_stored(work), 0, 1, nullptr);
    const EpilogueCall& epilogue = work.extras.epilogue;
    const bool is_stored_finished = is_scattered(work) && scattered_store(work) != nullptr;
    if (epilogue && !epilogue.epilogue->is_in_tiles() && !is_stored_finished) {
        Work plain = work;
        plain.extras.epilogue = {};
        multiply_alone(plain);
        return apply_epilogue(work.product, epilogue, work.arguments.c);
    }
    if (work.route)
        return multiply_amx(*work.amx, work.route, work.product, work.arguments, work.update, work.kc,
                            work.extras);
    if (work.code->is_builtin()) return multiply_portable(work.product, work.arguments, work.code->check);
    if (is_scattered(work)) return multiply_scattered(work);
    if (work.is_small && work.code->cpu == &target::host_cpu() && !epilogue && !work.extras.a &&
        !work.extras.b &&
        multiply_small(SmallKey::of(work.product, work.update, work.alpha_is_one, work.kc), work.arguments))
        return;
    multiply_blocks(work.blocks(), work.product, work.arguments, work.update, work.kc, {}, work.extras);
}

/// Elements are reduced before conversion, block by block; the blocks are also distributed among the threads.
void multiply_stored_reduced(const Work& work, int members) {
    const ReductionGrid grid = grid_of_stored(work);
    PartialReductions partials(work.product, work.extras.reductions, grid);
    runtime::run_team(
        members,
        [&](const runtime::TeamMember& member) {
            multiply_stored(work, grid, member.index(), member.size(), &partials);
        },
        min_seconds(work_of(work.product)));
    partials.finish();
}

/// The panels that a team packs together; none: its members pack what they read.
struct TeamPanels {
    std::optional<SharedPanels> a, b; ///< nothing of an operand that was packed before
    Integer k_at_once = 0;            ///< k indices in memory at a time
};

TeamPanels team_panels(const Work& work, int members) {
    const MatrixProduct& product = work.product;
    TeamPanels result;
    if (work.is_small || work.code->is_builtin()) return result;
    const PanelShape of_a = work.panel_shape(Operand::a), of_b = work.panel_shape(Operand::b);
    const Integer blocks = k_blocks_at_once(
        product, of_a, of_b, members,
        needs_all_blocks(product, work.extras.epilogue.epilogue, bool{work.route}), *work.code->cpu);
    result.k_at_once = std::min(blocks * of_a.kc, product.k);
    if (blocks == 0) return result;
    const auto share = [&](Operand operand, const PanelShape& shape, Integer extent) {
        std::byte* const memory = packing_buffer(
            operand == Operand::a ? 0 : 1, static_cast<std::size_t>(blocks * shape.bytes_of_block(extent)));
        return SharedPanels(
            shape,
            [&work, operand](const PanelRange& range, std::byte* to) { work.pack(operand, range, to); },
            extent, memory);
    };
    if (!work.extras.a) result.a = share(Operand::a, of_a, product.rows);
    if (!work.extras.b) result.b = share(Operand::b, of_b, product.columns);
    return result;
}

/// A team's member's rows and columns of C.
struct Share {
    runtime::IterationRange rows, columns;
    bool is_empty() const { return rows.first >= rows.last || columns.first >= columns.last; }
};

/// The share of one of `members` members, in multiples of `grain`.
Share share_of(const Share& all, const gemm::BlockSizes& grain, int member, std::pair<int, int> grid) {
    const auto part = [](runtime::IterationRange range, Integer width, int index, int count) {
        const runtime::IterationRange inside =
            runtime::partition_of(range.last - range.first, width, index, count);
        return runtime::IterationRange{range.first + inside.first, range.first + inside.last};
    };
    const auto [along_rows, along_columns] = grid;
    return {part(all.rows, grain.mc, member % along_rows, along_rows),
            part(all.columns, grain.nc, member / along_rows, along_columns)};
}

/// Members pack panels together, so that each is packed once, and then multiply tasks of their shares of C; who has
/// finished takes tasks of others.
class TeamMultiplication {
public:
    TeamMultiplication(const Work& work, const TeamPanels& panels, int members)
        : work_(work),
          panels_(panels),
          rounds_(ceil_divide(work.product.k, panels.k_at_once)),
          tasks_(tasks_of_member(work_of(work.product), members)) {
        for (Integer round = 0; round < rounds_; ++round) queues_.emplace_back(members);
    }

    void run(int members) {
        runtime::run_team(
            members, [&](const runtime::TeamMember& member) { run(member); },
            min_seconds(work_of(work_.product)));
        failure_.rethrow();
    }

private:
    void run(const runtime::TeamMember& member) {
        for (Integer round = 0; round < rounds_; ++round) {
            const runtime::IterationRange of_k{round * panels_.k_at_once,
                                               std::min((round + 1) * panels_.k_at_once, work_.product.k)};
            if (round != 0) member.barrier(); // the panels before have been read
            failure_.guard([&] { pack(member, of_k); });
            member.barrier();
            failure_.guard([&] {
                queues_[static_cast<std::size_t>(round)].run(
                    member.index(), member.size(), tasks_, [&](int owner, int task) {
                        if (!failure_) multiply(share(owner, member.size()), task, of_k);
                    });
            });
        }
    }

    Share share(int member, int members) const {
        return share_of({{0, work_.product.rows}, {0, work_.product.columns}}, work_.grain(), member,
                        thread_grid(members, work_.product));
    }

    /// Members in a row of the grid read the same panels of A, those in a column the same of B: each packs a part.
    void pack(const runtime::TeamMember& member, runtime::IterationRange of_k) const {
        const auto [along_rows, along_columns] = thread_grid(member.size(), work_.product);
        const Share own = share(member.index(), member.size());
        const int row = member.index() % along_rows, column = member.index() / along_rows;
        if (panels_.a) panels_.a->pack(share_of(own, work_.grain(), column, {along_columns, 1}).rows, of_k);
        if (panels_.b) panels_.b->pack(share_of(own, work_.grain(), row, {1, along_rows}).columns, of_k);
    }

    void multiply(const Share& share, int task, runtime::IterationRange of_k) const {
        MatrixProduct of_share = work_.product;
        of_share.rows = share.rows.last - share.rows.first;
        of_share.columns = share.columns.last - share.columns.first;
        const Share part = share_of(share, work_.grain(), task, thread_grid(tasks_, of_share));
        if (part.is_empty()) return;
        Work work = work_;
        if (panels_.a) work.extras.a = panels_.a->from(of_k.first);
        if (panels_.b) work.extras.b = panels_.b->from(of_k.first);
        if (rounds_ > 1) work.extras.of_k = of_k;
        multiply_alone(work.subproblem(part.rows, part.columns));
    }

    const Work& work_;
    const TeamPanels& panels_;
    Integer rounds_;
    int tasks_; ///< of each member
    std::vector<runtime::WorkQueues> queues_;
    runtime::Failure failure_;
};

void multiply_by_team(const Work& work, int members) {
    if (members <= 1) return multiply_alone(work);
    if (const TeamPanels panels = team_panels(work, members); panels.k_at_once > 0)
        return TeamMultiplication(work, panels, members).run(members);
    runtime::run_team(
        members,
        [&](const runtime::TeamMember& member) {
            const Share share = share_of({{0, work.product.rows}, {0, work.product.columns}}, work.grain(),
                                         member.index(), thread_grid(member.size(), work.product));
            if (!share.is_empty()) multiply_alone(work.subproblem(share.rows, share.columns));
        },
        min_seconds(work_of(work.product)));
}

void multiply_one(Work work, int threads) {
    const int wanted = threads_worthwhile(work.product, threads);
    const int members = wanted > 1 ? runtime::team_size(wanted) : 1;
    work.look_at_operands(members);
    const ReductionCall& reductions = work.extras.reductions;
    if (reductions && needs_conversion_buffer(work.product)) return multiply_stored_reduced(work, members);
    multiply_by_team(work, members);
    if (reductions) reduce_matrix(work.product, reductions, work.arguments.c, members);
}

} // namespace

std::pair<int, int> thread_grid(int threads, const MatrixProduct& product) {
    std::pair<int, int> best{threads, 1};
    double least = 0;
    for (int along_rows = 1; along_rows <= threads; ++along_rows) {
        if (threads % along_rows != 0) continue;
        const int along_columns = threads / along_rows;
        const double edge = static_cast<double>(product.rows) / along_rows +
                            static_cast<double>(product.columns) / along_columns;
        if (along_rows == 1 || edge < least) {
            least = edge;
            best = {along_rows, along_columns};
        }
    }
    return best;
}

Integer kc_of(const MatrixProduct& product, const MatrixCode& code) {
    if (code.kc) return *code.kc;
    if (code.is_builtin()) return product.k;
    if (gemm::suits_small_gemm(product)) return gemm::small_kc(product, *code.cpu);
    const gemm::BlockedGemm& schedule = code.blocks->schedule();
    return gemm::balanced_block(product.k, schedule.kc,
                                Integer{schedule.unroll} * code.blocks->types().k_packing.k_group());
}

MatrixArguments moved(const MatrixProduct& product, const MatrixArguments& arguments, Integer a, Integer b,
                      Integer c) {
    MatrixArguments result = arguments;
    result.a = advanced(arguments.a, a * bytes_of(product.type_of_a()));
    result.b = advanced(arguments.b, b * bytes_of(product.type_of_b()));
    result.c = advanced(arguments.c, c * bytes_of(product.type_of_c()));
    return result;
}

bool wants_transposition(const MatrixProduct& product) {
    if (product.c.column_stride != 1) return false;
    // One row lies in memory as one column does: vectors of it need B's rows to be contiguous. Columns of one element may be,
    // too, in a copy of B; the copy must not change the orientation.
    const bool is_row =
        product.rows == 1 && product.columns > 1 && product.b.column_stride == 1 && product.b.row_stride != 1;
    return product.c.row_stride != 1 || is_row;
}

int threads_worthwhile(const MatrixProduct& product, int threads) {
    // A thread reads about a byte from beyond its caches in the time of a multiply-add.
    const auto bytes_of_matrix = [](Integer rows, Integer columns, DataType type) {
        return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(bytes_of(type));
    };
    const double bytes = bytes_of_matrix(product.rows, product.k, product.type_of_a()) +
                         bytes_of_matrix(product.k, product.columns, product.type_of_b()) +
                         bytes_of_matrix(product.rows, product.columns, product.type_of_c());
    return std::max(1, static_cast<int>(
                           std::min<double>(threads, std::max(work_of(product), bytes) / min_parallel_work)));
}

void multiply(const MatrixProduct& product, const MatrixArguments& arguments, const MatrixCode& code,
              int threads) {
    if (product.rows == 0 || product.columns == 0 || product.batch == 0)
        return reduce_nothing(product, arguments);
    const ScalarKind alpha = scalar_kind(product.data_type, arguments.alpha);
    if (product.k == 0 || alpha == ScalarKind::zero) {
        for (Integer matrix = 0; matrix < product.batch; ++matrix)
            scale_matrix_of_batch(product, arguments, code,
                                  moved(product, arguments, 0, 0, matrix * product.c.batch_stride).c, matrix);
        return;
    }
    if (arguments.extras == nullptr && multiply_small(product, arguments, alpha, code)) return;
    const Work work(product, arguments, code);
    if (product.batch == 1) return multiply_one(work, threads);
    const Items matrices{work_of(product), product.batch, threads_worthwhile(product, threads)};
    distribute_items({&matrices, 1}, threads, [&](std::size_t, Integer matrix, int threads_for_it) {
        Work one(product,
                 moved(product, arguments, matrix * product.a.batch_stride, matrix * product.b.batch_stride,
                       matrix * product.c.batch_stride),
                 code);
        one.extras.epilogue.matrix = one.extras.reductions.matrix = matrix;
        one.extras.a.select(matrix);
        one.extras.b.select(matrix);
        multiply_one(one, threads_for_it);
    });
}

} // namespace swirl::planning
