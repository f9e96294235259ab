#pragma once

#include "emit/gpu_c/launch.hpp"
#include "emit/lane_map.hpp"
#include "emit/ptx/addresses.hpp"
#include "emit/ptx/assembly.hpp"
#include "emit/ptx/layout.hpp"
#include "emit/usage.hpp"
#include "ir/program.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace swirl::emit {

/// The instructions of one kernel.
///
/// A value is a list of operands, one per lane: registers or literals. Lane shuffles need no instructions; they reorder
/// lists. 16-bit floats live in float32 registers, rounded to their type after each operation.
class PtxKernelWriter {
public:
    PtxKernelWriter(PtxAssembly& out, const ir::Program& program, const Usage& usage,
                    const PtxLayout& layout);

    void write();

private:
    using Lanes = emit::Lanes;

    // ---- statements (ptx_kernel.cpp)
    void write(const ir::Body& body);
    void write(const ir::StraightLineBlock& straight);
    void write(const ir::For& loop);
    void write(const ir::If& branch);
    void write(const ir::Barrier& barrier);
    void cooperative_barrier(const ir::Barrier& barrier);
    std::string not_first_thread();
    void write_scoped(const ir::Body& body);
    void write(ir::Value value);
    PtxInteger end_of(const ir::For& loop, ir::Value value, const Affine& form, bool wide);
    PtxInteger begin_counting(const Affine& start, bool wide);
    void count(const PtxInteger& counter, Integer step);
    std::string fails(const ir::Condition& condition);

    // ---- operations, lane by lane (ptx_operation.cpp)
    Lanes lanes(const ir::Operation& operation);
    const Lanes& operand(const ir::Operation& operation, std::size_t position) const;
    Lanes constant(ir::Type type, long double value);
    std::string arithmetic(const ir::Operation& operation, std::size_t lane);
    std::string quotient(const ir::Operation& operation, std::size_t lane);
    std::string root_or_magnitude(const ir::Operation& operation, std::size_t lane);
    std::string power_of_two(DataType scalar, const std::string& a);
    std::string bitwise(const ir::Operation& operation, std::size_t lane);
    std::string fused(const ir::Operation& operation, std::size_t lane);
    std::string fused_short(DataType scalar, const std::string& a, const std::string& b,
                            const std::string& c);
    std::string negated(DataType scalar, const std::string& a);
    std::string less(const ir::Operation& operation, std::size_t lane);
    std::string select(const ir::Operation& operation, std::size_t lane);
    Lanes pairs(DataType scalar, const Lanes& lanes);
    Lanes executed(const ir::Operation& operation);
    Lanes exchanged(const ir::Operation& operation);
    Lanes warp_instruction(const ir::Operation& operation);

    // ---- conversions (ptx_convert.cpp)
    std::string converted(DataType from, DataType to, const std::string& a);
    std::string to_short_integer(DataType from, DataType to, const std::string& a);
    std::string to_short(DataType from, DataType to, const std::string& a);
    std::string to_float32_odd(DataType from, const std::string& a);
    std::string rounded(DataType scalar, const std::string& a);
    std::string packed(DataType scalar, const std::string& a);
    std::string unpacked(DataType scalar, const std::string& bits);
    std::string unpacked_e4m3(const std::string& bits);

    // ---- memory (ptx_memory.cpp)
    Lanes load(const ir::Operation& operation);
    Lanes load_registers(const ir::Operation& operation);
    void store_registers(const ir::Operation& operation);
    std::string& element_register(const ir::Address& address, int lane);
    void store_asynchronously(const ir::Operation& operation);
    void store(const ir::Operation& operation);
    void atomic_add(const ir::Operation& operation);
    /// An address in the form that instructions take: a register that holds it without the index's constant.
    struct Reached {
        ir::Address address; ///< for a cluster address: within the block's shared memory
        std::string pointer;
        std::string_view space;
    };
    Reached reach(const ir::Address& address);
    /// The cache hint of an access in global memory: the suffix of the instruction, and the text after its operands.
    struct CacheHint {
        std::string_view suffix = {};
        std::string policy = {};
    };
    CacheHint cache_hint(ir::Buffer buffer, bool loads) const;
    std::vector<std::string> fresh_32_bit_registers();
    int lanes_per_access(const ir::Operation& operation, int lane) const;

    // ---- tiles (ptx_tiles.cpp)
    void declare_registers();
    void declare_tensors();
    void write(const ir::AsyncFence& fence);
    void write(const ir::WarpRoles& warp_roles);
    void write(const ir::WarpRole& role);
    void publish_mbarriers(const ir::StraightLineBlock& straight);
    void write_tile(const ir::Operation& operation);
    void tma_load(const ir::Operation& operation);
    void wgmma(const ir::Operation& operation);
    void mbarrier_arrive(const ir::Operation& operation);
    void mbarrier_wait(const ir::Operation& operation);
    std::string word(ir::Value value);
    std::string address_operand(const ir::Address& address); ///< as an instruction operand
    std::string box(const ir::Operation& operation);
    std::string tile_operand(const ir::Address& address, const ir::SmemTileLayout& layout);

    PtxAssembly& out_;
    const ir::Program& program_;
    const Usage& usage_;
    const PtxLayout& layout_;
    PtxAddresses addresses_;
    std::vector<Lanes> values_;   ///< by Value, once written
    std::vector<bool> is_copied_; ///< by Value: loaded only for an asynchronous store, which fuses both
    std::vector<std::vector<std::string>> registers_; ///< by Buffer that lives in registers, then element
    std::optional<DataType> half_precision_operands_; ///< data type of the operands of mma.sync
    /// Whether register buffers hold half-precision elements as their bits in memory.
    bool holds_bits(DataType scalar) const { return half_precision_operands_ == scalar; }
    std::map<std::pair<std::string, DataType>, std::string>
        bits_;              ///< of float32 registers that hold 16-bit floats
    std::string zero_bits_; ///< a 16-bit register that holds 0
    std::string
        awaited_arrivals_; ///< a register: the arrival count that the block's next grid barrier waits for
    std::vector<std::string> maps_; ///< by Tensor: registers with the addresses of the tensor maps
    std::string accumulates_;       ///< a predicate that is true: wgmma adds to the accumulators
    std::string overwrites_;        ///< a predicate that is false: wgmma overwrites the accumulators
    int role_barrier_ = 0;          ///< index of the named barrier of the role being written; 0: none
    Integer role_threads_ = 0;      ///< threads of that role
    std::string evict_last_policy_; ///< a register with the L2 policy evict_last
};

constexpr int first_with_copies = 80; ///< the first compute capability with cp.async

/// ".f32" and so on: the type in which values of a scalar type are computed.
std::string_view ptx_type(DataType scalar);
PtxRegister ptx_register(DataType scalar);

} // namespace swirl::emit
