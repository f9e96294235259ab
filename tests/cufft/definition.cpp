#include "cufft/definition.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace swirl::cufft {
namespace {

template <class T> long double read(const std::byte* bytes, Integer at) {
    T value;
    std::memcpy(&value, bytes + at * static_cast<Integer>(sizeof value), sizeof value);
    if constexpr (sizeof(T) == 2)
        return static_cast<long double>(static_cast<float>(value));
    else
        return static_cast<long double>(value);
}
template <class T> void write(std::byte* bytes, Integer at, long double number) {
    T value;
    if constexpr (sizeof(T) == 2)
        value = T(static_cast<float>(number));
    else
        value = static_cast<T>(number);
    std::memcpy(bytes + at * static_cast<Integer>(sizeof value), &value, sizeof value);
}

/// Calls f with every index below the lengths.
template <class F> void for_each_index(const std::vector<Integer>& lengths, F&& f) {
    std::vector<Integer> index(lengths.size(), 0);
    for (;;) {
        f(index);
        std::size_t k = lengths.size();
        while (k > 0 && ++index[k - 1] == lengths[k - 1]) index[--k] = 0;
        if (k == 0) return;
    }
}

} // namespace

Data::Data(DataType of, bool complex, Integer elements)
    : precision(of),
      is_complex(complex),
      bytes(static_cast<std::size_t>(elements * bytes_of(of) * (complex ? 2 : 1))) {}

Value Data::get(Integer element) const {
    const auto real = [&](Integer at) {
        switch (precision) {
        case DataType::float16: return read<float16>(bytes.data(), at);
        case DataType::bfloat16: return read<bfloat16>(bytes.data(), at);
        case DataType::float32: return read<float>(bytes.data(), at);
        default: return read<double>(bytes.data(), at);
        }
    };
    return is_complex ? Value(real(2 * element), real(2 * element + 1)) : Value(real(element), 0);
}

void Data::set(Integer element, Value value) {
    const auto put = [&](Integer at, long double number) {
        switch (precision) {
        case DataType::float16: return write<float16>(bytes.data(), at, number);
        case DataType::bfloat16: return write<bfloat16>(bytes.data(), at, number);
        case DataType::float32: return write<float>(bytes.data(), at, number);
        default: return write<double>(bytes.data(), at, number);
        }
    };
    put(is_complex ? 2 * element : element, value.real());
    if (is_complex) put(2 * element + 1, value.imag());
}

Integer Indexing::at(int side, Integer transform, const std::vector<Integer>& index) const {
    Integer place = index[0];
    for (std::size_t k = 1; k < index.size(); ++k) place = place * embedding[side][k] + index[k];
    return transform * distance[side] + place * stride[side];
}

Integer Indexing::elements(int side, const std::vector<Integer>& lengths_stored) const {
    std::vector<Integer> last;
    for (const Integer n : lengths_stored) last.push_back(n - 1);
    return at(side, batch - 1, last) + 1;
}

std::vector<Integer> stored(const std::vector<Integer>& lengths, bool is_half) {
    std::vector<Integer> result = lengths;
    if (is_half) result.back() = result.back() / 2 + 1;
    return result;
}

long double error_of(const Kind& kind, const Indexing& indexing, int sign, const Data& input,
                     const Data& output) {
    const bool from_half = kind.sides == Kind::Sides::complex_to_real,
               to_half = kind.sides == Kind::Sides::real_to_complex;
    const Integer n_last = indexing.lengths.back();
    long double largest = 0, error = 0;
    for (Integer b = 0; b < indexing.batch; ++b) {
        // The whole input; of a half spectrum the other half is conjugate.
        const auto value_at = [&](std::vector<Integer> index) {
            if (!from_half || index.back() <= n_last / 2) {
                Value value = input.get(indexing.at(0, b, index));
                return value;
            }
            for (std::size_t k = 0; k < index.size(); ++k)
                index[k] = (indexing.lengths[k] - index[k]) % indexing.lengths[k];
            return std::conj(input.get(indexing.at(0, b, index)));
        };
        for_each_index(stored(indexing.lengths, to_half), [&](const std::vector<Integer>& k) {
            Value sum = 0;
            for_each_index(indexing.lengths, [&](const std::vector<Integer>& j) {
                long double turns = 0;
                for (std::size_t d = 0; d < j.size(); ++d)
                    turns += static_cast<long double>(j[d] * k[d] % indexing.lengths[d]) /
                             static_cast<long double>(indexing.lengths[d]);
                sum += value_at(j) * std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * turns);
            });
            if (from_half) sum = sum.real();
            largest = std::max(largest, std::abs(sum));
            error = std::max(error, std::abs(sum - output.get(indexing.at(1, b, k))));
        });
    }
    return largest == 0 ? error : error / largest;
}

} // namespace swirl::cufft
