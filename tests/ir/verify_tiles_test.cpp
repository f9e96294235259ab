// The verifier's rules for tensors, roles, tiles and mbarriers: a kernel that passes, and twins that break one rule each.

#include "ir/verify.hpp"

#include "ir/print.hpp"
#include "support/error_of.hpp"
#include "tiles_kernel.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace swirl::ir::test {
namespace verify_tiles_test {

std::string failure(const Program& program) {
    return error_of<InternalError>([&] { verify(program, VerificationLevel::vectorized); });
}

void expect_fails(const std::function<void(Program&)>& change, const std::string& what) {
    Program program = TilesKernel{}.program();
    change(program);
    EXPECT_NE(failure(program).find(what), std::string::npos) << what << "\n" << failure(program);
}

WarpRoles& roles_of(Program& program) {
    for (Statement& statement : program.body)
        if (auto* roles = std::get_if<WarpRoles>(&statement.node)) return *roles;
    throw InternalError("no roles");
}

/// Changes the first operation of the kind.
std::function<void(Program&)> changed(Opcode opcode,
                                      const std::function<void(Operation&, AsyncTileOperation&)>& change) {
    return [=](Program& program) {
        for (Operation& operation : program.operations) {
            if (operation.opcode != opcode) continue;
            auto tile = std::make_shared<AsyncTileOperation>(*operation.tile);
            change(operation, *tile);
            operation.tile = std::move(tile);
            return;
        }
    };
}

TEST(VerifyTiles, PassesWhatIsRight) {
    EXPECT_EQ(failure(TilesKernel{}.program()), "");
    EXPECT_EQ(failure(TilesKernel{.blocks = 4, .cluster = 2}.program()), "");
}

TEST(VerifyTiles, TensorsAreSuchAsTheCopyEngineTakes) {
    const auto tensor = [](const std::function<void(TensorInfo&)>& change) {
        return [=](Program& program) { change(program.tensors.front()); };
    };
    expect_fails(tensor([](TensorInfo& t) { t.strides[0] = 2; }), "tensor 'of_a': stride 0 is 2");
    expect_fails(tensor([](TensorInfo& t) { t.strides[1] = 6; }), "stride 1 is 6");
    expect_fails(tensor([](TensorInfo& t) { t.box[0] = 3; }), "rows of boxes have 3 elements");
    expect_fails(tensor([](TensorInfo& t) { t.box[1] = 257; }), "in boxes of 257");
    expect_fails(tensor([](TensorInfo& t) { t.swizzle = 64; }), "have 128 bytes, of which 64 are swizzled");
    expect_fails(tensor([](TensorInfo& t) { t.box.pop_back(); }), "2 extents, 2 strides, and boxes of 1");
    expect_fails(tensor([](TensorInfo& t) { t.extents[1] = 65; }), "it has elements 0 to");
    expect_fails(tensor([](TensorInfo& t) { t.origin = 1; }), "it begins at no multiple of 16 bytes");
    expect_fails(tensor([](TensorInfo& t) { t.buffer = TilesKernel::a_tiles; }), "is not in global memory");
    expect_fails([](Program& program) { program.tensors[2].buffer = TilesKernel::a; }, "is only to be read");
}

TEST(VerifyTiles, RowsOfBoxesBeginAtWholeChunks) {
    const auto begins = [](Opcode opcode, const std::function<void(Operation&)>& change) {
        return [=](Program& program) {
            for (const Operation& operation : program.operations)
                if (operation.opcode == opcode)
                    return change(program.operations[static_cast<std::size_t>(operation.operands[0])]);
        };
    };
    const auto at = [](Affine index) {
        return [=](Operation& x) {
            x.opcode = Opcode::index;
            x.address.index = index;
        };
    };
    for (const Opcode opcode : {Opcode::tma_load, Opcode::tma_store})
        expect_fails(begins(opcode, [](Operation& x) { x.constant = -6; }),
                     "no multiple of 4 of a row of 'of_");
    expect_fails(begins(Opcode::tma_load, at(-46)), "no multiple of 4 of a row of 'of_a': -46");
    expect_fails(begins(Opcode::tma_load, at(Affine::of(0, 128) - 46)), "no multiple of 4");
    Program may_be_right = TilesKernel{}.program();
    begins(Opcode::tma_load, at(Affine::of(0, 2) - 46))(may_be_right);
    EXPECT_EQ(failure(may_be_right), "");
}

TEST(VerifyTiles, BoxesAreAlignedInEveryStage) {
    expect_fails(changed(Opcode::tma_load,
                         [](Operation& operation, AsyncTileOperation&) {
                             operation.address.dynamic = operation.operands[0];
                             operation.address.dynamic_scale = 16;
                         }),
                 "moves in 'a_tiles' by 64 bytes, no multiple of 128");
}

TEST(VerifyTiles, RolesAreWholeWarpgroupsAndAllOfABlock) {
    const auto roles = [](const std::function<void(std::vector<WarpRole>&)>& change) {
        return [=](Program& program) { change(roles_of(program).roles); };
    };
    expect_fails(roles([](auto& r) { r[0].threads = 64; }), "'loads' has no whole warpgroups");
    expect_fails(roles([](auto& r) { r[1].first_thread = 0; }), "begins at thread 0, not 128");
    expect_fails(roles([](auto& r) { r.pop_back(); }), "of 128 threads in a block of 256");
    expect_fails(roles([](auto& r) { r[0].registers = 20; }), "'loads' has 20 registers");
    expect_fails(roles([](auto& r) { r[1].registers = 100; }), "'multiplies' has 100 registers");
    expect_fails(roles([](auto& r) { r[0].body.push_back(Statement{WarpRoles{r}}); }), "roles are in a role");
    expect_fails(
        roles([](auto& r) { r[0].body.push_back(Statement{Barrier{.of_cooperative_group = true}}); }),
        "a barrier among blocks is in a role");
    expect_fails(
        [](Program& program) {
            If choice;
            choice.conditions = std::get<If>(program.body.front().node).conditions;
            WarpRoles taken = std::move(roles_of(program));
            program.body.resize(2);
            choice.then.push_back(Statement{std::move(taken)});
            program.body.push_back(Statement{std::move(choice)});
        },
        "roles are not reached uniformly by all threads");
}

TEST(VerifyTiles, SignalsAreInitializedBeforeTheyAreUsed) {
    expect_fails([](Program& program) { program.body.erase(program.body.begin()); },
                 "nothing has been stored to 'signals' before");
    expect_fails(changed(Opcode::mbarrier_init, [](Operation&, AsyncTileOperation& t) { t.count = 0; }),
                 "waits for 0 arrivals");
    expect_fails(
        changed(Opcode::mbarrier_wait, [](Operation& o, AsyncTileOperation&) { o.address.index = 4; }),
        "reaches elements 4 to 4 of 'signals'");
}

TEST(VerifyTiles, TilesLieInTheirBuffersAligned) {
    expect_fails(changed(Opcode::tma_load, [](Operation& o, AsyncTileOperation&) { o.address.index = 2080; }),
                 "reaches elements 2080 to 4127 of 'a_tiles'");
    expect_fails(changed(Opcode::tma_load, [](Operation& o, AsyncTileOperation&) { o.address.index = 4; }),
                 "is at 16 bytes of 'a_tiles', no multiple of 128");
    expect_fails(changed(Opcode::tma_load, [](Operation&, AsyncTileOperation& t) { t.blocks = 2; }),
                 "is for blocks 0b10 of a cluster of 1");
    expect_fails(
        changed(Opcode::wgmma, [](Operation&, AsyncTileOperation& t) { t.addresses[0].index = 2080; }),
        "of 'a_tiles', which has 0 to 4095");
    expect_fails(changed(Opcode::wgmma, [](Operation&, AsyncTileOperation& t) { t.addresses[1].index = 2; }),
                 "is at 8 bytes of 'b_tiles', no multiple of 16");
    expect_fails(changed(Opcode::wgmma, [](Operation&, AsyncTileOperation& t) { t.addresses[1].index = 28; }),
                 "extends beyond a row");
}

TEST(VerifyTiles, RegisterOperandsAreAThreadsOwn) {
    const auto expect = [](const std::function<void(Program&)>& change, const std::string& what) {
        Program program = TilesKernel{.by_registers = true}.program();
        change(program);
        EXPECT_NE(failure(program).find(what), std::string::npos) << what << "\n" << failure(program);
    };
    const auto product = [](const std::function<void(Program&, AsyncTileOperation&)>& change) {
        return [=](Program& program) {
            changed(Opcode::wgmma,
                    [&](Operation&, AsyncTileOperation& tile) { change(program, tile); })(program);
        };
    };
    EXPECT_EQ(failure(TilesKernel{.by_registers = true}.program()), "");
    expect(product([](Program&, AsyncTileOperation& t) { t.addresses[0].index = 13; }),
           "an operand from 13 on of 'factor', which has 16");
    expect(product([](Program&, AsyncTileOperation& t) { t.addresses[0].index = -1; }),
           "an operand from -1 on");
    expect(product([](Program& program, AsyncTileOperation& t) {
               t.addresses[0].index = program.body.empty() ? 0 : Affine::of(0, 1);
           }),
           "an operand at no constant index of 'factor'");
    expect(product([](Program&, AsyncTileOperation& t) { t.addresses[1] = t.addresses[0]; }),
           "a tile in 'factor'");
    static constexpr WgmmaInstruction without = {
        .name = "other", .columns = 8, .k = 8, .operand_type = DataType::float32, .text = "other"};
    expect(product([](Program&, AsyncTileOperation& t) { t.instruction = &without; }), "a tile in 'factor'");
}

TEST(VerifyTiles, OnlyLoadsOfFloat32Round) {
    EXPECT_EQ(failure(TilesKernel{.rounds = true}.program()), "");
    expect_fails([](Program& program) { program.tensors[2].rounds = true; },
                 "stores what is rounded as it is loaded");
    expect_fails(
        [](Program& program) {
            program.tensors[0].rounds = true;
            program.buffers[TilesKernel::a].element = DataType::int32;
        },
        "it rounds int32");
}

TEST(VerifyTiles, FencesBeginProductsOnly) {
    expect_fails(
        [](Program& program) {
            program.body.push_back(Statement{AsyncFence{.kind = AsyncFence::Kind::begin}});
        },
        "a fence begins what is no product of tiles");
}

TEST(VerifyTiles, ArePrintedWithAllThatTheyNeed) {
    const std::string text = to_string(TilesKernel{.blocks = 2, .cluster = 2}.program(), PrintStyle::compact);
    for (const char* const line : {
             "tensor of_a of a[0], extents 157x128, strides 1,160, boxes 32x64 swizzled by 128 bytes\n",
             "mbarrier_init signals[0] for 1 arrivals\n",
             "role multiplies of threads 128 to 255 with 240 registers:\n",
             "mbarrier_arrive_expect_tx 9216 bytes at signals[0]\n",
             "] of blocks 0b11, signal signals[0]\n",
             "sums[0] += a_tiles[8] * b_tiles[8] by m64n8k8\n",
             "mbarrier_arrive at signals[2] of block 1\n",
             "mbarrier_wait for parity 0 at signals[0]\n",
             "tma_store c_tile[0] to of_c (0, ",
         })
        EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

} // namespace verify_tiles_test
} // namespace swirl::ir::test
