#include "cufft/request.hpp"

#include "problem/problem.hpp"

#include <limits>

namespace swirl::cufft {
namespace {

/// As in cuFFT.
constexpr int most_dimensions_of_plan = 3;

Integer product(Integer a, Integer b) {
    Integer result = 0;
    require(!__builtin_mul_overflow(a, b, &result), Status::invalid_size);
    return result;
}

struct Elements {
    bool is_complex;
    DataType precision;
};
Elements elements_of(ElementType type) {
    switch (type) {
    case ElementType::real_float16: return {false, DataType::float16};
    case ElementType::complex_float16: return {true, DataType::float16};
    case ElementType::real_bfloat16: return {false, DataType::bfloat16};
    case ElementType::complex_bfloat16: return {true, DataType::bfloat16};
    case ElementType::real_float32: return {false, DataType::float32};
    case ElementType::complex_float32: return {true, DataType::float32};
    case ElementType::real_float64: return {false, DataType::float64};
    case ElementType::complex_float64: return {true, DataType::float64};
    }
    throw Refusal(Status::invalid_type);
}

template <class Int> SideLayout layout_of(int rank, const SideArguments<Int>& side) {
    SideLayout layout{{}, Integer{side.stride}, Integer{side.distance}};
    for (int k = 0; k < rank; ++k) layout.embedding.push_back(Integer{side.embedding[k]});
    require(layout.stride >= 1 && layout.distance >= 0, Status::invalid_value);
    for (int k = 1; k < rank; ++k) require(side.embedding[k] >= 1, Status::invalid_value);
    return layout;
}

/// The default layout: `stored` elements in each row.
SideLayout contiguous(const Request& request, Integer stored) {
    SideLayout layout{request.lengths, 1, stored};
    layout.embedding.back() = stored;
    for (std::size_t k = 0; k + 1 < request.lengths.size(); ++k)
        layout.distance = product(layout.distance, request.lengths[k]);
    return layout;
}

Request::Layout default_layout(const Request& request, Placement placement) {
    const Integer n = request.lengths.back(), half = n / 2 + 1;
    if (request.kind.sides == Kind::Sides::complex) return {contiguous(request, n), contiguous(request, n)};
    const SideLayout spectra = contiguous(request, half),
                     reals = contiguous(request, placement == Placement::in_place ? 2 * half : n);
    if (request.kind.sides == Kind::Sides::real_to_complex) return {reals, spectra};
    return {spectra, reals};
}

} // namespace

Kind kind_of(Type type) {
    using Sides = Kind::Sides;
    switch (type) {
    case Type::c2c: return {Sides::complex, DataType::float32};
    case Type::r2c: return {Sides::real_to_complex, DataType::float32};
    case Type::c2r: return {Sides::complex_to_real, DataType::float32};
    case Type::z2z: return {Sides::complex, DataType::float64};
    case Type::d2z: return {Sides::real_to_complex, DataType::float64};
    case Type::z2d: return {Sides::complex_to_real, DataType::float64};
    }
    throw Refusal(Status::invalid_type);
}

Kind kind_of(ElementType input, ElementType output, ElementType arithmetic) {
    const Elements in = elements_of(input), out = elements_of(output), values = elements_of(arithmetic);
    require(in.precision == out.precision && in.precision == values.precision, Status::invalid_type);
    require(in.is_complex || out.is_complex, Status::invalid_type);
    if (!in.is_complex) return {Kind::Sides::real_to_complex, in.precision};
    return {out.is_complex ? Kind::Sides::complex : Kind::Sides::complex_to_real, in.precision};
}

template <class Int>
Request request(Kind kind, int rank, const Int* lengths, const SideArguments<Int>& input,
                const SideArguments<Int>& output, Int batch) {
    require(rank >= 1 && rank <= most_dimensions_of_plan && lengths != nullptr, Status::invalid_value);
    Request result{kind, {}, Integer{batch}, {}};
    for (int k = 0; k < rank; ++k) {
        require(lengths[k] >= 1, Status::invalid_size);
        result.lengths.push_back(Integer{lengths[k]});
    }
    require(batch >= 1, Status::invalid_size);
    if (input.embedding != nullptr && output.embedding != nullptr)
        result.layout = {layout_of(rank, input), layout_of(rank, output)};
    return result;
}
template Request request(Kind, int, const int*, const SideArguments<int>&, const SideArguments<int>&, int);
template Request request(Kind, int, const Long*, const SideArguments<Long>&, const SideArguments<Long>&,
                         Long);

std::vector<Direction> directions_of(Kind kind) {
    switch (kind.sides) {
    case Kind::Sides::complex: return {Direction::forward, Direction::backward};
    case Kind::Sides::real_to_complex: return {Direction::forward};
    case Kind::Sides::complex_to_real: return {Direction::backward};
    }
    return {};
}

Transform transform_of(const Request& request, Direction direction, Placement placement) {
    const Request::Layout layout = request.layout.value_or(default_layout(request, placement));
    Transform transform{
        .kind = request.kind.sides == Kind::Sides::complex ? TransformKind::dft : TransformKind::real_dft,
        .dimensions = {},
        .batches = {},
        .precision = request.kind.precision,
        .placement = placement,
        .direction = direction};
    const std::size_t rank = request.lengths.size();
    transform.dimensions.resize(rank);
    Integer input_stride = layout.input.stride, output_stride = layout.output.stride;
    for (std::size_t k = rank; k-- > 0;) {
        transform.dimensions[k] = {request.lengths[k], input_stride, output_stride};
        if (k == 0) break;
        input_stride = product(input_stride, layout.input.embedding[k]);
        output_stride = product(output_stride, layout.output.embedding[k]);
    }
    if (request.batch > 1)
        transform.batches = {{request.batch, layout.input.distance, layout.output.distance}};
    validate(transform);
    return transform;
}

} // namespace swirl::cufft
