#include "gemm/gpu_sums.hpp"

#include "gemm/gpu_numbers.hpp"

#include "gemm/tile.hpp"

#include <algorithm>
#include <utility>

namespace swirl::gemm {

GpuSums::GpuSums(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
                 const MatrixProduct& oriented, const target::Gpu& gpu, std::optional<ir::Buffer> room)
    : builder_(builder),
      schedule_(schedule),
      threads_(threads),
      scalar_(scalar_of(oriented.number)),
      parts_(scalars_in(oriented.number)),
      conjugated_{oriented.a.conjugated, oriented.b.conjugated},
      factor_(schedule.warp_depth > 0 ? scalar_of(oriented.number_of_a()) : scalar_),
      fragments_(builder, schedule, threads, factor_, warp_product_of(schedule, gpu, factor_)),
      sums_(builder.local("sums", scalar_, count())),
      factors_{builder.local("a_factors", factor_, count_of_factors(0)),
               builder.local("b_factors", factor_, count_of_factors(1))},
      slice_sums_(builder, schedule, threads, oriented, room),
      finishing_slices_(GpuColumnShares::finishing_slices(schedule, oriented)) {}

int GpuSums::count_of_factors(std::size_t operand) const {
    if (schedule_.warp_depth > 0) return operand == 0 ? fragments_.count_of_a() : fragments_.count_of_b();
    return lines(operand) * steps_at_once(operand) * parts_;
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

GpuSums::Factors GpuSums::factors() const {
    return {{from(factors_[0], count_of_factors(0)), from(factors_[1], count_of_factors(1))}, {}};
}
void GpuSums::keep(const Factors& factors) {
    for (std::size_t operand = 0; operand < 2; ++operand) to(factors_[operand], factors.now[operand]);
}

/// Vectors of lines, of one step.
std::vector<ir::Value> GpuSums::load_vectors(std::size_t operand, const Source& source, int step,
                                             ir::Value number) const {
    const GpuPiece& piece = source.pieces[operand];
    const int lanes = operand == 0 ? threads_.row_vector() : threads_.column_vector();
    std::vector<ir::Value> result;
    for (int k = 0; k < lines(operand); k += lanes)
        append_widened(
            builder_,
            builder_.load(source.buffers[operand],
                          threads_.matrix() * (schedule_.stages * piece.scalars()) +
                              piece.place(line(operand, k), source.first_step + step),
                          {.lanes = lanes * parts_, .dynamic = number, .dynamic_scale = piece.scalars()}),
            piece.number, scalar_, result);
    return result;
}

/// Vectors of steps, of the lines first … end − 1.
void GpuSums::load_lines(std::size_t operand, const Source& source, int step, ir::Value number, int first,
                         int end, std::vector<ir::Value>& factors) const {
    const GpuPiece& piece = source.pieces[operand];
    for (int k = first; k < end; ++k) {
        if (piece.is_bulk) {
            append_widened(builder_, load_exchanged(operand, source, step, number, k), piece.number, scalar_,
                           factors);
            continue;
        }
        append_widened(
            builder_,
            builder_.load(
                source.buffers[operand],
                threads_.matrix() * (schedule_.stages * piece.scalars()) +
                    piece.place(line(operand, k), source.first_step + step),
                {.lanes = piece.steps * parts_, .dynamic = number, .dynamic_scale = piece.scalars()}),
            piece.number, scalar_, factors);
    }
}

/// Of a line whose chunks the copy engine has exchanged: chunk c of a row is at c xor the line's number among those that are not alike. That
/// number's digits come from the thread's lane and from k, so that one xor serves all lines of which k gives the same.
ir::Value GpuSums::load_exchanged(std::size_t operand, const Source& source, int step, ir::Value number,
                                  int k) const {
    const GpuPiece& piece = source.pieces[operand];
    const Integer alike = piece.lines_alike(), chunks = piece.chunks_of_row();
    const Integer lanes = threads_.lanes(operand), in_row = step % piece.row;
    const Integer chunk = (in_row / piece.chunk()) ^ (k * lanes / alike % chunks);
    const Affine row = (source.first_step + (step - in_row)) * piece.extent + line(operand, k) * piece.row;
    return builder_.load(source.buffers[operand], row + in_row % piece.chunk(),
                         {.lanes = piece.steps,
                          .dynamic = exchanged_chunk(operand, piece, chunk, number),
                          .dynamic_scale = piece.chunk()});
}

/// The chunk's place, in chunks from the beginning of its row in the piece of that number.
ir::Value GpuSums::exchanged_chunk(std::size_t operand, const GpuPiece& piece, Integer chunk,
                                   ir::Value number) const {
    const auto [known, is_new] = exchanged_.try_emplace({operand, chunk, number}, ir::no_value);
    if (!is_new) return known->second;
    const auto integer = [&](Integer value) {
        return builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(value));
    };
    const Integer digits = std::min(piece.chunks_of_row(), threads_.lanes(operand) / piece.lines_alike());
    ir::Value place = integer(chunk);
    if (digits > 1)
        place = builder_.bit_xor(place,
                                 builder_.index(threads_.lane_digit(operand, piece.lines_alike(), digits)));
    if (number != ir::no_value)
        place = builder_.add(place, builder_.multiply(number, integer(piece.scalars() / piece.chunk())));
    return known->second = place;
}

std::vector<ir::Value> GpuSums::load(std::size_t operand, const Source& source, int step,
                                     ir::Value number) const {
    if (schedule_.warp_depth > 0) {
        const GpuPiece& piece = source.pieces[operand];
        const Affine first = threads_.matrix() * (schedule_.stages * piece.scalars());
        const Affine at = source.first_step + step * schedule_.warp_depth;
        return operand == 0 ? fragments_.load_a(piece, source.buffers[0], first, at, number)
                            : fragments_.load_b(piece, source.buffers[1], first, at, number);
    }
    if (!GpuThreads::loads_lines(schedule_, operand)) return load_vectors(operand, source, step, number);
    std::vector<ir::Value> result;
    load_lines(operand, source, step, number, 0, lines(operand), result);
    return result;
}

GpuSums::Factors GpuSums::first_factors(const Source& source, const Numbers& numbers) const {
    return {{load(0, source, 0, numbers[0]), load(1, source, 0, numbers[1])}, {}};
}

/// The next group of steps is loaded line by line during the steps of this one.
GpuSums::Factors GpuSums::next_factors(const Source& source, const Numbers& numbers, int step,
                                       const Factors& factors) const {
    const int steps = schedule_.block_depth / schedule_.slices / schedule_.step_depth();
    Factors result = factors;
    for (std::size_t operand = 0; operand < 2; ++operand) {
        const int group = steps_at_once(operand), place = step % group, following = step - place + group;
        if (group == 1) {
            result.now[operand] = load(operand, source, following, numbers[operand]);
            continue;
        }
        if (following >= steps) continue;
        load_lines(operand, source, following, numbers[operand], lines(operand) * place / group,
                   lines(operand) * (place + 1) / group, result.next[operand]);
        if (place + 1 == group) result.now[operand] = std::exchange(result.next[operand], {});
    }
    return result;
}

void GpuSums::multiply(std::vector<ir::Value>& sums, const Factors& factors, int step) const {
    if (schedule_.warp_depth > 0) return fragments_.multiply(sums, factors.now[0], factors.now[1]);
    const auto factor = [&](std::size_t operand, int line) {
        const int group = steps_at_once(operand);
        return std::span(factors.now[operand])
            .subspan(static_cast<std::size_t>((line * group + step % group) * parts_),
                     static_cast<std::size_t>(parts_));
    };
    for (const auto& [row, column] :
         places_in_order(schedule_.order, schedule_.thread_rows, schedule_.thread_columns)) {
        ir::Value& sum = sums[place(row, column)];
        sum = builder_.fma(factor(0, row)[0], factor(1, column)[0], sum);
        if (parts_ > 1) add_imaginary(sum, sums[place(row, column) + 1], factor(0, row), factor(1, column));
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
    slice_sums_.add(sums_, schedule_.thread_rows * parts_,
                    {builder_, schedule_, threads_, 1, finishing_slices_});
}

} // namespace swirl::gemm
