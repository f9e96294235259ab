#include "fuzz/draw_product.hpp"
#include "fuzz/reduced.hpp"
#include "fuzz/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace swirl::fuzz {
namespace {

struct DataTypes {
    DataType accumulators, a, b, c;
};

DataType any_byte(Random& random) { return random.one_of({DataType::int8, DataType::uint8}); }
DataType any_low_precision(Random& random) {
    return random.one_of({DataType::float32, DataType::bfloat16, DataType::float16, DataType::int8,
                          DataType::uint8, DataType::unorm8, DataType::snorm8, DataType::unorm16,
                          DataType::snorm16});
}
/// What sums of float32 are stored as.
DataType any_stored(Random& random) {
    return random.one_of({DataType::float32, DataType::float32, DataType::float32, DataType::bfloat16,
                          DataType::float16, DataType::int8, DataType::uint8, DataType::unorm8,
                          DataType::snorm8, DataType::unorm16, DataType::snorm16});
}

DataTypes draw_data_types(Random& random, bool on_gpu) {
    using enum DataType;
    const Integer choice = random.integer(0, on_gpu ? 9 : 7);
    if (on_gpu && (choice == 5 || choice == 6)) // sums of bytes are float32 there
        return {float32, any_byte(random), any_byte(random), any_stored(random)};
    switch (choice) {
    case 0: return {float32, float32, float32, any_stored(random)};
    case 1: return {float64, float64, float64, float64};
    case 2: {
        const DataType data_type = random.one_of({complex64, complex128});
        return {data_type, data_type, data_type, data_type};
    }
    case 3: return {float32, bfloat16, bfloat16, random.one_of({float32, bfloat16})};
    case 4: return {float32, float16, float16, random.one_of({float32, float16})};
    case 5: return {int32, any_byte(random), any_byte(random), int32};
    case 6:
        return {int32, any_byte(random), any_byte(random),
                random.one_of({int32, float32, bfloat16, float16, int8, uint8})};
    case 8: return {float32, float8_e4m3, float8_e4m3, random.one_of({float32, bfloat16, float16, int8})};
    case 9: return {float32, any_low_precision(random), any_low_precision(random), any_stored(random)};
    default: return {float32, float32, float32, float32};
    }
}

struct MatrixLoop {
    Integer length;
    Integer* stride;
};

/// Strides without overlap: mostly contiguous rows or columns, some padded, some arbitrary.
void lay_out(Random& random, MatrixLayout& layout, Integer rows, Integer columns, Integer batch) {
    std::vector<MatrixLoop> loops{{batch, &layout.batch_stride}};
    loops.push_back({rows, &layout.row_stride});
    loops.push_back({columns, &layout.column_stride});
    if (random.chance(50)) std::swap(loops[1], loops[2]);
    const bool is_odd = random.chance(20);
    if (is_odd) random.shuffle(loops);
    const Integer least_gap = random.one_of({1, 1, 4, 8, 16});
    Integer stride = is_odd ? random.one_of({1, 1, 2, 3}) : 1;
    for (std::size_t k = loops.size(); k-- > 0;) {
        *loops[k].stride = is_odd && random.chance(30) ? -stride : stride;
        stride *= std::max<Integer>(loops[k].length, 1);
        if (random.chance(30)) stride += random.integer(1, 9);
        stride = (stride + least_gap - 1) / least_gap * least_gap;
    }
}

Integer span_of(const MatrixLayout& layout, Integer rows, Integer columns, Integer batch) {
    return std::abs(layout.row_stride) * rows + std::abs(layout.column_stride) * columns +
           std::abs(layout.batch_stride) * batch;
}

Integer draw_extent(Random& random, Integer most) {
    most = std::max<Integer>(most, 1);
    switch (random.integer(0, 9)) {
    case 0: return random.chance(40) ? 0 : 1;
    case 1:
    case 2: return std::min(most, random.integer(1, 40) * 8);
    case 3: return std::min<Integer>(most, random.one_of({32, 64, 96, 128, 192, 256, 384, 512}));
    default: return random.logarithmic(1, most);
    }
}

/// Tensor cores multiply E4M3 along rows of A and columns of B, moved in 16 bytes.
void lay_out_e4m3(MatrixProduct& product) {
    constexpr Integer chunk = 16;
    const auto padded = [](Integer length) {
        return (std::max<Integer>(length, 1) + chunk - 1) / chunk * chunk;
    };
    product.a = {padded(product.k), 1, false, padded(product.k) * product.rows};
    product.b = {1, padded(product.k), false, padded(product.k) * product.columns};
    product.c = {1, padded(product.rows), false, padded(product.rows) * product.columns};
}

/// Whether lists of pointers may say where a GPU finds the product's matrices, by execute_each(): α has to be what sums of A's
/// numbers are.
bool may_be_listed(const MatrixProduct& product) {
    const DataType a = product.type_of_a();
    return a != DataType::int8 && a != DataType::uint8;
}

} // namespace

MatrixProduct draw_product(Random& random, bool on_gpu, Integer elements) {
    const DataTypes data_types = draw_data_types(random, on_gpu);
    MatrixProduct product;
    product.data_type = data_types.accumulators;
    if (data_types.a != data_types.accumulators || data_types.b != data_types.accumulators) {
        product.a_type = data_types.a;
        product.b_type = data_types.b;
    }
    if (data_types.c != data_types.accumulators) product.c_type = data_types.c;

    const auto side = static_cast<Integer>(std::sqrt(static_cast<double>(elements)));
    const Integer most = random.chance(60) ? std::min<Integer>(side, 200) : side;
    std::vector<Integer> extents{draw_extent(random, most), draw_extent(random, most),
                                 draw_extent(random, random.chance(10) ? 8 * most : most)};
    const Integer greatest =
        std::max<Integer>({extents[0] * extents[1], extents[0] * extents[2], extents[1] * extents[2], 1});
    if (greatest > elements)
        for (Integer& extent : extents) extent = std::min(extent, side);
    product.rows = extents[0];
    product.columns = extents[1];
    product.k = extents[2];
    const Integer max_batch = std::max<Integer>(elements / std::min(greatest, elements), 1);
    if (random.chance(40)) product.batch = random.logarithmic(1, std::min<Integer>(max_batch, 40));

    const auto draw_layout = [&](MatrixLayout& layout, Integer rows, Integer columns, bool is_result) {
        lay_out(random, layout, rows, columns, product.batch);
        if (span_of(layout, rows, columns, product.batch) > 4 * elements)
            layout = {columns, 1, false, rows * columns};
        if (is_result) return;
        if (random.chance(10)) layout.batch_stride = 0; // one for the whole batch
        if (random.chance(3)) layout.row_stride = 0;    // one row again and again
        if (random.chance(3)) layout.column_stride = 0;
        if (is_complex(product.data_type)) layout.conjugated = random.chance(30);
    };
    draw_layout(product.a, product.rows, product.k, false);
    draw_layout(product.b, product.k, product.columns, false);
    draw_layout(product.c, product.rows, product.columns, true);
    if (data_types.a == DataType::float8_e4m3 && random.chance(60)) lay_out_e4m3(product);
    return product;
}

ProductCase draw_product_case(Random& random, bool on_gpu, Integer elements, Journal& journal,
                              const char* what) {
    MatrixProduct product = draw_product(random, on_gpu, elements);
    const Factors factors = draw_factors(product, random);
    Epilogue epilogue(product, random);
    draw_reduction(product, random);
    const bool by_lists = on_gpu && may_be_listed(product) && random.chance(15);
    journal.doing(fmt::format("{}{}{}", what, in_words(product, factors), by_lists ? " by lists" : ""));
    validate(product); // what is drawn is valid
    return {std::move(product), factors, std::move(epilogue), by_lists};
}

} // namespace swirl::fuzz
