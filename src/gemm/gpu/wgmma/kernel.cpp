// The persistent loop of a block over its tiles.
#include "gemm/gpu/wgmma/kernel.hpp"

#include "gemm/gpu/matrix_buffer.hpp"

#include "gemm/gpu/epilogue/range_check.hpp"
#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/pipeline_state.hpp"
#include "gemm/gpu/prologue/bf16_split.hpp"
#include "gemm/gpu/prologue/operand_transpose.hpp"
#include "gemm/gpu/scheduler/rasterization.hpp"
#include "gemm/gpu/tensor_map.hpp"
#include "gemm/gpu/wgmma/layout.hpp"
#include "gemm/gpu/wgmma/pipeline.hpp"
#include "gemm/gpu/wgmma/register_a.hpp"
#include "gemm/gpu/wgmma/register_store.hpp"
#include "gemm/gpu/wgmma/split_k.hpp"
#include "gemm/gpu/wgmma/update.hpp"
#include "gemm/scalar.hpp"
#include "target/nvidia/tiles.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

using ir::AsyncFence;
using ir::Builder;
using ir::Value;
using Relation = ir::Condition::Relation;

constexpr int assumed_multiprocessors = 128; ///< if the GPU's count is unknown

class WgmmaKernelWriter {
public:
    WgmmaKernelWriter(const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu, const GpuEpilogue& epilogue)
        : gemm_(gemm),
          product_(gemm.product()),
          schedule_(gemm.schedule),
          gpu_(gpu),
          builder_("gemm"),
          k_tiles_(builder_, gemm),
          wgmma_instruction_(target::wgmma_of(
              k_tiles_.layout(0).scalar, gemm.has_register_a ? schedule_.cta_tile.n : schedule_.cta_tile.m)) {
        order_.rows = ceil_divide(product_.rows, Integer{schedule_.cta_tile.m * schedule_.cluster.m});
        order_.columns = ceil_divide(product_.columns, Integer{schedule_.cta_tile.n * schedule_.cluster.n});
        order_.matrices = product_.batch;
        order_.group = schedule_.raster_group;
        declare(gemm.canonical.is_swapped ? epilogue.transposed() : epilogue);
    }

    ir::Program write() {
        launch();
        initialize_mbarriers();
        if_holds(builder_, range_check_passed(builder_, schedule_), [&] { write_roles(); });
        if (split_k_) finish_splits();
        if (launch_cluster() > 1)
            builder_.cluster_barrier(); // shared memory of an exited block is not accessible
        return builder_.finish();
    }

private:
    void write_roles() {
        std::vector<ir::WarpRole> roles;
        const Integer groups = schedule_.warpgroups;
        for (Integer g = 0; g < groups; ++g)
            roles.push_back(
                {"multiply", g * warpgroup_threads, warpgroup_threads, consumer_registers(schedule_), {}});
        roles.push_back({"fetch",
                         groups * warpgroup_threads,
                         producer_threads(schedule_),
                         producer_registers(schedule_),
                         {}});
        builder_.roles(std::move(roles), [&](std::size_t role) {
            if (static_cast<Integer>(role) < groups) return multiply(static_cast<int>(role));
            builder_.if_then({{builder_.thread(0) - groups * warpgroup_threads, Relation::zero}},
                             [&] { fetch(); });
        });
    }

    // ---- launch and memory
    void launch() {
        const Integer multiprocessors =
            gpu_.multiprocessors > 0 ? gpu_.multiprocessors : assumed_multiprocessors;
        teams_ = std::min(order_.tiles(), std::max<Integer>(1, multiprocessors / launch_cluster()));
        if (split_k_) teams_ = order_.tiles(); // a cluster has one tile
        builder_.launch(
            {.blocks = {teams_ * launch_cluster(), 1, 1},
             .threads = {schedule_.warpgroups * warpgroup_threads + producer_threads(schedule_), 1, 1},
             .cluster = launch_cluster(),
             .resident = 1});
    }

    void declare(const GpuEpilogue& epilogue) {
        const auto matrix = [&](ir::ArgumentRole role, const MatrixLayout& layout, Integer rows,
                                Integer columns, DataType data_type, bool written) {
            ir::BufferInfo info = buffer_of_matrix(role, data_type, layout, rows, columns, product_.batch,
                                                   ir::swizzle_chunk_bytes / bytes_of(data_type));
            info.written = written;
            return builder_.add(info);
        };
        const auto operand_buffer = [&](ir::ArgumentRole role, const MatrixLayout& layout, Integer rows,
                                        Integer columns, DataType data_type) {
            if (!schedule_.has_bf16_split()) return matrix(role, layout, rows, columns, data_type, false);
            return builder_.add(buffer_of_bf16_split(
                role, bf16_split_layout(layout, rows, columns, product_.batch, schedule_.bf16_terms())));
        };
        const OperandRoles roles = operand_roles(gemm_.canonical.is_swapped);
        const ir::Buffer a =
            gemm_.transposes_a
                ? builder_.add(buffer_of_transposed(roles.a, transpose_of_a(product_)))
                : operand_buffer(roles.a, product_.a, product_.rows, product_.k, product_.type_of_a());
        const ir::Buffer b =
            gemm_.transposes_b
                ? builder_.add(buffer_of_transposed(roles.b, transpose_of_b(product_)))
                : operand_buffer(roles.b, product_.b, product_.k, product_.columns, product_.type_of_b());
        const ir::Buffer c = matrix(ir::ArgumentRole::c, product_.c, product_.rows, product_.columns,
                                    product_.type_of_c(), true);
        k_tiles_.declare_smem_tiles(b, a);
        declare_result(c);
        if (!epilogue.is_identity())
            result_.epilogue =
                &epilogue_.emplace(builder_, epilogue, product_, schedule_.cta_tile.m, schedule_.cta_tile.n);
        result_.reductions = WgmmaReductions::declare(builder_, gemm_, epilogue);
        if (schedule_.has_bf16_split())
            terms_ = tables_of_bf16_split_products(builder_, schedule_.bf16_terms());
        result_.alpha_beta = builder_.add(buffer_of_alpha_beta(DataType::float32));
        multiplies_ = builder_.parameter("multiplies", ir::ArgumentRole::multiplies);
        result_.reads_c = builder_.parameter("reads_c", ir::ArgumentRole::reads_c);
        k_tiles_.declare_mbarriers();
        result_.mbarriers = builder_.shared("c_full", DataType::int64, schedule_.warpgroups);
        counters_ = builder_.local("pipeline_state", DataType::int64, 2 * PipelineState::count);
        wgmma_accumulators_ =
            builder_.local("wgmma_accumulators", DataType::float32, count_of_accumulators());
        if (gemm_.has_register_a)
            fragments_ =
                builder_.local("a_fragments", DataType::float32, WgmmaRegisterA::registers(products()));
        result_.accumulators =
            schedule_.promotes_accumulators()
                ? builder_.local("accumulators", DataType::float32, count_of_accumulators())
                : wgmma_accumulators_;
    }

    Integer launch_cluster() const { return k_tiles_.cluster() * schedule_.split_k; }

    void declare_result(ir::Buffer c) {
        result_.has_matrix = has_batch_coordinate(product_.c, product_.batch);
        result_.c_memory = c;
        if (schedule_.split_k > 1) split_k_.emplace(builder_, gemm_);
        if (stores_from_registers(schedule_)) return;
        ir::TensorInfo tensor = tensor_map_of_c(gemm_);
        tensor.buffer = c;
        result_.c = builder_.tensor(tensor);
        result_.store_tensor = result_.c;
        if (residual_rows(product_) > 0) {
            std::optional<ir::TensorInfo> stored = tensor_map_of_stores(gemm_);
            if (stored) stored->buffer = c;
            result_.store_tensor = stored ? std::optional(builder_.tensor(*stored)) : std::nullopt;
        }
        result_.epilogue_smem =
            builder_.add(buffer_of_smem_tiles("staged", scalar_of(product_.type_of_c()),
                                              Integer{schedule_.epilogue_tile_m} * schedule_.cta_tile.n));
    }

    void initialize_mbarriers() {
        builder_.if_then({{builder_.thread(0), Relation::zero}}, [&] {
            k_tiles_.initialize();
            for (Integer g = 0; g < schedule_.warpgroups; ++g)
                builder_.mbarrier_init({result_.mbarriers, g}, 1);
        });
        k_tiles_.cluster() > 1 ? builder_.cluster_barrier() : builder_.barrier();
    }

    // ---- tiles and k-tiles
    /// Each tile of the block; coordinates in elements.
    template <class Body> void for_tiles(Body&& body) {
        const Integer cluster = launch_cluster();
        if (teams_ == order_.tiles()) // a tile each
            if (const auto coordinates = order_.coordinates_of_block(builder_, cluster))
                return body(origin_of(*coordinates));
        const Affine first = cluster == 1 ? builder_.block(0) : builder_.block(0, cluster, 0);
        builder_.for_loop("tile", first, order_.tiles(), teams_, ir::For::Kind::serial,
                          [&](const Affine& tile) {
                              body(origin_of(order_.coordinates_of(builder_, builder_.index(tile))));
                          });
    }
    TileOrigin origin_of(const TileRasterization::Coordinates& coordinates) {
        const auto start = [&](Value block, int extent, int blocks) {
            const Value at = builder_.multiply(block, integer(Integer{extent} * blocks));
            return blocks == 1 ? at : builder_.add(at, builder_.index(k_tiles_.rank_in_cluster() * extent));
        };
        TileOrigin result{start(coordinates.row, schedule_.cta_tile.m, schedule_.cluster.m),
                          start(coordinates.column, schedule_.cta_tile.n, schedule_.cluster.n),
                          coordinates.matrix};
        if (epilogue_ || stores_from_registers(schedule_))
            result.row_pair =
                start(coordinates.row, schedule_.cta_tile.m / WgmmaEpilogue::pair, schedule_.cluster.m);
        if (!result_.reductions.empty()) {
            result.row_tile = start(coordinates.row, 1, schedule_.cluster.m);
            result.column_tile = start(coordinates.column, 1, schedule_.cluster.n);
        }
        return result;
    }

    /// All accumulation intervals have the same length: the last one may extend past K, where elements are zero.
    Integer count_of_k_tiles() const {
        const Integer needed = ceil_divide(product_.k, Integer{schedule_.cta_tile.k});
        return schedule_.accumulation_interval == 0 ? needed
                                                    : accumulation_intervals() * length_of_interval();
    }
    /// Of a block; past K elements are zero.
    Integer k_tiles_of_split() const { return ceil_divide(count_of_k_tiles(), Integer{schedule_.split_k}); }
    Integer accumulation_intervals() const {
        return ceil_divide(product_.k,
                           Integer{schedule_.cta_tile.k} * std::max(schedule_.accumulation_interval, 1));
    }
    Integer length_of_interval() const {
        return ceil_divide(ceil_divide(product_.k, Integer{schedule_.cta_tile.k}),
                           std::max<Integer>(accumulation_intervals(), 1));
    }

    Value integer(Integer value) {
        return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
    }

    // ---- producer thread
    void fetch() {
        const PipelineState stages(builder_, counters_, 0, schedule_.stages);
        stages.start();
        for_tiles([&](const TileOrigin& tile) {
            if (!schedule_.has_bf16_split()) return produce_k_tiles(stages, tile, {tile.matrix, tile.matrix});
            builder_.for_loop(
                "split_product", multiplies_ * count_of_split_products(), [&](const Affine& product) {
                    const auto plane = [&](std::size_t operand) {
                        const Value term = builder_.load(terms_[operand], product);
                        if (k_tiles_.layout(operand).is_shared) return term;
                        return builder_.add(builder_.multiply(tile.matrix, integer(schedule_.bf16_terms())),
                                            term);
                    };
                    produce_k_tiles(stages, tile, {plane(0), plane(1)});
                });
        });
    }

    /// `matrices`: indices of the matrices of B and of A, including split terms if any.
    void produce_k_tiles(const PipelineState& stages, const TileOrigin& tile,
                         const std::array<Value, 2>& matrices) {
        const Affine count =
            schedule_.has_bf16_split() ? Affine(count_of_k_tiles()) : multiplies_ * k_tiles_of_split();
        const Affine first = split_k_ ? split_k_->rank() * k_tiles_of_split() : Affine(0);
        builder_.for_loop(std::string(k_tile_loop), count, [&](const Affine& k_tile) {
            k_tiles_.fetch({{tile.column, tile.row}, matrices}, first + k_tile, stages.stage(),
                           stages.other_phase());
            stages.advance();
        });
    }

    /// Products of split terms per GEMM.
    Integer count_of_split_products() const {
        return schedule_.has_bf16_split() ? std::ssize(bf16_split_products(schedule_.bf16_terms())) : 1;
    }

    // ---- consumer warpgroups
    int products() const {
        return (gemm_.has_register_a ? schedule_.cta_tile.m : schedule_.cta_tile.n) / schedule_.warpgroups /
               rows_of_wgmma;
    }

    void multiply(int warpgroup) {
        const PipelineState stages(builder_, counters_, 0, schedule_.stages);
        stages.start();
        if (split_k_)
            return for_tiles([&](const TileOrigin&) {
                multiply_interval(warpgroup, stages, multiplies_ * k_tiles_of_split());
                split_k_->store(wgmma_accumulators_, warpgroup);
            });
        if (stores_from_registers(schedule_))
            return for_tiles([&](const TileOrigin& tile) {
                multiply_tile(warpgroup, stages);
                WgmmaRegisterStore(builder_, gemm_).store_tile(result_, tile, warpgroup);
            });
        const PipelineState ways(builder_, counters_, PipelineState::count, 1);
        ways.start();
        const WgmmaUpdate update(builder_, gemm_, result_, ways, warpgroup);
        for_tiles([&](const TileOrigin& tile) {
            multiply_tile(warpgroup, stages);
            update.write(tile);
        });
        update.finish();
    }

    void multiply_tile(int warpgroup, const PipelineState& stages) {
        if (schedule_.promotes_accumulators()) return multiply_intervals(warpgroup, stages);
        multiply_interval(warpgroup, stages, multiplies_ * (count_of_k_tiles() * count_of_split_products()));
    }

    void finish_splits() {
        builder_.cluster_barrier();
        builder_.if_then(
            {{builder_.thread(0) - schedule_.warpgroups * warpgroup_threads, Relation::negative}},
            [&] { for_tiles([&](const TileOrigin& tile) { split_k_->finish(result_, tile); }); });
    }

    Integer count_of_accumulators() const { return Integer{products()} * wgmma_instruction_.registers(); }
    void clear(ir::Buffer accumulators) {
        for (Integer k = 0; k < count_of_accumulators(); ++k)
            builder_.store(accumulators, k, builder_.constant({DataType::float32, 1}, 0));
    }

    void multiply_intervals(int warpgroup, const PipelineState& stages) {
        clear(result_.accumulators);
        const Integer products = count_of_split_products() - (schedule_.promotes_leading() ? 1 : 0);
        if (products > 0)
            builder_.for_loop("accumulation_interval", multiplies_ * (accumulation_intervals() * products),
                              [&](const Affine&) {
                                  multiply_interval(warpgroup, stages, length_of_interval());
                                  promote();
                              });
        if (schedule_.promotes_leading()) multiply_leading(warpgroup, stages);
    }

    /// Adds tensor-core accumulators, which truncate, to float32 accumulators, which round.
    void promote() {
        for (Integer k = 0; k < count_of_accumulators(); ++k)
            builder_.store(
                result_.accumulators, k,
                builder_.add(builder_.load(result_.accumulators, k), builder_.load(wgmma_accumulators_, k)));
    }

    /// The last products, of leading terms: accumulators restart after each promotion interval. While one warpgroup
    /// promotes, tensor cores multiply for the others.
    void multiply_leading(int warpgroup, const PipelineState& stages) {
        const Integer interval = schedule_.promotion_interval;
        builder_.for_loop("leading_k_tile", multiplies_ * count_of_k_tiles(), [&](const Affine&) {
            k_tiles_.wait(stages.stage(), stages.phase());
            for (Integer first = 0; first < schedule_.cta_tile.k; first += interval) {
                start_wgmma(warpgroup, stages.stage(), {first, first + interval, true});
                builder_.fence({AsyncFence::Kind::wait, 0, AsyncFence::What::wgmmas});
                if (first + interval == schedule_.cta_tile.k) k_tiles_.release(stages.stage());
                promote();
            }
            stages.advance();
        });
    }

    /// Multiplies `count` k-tiles.
    void multiply_interval(int warpgroup, const PipelineState& stages, const Affine& count) {
        clear(wgmma_accumulators_);
        if (gemm_.has_register_a)
            return WgmmaRegisterA(builder_, wgmma_instruction_, k_tiles_, {fragments_, wgmma_accumulators_},
                                  warpgroup, products())
                .multiply_interval(stages, count);
        const auto release_before = [&] { k_tiles_.release(stages.stage_before()); };
        builder_.for_loop(std::string(k_tile_loop), count, [&](const Affine& k_tile) {
            k_tiles_.wait(stages.stage(), stages.phase());
            multiply_k_tile(warpgroup, stages.stage());
            builder_.if_then({{k_tile - 1, Relation::nonnegative}}, release_before);
            stages.advance();
        });
        builder_.fence({AsyncFence::Kind::wait, 0, AsyncFence::What::wgmmas});
        builder_.if_then({{count - 1, Relation::nonnegative}}, release_before);
    }

    /// Starts the wgmmas of a k-tile, and waits for those of the previous one.
    void multiply_k_tile(int warpgroup, Value stage) {
        start_wgmma(warpgroup, stage, {0, schedule_.cta_tile.k, false});
        builder_.fence({AsyncFence::Kind::wait, 1, AsyncFence::What::wgmmas});
    }

    /// Instructions of one k-tile: the first sets the accumulators or adds to them.
    struct KRange {
        Integer begin, end;
        bool is_first;
    };
    void start_wgmma(int warpgroup, Value stage, const KRange& k_range) {
        builder_.fence({AsyncFence::Kind::begin, 0, AsyncFence::What::wgmmas});
        for (Integer k = k_range.begin; k < k_range.end; k += wgmma_instruction_.k) {
            const bool begins = k_range.is_first && k == k_range.begin;
            for (int product = 0; product < products(); ++product)
                builder_.wgmma(
                    begins ? first_entry() : wgmma_instruction_, wgmma_accumulators_,
                    Integer{product} * wgmma_instruction_.registers(),
                    k_tiles_.operand(0, Integer{warpgroup * products() + product} * rows_of_wgmma, k, stage),
                    k_tiles_.operand(1, 0, k, stage));
        }
        builder_.fence({AsyncFence::Kind::commit, 0, AsyncFence::What::wgmmas});
    }
    const ir::WgmmaInstruction& first_entry() const {
        return target::wgmma_overwriting(wgmma_instruction_.operand_type, wgmma_instruction_.columns);
    }

    const CanonicalWgmmaGemm& gemm_;
    const MatrixProduct& product_;
    const WgmmaGemm& schedule_;
    const target::Gpu& gpu_;
    Builder builder_;
    WgmmaPipeline k_tiles_;
    const ir::WgmmaInstruction& wgmma_instruction_;
    TileRasterization order_;           ///< over the tiles of clusters
    Integer teams_ = 1;                 ///< number of clusters
    std::array<ir::Buffer, 2> terms_{}; ///< constant tables: terms of each product, in order
    ir::Buffer counters_ = 0;
    ir::Buffer wgmma_accumulators_ = 0; ///< of tensor cores
    ir::Buffer fragments_ = 0;          ///< of A, if loaded through registers
    WgmmaOutput result_;
    std::optional<WgmmaEpilogue> epilogue_;
    std::optional<WgmmaSplitK> split_k_;
    Affine multiplies_;
};

/// Whether the producer's warpgroup leaves registers to the others.
bool exchanges_registers(const WgmmaGemm& schedule) {
    if (schedule.split_k > 1) return false; // all threads run on after the main loop
    return schedule.warpgroups > 1;
}

} // namespace

Integer producer_threads(const WgmmaGemm& schedule) {
    constexpr Integer warp = 32;
    return exchanges_registers(schedule) ? warpgroup_threads : warp;
}

int consumer_registers(const WgmmaGemm& schedule) {
    if (!exchanges_registers(schedule)) return 0;
    return schedule.warpgroups == 2 ? 240 : schedule.warpgroups == 3 ? 160 : 0;
}
int producer_registers(const WgmmaGemm& schedule) {
    if (!exchanges_registers(schedule)) return 0;
    return schedule.warpgroups == 2 ? 24 : schedule.warpgroups == 3 ? 32 : 0;
}

ir::Program wgmma_kernel(const CanonicalWgmmaGemm& gemm, const target::Gpu& gpu,
                         const GpuEpilogue& epilogue) {
    return WgmmaKernelWriter(gemm, gpu, epilogue).write();
}

} // namespace swirl::gemm
