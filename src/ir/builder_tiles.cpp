// Operations on tiles and signals.
#include "ir/builder.hpp"

#include "base/error.hpp"
#include "ir/tile.hpp"

#include <algorithm>

namespace swirl::ir {

namespace {

Address address_of(const Builder::Place& place) {
    return {place.buffer, place.index, place.dynamic, 1, place.dynamic_scale};
}

Operation operation_at(Opcode opcode, const Builder::Place& place, TileOperation tile) {
    Operation operation;
    operation.opcode = opcode;
    operation.type = {Scalar::int64, 1};
    operation.address = address_of(place);
    operation.active = 1;
    operation.tile = std::make_shared<const TileOperation>(std::move(tile));
    return operation;
}

} // namespace

Tensor Builder::tensor(TensorInfo tensor) {
    program_.tensors.push_back(std::move(tensor));
    return static_cast<Tensor>(program_.tensors.size() - 1);
}

void Builder::tile_load(Tensor from, std::span<const Value> at, const Place& to, const Place& signal,
                        unsigned blocks) {
    Operation operation = operation_at(Opcode::tile_load, to,
                                       {.tensor = from, .places = {address_of(signal)}, .blocks = blocks});
    ensure(at.size() <= operation.operands.size(), "a tile at {} coordinates", at.size());
    std::copy(at.begin(), at.end(), operation.operands.begin());
    append(std::move(operation));
}

void Builder::tile_store(Tensor to, std::span<const Value> at, const Place& from) {
    Operation operation = operation_at(Opcode::tile_store, from, {.tensor = to});
    ensure(at.size() <= operation.operands.size(), "a tile at {} coordinates", at.size());
    std::copy(at.begin(), at.end(), operation.operands.begin());
    append(std::move(operation));
}

void Builder::tile_product(const TileInstruction& entry, Buffer sums, Integer first_sum, const Factor& a,
                           const Factor& b) {
    append(operation_at(Opcode::tile_product, {.buffer = sums, .index = first_sum},
                        {.instruction = &entry,
                         .layouts = {a.layout, b.layout},
                         .places = {address_of(a.place), address_of(b.place)}}));
}

void Builder::signal_initialize(const Place& signal, Integer arrivals) {
    append(operation_at(Opcode::signal_initialize, signal, {.count = arrivals}));
}

void Builder::signal_arrive(const Place& signal, Value block) {
    Operation operation = operation_at(Opcode::signal_arrive, signal, {});
    operation.operands[0] = block;
    append(std::move(operation));
}

void Builder::signal_expect(const Place& signal, Integer bytes) {
    append(operation_at(Opcode::signal_expect, signal, {.count = bytes}));
}

void Builder::signal_wait(const Place& signal, Value parity) {
    Operation operation = operation_at(Opcode::signal_wait, signal, {});
    operation.operands[0] = parity;
    append(std::move(operation));
}

} // namespace swirl::ir
