#include "bench/gpu_products/operands.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace swirl::bench {
namespace {

using peers::GpuArithmetic;
using peers::GpuMatrixCall;

constexpr Integer begin_of_b = 999983; ///< start of B's elements in the pattern, so that they differ from A's

Integer count_a(const GpuMatrixCall& call) { return call.rows * call.depth; }
Integer count_b(const GpuMatrixCall& call) { return call.depth * call.columns; }
Integer count_c(const GpuMatrixCall& call) { return call.rows * call.columns; }

std::size_t bytes_of(const GpuMatrixCall& call, Integer count, const StoredType& number) {
    return static_cast<std::size_t>(count * call.batch) * number.bytes;
}

} // namespace

const StoredType& stored_operand(const GpuMatrixCall& call) {
    switch (call.arithmetic) {
    case GpuArithmetic::float64: return stored(DataType::float64);
    case GpuArithmetic::bfloat16: return stored(DataType::bfloat16);
    case GpuArithmetic::float16: return stored(DataType::float16);
    case GpuArithmetic::e4m3: return stored_e4m3();
    case GpuArithmetic::float32:
    case GpuArithmetic::float32_tensors:
    case GpuArithmetic::tf32: break;
    }
    return stored(DataType::float32);
}

const StoredType& stored_result(const GpuMatrixCall& call) {
    return stored(call.arithmetic == GpuArithmetic::float64 ? DataType::float64 : DataType::float32);
}

Integer reach_of(const GpuMatrixCall& call) {
    return std::max(call.batch * count_a(call), begin_of_b + call.batch * count_b(call));
}

std::vector<ResultIndex> results_to_compare(const GpuMatrixCall& call) {
    constexpr Integer wanted = 250;
    std::vector<ResultIndex> chosen;
    if (count_c(call) * call.batch <= wanted) {
        for (Integer at = 0; at < count_c(call) * call.batch; ++at)
            chosen.push_back({at % call.rows, at / call.rows % call.columns, at / count_c(call)});
        return chosen;
    }
    for (const Integer batch : {Integer{0}, call.batch - 1})
        for (const Integer row : {Integer{0}, call.rows - 1})
            for (const Integer column : {Integer{0}, call.columns - 1})
                chosen.push_back({row, column, batch});
    std::mt19937_64 random(1);
    const auto below = [&](Integer end) {
        return static_cast<Integer>(random() % static_cast<std::uint64_t>(end));
    };
    while (static_cast<Integer>(chosen.size()) < wanted) {
        const Integer row = below(call.rows), column = below(call.columns);
        chosen.push_back({row, column, below(call.batch)});
    }
    return chosen;
}

ExactResult exact_result(const GpuMatrixCall& call, const RandomNumbers& numbers, const ResultIndex& at) {
    const Integer a = at.batch * count_a(call) + at.row * (call.transposed_a ? call.depth : 1);
    const Integer b =
        begin_of_b + at.batch * count_b(call) + at.column * (call.transposed_b ? 1 : call.depth);
    const Integer step_a = call.transposed_a ? 1 : call.rows, step_b = call.transposed_b ? call.columns : 1;
    ExactResult result{0, 0};
    for (Integer k = 0; k < call.depth; ++k) {
        const long double product = numbers[a + k * step_a] * numbers[b + k * step_b];
        result.value += product;
        result.magnitude += std::abs(product);
    }
    return result;
}

Operands::Operands(const runtime::GpuStream& stream, const GpuMatrixCall& call, std::size_t sets)
    : stream_(stream), call_(call) {
    const StoredType &operand = stored_operand(call), &result = stored_result(call);
    for (std::size_t k = 0; k < sets; ++k)
        sets_.push_back({{stream.device(), bytes_of(call, count_a(call), operand)},
                         {stream.device(), bytes_of(call, count_b(call), operand)},
                         {stream.device(), bytes_of(call, count_c(call), result)}});
}

void Operands::fill(const RandomPattern& pattern) const {
    for (const Set& set : sets_) {
        pattern.fill(stream_, set.a.address(), set.a.bytes());
        pattern.fill(stream_, set.b.address(), set.b.bytes(), begin_of_b);
        fill_on_gpu(stream_, set.c.address(), 0xff, set.c.bytes());
    }
    stream_.synchronize();
}

std::vector<double> Operands::results(const std::vector<ResultIndex>& indices) const {
    const StoredType& number = stored_result(call_);
    std::vector<double> found;
    std::vector<std::byte> bytes(number.bytes);
    for (const ResultIndex& at : indices) {
        const Integer element = at.batch * count_c(call_) + at.column * call_.rows + at.row;
        copy_from_gpu(stream_.device(), bytes.data(),
                      sets_[0].c.address() + static_cast<std::size_t>(element) * number.bytes, bytes.size());
        found.push_back(number.read(bytes.data()));
    }
    return found;
}

std::vector<std::byte> Operands::all_results() const {
    std::vector<std::byte> bytes(sets_[0].c.bytes());
    copy_from_gpu(stream_.device(), bytes.data(), sets_[0].c.address(), bytes.size());
    return bytes;
}

Operands::Pointers Operands::pointers(std::size_t execution) const {
    const Set& set = sets_[execution % sets_.size()];
    return {reinterpret_cast<const void*>(set.a.address()), reinterpret_cast<const void*>(set.b.address()),
            reinterpret_cast<void*>(set.c.address())};
}

} // namespace swirl::bench
