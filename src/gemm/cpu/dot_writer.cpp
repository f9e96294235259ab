#include "gemm/cpu/dot_writer.hpp"

#include "base/integer.hpp"
#include "gemm/cpu/lane_sums.hpp"

#include <algorithm>
#include <utility>

namespace swirl::gemm {

DotWriter::DotWriter(ir::Builder& builder, DataType data_type, const DotGemm& schedule, int rows, int columns,
                     ir::Buffer accumulators)
    : builder_(builder),
      data_type_(data_type),
      schedule_(schedule),
      components_(scalars_in(data_type)),
      rows_(rows),
      columns_(columns),
      in_registers_(accumulators),
      accumulators_(static_cast<std::size_t>(components_ * rows * columns * schedule.chains),
                    builder.constant({scalar_of(data_type), schedule.lanes}, 0)) {}

ir::Value& DotWriter::accumulator(int chain, int component, int row, int column) {
    return accumulators_[static_cast<std::size_t>(((chain * columns_ + column) * rows_ + row) * components_ +
                                                  component)];
}

void DotWriter::load_accumulators() {
    for (std::size_t at = 0; at < accumulators_.size(); ++at)
        accumulators_[at] = builder_.load(in_registers_, offset(at), {.lanes = schedule_.lanes});
}

void DotWriter::store_accumulators() {
    for (std::size_t at = 0; at < accumulators_.size(); ++at)
        builder_.store(in_registers_, offset(at), accumulators_[at], {.lanes = schedule_.lanes});
}

void DotWriter::multiply(const DotOperand& a, const DotOperand& b, Integer k_extent) {
    conjugates_a_ = a.conjugated;
    conjugates_b_ = b.conjugated;
    const Integer scalars = components_ * k_extent, vectors = scalars / schedule_.lanes;
    const int rest = static_cast<int>(scalars % schedule_.lanes), unroll = schedule_.unroll;
    used_chains_ =
        static_cast<int>(std::min<Integer>(schedule_.chains, ceil_divide(scalars, Integer{schedule_.lanes})));
    const Integer in_loop = vectors > unroll ? vectors / unroll * unroll : 0;
    if (in_loop > 0) {
        store_accumulators();
        builder_.for_loop("k", 0, in_loop, unroll, ir::For::Kind::serial, [&](const Affine& at) {
            load_accumulators();
            for (int step = 0; step < unroll; ++step)
                multiply_vector(a, b, at + step, step % schedule_.chains, schedule_.lanes);
            store_accumulators();
        });
        load_accumulators();
    }
    for (Integer at = in_loop; at < vectors; ++at)
        multiply_vector(a, b, at, static_cast<int>(at % schedule_.chains), schedule_.lanes);
    if (rest > 0) multiply_vector(a, b, vectors, static_cast<int>(vectors % schedule_.chains), rest);
}

ir::Value DotWriter::vector(const DotOperand& operand, int line, const Affine& at, int active) {
    return builder_.load(operand.buffer, operand.origin + operand.vector_stride * at + line * operand.stride,
                         {.lanes = schedule_.lanes, .active = operand.is_padded ? schedule_.lanes : active});
}

/// One vector along K of all rows and columns: those of the shorter side stay in registers.
void DotWriter::multiply_vector(const DotOperand& a, const DotOperand& b, const Affine& at, int chain,
                                int active) {
    std::vector<std::int8_t> neighbours;
    for (int lane = 0; lane < schedule_.lanes; ++lane)
        neighbours.push_back(static_cast<std::int8_t>(lane ^ 1));
    std::vector<Value> of_b, swapped_b;
    for (int column = 0; column < columns_; ++column) {
        of_b.push_back(vector(b, column, at, active));
        if (components_ == 2) swapped_b.push_back(builder_.shuffle(of_b.back(), of_b.back(), neighbours));
    }
    for (int row = 0; row < rows_; ++row) {
        const Value of_a = vector(a, row, at, active);
        for (int column = 0; column < columns_; ++column)
            for (int component = 0; component < components_; ++component) {
                Value& target = accumulator(chain, component, row, column);
                target = builder_.fma(
                    of_a, (component == 0 ? of_b : swapped_b)[static_cast<std::size_t>(column)], target);
            }
    }
}

/// Adds the accumulators of each element, in pairs.
void DotWriter::join_chains() {
    const int of_chain = components_ * rows_ * columns_;
    for (int distance = 1; distance < used_chains_; distance *= 2)
        for (int chain = 0; chain + distance < used_chains_; chain += 2 * distance)
            for (int at = 0; at < of_chain; ++at) {
                Value& target = accumulators_[static_cast<std::size_t>(chain * of_chain + at)];
                target = builder_.add(
                    target, accumulators_[static_cast<std::size_t>((chain + distance) * of_chain + at)]);
            }
}

/// Elements of C, at most as many as a vector has lanes.
Components DotWriter::sums(std::span<const std::array<int, 2>> elements) {
    Components result{ir::no_value, ir::no_value};
    for (int component = 0; component < components_; ++component) {
        std::vector<Value> vectors;
        for (const auto& [row, column] : elements) vectors.push_back(accumulator(0, component, row, column));
        LanePair pair = LanePair::sum;
        if (components_ == 2 && component == 0 && conjugates_a_ == conjugates_b_) pair = LanePair::difference;
        if (component == 1 && conjugates_a_ != conjugates_b_)
            pair = conjugates_a_ ? LanePair::difference : LanePair::reversed_difference;
        Value sum = lane_sums(builder_, vectors, pair);
        if (component == 1 && conjugates_a_ && conjugates_b_) sum = builder_.negate(sum);
        result[static_cast<std::size_t>(component)] = sum;
    }
    return result;
}

void DotWriter::update(const TileResult& c, Update update, bool is_contiguous) {
    join_chains();
    const int rows = is_contiguous ? rows_ * columns_ : rows_, columns = is_contiguous ? 1 : columns_;
    TileWriter writer(builder_, data_type_, schedule_.lanes, rows, columns, in_registers_);
    for (int column = 0; column < columns; ++column)
        for (int first = 0; first < rows; first += schedule_.lanes) {
            std::vector<std::array<int, 2>> elements;
            for (int at = first; at < std::min(rows, first + schedule_.lanes); ++at)
                elements.push_back({at % rows_, column + at / rows_});
            const Components sum = sums(elements);
            for (int component = 0; component < components_; ++component)
                writer.set_accumulator(component, first / schedule_.lanes, column,
                                       sum[static_cast<std::size_t>(component)]);
        }
    writer.update(c, update);
}

} // namespace swirl::gemm
