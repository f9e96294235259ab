// Operations on tiles and mbarriers.
#include "ir/builder.hpp"

#include "base/error.hpp"
#include "ir/tile.hpp"

#include <algorithm>

namespace swirl::ir {

namespace {

Address address_of(const Builder::MemoryOperand& operand) {
    return {operand.buffer, operand.index, operand.dynamic, 1, operand.dynamic_scale};
}

Operation operation_at(Opcode opcode, const Builder::MemoryOperand& operand, AsyncTileOperation tile) {
    Operation operation;
    operation.opcode = opcode;
    operation.type = {DataType::int64, 1};
    operation.address = address_of(operand);
    operation.active = 1;
    operation.tile = std::make_shared<const AsyncTileOperation>(std::move(tile));
    return operation;
}

} // namespace

Tensor Builder::tensor(TensorInfo tensor) {
    program_.tensors.push_back(std::move(tensor));
    return static_cast<Tensor>(program_.tensors.size() - 1);
}

void Builder::tma_load(Tensor from, std::span<const Value> at, const MemoryOperand& to,
                       const MemoryOperand& mbarrier, unsigned blocks) {
    Operation operation = operation_at(
        Opcode::tma_load, to, {.tensor = from, .addresses = {address_of(mbarrier)}, .blocks = blocks});
    ensure(at.size() <= operation.operands.size(), "a tile at {} coordinates", at.size());
    std::copy(at.begin(), at.end(), operation.operands.begin());
    append(std::move(operation));
}

void Builder::tma_store(Tensor to, std::span<const Value> at, const MemoryOperand& from) {
    Operation operation = operation_at(Opcode::tma_store, from, {.tensor = to});
    ensure(at.size() <= operation.operands.size(), "a tile at {} coordinates", at.size());
    std::copy(at.begin(), at.end(), operation.operands.begin());
    append(std::move(operation));
}

void Builder::wgmma(const WgmmaInstruction& entry, Buffer accumulators, Integer first_accumulator,
                    const WgmmaOperand& a, const WgmmaOperand& b) {
    append(operation_at(Opcode::wgmma, {.buffer = accumulators, .index = first_accumulator},
                        {.instruction = &entry,
                         .layouts = {a.layout, b.layout},
                         .addresses = {address_of(a.operand), address_of(b.operand)}}));
}

void Builder::mbarrier_init(const MemoryOperand& mbarrier, Integer arrivals) {
    append(operation_at(Opcode::mbarrier_init, mbarrier, {.count = arrivals}));
}

void Builder::mbarrier_arrive(const MemoryOperand& mbarrier, Value block) {
    Operation operation = operation_at(Opcode::mbarrier_arrive, mbarrier, {});
    operation.operands[0] = block;
    append(std::move(operation));
}

void Builder::mbarrier_arrive_expect_tx(const MemoryOperand& mbarrier, Integer bytes) {
    append(operation_at(Opcode::mbarrier_arrive_expect_tx, mbarrier, {.count = bytes}));
}

void Builder::mbarrier_wait(const MemoryOperand& mbarrier, Value parity) {
    Operation operation = operation_at(Opcode::mbarrier_wait, mbarrier, {});
    operation.operands[0] = parity;
    append(std::move(operation));
}

} // namespace swirl::ir
