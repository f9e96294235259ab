#include "gemm/gpu/batched/kernel.hpp"

#include "gemm/gpu/gemm_kernels.hpp"
#include "gemm/gpu/matrix_buffer.hpp"
#include "gemm/gpu/simt/layout.hpp"
#include "gemm/scalar.hpp"
#include "ir/builder.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace swirl::gemm {

namespace {

using ir::Condition;
using ir::Value;
using Relation = Condition::Relation;

constexpr int fmas_of_body = 512;       ///< of a thread in an iteration of the loop over K
constexpr int max_unrolled_fmas = 1024; ///< likewise, if there is no loop
constexpr Integer max_unrolled_copies = 8;

class BatchedKernelWriter {
public:
    BatchedKernelWriter(const CanonicalBatchedGemm& gemm, const GpuEpilogue& epilogue)
        : gemm_(gemm),
          product_(gemm.product()),
          tile_(gemm.schedule.thread_tile),
          scalar_(gemm.product().data_type),
          builder_("gemm") {
        declare(epilogue);
    }

    ir::Program write() {
        builder_.launch({.blocks = {gemm_.blocks(), 1, 1},
                         .threads = {gemm_.threads(), 1, 1},
                         .resident = gemm_.schedule.resident});
        clear();
        builder_.if_then({{multiplies_ - 1, Relation::nonnegative}}, [&] { multiply(); });
        builder_.if_then(
            {{reads_c_ - 1, Relation::nonnegative}}, [&] { keep_results(true); },
            [&] { keep_results(false); });
        builder_.barrier();
        store();
        return builder_.finish();
    }

private:
    // ---- arguments and memory
    void declare(const GpuEpilogue& epilogue) {
        const bool is_swapped = gemm_.canonical.is_swapped;
        const OperandRoles roles = operand_roles(is_swapped);
        const auto add = [&](ir::ArgumentRole role, const MatrixLayout& layout, Integer rows, Integer columns,
                             const MatrixRange& range) {
            ir::BufferInfo info =
                buffer_of_matrix(role, scalar_, layout, rows, columns, product_.batch, range.chunk);
            info.written = role == ir::ArgumentRole::c;
            return builder_.add(info);
        };
        const auto add_a = [&] { a_ = add(roles.a, product_.a, product_.rows, product_.k, gemm_.a); };
        if (!is_swapped) add_a();
        b_ = add(roles.b, product_.b, product_.k, product_.columns, gemm_.b);
        if (is_swapped) add_a();
        c_ = add(ir::ArgumentRole::c, product_.c, product_.rows, product_.columns, gemm_.c);
        if (!epilogue.is_identity())
            epilogue_.emplace(builder_, is_swapped ? epilogue.transposed() : epilogue, scalar_,
                              gemm_.vectors.m);
        alpha_beta_ = builder_.add(buffer_of_alpha_beta(scalar_));
        multiplies_ = builder_.parameter("multiplies", ir::ArgumentRole::multiplies);
        reads_c_ = builder_.parameter("reads_c", ir::ArgumentRole::reads_c);
        const auto shared = [&](const char* name, Integer elements) {
            return builder_.add(buffer_in_smem(name, scalar_, elements, SimtThreadLayout::widest_access));
        };
        a_range_ = shared("a_range", std::max(gemm_.a.capacity(), gemm_.c.capacity())); // and then C's
        b_range_ = shared("b_range", gemm_.b.capacity());
        accumulators_ = builder_.local("accumulators", scalar_, Integer{tile_.m} * tile_.n);
    }

    Value integer(Integer value) {
        return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
    }
    Value sum(Value a, Value b) {
        if (a == ir::no_value || b == ir::no_value) return a == ir::no_value ? b : a;
        return builder_.add(a, b);
    }

    Affine block() { return builder_.block(0); }
    Affine thread() { return builder_.thread(0); }
    Affine matrix() { return builder_.thread(0, gemm_.matrix_threads()); } ///< in the block
    Affine lane_m() { return thread_digit(builder_, 1, gemm_.lanes.m); }
    Affine lane_n() { return thread_digit(builder_, gemm_.lanes.m, gemm_.lanes.n); }

    // ---- ranges of matrices
    bool has_partial_block() const { return gemm_.matrices_of_last_block() != gemm_.schedule.matrices; }
    /// The last block moves single elements if its range is shorter, or may end within a chunk.
    bool differs_in_last_block(const MatrixRange& range) const {
        return has_partial_block() || range.is_shifted;
    }
    template <class All, class Last> void by_block(const MatrixRange& range, All&& all, Last&& last) {
        if (!differs_in_last_block(range)) return all();
        builder_.if_then({{block() - (gemm_.blocks() - 1), Relation::negative}}, all, last);
    }
    Integer start_of_last(const MatrixRange& range) const { return (gemm_.blocks() - 1) * range.all; }
    Integer elements_of_last(const MatrixRange& range) const {
        return gemm_.matrices_of_last_block() * range.elements;
    }
    /// The chunk in which a shifted range begins, and the elements in that chunk before it; no_value: no shift.
    Value first_chunk(const MatrixRange& range) {
        if (!range.is_shifted) return ir::no_value;
        return builder_.divide(builder_.index(block() * range.all), integer(range.chunk));
    }
    Value shift(const MatrixRange& range) {
        if (!range.is_shifted) return ir::no_value;
        return builder_.bit_and(builder_.index(block() * range.all), integer(range.chunk - 1));
    }

    /// `body(k)` for k = the thread's index, that plus the threads of a block, … below `count`.
    template <class Body> void for_each_of_thread(Integer count, Body&& body) {
        const Integer threads = gemm_.threads(), rounds = ceil_divide(count, threads);
        const auto visit = [&](const Affine& index, bool may_exceed) {
            if (!may_exceed) return body(index);
            builder_.if_then({{index - count, Relation::negative}}, [&] { body(index); });
        };
        if (rounds <= max_unrolled_copies) {
            for (Integer k = 0; k < rounds; ++k) visit(thread() + k * threads, (k + 1) * threads > count);
            return;
        }
        const Integer whole = count / threads;
        builder_.for_loop("copy", whole, [&](const Affine& k) { visit(k * threads + thread(), false); });
        if (whole < rounds) visit(thread() + whole * threads, true);
    }

    void copy(const MatrixRange& range, ir::Buffer from, ir::Buffer to) {
        const Value first = first_chunk(range);
        const int chunk = range.chunk;
        by_block(
            range,
            [&] {
                const Affine start = range.is_shifted ? Affine(0) : block() * range.all;
                for_each_of_thread(range.capacity() / chunk, [&](const Affine& k) {
                    const Value value = builder_.load(
                        from, start + chunk * k, {.lanes = chunk, .dynamic = first, .dynamic_scale = chunk});
                    builder_.store(to, chunk * k, value, {.lanes = chunk, .asynchronous = true});
                });
            },
            [&] {
                const Integer start = start_of_last(range);
                for_each_of_thread(elements_of_last(range), [&](const Affine& k) {
                    builder_.store(to, k + start % chunk * (range.is_shifted ? 1 : 0),
                                   builder_.load(from, k + start), {.asynchronous = true});
                });
            });
    }

    /// Of finished matrices, from shared memory.
    void store() {
        const MatrixRange& range = gemm_.c;
        const int chunk = range.chunk;
        const Value first = first_chunk(range), skipped = shift(range);
        by_block(
            range,
            [&] {
                if (!range.is_shifted)
                    return for_each_of_thread(range.all / chunk, [&](const Affine& k) {
                        builder_.store(c_, block() * range.all + chunk * k,
                                       builder_.load(a_range_, chunk * k, {.lanes = chunk}),
                                       {.lanes = chunk});
                    });
                store_shifted(first, skipped);
            },
            [&] {
                const Integer start = start_of_last(range), in_range = range.is_shifted ? start % chunk : 0;
                for_each_of_thread(elements_of_last(range), [&](const Affine& k) {
                    builder_.store(c_, k + start, builder_.load(a_range_, k + in_range));
                });
            });
    }

    /// Whole chunks; the elements before and after them belong to chunks of which other blocks have the rest.
    void store_shifted(Value first, Value skipped) {
        const MatrixRange& range = gemm_.c;
        const int chunk = range.chunk;
        // Elements that precede the first whole chunk, and whole chunks.
        const Value is_whole = builder_.less(skipped, integer(1));
        const Value head = builder_.select(is_whole, integer(0), builder_.subtract(integer(chunk), skipped));
        const Value from = builder_.select(is_whole, integer(0), integer(1));
        const Value end = builder_.add(skipped, integer(range.all));
        const Value chunks = builder_.divide(end, integer(chunk));
        const Value minus_chunks = builder_.subtract(integer(0), chunks);
        for_each_of_thread(range.capacity() / chunk, [&](const Affine& k) {
            builder_.if_then({{k, Relation::nonnegative, builder_.subtract(integer(0), from)},
                              {k, Relation::negative, minus_chunks}},
                             [&] {
                                 builder_.store(c_, chunk * k,
                                                builder_.load(a_range_, chunk * k, {.lanes = chunk}),
                                                {.lanes = chunk, .dynamic = first, .dynamic_scale = chunk});
                             });
        });
        builder_.if_then({{thread(), Relation::negative, builder_.subtract(integer(0), head)}}, [&] {
            builder_.store(c_, block() * range.all + thread(),
                           builder_.load(a_range_, thread(), {.dynamic = skipped}));
        });
        const Value tail = builder_.multiply(chunks, integer(chunk));
        const Value in_memory = builder_.add(tail, builder_.multiply(first, integer(chunk)));
        builder_.if_then({{thread(), Relation::negative, builder_.subtract(tail, end)}}, [&] {
            builder_.store(c_, thread(), builder_.load(a_range_, thread(), {.dynamic = tail}),
                           {.dynamic = in_memory});
        });
    }

    // ---- products
    void clear() {
        for (Integer k = 0; k < Integer{tile_.m} * tile_.n; ++k)
            builder_.store(accumulators_, k, builder_.constant({scalar_, 1}, 0));
    }

    void multiply() {
        copy(gemm_.a, a_, a_range_);
        copy(gemm_.b, b_, b_range_);
        builder_.commit_async_group();
        builder_.wait_async_group(0);
        builder_.barrier();
        const Value own = existing_matrix();
        const Operand a =
            operand(gemm_.a, a_range_, own, lane_m(), gemm_.lanes.m, tile_.m, gemm_.vectors.m, product_.rows);
        const Operand b = operand(gemm_.b, b_range_, own, lane_n(), gemm_.lanes.n, tile_.n, gemm_.vectors.n,
                                  product_.columns);
        const Integer fmas = Integer{tile_.m} * tile_.n, k_step = k_step_of_operands();
        const Integer of_body = product_.k * fmas <= max_unrolled_fmas
                                    ? product_.k
                                    : std::max<Integer>(1, fmas_of_body / fmas / k_step) * k_step;
        const Integer whole = product_.k / of_body;
        if (whole > 1)
            builder_.for_loop(std::string(k_tile_loop), whole,
                              [&](const Affine& k) { multiply(a, b, k * of_body, of_body); });
        const Integer done = whole > 1 ? whole * of_body : 0;
        if (done < product_.k) multiply(a, b, done, product_.k - done);
        builder_.barrier(); // C takes A's place
    }

    Integer k_step_of_operands() const {
        return std::max(gemm_.a.is_along_k ? gemm_.a.vector : 1, gemm_.b.is_along_k ? gemm_.b.vector : 1);
    }

    /// Threads without a matrix repeat the block's last one.
    Value existing_matrix() {
        const Value own = builder_.index(matrix());
        Value last = integer(gemm_.schedule.matrices - 1);
        if (has_partial_block()) {
            const Value is_regular = builder_.less(builder_.index(block()), integer(gemm_.blocks() - 1));
            last = builder_.select(is_regular, last, integer(gemm_.matrices_of_last_block() - 1));
        }
        return builder_.select(builder_.less(own, last), own, last);
    }

    /// A thread's rows of A or columns of B, in groups of `adjacent`; offsets in vectors.
    struct Operand {
        const MatrixRange& range;
        ir::Buffer buffer;
        Value first, last; ///< of the first group, and of the last one, which never lies beyond the matrix
        int groups, adjacent;
        Integer step; ///< elements from one group to the next
    };
    Operand operand(const MatrixRange& range, ir::Buffer buffer, Value own, const Affine& lane, int lanes,
                    int extent, int adjacent, Integer mn) {
        const int groups = extent / adjacent;
        const Integer unit = range.vector, stride = adjacent * range.mn_stride;
        const Integer last_group = Integer{groups - 1} * lanes, most = mn / adjacent - 1;
        const Value start = sum(builder_.multiply(own, integer(range.elements / unit)), shift(range));
        const auto offset = [&](Value group) {
            const Value elements = builder_.multiply(group, integer(stride));
            return builder_.add(start, unit == 1 ? elements : builder_.divide(elements, integer(unit)));
        };
        Value last = builder_.index(lane + last_group);
        if (last_group + lanes - 1 > most)
            last = builder_.select(builder_.less(last, integer(most)), last, integer(most));
        return {range, buffer, offset(builder_.index(lane)), offset(last), groups, adjacent, lanes * stride};
    }

    /// The thread's values of k indices k … k + count − 1: for each k index, row by row.
    std::vector<std::vector<Value>> load(const Operand& operand, const Affine& k, Integer count) {
        const MatrixRange& range = operand.range;
        std::vector<std::vector<Value>> result(static_cast<std::size_t>(count));
        const auto lane = [&](Value vector, int index) {
            return range.vector == 1 ? vector
                                     : builder_.shuffle(vector, vector, {static_cast<std::int8_t>(index)});
        };
        const auto loaded = [&](int group, const Affine& at) {
            const bool is_last = group + 1 == operand.groups;
            const Affine index = is_last ? at : at + group * operand.step;
            return builder_.load(operand.buffer, index,
                                 {.lanes = range.vector,
                                  .dynamic = is_last ? operand.last : operand.first,
                                  .dynamic_scale = range.vector});
        };
        for (int group = 0; group < operand.groups; ++group) {
            if (!range.is_along_k) {
                for (Integer i = 0; i < count; ++i) {
                    const Value vector = loaded(group, (k + i) * range.k_stride);
                    for (int j = 0; j < operand.adjacent; ++j)
                        result[static_cast<std::size_t>(i)].push_back(lane(vector, j));
                }
                continue;
            }
            for (int j = 0; j < operand.adjacent; ++j)
                for (Integer first = 0; first < count; first += range.vector) {
                    const Value vector = loaded(group, j * range.mn_stride + k + first);
                    for (int i = 0; i < range.vector; ++i)
                        result[static_cast<std::size_t>(first + i)].push_back(lane(vector, i));
                }
        }
        return result;
    }

    void multiply(const Operand& a, const Operand& b, const Affine& first, Integer count) {
        std::vector<Value> sums;
        const Integer size = Integer{tile_.m} * tile_.n;
        for (Integer k = 0; k < size; ++k) sums.push_back(builder_.load(accumulators_, k));
        const Integer k_step = k_step_of_operands();
        for (Integer k = 0; k < count; k += k_step) {
            const auto rows = load(a, first + k, k_step), columns = load(b, first + k, k_step);
            for (std::size_t i = 0; i < static_cast<std::size_t>(k_step); ++i)
                for (const auto& [row, column] : fma_sequence(FmaOrder::serpentine_rows, tile_.m, tile_.n)) {
                    Value& sum = sums[static_cast<std::size_t>(column * tile_.m + row)];
                    sum = builder_.fma(rows[i][static_cast<std::size_t>(row)],
                                       columns[i][static_cast<std::size_t>(column)], sum);
                }
        }
        for (Integer k = 0; k < size; ++k)
            builder_.store(accumulators_, k, sums[static_cast<std::size_t>(k)]);
    }

    // ---- results, in shared memory until whole chunks are stored
    template <class Body> void under(std::vector<Condition> conditions, Body&& body) {
        if (conditions.empty()) return body();
        builder_.if_then(std::move(conditions), body);
    }

    void keep_results(bool reads) {
        const int row_groups = tile_.m / gemm_.vectors.m, column_groups = tile_.n / gemm_.vectors.n;
        const Integer row_limit = product_.rows / gemm_.vectors.m,
                      column_limit = product_.columns / gemm_.vectors.n;
        const Value skipped = shift(gemm_.c);
        std::vector<Condition> has_matrix;
        if (has_partial_block()) {
            const Value is_regular = builder_.less(builder_.index(block()), integer(gemm_.blocks() - 1));
            const Value missing = builder_.select(is_regular, integer(-gemm_.schedule.matrices),
                                                  integer(-gemm_.matrices_of_last_block()));
            has_matrix.push_back({matrix(), Relation::negative, missing});
        } else if (gemm_.schedule.matrices * gemm_.matrix_threads() < gemm_.threads()) {
            has_matrix.push_back({matrix() - gemm_.schedule.matrices, Relation::negative});
        }
        const auto inside = [&](const Affine& group, bool is_last, Integer lanes, Integer groups,
                                Integer limit) {
            std::vector<Condition> result;
            if (is_last && lanes * groups > limit) result.push_back({group - limit, Relation::negative});
            return result;
        };
        under(has_matrix, [&] {
            if (epilogue_) epilogue_->begin({ir::no_value, ir::no_value, ir::no_value});
            for (int i = 0; i < row_groups; ++i) {
                const Affine row_group = lane_m() + i * gemm_.lanes.m;
                under(inside(row_group, i + 1 == row_groups, gemm_.lanes.m, row_groups, row_limit), [&] {
                    for (int j = 0; j < column_groups; ++j) {
                        const Affine column_group = lane_n() + j * gemm_.lanes.n;
                        under(
                            inside(column_group, j + 1 == column_groups, gemm_.lanes.n, column_groups,
                                   column_limit),
                            [&] {
                                for (int next = 0; next < gemm_.vectors.n; ++next)
                                    keep_vector(
                                        {gemm_.vectors.m * row_group, gemm_.vectors.n * column_group + next},
                                        i * gemm_.vectors.m, j * gemm_.vectors.n + next, skipped, reads);
                            });
                    }
                });
            }
        });
    }

    struct Element {
        Affine row, column;
    };
    void keep_vector(const Element& element, int row, int column, Value skipped, bool reads) {
        const int lanes = gemm_.vectors.m;
        const MatrixRange& range = gemm_.c;
        const auto scalar = [&](Integer which) {
            const Value value = builder_.load(alpha_beta_, which);
            return lanes == 1 ? value : builder_.splat(value, lanes);
        };
        std::vector<Value> sums;
        for (int i = row; i < row + lanes; ++i)
            sums.push_back(builder_.load(accumulators_, Integer{column} * tile_.m + i));
        Value value = builder_.multiply(scalar(0), join_lanes(builder_, sums));
        const Affine at = matrix() * range.elements + element.row + element.column * range.k_stride;
        if (reads)
            value =
                builder_.fma(scalar(1), builder_.load(c_, block() * range.all + at, {.lanes = lanes}), value);
        if (epilogue_)
            value = epilogue_->finish(
                {block() * gemm_.schedule.matrices + matrix(), element.row, element.column}, value);
        builder_.store(a_range_, at, value, {.lanes = lanes, .dynamic = skipped});
    }

    const CanonicalBatchedGemm& gemm_;
    const MatrixProduct& product_;
    Extents tile_; ///< of a thread
    DataType scalar_;
    ir::Builder builder_;
    ir::Buffer a_ = 0, b_ = 0, c_ = 0, alpha_beta_ = 0;
    ir::Buffer a_range_ = 0, b_range_ = 0; ///< in shared memory
    ir::Buffer accumulators_ = 0;          ///< local, column after column
    Affine multiplies_, reads_c_;
    std::optional<GpuEpilogueWriter> epilogue_;
};

} // namespace

ir::Program batched_kernel(const CanonicalBatchedGemm& gemm, const GpuEpilogue& epilogue) {
    return BatchedKernelWriter(gemm, epilogue).write();
}

} // namespace swirl::gemm
