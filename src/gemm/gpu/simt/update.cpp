#include "gemm/gpu/simt/update.hpp"

#include "gemm/gpu/prologue/conversions.hpp"
#include "gemm/gpu/scheduler/column_partition.hpp"
#include "gemm/scalar.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::gemm {

namespace {

using Relation = ir::Condition::Relation;

constexpr int partials_in_flight = 64; ///< values of other splits that a thread loads before it adds them

class TileUpdate {
public:
    TileUpdate(ir::Builder& builder, const SimtGemm& schedule, const SimtThreadLayout& threads,
               const SimtAccumulators& accumulators, const MatrixProduct& canonical, const TileOfC& c)
        : builder_(builder),
          schedule_(schedule),
          threads_(threads),
          accumulators_(accumulators),
          product_(canonical),
          c_(c),
          shares_(c.partials == nullptr ? schedule.reducing_blocks() : reducing_blocks_of_partials(schedule)),
          row_partitions_(c.partials == nullptr ? row_partitions_of(schedule, threads, canonical) : 1),
          rows_(schedule.thread_tile.m * accumulators.components()),
          rows_of_block_(schedule.thread_tile.m / row_partitions_),
          summed_(builder, schedule, threads, 1, accumulators.epilogue_k_slices()),
          own_(builder, schedule, threads, shares_, accumulators.epilogue_k_slices()) {
        if (row_partitions_ > 1) row_partition_ = builder.block(0, shares_, row_partitions_);
    }

    void write() {
        if (c_.partials != nullptr) {
            add_partials();
            return write_columns();
        }
        if (schedule_.splits() == 1) return finish_columns();
        exchange();
        if (!schedule_.splits_in_workspace()) {
            clear_totals(own_.columns());
            in_k_slices(own_.slices(), [&] { add_to_totals(split_partials_, 0, own_, schedule_.splits()); });
            finish_columns();
            builder_.cluster_barrier(); // other blocks may still read this block's accumulators
        } else {
            const int shares = shares_ * row_partitions_;
            under(shares < schedule_.splits(), {shares - 1 - split()}, [&] {
                add_up();
                finish_columns();
            });
        }
    }

    /// Stores all accumulators of the block in a buffer, starting at `first`.
    void keep(ir::Buffer buffer, const Affine& first, const ir::Access& access = {}) {
        in_k_slices(summed_.slices(), [&] {
            for (int j = 0; j < summed_.columns(); ++j)
                for (int i = 0; i < rows_; ++i)
                    builder_.store(buffer, first + offset_of(i, summed_.of_thread(j)),
                                   builder_.load(accumulators_.registers(), Integer{j} * rows_ + i), access);
        });
    }

private:
    /// Blocks that share a thread's rows, in vectors, if there are more blocks than can share its columns.
    static int row_partitions_of(const SimtGemm& schedule, const SimtThreadLayout& threads,
                                 const MatrixProduct& canonical) {
        if (schedule.splits() == 1 || !schedule.splits_in_workspace() || !canonical.reductions.empty())
            return 1;
        const int vector = std::lcm(schedule.c_vector_m, threads.row_vector());
        if (schedule.thread_tile.m % vector != 0) return 1;
        return std::gcd(schedule.thread_tile.m / vector, schedule.splits() / schedule.reducing_blocks());
    }

    void finish_columns() {
        write_columns();
        if (c_.reductions != nullptr)
            c_.reductions->finish(own_.columns(), [this](int j) { return own_.in_tile(j); });
    }

    void write_columns() {
        under(c_.has_spare_matrices, {c_.own_matrix}, [&] {
            if (product_.converts()) return write_rows(false); // β is 0
            builder_.if_then(
                {{c_.reads_c, Relation::zero}}, [&] { write_rows(false); }, [&] { write_rows(true); });
        });
    }
    Affine split() const { return builder_.block(0, 1, schedule_.splits()); }

    /// Makes the accumulators of all splits visible to each of them, column by column of a thread.
    void exchange() {
        const bool is_cluster = !schedule_.splits_in_workspace();
        partial_scalars_ = scalars_of_partial(schedule_, product_);
        ir::BufferInfo info;
        info.name = "split_k_partials";
        info.element = scalar_of(product_.data_type);
        info.space = is_cluster ? ir::Space::shared : ir::Space::scratch;
        info.dsmem_elements_per_block = is_cluster ? partial_scalars_ : 0;
        info.elements = partial_scalars_ * schedule_.splits() * (is_cluster ? 1 : c_.tiles);
        info.written = true;
        split_partials_ = builder_.add(info);
        if (!is_cluster) first_ = c_.tile * (schedule_.splits() * partial_scalars_);
        keep(split_partials_, first_ + split() * partial_scalars_);
        if (is_cluster) return builder_.cluster_barrier();
        ir::BufferInfo arrivals;
        arrivals.name = "arrivals";
        arrivals.element = DataType::int64;
        arrivals.space = ir::Space::scratch;
        arrivals.elements = c_.tiles;
        arrivals.written = arrivals.zeroed = true;
        builder_.cooperative_barrier({.buffer = builder_.add(arrivals), .index = c_.tile});
    }

    Integer totals_in(int columns) const {
        return Integer{rows_of_block_} * accumulators_.components() * columns;
    }
    void clear_totals(int columns) {
        const DataType scalar = scalar_of(product_.data_type);
        totals_ = builder_.local("totals", scalar, totals_in(columns));
        for (Integer k = 0; k < totals_in(columns); ++k)
            builder_.store(totals_, k, builder_.constant({scalar, 1}, 0));
    }
    /// Adds `count` consecutive partials of the columns, the first at `first`. All are loaded before they are added,
    /// in order.
    void add_to_totals(ir::Buffer partials, const Affine& first, const ColumnPartition& columns,
                       Integer count, const ir::Access& access = {}) {
        const Affine first_row =
            row_partition_ * (rows_of_block_ * accumulators_.components() * schedule_.k_slice_threads());
        std::vector<ir::Value> others;
        for (Integer k = 0; k < count; ++k)
            for_each_total(columns.columns(), [&](int i, int j) {
                const Affine offset = first_row + offset_of(i, columns.of_thread(j)) + k * partial_scalars_;
                others.push_back(builder_.load(partials, first + offset, access));
            });
        auto other = others.begin();
        for (Integer k = 0; k < count; ++k)
            for_each_total(columns.columns(), [&](int i, int j) {
                const ir::Value total = builder_.load(totals_, total_of(i, j));
                builder_.store(totals_, total_of(i, j), builder_.add(total, *other++));
            });
    }
    /// Reduces the block's share over all splits. As these are many, each slice adds some splits, in order.
    void add_up() {
        const int slices = std::gcd(schedule_.splits(), schedule_.sliced_k),
                  splits = schedule_.splits() / slices;
        const ColumnPartition of_block(builder_, schedule_, threads_, shares_, 1);
        const auto in_flight = std::gcd<Integer>(
            splits, std::max<Integer>(1, partials_in_flight / totals_in(of_block.columns())));
        clear_totals(of_block.columns());
        in_k_slices(slices, [&] {
            builder_.for_loop("split", splits / in_flight, [&](const Affine& index) {
                const Affine split = threads_.slice() * splits + index * in_flight;
                add_to_totals(split_partials_, first_ + split * partial_scalars_, of_block, in_flight);
            });
        });
        accumulators_.sliced_k_reduction().add(totals_, rows_of_block_ * accumulators_.components(), own_);
    }
    /// Likewise for Stream-K partials, in order.
    void add_partials() {
        const TilePartials& partials = *c_.partials;
        partial_scalars_ = scalars_of_partial(schedule_, product_);
        clear_totals(own_.columns());
        const ir::Value none = builder_.constant({DataType::int64, 1}, 0);
        const ir::Value before = builder_.subtract(none, partials.following);
        builder_.for_loop("partial", partials.most * partials.multiplies, [&](const Affine& split) {
            builder_.if_then({{split - 1, Relation::negative, before}}, [&] {
                add_to_totals(partials.buffer, split * partial_scalars_, own_, 1,
                              {.dynamic = partials.first, .dynamic_scale = partial_scalars_});
            });
        });
    }

    Affine offset_of(int i, const Affine& j) const {
        return (j * rows_ + i) * schedule_.k_slice_threads() + threads_.in_k_slice();
    }
    Integer total_of(int i, int j) const {
        return Integer{j} * rows_of_block_ * accumulators_.components() + i;
    }
    template <class Body> void for_each_total(int columns, Body&& body) const {
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < rows_of_block_ * accumulators_.components(); ++i) body(i, j);
    }

    /// In the first `slices` slices.
    template <class Body> void in_k_slices(int slices, Body&& body) {
        if (slices == schedule_.sliced_k) return body();
        builder_.if_then({{threads_.slice() - slices, Relation::negative}}, body);
    }

    /// Coordinate in the tile of the i-th row that the thread finishes.
    Affine row(int i) const {
        return threads_.row(i) + row_partition_ * (rows_of_block_ * schedule_.warp_lanes().m);
    }
    /// Scalars first … first + count − 1 of the j-th column that the thread finishes.
    ir::Value accumulators_of_rows(int first, int count, int j) {
        std::vector<ir::Value> accumulators;
        for (int i = first; i < first + count; ++i) accumulators.push_back(sum(i, j));
        return join_lanes(builder_, accumulators);
    }
    ir::Value sum(int i, int j) {
        const bool has_totals = c_.partials != nullptr || schedule_.splits() > 1;
        return builder_.load(has_totals ? totals_ : accumulators_.registers(), total_of(i, j));
    }

    void write_rows(bool reads) {
        in_k_slices(own_.slices(), [&] {
            const int lanes = schedule_.c_vector_m;
            for (int i = 0; i < rows_of_block_; i += lanes)
                under(c_.has_shared_rows, {c_.own_row.form + row(i), c_.own_row.value}, [&] {
                    for (int j = 0; j < own_.columns(); ++j)
                        under(c_.has_shared_columns,
                              {c_.own_column.form + own_.in_tile(j), c_.own_column.value},
                              [&] { write_vector(i, j, reads); });
                });
        });
    }
    template <class Body> void under(bool may_fail, const IndexValue& index, Body&& body) {
        if (!may_fail) return body();
        builder_.if_then({{index.form, Relation::nonnegative, index.value}}, body);
    }

    /// α, divided by the scale of normalised operands.
    ir::Value in_units(ir::Value alpha) {
        const Integer units = normalized_scale(product_.type_of_a()) * normalized_scale(product_.type_of_b());
        if (units == 1) return alpha;
        return builder_.multiply(
            alpha, builder_.constant(builder_.type(alpha), 1 / static_cast<long double>(units)));
    }

    /// α or β, broadcast to a vector of elements.
    ir::Value real_scalar(Integer which, int lanes) {
        const ir::Value value = builder_.load(c_.alpha_beta, which);
        return lanes == 1 ? value : builder_.splat(value, lanes);
    }

    /// factor · vector + addend (no_value: 0) for complex pairs: the real component times all lanes, the imaginary
    /// one times each pair's other lane, negated for the first.
    ir::Value scaled(Integer which, ir::Value vector, ir::Value addend) {
        const int lanes = builder_.type(vector).lanes;
        if (accumulators_.components() == 1) {
            const ir::Value factor = real_scalar(which, lanes);
            return addend == ir::no_value ? builder_.multiply(in_units(factor), vector)
                                          : builder_.fma(factor, vector, addend);
        }
        std::vector<std::int8_t> others;
        std::vector<ir::Value> imaginary;
        const ir::Value component = builder_.load(c_.alpha_beta, 2 * which + 1),
                        negative = builder_.negate(component);
        for (int lane = 0; lane < lanes; ++lane) {
            others.push_back(static_cast<std::int8_t>(lane ^ 1));
            imaginary.push_back(lane % 2 == 0 ? negative : component);
        }
        const ir::Value real = real_scalar(2 * which, lanes);
        const ir::Value first =
            addend == ir::no_value ? builder_.multiply(real, vector) : builder_.fma(real, vector, addend);
        return builder_.fma(join_lanes(builder_, imaginary), builder_.shuffle(vector, vector, others), first);
    }

    void write_vector(int i, int j, bool reads) {
        const int lanes = schedule_.c_vector_m, components = accumulators_.components();
        const ir::Access access{
            .lanes = lanes * components, .dynamic = c_.start, .dynamic_scale = Integer{lanes} * components};
        const Affine offset =
            (row(i) * product_.c.row_stride + own_.in_tile(j) * product_.c.column_stride) * components;
        ir::Value vector =
            scaled(0, accumulators_of_rows(i * components, lanes * components, j), ir::no_value);
        if (reads) vector = scaled(1, builder_.load(c_.buffer, offset, access), vector);
        const GpuEpilogueWriter::Coordinates element{Affine(0), row(i), own_.in_tile(j)};
        if (c_.epilogue != nullptr) vector = c_.epilogue->finish(element, vector);
        if (c_.reductions != nullptr) c_.reductions->take(i, j, element, vector);
        if (product_.converts()) vector = narrowed(builder_, vector, product_.type_of_c());
        builder_.store(c_.buffer, offset, vector, access);
    }

    ir::Builder& builder_;
    const SimtGemm& schedule_;
    const SimtThreadLayout& threads_;
    const SimtAccumulators& accumulators_;
    const MatrixProduct& product_;
    const TileOfC& c_;
    int shares_;         ///< blocks that share the columns
    int row_partitions_; ///< and the rows
    int rows_;           ///< scalars of a thread in a column
    int rows_of_block_;  ///< elements of these that a block finishes
    Affine row_partition_ = 0;
    ColumnPartition summed_; ///< columns that slices hold in registers
    ColumnPartition own_;    ///< columns that they finish
    ir::Buffer split_partials_ = 0;
    ir::Buffer totals_ = 0;
    Integer partial_scalars_ = 0; ///< accumulators of a block
    Affine first_ = 0;            ///< of the tile, among those exchanged
};

} // namespace

void update_c(ir::Builder& builder, const SimtGemm& schedule, const SimtThreadLayout& threads,
              const SimtAccumulators& accumulators, const MatrixProduct& canonical, const TileOfC& c) {
    TileUpdate(builder, schedule, threads, accumulators, canonical, c).write();
}

int reducing_blocks_of_partials(const SimtGemm& schedule) {
    return std::gcd(schedule.thread_tile.n, SimtGemm::max_reducing_blocks);
}

Integer scalars_of_partial(const SimtGemm& schedule, const MatrixProduct& canonical) {
    return Integer{schedule.cta_tile.m} * schedule.cta_tile.n * scalars_in(canonical.data_type);
}

void store_partial(ir::Builder& builder, const SimtGemm& schedule, const SimtThreadLayout& threads,
                   const SimtAccumulators& accumulators, const MatrixProduct& canonical, ir::Buffer partials,
                   ir::Value index) {
    TileUpdate(builder, schedule, threads, accumulators, canonical, {})
        .keep(partials, 0, {.dynamic = index, .dynamic_scale = scalars_of_partial(schedule, canonical)});
}

} // namespace swirl::gemm
