#pragma once

#include "ir/builder.hpp"
#include "ir/tile.hpp"

#include <set>

/// A matrix product in which one warpgroup of each block loads tiles and another multiplies them, and mistakes in it.
namespace swirl::ir::test {

inline constexpr WgmmaInstruction small_product = {.name = "m64n8k8",
                                                   .rows = 64,
                                                   .columns = 8,
                                                   .k = 8,
                                                   .operand_type = DataType::float32,
                                                   .ignored_bits = 13,
                                                   .a_in_registers = true,
                                                   .text = "m64n8k8"};

enum class Mistake : std::uint8_t {
    none,
    does_not_wait_for_tiles,
    does_not_wait_for_free_stage,
    does_not_arrive,
    arrives_too_early, ///< before products have read what there is no more need of
    arrives_twice,
    expects_too_much,
    expects_twice,
    initializes_without_barrier,
    does_not_begin,
    does_not_wait_for_products,
    does_not_publish,
    publishes_too_late, ///< after the barrier
    omits_barrier,      ///< before one thread stores what all have written
    does_not_wait_for_store,
    divides_team,
    touches_sums,
    touches_factor, ///< of products from registers, as the following do
    reads_factor,
    lacks_factor,
    loads_after_products,
    reuses_stored_tile,
    begins_within_chunk, ///< a row of a load, of its tensor
    stores_within_chunk,
};

/// c (rows × 8) = a (rows × k) · bᵀ (8 × k); blocks have 64 rows, and the first of a cluster loads b for all.
struct TilesKernel {
    static constexpr Integer warpgroup = 128, rows = 64, columns = 8, in_tile = 32, stages = 2;
    Integer k_tiles = 5;
    Integer blocks = 1;
    Integer cluster = 1;
    Integer k_extent = 5 * in_tile - 3; ///< the last tile reaches out
    Mistake mistake = Mistake::none;
    bool by_registers = false;        ///< tiles of a go to registers before they are multiplied
    bool rounds = false;              ///< what is loaded of a
    Integer stored_columns = columns; ///< of c's tensor; the others lie outside

    // in the order in which they are added
    static constexpr Buffer a = 0, b = 1, c = 2, a_tiles = 3, b_tiles = 4, c_tile = 5, mbarriers = 6,
                            sums = 7,
                            factor = 8; // by registers

    bool has(Mistake which) const { return mistake == which; }

    static BufferInfo shared(const char* name, DataType element, Integer elements) {
        BufferInfo info;
        info.name = name;
        info.element = element;
        info.space = Space::shared;
        info.elements = elements;
        info.written = true;
        info.alignment = swizzle_pattern_bytes;
        return info;
    }
    static BufferInfo global(const char* name, Integer elements, bool written) {
        BufferInfo info;
        info.name = name;
        info.role.argument = written ? ArgumentRole::output : ArgumentRole::input;
        info.element = DataType::float32;
        info.elements = elements;
        info.written = written;
        info.alignment = 16;
        return info;
    }
    Integer row_elements() const { return k_extent + 3; } // a multiple of 16 bytes apart

    Program program() const {
        Builder builder("tiles");
        builder.launch({.blocks = {blocks, 1, 1}, .threads = {2 * warpgroup, 1, 1}, .cluster = cluster});
        builder.add(global("a", blocks * rows * row_elements(), false));
        builder.add(global("b", columns * row_elements(), false));
        builder.add(global("c", blocks * rows * columns, true));
        builder.add(shared("a_tiles", DataType::float32, stages * rows * in_tile));
        builder.add(shared("b_tiles", DataType::float32, stages * columns * in_tile));
        builder.add(shared("c_tile", DataType::float32, rows * columns));
        builder.add(shared("signals", DataType::int64, 2 * stages));
        builder.local("sums", DataType::float32, small_product.registers());
        if (by_registers) builder.local("factor", DataType::float32, in_tile / small_product.k * a_registers);
        builder.tensor(
            {"of_a", a, 0, {k_extent, blocks * rows}, {1, row_elements()}, {in_tile, rows}, 128, rounds});
        builder.tensor({"of_b", b, 0, {k_extent, columns}, {1, row_elements()}, {in_tile, columns}, 128});
        builder.tensor({"of_c", c, 0, {stored_columns, blocks * rows}, {1, columns}, {columns, rows}});
        builder.if_then({{builder.thread(), Condition::Relation::zero}}, [&] {
            for (Integer stage = 0; stage < stages; ++stage) {
                builder.mbarrier_init({.buffer = mbarriers, .index = stage}, 1);
                builder.mbarrier_init({.buffer = mbarriers, .index = stages + stage}, cluster);
            }
        });
        if (cluster > 1)
            builder.cluster_barrier();
        else if (!has(Mistake::initializes_without_barrier))
            builder.barrier();
        builder.roles({{"loads", 0, warpgroup, 24, {}}, {"multiplies", warpgroup, warpgroup, 240, {}}},
                      [&](std::size_t role) { role == 0 ? loads(builder) : multiplies(builder); });
        if (cluster > 1) builder.cluster_barrier();
        return builder.finish();
    }

private:
    static Value integer_constant(Builder& builder, Integer n) {
        return builder.constant({DataType::int64, 1}, static_cast<long double>(n));
    }

    void loads(Builder& builder) const {
        builder.if_then({{builder.thread(), Condition::Relation::zero}}, [&] {
            for (Integer k_tile = 0; k_tile < k_tiles; ++k_tile) load(builder, k_tile);
        });
    }

    void load(Builder& builder, Integer k_tile) const {
        const Integer stage = k_tile % stages;
        const Builder::MemoryOperand full{.buffer = mbarriers, .index = stage};
        if (!has(Mistake::does_not_wait_for_free_stage))
            builder.mbarrier_wait({.buffer = mbarriers, .index = stages + stage},
                                  integer_constant(builder, 1 - k_tile / stages % 2));
        builder.mbarrier_arrive_expect_tx(
            full, 4 * in_tile * (rows + columns) + (has(Mistake::expects_too_much) ? 4 : 0));
        if (has(Mistake::expects_twice)) builder.mbarrier_arrive_expect_tx(full, 0);
        Value k = integer_constant(builder, k_tile * in_tile);
        const Value zero = integer_constant(builder, 0);
        if (has(Mistake::begins_within_chunk)) k = builder.add(k, integer_constant(builder, -2));
        const Value row = builder.index(rows * builder.block());
        builder.tma_load(0, std::vector{k, row}, {.buffer = a_tiles, .index = stage * rows * in_tile}, full);
        builder.if_then({{builder.block(0, 1, cluster), Condition::Relation::zero}}, [&] {
            builder.tma_load(1, std::vector{k, zero}, {.buffer = b_tiles, .index = stage * columns * in_tile},
                             full, cluster > 1 ? (1U << cluster) - 1U : 0U);
        });
    }

    void multiplies(Builder& builder) const {
        const Value zero = builder.constant({DataType::float32, 1}, 0);
        for (int r = 0; r < small_product.registers(); ++r) builder.store(sums, r, zero);
        for (Integer k_tile = 0; k_tile < k_tiles; ++k_tile) multiply(builder, k_tile);
        store(builder);
    }

    static constexpr int a_registers = small_product.a_registers();

    /// A thread's elements of a tile; swizzling permutes chunks by the row's index.
    void bring_factor(Builder& builder, Integer stage) const {
        for (Integer k = 0; k < in_tile; k += small_product.k)
            for (int r = 0; r < a_registers; ++r) {
                if (has(Mistake::lacks_factor) && k == 8 && r == 1) continue;
                const Affine row = builder.thread(0, 4, 8);
                const Integer chunk = k / 4 + r / 2;
                const Value exchanged =
                    builder.bit_xor(builder.index(4 * row), integer_constant(builder, 4 * chunk));
                const Affine at = in_tile * (16 * builder.thread(0, 32, 4) + row + r % 2 * 8) +
                                  builder.thread(0, 1, 4) + stage * rows * in_tile;
                builder.store(factor, k / small_product.k * a_registers + r,
                              builder.load(a_tiles, at, {.dynamic = exchanged}));
            }
    }

    void products(Builder& builder, Integer stage) const {
        for (Integer k = 0; k < in_tile; k += small_product.k)
            builder.wgmma(
                small_product, sums, 0,
                {by_registers
                     ? Builder::MemoryOperand{.buffer = factor, .index = k / small_product.k * a_registers}
                     : Builder::MemoryOperand{.buffer = a_tiles, .index = stage * rows * in_tile + k},
                 SmemTileLayout{}},
                {{.buffer = b_tiles, .index = stage * columns * in_tile + k}, SmemTileLayout{}});
    }

    void multiply(Builder& builder, Integer k_tile) const {
        const Integer stage = k_tile % stages;
        const auto arrive = [&] {
            builder.if_then({{builder.thread() - warpgroup, Condition::Relation::zero}}, [&] {
                for (Integer block = 0; block < cluster; ++block)
                    builder.mbarrier_arrive({.buffer = mbarriers, .index = stages + stage},
                                            cluster > 1 ? integer_constant(builder, block) : no_value);
            });
        };
        if (!has(Mistake::does_not_wait_for_tiles))
            builder.mbarrier_wait({.buffer = mbarriers, .index = stage},
                                  integer_constant(builder, k_tile / stages % 2));
        if (has(Mistake::arrives_too_early)) arrive();
        if (by_registers) bring_factor(builder, stage);
        if (!has(Mistake::does_not_begin))
            builder.fence({.kind = AsyncFence::Kind::begin, .what = of_products});
        if (has(Mistake::divides_team))
            builder.if_then({{builder.thread() - warpgroup - 1, Condition::Relation::nonnegative}},
                            [&] { products(builder, stage); });
        else
            products(builder, stage);
        builder.fence({.kind = AsyncFence::Kind::commit, .what = of_products});
        if (has(Mistake::touches_sums)) builder.store(sums, 0, builder.constant({DataType::float32, 1}, 1));
        if (has(Mistake::touches_factor))
            builder.store(factor, 3, builder.constant({DataType::float32, 1}, 1));
        if (has(Mistake::reads_factor)) builder.store(factor, 3, builder.load(factor, 3));
        if (!has(Mistake::does_not_wait_for_products))
            builder.fence({.kind = AsyncFence::Kind::wait, .pending = 0, .what = of_products});
        if (has(Mistake::loads_after_products)) bring_factor(builder, stage);
        if (!has(Mistake::arrives_too_early) && !has(Mistake::does_not_arrive)) arrive();
        if (has(Mistake::arrives_twice)) arrive();
    }

    void store(Builder& builder) const {
        for (int r = 0; r < small_product.registers(); ++r) {
            const Affine row = 16 * builder.thread(0, 32, 4) + builder.thread(0, 4, 8) + r / 2 % 2 * 8;
            const Affine column = 2 * builder.thread(0, 1, 4) + r / 4 * 8 + r % 2;
            builder.store(c_tile, columns * row + column, builder.load(sums, r));
        }
        const AsyncFence publish{.kind = AsyncFence::Kind::publish, .what = of_stores};
        if (!has(Mistake::does_not_publish) && !has(Mistake::publishes_too_late)) builder.fence(publish);
        if (!has(Mistake::omits_barrier)) builder.barrier();
        if (has(Mistake::publishes_too_late)) builder.fence(publish);
        builder.if_then({{builder.thread() - warpgroup, Condition::Relation::zero}}, [&] {
            const Value row = builder.index(rows * builder.block());
            const Value first = has(Mistake::stores_within_chunk)
                                    ? builder.add(integer_constant(builder, 1), integer_constant(builder, 1))
                                    : integer_constant(builder, 0);
            builder.tma_store(2, std::vector{first, row}, {.buffer = c_tile});
            builder.fence({.kind = AsyncFence::Kind::commit, .what = of_stores});
            if (!has(Mistake::does_not_wait_for_store) && !has(Mistake::reuses_stored_tile))
                builder.fence({.kind = AsyncFence::Kind::wait, .pending = 0, .what = of_stores});
        });
        if (!has(Mistake::reuses_stored_tile)) return;
        builder.barrier();
        builder.store(c_tile, builder.thread(0, 1, warpgroup), builder.constant({DataType::float32, 1}, 0));
    }

    static constexpr auto of_products = AsyncFence::What::wgmmas;
    static constexpr auto of_stores = AsyncFence::What::tma_stores;
};

} // namespace swirl::ir::test
