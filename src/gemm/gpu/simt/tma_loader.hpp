#pragma once

#include "gemm/gpu/simt/layout.hpp"

#include <array>
#include <string>
#include <vector>

/// Loads k-tiles of A, B or both by TMA for SIMT kernels. The block's first thread issues a load once a barrier
/// follows the last use of its stage; all threads wait for the stage's mbarrier. TMA fills coordinates outside of the
/// operand with zeros.
///
/// For a transposed operand, TMA loads K-major rows, and threads rewrite them in shared memory by k index while they
/// multiply the previous k-tile. Its loads, and the waits for them, thus come one k-tile earlier than those of other
/// operands.
namespace swirl::gemm {

class TmaLoader {
public:
    TmaLoader(ir::Builder& builder, const CanonicalSimtGemm& gemm);

    /// Where TMA writes k-tiles, and where threads load operands from.
    struct Memory {
        ir::Buffer loaded = 0, operand_buffer = 0;
    };
    /// Declares the memory of an operand's k-tiles, at least `least` scalars; the operand is in global memory.
    Memory declare(std::size_t operand, ir::Buffer matrix, Integer least);
    /// Initialises the stages' mbarriers; ends with a barrier.
    void begin();

    /// Coordinates of a block's k-tiles in an operand: the tile's first row or column, and the matrix index.
    struct Start {
        ir::Value mn = ir::no_value;
        ir::Value matrix = ir::no_value;
    };
    void start_at(std::size_t operand, const Start& start) { operands_[operand].start = start; }

    /// Whether any operand is loaded `lead` k-tiles early: 1 for transposed operands, 0 for others.
    bool has(int lead) const;
    /// Issues the loads of the k-tiles that begin at k index `k`; called by the first thread alone.
    struct Stage {
        Integer index = 0;
        ir::Value dynamic = ir::no_value; ///< added to the index
    };
    void load(int lead, const Affine& k, const Stage& stage) const;
    /// Waits until the k-tiles of a stage have arrived; `phase` is the parity of rounds through the pipeline.
    void wait(int lead, ir::Value stage, ir::Value phase) const;

    /// A thread's share of the transpose, in rounds(): loads from the stage and stores to one of two buffers
    /// ("sides"). A barrier precedes operand loads from that side.
    int rounds() const;
    void transpose(int first_round, int end_round, const Stage& from, const Stage& to_side) const;

    /// Shared memory for mbarriers and alignment; and for an operand's k-tiles.
    static Integer extra_bytes(const SimtGemm& schedule);
    static Integer bytes_of_stages(const CanonicalSimtGemm& gemm, std::size_t operand);

private:
    struct Operand {
        ir::Tensor tensor = 0;
        ir::Buffer loaded = 0; ///< written by TMA
        ir::Buffer transposed = 0;
        Start start = {};
    };
    int lead(std::size_t operand) const { return schedule_.is_transposed(operand) ? 1 : 0; }
    void load(std::size_t operand, const Affine& k, const Stage& stage, int lead) const;
    void transpose_chunks(std::size_t operand, int round, const Stage& from, const Stage& to_side) const;
    int rounds(std::size_t operand) const;
    ir::Value integer(Integer value) const;

    ir::Builder& builder_;
    const CanonicalSimtGemm& gemm_;
    const SimtGemm& schedule_;
    std::array<Operand, 2> operands_{};
    ir::Buffer mbarriers_ = 0; ///< the stages' mbarriers, per lead
};

/// Reason why TMA cannot perform a schedule's loads; empty if it can or none are asked for.
std::string tma_infeasibility(const CanonicalSimtGemm& gemm, const target::Gpu& gpu);

} // namespace swirl::gemm
