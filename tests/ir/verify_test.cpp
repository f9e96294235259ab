// Every rule of the verifier: a program that breaks only this rule, and a twin that passes.

#include "ir/verify.hpp"
#include "ir/builder.hpp"
#include "problem/data_type.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

namespace swirl::ir {
namespace verify_test {

constexpr Type f64{DataType::float64, 1};

void expect_passes(const Program& program, VerificationLevel level) {
    try {
        verify(program, level);
    } catch (const InternalError& error) {
        ADD_FAILURE() << error.what();
    }
}

/// The message names the level and contains `what`.
void expect_fails(const Program& program, VerificationLevel level, const std::string& what) {
    try {
        verify(program, level);
        ADD_FAILURE() << "passes, although: " << what;
    } catch (const InternalError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find(what), std::string::npos) << message;
        EXPECT_NE(message.find(name_of(level)), std::string::npos) << message;
    }
}

/// for i = 0 to count−1: y[stride·i + offset] = −x[i]
Program strided(Integer count, Integer stride, Integer offset, For::Kind kind = For::Kind::serial,
                int lanes = 1) {
    Builder b("strided");
    const Buffer x = b.input("x", DataType::float64, 16);
    const Buffer y = b.output("y", DataType::float64, 16);
    b.for_loop("i", 0, count, 1, kind, [&](const Affine& i) {
        b.store(y, stride * i + offset, b.negate(b.load(x, i, {.lanes = lanes})));
    });
    return b.finish();
}

TEST(Verify, PassesWhatIsRight) {
    expect_passes(strided(8, 2, 1), VerificationLevel::lowered);
    expect_passes(strided(8, 2, 1), VerificationLevel::legalized);
    expect_passes(strided(8, 1, 0, For::Kind::vector), VerificationLevel::lowered);
    expect_passes(strided(4, 1, 0, For::Kind::serial, 8), VerificationLevel::vectorized);
}

TEST(Verify, AccessesOutOfBoundsThatLoopRangesProve) {
    expect_passes(strided(16, 1, 0), VerificationLevel::lowered);
    expect_fails(strided(16, 1, 1), VerificationLevel::lowered,
                 "store %1 to y[i + 1] : float64: reaches elements 1 to 16");
    expect_fails(strided(17, 0, 0), VerificationLevel::lowered,
                 "%0 = load x[i] : float64: reaches elements 0 to 16");
    expect_fails(strided(8, -2, 13), VerificationLevel::lowered, "reaches elements -1 to 13");
    expect_passes(strided(8, -2, 14), VerificationLevel::lowered);
    expect_fails(strided(10, 1, 0, For::Kind::serial, 8), VerificationLevel::vectorized,
                 "reaches elements 0 to 16");
    expect_passes(strided(0, 100, 0), VerificationLevel::lowered);
}

TEST(Verify, RangesOfInductionsThreadsAndDependentLoops) {
    const auto program = [](Integer step, Integer inner) {
        Builder b("nest");
        b.launch({.blocks = {2, 1, 1}, .threads = {3, 1, 1}});
        const Buffer y = b.output("y", DataType::float64, 60);
        b.for_loop("j", 4, 8, 2, For::Kind::serial, [&](const Affine& j) {
            const Affine p = b.induction("p", 10 * b.thread(), step);
            b.for_loop("k", j, j + inner, 1, For::Kind::serial,
                       [&](const Affine& k) { b.store(y, 30 * b.block() + p + k - j, b.constant(f64, 0)); });
        });
        return b.finish();
    };
    expect_passes(program(5, 5), VerificationLevel::lowered); // 30 + 20 + 5 + 4
    expect_fails(program(6, 5), VerificationLevel::lowered, "reaches elements 0 to 60");
    expect_fails(program(5, 6), VerificationLevel::lowered, "reaches elements 0 to 60");
}

TEST(Verify, RangesOfInductionsWithLastValues) {
    const auto program = [](std::vector<Integer> last, For::Kind kind = For::Kind::serial) {
        Builder b("last");
        const Buffer y = b.output("y", DataType::float64, 20);
        b.for_loop("i", 0, 4, 1, kind, [&](const Affine&) {
            b.store(y, b.induction("p", 5, 4, std::move(last)), b.constant(f64, 0));
        });
        return b.finish();
    };
    expect_passes(program({}), VerificationLevel::lowered);
    expect_passes(program({14, -5}), VerificationLevel::lowered);
    expect_fails(program({15}), VerificationLevel::lowered, "reaches elements 5 to 20");
    expect_fails(program({10, -6}), VerificationLevel::lowered, "reaches elements -1 to 15");
    expect_fails(program({1, 2, 3, 4}), VerificationLevel::lowered, "has 4 last values of its own");
    expect_fails(program({1}, For::Kind::parallel), VerificationLevel::lowered, "last values of its own");
}

TEST(Verify, AccessesOutOfBoundsThatTablesOfIndicesProve) {
    const auto program = [](Integer coefficient, Integer constant, Integer scale) {
        Builder b("looked_up");
        const Buffer map = b.table("map", {9, 5, 7, 1});
        const Buffer y = b.output("y", DataType::float64, 12);
        b.for_loop("i", 2, [&](const Affine& i) {
            b.for_loop("j", 2, [&](const Affine& j) {
                const Value entry = b.load(map, 2 * i + j);
                b.store(y, coefficient * i + 2 * j + constant, b.constant(f64, 0),
                        {.dynamic = entry, .dynamic_scale = scale});
            });
        });
        return b.finish();
    };
    expect_passes(program(0, 2, 1), VerificationLevel::lowered); // where j = 1 no entry is 9
    expect_fails(program(0, 3, 1), VerificationLevel::lowered, "reaches elements 6 to 12");
    expect_passes(program(4, 0, 1), VerificationLevel::lowered); // 9, 7, 11, 7
    expect_fails(program(5, 0, 1), VerificationLevel::lowered, "reaches elements 7 to 12");
    expect_passes(program(0, 9, -1), VerificationLevel::lowered);
    expect_fails(program(0, 8, -1), VerificationLevel::lowered, "reaches elements -1 to 9");
}

TEST(Verify, AllowsUnprovableIndices) {
    Builder b("guarded");
    const Buffer map = b.table("map", {1, 0});
    const Buffer y = b.output("y", DataType::float64, 4);
    b.for_loop("i", 8, [&](const Affine& i) {
        b.if_then({{i - 4, Condition::Relation::negative}}, [&] { b.store(y, i, b.constant(f64, 0)); });
    });
    b.if_then({{0, Condition::Relation::negative}},
              [&] { b.store(y, 3, b.constant(f64, 0), {.dynamic = b.load(map, 0)}); });
    b.store(y, 3, b.constant(f64, 0), {.dynamic = b.add(b.load(map, 0), b.index(-1))});
    expect_passes(b.finish(), VerificationLevel::lowered);
}

TEST(Verify, ValuesAreDefinedBeforeUseInScope) {
    Builder b("scope");
    const Buffer y = b.output("y", DataType::float64, 4);
    Value inside = no_value;
    const Value before = b.constant(f64, 1);
    b.for_loop("i", 4, [&](const Affine& i) {
        inside = b.add(before, before);
        b.store(y, i, inside);
    });
    Program right = b.finish();
    expect_passes(right, VerificationLevel::lowered);

    Program after = right; // the loop's value is used behind the loop
    Operation store = after[static_cast<Value>(2)];
    ASSERT_EQ(store.opcode, Opcode::store);
    store.address.index = 0;
    after.body.push_back({StraightLineBlock{{after.append(Operation(store))}}});
    expect_fails(after, VerificationLevel::lowered, "%1 is not defined before it in scope");

    Program swapped = right;
    auto& run = std::get<StraightLineBlock>(std::get<For>(swapped.body[1].node).body[0].node);
    std::swap(run.operations[0], run.operations[1]);
    expect_fails(swapped, VerificationLevel::lowered, "%1 is not defined before it in scope");

    Program repeated = right;
    repeated.body.insert(repeated.body.begin(), repeated.body.front());
    expect_fails(repeated, VerificationLevel::lowered, "is in the program twice");

    Program dangling = right;
    dangling[1].operands[1] = 77;
    expect_fails(dangling, VerificationLevel::lowered, "operand 2 is missing");

    Program of_store = right;
    of_store.body.push_back({StraightLineBlock{{of_store.append(Operation(store))}}});
    of_store[3].operands[0] = 2;
    expect_fails(of_store, VerificationLevel::lowered, "which has no result");
}

/// Threads run the inner loop at another time than what is around it, if all loops outside are parallel.
TEST(Verify, ValuesPassParallelLoopsThroughMemoryAlone) {
    enum class Use { inside, after, none };
    const auto program = [](For::Kind outer, Use use) {
        Builder b("nested");
        const Buffer x = b.input("x", DataType::float64, 4);
        const Buffer y = b.output("y", DataType::float64, 20);
        b.for_loop("i", 0, 4, 1, outer, [&](const Affine& i) {
            const Value loaded = b.load(x, i);
            b.for_loop("j", 0, 4, 1, For::Kind::parallel, [&](const Affine& j) {
                b.store(y, 4 * i + j, use == Use::inside ? loaded : b.load(x, j));
            });
            b.store(y, i + 16, use == Use::after ? loaded : b.load(x, i));
        });
        return b.finish();
    };
    const char* const said = "is not defined before it in scope";
    expect_fails(program(For::Kind::parallel, Use::inside), VerificationLevel::lowered, said);
    expect_fails(program(For::Kind::parallel, Use::after), VerificationLevel::lowered, said);
    expect_passes(program(For::Kind::parallel, Use::none), VerificationLevel::lowered);
    expect_passes(program(For::Kind::serial, Use::inside), VerificationLevel::lowered);
    expect_passes(program(For::Kind::serial, Use::after), VerificationLevel::lowered);
}

TEST(Verify, OnlyScratchBelongsToIterations) {
    const auto program = [](Space space, int depth) {
        Builder b("own");
        BufferInfo own;
        own.name = "own";
        own.space = space;
        own.elements = 1;
        own.written = true;
        own.nest_depth = depth;
        b.store(b.add(own), 0, b.constant(f64, 1));
        return b.finish();
    };
    expect_passes(program(Space::scratch, 2), VerificationLevel::lowered);
    expect_fails(program(Space::scratch, -1), VerificationLevel::lowered, "negative number of loops");
    expect_fails(program(Space::local, 1), VerificationLevel::lowered, "is per iteration, but no scratch");
}

TEST(Verify, Types) {
    Program program = strided(8, 1, 0);
    program[1].type = {DataType::float32, 1};
    expect_fails(program, VerificationLevel::lowered, "operand 1 is float64, the result float32");
    program = strided(8, 1, 0);
    program.buffers[1].element = DataType::float32;
    expect_fails(program, VerificationLevel::lowered, "buffer 'y' holds float32, the access is of float64");
}

TEST(Verify, ValuesAndElementsAreNeitherComplexNorNormalised) {
    for (const DataType type :
         {DataType::complex32, DataType::complex_bfloat16, DataType::complex64, DataType::complex128,
          DataType::unorm8, DataType::snorm8, DataType::unorm16, DataType::snorm16}) {
        Program program = strided(8, 1, 0);
        program[0].type = program[1].type = {type, 1};
        expect_fails(program, VerificationLevel::lowered, fmt::format("no values are {}", name_of(type)));
        program = strided(8, 1, 0);
        program.buffers[0].element = type;
        expect_fails(program, VerificationLevel::lowered, fmt::format("has elements of {}", name_of(type)));
    }
}

TEST(Verify, VariablesAreUsedInTheirScopeAndBoundOnce) {
    Program program = strided(8, 1, 0);
    Program outside = program;
    outside.body.push_back({StraightLineBlock{{outside.append(Operation(outside[0]))}}});
    expect_fails(outside, VerificationLevel::lowered, "uses a variable out of scope");

    Program nested = program;
    For outer = std::get<For>(nested.body[0].node);
    outer.body = {nested.body[0]};
    nested.body = {{outer}};
    expect_fails(nested, VerificationLevel::lowered, "a loop over 'i' is nested in another loop over it");

    Program bound = program;
    std::get<For>(bound.body[0].node).end = Affine::of(0);
    expect_fails(bound, VerificationLevel::lowered,
                 "a bound of the loop over 'i' uses a variable out of scope");

    Program step = program;
    std::get<For>(step.body[0].node).step = 0;
    expect_fails(step, VerificationLevel::lowered, "loop over 'i' has step 0");

    Program condition = program;
    condition.body.push_back({If{{{Affine::of(0), Condition::Relation::zero}}, {}, {}}});
    expect_fails(condition, VerificationLevel::lowered, "a condition uses a variable out of scope");
}

TEST(Verify, NothingIsStoredToTablesOrReadOnlyBuffers) {
    for (const bool table : {false, true}) {
        Builder b("write");
        const Buffer x = table ? b.table("x", DataType::float64, {1, 2}) : b.input("x", DataType::float64, 2);
        b.store(x, 0, b.constant(f64, 1));
        Program program = b.finish();
        expect_fails(program, VerificationLevel::lowered, "'x' is only to be read");
        if (table) continue;
        program.buffers[0].written = true;
        expect_passes(program, VerificationLevel::lowered);
    }
}

TEST(Verify, TablesHaveContents) {
    Builder b("table");
    b.table("w", DataType::float64, {1, 2});
    Program program = b.finish();
    expect_passes(program, VerificationLevel::lowered);
    program.buffers[0].elements = 3;
    expect_fails(program, VerificationLevel::lowered, "table buffer 'w' lacks contents");
    program.buffers[0].elements = 2;
    program.buffers[0].first = -1;
    expect_fails(program, VerificationLevel::lowered, "table buffer 'w' does not start at element 0");
}

TEST(Verify, ArgumentsHaveARole) {
    Program program = strided(8, 2, 1);
    BufferInfo& x = program.buffers[0];
    EXPECT_EQ(x.role, Role{ArgumentRole::input});
    x.role = {ArgumentRole::auxiliary, 2, Component::real};
    expect_passes(program, VerificationLevel::lowered);
    x.role = {};
    expect_fails(program, VerificationLevel::lowered, "argument buffer 'x' has no role");
    x.role = {ArgumentRole::table};
    expect_fails(program, VerificationLevel::lowered, "argument buffer 'x' has the role 'table'");
    x.role = {ArgumentRole::auxiliary, -1};
    expect_fails(program, VerificationLevel::lowered, "argument buffer 'x' has index -1");
}

TEST(Verify, OtherBuffersHaveTheRoleOfTheirSpace) {
    Builder b("spaces");
    b.table("w", DataType::float64, {1, 2});
    b.scratch("t", DataType::float64, 2);
    b.local("sums", DataType::float64, 2);
    Program program = b.finish();
    EXPECT_EQ(program.buffers[0].role, Role{ArgumentRole::table});
    EXPECT_EQ(program.buffers[1].role, Role{ArgumentRole::workspace});
    EXPECT_EQ(program.buffers[2].role, Role{});
    expect_passes(program, VerificationLevel::lowered);
    for (BufferInfo& buffer : program.buffers) {
        const Role role = buffer.role;
        buffer.role = {ArgumentRole::input};
        expect_fails(program, VerificationLevel::lowered, "has the role 'input'");
        buffer.role = role;
    }
}

TEST(Verify, OwnMemoryIsStoredToBeforeItIsRead) {
    for (const Space space : {Space::scratch, Space::local, Space::shared}) {
        for (const bool first : {true, false}) {
            BufferInfo info;
            info.name = "own";
            info.space = space;
            info.elements = 1;
            info.written = true;
            Builder b("own");
            const Buffer own = b.add(info);
            const Buffer y = b.output("y", DataType::float64, 1);
            if (first) b.store(own, 0, b.constant(f64, 1));
            b.store(y, 0, b.load(own, 0));
            b.store(own, 0, b.constant(f64, 1));
            if (first)
                expect_passes(b.finish(), VerificationLevel::lowered);
            else
                expect_fails(b.finish(), VerificationLevel::lowered,
                             "nothing has been stored to 'own' before");
        }
    }
}

/// A barrier inside what `wrap` opens.
Program with_barrier(const std::function<void(Builder&, const std::function<void()>&)>& wrap) {
    Builder b("meet");
    b.launch({.blocks = {2, 1, 1}, .threads = {4, 2, 1}});
    wrap(b, [&] { b.barrier(); });
    return b.finish();
}

TEST(Verify, BarriersAreReachedByAllThreadsAlike) {
    using Inner = std::function<void()>;
    const auto under_loop = [](Affine begin, Affine end, For::Kind kind = For::Kind::serial) {
        return [=](Builder& b, const Inner& inner) {
            b.for_loop("i", begin, end, 1, kind, [&](const Affine&) { inner(); });
        };
    };
    const auto under_condition = [](bool by_thread, int axis) {
        return [=](Builder& b, const Inner& inner) {
            const Affine form = by_thread ? b.thread(axis) : b.block(axis);
            b.if_then({{form - 1, Condition::Relation::negative}}, inner);
        };
    };
    const std::string failure = "a barrier is in";
    expect_passes(with_barrier([](Builder&, const Inner& inner) { inner(); }), VerificationLevel::lowered);
    expect_passes(with_barrier(under_condition(false, 0)), VerificationLevel::lowered);
    expect_fails(with_barrier(under_condition(true, 0)), VerificationLevel::lowered, failure);
    expect_fails(with_barrier(under_condition(true, 1)), VerificationLevel::lowered, failure);
    expect_passes(with_barrier(under_condition(true, 2)), VerificationLevel::lowered); // one thread along z
    expect_passes(with_barrier(under_loop(0, 4)), VerificationLevel::lowered);
    expect_fails(with_barrier(under_loop(0, 4, For::Kind::parallel)), VerificationLevel::lowered, failure);
    expect_passes(with_barrier([](Builder& b, const Inner& inner) {
                      const Affine t = b.thread();
                      b.for_loop("i", t, t + 4, 1, For::Kind::serial, [&](const Affine&) { inner(); });
                  }),
                  VerificationLevel::lowered);
    expect_fails(with_barrier([](Builder& b, const Inner& inner) {
                     b.for_loop("i", b.thread(), [&](const Affine&) { inner(); });
                 }),
                 VerificationLevel::lowered, failure);
    expect_fails(with_barrier([](Builder& b, const Inner& inner) {
                     b.for_loop("i", b.thread(), b.thread() + 4, 1, For::Kind::serial, [&](const Affine& i) {
                         b.if_then({{i, Condition::Relation::zero}}, inner);
                     });
                 }),
                 VerificationLevel::lowered, failure);
}

TEST(Verify, LoweredProgramsHoldPlainVectorLoopsOfScalarOperations) {
    expect_passes(strided(4, 1, 0, For::Kind::serial, 4), VerificationLevel::lowered);
    expect_fails(strided(4, 1, 0, For::Kind::vector, 4), VerificationLevel::lowered,
                 "is no scalar operation");
    Program program = strided(8, 1, 0, For::Kind::vector);
    For& loop = std::get<For>(program.body[0].node);
    loop.begin = 1;
    expect_fails(program, VerificationLevel::lowered,
                 "the vector loop over 'i' does not run from 0 to a small constant");
    loop.begin = 0;
    loop.body.push_back({If{}});
    expect_fails(program, VerificationLevel::lowered,
                 "the vector loop over 'i' has more than straight-line blocks in its body");
}

TEST(Verify, VectorizedProgramsHaveNoVectorLoops) {
    const Program program = strided(8, 1, 0, For::Kind::vector);
    expect_fails(program, VerificationLevel::vectorized, "the loop over 'i' is still a vector loop");
    expect_fails(program, VerificationLevel::legalized, "the loop over 'i' is still a vector loop");
}

TEST(Verify, MachineProgramsRearrangeLanesByInstructionsOnly) {
    static const Instruction swap{.name = "swap",
                                  .operands = {{DataType::float64, 2}},
                                  .result = {DataType::float64, 2},
                                  .lane_map = {1, 0}};
    for (const bool instruction : {false, true}) {
        Builder b("swap");
        const Buffer x = b.input("x", DataType::float64, 2);
        const Buffer y = b.output("y", DataType::float64, 2);
        const Value v = b.load(x, 0, {.lanes = 2});
        b.store(y, 0, instruction ? b.instruction(swap, {v}) : b.shuffle(v, v, {1, 0}));
        const Program program = b.finish();
        expect_passes(program, VerificationLevel::vectorized);
        if (instruction)
            expect_passes(program, VerificationLevel::legalized);
        else
            expect_fails(program, VerificationLevel::legalized, "is no instruction of the target");
    }
}

TEST(Verify, LegalizedAddressesHaveOneVariable) {
    Builder b("address");
    const Buffer y = b.output("y", DataType::float64, 16);
    b.for_loop("i", 4, [&](const Affine& i) {
        const Affine p = b.induction("p", 4 * i * 0, 4);
        b.for_loop("j", 4, [&](const Affine& j) { b.store(y, p + j, b.constant(f64, 0)); });
    });
    const Program two = b.finish();
    expect_passes(two, VerificationLevel::vectorized);
    expect_fails(two, VerificationLevel::legalized, "its address has more than one variable");

    const auto lanes = [](int count) {
        Builder of("lanes");
        const Buffer x = of.input("x", DataType::float64, 16);
        const Buffer to = of.output("y", DataType::float64, 16);
        of.store(to, 0, of.load(x, 0, {.lanes = count}));
        return of.finish();
    };
    expect_passes(lanes(3), VerificationLevel::vectorized);
    expect_passes(lanes(4), VerificationLevel::legalized);
    expect_fails(lanes(3), VerificationLevel::legalized, "its number of lanes is no power of two");
    expect_fails(strided(4, 1, 0, For::Kind::unrolled), VerificationLevel::legalized,
                 "the loop over 'i' is not unrolled");
    expect_passes(strided(4, 1, 0, For::Kind::unrolled), VerificationLevel::vectorized);
}

TEST(Verify, LaunchesHavePositiveExtents) {
    Program program = strided(4, 1, 0);
    program.launch.threads[1] = 0;
    expect_fails(program, VerificationLevel::lowered, "launch with an extent of 0");
}

} // namespace verify_test
} // namespace swirl::ir
