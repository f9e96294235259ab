#include "ir/builder.hpp"
#include "run.hpp"

namespace swirl::jit::test {
namespace control_test {

using ir::Builder;
using ir::Condition;
using ir::For;
using ir::Value;
using Relation = Condition::Relation;

TEST(Loops, NestWithConstantBounds) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const Integer outer : {0, 1, 2, 5})
            for (const Integer inner : {0, 1, 3}) {
                Builder builder("nest");
                const ir::Buffer in = builder.input("in", DataType::float64, 100);
                const ir::Buffer out = builder.output("out", DataType::float64, 100);
                builder.for_loop("i", outer, [&](const Affine& i) {
                    builder.for_loop("j", 2, inner + 2, 1, For::Kind::serial, [&](const Affine& j) {
                        builder.store(out, i * 7 + j,
                                      builder.add(builder.load(in, i * 7 + j * 2), builder.load(in, j)));
                    });
                    builder.store(out, i * 3 + 50, builder.load(in, Affine(99) - i));
                });
                expect_same(builder.finish(), *cpu);
            }
}

TEST(Loops, SupportStridesAndAffineBounds) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const Integer step : {1, 2, 3, 7}) {
            Builder builder("triangle");
            const ir::Buffer in = builder.input("in", DataType::float64, 200);
            const ir::Buffer out = builder.output("out", DataType::float64, 200);
            builder.for_loop("i", 13, [&](const Affine& i) {
                builder.for_loop(
                    "j", i, Affine(11) + Affine(0), step, For::Kind::serial, [&](const Affine& j) {
                        builder.store(out, i * 12 + j, builder.negate(builder.load(in, i + j * 10)));
                    });
            });
            expect_same(builder.finish(), *cpu);
        }
}

TEST(Loops, InductionVariables) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        Builder builder("inductions");
        const ir::Buffer in = builder.input("in", DataType::float64, 400);
        const ir::Buffer out = builder.output("out", DataType::float64, 400);
        builder.for_loop("i", 6, [&](const Affine& i) {
            const Affine w = builder.induction("w", 5, 50);
            builder.for_loop("j", 1, 9, 2, For::Kind::serial, [&](const Affine& j) {
                const Affine up = builder.induction("up", w + i * 2, 3);
                const Affine down = builder.induction("down", 40, -4);
                builder.store(out, up, builder.add(builder.load(in, up + down), builder.load(in, w + j)));
            });
        });
        expect_same(builder.finish(), *cpu);
    }
}

/// Inductions with values of their own in the last iterations, in a nest, with registers for all and with too few.
TEST(Loops, LastIterationsWithPositionsOfTheirOwn) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const std::vector<Integer>& last : std::vector<std::vector<Integer>>{{17}, {17, -3}, {16, 2, 5}})
            for (const Integer streams : {1, 14}) {
                Builder builder("last");
                const ir::Buffer in = builder.input("in", DataType::float64, 4000);
                const ir::Buffer out = builder.output("out", DataType::float64, 4000);
                builder.for_loop("i", 3, [&](const Affine& i) {
                    builder.for_loop("j", 1, 13, 2, For::Kind::serial, [&](const Affine& j) {
                        const Affine at = builder.induction("at", 10 + i * 50, 5, last);
                        const Affine plain = builder.induction("plain", 3, 2);
                        for (Integer s = 0; s < streams; ++s) {
                            const Value sum = builder.add(builder.load(in, (s + 1) * at + plain + s),
                                                          builder.load(in, (s + 2) * at + j));
                            builder.store(out, at + 7 * (s + 1) * plain, sum);
                        }
                    });
                });
                expect_same(builder.finish(), *cpu);
            }
}

TEST(Loops, DeeperThanTheRegistersLast) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        Builder builder("deep");
        const ir::Buffer in = builder.input("in", DataType::float64, 4096);
        const ir::Buffer out = builder.output("out", DataType::float64, 4096);
        const auto nest = [&](auto& self, int depth, const Affine& a, const Affine& b) -> void {
            if (depth == 7) {
                builder.store(out, a, builder.add(builder.load(in, b), builder.load(in, a)));
                return;
            }
            builder.for_loop(fmt::format("i{}", depth), 2, [&](const Affine& i) {
                self(self, depth + 1, a + i * (Integer{1} << depth), b + i * (Integer{64} >> depth));
                builder.store(out, 2000 + depth * 100 + i, builder.load(in, a + i * 3));
                builder.store(out, 3000 + i, builder.load(in, i * 3));
            });
        };
        nest(nest, 0, 0, 0);
        expect_same(builder.finish(), *cpu);
    }
}

TEST(Loops, ValuesFromOutsideTheLoopAreAtHandInside) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        const int n = target::lanes(*cpu, DataType::float64);
        Builder builder("invariants");
        const ir::Buffer in = builder.input("in", DataType::float64, 200);
        const ir::Buffer out = builder.output("out", DataType::float64, 200);
        const Value x = builder.load(in, 3, {.lanes = n});
        const Value y = builder.add(x, builder.constant({DataType::float64, n}, 2));
        const Value s = builder.add(builder.load(in, 0), builder.load(in, 1));
        const Value at = builder.add(builder.index(Affine(2)), builder.index(Affine(3)));
        builder.for_loop("i", 4, [&](const Affine& i) {
            const Value v = builder.load(in, i * n, {.lanes = n});
            builder.for_loop("j", 3, [&](const Affine& j) {
                const Value t = builder.multiply(builder.add(v, y), builder.splat(s, n));
                builder.store(out, i * 3 * n + j * n, builder.add(t, x), {.lanes = n});
            });
            builder.store(out, 190 + i, builder.load(in, i, {.dynamic = at}));
        });
        expect_same(builder.finish(), *cpu);
    }
}

TEST(Loops, OuterComparisonsAreLiveInLoopsAndBranches) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const DataType scalar : {DataType::float32, DataType::float64})
            for (const int n : {1, target::lanes(*cpu, scalar)}) {
                Builder builder("masks");
                const ir::Buffer in = builder.input("in", scalar, 16 * n);
                const ir::Buffer out = builder.output("out", scalar, 16 * n);
                const auto load = [&](const Affine& at) { return builder.load(in, at * n, {.lanes = n}); };
                const Value smaller = builder.less(load(0), load(1));
                const Value x = builder.negate(load(2));
                builder.for_loop("i", 8, [&](const Affine& i) {
                    builder.if_then(
                        {{i - 3, Relation::negative}},
                        [&] { builder.store(out, i * n, builder.select(smaller, load(i), x), {.lanes = n}); },
                        [&] {
                            builder.store(out, i * n, builder.select(smaller, x, load(i)), {.lanes = n});
                        });
                });
                expect_same(builder.finish(), *cpu);
            }
}

TEST(Loops, LocalBuffersKeepTheirContents) {
    for (const target::Cpu* cpu : runnable_cpus()) {
        Builder builder("local");
        const ir::Buffer in = builder.input("in", DataType::float64, 64);
        const ir::Buffer out = builder.output("out", DataType::float64, 64);
        const ir::Buffer local = builder.local("sum", DataType::float64, 9);
        const ir::Buffer workspace = builder.scratch("workspace", DataType::float64, 64);
        builder.for_loop("i", 8, [&](const Affine& i) { builder.store(local, i, builder.load(in, i)); });
        builder.store(local, 8, builder.load(in, 9));
        builder.for_loop("i", 8, [&](const Affine& i) {
            builder.for_loop("j", 8, [&](const Affine& j) {
                builder.store(local, i, builder.add(builder.load(local, i), builder.load(in, i * 8 + j)));
                builder.store(local, 8, builder.multiply(builder.load(local, 8), builder.load(in, j)));
                builder.store(workspace, i * 8 + j, builder.load(local, i));
            });
            builder.store(out, i, builder.load(local, i));
        });
        builder.store(out, 8, builder.load(local, 8));
        builder.for_loop("i", 50,
                         [&](const Affine& i) { builder.store(out, i + 10, builder.load(workspace, i)); });
        expect_same(builder.finish(), *cpu);
    }
}

TEST(Parameters, MoveAddressesBoundsAndConditions) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const Integer count : {0, 1, 5, 8})
            for (const Integer stride : {1, 3}) {
                Builder builder("parameters");
                const ir::Buffer in = builder.input("in", DataType::float64, 200);
                const ir::Buffer out = builder.output("out", DataType::float64, 200);
                const Affine n = builder.parameter("n");
                const Affine offset = builder.parameter("offset");
                builder.for_loop("i", n, [&](const Affine& i) {
                    builder.store(out, i * 3 + offset * 2 - 5, builder.load(in, i + offset + n * 4));
                    builder.if_then(
                        {{i - n + 2, Relation::negative}, {offset - 7, Relation::nonnegative}},
                        [&] { builder.store(out, i + 100, builder.load(in, i)); },
                        [&] { builder.store(out, i + 120, builder.load(in, i + 1)); });
                });
                expect_same(builder.finish(), *cpu, {.parameters = {count, 5 + stride}});
            }
}

TEST(Conditions, EveryRelationInsideNestedLoops) {
    for (const target::Cpu* cpu : runnable_cpus())
        for (const Relation relation : {Relation::negative, Relation::nonnegative, Relation::zero}) {
            Builder builder("conditions");
            const ir::Buffer in = builder.input("in", DataType::float64, 100);
            const ir::Buffer out = builder.output("out", DataType::float64, 100);
            builder.for_loop("i", 5, [&](const Affine& i) {
                builder.for_loop("j", 5, [&](const Affine& j) {
                    builder.if_then(
                        {{i * 2 - j - 3, relation}},
                        [&] {
                            builder.if_then({{Affine(1), relation}},
                                            [&] { builder.store(out, i * 10 + j, builder.load(in, j)); });
                            builder.store(out, i * 10 + j + 5, builder.load(in, i + j * 3));
                        },
                        [&] { builder.store(out, 60 + i * 5 + j, builder.load(in, i * 3)); });
                });
            });
            expect_same(builder.finish(), *cpu);
        }
}

TEST(Addresses, BeyondTwoGibibytesAreFormed) {
    // The buffer's pointer is far away from the elements that are touched: its first index is 2^33.
    constexpr Integer far = Integer{1} << 33;
    for (const target::Cpu* cpu : runnable_cpus()) {
        Builder builder("far");
        ir::BufferInfo info;
        info.name = "in";
        info.role.argument = ir::ArgumentRole::input;
        info.elements = 32;
        info.first = far;
        const ir::Buffer in = builder.add(info);
        info.name = "out";
        info.role.argument = ir::ArgumentRole::output;
        info.first = -far;
        info.written = true;
        const ir::Buffer out = builder.add(info);
        const Value two = builder.add(builder.index(Affine(1)), builder.index(Affine(1)));
        builder.for_loop("i", 8, [&](const Affine& i) {
            builder.for_loop("j", 3, [&](const Affine& j) {
                builder.store(out, i * 3 + j - far, builder.load(in, i + j + far));
            });
            builder.store(out, i + 24 - far, builder.load(in, Affine(far) + 4, {.dynamic = two}));
        });
        expect_same(builder.finish(), *cpu);
    }
}

} // namespace control_test
} // namespace swirl::jit::test
