#include "gemm/gpu_sums.hpp"

#include "gemm/gpu_numbers.hpp"

#include "gemm/tile.hpp"

#include <algorithm>

namespace swirl::gemm {

GpuSums::GpuSums(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
                 const MatrixProduct& oriented, const target::Gpu& gpu)
    : builder_(builder),
      schedule_(schedule),
      threads_(threads),
      scalar_(scalar_of(oriented.number)),
      parts_(scalars_in(oriented.number)),
      conjugated_{oriented.a.conjugated, oriented.b.conjugated},
      factor_(schedule.warp_depth > 0 ? scalar_of(oriented.number_of_a()) : scalar_),
      fragments_(builder, schedule, threads, factor_, warp_product_of(schedule, gpu, factor_)),
      sums_(builder.local("sums", scalar_, count())),
      a_(builder.local("a_factors", factor_, count_of_a())),
      b_(builder.local("b_factors", factor_, count_of_b())) {}

int GpuSums::count_of_a() const {
    return schedule_.warp_depth > 0 ? fragments_.count_of_a() : schedule_.thread_rows * parts_;
}
int GpuSums::count_of_b() const {
    return schedule_.warp_depth > 0 ? fragments_.count_of_b() : schedule_.thread_columns * parts_;
}

void GpuSums::clear() {
    const ir::Value zero = builder_.constant({scalar_, 1}, 0);
    to(sums_, std::vector<ir::Value>(static_cast<std::size_t>(count()), zero));
}

std::vector<ir::Value> GpuSums::from(ir::Buffer registers, int count) const {
    std::vector<ir::Value> result;
    for (int k = 0; k < count; ++k) result.push_back(builder_.load(registers, k));
    return result;
}

void GpuSums::to(ir::Buffer registers, const std::vector<ir::Value>& values) {
    Integer place = 0;
    for (const ir::Value value : values) builder_.store(registers, place++, value);
}

std::vector<ir::Value> GpuSums::values() const { return from(sums_, count()); }
void GpuSums::keep(const std::vector<ir::Value>& sums) { to(sums_, sums); }

GpuSums::Factors GpuSums::factors() const { return {from(a_, count_of_a()), from(b_, count_of_b())}; }
void GpuSums::keep(const Factors& factors) {
    to(a_, factors.a);
    to(b_, factors.b);
}

std::vector<ir::Value> GpuSums::load_vectors(const GpuPiece& piece, ir::Buffer buffer, const Affine& step,
                                             ir::Value number, bool is_a) const {
    const int count = is_a ? schedule_.thread_rows : schedule_.thread_columns;
    const int lanes = is_a ? threads_.row_vector() : threads_.column_vector();
    std::vector<ir::Value> result;
    for (int k = 0; k < count; k += lanes) {
        const Affine place = is_a ? threads_.row(k) : threads_.column(k);
        ir::Value vector = builder_.load(
            buffer,
            threads_.matrix() * (schedule_.stages * piece.scalars()) + (step * piece.pitch + place) * parts_,
            {.lanes = lanes * parts_, .dynamic = number, .dynamic_scale = piece.scalars()});
        vector = widened(builder_, vector, piece.number, scalar_);
        for (int lane = 0; lane < lanes * parts_; ++lane)
            result.push_back(lanes * parts_ == 1
                                 ? vector
                                 : builder_.shuffle(vector, vector, {static_cast<std::int8_t>(lane)}));
    }
    return result;
}

GpuSums::Factors GpuSums::load(const std::array<GpuPiece, 2>& pieces,
                               const std::array<ir::Buffer, 2>& buffers, const Affine& step,
                               ir::Value number) const {
    Factors result;
    if (schedule_.warp_depth > 0) {
        const auto first = [&](const GpuPiece& piece) {
            return threads_.matrix() * (schedule_.stages * piece.scalars());
        };
        result.a = fragments_.load_a(pieces[0], buffers[0], first(pieces[0]), step, number);
        result.b = fragments_.load_b(pieces[1], buffers[1], first(pieces[1]), step, number);
        return result;
    }
    result.a = load_vectors(pieces[0], buffers[0], step, number, true);
    result.b = load_vectors(pieces[1], buffers[1], step, number, false);
    return result;
}

void GpuSums::multiply(std::vector<ir::Value>& sums, const Factors& factors) const {
    if (schedule_.warp_depth > 0) return fragments_.multiply(sums, factors.a, factors.b);
    const int rows = schedule_.thread_rows, columns = schedule_.thread_columns;
    const bool by_rows = schedule_.order == GpuOrder::rows || schedule_.order == GpuOrder::serpentine_rows;
    const bool turns =
        schedule_.order == GpuOrder::serpentine_rows || schedule_.order == GpuOrder::serpentine_columns;
    const int outer = by_rows ? rows : columns, inner = by_rows ? columns : rows;
    for (int o = 0; o < outer; ++o)
        for (int t = 0; t < inner; ++t) {
            const int i = turns && o % 2 != 0 ? inner - 1 - t : t;
            const int row = by_rows ? o : i, column = by_rows ? i : o;
            const auto first = static_cast<std::size_t>(row * parts_),
                       second = static_cast<std::size_t>(column * parts_);
            ir::Value& sum = sums[place(row, column)];
            sum = builder_.fma(factors.a[first], factors.b[second], sum);
            if (parts_ == 1) continue;
            add_imaginary(sum, sums[place(row, column) + 1], std::span(factors.a).subspan(first, 2),
                          std::span(factors.b).subspan(second, 2));
        }
}

/// (a + ia')(b + ib') but for ab; conjugated factors have −a' or −b'.
void GpuSums::add_imaginary(ir::Value& real, ir::Value& imaginary, std::span<const ir::Value> a,
                            std::span<const ir::Value> b) const {
    const auto add = [&](ir::Value& sum, ir::Value x, ir::Value y, bool is_negative) {
        sum = is_negative ? builder_.fnma(x, y, sum) : builder_.fma(x, y, sum);
    };
    add(imaginary, a[0], b[1], conjugated_[1]);
    add(real, a[1], b[1], conjugated_[0] == conjugated_[1]);
    add(imaginary, a[1], b[0], conjugated_[0]);
}

void GpuSums::add_slices() {
    if (schedule_.slices == 1) return;
    const int count = this->count();
    const Integer threads = schedule_.slice_threads();
    const ir::Buffer others =
        builder_.shared("slice_sums", scalar_, schedule_.matrices * (schedule_.slices - 1) * threads * count);
    // Neighbouring threads have neighbouring numbers.
    const auto place = [&](const Affine& slice, int sum) {
        return (threads_.matrix() * (schedule_.slices - 1) + slice) * (threads * count) +
               threads_.in_slice() + sum * threads;
    };
    builder_.if_then({{threads_.slice() - 1, ir::Condition::Relation::nonnegative}}, [&] {
        for (int k = 0; k < count; ++k)
            builder_.store(others, place(threads_.slice() - 1, k), builder_.load(sums_, k));
    });
    builder_.barrier();
    builder_.if_then({{threads_.slice(), ir::Condition::Relation::zero}}, [&] {
        for (int k = 0; k < count; ++k) {
            ir::Value sum = builder_.load(sums_, k);
            for (int slice = 1; slice < schedule_.slices; ++slice)
                sum = builder_.add(sum, builder_.load(others, place(slice - 1, k)));
            builder_.store(sums_, k, sum);
        }
    });
}

} // namespace swirl::gemm
