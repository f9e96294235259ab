// Passes that change what is in memory, or which memory: scalar replacement, layout, instructions.

#include "ir/verify.hpp"
#include "passes/change_layout.hpp"
#include "passes/remove_dead_code.hpp"
#include "passes/scalar_replacement.hpp"
#include "passes/select_instructions.hpp"
#include "passes/support.hpp"
#include "passes/vectorize.hpp"

namespace swirl::passes {
namespace memory_passes_test {

using namespace ir;

Program replaced(const Program& before) {
    const Program after = remove_dead_code(scalar_replacement(before));
    verify(after, VerificationLevel::vectorized);
    expect_same_results(before, after);
    return after;
}

TEST(ScalarReplacement, RemovesScratchWithinABlock) {
    Builder b("passes");
    const Buffer in = b.input("in", DataType::float64, 16), out = b.output("out", DataType::float64, 16);
    const Buffer scratch = b.scratch("scratch", DataType::float64, 16);
    b.for_loop("i", 2, [&](const Affine& i) {
        for (Integer k = 0; k < 8; ++k) b.store(scratch, 8 * i + k, b.load(in, 8 * i + k));
        for (Integer k = 0; k < 8; ++k) b.store(out, 8 * i + k, b.load(scratch, 8 * i + 7 - k));
    });
    const Program after = replaced(b.finish());
    EXPECT_EQ(count(after, Opcode::load), 8);
    EXPECT_EQ(count(after, Opcode::store), 8);
}

TEST(ScalarReplacement, ReloadsAfterAliasingStores) {
    Builder b("overwritten");
    const Buffer in = b.input("in", DataType::float64, 16), out = b.output("out", DataType::float64, 16);
    const Buffer local = b.local("local", DataType::float64, 16);
    b.for_loop("i", 8, [&](const Affine& i) {
        b.store(local, 4, b.load(in, 0));
        b.store(local, i, b.load(in, i)); // at 4 once
        b.store(out, i, b.load(local, 4));
        b.store(local, 4, b.load(in, 2));
        b.store(out, i + 8, b.load(local, 4));
    });
    const Program after = replaced(b.finish());
    EXPECT_EQ(count(after, Opcode::load), 4); // three of `in`, one of `local`
}

TEST(ScalarReplacement, ForwardsWholeVectorsOnly) {
    Builder b("vectors");
    const Buffer in = b.input("in", DataType::float64, 16), out = b.output("out", DataType::float64, 16);
    const Buffer s = b.scratch("s", DataType::float64, 16);
    const Value whole = b.load(in, 0, {.lanes = 4});
    b.store(s, 0, whole, {.lanes = 4});
    b.store(s, 8, whole, {.lanes = 4, .active = 3});
    b.store(out, 0, b.load(s, 0, {.lanes = 4}), {.lanes = 4});
    b.store(out, 4, b.load(s, 8, {.lanes = 4, .active = 3}), {.lanes = 4});
    b.store(out, 8, b.load(s, 1, {.lanes = 2}), {.lanes = 2});
    const Program after = replaced(b.finish());
    EXPECT_EQ(count(after, Opcode::load), 3);
    EXPECT_EQ(count(after, Opcode::store), 5);
}

TEST(ScalarReplacement, ForwardsPartialVectorsWhoseOtherLanesDoNotMatter) {
    Builder b("partial");
    const Buffer in = b.input("in", DataType::float64, 16), out = b.output("out", DataType::float64, 16);
    const Buffer s = b.scratch("s", DataType::float64, 16);
    b.store(s, 0, b.load(in, 0, {.lanes = 4}), {.active = 3});
    const Value loaded = b.load(s, 0, {.lanes = 4, .active = 3});
    b.store(out, 0, b.add(loaded, loaded), {.active = 3});
    b.store(out, 4, b.shuffle(loaded, loaded, {2, 1, 0, 4}));
    const Program after = replaced(b.finish());
    EXPECT_EQ(count(after, Opcode::load), 1);
    EXPECT_EQ(count(after, Opcode::store), 2);
}

TEST(ScalarReplacement, AssemblesVectorsThatStraddleStoredOnes) {
    Builder b("straddling");
    const Buffer in = b.input("in", DataType::float64, 16), out = b.output("out", DataType::float64, 16);
    const Buffer s = b.scratch("s", DataType::float64, 16);
    for (const Integer k : {0, 4}) b.store(s, k, b.load(in, k, {.lanes = 4}));
    b.store(out, 0, b.load(s, 3, {.lanes = 4}));                             // of two stored vectors
    b.store(out, 4, b.load(s, 2, {.lanes = 4, .active = 3}), {.active = 3}); // the last lane does not matter
    b.store(out, 8, b.load(s, 5, {.lanes = 4, .active = 2}), {.active = 2}); // within one
    const Program after = replaced(b.finish());
    EXPECT_EQ(count(after, Opcode::load), 2) << "those of the input";
    EXPECT_EQ(count(after, Opcode::store), 3);
    EXPECT_EQ(count(after, Opcode::shuffle), 3);
}

TEST(ScalarReplacement, LoadsVectorsThatNoStoreCovers) {
    Builder b("uncovered");
    const Buffer in = b.input("in", DataType::float64, 16), out = b.output("out", DataType::float64, 16);
    b.store(out, 0, b.load(in, 0, {.lanes = 4}), {.active = 3});
    b.store(out, 4, b.load(in, 4, {.lanes = 4}));
    b.store(out, 8, b.load(out, 2, {.lanes = 4})); // element 3 is not stored
    const Program after = replaced(b.finish());
    EXPECT_EQ(count(after, Opcode::load), 3);
    EXPECT_EQ(count(after, Opcode::shuffle), 0);
}

TEST(ScalarReplacement, RemovesStoresThatAreOverwrittenUnread) {
    Builder b("twice");
    const Buffer in = b.input("in", DataType::float64, 4), out = b.output("out", DataType::float64, 4);
    b.store(out, 0, b.load(in, 0));
    b.store(out, 1, b.load(out, 0));
    b.store(out, 0, b.load(in, 1));
    b.store(out, 2, b.load(out, 3));
    const Program after = replaced(b.finish());
    EXPECT_EQ(count(after, Opcode::store), 3);
}

TEST(ScalarReplacement, KeepsScratchThatAnotherLoopReads) {
    Builder b("loops");
    const Buffer in = b.input("in", DataType::float64, 4), out = b.output("out", DataType::float64, 4);
    const Buffer s = b.scratch("s", DataType::float64, 4), unread = b.scratch("unread", DataType::float64, 4);
    b.for_loop("i", 4, [&](const Affine& i) {
        b.store(s, i, b.load(in, i));
        b.store(unread, i, b.load(in, i));
    });
    b.for_loop("i", 4, [&](const Affine& i) { b.store(out, i, b.load(s, 3 - i)); });
    EXPECT_EQ(count(replaced(b.finish()), Opcode::store), 2);
}

/// out[e] = i · in[map[e]] for complex e, with interleaved buffers.
Program rotated_by_table() {
    Builder b("rotated");
    const Buffer map = b.table("map", std::vector<Integer>{6, 0, 4, 2});
    const Buffer in = b.input("in", DataType::float64, 8);
    const Buffer other = b.output("other", DataType::float64, 4);
    const Buffer out = b.output("out", DataType::float64, 8);
    b.for_loop("e", 4, [&](const Affine& e) {
        const Value at = b.load(map, e);
        b.store(out, 2 * e, b.negate(b.load(in, 1, {.dynamic = at})));
        b.store(out, 2 * e + 1, b.load(in, 0, {.dynamic = at}));
        b.store(other, e, b.load(in, 2 * e + 1));
    });
    return b.finish();
}

Buffer named(const Program& program, const std::string& name) {
    for (std::size_t b = 0; b < program.buffers.size(); ++b)
        if (program.buffers[b].name == name) return static_cast<Buffer>(b);
    return -1;
}
Program split(const Program& program, const std::string& name) {
    return interleaved_to_planar(program, named(program, name));
}
Program joined(const Program& program, const std::string& name) {
    return planar_to_interleaved(program, named(program, name + "_re"), named(program, name + "_im"), name);
}

TEST(ChangeLayout, SplitsInterleavedBuffersAndJoinsThemAgain) {
    const Program interleaved = rotated_by_table();
    Program planar = split(split(interleaved, "in"), "out");
    verify(planar, VerificationLevel::lowered);
    std::vector<std::string> names;
    for (const BufferInfo& buffer : planar.buffers) names.push_back(buffer.name);
    EXPECT_EQ(std::vector<std::string>(names.begin(), names.begin() + 6),
              (std::vector<std::string>{"map", "in_re", "in_im", "other", "out_re", "out_im"}));
    EXPECT_EQ(planar.buffers[1].role, (Role{ArgumentRole::input, 0, Component::real}));
    EXPECT_EQ(planar.buffers[2].role, (Role{ArgumentRole::input, 0, Component::imaginary}));
    EXPECT_EQ(planar.buffers[3].role, Role{ArgumentRole::output});

    Arguments a(interleaved), p(planar);
    for (Integer e = 0; e < 4; ++e)
        for (Integer c = 0; c < 2; ++c) {
            a["in"].set(2 * e + c, 10 * e + c);
            p[c == 0 ? "in_re" : "in_im"].set(e, 10 * e + c);
        }
    interpret(interleaved, a);
    interpret(planar, p);
    for (Integer e = 0; e < 4; ++e) {
        EXPECT_EQ(a["out"][2 * e], p["out_re"][e]);
        EXPECT_EQ(a["out"][2 * e + 1], p["out_im"][e]);
        EXPECT_EQ(a["other"][e], p["other"][e]);
    }

    const Program again = joined(joined(planar, "in"), "out");
    verify(again, VerificationLevel::lowered);
    EXPECT_EQ(again.buffers[1].role, Role{ArgumentRole::input});
    expect_same_results(interleaved, again);
}

/// out[j] = in[map[j]], j < 4, of components of interleaved complex elements.
Program components_by_table(std::vector<Integer> map, Integer constant) {
    Builder b("parts");
    const Buffer table = b.table("map", std::move(map));
    const Buffer in = b.input("in", DataType::float64, 8), out = b.output("out", DataType::float64, 4);
    b.for_loop("j", 4, [&](const Affine& j) {
        b.store(out, j, b.load(in, constant, {.dynamic = b.load(table, j)}));
    });
    return b.finish();
}

TEST(ChangeLayout, AcceptsOddIndexTablesAndRejectsMixedOnes) {
    for (const Integer constant : {0, -1}) {
        const Program planar = split(components_by_table({7, 1, 5, 3}, constant), "in");
        verify(planar, VerificationLevel::lowered);
        Arguments arguments(planar);
        for (Integer e = 0; e < 4; ++e) {
            arguments["in_re"].set(e, 10 * e);
            arguments["in_im"].set(e, 10 * e + 1);
        }
        interpret(planar, arguments);
        const int loaded = constant == 0 ? 1 : 0;
        EXPECT_EQ(arguments["out"].values(),
                  (std::vector<double>{30. + loaded, 0. + loaded, 20. + loaded, 10. + loaded}));
    }
    EXPECT_THROW(split(components_by_table({6, 1, 5, 3}, 0), "in"), InternalError);
}

/// out[j] = in[…] of interleaved complex elements: an affine form and an entry of a table where a condition holds, else
/// another form.
Program guarded_by_table(bool doubled) {
    Builder b("guarded");
    const Buffer table =
        b.table("map", doubled ? std::vector<Integer>{1, 0, 1, 2} : std::vector<Integer>{2, 0, 2, 4});
    const Buffer in = b.input("in", DataType::float64, 16), out = b.output("out", DataType::float64, 8);
    b.for_loop("j", 4, [&](const Affine& j) {
        const Value entry = b.load(table, j);
        const Value wanted = b.add(b.index(2 * j + 3), doubled ? b.add(entry, entry) : entry);
        const Value other = b.subtract(b.index(7), doubled ? b.add(entry, entry) : entry);
        const Value at = b.select(b.less(b.index(j), b.index(2)), wanted, other);
        b.store(out, 2 * j, b.load(in, 0, {.dynamic = at}));
        b.store(out, 2 * j + 1, b.load(in, -1, {.dynamic = at}));
    });
    return b.finish();
}

TEST(ChangeLayout, TakesSumsOfFormsAndEntriesOfTables) {
    for (const bool doubled : {false, true}) {
        const Program interleaved = guarded_by_table(doubled);
        const Program planar = split(interleaved, "in");
        verify(planar, VerificationLevel::lowered);
        Arguments a(interleaved), p(planar);
        for (Integer i = 0; i < 16; ++i) {
            a["in"].set(i, i);
            p[i % 2 == 0 ? "in_re" : "in_im"].set(i / 2, i);
        }
        interpret(interleaved, a);
        interpret(planar, p);
        EXPECT_EQ(a["out"].values(), p["out"].values()) << doubled;
        EXPECT_EQ(a["out"].values().front(), 5);
        expect_same_results(interleaved, joined(planar, "in"));
    }
}

TEST(ChangeLayout, KeepsRealComponentsAlone) {
    const Program interleaved = rotated_by_table();
    const Program reals = real_components(interleaved, named(interleaved, "out"));
    verify(reals, VerificationLevel::lowered);
    Arguments a(interleaved), r(reals);
    for (Integer k = 0; k < 8; ++k) {
        a["in"].set(k, static_cast<double>(3 * k + 1));
        r["in"].set(k, static_cast<double>(3 * k + 1));
    }
    interpret(interleaved, a);
    interpret(reals, r);
    ASSERT_EQ(r["out"].values().size(), a["out"].values().size() / 2);
    for (std::size_t e = 0; e < r["out"].values().size(); ++e)
        EXPECT_EQ(r["out"].values()[e], a["out"].values()[2 * e]);
    EXPECT_THROW(real_components(interleaved, named(interleaved, "in")), InternalError);
}

TEST(ChangeLayout, RefusesWhatIsNotInPairs) {
    Builder b("odd");
    const Buffer in = b.input("in", DataType::float64, 8), out = b.output("out", DataType::float64, 8);
    b.for_loop("i", 8, [&](const Affine& i) { b.store(out, i, b.load(in, i)); });
    EXPECT_THROW(split(b.finish(), "in"), InternalError);
    EXPECT_THROW(interleaved_to_planar(rotated_by_table(), 4), InternalError);
}

TEST(SelectInstructions, KeepsEveryLaneOnEveryCpu) {
    for (const target::Cpu* cpu : target::cpus())
        for (const DataType scalar : {DataType::float32, DataType::float64}) {
            const int lanes = target::lanes(*cpu, scalar);
            for (const Integer columns : {2, 3, 4, 6, 8}) {
                Builder b("columns");
                const Buffer in = b.input("in", scalar, 256), out = b.output("out", scalar, 256);
                b.for_loop("l", 0, lanes, 1, For::Kind::vector, [&](const Affine& l) {
                    for (Integer j = 0; j < columns; ++j) {
                        b.store(out, columns * l + columns - 1 - j, b.load(in, columns * l + j));
                        b.store(out, lanes * (columns + j) + l, b.load(in, lanes - l + j));
                    }
                });
                const Program before = b.finish();
                const Program after = select_instructions(vectorize(before, lanes, cpu->permutes_two), *cpu);
                if (cpu->set != target::InstructionSet::portable) {
                    EXPECT_EQ(count(after, Opcode::shuffle), 0);
                }
                expect_same_results(before, after);
            }
        }
}

} // namespace memory_passes_test
} // namespace swirl::passes
