// A block's way through the depth: pieces of A and B are on their way to shared memory while others are multiplied; the numbers of
// the next step are loaded while those of this one are multiplied, at a piece's last step those of the next piece, after the one
// meeting of the threads. (Gray, "SGEMM", a walkthrough of maxas.)
#include "gemm/gpu_thread_product.hpp"

#include "base/error.hpp"
#include "gemm/gpu_blocks.hpp"
#include "gemm/gpu_fetch.hpp"
#include "gemm/gpu_lists.hpp"
#include "gemm/gpu_product.hpp"
#include "gemm/gpu_range.hpp"
#include "gemm/gpu_sums.hpp"
#include "gemm/gpu_update.hpp"
#include "gemm/tile.hpp"
#include "gemm/whole_problem.hpp"

#include <optional>

namespace swirl::gemm {

namespace {

using ir::Value;

class ProductWriter {
public:
    ProductWriter(const MatrixProduct& product, const GpuSchedule& schedule, const target::Gpu& gpu,
                  const GpuEpilogue& epilogue, bool takes_over)
        : gpu_(gpu),
          orientation_(oriented_for_gpu(product)),
          product_(orientation_.product),
          schedule_(schedule),
          builder_(takes_over ? "gemm_out_of_range" : "gemm"),
          takes_over_(takes_over),
          scalar_(scalar_of(product_.number)),
          pieces_(pieces_of(schedule, product_)),
          row_blocks_(ceil_divide(product_.rows, Integer{schedule.block_rows})),
          column_blocks_(ceil_divide(product_.columns, Integer{schedule.block_columns})),
          pieces_of_split_(ceil_divide(ceil_divide(product_.depth, Integer{schedule.block_depth}),
                                       Integer{schedule.splits})) {
        declare(epilogue);
    }

    ir::Program write() {
        const BlockPlace place =
            place_of_block(builder_, schedule_, {row_blocks_, column_blocks_, product_.batch});
        std::vector<ir::Condition> conditions;
        if (takes_over_) conditions.push_back(numbers_are_out_of_range(builder_));
        if (place.may_be_idle)
            conditions.push_back({place.row_block - row_blocks_, ir::Condition::Relation::negative});
        if (conditions.empty())
            write_tile(place);
        else
            builder_.if_then(conditions, [&] { write_tile(place); });
        return builder_.finish();
    }

private:
    /// A matrix's buffer, and that of the list which says where those of a batch lie, if there is one.
    struct Matrix {
        ir::Buffer buffer = 0;
        ir::Buffer list = 0;
        Integer bytes = 0; ///< of an element
    };

    // ---- buffers and blocks
    void declare(const GpuEpilogue& epilogue) {
        const auto matrix = [&](const char* name, Number number, const MatrixLayout& layout, Integer rows,
                                Integer columns, int lanes, bool written) {
            const Extent extent = extent_of(layout, rows, columns, product_.batch);
            ir::BufferInfo info;
            info.name = name;
            info.element = scalar_of(number);
            info.first = scalars_in(number) * extent.lowest;
            info.elements = scalars_in(number) * (extent.highest - extent.lowest + 1);
            info.alignment = lanes * static_cast<int>(bytes_of(number));
            info.written = written;
            info.absolute = product_.listed;
            const Matrix result{builder_.add(info),
                                product_.listed ? add_list(builder_, name, product_.batch) : 0,
                                bytes_of(number)};
            return result;
        };
        const bool turned = orientation_.is_turned;
        const auto add_a = [&] {
            a_ = matrix(turned ? "b" : "a", product_.number_of_a(), product_.a, product_.rows, product_.depth,
                        pieces_[0].elements_of_copy(), false);
        };
        const auto add_b = [&] {
            b_ = matrix(turned ? "a" : "b", product_.number_of_b(), product_.b, product_.depth,
                        product_.columns, pieces_[1].elements_of_copy(), false);
        };
        if (turned) add_b();
        add_a();
        if (!turned) add_b();
        c_ = matrix("c", product_.number_of_c(), product_.c, product_.rows, product_.columns,
                    schedule_.c_lanes, true);
        if (!epilogue.is_identity())
            epilogue_.emplace(builder_, turned ? epilogue.turned() : epilogue, scalar_, schedule_.c_lanes);
        if (!epilogue.reductions.empty())
            reductions_.emplace(builder_, schedule_, product_, *epilogue_,
                                takes_over_ ? std::optional(GpuRangeSide::outside) : std::nullopt);
        ir::BufferInfo factors;
        factors.name = "factors";
        factors.element = scalar_;
        factors.elements = 2 * scalars_in(product_.number);
        factors.by_value = true;
        factors_ = builder_.add(factors);
        steps_ = builder_.parameter("steps");
        reads_c_ = builder_.parameter("reads_c");
        for (std::size_t operand = 0; operand < pieces_.size(); ++operand)
            piece_buffers_[operand] =
                builder_.shared(operand == 0 ? "a_pieces" : "b_pieces", scalar_of(pieces_[operand].number),
                                schedule_.matrices * schedule_.stages * pieces_[operand].scalars());
    }

    // ---- integers
    Value integer(Integer number) {
        return builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(number));
    }

    /// Where a tile begins along one extent, in accesses of `lanes` elements of which `stride` lie between neighbours: the last tile
    /// ends with C, over the one before.
    Value tile_start(const Affine& block, Integer tile, Integer extent, Integer stride, Integer lanes) {
        const Value regular = builder_.index(block * (tile * stride / lanes));
        if (extent % tile == 0) return regular;
        const Value is_regular = builder_.less(builder_.index(block * tile), integer(extent - tile + 1));
        return builder_.select(is_regular, regular, integer((extent - tile) * stride / lanes));
    }

    /// The number of a block's matrix, so many times; threads that have none take the last one.
    Value matrix_number(const BlockPlace& place, Integer times) {
        const Value regular = builder_.index(place.matrix * times);
        if (product_.batch % schedule_.matrices == 0) return regular;
        const Value is_regular = builder_.less(builder_.index(place.matrix), integer(product_.batch));
        return builder_.select(is_regular, regular, integer((product_.batch - 1) * times));
    }
    /// Where it begins, in accesses of so many elements.
    Value matrix_start(const BlockPlace& place, const Matrix& matrix, const MatrixLayout& layout,
                       Integer lanes) {
        if (!product_.listed) return matrix_number(place, layout.batch_stride / lanes);
        return place_in_memory(builder_, matrix.list, matrix_number(place, 1), lanes * matrix.bytes);
    }

    /// The first piece is short where pieces do not divide the depth: it begins before the first step.
    Integer missing_steps() const {
        return pieces_of_split_ * schedule_.splits * schedule_.block_depth - product_.depth;
    }

    GpuSource source(const BlockPlace& place, bool is_a) {
        const Integer lanes = pieces_[is_a ? 0 : 1].elements_of_copy();
        const MatrixLayout& layout = is_a ? product_.a : product_.b;
        GpuSource result;
        const Matrix& matrix = is_a ? a_ : b_;
        result.buffer = matrix.buffer;
        const bool is_one_line = (is_a ? product_.rows : product_.columns) == 1;
        result.stride = is_one_line ? 0 : is_a ? layout.row_stride : layout.column_stride;
        result.depth_stride = is_a ? layout.column_stride : layout.row_stride;
        const Value along =
            is_a ? tile_start(place.row_block, schedule_.block_rows, product_.rows, result.stride, lanes)
                 : tile_start(place.column_block, schedule_.block_columns, product_.columns, result.stride,
                              lanes);
        const auto copies = [&](Integer steps) { return steps * result.depth_stride / lanes; };
        const Affine first =
            place.split * copies(pieces_of_split_ * schedule_.block_depth) - copies(missing_steps());
        result.start = builder_.add(builder_.add(along, matrix_start(place, matrix, layout, lanes)),
                                    builder_.index(first));
        return result;
    }

    // ---- a tile
    void write_tile(BlockPlace place) {
        const GpuThreads threads(builder_, schedule_, product_.number);
        place.matrix += threads.matrix();
        GpuSums sums(builder_, schedule_, threads, product_, gpu_);
        sums.clear();
        if (product_.depth > 0)
            builder_.if_then({{steps_ - 1, ir::Condition::Relation::nonnegative}},
                             [&] { multiply(place, sums, threads); });
        sums.add_slices();
        update_result(builder_, schedule_, threads, sums, product_, result(place, threads));
    }

    GpuResult result(const BlockPlace& place, const GpuThreads& threads) {
        GpuResult c;
        c.buffer = c_.buffer;
        c.factors = factors_;
        c.reads_c = reads_c_;
        c.tile = place.tile;
        c.tiles = place.tiles;
        const Integer rows = schedule_.block_rows, columns = schedule_.block_columns;
        const Integer lanes = schedule_.c_lanes;
        const Value row = tile_start(place.row_block, rows, product_.rows, product_.c.row_stride, lanes);
        const Value column =
            tile_start(place.column_block, columns, product_.columns, product_.c.column_stride, lanes);
        c.start = builder_.add(builder_.add(row, column), matrix_start(place, c_, product_.c, lanes));
        if (epilogue_) {
            epilogue_->begin({matrix_number(place, 1),
                              tile_start(place.row_block, rows, product_.rows, 1, lanes),
                              tile_start(place.column_block, columns, product_.columns, 1, 1)});
            c.epilogue = &*epilogue_;
        }
        c.has_spare_matrices = product_.batch % schedule_.matrices != 0;
        c.own_matrix = product_.batch - 1 - place.matrix;
        c.has_shared_rows = product_.rows % rows != 0;
        c.has_shared_columns = product_.columns % columns != 0;
        c.own_row = product_.rows - rows - place.row_block * rows;
        c.own_column = product_.columns - columns - place.column_block * columns;
        if (reductions_) c.reductions = &reduce(place, threads, c);
        return c;
    }

    GpuBlockReductions& reduce(const BlockPlace& place, const GpuThreads& threads, const GpuResult& c) {
        GpuReducedTile tile;
        tile.matrix = matrix_number(place, 1);
        tile.row = tile_start(place.row_block, schedule_.block_rows, product_.rows, 1, 1);
        tile.column = tile_start(place.column_block, schedule_.block_columns, product_.columns, 1, 1);
        tile.row_tile = place.row_block;
        tile.column_tile = place.column_block;
        tile.column_tiles = column_blocks_;
        tile.share = place.split;
        tile.own_row = c.own_row;
        tile.own_column = c.own_column;
        tile.own_matrix = c.own_matrix;
        tile.has_shared_rows = c.has_shared_rows;
        tile.has_shared_columns = c.has_shared_columns;
        tile.has_spare_matrices = c.has_spare_matrices;
        reductions_->begin(threads, tile);
        return *reductions_;
    }

    // ---- along the depth
    void multiply(const BlockPlace& place, GpuSums& sums, const GpuThreads& threads) {
        sources_ = {source(place, true), source(place, false)};
        for (std::size_t operand = 0; operand < 2; ++operand)
            fetches_.emplace_back(builder_, pieces_[operand], schedule_, threads, piece_buffers_[operand]);
        const Integer stages = schedule_.stages;
        for (Integer stage = 0; stage < stages - 1; ++stage) {
            if (stage < pieces_of_split_)
                fetch({stage, {.number = stage}, missing_of(stage), place.split}, 0, copies());
            builder_.commit_copies();
        }
        builder_.wait_for_copies(static_cast<int>(stages) - 2);
        builder_.barrier();
        sums.keep(sums.first_factors(factors_of(threads), ir::no_value));
        counters_ = builder_.local("counters", ir::Scalar::int64, 3);
        builder_.store(counters_, stage_counter, integer(0));
        const Integer next = std::min(stages - 1, pieces_of_split_ - 1);
        for (std::size_t operand = 0; operand < 2; ++operand)
            builder_.store(counters_, static_cast<Integer>(operand),
                           builder_.add(sources_[operand].start, integer(next * step_of_source(operand))));
        const Integer pieces = pieces_of_split_ - (are_all_under_way() ? 1 : 0);
        if (pieces > 0)
            builder_.for_loop(std::string(gpu_piece_loop), pieces, [&](const Affine& number) {
                multiply_piece(number, place.split, sums, threads, false);
            });
        if (are_all_under_way()) multiply_piece(pieces, place.split, sums, threads, true);
        builder_.wait_for_copies(0);
    }

    /// Copies that pieces lie apart in an operand.
    Integer step_of_source(std::size_t operand) const {
        return sources_[operand].depth_stride * schedule_.block_depth / pieces_[operand].elements_of_copy();
    }
    GpuSums::Source factors_of(const GpuThreads& threads) const {
        return {pieces_, piece_buffers_, threads.slice() * (schedule_.block_depth / schedule_.slices)};
    }

    /// Steps at the beginning of the piece of that number that the first split does not have.
    Integer missing_of(Integer number) const {
        return std::max<Integer>(0, missing_steps() - number * schedule_.block_depth);
    }

    /// Where copies come from and go to: those of the piece of that number, counted from the sources' starts.
    struct Fetching {
        Integer number = 0;
        GpuFetch::Target target = {};
        Integer missing = 0;
        Affine split = {};
    };
    /// A thread's copies first … end − 1, those of A first.
    void fetch(const Fetching& fetching, int first, int end) {
        int before = 0;
        for (std::size_t operand = 0; operand < 2; ++operand) {
            const GpuFetch& fetch = fetches_[operand];
            const int from = std::clamp(first - before, 0, fetch.copies());
            const int to = std::clamp(end - before, 0, fetch.copies());
            fetch.fetch(sources_[operand], fetching.number * step_of_source(operand), fetching.target,
                        fetching.missing, fetching.split, from, to);
            before += fetch.copies();
        }
    }
    /// Before the first piece is multiplied.
    bool are_all_under_way() const { return pieces_of_split_ < schedule_.stages; }
    int copies() const { return fetches_[0].copies() + fetches_[1].copies(); }

    /// All steps of a piece, while the last one of those under way is asked for. Beyond the last piece it is asked for again:
    /// so the loop has no branches. Where all are under way at once, none is, and nothing is loaded after the last piece.
    void multiply_piece(const Affine& number, const Affine& split, GpuSums& sums, const GpuThreads& threads,
                        bool is_last_piece) {
        const Integer stages = schedule_.stages;
        const int steps = schedule_.block_depth / schedule_.slices / schedule_.step_depth();
        const GpuSums::Source source = factors_of(threads);
        std::vector<Value> values = sums.values();
        GpuSums::Factors factors = sums.factors();
        const Value stage = builder_.load(counters_, stage_counter);
        const Value following = builder_.add(stage, integer(1));
        const Value next = builder_.select(builder_.less(following, integer(stages)), following, integer(0));
        const Value free = builder_.select(builder_.less(stage, integer(1)), integer(stages - 1),
                                           builder_.subtract(stage, integer(1)));
        const std::array<Value, 2> at = take_sources();
        // Steps are missing in the first pieces only, which are under way already.
        const Fetching fetching{0, {.stage = free}, 0, split};
        const int shares = schedule_.spread != 0 ? steps - 1 : 1,
                  copies_of_piece = are_all_under_way() ? 0 : copies();
        for (int step = 0; step < steps; ++step) {
            const bool is_last = step + 1 == steps;
            if (is_last && is_last_piece) {
                sums.multiply(values, factors, step);
                return sums.keep(values);
            }
            if (is_last) {
                builder_.wait_for_copies(static_cast<int>(stages) - 2);
                builder_.barrier();
            }
            const GpuSums::Factors ahead =
                is_last ? sums.first_factors(source, next) : sums.next_factors(source, stage, step, factors);
            if (step < shares)
                fetch(fetching, copies_of_piece * step / shares, copies_of_piece * (step + 1) / shares);
            if (step + 1 == shares) builder_.commit_copies();
            sums.multiply(values, factors, step);
            factors = ahead;
        }
        sums.keep(values);
        sums.keep(factors);
        builder_.store(counters_, stage_counter, next);
        advance_sources(number, at);
    }

    std::array<Value, 2> take_sources() {
        std::array<Value, 2> at{};
        for (std::size_t operand = 0; operand < 2; ++operand)
            sources_[operand].start = at[operand] = builder_.load(counters_, static_cast<Integer>(operand));
        return at;
    }

    void advance_sources(const Affine& number, const std::array<Value, 2>& at) {
        const Value goes_on =
            builder_.less(builder_.index(number), integer(pieces_of_split_ - schedule_.stages));
        for (std::size_t operand = 0; operand < 2; ++operand) {
            const Value next = builder_.add(at[operand], integer(step_of_source(operand)));
            builder_.store(counters_, static_cast<Integer>(operand),
                           builder_.select(goes_on, next, at[operand]));
        }
    }

    static constexpr Integer stage_counter = 2;

    const target::Gpu& gpu_;
    GpuOrientation orientation_;
    const MatrixProduct& product_;
    const GpuSchedule& schedule_;
    ir::Builder builder_;
    bool takes_over_;
    ir::Scalar scalar_;
    std::array<GpuPiece, 2> pieces_;
    Integer row_blocks_, column_blocks_;
    Integer pieces_of_split_;
    Matrix a_, b_, c_;
    ir::Buffer factors_ = 0;
    Affine steps_, reads_c_;
    std::array<ir::Buffer, 2> piece_buffers_{};
    std::array<GpuSource, 2> sources_{};
    std::vector<GpuFetch> fetches_;
    ir::Buffer counters_ = 0;
    std::optional<GpuEpilogueWriter> epilogue_;
    std::optional<GpuBlockReductions> reductions_;
};
} // namespace

ir::Program gpu_thread_product(const MatrixProduct& product, const GpuSchedule& schedule,
                               const target::Gpu& gpu, const GpuEpilogue& epilogue, bool takes_over) {
    return ProductWriter(product, schedule, gpu, epilogue, takes_over).write();
}

} // namespace swirl::gemm
