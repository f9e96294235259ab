#include "emit/gpu_product_programs.hpp"

#include "ir/builder.hpp"
#include "ir/type_rules.hpp"
#include "problem/data_type.hpp"

#include <string>

namespace swirl::emit {
namespace {

using ir::Builder;
using ir::Value;

constexpr Integer threads = 32;
constexpr ir::Launch launch = {.blocks = {2, 1, 1}, .threads = {threads, 1, 1}};

/// An argument aligned for the widest accesses.
ir::BufferInfo argument(std::string name, DataType element, Integer elements, bool written) {
    ir::BufferInfo info;
    info.name = std::move(name);
    info.role.argument = written ? ir::ArgumentRole::output : ir::ArgumentRole::input;
    info.element = element;
    info.elements = elements;
    info.written = written;
    info.alignment = 16;
    return info;
}

Value multiply_add(Builder& b, DataType scalar, Value x, Value y, Value z) {
    return scalar == DataType::int64 ? b.add(b.multiply(x, y), z) : b.fma(x, y, z);
}

} // namespace

ir::Program sums_in_registers(DataType scalar) {
    constexpr Integer rounds = 5, sums = 16;
    Builder b("sums_" + std::string(name_of(scalar)));
    b.launch(launch);
    const auto in = b.add(argument("in", scalar, 4 * threads * rounds, false));
    const auto out = b.add(argument("out", scalar, 2 * threads * (sums + 8), true));
    const auto own = b.local("own", scalar, sums);
    const Affine t = b.thread(), mine = (sums + 8) * (t + threads * b.block());
    for (const Integer at : {0, 4}) b.store(own, at, b.constant({scalar, 4}, 0));
    b.store(own, 8, b.constant({scalar, 4}, 1), {.lane_stride = 2});
    b.store(own, 9, b.constant({scalar, 4}, 2), {.lane_stride = 2, .active = 3});
    b.store(own, 15, b.constant({scalar, 1}, 3));
    b.for_loop("k", rounds, [&](const Affine& k) {
        const Value x = b.load(in, 4 * threads * k + 4 * t, {.lanes = 4});
        const Value before = b.load(own, 0, {.lanes = 4});
        b.store(own, 0, multiply_add(b, scalar, x, x, before));
        b.store(own, 4, b.add(before, b.load(own, 4, {.lanes = 4}))); // what was there before the store
        const Value even = b.load(own, 8, {.lanes = 4, .lane_stride = 2});
        b.store(own, 8, b.load(own, 3, {.lanes = 4, .lane_stride = -1}), {.lane_stride = 2});
        b.store(own, 9, even, {.lane_stride = 2, .active = 3});
    });
    for (Integer at = 0; at < sums; at += 4) b.store(out, mine + at, b.load(own, at, {.lanes = 4}));
    b.store(out, mine + sums, b.load(own, 0, {.lanes = 8, .active = 3}));
    return b.finish();
}

ir::Program moving_pointers() {
    constexpr Integer rounds = 4;
    Builder b("moving pointers");
    b.launch(launch);
    const auto in = b.add(argument("in", DataType::float32, 1024, false));
    const auto out = b.add(argument("out", DataType::float32, 2 * 8 * threads * rounds, true));
    const auto own = b.local("own", DataType::int64, 2);
    const Affine t = b.thread();
    const auto integer_constant = [&](long double n) { return b.constant({DataType::int64, 1}, n); };
    b.store(own, 0, b.index(t));
    b.store(own, 1, b.index(Affine(63) - t));
    const Value neighbour = b.bit_xor(b.index(t), integer_constant(1));
    b.for_loop("k", rounds, [&](const Affine& k) {
        const Value p = b.load(own, 0), q = b.load(own, 1);
        const Value x = b.load(in, 0, {.lanes = 4, .dynamic = p, .dynamic_scale = 4});
        const Value y = b.load(in, 512, {.lanes = 4, .dynamic = q, .dynamic_scale = 4});
        const Affine to = 8 * threads * (k + rounds * b.block());
        b.store(out, to, b.add(x, y), {.dynamic = neighbour, .dynamic_scale = 8});
        b.store(out, to + 4, b.multiply(x, y), {.dynamic = neighbour, .dynamic_scale = 8});
        b.store(own, 0, b.add(b.select(b.less(p, q), p, q), integer_constant(8)));
        b.store(own, 1, b.bit_xor(b.bit_and(q, integer_constant(-5)), integer_constant(16)));
    });
    return b.finish();
}

ir::Program copies_in_groups() {
    constexpr Integer rounds = 5, stages = 3;
    struct Copied {
        DataType scalar;
        int lanes;
    };
    constexpr Copied sizes[] = {{DataType::float32, 1}, {DataType::float32, 2}, {DataType::float16, 8}};
    Builder b("copies in groups");
    b.launch(launch);
    std::vector<ir::Buffer> in, between, out;
    for (const auto& [scalar, lanes] : sizes) {
        const std::string bytes = std::to_string(lanes * bytes_of(scalar));
        in.push_back(b.add(argument("in_" + bytes, scalar, lanes * threads * rounds, false)));
        out.push_back(b.add(argument("out_" + bytes, scalar, 2 * lanes * threads * rounds, true)));
        between.push_back(b.shared("between_" + bytes, scalar, lanes * threads * stages));
    }
    const Affine t = b.thread();
    const auto fetch = [&](Integer round) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            const auto& [scalar, lanes] = sizes[i];
            const Affine to = lanes * (t + threads * (round % stages));
            const auto copy = [&, lanes = lanes] {
                b.store(between[i], to, b.load(in[i], lanes * (t + threads * round), {.lanes = lanes}),
                        {.asynchronous = true});
            };
            if (round + 1 < rounds) {
                copy();
                continue;
            }
            b.if_then({{t - 20, ir::Condition::Relation::negative}}, copy,
                      [&, scalar = scalar, lanes = lanes] {
                          b.store(between[i], to, b.constant({scalar, lanes}, 0));
                      });
        }
        b.commit_async_group();
    };
    for (Integer round = 0; round + 1 < stages; ++round) fetch(round);
    for (Integer round = 0; round < rounds; ++round) {
        b.wait_async_group(round + 1 < rounds ? 1 : 0);
        b.barrier();
        if (round + stages - 1 < rounds) fetch(round + stages - 1);
        for (std::size_t i = 0; i < in.size(); ++i) {
            const Integer lanes = sizes[i].lanes;
            const Affine from = lanes * (threads * (round % stages) + threads - 1 - t);
            b.store(out[i], lanes * (t + threads * (round + rounds * b.block())),
                    b.load(between[i], from, {.lanes = sizes[i].lanes}));
        }
    }
    return b.finish();
}

ir::Program factors_by_value(DataType scalar) {
    Builder b("factors_" + std::string(name_of(scalar)));
    b.launch(launch);
    const auto in = b.add(argument("in", scalar, 4 * threads, false));
    ir::BufferInfo few = argument("factors", scalar, 3, false);
    few.alignment = 0;
    few.by_value = true;
    const auto factors = b.add(few);
    const auto out = b.add(argument("out", scalar, 4 * 2 * threads, true));
    const Affine t = b.thread(), mine = 4 * (t + threads * b.block());
    const Value x = b.load(in, 4 * t, {.lanes = 2}), y = b.load(in, 4 * t + 2, {.lanes = 2});
    const Value pair = b.load(factors, 0, {.lanes = 2}), last = b.splat(b.load(factors, 2), 2);
    b.store(out, mine, multiply_add(b, scalar, x, pair, last));
    b.store(out, mine + 2, multiply_add(b, scalar, y, last, b.load(factors, 1, {.lanes = 2, .active = 1})));
    return b.finish();
}

} // namespace swirl::emit
