#include "gemm/gpu_update.hpp"

#include "gemm/gpu_layout.hpp"
#include "gemm/gpu_numbers.hpp"
#include "gemm/tile.hpp"

#include <numeric>

namespace swirl::gemm {

namespace {

using Relation = ir::Condition::Relation;

class Update {
public:
    Update(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads, const GpuSums& sums,
           const MatrixProduct& oriented, const GpuResult& c)
        : builder_(builder), schedule_(schedule), threads_(threads), sums_(sums), product_(oriented), c_(c) {
        shares_ = c.parts == nullptr ? schedule.shares() : shares_of_parts(schedule);
        rows_ = schedule.thread_rows * sums.parts();
        columns_ = schedule.thread_columns / shares_;
        // Blocks share the vectors of columns, where these are too few their elements, too.
        const int vectors = schedule.thread_columns / threads.column_vector();
        const int vector_shares = std::gcd(shares_, vectors), element_shares = shares_ / vector_shares;
        const auto digit = [&](Integer divisor, Integer modulus) {
            return modulus == 1 ? Affine(0) : builder.block(0, divisor, modulus);
        };
        vectors_ = vectors / vector_shares;
        elements_ = threads.column_vector() / element_shares;
        vector_share_ = digit(element_shares, vector_shares);
        element_share_ = digit(1, element_shares);
    }

    void write() {
        if (c_.parts != nullptr) {
            add_parts();
            return write_columns();
        }
        if (schedule_.splits == 1) return finish_columns();
        exchange();
        if (schedule_.through_memory == 0) {
            finish_columns();
            builder_.cluster_barrier(); // the others may still read what this block has
        } else {
            under(shares_ < schedule_.splits, {shares_ - 1 - split()}, [&] {
                add_up();
                finish_columns();
            });
        }
    }

    /// All sums of the block, in a buffer from there on.
    void keep(ir::Buffer buffer, const Affine& first, const ir::Access& access = {}) {
        in_first_slice([&] {
            for (int j = 0; j < schedule_.thread_columns; ++j)
                for (int i = 0; i < rows_; ++i)
                    builder_.store(buffer, first + place_of(i, j),
                                   builder_.load(sums_.registers(), register_of(i, j)), access);
        });
    }

private:
    /// The place in the tile of the j-th column that this block writes.
    Affine column(int j) const {
        const int vector = j / elements_, element = j % elements_;
        const Integer vector_columns = Integer{schedule_.lane_columns} * threads_.column_vector();
        return threads_.column(vector * threads_.column_vector() + element) +
               vector_share_ * (vectors_ * vector_columns) + element_share_ * elements_;
    }

    void finish_columns() {
        write_columns();
        if (c_.reductions != nullptr) c_.reductions->finish(columns_, [this](int j) { return column(j); });
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

    void clear_totals() {
        const ir::Scalar scalar = scalar_of(product_.number);
        totals_ = builder_.local("totals", scalar, Integer{rows_} * columns_);
        for (int k = 0; k < rows_ * columns_; ++k)
            builder_.store(totals_, k, builder_.constant({scalar, 1}, 0));
    }
    /// The block's share of a part that begins there.
    void add_to_totals(ir::Buffer parts, const Affine& first, const ir::Access& access = {}) {
        for (int j = 0; j < columns_; ++j)
            for (int i = 0; i < rows_; ++i) {
                const Integer k = Integer{j} * rows_ + i;
                const ir::Value other = builder_.load(parts, first + place_of(i, own_column(j)), access);
                builder_.store(totals_, k, builder_.add(builder_.load(totals_, k), other));
            }
    }
    /// The block's share of all sums, in the order of the splits: these are many, so it is a loop.
    void add_up() {
        in_first_slice([&] {
            clear_totals();
            builder_.for_loop("split", schedule_.splits, [&](const Affine& number) {
                add_to_totals(exchanged_, first_ + number * part_);
            });
        });
    }
    /// Likewise, in the order of the parts.
    void add_parts() {
        const GpuParts& parts = *c_.parts;
        const Integer part = scalars_of_part(schedule_, product_);
        clear_totals();
        const ir::Value none = builder_.constant({ir::Scalar::int64, 1}, 0);
        const ir::Value before = builder_.subtract(none, parts.further);
        builder_.for_loop("part", parts.most * parts.steps, [&](const Affine& number) {
            builder_.if_then({{number - 1, Relation::negative, before}}, [&] {
                add_to_totals(parts.buffer, number * part, {.dynamic = parts.first, .dynamic_scale = part});
            });
        });
    }

    /// Which of a thread's columns is the j-th that this block writes.
    Affine own_column(int j) const {
        return vector_share_ * (vectors_ * threads_.column_vector()) + element_share_ * elements_ +
               (j / elements_ * threads_.column_vector() + j % elements_);
    }

    Affine place_of(int i, const Affine& j) const {
        return (j * rows_ + i) * schedule_.slice_threads() + threads_.in_slice();
    }
    Integer register_of(int i, int j) const { return static_cast<Integer>(sums_.place(0, j)) + i; }

    template <class Body> void in_first_slice(Body&& body) {
        if (schedule_.slices == 1) return body();
        builder_.if_then({{threads_.slice(), Relation::zero}}, body);
    }

    ir::Value sum(int i, int j) {
        const bool has_totals =
            c_.parts != nullptr || (schedule_.splits > 1 && schedule_.through_memory != 0);
        if (has_totals) return builder_.load(totals_, Integer{j} * rows_ + i);
        if (schedule_.splits == 1) return builder_.load(sums_.registers(), register_of(i, j));
        ir::Value total = ir::no_value;
        for (int share = 0; share < shares_; ++share) {
            const ir::Value other = builder_.load(exchanged_, place_of(i, own_column(j)) + share * part_);
            total = share == 0 ? other : builder_.add(total, other);
        }
        return total;
    }

    ir::Value sums_of_rows(int first, int count, int j) {
        std::vector<ir::Value> sums;
        for (int i = first; i < first + count; ++i) sums.push_back(sum(i, j));
        return join_lanes(builder_, sums);
    }

    void write_rows(bool reads) {
        in_first_slice([&] {
            const int lanes = schedule_.c_lanes;
            for (int i = 0; i < schedule_.thread_rows; i += lanes)
                under(c_.has_shared_rows, {c_.own_row.form + threads_.row(i), c_.own_row.value}, [&] {
                    for (int j = 0; j < columns_; ++j)
                        under(c_.has_shared_columns, {c_.own_column.form + column(j), c_.own_column.value},
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
            (threads_.row(i) * product_.c.row_stride + column(j) * product_.c.column_stride) * parts;
        ir::Value vector = scaled(0, sums_of_rows(i * parts, lanes * parts, j), ir::no_value);
        if (reads) vector = scaled(1, builder_.load(c_.buffer, place, access), vector);
        const GpuEpilogueWriter::Place element{Affine(0), threads_.row(i), column(j)};
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
    int shares_;  ///< blocks that share the columns
    int rows_;    ///< scalars of a thread in a column
    int columns_; ///< of a thread that a block writes: vectors_ times elements_
    int vectors_;
    int elements_;
    Affine vector_share_, element_share_; ///< which of these are the block's
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
