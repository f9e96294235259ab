#include "jit/constant_pool.hpp"

#include "base/hash.hpp"

namespace swirl::jit {

MemoryOperand ConstantPool::add(std::span<const std::uint8_t> bytes) {
    if (2 * used_ >= slots_.size()) grow();
    const int size_class = class_of(bytes.size());
    Slot& slot = slots_[find(size_class, bytes)];
    if (slot.size_class < 0) {
        auto& pool = pools_[static_cast<std::size_t>(size_class)];
        slot = {size_class, static_cast<std::int32_t>(pool.size())};
        pool.insert(pool.end(), bytes.begin(), bytes.end());
        ++used_;
    }
    return {MemoryOperand::Base::constant, slot.size_class, slot.offset, no_register, 0, -1};
}

std::size_t ConstantPool::find(int size_class, std::span<const std::uint8_t> bytes) const {
    std::size_t hash = bytes.size();
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, bytes.data() + at, 4);
        hash = mix_hash(hash, word);
    }
    const std::size_t last = slots_.size() - 1;
    for (std::size_t at = hash & last;; at = (at + 1) & last) {
        const Slot& slot = slots_[at];
        if (slot.size_class < 0) return at;
        if (slot.size_class != size_class) continue;
        const std::uint8_t* stored = pools_[static_cast<std::size_t>(size_class)].data() + slot.offset;
        if (std::memcmp(stored, bytes.data(), bytes.size()) == 0) return at;
    }
}

void ConstantPool::grow() {
    std::vector<Slot> before(slots_.empty() ? 64 : 2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before) {
        if (slot.size_class < 0) continue;
        const std::span<const std::uint8_t> pool = contents(slot.size_class);
        const auto bytes = pool.subspan(static_cast<std::size_t>(slot.offset),
                                        static_cast<std::size_t>(bytes_of(slot.size_class)));
        slots_[find(slot.size_class, bytes)] = slot;
    }
}

} // namespace swirl::jit
