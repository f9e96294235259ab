// A block's way through its tiles.
#include "gemm/gpu_tile_product.hpp"

#include "gemm/gpu_matrix_buffer.hpp"

#include "gemm/gpu_product.hpp"
#include "gemm/gpu_range.hpp"
#include "gemm/gpu_terms.hpp"
#include "gemm/gpu_tile_fragments.hpp"
#include "gemm/gpu_tile_layout.hpp"
#include "gemm/gpu_tile_order.hpp"
#include "gemm/gpu_tile_pieces.hpp"
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
          pieces_(builder_, schedule, oriented),
          has_fragments_(has_fragments(schedule, oriented)),
          product_entry_(target::tile_product_of(
              pieces_.layout(0).scalar, has_fragments_ ? schedule.block_columns : schedule.block_rows)) {
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
        if (pieces_.cluster() > 1)
            builder_.cluster_barrier(); // signals of blocks that are gone cannot be reached
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
        teams_ = std::min(order_.tiles(), std::max<Integer>(1, multiprocessors / pieces_.cluster()));
        builder_.launch({.blocks = {teams_ * pieces_.cluster(), 1, 1},
                         .threads = {(schedule_.warpgroups + 1) * warpgroup_threads, 1, 1},
                         .cluster = pieces_.cluster(),
                         .resident = 1});
    }

    void declare(const GpuEpilogue& epilogue) {
        const auto matrix = [&](const char* name, const MatrixLayout& layout, Integer rows, Integer columns,
                                Number number, bool written) {
            ir::BufferInfo info = buffer_of_matrix(name, number, layout, rows, columns, product_.batch,
                                                   ir::tile_piece_bytes / bytes_of(number));
            info.written = written;
            return builder_.add(info);
        };
        const auto factor = [&](const char* name, const MatrixLayout& layout, Integer rows, Integer columns,
                                Number number) {
            if (!schedule_.has_terms()) return matrix(name, layout, rows, columns, number, false);
            return builder_.add(
                buffer_of_terms(name, terms_of(layout, rows, columns, product_.batch, schedule_.terms)));
        };
        const char* const name_of_a = is_turned_ ? "b" : "a";
        const ir::Buffer a =
            turns_a(schedule_, product_)
                ? builder_.add(buffer_of_turned(name_of_a, turn_of_a(product_)))
                : factor(name_of_a, product_.a, product_.rows, product_.depth, product_.number_of_a());
        const char* const name_of_b = is_turned_ ? "a" : "b";
        const ir::Buffer b =
            turns_b(schedule_, product_)
                ? builder_.add(buffer_of_turned(name_of_b, turn_of_b(product_)))
                : factor(name_of_b, product_.b, product_.depth, product_.columns, product_.number_of_b());
        const ir::Buffer c =
            matrix("c", product_.c, product_.rows, product_.columns, product_.number_of_c(), true);
        pieces_.declare_tiles(b, a);
        declare_result(c);
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
        pieces_.declare_signals();
        result_.signals = builder_.shared("c_here", ir::Scalar::int64, schedule_.warpgroups);
        counters_ = builder_.local("counters", ir::Scalar::int64, 2 * GpuTileStages::count);
        added_ = builder_.local("added", ir::Scalar::float32, count_of_sums());
        if (has_fragments_)
            fragments_ =
                builder_.local("fragments", ir::Scalar::float32, GpuTileFragments::registers(products()));
        result_.sums =
            schedule_.has_sums() ? builder_.local("sums", ir::Scalar::float32, count_of_sums()) : added_;
    }

    void declare_result(ir::Buffer c) {
        ir::TensorInfo tensor = tensor_of_result(schedule_, product_);
        tensor.buffer = c;
        result_.has_matrix = tensor.extents.size() > 2;
        result_.c = builder_.tensor(tensor);
        result_.c_memory = c;
        result_.stored = result_.c;
        if (rows_beyond_chunks(product_) > 0) {
            std::optional<ir::TensorInfo> stored = tensor_of_stores(schedule_, product_);
            if (stored) stored->buffer = c;
            result_.stored = stored ? std::optional(builder_.tensor(*stored)) : std::nullopt;
        }
        result_.staged =
            builder_.add(buffer_of_tiles("staged", scalar_of(product_.number_of_c()),
                                         Integer{schedule_.staged_rows} * schedule_.block_columns));
    }

    void initialize_signals() {
        builder_.if_then({{builder_.thread(0), Relation::zero}}, [&] {
            pieces_.initialize();
            for (Integer g = 0; g < schedule_.warpgroups; ++g)
                builder_.signal_initialize({result_.signals, g}, 1);
        });
        pieces_.cluster() > 1 ? builder_.cluster_barrier() : builder_.barrier();
    }

    // ---- tiles and pieces
    /// Each tile that the block has, in elements.
    template <class Body> void for_tiles(Body&& body) {
        const Integer cluster = pieces_.cluster();
        const Affine first = cluster == 1 ? builder_.block(0) : builder_.block(0, cluster, 0);
        builder_.for_loop(
            "tile", first, order_.tiles(), teams_, ir::For::Kind::serial, [&](const Affine& tile) {
                const GpuTileOrder::Place place = order_.place_of(builder_, builder_.index(tile));
                const auto start = [&](Value block, int extent, int blocks) {
                    const Value at = builder_.multiply(block, number(Integer{extent} * blocks));
                    return blocks == 1
                               ? at
                               : builder_.add(at, builder_.index(pieces_.number_in_cluster() * extent));
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

    /// Runs of pieces are all of one length: the last of a product's may go on beyond the depth, where zeros are.
    Integer number_of_pieces() const {
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

    // ---- the thread that fetches
    void fetch() {
        const GpuTileStages stages(builder_, counters_, 0, schedule_.stages);
        stages.start();
        for_tiles([&](const GpuTileStart& tile) {
            if (!schedule_.has_terms()) return fetch_pieces(stages, tile, {tile.matrix, tile.matrix});
            builder_.for_loop("product", steps_ * count_of_products(), [&](const Affine& product) {
                const auto plane = [&](std::size_t factor) {
                    const Value term = builder_.load(terms_[factor], product);
                    if (pieces_.layout(factor).is_shared) return term;
                    return builder_.add(builder_.multiply(tile.matrix, number(schedule_.terms)), term);
                };
                fetch_pieces(stages, tile, {plane(0), plane(1)});
            });
        });
    }

    /// `matrices`: the numbers of those of B and of A that are multiplied, among their terms where there are such.
    void fetch_pieces(const GpuTileStages& stages, const GpuTileStart& tile,
                      const std::array<Value, 2>& matrices) {
        const Affine count = schedule_.has_terms() ? Affine(number_of_pieces()) : steps_ * number_of_pieces();
        builder_.for_loop(std::string(gpu_piece_loop), count, [&](const Affine& piece) {
            pieces_.fetch({{tile.column, tile.row}, matrices}, piece, stages.stage(), stages.other_parity());
            stages.advance();
        });
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
            if (schedule_.has_sums())
                multiply_runs(warpgroup, stages);
            else
                multiply_run(warpgroup, stages, steps_ * (number_of_pieces() * count_of_products()));
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
        const Integer products = count_of_products() - (schedule_.promotes() ? 1 : 0);
        if (products > 0)
            builder_.for_loop("run", steps_ * (runs() * products), [&](const Affine&) {
                multiply_run(warpgroup, stages, length_of_run());
                promote();
            });
        if (schedule_.promotes()) multiply_leading(warpgroup, stages);
    }

    /// What tensor cores have added up, cutting off, to sums of float32, which are rounded.
    void promote() {
        for (Integer k = 0; k < count_of_sums(); ++k)
            builder_.store(result_.sums, k,
                           builder_.add(builder_.load(result_.sums, k), builder_.load(added_, k)));
    }

    /// The last of the products, which count most: accumulators begin anew after each interval. While a warpgroup promotes them,
    /// tensor cores multiply for the others.
    void multiply_leading(int warpgroup, const GpuTileStages& stages) {
        const Integer interval = schedule_.promotion_interval;
        builder_.for_loop("leading_piece", steps_ * number_of_pieces(), [&](const Affine&) {
            pieces_.wait(stages.stage(), stages.parity());
            for (Integer first = 0; first < schedule_.block_depth; first += interval) {
                start_products(warpgroup, stages.stage(), {first, first + interval, true});
                builder_.fence({CopyFence::Kind::wait, 0, CopyFence::What::tile_products});
                if (first + interval == schedule_.block_depth) pieces_.release(stages.stage());
                promote();
            }
            stages.advance();
        });
    }

    /// The products of so many pieces.
    void multiply_run(int warpgroup, const GpuTileStages& stages, const Affine& count) {
        clear(added_);
        if (has_fragments_)
            return GpuTileFragments(builder_, product_entry_, pieces_, {fragments_, added_}, warpgroup,
                                    products())
                .multiply_run(stages, count);
        const auto release_before = [&] { pieces_.release(stages.stage_before()); };
        builder_.for_loop(std::string(gpu_piece_loop), count, [&](const Affine& piece) {
            pieces_.wait(stages.stage(), stages.parity());
            multiply_piece(warpgroup, stages.stage());
            builder_.if_then({{piece - 1, Relation::nonnegative}}, release_before);
            stages.advance();
        });
        builder_.fence({CopyFence::Kind::wait, 0, CopyFence::What::tile_products});
        builder_.if_then({{count - 1, Relation::nonnegative}}, release_before);
    }

    /// Starts the products of a piece, and waits for those of the piece before.
    void multiply_piece(int warpgroup, Value stage) {
        start_products(warpgroup, stage, {0, schedule_.block_depth, false});
        builder_.fence({CopyFence::Kind::wait, 1, CopyFence::What::tile_products});
    }

    /// Instructions of one k-tile: the first sets the accumulators or adds to them.
    struct Steps {
        Integer begin, end;
        bool is_first;
    };
    void start_products(int warpgroup, Value stage, const Steps& steps) {
        builder_.fence({CopyFence::Kind::begin, 0, CopyFence::What::tile_products});
        for (Integer step = steps.begin; step < steps.end; step += product_entry_.depth) {
            const bool begins = steps.is_first && step == steps.begin;
            for (int part = 0; part < products(); ++part)
                builder_.tile_product(
                    begins ? first_entry() : product_entry_, added_,
                    Integer{part} * product_entry_.registers(),
                    pieces_.factor(0, Integer{warpgroup * products() + part} * rows_of_product, step, stage),
                    pieces_.factor(1, 0, step, stage));
        }
        builder_.fence({CopyFence::Kind::commit, 0, CopyFence::What::tile_products});
    }
    const ir::TileInstruction& first_entry() const {
        return target::first_tile_product_of(product_entry_.factor, product_entry_.columns);
    }

    const MatrixProduct& product_;
    bool is_turned_;
    const GpuSchedule& schedule_;
    const target::Gpu& gpu_;
    Builder builder_;
    GpuTilePieces pieces_;
    bool has_fragments_;
    const ir::TileInstruction& product_entry_;
    GpuTileOrder order_;                ///< of what a cluster has at once
    Integer teams_ = 1;                 ///< clusters
    std::array<ir::Buffer, 2> terms_{}; ///< tables: of which terms products are, one after the other
    ir::Buffer counters_ = 0;
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
