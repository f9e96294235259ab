#include "lower/gpu_liveness.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace swirl::lower {

namespace {

/// From the first step that touches a vector to the last.
struct Life {
    int array;
    std::size_t first;
    std::size_t last;
};

std::vector<Life> lives_of(const LoopProgram& loops, const GpuPart& part) {
    std::vector<Life> lives;
    for (std::size_t k = 0; k < part.calls.size(); ++k)
        for (const Memory* memory : {&part.calls[k].input, &part.calls[k].output}) {
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

/// Finds a vector that has served for one that begins.
class Sharing {
public:
    Sharing(const LoopProgram& loops, const GpuPart& part, bool held) : loops_(loops), held_(held) {
        for (const Call& call : part.calls) computes_.push_back(call.codelet.formula.has_value());
    }

    int place(const Life& life) {
        Place* best = nullptr;
        for (Place& place : places_) {
            if (kind(place.array) != kind(life.array)) continue;
            const bool is_free = place.last < life.first;
            const bool is_written_over = held_ && place.last == life.first && computes_[life.first];
            if (is_free) {
                best = &place;
                break;
            }
            if (is_written_over && best == nullptr) best = &place;
        }
        if (best == nullptr) best = &places_.emplace_back(Place{life.array, 0});
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
    std::vector<bool> computes_; ///< by step; of copies a thread may have many
    std::vector<Place> places_;
};

std::vector<Affine> sorted_forms(const std::vector<Location>& places) {
    std::vector<Affine> result;
    for (const Location& place : places) {
        result.push_back(place.re);
        if (place.im != place.re) result.push_back(place.im);
    }
    std::sort(result.begin(), result.end());
    return result;
}

/// Whether each iteration writes entries of the same numbers as it reads.
bool keeps_entries(const Call& call) {
    const auto varies = [](const Location& place) { return place.table || place.limit; };
    return std::none_of(call.placement.sources.begin(), call.placement.sources.end(), varies) &&
           std::none_of(call.placement.targets.begin(), call.placement.targets.end(), varies) &&
           sorted_forms(call.placement.sources) == sorted_forms(call.placement.targets);
}

bool only_moves(const Call& call) {
    const auto is_plain = [](const Location& place) {
        return place.diagonals.empty() && place.forms.empty() && !place.re_negative && !place.im_negative;
    };
    return !call.codelet.formula && call.placement.sources.size() == 1 &&
           is_plain(call.placement.sources.front()) && is_plain(call.placement.targets.front());
}

/// Whether `to` may be `from`: all that reads the one writes the other, at the same entries, and nothing else writes it.
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

/// Of the calls, `chosen` may be merged.
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

void leave_out_copies_in_place(const LoopProgram& loops, GpuPart& part) {
    std::erase_if(part.calls, [&](const Call& call) {
        return is_shared(loops, call.input) && only_moves(call) && stays_in_place(call);
    });
}

std::vector<Call*> calls_of(GpuPart& part) {
    std::vector<Call*> calls;
    for (Call& call : part.calls) calls.push_back(&call);
    return calls;
}

/// Steps that others follow which write into the same vector move behind these, as long as nothing else is touched.
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

void simplify(const LoopProgram& loops, GpuPart& part) {
    merge_arrays(loops, calls_of(part), [](int) { return true; });
    leave_out_copies_in_place(loops, part);
    write_late(loops, part.calls);
}

void work_in_place(const LoopProgram& loops, std::vector<GpuPart>& parts, std::size_t common) {
    std::vector<Call*> all;
    std::set<int> in_loops; // written inside loops that are not around everything
    for (GpuPart& part : parts)
        for (Call* call : calls_of(part)) {
            all.push_back(call);
            if (part.around.size() > common) in_loops.insert(call->output.array);
        }
    merge_arrays(loops, all, [&](int to) { return !in_loops.contains(to); });
    for (GpuPart& part : parts) leave_out_copies_in_place(loops, part);
    std::erase_if(parts, [](const GpuPart& part) { return part.calls.empty(); });
}

void share_arrays(LoopProgram& loops, GpuPart& part, bool held) {
    Sharing sharing(loops, part, held);
    std::map<int, int> places;
    for (const Life& life : lives_of(loops, part)) {
        const int place = sharing.place(life);
        places[life.array] = place;
        Array& array = loops.arrays[static_cast<std::size_t>(place)];
        const Array& other = loops.arrays[static_cast<std::size_t>(life.array)];
        if (other.elements <= array.elements) continue;
        array.elements = other.elements;
        array.gapless = other.gapless;
    }
    for (Call& call : part.calls)
        for (Memory* memory : {&call.input, &call.output})
            if (const auto place = places.find(memory->array); place != places.end())
                memory->array = place->second;
}

bool stays_in_place(const Call& call) { return call.input.array == call.output.array && keeps_entries(call); }

bool writes_over_others(const LoopProgram& loops, const Call& call) {
    return !call.placement.sources.empty() && is_shared(loops, call.input) &&
           call.input.array == call.output.array && !stays_in_place(call);
}

bool Unmet::must_meet_to_read(const Call& call) const {
    return !call.placement.sources.empty() &&
           std::any_of(calls_.begin(), calls_.end(),
                       [&](const Call* done) { return done->output.array == call.input.array; });
}

bool Unmet::must_meet_to_write(const Call& call) const {
    return std::any_of(calls_.begin(), calls_.end(), [&](const Call* done) {
        return !done->placement.sources.empty() && done->input.array == call.output.array;
    });
}

} // namespace swirl::lower
