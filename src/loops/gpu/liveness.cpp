#include "loops/gpu/liveness.hpp"

#include <algorithm>
#include <map>
#include <set>

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

    int location(const Life& life) {
        Place* best = nullptr;
        for (Place& location : locations_) {
            if (kind(location.array) != kind(life.array)) continue;
            const bool is_free = location.last < life.first;
            const bool is_overwritten = held_ && location.last == life.first && computes_[life.first];
            if (is_free) {
                best = &location;
                break;
            }
            if (is_overwritten && best == nullptr) best = &location;
        }
        if (best == nullptr) best = &locations_.emplace_back(Place{life.array, 0});
        best->last = life.last;
        return best->array;
    }

private:
    struct Place {
        int array;
        std::size_t last;
    };
    Memory::Kind kind(int array) const { return loops_.arrays[static_cast<std::size_t>(array)].kind; }

    const LoopProgram& loops_;
    bool held_;
    std::vector<bool> computes_; ///< by call; a thread may have many iterations of a copy
    std::vector<Place> locations_;
};

std::vector<Affine> sorted_forms(const std::vector<Location>& locations) {
    std::vector<Affine> result;
    for (const Location& location : locations) {
        result.push_back(location.re);
        if (location.im != location.re) result.push_back(location.im);
    }
    std::sort(result.begin(), result.end());
    return result;
}

/// Whether each iteration writes the entries that it reads, and no others.
bool keeps_entries(const Call& call) {
    const auto varies = [](const Location& location) { return location.table || location.limit; };
    return std::none_of(call.placement.sources.begin(), call.placement.sources.end(), varies) &&
           std::none_of(call.placement.targets.begin(), call.placement.targets.end(), varies) &&
           sorted_forms(call.placement.sources) == sorted_forms(call.placement.targets);
}

bool only_moves(const Call& call) {
    const auto is_plain = [](const Location& location) {
        return location.diagonals.empty() && location.forms.empty() && !location.re_negative &&
               !location.im_negative;
    };
    return !call.codelet.formula && call.placement.sources.size() == 1 &&
           is_plain(call.placement.sources.front()) && is_plain(call.placement.targets.front());
}

/// Whether `to` may alias `from`: all calls that read `from` write `to` at the same entries, and no other call writes
/// `to`.
bool may_merge(const LoopProgram& loops, const std::vector<Call*>& calls, int from, int to) {
    const auto& a = loops.arrays[static_cast<std::size_t>(from)];
    const auto& b = loops.arrays[static_cast<std::size_t>(to)];
    if (from == to || a.kind != b.kind || a.elements != b.elements) return false;
    bool is_read = false;
    for (const Call* call : calls) {
        const bool reads = call->input.array == from && !call->placement.sources.empty();
        if (reads != (call->output.array == to)) return false;
        if (reads && !keeps_entries(*call)) return false;
        is_read = is_read || reads;
        if (is_read && call->output.array == from) return false;
    }
    return true;
}

/// Merges arrays of the calls; `chosen` says which outputs may be merged.
template <class Chosen>
void merge_arrays(const LoopProgram& loops, const std::vector<Call*>& calls, const Chosen& chosen) {
    for (const Call* call : calls) {
        const int from = call->input.array, to = call->output.array;
        if (!is_shared(loops, call->input) || !is_shared(loops, call->output)) continue;
        if (!chosen(to) || !may_merge(loops, calls, from, to)) continue;
        for (Call* other : calls)
            for (Memory* memory : {&other->input, &other->output})
                if (memory->array == to) memory->array = from;
    }
}

void remove_in_place_copies(const LoopProgram& loops, KernelRegion& region) {
    std::erase_if(region.calls, [&](const Call& call) {
        return is_shared(loops, call.input) && only_moves(call) && is_in_place(call);
    });
}

std::vector<Call*> calls_of(KernelRegion& region) {
    std::vector<Call*> calls;
    for (Call& call : region.calls) calls.push_back(&call);
    return calls;
}

/// Moves a call behind later calls that write into the same vector, as long as dependences allow.
void write_late(const LoopProgram& loops, std::vector<Call>& calls) {
    for (std::size_t k = calls.size(); k-- > 0;) {
        const int output = calls[k].output.array, input = calls[k].input.array;
        if (!is_shared(loops, calls[k].output)) continue;
        std::size_t last = k;
        for (std::size_t next = k + 1; next < calls.size(); ++next) {
            if (calls[next].input.array == output || calls[next].output.array == input) break;
            if (calls[next].output.array == output) last = next;
        }
        std::rotate(calls.begin() + static_cast<std::ptrdiff_t>(k),
                    calls.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                    calls.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    }
}

} // namespace

void simplify(const LoopProgram& loops, KernelRegion& region) {
    merge_arrays(loops, calls_of(region), [](int) { return true; });
    remove_in_place_copies(loops, region);
    write_late(loops, region.calls);
}

void make_in_place(const LoopProgram& loops, std::vector<KernelRegion>& regions, std::size_t common) {
    std::vector<Call*> all;
    std::set<int> in_loops; // written inside loops that are not around all regions
    for (KernelRegion& region : regions)
        for (Call* call : calls_of(region)) {
            all.push_back(call);
            if (region.around.size() > common) in_loops.insert(call->output.array);
        }
    merge_arrays(loops, all, [&](int to) { return !in_loops.contains(to); });
    for (KernelRegion& region : regions) remove_in_place_copies(loops, region);
    std::erase_if(regions, [](const KernelRegion& region) { return region.calls.empty(); });
}

void share_arrays(LoopProgram& loops, KernelRegion& region, bool held) {
    Sharing sharing(loops, region, held);
    std::map<int, int> locations;
    for (const Life& life : lives_of(loops, region)) {
        const int location = sharing.location(life);
        locations[life.array] = location;
        Array& array = loops.arrays[static_cast<std::size_t>(location)];
        const Array& other = loops.arrays[static_cast<std::size_t>(life.array)];
        if (other.elements <= array.elements) continue;
        array.elements = other.elements;
        array.gapless = other.gapless;
    }
    for (Call& call : region.calls)
        for (Memory* memory : {&call.input, &call.output})
            if (const auto location = locations.find(memory->array); location != locations.end())
                memory->array = location->second;
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
