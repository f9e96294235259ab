#include "gemm/gpu_update.hpp"

#include "gemm/gpu_column_shares.hpp"
#include "gemm/gpu_numbers.hpp"
#include "gemm/tile.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::gemm {

namespace {

using Relation = ir::Condition::Relation;

constexpr int parts_under_way = 64; ///< numbers of other splits that a thread loads before it adds them

class Update {
public:
    Update(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads, const GpuSums& sums,
           const MatrixProduct& oriented, const GpuResult& c)
        : builder_(builder),
          schedule_(schedule),
          threads_(threads),
          sums_(sums),
          product_(oriented),
          c_(c),
          shares_(c.parts == nullptr ? schedule.shares() : shares_of_parts(schedule)),
          row_shares_(c.parts == nullptr ? row_shares_of(schedule, threads, oriented) : 1),
          rows_(schedule.thread_rows * sums.parts()),
          own_rows_(schedule.thread_rows / row_shares_),
          summed_(builder, schedule, threads, 1, sums.finishing_slices()),
          own_(builder, schedule, threads, shares_, sums.finishing_slices()) {
        if (row_shares_ > 1) row_share_ = builder.block(0, shares_, row_shares_);
    }

    void write() {
        if (c_.parts != nullptr) {
            add_parts();
            return write_columns();
        }
        if (schedule_.splits == 1) return finish_columns();
        exchange();
        if (schedule_.through_memory == 0) {
            clear_totals(own_.columns());
            in_slices(own_.slices(), [&] { add_to_totals(exchanged_, 0, own_, schedule_.splits); });
            finish_columns();
            builder_.cluster_barrier(); // the others may still read what this block has
        } else {
            const int shares = shares_ * row_shares_;
            under(shares < schedule_.splits, {shares - 1 - split()}, [&] {
                add_up();
                finish_columns();
            });
        }
    }

    /// All sums of the block, in a buffer from there on.
    void keep(ir::Buffer buffer, const Affine& first, const ir::Access& access = {}) {
        in_slices(summed_.slices(), [&] {
            for (int j = 0; j < summed_.columns(); ++j)
                for (int i = 0; i < rows_; ++i)
                    builder_.store(buffer, first + place_of(i, summed_.of_thread(j)),
                                   builder_.load(sums_.registers(), Integer{j} * rows_ + i), access);
        });
    }

private:
    /// Blocks that share a thread's rows, each vectors of them, where there are more than share its columns.
    static int row_shares_of(const GpuSchedule& schedule, const GpuThreads& threads,
                             const MatrixProduct& oriented) {
        if (schedule.splits == 1 || schedule.through_memory == 0 || !oriented.reductions.empty()) return 1;
        const int vector = std::lcm(schedule.c_lanes, threads.row_vector());
        if (schedule.thread_rows % vector != 0) return 1;
        return std::gcd(schedule.thread_rows / vector, schedule.splits / schedule.shares());
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
    Affine split() const { return builder_.block(0, 1, schedule_.splits); }

    /// Every block that has a share of the depth sees the sums of all, one column of a thread after the other.
    void exchange() {
        const bool is_cluster = schedule_.through_memory == 0;
        part_ = scalars_of_part(schedule_, product_);
        ir::BufferInfo info;
        info.name = "split_sums";
        info.element = scalar_of(product_.number);
        info.space = is_cluster ? ir::Space::shared : ir::Space::scratch;
        info.cluster_part = is_cluster ? part_ : 0;
        info.elements = part_ * schedule_.splits * (is_cluster ? 1 : c_.tiles);
        info.written = true;
        exchanged_ = builder_.add(info);
        if (!is_cluster) first_ = c_.tile * (schedule_.splits * part_);
        keep(exchanged_, first_ + split() * part_);
        if (is_cluster) return builder_.cluster_barrier();
        ir::BufferInfo arrivals;
        arrivals.name = "arrivals";
        arrivals.element = ir::Scalar::int64;
        arrivals.space = ir::Space::scratch;
        arrivals.elements = c_.tiles;
        arrivals.written = arrivals.zeroed = true;
        builder_.group_barrier({.buffer = builder_.add(arrivals), .index = c_.tile});
    }

    Integer totals_in(int columns) const { return Integer{own_rows_} * sums_.parts() * columns; }
    void clear_totals(int columns) {
        const ir::Scalar scalar = scalar_of(product_.number);
        totals_ = builder_.local("totals", scalar, totals_in(columns));
        for (Integer k = 0; k < totals_in(columns); ++k)
            builder_.store(totals_, k, builder_.constant({scalar, 1}, 0));
    }
    /// What is in parts of the columns: in so many that follow each other, the first one beginning there. All are loaded before they
    /// are added, in their order.
    void add_to_totals(ir::Buffer parts, const Affine& first, const GpuColumnShares& columns, Integer count,
                       const ir::Access& access = {}) {
        const Affine first_row = row_share_ * (own_rows_ * sums_.parts() * schedule_.slice_threads());
        std::vector<ir::Value> others;
        for (Integer part = 0; part < count; ++part)
            for_each_total(columns.columns(), [&](int i, int j) {
                const Affine place = first_row + place_of(i, columns.of_thread(j)) + part * part_;
                others.push_back(builder_.load(parts, first + place, access));
            });
        auto other = others.begin();
        for (Integer part = 0; part < count; ++part)
            for_each_total(columns.columns(), [&](int i, int j) {
                const ir::Value total = builder_.load(totals_, total_of(i, j));
                builder_.store(totals_, total_of(i, j), builder_.add(total, *other++));
            });
    }
    /// The block's share of all sums. These are many: each slice adds up those of some splits, in their order.
    void add_up() {
        const int slices = std::gcd(schedule_.splits, schedule_.slices), splits = schedule_.splits / slices;
        const GpuColumnShares of_block(builder_, schedule_, threads_, shares_, 1);
        const auto together =
            std::gcd<Integer>(splits, std::max<Integer>(1, parts_under_way / totals_in(of_block.columns())));
        clear_totals(of_block.columns());
        in_slices(slices, [&] {
            builder_.for_loop("split", splits / together, [&](const Affine& number) {
                const Affine split = threads_.slice() * splits + number * together;
                add_to_totals(exchanged_, first_ + split * part_, of_block, together);
            });
        });
        sums_.slice_sums().add(totals_, own_rows_ * sums_.parts(), own_);
    }
    /// Likewise, in the order of the parts.
    void add_parts() {
        const GpuParts& parts = *c_.parts;
        part_ = scalars_of_part(schedule_, product_);
        clear_totals(own_.columns());
        const ir::Value none = builder_.constant({ir::Scalar::int64, 1}, 0);
        const ir::Value before = builder_.subtract(none, parts.further);
        builder_.for_loop("part", parts.most * parts.steps, [&](const Affine& number) {
            builder_.if_then({{number - 1, Relation::negative, before}}, [&] {
                add_to_totals(parts.buffer, number * part_, own_, 1,
                              {.dynamic = parts.first, .dynamic_scale = part_});
            });
        });
    }

    Affine place_of(int i, const Affine& j) const {
        return (j * rows_ + i) * schedule_.slice_threads() + threads_.in_slice();
    }
    Integer total_of(int i, int j) const { return Integer{j} * own_rows_ * sums_.parts() + i; }
    template <class Body> void for_each_total(int columns, Body&& body) const {
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < own_rows_ * sums_.parts(); ++i) body(i, j);
    }

    /// In the first ones, so many.
    template <class Body> void in_slices(int slices, Body&& body) {
        if (slices == schedule_.slices) return body();
        builder_.if_then({{threads_.slice() - slices, Relation::negative}}, body);
    }

    /// The place in the tile of the i-th row that the thread finishes.
    Affine row(int i) const { return threads_.row(i) + row_share_ * (own_rows_ * schedule_.lane_rows); }
    /// Scalars i … i + count − 1 of the j-th column that the thread finishes.
    ir::Value sums_of_rows(int first, int count, int j) {
        std::vector<ir::Value> sums;
        for (int i = first; i < first + count; ++i) sums.push_back(sum(i, j));
        return join_lanes(builder_, sums);
    }
    ir::Value sum(int i, int j) {
        const bool has_totals = c_.parts != nullptr || schedule_.splits > 1;
        return builder_.load(has_totals ? totals_ : sums_.registers(), total_of(i, j));
    }

    void write_rows(bool reads) {
        in_slices(own_.slices(), [&] {
            const int lanes = schedule_.c_lanes;
            for (int i = 0; i < own_rows_; i += lanes)
                under(c_.has_shared_rows, {c_.own_row.form + row(i), c_.own_row.value}, [&] {
                    for (int j = 0; j < own_.columns(); ++j)
                        under(c_.has_shared_columns,
                              {c_.own_column.form + own_.in_tile(j), c_.own_column.value},
                              [&] { write_vector(i, j, reads); });
                });
        });
    }
    template <class Body> void under(bool may_fail, const GpuNumber& number, Body&& body) {
        if (!may_fail) return body();
        builder_.if_then({{number.form, Relation::nonnegative, number.value}}, body);
    }

    /// α, over the units that sums are in.
    ir::Value in_units(ir::Value alpha) {
        const Integer units = units_of(product_.number_of_a()) * units_of(product_.number_of_b());
        if (units == 1) return alpha;
        return builder_.multiply(
            alpha, builder_.constant(builder_.type(alpha), 1 / static_cast<long double>(units)));
    }

    /// A factor, α or β, in all lanes of a vector of elements.
    ir::Value real_factor(Integer which, int lanes) {
        const ir::Value value = builder_.load(c_.factors, which);
        return lanes == 1 ? value : builder_.splat(value, lanes);
    }

    /// Factor · vector + addend (no_value: 0), of pairs: the real part times all, the imaginary one times each pair's other number,
    /// negative for the first.
    ir::Value scaled(Integer which, ir::Value vector, ir::Value addend) {
        const int lanes = builder_.type(vector).lanes;
        if (sums_.parts() == 1) {
            const ir::Value factor = real_factor(which, lanes);
            return addend == ir::no_value ? builder_.multiply(in_units(factor), vector)
                                          : builder_.fma(factor, vector, addend);
        }
        std::vector<std::int8_t> others;
        std::vector<ir::Value> imaginary;
        const ir::Value part = builder_.load(c_.factors, 2 * which + 1), negative = builder_.negate(part);
        for (int lane = 0; lane < lanes; ++lane) {
            others.push_back(static_cast<std::int8_t>(lane ^ 1));
            imaginary.push_back(lane % 2 == 0 ? negative : part);
        }
        const ir::Value real = real_factor(2 * which, lanes);
        const ir::Value first =
            addend == ir::no_value ? builder_.multiply(real, vector) : builder_.fma(real, vector, addend);
        return builder_.fma(join_lanes(builder_, imaginary), builder_.shuffle(vector, vector, others), first);
    }

    void write_vector(int i, int j, bool reads) {
        const int lanes = schedule_.c_lanes, parts = sums_.parts();
        const ir::Access access{
            .lanes = lanes * parts, .dynamic = c_.start, .dynamic_scale = Integer{lanes} * parts};
        const Affine place =
            (row(i) * product_.c.row_stride + own_.in_tile(j) * product_.c.column_stride) * parts;
        ir::Value vector = scaled(0, sums_of_rows(i * parts, lanes * parts, j), ir::no_value);
        if (reads) vector = scaled(1, builder_.load(c_.buffer, place, access), vector);
        const GpuEpilogueWriter::Place element{Affine(0), row(i), own_.in_tile(j)};
        if (c_.epilogue != nullptr) vector = c_.epilogue->finish(element, vector);
        if (c_.reductions != nullptr) c_.reductions->take(i, j, element, vector);
        if (product_.converts()) vector = narrowed(builder_, vector, product_.number_of_c());
        builder_.store(c_.buffer, place, vector, access);
    }

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    const GpuThreads& threads_;
    const GpuSums& sums_;
    const MatrixProduct& product_;
    const GpuResult& c_;
    int shares_;     ///< blocks that share the columns
    int row_shares_; ///< and that share the rows
    int rows_;       ///< scalars of a thread in a column
    int own_rows_;   ///< elements of these that a block finishes
    Affine row_share_ = 0;
    GpuColumnShares summed_; ///< what slices have in registers
    GpuColumnShares own_;    ///< and what they finish
    ir::Buffer exchanged_ = 0;
    ir::Buffer totals_ = 0;
    Integer part_ = 0; ///< sums of a block
    Affine first_ = 0; ///< of the tile, among those exchanged
};

} // namespace

void update_result(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
                   const GpuSums& sums, const MatrixProduct& oriented, const GpuResult& c) {
    Update(builder, schedule, threads, sums, oriented, c).write();
}

int shares_of_parts(const GpuSchedule& schedule) {
    return std::gcd(schedule.thread_columns, GpuSchedule::most_shares);
}

Integer scalars_of_part(const GpuSchedule& schedule, const MatrixProduct& oriented) {
    return Integer{schedule.block_rows} * schedule.block_columns * scalars_in(oriented.number);
}

void keep_part(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
               const GpuSums& sums, const MatrixProduct& oriented, ir::Buffer parts, ir::Value number) {
    Update(builder, schedule, threads, sums, oriented, {})
        .keep(parts, 0, {.dynamic = number, .dynamic_scale = scalars_of_part(schedule, oriented)});
}

} // namespace swirl::gemm
