#include "gemm/gpu/simt/accumulators.hpp"

#include "gemm/gpu/prologue/conversions.hpp"

#include "gemm/scalar.hpp"

#include <algorithm>
#include <utility>

namespace swirl::gemm {

SimtAccumulators::SimtAccumulators(ir::Builder& builder, const CanonicalSimtGemm& gemm,
                                   const SimtThreadLayout& threads, const target::Gpu& gpu,
                                   std::optional<ir::Buffer> scratch)
    : builder_(builder),
      schedule_(gemm.schedule),
      threads_(threads),
      scalar_(scalar_of(gemm.product().data_type)),
      components_(scalars_in(gemm.product().data_type)),
      conjugated_{gemm.product().a.conjugated, gemm.product().b.conjugated},
      operand_type_(schedule_.is_mma() ? scalar_of(gemm.product().type_of_a()) : scalar_),
      fragments_(builder, schedule_, threads, operand_type_, mma_shape_of(schedule_, gpu, operand_type_)),
      accumulators_(builder.local("accumulators", scalar_, count())),
      operand_registers_{builder.local("a_fragment", operand_type_, count_of_operands(0)),
                         builder.local("b_fragment", operand_type_, count_of_operands(1))},
      sliced_k_reduction_(builder, gemm, threads, scratch),
      epilogue_k_slices_(ColumnPartition::epilogue_k_slices(schedule_, gemm.product())) {}

int SimtAccumulators::count_of_operands(std::size_t operand) const {
    if (schedule_.is_mma()) return operand == 0 ? fragments_.count_of_a() : fragments_.count_of_b();
    return mn_per_thread(operand) * k_at_once(operand) * components_;
}

void SimtAccumulators::clear() {
    const ir::Value zero = builder_.constant({scalar_, 1}, 0);
    to(accumulators_, std::vector<ir::Value>(static_cast<std::size_t>(count()), zero));
}

std::vector<ir::Value> SimtAccumulators::from(ir::Buffer registers, int count) const {
    std::vector<ir::Value> result;
    for (int k = 0; k < count; ++k) result.push_back(builder_.load(registers, k));
    return result;
}

void SimtAccumulators::to(ir::Buffer registers, const std::vector<ir::Value>& values) {
    Integer index = 0;
    for (const ir::Value value : values) builder_.store(registers, index++, value);
}

std::vector<ir::Value> SimtAccumulators::values() const { return from(accumulators_, count()); }
void SimtAccumulators::keep(const std::vector<ir::Value>& accumulators) { to(accumulators_, accumulators); }

SimtAccumulators::Operands SimtAccumulators::operand_registers() const {
    return {{from(operand_registers_[0], count_of_operands(0)),
             from(operand_registers_[1], count_of_operands(1))},
            {}};
}
void SimtAccumulators::keep(const Operands& operand_registers) {
    for (std::size_t operand = 0; operand < 2; ++operand)
        to(operand_registers_[operand], operand_registers.now[operand]);
}

/// Loads vectors along M or N, for one k index.
std::vector<ir::Value> SimtAccumulators::load_vectors(std::size_t operand, const Source& source, int k_step,
                                                      ir::Value stage) const {
    const SmemTile& k_tile = source.k_tiles[operand];
    const int lanes = operand == 0 ? threads_.row_vector() : threads_.column_vector();
    std::vector<ir::Value> result;
    for (int k = 0; k < mn_per_thread(operand); k += lanes)
        append_widened(
            builder_,
            builder_.load(
                source.buffers[operand],
                threads_.matrix() * (schedule_.stages * k_tile.scalars()) +
                    k_tile.offset_of(mn(operand, k), source.first_k + k_step),
                {.lanes = lanes * components_, .dynamic = stage, .dynamic_scale = k_tile.scalars()}),
            k_tile.data_type, scalar_, result);
    return result;
}

/// Loads vectors along K, for rows or columns first … end − 1.
void SimtAccumulators::load_k_vectors(std::size_t operand, const Source& source, int k_step, ir::Value stage,
                                      int first, int end, std::vector<ir::Value>& operand_registers) const {
    const SmemTile& k_tile = source.k_tiles[operand];
    for (int k = first; k < end; ++k) {
        if (k_tile.is_tma) {
            append_widened(builder_, load_swizzled(operand, source, k_step, stage, k), k_tile.data_type,
                           scalar_, operand_registers);
            continue;
        }
        append_widened(builder_,
                       builder_.load(source.buffers[operand],
                                     threads_.matrix() * (schedule_.stages * k_tile.scalars()) +
                                         k_tile.offset_of(mn(operand, k), source.first_k + k_step),
                                     {.lanes = k_tile.vector_k * components_,
                                      .dynamic = stage,
                                      .dynamic_scale = k_tile.scalars()}),
                       k_tile.data_type, scalar_, operand_registers);
    }
}

/// Loads from a row or column whose chunks TMA has swizzled: chunk c of a row is at c xor the row's index among those
/// with different swizzles. That index's digits come from the thread's lane and from k, so one xor serves all rows
/// (columns) for which k contributes the same.
ir::Value SimtAccumulators::load_swizzled(std::size_t operand, const Source& source, int k_step,
                                          ir::Value stage, int k) const {
    const SmemTile& k_tile = source.k_tiles[operand];
    const Integer alike = k_tile.swizzle_period(), chunks = k_tile.chunks_of_row();
    const Integer lanes = threads_.lanes(operand), in_row = k_step % k_tile.row;
    const Integer chunk = (in_row / k_tile.chunk()) ^ (k * lanes / alike % chunks);
    const Affine row = (source.first_k + (k_step - in_row)) * k_tile.extent + mn(operand, k) * k_tile.row;
    return builder_.load(source.buffers[operand], row + in_row % k_tile.chunk(),
                         {.lanes = k_tile.vector_k,
                          .dynamic = swizzled_chunk(operand, k_tile, chunk, stage),
                          .dynamic_scale = k_tile.chunk()});
}

/// The chunk's offset, in chunks from the beginning of its row in stage `stage`.
ir::Value SimtAccumulators::swizzled_chunk(std::size_t operand, const SmemTile& k_tile, Integer chunk,
                                           ir::Value stage) const {
    const auto [known, is_new] = swizzled_.try_emplace({operand, chunk, stage}, ir::no_value);
    if (!is_new) return known->second;
    const auto integer = [&](Integer value) {
        return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
    };
    const Integer digits =
        std::min(k_tile.chunks_of_row(), threads_.lanes(operand) / k_tile.swizzle_period());
    ir::Value offset = integer(chunk);
    if (digits > 1)
        offset = builder_.bit_xor(
            offset, builder_.index(threads_.lane_digit(operand, k_tile.swizzle_period(), digits)));
    if (stage != ir::no_value)
        offset = builder_.add(offset, builder_.multiply(stage, integer(k_tile.scalars() / k_tile.chunk())));
    return known->second = offset;
}

std::vector<ir::Value> SimtAccumulators::load(std::size_t operand, const Source& source, int k_step,
                                              ir::Value stage) const {
    if (schedule_.is_mma()) {
        const SmemTile& k_tile = source.k_tiles[operand];
        const Affine first = threads_.matrix() * (schedule_.stages * k_tile.scalars());
        const Affine at = source.first_k + k_step * schedule_.mma_k();
        return operand == 0 ? fragments_.load_a(k_tile, source.buffers[0], first, at, stage)
                            : fragments_.load_b(k_tile, source.buffers[1], first, at, stage);
    }
    if (!SimtThreadLayout::loads_k_vectors(schedule_, operand))
        return load_vectors(operand, source, k_step, stage);
    std::vector<ir::Value> result;
    load_k_vectors(operand, source, k_step, stage, 0, mn_per_thread(operand), result);
    return result;
}

SimtAccumulators::Operands SimtAccumulators::first_operands(const Source& source,
                                                            const StageIndices& stages) const {
    return {{load(0, source, 0, stages[0]), load(1, source, 0, stages[1])}, {}};
}

/// The next group of k indices is loaded row by row (column by column) during the k steps of this one.
SimtAccumulators::Operands SimtAccumulators::next_operands(const Source& source, const StageIndices& stages,
                                                           int k_step,
                                                           const Operands& operand_registers) const {
    const int k_steps = schedule_.cta_tile.k / schedule_.sliced_k / schedule_.instruction_k();
    Operands result = operand_registers;
    for (std::size_t operand = 0; operand < 2; ++operand) {
        const int group = k_at_once(operand), in_group = k_step % group,
                  following = k_step - in_group + group;
        if (group == 1) {
            result.now[operand] = load(operand, source, following, stages[operand]);
            continue;
        }
        if (following >= k_steps) continue;
        load_k_vectors(operand, source, following, stages[operand], mn_per_thread(operand) * in_group / group,
                       mn_per_thread(operand) * (in_group + 1) / group, result.next[operand]);
        if (in_group + 1 == group) result.now[operand] = std::exchange(result.next[operand], {});
    }
    return result;
}

void SimtAccumulators::multiply(std::vector<ir::Value>& accumulators, const Operands& operand_registers,
                                int k_step) const {
    if (schedule_.is_mma())
        return fragments_.multiply(accumulators, operand_registers.now[0], operand_registers.now[1]);
    const auto operand_type = [&](std::size_t operand, int mn) {
        const int group = k_at_once(operand);
        return std::span(operand_registers.now[operand])
            .subspan(static_cast<std::size_t>((mn * group + k_step % group) * components_),
                     static_cast<std::size_t>(components_));
    };
    for (const auto& [row, column] : fma_sequence(std::get<Fma>(schedule_.math).order,
                                                  schedule_.thread_tile.m, schedule_.thread_tile.n)) {
        ir::Value& sum = accumulators[index_of(row, column)];
        sum = builder_.fma(operand_type(0, row)[0], operand_type(1, column)[0], sum);
        if (components_ > 1)
            add_imaginary(sum, accumulators[index_of(row, column) + 1], operand_type(0, row),
                          operand_type(1, column));
    }
}

/// (a + ia')(b + ib') without ab; conjugated operands have −a' or −b'.
void SimtAccumulators::add_imaginary(ir::Value& real, ir::Value& imaginary, std::span<const ir::Value> a,
                                     std::span<const ir::Value> b) const {
    const auto add = [&](ir::Value& sum, ir::Value x, ir::Value y, bool is_negative) {
        sum = is_negative ? builder_.fnma(x, y, sum) : builder_.fma(x, y, sum);
    };
    add(imaginary, a[0], b[1], conjugated_[1]);
    add(real, a[1], b[1], conjugated_[0] == conjugated_[1]);
    add(imaginary, a[1], b[0], conjugated_[0]);
}

void SimtAccumulators::reduce_k_slices() {
    sliced_k_reduction_.add(accumulators_, schedule_.thread_tile.m * components_,
                            {builder_, schedule_, threads_, 1, epilogue_k_slices_});
}

} // namespace swirl::gemm
