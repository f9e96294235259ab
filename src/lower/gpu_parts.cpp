#include "lower/gpu_parts.hpp"

#include "lower/gpu_apart.hpp"
#include "lower/gpu_edges.hpp"
#include "lower/gpu_fusion.hpp"
#include "lower/gpu_liveness.hpp"
#include "lower/gpu_moves.hpp"

#include <algorithm>
#include <set>

namespace swirl::lower {

namespace {

bool is_call(const Node& node) { return std::holds_alternative<Call>(node.node); }

void add_parts(const Nodes& nodes, std::vector<Loop>& around, std::vector<GpuPart>& parts) {
    bool continues = false;
    for (const Node& node : nodes) {
        if (is_call(node)) {
            if (!continues) parts.push_back({around, {}});
            parts.back().calls.push_back(std::get<Call>(node.node));
            continues = true;
            continue;
        }
        const Nest& nest = std::get<Nest>(node.node);
        around.push_back(nest.loop);
        add_parts(nest.body, around, parts);
        around.pop_back();
        continues = false;
    }
}

bool same_loops(const std::vector<Loop>& a, const std::vector<Loop>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Loop& x, const Loop& y) { return x.variable == y.variable; });
}

/// Whether the parts from one on to before another have nothing to do with the array but to write elsewhere in it.
bool only_write(const std::vector<GpuPart>& parts, std::size_t first, std::size_t end, int array) {
    for (std::size_t k = first; k < end; ++k)
        for (const Call& call : parts[k].calls)
            if (call.input.array == array && !call.placement.sources.empty()) return false;
    return true;
}

/// Parts that only put zeros into the caller's memory join an earlier one in the same loops, from which on nothing reads there.
void join_zeros(const LoopProgram& loops, std::vector<GpuPart>& parts) {
    const auto is_zero = [&](const Call& call) {
        return call.placement.sources.empty() &&
               loops.arrays[static_cast<std::size_t>(call.output.array)].role != Array::Role::temporary;
    };
    for (std::size_t k = parts.size(); k-- > 1;) {
        std::vector<Call>& zeros = parts[k].calls;
        if (!std::all_of(zeros.begin(), zeros.end(), is_zero)) continue;
        for (std::size_t earlier = k; earlier-- > 0;) {
            const bool reads = std::any_of(zeros.begin(), zeros.end(), [&](const Call& call) {
                return !only_write(parts, earlier, k, call.output.array);
            });
            if (reads) break;
            if (!same_loops(parts[earlier].around, parts[k].around)) continue;
            std::move(zeros.begin(), zeros.end(), std::back_inserter(parts[earlier].calls));
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(k));
            break;
        }
    }
}

/// Leaves the outermost loops that others start with too.
void keep_common(std::vector<Loop>& loops, const std::vector<Loop>& others) {
    std::size_t same = 0;
    while (same < std::min(loops.size(), others.size()) && loops[same].variable == others[same].variable)
        ++same;
    loops.resize(same);
}

std::vector<Loop> loops_around_all(const std::vector<GpuPart>& parts) {
    std::vector<Loop> common = parts.front().around;
    for (const GpuPart& part : parts) keep_common(common, part.around);
    return common;
}

/// See GpuParts.
std::vector<std::size_t> ends_together(const std::vector<GpuPart>& parts, std::size_t common) {
    const auto continues = [&](std::size_t k) {
        const std::vector<Loop>&loops = parts[k].around, &before = parts[k - 1].around;
        return loops.size() > common && before.size() > common &&
               loops[common].variable == before[common].variable;
    };
    std::vector<std::size_t> ends;
    for (std::size_t k = 1; k < parts.size(); ++k)
        if (!continues(k)) ends.push_back(k);
    if (ends.size() + 1 == parts.size()) ends.clear();
    ends.push_back(parts.size());
    return ends;
}

std::vector<std::vector<Loop>> loops_around_users(const std::vector<GpuPart>& parts, std::size_t arrays) {
    std::vector<std::vector<Loop>> around(arrays);
    std::set<int> met;
    for (const GpuPart& part : parts)
        for (const Call& call : part.calls)
            for (const int array : {call.input.array, call.output.array}) {
                std::vector<Loop>& loops = around[static_cast<std::size_t>(array)];
                if (met.insert(array).second)
                    loops = part.around;
                else
                    keep_common(loops, part.around);
            }
    return around;
}

/// Temporaries that a part reads before it has written them.
std::set<int> carried_between(const LoopProgram& loops, const std::vector<GpuPart>& parts) {
    std::set<int> carried;
    for (const GpuPart& part : parts) {
        std::set<int> written;
        for (const Call& call : part.calls) {
            const bool reads = !call.placement.sources.empty();
            if (reads && !written.contains(call.input.array)) carried.insert(call.input.array);
            written.insert(call.output.array);
        }
    }
    std::erase_if(carried, [&](int array) {
        return loops.arrays[static_cast<std::size_t>(array)].role != Array::Role::temporary;
    });
    return carried;
}

void make_interleaved(std::vector<Location>& places) {
    for (Location& place : places) {
        place.re *= 2;
        place.im = place.re + 1;
    }
}

/// The array with the parts of each complex number side by side.
void make_interleaved(LoopProgram& loops, std::vector<GpuPart>& parts, int array) {
    Array& info = loops.arrays[static_cast<std::size_t>(array)];
    if (info.kind != Memory::Kind::planar) return;
    info.kind = Memory::Kind::interleaved;
    for (GpuPart& part : parts)
        for (Call& call : part.calls) {
            if (call.input.array == array) {
                call.input.kind = info.kind;
                make_interleaved(call.placement.sources);
            }
            if (call.output.array == array) {
                call.output.kind = info.kind;
                make_interleaved(call.placement.targets);
            }
        }
}

/// The array of n reals with entry e + n/2 beside entry e, where all that touches it has these two as parts of a number,
/// or is alone at a fixed place.
void make_neighbours(LoopProgram& loops, std::vector<GpuPart>& parts, int array) {
    const Array& info = loops.arrays[static_cast<std::size_t>(array)];
    const Integer half = info.elements / 2;
    if (info.kind != Memory::Kind::real || info.elements % 2 != 0) return;
    std::vector<Location*> places;
    for (GpuPart& part : parts)
        for (Call& call : part.calls) {
            if (call.input.array == array)
                for (Location& place : call.placement.sources) places.push_back(&place);
            if (call.output.array == array)
                for (Location& place : call.placement.targets) places.push_back(&place);
        }
    const auto is_number = [&](const Location* place) { return place->im == place->re + half; };
    const auto is_fixed = [](const Location* place) {
        return place->re.is_constant() && place->im == place->re;
    };
    if (!std::all_of(places.begin(), places.end(),
                     [&](const Location* place) { return is_number(place) || is_fixed(place); }))
        return;
    for (Location* place : places) {
        const bool number = is_number(place), second = !number && place->re.constant() >= half;
        place->re = second ? Affine(2 * (place->re.constant() - half) + 1) : 2 * place->re;
        place->im = number ? place->re + 1 : place->re;
    }
}

Integer index_tables(const Call& call) {
    Integer count = 0;
    for (const auto* places : {&call.placement.sources, &call.placement.targets})
        count += std::count_if(places->begin(), places->end(),
                               [](const Location& place) { return place.table.has_value(); });
    return count;
}

/// Whether one kernel, of those that do parts together, has all that touches the array.
bool stays_in_kernel(const GpuParts& parts, int array) {
    std::set<std::size_t> kernels;
    for (std::size_t k = 0, kernel = 0; k < parts.parts.size(); ++k) {
        kernel += k == parts.ends_together[kernel];
        for (const Call& call : parts.parts[k].calls)
            if (call.input.array == array || call.output.array == array) kernels.insert(kernel);
    }
    return kernels.size() == 1;
}

} // namespace

bool is_shared(const LoopProgram& loops, const Memory& memory) {
    const Array& array = loops.arrays[static_cast<std::size_t>(memory.array)];
    return array.role == Array::Role::temporary && array.residence == Array::Residence::shared;
}

GpuParts gpu_parts(LoopProgram loops, Between between, Integer apart) {
    GpuParts result;
    std::vector<Loop> around;
    add_parts(loops.body, around, result.parts);
    loops.body.clear();
    join_zeros(loops, result.parts);
    fold_moves(loops, result.parts);
    fuse_steps(loops, result.parts);
    result.common = loops_around_all(result.parts);
    for (Array& array : loops.arrays) array.residence = Array::Residence::shared;
    work_in_place(loops, result.parts, result.common.size());
    fuse_edges(loops, result.parts);
    std::set<int> handed_on;
    if (apart > 0 && between == Between::global)
        handed_on = take_apart(loops, result.parts, result.common.size(), apart);
    std::set<int> carried = carried_between(loops, result.parts);
    for (const int array : handed_on)
        if (loops.arrays[static_cast<std::size_t>(array)].role == Array::Role::temporary)
            carried.insert(array);
    result.carried.assign(carried.begin(), carried.end());
    result.ends_together = ends_together(result.parts, result.common.size());
    for (const int array : carried) {
        if (between == Between::shared && stays_in_kernel(result, array)) continue;
        loops.arrays[static_cast<std::size_t>(array)].residence = Array::Residence::global;
        make_interleaved(loops, result.parts, array);
        make_neighbours(loops, result.parts, array);
    }
    result.around_users = loops_around_users(result.parts, loops.arrays.size());
    result.loops = std::move(loops);
    return result;
}

GpuParts together(const GpuParts& parts, std::size_t kernel) {
    GpuParts result = parts;
    const auto place = [&](std::size_t k) { return parts.parts.begin() + static_cast<std::ptrdiff_t>(k); };
    const std::size_t first = kernel == 0 ? 0 : parts.ends_together[kernel - 1];
    result.parts.assign(place(first), place(parts.ends_together[kernel]));
    result.common = loops_around_all(result.parts);
    result.ends_together = {result.parts.size()};
    result.carried.clear();
    for (const int array : carried_between(result.loops, result.parts))
        if (result.loops.arrays[static_cast<std::size_t>(array)].residence == Array::Residence::shared)
            result.carried.push_back(array);
    return result;
}

Integer index_tables(const GpuParts& parts) {
    Integer count = 0;
    for (const GpuPart& part : parts.parts)
        for (const Call& call : part.calls)
            if (call.codelet.formula) count += index_tables(call);
    return count;
}

void open_loops_of(GpuPart& part) {
    constexpr Integer most_inside = 64; // iterations
    if (!part.around.empty() || part.calls.size() != 1 || part.calls[0].loops.empty()) return;
    std::vector<Loop>& own = part.calls[0].loops;
    std::size_t outside = own.size();
    for (Integer inside = 1; outside > 1 && inside * own[outside - 1].count <= most_inside; --outside)
        inside *= own[outside - 1].count;
    const auto first_inside = own.begin() + static_cast<std::ptrdiff_t>(outside);
    part.around.assign(own.begin(), first_inside);
    own.erase(own.begin(), first_inside);
}

bool is_chain(const LoopProgram& loops, const GpuPart& part) {
    for (std::size_t k = 0; k < part.calls.size(); ++k) {
        const bool last = k + 1 == part.calls.size();
        if (is_shared(loops, part.calls[k].output) == last) return false;
        if (is_shared(loops, part.calls[k].input) != (k > 0)) return false;
        if (!last && part.calls[k].output.array != part.calls[k + 1].input.array) return false;
    }
    return true;
}

} // namespace swirl::lower
