#include "loops/gpu/liveness.hpp"

#include <algorithm>
#include <map>

namespace swirl::loops {

namespace {

/// Live range: from the first call that touches a vector to the last.
struct Life {
    int array;
    std::size_t first;
    std::size_t last;
};

std::vector<Life> lives_of(const LoopProgram& loops, const KernelRegion& region) {
    std::vector<Life> lives;
    for (std::size_t k = 0; k < region.calls.size(); ++k)
        for (const Memory* memory : {&region.calls[k].input, &region.calls[k].output}) {
            if (!is_shared(loops, *memory)) continue;
            const auto known = std::find_if(lives.begin(), lives.end(),
                                            [&](const Life& life) { return life.array == memory->array; });
            if (known == lives.end())
                lives.push_back({memory->array, k, k});
            else
                known->last = k;
        }
    return lives;
}

/// Finds a dead vector whose memory a new one can reuse.
class Sharing {
public:
    Sharing(const LoopProgram& loops, const KernelRegion& region, bool held) : loops_(loops), held_(held) {
        for (const Call& call : region.calls) computes_.push_back(call.codelet.formula.has_value());
    }

    int slot(const Life& life) {
        Slot* best = nullptr;
        for (Slot& slot : slots_) {
            if (kind(slot.array) != kind(life.array)) continue;
            const bool is_free = slot.last < life.first;
            const bool is_overwritten = held_ && slot.last == life.first && computes_[life.first];
            if (is_free) {
                best = &slot;
                break;
            }
            if (is_overwritten && best == nullptr) best = &slot;
        }
        if (best == nullptr) best = &slots_.emplace_back(Slot{life.array, 0});
        best->last = life.last;
        return best->array;
    }

private:
    struct Slot {
        int array;
        std::size_t last;
    };
    Memory::Kind kind(int array) const { return loops_.arrays[static_cast<std::size_t>(array)].kind; }

    const LoopProgram& loops_;
    bool held_;
    std::vector<bool> computes_; ///< by call; a thread may have many iterations of a copy
    std::vector<Slot> slots_;
};

std::vector<Affine> sorted_forms(const std::vector<Location>& locations) {
    std::vector<Affine> result;
    for (const Location& slot : locations) {
        result.push_back(slot.re);
        if (slot.im != slot.re) result.push_back(slot.im);
    }
    std::sort(result.begin(), result.end());
    return result;
}

} // namespace

bool keeps_entries(const Call& call) {
    const auto varies = [](const Location& slot) { return slot.table || slot.limit || slot.im_limit; };
    return std::none_of(call.placement.sources.begin(), call.placement.sources.end(), varies) &&
           std::none_of(call.placement.targets.begin(), call.placement.targets.end(), varies) &&
           sorted_forms(call.placement.sources) == sorted_forms(call.placement.targets);
}

void share_arrays(LoopProgram& loops, KernelRegion& region, const LaunchConfiguration& configuration) {
    Sharing sharing(loops, region, configuration.single_buffer);
    std::map<int, int> locations;
    for (const Life& life : lives_of(loops, region)) {
        const int slot = sharing.slot(life);
        locations[life.array] = slot;
        Array& array = loops.arrays[static_cast<std::size_t>(slot)];
        const Array& other = loops.arrays[static_cast<std::size_t>(life.array)];
        if (other.elements <= array.elements) continue;
        array.elements = other.elements;
        array.gapless = other.gapless;
    }
    for (Call& call : region.calls)
        for (Memory* memory : {&call.input, &call.output})
            if (const auto slot = locations.find(memory->array); slot != locations.end())
                memory->array = slot->second;
}

bool is_in_place(const Call& call) { return call.input.array == call.output.array && keeps_entries(call); }

bool overwrites_unread(const LoopProgram& loops, const Call& call) {
    return !call.placement.sources.empty() && is_shared(loops, call.input) &&
           call.input.array == call.output.array && !is_in_place(call);
}

bool UnsynchronizedAccesses::needs_barrier_before_read(const Call& call) const {
    return !call.placement.sources.empty() &&
           std::any_of(calls_.begin(), calls_.end(),
                       [&](const Call* done) { return done->output.array == call.input.array; });
}

bool UnsynchronizedAccesses::needs_barrier_before_write(const Call& call) const {
    return std::any_of(calls_.begin(), calls_.end(), [&](const Call* done) {
        return !done->placement.sources.empty() && done->input.array == call.output.array;
    });
}

} // namespace swirl::loops
