#include "emit/ptx_programs.hpp"

#include "emit/gpu_product_programs.hpp"
#include "ir/builder.hpp"
#include "ir/type_rules.hpp"
#include "problem/data_type.hpp"

#include <string>

namespace swirl::emit {
namespace {

using ir::Builder;
using ir::Value;
using Relation = ir::Condition::Relation;

constexpr DataType data_types[] = {DataType::int64, DataType::float16, DataType::bfloat16, DataType::float32,
                                   DataType::float64};

ir::BufferInfo buffer(std::string name, DataType element, Integer elements, bool written, int alignment = 0) {
    ir::BufferInfo info;
    info.name = std::move(name);
    info.role.argument = written ? ir::ArgumentRole::output : ir::ArgumentRole::input;
    info.element = element;
    info.elements = elements;
    info.written = written;
    info.alignment = alignment;
    return info;
}

/// Every operation on one data type, and conversions to all others.
ir::Program operations(DataType scalar) {
    constexpr Integer threads = 64, results = 24;
    Builder b("operations_" + std::string(name_of(scalar)));
    b.launch({.blocks = {2, 1, 1}, .threads = {threads, 1, 1}});
    const auto in = b.input("in", scalar, 3 * 2 * threads);
    const auto out = b.output("out", scalar, results * 2 * threads);
    const Affine i = b.thread() + threads * b.block();
    const Value x = b.load(in, 3 * i), y = b.load(in, 3 * i + 1), z = b.load(in, 3 * i + 2);
    const Value third = b.constant({scalar, 1}, scalar == DataType::int64 ? -3 : -1.0L / 3);
    const Value smaller = b.less(x, y), constant = b.constant({DataType::boolean, 1}, 1);
    std::vector<Value> values = {b.add(x, y),
                                 b.subtract(y, z),
                                 b.multiply(x, third),
                                 b.negate(z),
                                 b.select(smaller, z, third),
                                 b.select(b.select(smaller, constant, b.less(third, z)), x, y),
                                 b.convert(smaller, scalar),
                                 b.convert(b.index(2 * i - 7), scalar)};
    if (scalar != DataType::int64)
        for (const Value fused : {b.fma(x, y, z), b.fms(x, third, z), b.fnma(x, y, z)})
            values.push_back(fused);
    if (scalar == DataType::float32 || scalar == DataType::float64)
        for (const Value value : {b.divide(x, y), b.divide(third, z), b.square_root(b.magnitude(z)),
                                  b.power_of_two(b.convert(b.index(i - 120), scalar))})
            values.push_back(value);
    for (const DataType other : data_types) values.push_back(b.convert(b.convert(z, other), scalar));
    Integer k = 0;
    for (const Value value : values) b.store(out, results * i + k++, value);
    return b.finish();
}

/// Bounds that threads and parameters decide, inductions, loops of one trip and of none, conditions of all kinds.
ir::Program ptx_control_flow() {
    Builder b("control flow");
    b.launch({.blocks = {3, 1, 1}, .threads = {8, 4, 1}});
    const auto in = b.add(buffer("for", DataType::float64, 4096, false));
    const auto out = b.output("out", DataType::float64, 3 * 32 * 16);
    const Affine n = b.parameter("n"), m = b.parameter("entry");
    const Affine thread = b.thread(0) + 8 * b.thread(1), mine = 16 * (thread + 32 * b.block());
    const Affine none = b.thread(2);
    for (const Integer k : {3, 4, 5, 6, 7, 8, 9}) b.store(out, mine + k, b.constant({}, 0));
    b.for_loop("i", 0, n, 1, ir::For::Kind::serial, [&](const Affine& i) {
        const Affine down = b.induction("down", 96 + thread, -3);
        b.induction("idle", 0, 1);
        b.store(out, mine, b.add(b.load(in, down), b.load(in, i + thread + none)));
        b.for_loop("j", b.thread(0), b.thread(0) + 3, 1, ir::For::Kind::serial, [&](const Affine& j) {
            b.store(out, mine + 1, b.load(in, 7 * j + i));
            b.for_loop("k", j + 1, 6, 2, ir::For::Kind::parallel, [&](const Affine& k) {
                b.store(out, mine + 2, b.load(in, 100 * k + 7 * j + thread));
            });
        });
    });
    b.for_loop("once", 5, 6, 1, ir::For::Kind::serial,
               [&](const Affine& i) { b.store(out, mine + i, b.load(in, 3 * i)); });
    b.for_loop("never", 5, 5, 1, ir::For::Kind::serial,
               [&](const Affine& i) { b.store(out, mine + i, b.load(in, i)); });
    b.if_then(
        {{thread - 9, Relation::negative}, {m - 3, Relation::zero}},
        [&] { b.store(out, mine + 3, b.load(in, thread)); },
        [&] {
            b.if_then({{thread - 20, Relation::nonnegative}},
                      [&] { b.store(out, mine + 4, b.load(in, thread + m)); });
        });
    b.if_then({}, [&] { b.store(out, mine + 6, b.convert(b.index(m + 7), DataType::float64)); });
    b.if_then({{Affine(-2), Relation::negative}, {b.block() - 1, Relation::zero}},
              [&] { b.store(out, mine + 7, b.load(in, 9)); });
    return b.finish();
}

/// All spaces, vectors that are aligned and not, strides, few active lanes, moves of lanes.
ir::Program ptx_vectors(DataType scalar, int lanes) {
    Builder b("vectors_" + std::string(name_of(scalar)) + "_" + std::to_string(lanes));
    constexpr Integer threads = 32;
    b.launch({.blocks = {1, 2, 1}, .threads = {threads, 1, 1}});
    const Integer w = lanes;
    const auto in = b.add(buffer("in", scalar, 16 * w * threads, false, 64));
    const auto out = b.add(buffer("out", scalar, 8 * w * threads, true, 64));
    const auto shared = b.shared("shared", scalar, w * threads);
    const auto local = b.local("own", scalar, 4 * w);
    const Affine t = b.thread(), block = b.block(1);
    const Value x = b.load(in, w * t, {.lanes = lanes});
    const Value y = b.load(in, 4 * w * threads + t + 1, {.lanes = lanes, .lane_stride = 3});
    const Value masked = b.load(in, w * t, {.lanes = lanes, .active = lanes - 1});
    b.store(shared, w * t, b.multiply(x, y), {});
    b.for_loop("i", 2, [&](const Affine& i) { b.store(local, w * i, b.load(in, w * i, {.lanes = lanes})); });
    b.barrier();
    const Value other = b.load(shared, (threads - 1) * w - w * t, {.lanes = lanes});
    std::vector<std::int8_t> mixed;
    for (int l = 0; l < lanes; ++l)
        mixed.push_back(static_cast<std::int8_t>(l % 2 ? lanes + l : lanes - 1 - l));
    const Affine mine = 4 * w * (t + threads * block);
    b.store(out, mine, b.add(b.shuffle(x, other, mixed), b.load(local, w, {.lanes = lanes})));
    b.store(out, mine + w, b.fma(x, masked, b.splat(b.load(in, t), lanes)));
    b.store(out, mine + 2 * w, b.select(b.less(x, y), masked, other), {.active = lanes - 1});
    b.store(out, mine + 4 * w - 1, b.constant({scalar, lanes}, 0.75L), {.lane_stride = -1, .active = 1});
    return b.finish();
}

/// Tables of all types, small and large, and indices from one of them.
ir::Program tables() {
    Builder b("tables");
    b.launch({.blocks = {4, 1, 1}, .threads = {8, 1, 1}});
    const auto out = b.output("out", DataType::float64, 32 * 6);
    const auto order = b.table("order", {3, 1, 7, 0, 6, 2, 5, 4});
    const Affine t = b.thread(), mine = 6 * (t + 8 * b.block());
    const Value loaded_index = b.load(order, t);
    Integer k = 0;
    for (const DataType scalar :
         {DataType::float16, DataType::bfloat16, DataType::float32, DataType::float64}) {
        const auto table = b.table(
            "numbers", scalar,
            {1.0L / 3, -0.0L, 6e-8L, 65504.0L, 0.70710678118654752440L, -1e-17L, 16777217.0L, 5.0e-5L});
        b.store(out, mine + k++, b.convert(b.load(table, 0, {.dynamic = loaded_index}), DataType::float64));
    }
    const auto large = b.table("large", DataType::float64, std::vector<long double>(4096, 0.1L));
    b.store(out, mine + k++, b.load(large, 100 * t + 7));
    b.store(out, mine + k++, b.convert(loaded_index, DataType::float64));
    return b.finish();
}

ir::Program atomics(DataType scalar) {
    Builder b("atomics_" + std::string(name_of(scalar)));
    b.launch({.blocks = {4, 1, 1}, .threads = {32, 1, 1}});
    const auto out = b.output("out", scalar, 64);
    const auto bins = b.shared("bins", scalar, 8);
    const auto own = b.local("own", scalar, 2);
    const Affine t = b.thread();
    const Value one = b.constant({scalar, 1}, 1);
    b.if_then({{t - 8, Relation::negative}}, [&] { b.store(bins, t, b.constant({scalar, 1}, 0)); });
    b.store(own, 1, one);
    b.atomic_add(own, 1, one);
    b.barrier();
    b.atomic_add(bins, 3, b.load(own, 1));
    b.atomic_add(bins, 0, one, b.index(Affine(5)));
    b.barrier();
    b.if_then({{t - 8, Relation::negative}}, [&] { b.atomic_add(out, 8 * b.block() + t, b.load(bins, t)); });
    b.atomic_add(out, 63, one);
    return b.finish();
}

/// More shared memory than a module may declare, and offsets beyond 32 bits.
ir::Program extremes() {
    Builder b("extremes");
    b.launch({.blocks = {65536, 1, 1}, .threads = {128, 1, 1}});
    const auto far = b.add(buffer("far", DataType::float32, Integer{1} << 40, true));
    const auto first = b.shared("first", DataType::float64, 4096);
    const auto second = b.shared("second", DataType::float32, 8192);
    const Affine t = b.thread(), block = b.block();
    const Value x = b.load(far, (Integer{1} << 23) * block + t);
    const Value y = b.load(far, 128 * block + t + (Integer{1} << 34));
    b.store(first, 32 * t, b.convert(x, DataType::float64));
    b.store(second, 64 * t, y);
    b.barrier();
    const Value chosen =
        b.select(b.less(x, y), b.load(second, 64 * t), b.convert(b.load(first, 32 * t), DataType::float32));
    b.store(far, (Integer{1} << 23) * block + t, chosen);
    return b.finish();
}

/// Threads branch on a value in memory.
ir::Program decided_by_data() {
    Builder b("decided");
    b.launch({.blocks = {2, 1, 1}, .threads = {32, 1, 1}});
    const auto x = b.input("x", DataType::int64, 64);
    const auto y = b.output("y", DataType::int64, 64);
    const Affine index = 32 * b.block() + b.thread();
    const Value decides = b.load(x, index);
    const auto store = [&](int integer) {
        return [&b, y, index, integer] { b.store(y, index, b.constant({DataType::int64, 1}, integer)); };
    };
    b.if_then({{0, Relation::zero, decides}}, store(1), [&] {
        b.if_then({{b.thread() - 3, Relation::negative, decides}}, store(2), [&] {
            b.if_then({{-9, Relation::nonnegative, decides}, {b.block(), Relation::zero}}, store(3),
                      store(4));
        });
    });
    return b.finish();
}

} // namespace

ir::Program ptx_copy(DataType scalar, int lanes, int alignment) {
    constexpr Integer threads = 128, blocks = 2;
    Builder b("copy");
    b.launch({.blocks = {blocks, 1, 1}, .threads = {threads, 1, 1}});
    const auto x = b.add(buffer("x", scalar, threads * blocks * lanes, false, alignment));
    const auto y = b.add(buffer("y", scalar, threads * blocks * lanes, true, alignment));
    const Affine at = lanes * (b.thread() + threads * b.block());
    b.store(y, at, b.load(x, at, {.lanes = lanes}));
    return b.finish();
}

ir::Program ptx_transposition(DataType scalar) {
    constexpr Integer tile = 32, n = 64, pitch = tile + 1;
    Builder b("transpose");
    b.launch({.blocks = {2, 2, 1}, .threads = {tile, 8, 1}});
    const auto x = b.input("x", scalar, n * n);
    auto written = buffer("y", scalar, n * n, true);
    written.non_temporal = true;
    const auto y = b.add(written);
    const auto between = b.shared("between", scalar, tile * pitch);
    const Affine column = b.thread(0), row = b.thread(1);
    const Affine origin_in = tile * n * b.block(1) + tile * b.block(0) + n * row + column;
    const Affine origin_out = tile * n * b.block(0) + tile * b.block(1) + n * row + column;
    b.for_loop("i", 0, tile, 8, ir::For::Kind::serial, [&](const Affine& i) {
        b.store(between, pitch * (row + i) + column, b.load(x, origin_in + n * i));
    });
    b.barrier();
    b.for_loop("i", 0, tile, 8, ir::For::Kind::serial, [&](const Affine& i) {
        b.store(y, origin_out + n * i, b.load(between, pitch * column + row + i));
    });
    return b.finish();
}

ir::Program ptx_butterfly(DataType scalar, Integer points) {
    Builder b("butterfly");
    b.launch({.blocks = {2, 1, 1}, .threads = {points / 2, 1, 1}});
    const auto in = b.add(buffer("in", scalar, 4 * points, false, 16));
    const auto out = b.add(buffer("out", scalar, 4 * points, true, 16));
    std::vector<long double> table_values;
    for (Integer k = 0; k < points; ++k)
        table_values.push_back(static_cast<long double>(k) / static_cast<long double>(points));
    const auto twiddles = b.table("twiddles", scalar, table_values);
    const Affine t = 2 * b.thread(), all = 2 * points * b.block() + t;
    const Value x = b.load(in, all, {.lanes = 2}), y = b.load(in, all + points, {.lanes = 2});
    const Value w = b.load(twiddles, t, {.lanes = 2});
    const auto lane = [&](Value v, std::int8_t l) { return b.shuffle(v, v, {l}); };
    const Value re = b.multiply(lane(y, 1), lane(w, 1)), im = b.multiply(lane(y, 1), lane(w, 0));
    const Value product_re = b.fms(lane(y, 0), lane(w, 0), re);
    const Value product_im = b.fma(lane(y, 0), lane(w, 1), im);
    const Value product = b.shuffle(product_re, product_im, {0, 1});
    b.store(out, all, b.add(x, product));
    b.store(out, all + points, b.subtract(x, product));
    return b.finish();
}

std::vector<ir::Program> ptx_programs() {
    std::vector<ir::Program> programs;
    for (const DataType scalar : data_types) {
        programs.push_back(operations(scalar));
        programs.push_back(ptx_transposition(scalar));
        for (const int lanes : {1, 2, 4, 8})
            for (const int alignment : {0, 16}) programs.push_back(ptx_copy(scalar, lanes, alignment));
        if (scalar != DataType::bfloat16) programs.push_back(atomics(scalar));
        programs.push_back(sums_in_registers(scalar));
        programs.push_back(factors_by_value(scalar));
        if (scalar == DataType::int64) continue;
        for (const int lanes : {2, 4, 8}) programs.push_back(ptx_vectors(scalar, lanes));
        programs.push_back(ptx_butterfly(scalar, 64));
    }
    programs.push_back(ptx_butterfly(DataType::float64, 1024));
    programs.push_back(ptx_control_flow());
    programs.push_back(tables());
    programs.push_back(extremes());
    programs.push_back(moving_pointers());
    programs.push_back(copies_in_groups());
    programs.push_back(decided_by_data());
    return programs;
}

ir::Program exchange_in_cluster() {
    constexpr Integer masked = 128;
    ir::Builder b("exchange");
    b.launch({.blocks = {8, 1, 1}, .threads = {64, 1, 1}, .cluster = 4});
    const auto y = b.output("y", DataType::float32, 512);
    ir::BufferInfo info;
    info.name = "all";
    info.element = DataType::float32;
    info.space = ir::Space::shared;
    info.elements = 4 * masked;
    info.dsmem_elements_per_block = masked;
    info.written = true;
    const auto all = b.add(info);
    const Affine rank = b.block(0, 1, 4);
    b.cluster_barrier();
    b.store(all, 3 * masked - masked * rank + b.thread(), b.constant({DataType::float32, 1}, 1));
    b.store(all, 2 * masked + 127 - b.thread(), b.constant({DataType::float32, 1}, 2));
    b.cluster_barrier();
    b.store(y, 64 * b.block() + b.thread(), b.load(all, masked * rank + b.thread()));
    return b.finish();
}

ir::Program opposite_in_group(bool in_halves) {
    ir::Builder b("opposite");
    b.launch({.blocks = {8, 1, 1}, .threads = {64, 1, 1}, .cooperative_group = 4});
    const auto y = b.output("y", DataType::float32, 512);
    const auto between = b.scratch("between", DataType::float32, 512);
    ir::BufferInfo info;
    info.name = "meetings";
    info.element = DataType::int64;
    info.space = ir::Space::scratch;
    info.elements = 32;
    info.written = info.zeroed = true;
    const auto meetings = b.add(info);
    const Affine group = b.block(0, 4, 0), member = b.block(0, 1, 4);
    const ir::Address counter{.buffer = meetings, .index = 16 * group};
    b.store(between, 256 * group + 64 * member + b.thread(), b.constant({DataType::float32, 1}, 1));
    if (in_halves) {
        b.cooperative_barrier(counter, ir::Barrier::Half::arrive);
        b.cooperative_barrier(counter, ir::Barrier::Half::wait);
    } else {
        b.cooperative_barrier(counter);
    }
    b.store(y, 64 * b.block() + b.thread(), b.load(between, 256 * group + 192 - 64 * member + b.thread()));
    return b.finish();
}

} // namespace swirl::emit
