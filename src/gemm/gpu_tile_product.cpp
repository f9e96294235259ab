// A block's way through its tiles. Stages are handed over by two signals each: `full`, when a piece has come, and `empty`, when the
// warpgroups of all blocks that it went to have multiplied it.
#include "gemm/gpu_tile_product.hpp"

#include "gemm/gpu_product.hpp"
#include "gemm/gpu_range.hpp"
#include "gemm/gpu_terms.hpp"
#include "gemm/gpu_tile_fragments.hpp"
#include "gemm/gpu_tile_layout.hpp"
#include "gemm/gpu_tile_order.hpp"
#include "gemm/gpu_tile_result.hpp"
#include "gemm/gpu_tile_stages.hpp"
#include "gemm/gpu_turn.hpp"
#include "gemm/tile.hpp"
#include "target/gpu_tiles.hpp"

#include <algorithm>

namespace swirl::gemm {

namespace {

using ir::Builder;
using ir::CopyFence;
using ir::Value;
using Relation = ir::Condition::Relation;

constexpr int usual_multiprocessors = 128; ///< of a GPU of which their number is not known

class TileProductWriter {
public:
    TileProductWriter(const MatrixProduct& oriented, bool is_turned, const GpuSchedule& schedule,
                      const target::Gpu& gpu, const GpuEpilogue& epilogue)
        : product_(oriented),
          is_turned_(is_turned),
          schedule_(schedule),
          gpu_(gpu),
          builder_("gemm"),
          factors_(tile_factors(schedule, oriented)),
          has_fragments_(has_fragments(schedule, oriented)),
          product_entry_(target::tile_product_of(
              factors_[0].scalar, has_fragments_ ? schedule.block_columns : schedule.block_rows)),
          cluster_(schedule.cluster_rows * schedule.cluster_columns) {
        order_.rows = ceil_divide(oriented.rows, Integer{schedule.block_rows * schedule.cluster_rows});
        order_.columns =
            ceil_divide(oriented.columns, Integer{schedule.block_columns * schedule.cluster_columns});
        order_.matrices = oriented.batch;
        order_.group = schedule.group;
        declare(epilogue);
    }

    ir::Program write() {
        launch();
        initialize_signals();
        where_holds(builder_, numbers_are_in_range(builder_, schedule_), [&] { part(); });
        if (cluster_ > 1) builder_.cluster_barrier(); // signals of blocks that are gone cannot be reached
        return builder_.finish();
    }

private:
    void part() {
        std::vector<ir::Role> roles;
        const Integer groups = schedule_.warpgroups;
        for (Integer g = 0; g < groups; ++g)
            roles.push_back(
                {"multiply", g * warpgroup_threads, warpgroup_threads, registers_to_multiply(schedule_), {}});
        roles.push_back(
            {"fetch", groups * warpgroup_threads, warpgroup_threads, registers_to_fetch(schedule_), {}});
        builder_.roles(std::move(roles), [&](std::size_t role) {
            if (static_cast<Integer>(role) < groups) return multiply(static_cast<int>(role));
            builder_.if_then({{builder_.thread(0) - groups * warpgroup_threads, Relation::zero}},
                             [&] { fetch(); });
        });
    }

    // ---- launch and memory
    void launch() {
        const Integer multiprocessors =
            gpu_.multiprocessors > 0 ? gpu_.multiprocessors : usual_multiprocessors;
        teams_ = std::min(order_.tiles(), std::max<Integer>(1, multiprocessors / cluster_));
        builder_.launch({.blocks = {teams_ * cluster_, 1, 1},
                         .threads = {(schedule_.warpgroups + 1) * warpgroup_threads, 1, 1},
                         .cluster = cluster_,
                         .resident = 1});
    }

    void declare(const GpuEpilogue& epilogue) {
        const auto matrix = [&](const char* name, const MatrixLayout& layout, Integer rows, Integer columns,
                                Number number, bool written) {
            const Extent extent = extent_of(layout, rows, columns, product_.batch);
            ir::BufferInfo info;
            info.name = name;
            info.element = scalar_of(number);
            info.first = extent.lowest;
            info.elements = extent.highest - extent.lowest + 1;
            info.alignment = ir::tile_piece_bytes;
            info.written = written;
            return builder_.add(info);
        };
        const auto factor = [&](const char* name, const MatrixLayout& layout, Integer rows, Integer columns,
                                Number number) {
            if (!schedule_.has_terms()) return matrix(name, layout, rows, columns, number, false);
            return builder_.add(
                buffer_of_terms(name, terms_of(layout, rows, columns, product_.batch, schedule_.terms)));
        };
        const ir::Buffer a =
            factor(is_turned_ ? "b" : "a", product_.a, product_.rows, product_.depth, product_.number_of_a());
        const char* const name_of_b = is_turned_ ? "a" : "b";
        const ir::Buffer b =
            turns_b(schedule_, product_)
                ? builder_.add(buffer_of_turned(name_of_b, product_))
                : factor(name_of_b, product_.b, product_.depth, product_.columns, product_.number_of_b());
        const ir::Buffer c =
            matrix("c", product_.c, product_.rows, product_.columns, product_.number_of_c(), true);
        declare_tensors(b, a, c);
        if (!epilogue.is_identity())
            result_.epilogue = &epilogue_.emplace(builder_, epilogue, product_, schedule_.block_rows,
                                                  schedule_.block_columns);
        result_.reductions = GpuTileReductions::declare(builder_, schedule_, product_, epilogue);
        if (schedule_.has_terms()) terms_ = tables_of_products(builder_, schedule_.terms);
        ir::BufferInfo factors;
        factors.name = "factors";
        factors.element = ir::Scalar::float32;
        factors.elements = 2;
        factors.by_value = true;
        result_.factors = builder_.add(factors);
        steps_ = builder_.parameter("steps");
        result_.reads_c = builder_.parameter("reads_c");
        full_ = builder_.shared("full", ir::Scalar::int64, schedule_.stages);
        empty_ = builder_.shared("empty", ir::Scalar::int64, schedule_.stages);
        result_.signals = builder_.shared("c_here", ir::Scalar::int64, schedule_.warpgroups);
        counters_ = builder_.local("counters", ir::Scalar::int64, 2 * GpuTileStages::count);
        added_ = builder_.local("added", ir::Scalar::float32, count_of_sums());
        if (has_fragments_)
            fragments_ =
                builder_.local("fragments", ir::Scalar::float32, GpuTileFragments::registers(products()));
        result_.sums =
            schedule_.run == 0 ? added_ : builder_.local("sums", ir::Scalar::float32, count_of_sums());
    }

    void declare_tensors(ir::Buffer b, ir::Buffer a, ir::Buffer c) {
        const auto tiles = [&](const char* name, ir::Scalar scalar, Integer elements) {
            ir::BufferInfo info;
            info.name = name;
            info.element = scalar;
            info.space = ir::Space::shared;
            info.elements = elements;
            info.alignment = ir::tile_pattern_bytes;
            info.written = true;
            return builder_.add(info);
        };
        for (std::size_t f = 0; f < 2; ++f) {
            ir::TensorInfo tensor = factors_[f].tensor;
            tensor.buffer = f == 0 ? b : a;
            tensors_[f] = builder_.tensor(tensor);
            pieces_[f] = tiles(f == 0 ? "b_pieces" : "a_pieces", factors_[f].scalar,
                               schedule_.stages * factors_[f].scalars());
        }
        ir::TensorInfo tensor = tensor_of_result(schedule_, product_);
        tensor.buffer = c;
        result_.has_matrix = tensor.extents.size() > 2;
        result_.c = builder_.tensor(tensor);
        result_.staged = tiles("staged", scalar_of(product_.number_of_c()),
                               Integer{schedule_.staged_rows} * schedule_.block_columns);
    }

    void initialize_signals() {
        builder_.if_then({{builder_.thread(0), Relation::zero}}, [&] {
            for (Integer stage = 0; stage < schedule_.stages; ++stage) {
                builder_.signal_initialize({full_, stage}, 1);
                builder_.signal_initialize({empty_, stage}, schedule_.warpgroups * cluster_);
            }
            for (Integer g = 0; g < schedule_.warpgroups; ++g)
                builder_.signal_initialize({result_.signals, g}, 1);
        });
        cluster_ > 1 ? builder_.cluster_barrier() : builder_.barrier();
    }

    // ---- tiles and pieces
    /// Each tile that the block has, in elements.
    template <class Body> void for_tiles(Body&& body) {
        const Affine first = cluster_ == 1 ? builder_.block(0) : builder_.block(0, cluster_, 0);
        builder_.for_loop(
            "tile", first, order_.tiles(), teams_, ir::For::Kind::serial, [&](const Affine& tile) {
                const GpuTileOrder::Place place = order_.place_of(builder_, builder_.index(tile));
                const auto start = [&](Value block, int extent, int blocks) {
                    const Value at = builder_.multiply(block, number(Integer{extent} * blocks));
                    return blocks == 1 ? at : builder_.add(at, builder_.index(number_in_cluster() * extent));
                };
                GpuTileStart result{start(place.row, schedule_.block_rows, schedule_.cluster_rows),
                                    start(place.column, schedule_.block_columns, schedule_.cluster_columns),
                                    place.matrix};
                if (epilogue_)
                    result.row_pair = start(place.row, schedule_.block_rows / GpuTileEpilogue::pair,
                                            schedule_.cluster_rows);
                if (!result_.reductions.empty()) {
                    result.row_tile = start(place.row, 1, schedule_.cluster_rows);
                    result.column_tile = start(place.column, 1, schedule_.cluster_columns);
                }
                body(result);
            });
    }
    Affine number_in_cluster() { return builder_.block(0, 1, cluster_); }

    /// Runs of pieces are all of one length: the last of a product's may go on beyond the depth, where zeros are.
    Integer pieces() const {
        const Integer needed = ceil_divide(product_.depth, Integer{schedule_.block_depth});
        return schedule_.run == 0 ? needed : runs() * length_of_run();
    }
    Integer runs() const {
        return ceil_divide(product_.depth, Integer{schedule_.block_depth} * std::max(schedule_.run, 1));
    }
    Integer length_of_run() const {
        return ceil_divide(ceil_divide(product_.depth, Integer{schedule_.block_depth}),
                           std::max<Integer>(runs(), 1));
    }

    Value number(Integer value) {
        return builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(value));
    }
    Builder::Place signal(ir::Buffer signals, Value stage) const { return {signals, 0, stage}; }

    // ---- the thread that fetches
    void fetch() {
        const GpuTileStages stages(builder_, counters_, 0, schedule_.stages);
        stages.start();
        for_tiles([&](const GpuTileStart& tile) {
            if (!schedule_.has_terms()) return fetch_pieces(stages, tile, {tile.matrix, tile.matrix});
            builder_.for_loop("product", steps_ * count_of_products(), [&](const Affine& product) {
                const auto plane = [&](std::size_t factor) {
                    const Value first = builder_.multiply(tile.matrix, number(schedule_.terms));
                    return builder_.add(first, builder_.load(terms_[factor], product));
                };
                fetch_pieces(stages, tile, {plane(0), plane(1)});
            });
        });
    }

    /// `matrices`: the numbers of those of B and of A that are multiplied, among their terms where there are such.
    void fetch_pieces(const GpuTileStages& stages, const GpuTileStart& tile,
                      const std::array<Value, 2>& matrices) {
        const Affine count = schedule_.has_terms() ? Affine(pieces()) : steps_ * pieces();
        builder_.for_loop(std::string(gpu_piece_loop), count, [&](const Affine& piece) {
            const Value stage = stages.stage();
            builder_.signal_wait(signal(empty_, stage), stages.other_parity());
            Integer bytes = 0;
            for (const GpuTileFactor& factor : factors_)
                bytes += factor.scalars() * size_in_bytes(factor.scalar);
            builder_.signal_expect(signal(full_, stage), bytes);
            load(0, tile.column, matrices[0], piece, stage);
            load(1, tile.row, matrices[1], piece, stage);
            stages.advance();
        });
    }

    void load(std::size_t which, Value first_line, Value matrix, const Affine& piece, Value stage) {
        const GpuTileFactor& factor = factors_[which];
        const Affine share = factor.shares > 1 ? number_in_cluster() : Affine(0);
        const unsigned blocks = factor.shares > 1 ? (1U << factor.shares) - 1 : 0;
        for (const GpuTileFactor::Load& load : factor.loads()) {
            const Value line =
                builder_.add(first_line, builder_.index(share * factor.lines_of_share() + load.line));
            const Value step = builder_.index(piece * schedule_.block_depth + load.step);
            std::vector<Value> at = {line, step};
            if (factor.layout.along_depth) std::swap(at[0], at[1]);
            if (factor.has_matrix) at.push_back(matrix);
            builder_.tile_load(
                tensors_[which], at,
                {pieces_[which], share * factor.scalars_of_share() + load.place, stage, factor.scalars()},
                signal(full_, stage), blocks);
        }
    }

    /// Of terms of numbers, for each product of matrices.
    Integer count_of_products() const {
        return schedule_.has_terms() ? std::ssize(products_of_terms(schedule_.terms)) : 1;
    }

    // ---- the warpgroups that multiply
    int products() const {
        return (has_fragments_ ? schedule_.block_rows : schedule_.block_columns) / schedule_.warpgroups /
               rows_of_product;
    }

    void multiply(int warpgroup) {
        const GpuTileStages stages(builder_, counters_, 0, schedule_.stages);
        const GpuTileStages ways(builder_, counters_, GpuTileStages::count, 1);
        stages.start();
        ways.start();
        const GpuTileUpdate update(builder_, schedule_, product_, result_, ways, warpgroup);
        for_tiles([&](const GpuTileStart& tile) {
            if (schedule_.run == 0)
                multiply_run(warpgroup, stages, steps_ * (pieces() * count_of_products()));
            else
                multiply_runs(warpgroup, stages);
            update.write(tile);
        });
        update.finish();
    }

    Integer count_of_sums() const { return Integer{products()} * product_entry_.registers(); }
    void clear(ir::Buffer sums) {
        for (Integer k = 0; k < count_of_sums(); ++k)
            builder_.store(sums, k, builder_.constant({ir::Scalar::float32, 1}, 0));
    }

    void multiply_runs(int warpgroup, const GpuTileStages& stages) {
        clear(result_.sums);
        builder_.for_loop("run", steps_ * (runs() * count_of_products()), [&](const Affine&) {
            multiply_run(warpgroup, stages, length_of_run());
            for (Integer k = 0; k < count_of_sums(); ++k)
                builder_.store(result_.sums, k,
                               builder_.add(builder_.load(result_.sums, k), builder_.load(added_, k)));
        });
    }

    /// The products of so many pieces.
    void multiply_run(int warpgroup, const GpuTileStages& stages, const Affine& count) {
        clear(added_);
        const auto release_before = [&] { release(stages.stage_before()); };
        const auto wait = [&](Value stage, Value parity) {
            builder_.signal_wait(signal(full_, stage), parity);
        };
        if (has_fragments_)
            return GpuTileFragments(builder_, product_entry_, factors_[1], {fragments_, pieces_[1], added_},
                                    warpgroup, products())
                .multiply_run(stages, count,
                              {[&](Value stage, Integer step) { return factor(0, 0, step, stage); }, wait,
                               release_before});
        builder_.for_loop(std::string(gpu_piece_loop), count, [&](const Affine& piece) {
            wait(stages.stage(), stages.parity());
            multiply_piece(warpgroup, stages.stage());
            builder_.if_then({{piece - 1, Relation::nonnegative}}, release_before);
            stages.advance();
        });
        builder_.fence({CopyFence::Kind::wait, 0, CopyFence::What::tile_products});
        builder_.if_then({{count - 1, Relation::nonnegative}}, release_before);
    }

    Builder::Factor factor(std::size_t which, Integer line, Integer step, Value stage) const {
        return {{pieces_[which], factors_[which].place(line, step), stage, factors_[which].scalars()},
                factors_[which].layout};
    }

    /// Starts the products of a piece, and waits for those of the piece before.
    void multiply_piece(int warpgroup, Value stage) {
        builder_.fence({CopyFence::Kind::begin, 0, CopyFence::What::tile_products});
        for (Integer step = 0; step < schedule_.block_depth; step += product_entry_.depth)
            for (int part = 0; part < products(); ++part)
                builder_.tile_product(
                    product_entry_, added_, Integer{part} * product_entry_.registers(),
                    factor(0, Integer{warpgroup * products() + part} * rows_of_product, step, stage),
                    factor(1, 0, step, stage));
        builder_.fence({CopyFence::Kind::commit, 0, CopyFence::What::tile_products});
        builder_.fence({CopyFence::Kind::wait, 1, CopyFence::What::tile_products});
    }

    /// One thread for each block of the cluster says that the stage may be filled.
    void release(Value stage) {
        if (cluster_ == 1)
            return builder_.if_then({{builder_.thread(0, 1, warpgroup_threads), Relation::zero}},
                                    [&] { builder_.signal_arrive(signal(empty_, stage)); });
        const Affine thread = builder_.thread(0, 1, warpgroup_threads);
        builder_.if_then({{thread - cluster_, Relation::negative}},
                         [&] { builder_.signal_arrive(signal(empty_, stage), builder_.index(thread)); });
    }

    const MatrixProduct& product_;
    bool is_turned_;
    const GpuSchedule& schedule_;
    const target::Gpu& gpu_;
    Builder builder_;
    std::array<GpuTileFactor, 2> factors_; ///< from B and from A
    bool has_fragments_;
    const ir::TileInstruction& product_entry_;
    Integer cluster_;
    GpuTileOrder order_; ///< of what a cluster has at once
    Integer teams_ = 1;  ///< clusters
    std::array<ir::Tensor, 2> tensors_{};
    std::array<ir::Buffer, 2> terms_{}; ///< tables: of which terms products are, one after the other
    std::array<ir::Buffer, 2> pieces_{};
    ir::Buffer full_ = 0, empty_ = 0, counters_ = 0;
    ir::Buffer added_ = 0;     ///< by tensor cores
    ir::Buffer fragments_ = 0; ///< of A, where it comes by registers
    GpuTileResult result_;
    std::optional<GpuTileEpilogue> epilogue_;
    Affine steps_;
};

} // namespace

int registers_to_multiply(const GpuSchedule& schedule) {
    return schedule.warpgroups == 2 ? 240 : schedule.warpgroups == 3 ? 160 : 0;
}
int registers_to_fetch(const GpuSchedule& schedule) {
    return schedule.warpgroups == 2 ? 24 : schedule.warpgroups == 3 ? 32 : 0;
}

ir::Program gpu_tile_product(const MatrixProduct& oriented, bool is_turned, const GpuSchedule& schedule,
                             const target::Gpu& gpu, const GpuEpilogue& epilogue) {
    return TileProductWriter(oriented, is_turned, schedule, gpu, epilogue).write();
}

} // namespace swirl::gemm
