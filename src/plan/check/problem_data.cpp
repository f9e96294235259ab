#include "plan/check/problem_data.hpp"

#include "ir/rounding.hpp"
#include "problem/data_type.hpp"
#include "problem/expression_at.hpp"

#include <swirl/half.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace swirl::planning {

namespace {

struct Bytes {
    Integer lowest, end;
};

Bytes bytes_of(const Transform& problem, Side side) {
    const Extent reach = extent(problem, side);
    const Integer element = element_bytes(problem, side);
    return {reach.lowest * element, (reach.highest + 1) * element};
}

template <class T> T rounded_to(double value) { return static_cast<T>(value); }
template <> float16 rounded_to(double value) {
    return float16(static_cast<float>(ir::round_to_float16(value)));
}
template <> bfloat16 rounded_to(double value) {
    return bfloat16(static_cast<float>(ir::round_to_bfloat16(value)));
}

double random_value(std::minstd_rand& generator) {
    constexpr double half_range = 1073741824; // 2^30: minstd_rand gives 1…2^31−2
    return static_cast<double>(generator()) / half_range - 1;
}

template <class T> void fill_random(std::span<T> values, std::minstd_rand& generator) {
    for (T& value : values) value = rounded_to<T>(random_value(generator));
}

/// Calls f with a value of the precision's type.
template <class F> auto with_type_of(DataType precision, F&& f) {
    switch (precision) {
    case DataType::float32: return f(float{});
    case DataType::float16: return f(float16{});
    case DataType::bfloat16: return f(bfloat16{});
    case DataType::float64: return f(double{});
    default: throw InternalError("a transform of {}", name_of(precision));
    }
}

/// Other libraries destroy half spectra of several dimensions even out of place.
bool writes_over_input(const Transform& problem) {
    return problem.placement == Placement::in_place ||
           (problem.kind == TransformKind::real_dft && problem.direction == Direction::backward);
}

} // namespace

int largest_exponent(DataType precision) {
    switch (precision) {
    case DataType::float16: return 15;
    case DataType::float32:
    case DataType::bfloat16: return 127;
    case DataType::float64: return 1023;
    default: throw InternalError("a transform of {}", name_of(precision));
    }
}

void for_each_index(const std::vector<Axis>& loops,
                    const std::function<void(const std::vector<Integer>&)>& f) {
    std::vector<Integer> indices(loops.size());
    for (bool more = true; more;) {
        f(indices);
        std::size_t k = loops.size();
        while (k > 0 && ++indices[k - 1] == loops[k - 1].length) indices[--k] = 0;
        more = k > 0;
    }
}

Integer offset_of(const std::vector<Axis>& loops, const std::vector<Integer>& indices) {
    Integer offset = 0;
    for (std::size_t k = 0; k < loops.size(); ++k) offset += indices[k] * loops[k].stride;
    return offset;
}

std::vector<ProblemArray> problem_arrays(const Transform& problem) {
    using Role = ProblemArray::Role;
    constexpr Integer alignment = 64;
    std::vector<ProblemArray> result;
    const auto add = [&](const Bytes& bytes, ProblemArray array) {
        array.before = ceil_divide(-bytes.lowest, alignment) * alignment;
        array.bytes = array.before + bytes.end;
        result.push_back(std::move(array));
    };
    const auto imaginary_of = [](ProblemArray array) {
        array.name = "imaginary " + array.name;
        array.is_imaginary = true;
        return array;
    };
    const bool in_place = problem.placement == Placement::in_place;
    for (const Side side : {Side::input, Side::output}) {
        if (in_place && side == Side::output) break;
        Bytes bytes = bytes_of(problem, side);
        if (in_place) {
            const Bytes other = bytes_of(problem, Side::output);
            bytes = {std::min(bytes.lowest, other.lowest), std::max(bytes.end, other.end)};
        }
        const Role role = in_place || side == Side::output ? Role::output : Role::input;
        const ProblemArray array{.name = role == Role::output ? "output" : "input",
                                 .precision = stored_precision(problem, side),
                                 .role = role};
        add(bytes, array);
        if (problem.layout == ComplexLayout::planar && is_complex(problem, side))
            add(bytes, imaginary_of(array));
    }
    for (const AuxiliaryArray& array : arrays_of(problem)) {
        const bool planar = array.is_complex && problem.layout == ComplexLayout::planar;
        const Integer components = array.is_complex && !planar ? 2 : 1;
        const Bytes bytes{0, components * array.elements * bytes_of(array.precision)};
        const ProblemArray one{
            .name = "array " + array.name, .precision = array.precision, .role = Role::auxiliary};
        add(bytes, one);
        if (planar) add(bytes, imaginary_of(one));
    }
    return result;
}

ProblemArguments::ProblemArguments(const std::vector<ProblemArray>& arrays, const std::vector<void*>& at) {
    using Role = ProblemArray::Role;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
        const ProblemArray& array = arrays[k];
        switch (array.role) {
        case Role::input: (array.is_imaginary ? arguments_.input_imaginary : arguments_.input) = at[k]; break;
        case Role::output:
            (array.is_imaginary ? arguments_.output_imaginary : arguments_.output) = at[k];
            break;
        case Role::auxiliary:
            if (array.is_imaginary)
                auxiliary_.back().imaginary = at[k];
            else
                auxiliary_.push_back({.data = at[k]});
            break;
        }
    }
    if (arguments_.input == nullptr) { // in place
        arguments_.input = arguments_.output;
        arguments_.input_imaginary = arguments_.output_imaginary;
    }
}

Arguments ProblemArguments::get() const {
    Arguments result = arguments_;
    result.arrays = auxiliary_;
    return result;
}

ProblemData::ProblemData(const Transform& problem)
    : problem_(problem), contents_(problem_arrays(problem)), arrays_(arrays_of(problem)) {
    std::vector<void*> at;
    for (const ProblemArray& array : contents_) {
        buffers_.emplace_back(static_cast<std::size_t>(array.bytes));
        at.push_back(buffers_.back().as<std::byte>() + array.before);
    }
    given_ = ProblemArguments(contents_, at);
    const auto byte = [](const void* pointer) { return static_cast<std::byte*>(const_cast<void*>(pointer)); };
    const Arguments all = given_.get();
    addresses(Side::input) = {byte(all.input), byte(all.input_imaginary)};
    addresses(Side::output) = {byte(all.output), byte(all.output_imaginary)};
}

Integer ProblemData::bytes_for(const Transform& problem) {
    Integer result = 0;
    for (const ProblemArray& array : problem_arrays(problem))
        result +=
            array.bytes + 2 * static_cast<Integer>(redzone_bytes(static_cast<std::size_t>(array.bytes)));
    return result;
}

Arguments ProblemData::arguments() const { return given_.get(); }

void ProblemData::clear() {
    for (GuardedBuffer& buffer : buffers_) buffer.clear();
}

Integer ProblemData::component_stride(Side side) const {
    return is_complex(problem_, side) && addresses(side).imaginary == nullptr ? 2 : 1;
}

ProblemData::ElementAddress ProblemData::components(Side side, Integer offset) const {
    const ElementAddress& from = addresses(side);
    const Integer scalar = bytes_of(stored_precision(problem_, side)), at = offset * scalar;
    if (!is_complex(problem_, side)) return {from.real + at, nullptr};
    if (from.imaginary != nullptr) return {from.real + at, from.imaginary + at};
    return {from.real + 2 * at, from.real + 2 * at + scalar};
}

ProblemData::ElementAddress ProblemData::auxiliary_components(std::size_t array, Integer index) const {
    const Integer scalar = bytes_of(arrays_[array].precision), at = index * scalar;
    const auto byte = [](const void* pointer) { return static_cast<std::byte*>(const_cast<void*>(pointer)); };
    std::byte* const real = byte(given_.auxiliary()[array].data);
    if (!arrays_[array].is_complex) return {real + at, nullptr};
    if (given_.auxiliary()[array].imaginary != nullptr)
        return {real + at, byte(given_.auxiliary()[array].imaginary) + at};
    return {real + 2 * at, real + 2 * at + scalar};
}

std::complex<double> ProblemData::read(const ElementAddress& element, DataType precision) const {
    const auto component = [&](const std::byte* address) -> double {
        if (address == nullptr) return 0;
        return with_type_of(precision, [&]<class T>(T) -> double {
            return static_cast<double>(*reinterpret_cast<const T*>(address));
        });
    };
    return {component(element.real), component(element.imaginary)};
}

void ProblemData::write(const ElementAddress& element, DataType precision, std::complex<double> value) {
    const auto write = [&](std::byte* address, double component) {
        if (address == nullptr) return;
        with_type_of(precision,
                     [&]<class T>(T) { *reinterpret_cast<T*>(address) = rounded_to<T>(component); });
    };
    write(element.real, value.real());
    write(element.imaginary, value.imag());
}

std::complex<double> ProblemData::get(Side side, Integer offset) const {
    return read(components(side, offset), stored_precision(problem_, side));
}
void ProblemData::get(Side side, Integer offset, Integer stride,
                      std::span<std::complex<double>> values) const {
    const ElementAddress first = components(side, offset);
    const Integer increment = stride * component_stride(side);
    with_type_of(stored_precision(problem_, side), [&]<class T>(T) {
        const T* re = reinterpret_cast<const T*>(first.real);
        const T* im = reinterpret_cast<const T*>(first.imaginary);
        Integer at = 0;
        for (std::complex<double>& value : values) {
            value = {static_cast<double>(re[at]), im != nullptr ? static_cast<double>(im[at]) : 0};
            at += increment;
        }
    });
}
void ProblemData::set(Side side, Integer offset, std::complex<double> value) {
    write(components(side, offset), stored_precision(problem_, side), value);
}
std::complex<double> ProblemData::get_auxiliary(std::size_t array, Integer index) const {
    return read(auxiliary_components(array, index), arrays_[array].precision);
}
void ProblemData::set_auxiliary(std::size_t array, Integer index, std::complex<double> value) {
    write(auxiliary_components(array, index), arrays_[array].precision, value);
}

void ProblemData::fill(std::uint32_t seed) {
    std::minstd_rand generator(seed);
    for (std::size_t k = 0; k < buffers_.size(); ++k)
        with_type_of(contents_[k].precision,
                     [&]<class T>(T) { fill_random(buffers_[k].span_of<T>(), generator); });
}

template <class F> void ProblemData::for_each_range(Side side, F&& f) const {
    std::vector<Axis> loops = axes(problem_, side);
    if (!expression_of(problem_, side).is_identity()) {
        const ExpressionAt expression(problem_, side, [this](std::size_t array, Integer element) {
            return get_auxiliary(array, element);
        });
        // Neighbours along the last axis that are touched are one range.
        const Axis last = loops.back();
        Axis range{0, last.stride};
        Integer first = 0;
        for_each_index(loops, [&](const std::vector<Integer>& indices) {
            const bool is_touched = expression.touches(indices);
            if (is_touched && range.length++ == 0) first = offset_of(loops, indices);
            if (range.length > 0 && (!is_touched || indices.back() + 1 == last.length)) {
                f(first, range);
                range.length = 0;
            }
        });
        return;
    }
    const Axis range = loops.back();
    loops.pop_back();
    for_each_index(loops, [&](const std::vector<Integer>& indices) { f(offset_of(loops, indices), range); });
}

void ProblemData::fill_input(std::uint32_t seed, double amplitude) {
    clear();
    std::minstd_rand generator(seed);
    for (std::size_t k = 0; k < buffers_.size(); ++k)
        if (contents_[k].role ==
            ProblemArray::Role::auxiliary) // first, because conditions on the input may read them
            with_type_of(contents_[k].precision,
                         [&]<class T>(T) { fill_random(buffers_[k].span_of<T>(), generator); });
    const Integer stride = component_stride(Side::input);
    for_each_range(Side::input, [&](Integer offset, const Axis& range) {
        const ElementAddress first = components(Side::input, offset);
        for (std::byte* const address : {first.real, first.imaginary}) {
            if (address == nullptr) continue;
            with_type_of(stored_precision(problem_, Side::input), [&]<class T>(T) {
                T* const values = reinterpret_cast<T*>(address);
                for (Integer k = 0; k < range.length; ++k)
                    values[k * range.stride * stride] = rounded_to<T>(amplitude * random_value(generator));
            });
        }
    });
}

void ProblemData::erase(Side side) {
    const Integer bytes = bytes_of(stored_precision(problem_, side));
    for_each_range(side, [&](Integer offset, const Axis& range) {
        const ElementAddress first = components(side, offset);
        const Integer stride = range.stride * component_stride(side) * bytes;
        for (std::byte* const at : {first.real, first.imaginary}) {
            if (at == nullptr) continue;
            if (stride == bytes)
                std::fill_n(at, range.length * bytes, poison);
            else
                for (Integer k = 0; k < range.length; ++k) std::fill_n(at + k * stride, bytes, poison);
        }
    });
}

void ProblemData::save() {
    saved_.clear();
    for (const GuardedBuffer& buffer : buffers_) {
        const auto bytes = buffer.span_of<std::byte>();
        saved_.emplace_back(bytes.begin(), bytes.end());
    }
}

void ProblemData::restore() {
    for (std::size_t i = 0; i < saved_.size(); ++i)
        std::copy(saved_[i].begin(), saved_[i].end(), buffers_[i].as<std::byte>());
}

runtime::TimedWork ProblemData::timed(std::function<void()> run) {
    if (!writes_over_input(problem_)) return {std::move(run), {}, 0};
    const double growth =
        std::fabs(problem_.scale) * std::sqrt(static_cast<double>(transform_size(problem_)));
    return {std::move(run), [this] { restore(); },
            runtime::applications_before_overflow(growth, largest_exponent(problem_.precision))};
}

} // namespace swirl::planning
