#include "lower/gpu_liveness.hpp"

#include <algorithm>
#include <map>

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
    Sharing(const LoopProgram& loops, bool held) : loops_(loops), held_(held) {}

    int place(const Life& life) {
        Place* best = nullptr;
        for (Place& place : places_) {
            if (kind(place.array) != kind(life.array)) continue;
            const bool is_free = place.last < life.first;
            const bool is_written_over = held_ && place.last == life.first;
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
    std::vector<Place> places_;
};

} // namespace

void share_arrays(LoopProgram& loops, GpuPart& part, bool held) {
    Sharing sharing(loops, held);
    std::map<int, int> places;
    for (const Life& life : lives_of(loops, part)) {
        const int place = sharing.place(life);
        places[life.array] = place;
        Integer& elements = loops.arrays[static_cast<std::size_t>(place)].elements;
        elements = std::max(elements, loops.arrays[static_cast<std::size_t>(life.array)].elements);
    }
    for (Call& call : part.calls)
        for (Memory* memory : {&call.input, &call.output})
            if (const auto place = places.find(memory->array); place != places.end())
                memory->array = place->second;
}

bool stays_in_place(const Call& call) {
    if (call.input.array != call.output.array) return false;
    const auto forms = [](const std::vector<Location>& places) {
        std::vector<Affine> result;
        for (const Location& place : places) result.push_back(place.re);
        std::sort(result.begin(), result.end());
        return result;
    };
    const auto is_tabled = [](const Location& place) { return place.table.has_value(); };
    return std::none_of(call.placement.sources.begin(), call.placement.sources.end(), is_tabled) &&
           forms(call.placement.sources) == forms(call.placement.targets);
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
