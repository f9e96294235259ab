#include "emit/sample_programs.hpp"

#include <numeric>

namespace swirl::emit {
namespace {

using ir::Access;
using ir::Builder;
using ir::Type;
using ir::Value;

ir::BufferInfo buffer(std::string name, DataType element, ir::Space space, Integer elements, Integer first) {
    ir::BufferInfo info;
    info.name = std::move(name);
    if (space == ir::Space::argument) info.role.argument = ir::ArgumentRole::data;
    info.element = element;
    info.space = space;
    info.elements = elements;
    info.first = first;
    info.written = true;
    return info;
}

/// Every scalar operation, of one precision.
ir::Program scalar_operations(DataType scalar) {
    Builder b(scalar == DataType::float32 ? "scalar_float" : "scalar_double");
    const auto in = b.input("in", scalar, 48);
    const auto out = b.output("out", scalar, 16 * 18);
    b.for_loop("i", 16, [&](const Affine& i) {
        const Value x = b.load(in, 3 * i);
        const Value y = b.load(in, 3 * i + 1);
        const Value z = b.load(in, 3 * i + 2);
        const Value third = b.constant({scalar, 1}, -1.0L / 3);
        const Value condition = b.less(x, y);
        const Value results[] = {b.add(x, y),
                                 b.subtract(y, z),
                                 b.multiply(x, third),
                                 b.negate(z),
                                 b.fma(x, y, z),
                                 b.fms(x, third, z),
                                 b.fnma(x, y, z),
                                 b.select(condition, z, third),
                                 b.select(b.less(third, z), x, y),
                                 b.convert(condition, scalar),
                                 b.convert(b.convert(x, DataType::float32), scalar),
                                 b.convert(b.index(2 * i - 7), scalar),
                                 b.divide(x, b.fma(y, y, b.constant({scalar, 1}, 1))),
                                 b.divide(third, z),
                                 b.square_root(b.magnitude(y)),
                                 b.magnitude(b.negate(x)),
                                 b.power_of_two(b.convert(b.index(2 * i - 7), scalar)),
                                 b.power_of_two(b.convert(b.index(-3 * i), scalar))};
        Integer k = 0;
        for (const Value result : results) b.store(out, 18 * i + k++, result);
    });
    return b.finish();
}

/// Bounds from a parameter, inductions, negative indices, conditions with both branches, unused things.
ir::Program control_flow() {
    Builder b("control flow");
    const auto in = b.add(buffer("for", DataType::float64, ir::Space::argument, 64, -31));
    const auto out = b.output("out", DataType::float64, 512);
    b.input("never_used", DataType::float32, 4);
    const Affine n = b.parameter("int");
    const Affine unused = b.parameter("unused");
    const Affine offset = b.parameter("offset");
    const auto f64 = Type{DataType::float64, 1};
    b.for_loop("v1", 0, n, 2, ir::For::Kind::serial, [&](const Affine& i) {
        const Affine down = b.induction("down", 32, -3);
        b.induction("idle", 0, 1);
        b.for_loop("for", 1, i + 2, 1, ir::For::Kind::parallel, [&](const Affine& j) {
            const Affine at = b.induction("at", 32 * i, 1);
            const Value x = b.load(in, j - i);
            b.load(in, j);
            using Relation = ir::Condition::Relation;
            b.if_then(
                {{j - i, Relation::negative}, {offset - 3, Relation::zero}},
                [&] { b.store(out, at, b.add(x, b.load(in, down))); },
                [&] {
                    b.if_then({{j - 3, Relation::nonnegative}}, [&] { b.store(out, at, b.negate(x)); });
                });
        });
    });
    b.if_then({}, [&] { b.store(out, 511, b.constant(f64, 7)); });
    return b.finish();
}

/// Arithmetic on vectors, and every way to reach memory with them.
ir::Program vectors(DataType scalar, int lanes) {
    Builder b((scalar == DataType::float32 ? "float_x" : "double_x") + std::to_string(lanes));
    const Integer width = lanes;
    const auto in = b.input("in", scalar, 16 * width);
    const auto out = b.output("out", scalar, 64 * width);
    std::vector<std::int8_t> reversal(static_cast<std::size_t>(lanes));
    std::iota(reversal.rbegin(), reversal.rend(), static_cast<std::int8_t>(0));
    const int most = lanes - 1;
    b.for_loop("i", 2, [&](const Affine& i) {
        const Value x = b.load(in, 3 * i + 1, {.lanes = lanes});
        const Value y = b.load(in, i, {.lanes = lanes, .lane_stride = 3});
        const Value z = b.load(in, 2 * width - i, {.lanes = lanes, .active = most});
        const Value w = b.load(in, 9 * width, {.lanes = lanes, .lane_stride = -2, .active = most});
        const Value same = b.load(in, 5 * i, {.lanes = lanes, .lane_stride = 0});
        const Value s = b.splat(b.load(in, i), lanes);
        const Value half = b.constant({scalar, lanes}, 0.5L);
        const Value condition = b.less(x, y);
        const Value other = scalar == DataType::float32 ? Value{b.convert(y, DataType::float64)}
                                                        : b.convert(y, DataType::float32);
        const Value one_other = b.splat(b.constant({b.type(other).scalar, 1}, -0.25L), lanes);
        const Value results[] = {b.add(x, y),
                                 b.subtract(z, w),
                                 b.multiply(same, s),
                                 b.negate(b.multiply(w, half)),
                                 b.fma(x, y, z),
                                 b.fms(x, y, w),
                                 b.fnma(s, y, z),
                                 b.select(condition, x, same),
                                 b.convert(condition, scalar),
                                 b.convert(b.select(condition, other, one_other), scalar),
                                 b.convert(b.convert(x, DataType::int64), scalar),
                                 b.shuffle(x, y, reversal),
                                 b.splat(b.constant({scalar, 1}, 1e-7L), lanes)};
        Integer k = 0;
        for (const Value result : results) b.store(out, 32 * width * i + width * k++, result);
        b.store(out, 32 * width * i + 14 * width, x, {.active = most});
        b.store(out, 32 * width * i + 16 * width, y, {.lane_stride = 3});
        b.store(out, 32 * width * i + 22 * width, z, {.lane_stride = -2, .active = most});
    });
    return b.finish();
}

/// Division, roots, magnitudes and powers of two of vectors.
ir::Program functions(DataType scalar, int lanes) {
    Builder b((scalar == DataType::float32 ? "functions_of_float_x" : "functions_of_double_x") +
              std::to_string(lanes));
    const auto in = b.input("in", scalar, 4 * lanes);
    const auto out = b.output("out", scalar, 10 * lanes);
    b.for_loop("i", 2, [&](const Affine& i) {
        const Value x = b.load(in, i, {.lanes = lanes}), y = b.load(in, 2 * lanes + i, {.lanes = lanes});
        const Value n = b.splat(b.convert(b.index(5 * i - 3), scalar), lanes);
        const Value results[] = {b.divide(x, b.fma(y, y, b.constant({scalar, lanes}, 1))),
                                 b.square_root(b.magnitude(x)), b.magnitude(y), b.power_of_two(n),
                                 b.multiply(x, b.power_of_two(b.negate(n)))};
        Integer k = 0;
        for (const Value result : results) b.store(out, 5 * lanes * i + lanes * k++, result);
    });
    return b.finish();
}

/// Lanes in any order, between vectors of different lengths and scalars.
ir::Program shuffles() {
    Builder b("shuffles");
    const auto in = b.input("in", DataType::float64, 16);
    const auto out = b.output("out", DataType::float64, 64);
    const Value a = b.load(in, 0, {.lanes = 4});
    const Value c = b.load(in, 4, {.lanes = 4});
    b.store(out, 0, b.shuffle(a, c, {0, 4, 1, 5}));
    b.store(out, 4, b.shuffle(a, c, {7, 7, 0, 3}));
    b.store(out, 8, b.shuffle(a, c, {0, 1, 2, 3, 4, 5, 6, 7}));
    b.store(out, 16, b.shuffle(a, c, {3, 6}));
    const Value lane = b.shuffle(a, c, {6});
    b.store(out, 18, lane);
    b.store(out, 20, b.shuffle(lane, b.load(in, 9), {1, 0, 0, 1}));
    const Value open = b.shuffle(a, c, {2, -1, 5, -1});
    b.store(out, 24, b.shuffle(open, open, {0, 2}));
    b.store(out, 32,
            b.shuffle(b.shuffle(a, c, {0, 5, 2, 7, 4, 1, 6, 3}), b.load(in, 2, {.lanes = 8}),
                      {15, 14, 1, 0, 3, 2, 9, 8}));
    return b.finish();
}

/// Tables of every kind, indices from a table, local arrays, accumulation, a barrier of a single thread.
ir::Program memory() {
    Builder b("memory");
    const auto in = b.input("in", DataType::float64, 8);
    const auto out = b.output("out", DataType::float64, 80);
    const auto count = b.add(buffer("count", DataType::int64, ir::Space::argument, 8, 0));
    const auto order = b.table("order", {3, 1, 7, 0, 6, 2, 5, 4});
    const auto wide = b.table("roots", DataType::float64,
                              {1.0L / 3, -0.0L, 4.9e-324L, 1.7976931348623157e308L, 0.70710678118654752440L,
                               -1e-17L, 9007199254740993.0L, 123456789.0L});
    const auto narrow = b.table("roots", DataType::float32,
                                {1.0L / 3, -0.0L, 1e-45L, 3.4028235e38L, 0.70710678118654752440L, -1e-17L,
                                 16777217.0L, 1.00000005960464478L});
    const auto local = b.add(buffer("work", DataType::float64, ir::Space::local, 8, -3));
    const auto scratch = b.scratch("scratch", DataType::float64, 8);
    b.for_loop("i", 8, [&](const Affine& i) {
        const Value loaded_index = b.load(order, i);
        const Value x = b.load(in, 0, {.dynamic = loaded_index});
        b.store(local, -3 + i, x);
        b.store(scratch, 0, b.multiply(x, b.load(wide, i)), {.dynamic = loaded_index});
        b.store(out, 72, x, {.dynamic = loaded_index});
        b.store(count, 0, b.multiply(loaded_index, b.index(3 * i - 5)), {.dynamic = loaded_index});
    });
    b.barrier();
    b.for_loop("i", 8, [&](const Affine& i) {
        b.store(out, 8 * i, b.load(local, 4 - i));
        b.store(out, 8 * i + 1, b.load(scratch, i));
        b.store(out, 8 * i + 2, b.load(wide, i));
        b.store(out, 8 * i + 3, b.convert(b.load(narrow, i), DataType::float64));
        b.store(out, 8 * i + 4, b.convert(b.negate(b.load(count, i)), DataType::float64));
        b.atomic_add(out, 64, b.load(in, i), b.index(0));
        b.store(out, 65, b.load(in, 1, {.dynamic = b.load(order, 3)}));
    });
    return b.finish();
}

} // namespace

ir::Program last_iterations() {
    Builder b("last_iterations");
    const auto in = b.input("in", DataType::float64, 64);
    const auto out = b.output("out", DataType::float64, 128);
    b.for_loop("i", 2, [&](const Affine& i) {
        b.for_loop("j", 1, 10, 2, ir::For::Kind::serial, [&](const Affine& j) {
            const Affine at = b.induction("at", 20 * i + 3, 4, {9, -2});
            b.store(out, 64 * i + at + j, b.load(in, at));
        });
        b.for_loop("k", 4, [&](const Affine& k) {
            const Affine at = b.induction("at", 30 * i, 3, {7});
            b.store(out, 64 * i + at, b.negate(b.load(in, at + k)));
        });
    });
    return b.finish();
}

std::vector<ir::Program> sample_programs() {
    std::vector<ir::Program> programs;
    for (const DataType scalar : {DataType::float32, DataType::float64}) {
        programs.push_back(scalar_operations(scalar));
        for (const int lanes : {2, 4, 8}) programs.push_back(vectors(scalar, lanes));
        for (const int lanes : {2, 4, 8}) programs.push_back(functions(scalar, lanes));
    }
    programs.push_back(vectors(DataType::float32, 16));
    programs.push_back(control_flow());
    programs.push_back(shuffles());
    programs.push_back(memory());
    return programs;
}

} // namespace swirl::emit
