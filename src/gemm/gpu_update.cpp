#include "gemm/gpu_update.hpp"

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
        shares_ = schedule.splits;
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
        if (shares_ > 1) exchange();
        under(c_.has_spare_matrices, c_.own_matrix, [&] {
            builder_.if_then(
                {{c_.reads_c, Relation::zero}}, [&] { write_rows(false); }, [&] { write_rows(true); });
        });
        if (shares_ > 1) builder_.cluster_barrier(); // the others may still read what this block has
    }

private:
    /// The place in the tile of the j-th column that this block writes.
    Affine column(int j) const {
        const int vector = j / elements_, element = j % elements_;
        const Integer vector_columns = Integer{schedule_.lane_columns} * threads_.column_vector();
        return threads_.column(vector * threads_.column_vector() + element) +
               vector_share_ * (vectors_ * vector_columns) + element_share_ * elements_;
    }

    /// Every block of the cluster sees the sums of all, one column of a thread after the other.
    void exchange() {
        const Integer rows = schedule_.thread_rows, threads = schedule_.slice_threads();
        ir::BufferInfo info;
        info.name = "split_sums";
        info.element = scalar_of(product_.number);
        info.space = ir::Space::shared;
        info.cluster_part = rows * schedule_.thread_columns * threads;
        info.elements = info.cluster_part * shares_;
        info.written = true;
        exchanged_ = builder_.add(info);
        const Affine own = builder_.block(0, 1, shares_) * info.cluster_part;
        in_first_slice([&] {
            for (int j = 0; j < schedule_.thread_columns; ++j)
                for (int i = 0; i < schedule_.thread_rows; ++i)
                    builder_.store(exchanged_, own + place_of(i, j),
                                   builder_.load(sums_.registers(), static_cast<Integer>(sums_.place(i, j))));
        });
        builder_.cluster_barrier();
    }
    Affine place_of(int i, const Affine& j) const {
        const Integer rows = schedule_.thread_rows, threads = schedule_.slice_threads();
        return (j * rows + i) * threads + threads_.in_slice();
    }

    template <class Body> void in_first_slice(Body&& body) {
        if (schedule_.slices == 1) return body();
        builder_.if_then({{threads_.slice(), Relation::zero}}, body);
    }

    ir::Value sum(int i, int j) {
        if (shares_ == 1) return builder_.load(sums_.registers(), static_cast<Integer>(sums_.place(i, j)));
        const Affine first =
            vector_share_ * (vectors_ * threads_.column_vector()) + element_share_ * elements_;
        const Integer part =
            Integer{schedule_.thread_rows} * schedule_.thread_columns * schedule_.slice_threads();
        const int local = j / elements_ * threads_.column_vector() + j % elements_;
        ir::Value total = ir::no_value;
        for (int share = 0; share < shares_; ++share) {
            const ir::Value other = builder_.load(exchanged_, place_of(i, first + local) + share * part);
            total = share == 0 ? other : builder_.add(total, other);
        }
        return total;
    }

    ir::Value sums_of_rows(int first, int count, int j) {
        if (count == 1) return sum(first, j);
        const ir::Value low = sums_of_rows(first, count / 2, j);
        const ir::Value high = sums_of_rows(first + count / 2, count / 2, j);
        std::vector<std::int8_t> all(static_cast<std::size_t>(count));
        std::iota(all.begin(), all.end(), std::int8_t{0});
        return builder_.shuffle(low, high, all);
    }

    void write_rows(bool reads) {
        in_first_slice([&] {
            const int lanes = schedule_.c_lanes;
            for (int i = 0; i < schedule_.thread_rows; i += lanes)
                under(c_.has_shared_rows, c_.own_row + threads_.row(i), [&] {
                    for (int j = 0; j < columns_; ++j)
                        under(c_.has_shared_columns, c_.own_column + column(j),
                              [&] { write_vector(i, j, reads); });
                });
        });
    }
    template <class Body> void under(bool may_fail, const Affine& form, Body&& body) {
        if (!may_fail) return body();
        builder_.if_then({{form, Relation::nonnegative}}, body);
    }

    void write_vector(int i, int j, bool reads) {
        const int lanes = schedule_.c_lanes;
        const ir::Access access{.lanes = lanes, .dynamic = c_.start, .dynamic_scale = lanes};
        const Affine place = threads_.row(i) * product_.c.row_stride + column(j) * product_.c.column_stride;
        ir::Value vector = sums_of_rows(i, lanes, j);
        const auto factor = [&](Integer which) {
            const ir::Value value = builder_.load(c_.factors, which);
            return lanes == 1 ? value : builder_.splat(value, lanes);
        };
        vector = builder_.multiply(factor(0), vector);
        if (reads) vector = builder_.fma(factor(1), builder_.load(c_.buffer, place, access), vector);
        builder_.store(c_.buffer, place, vector, access);
    }

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    const GpuThreads& threads_;
    const GpuSums& sums_;
    const MatrixProduct& product_;
    const GpuResult& c_;
    int shares_;  ///< blocks that share the columns
    int columns_; ///< of a thread that a block writes: vectors_ times elements_
    int vectors_;
    int elements_;
    Affine vector_share_, element_share_; ///< which of these are the block's
    ir::Buffer exchanged_ = 0;
};

} // namespace

void update_result(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
                   const GpuSums& sums, const MatrixProduct& oriented, const GpuResult& c) {
    Update(builder, schedule, threads, sums, oriented, c).write();
}

} // namespace swirl::gemm
