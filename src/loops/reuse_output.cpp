#include "loops/reuse_output.hpp"

#include "base/overloaded.hpp"

#include <algorithm>
#include <utility>

namespace swirl::loops {

namespace {

/// For arrays, in the cache nearest to a core: twiddle factors take the rest.
constexpr Integer near_bytes = 40 << 10;

/// Calls visit(call) for each call, in order.
template <class Visit> void for_each_call(Nodes& nodes, Visit&& visit) {
    for (Node& node : nodes)
        std::visit(Overloaded{[&](Nest& nest) { for_each_call(nest.body, visit); },
                              [&](Call& call) { visit(call); }},
                   node.node);
}
template <class Visit> void for_each_call(const Nodes& nodes, Visit&& visit) {
    for (const Node& node : nodes)
        std::visit(Overloaded{[&](const Nest& nest) { for_each_call(nest.body, visit); },
                              [&](const Call& call) { visit(call); }},
                   node.node);
}
template <class Visit> void for_each_call(const Node& node, Visit&& visit) {
    std::visit(Overloaded{[&](const Nest& nest) { for_each_call(nest.body, visit); },
                          [&](const Call& call) { visit(call); }},
               node.node);
}

bool reads(const Node& node, int array) {
    bool found = false;
    for_each_call(node, [&](const Call& call) {
        found = found || (!call.placement.sources.empty() && call.input.array == array);
    });
    return found;
}

bool writes(const Node& node, int array) {
    bool found = false;
    for_each_call(node, [&](const Call& call) { found = found || call.output.array == array; });
    return found;
}

bool accesses(const Node& node, int array) { return reads(node, array) || writes(node, array); }

/// Indices base + Σ stride·k, 0 ≤ k < count: strides ascend, and no digit continues the one before it.
struct Box {
    struct Digit {
        Integer stride, count;
        auto operator<=>(const Digit&) const = default;
    };
    Affine base;
    std::vector<Digit> digits;
    bool operator==(const Box&) const = default;
};

Box normalized(Affine base, std::vector<Box::Digit> digits) {
    std::erase_if(digits, [](const Box::Digit& digit) { return digit.count == 1; });
    for (Box::Digit& digit : digits)
        if (digit.stride < 0) {
            base += digit.stride * (digit.count - 1);
            digit.stride = -digit.stride;
        }
    std::sort(digits.begin(), digits.end());
    Box box{std::move(base), {}};
    for (const Box::Digit& digit : digits)
        if (!box.digits.empty() && digit.stride == box.digits.back().stride * box.digits.back().count)
            box.digits.back().count *= digit.count;
        else
            box.digits.push_back(digit);
    return box;
}

/// The complex entry at a location of memory of this kind, or nothing if its components are not an entry's.
std::optional<Affine> entry_at(const Location& location, Memory::Kind kind) {
    if (location.table || location.limit || location.im_limit) return std::nullopt;
    if (kind == Memory::Kind::planar)
        return location.re == location.im ? std::optional(location.re) : std::nullopt;
    if (kind != Memory::Kind::interleaved || location.im != location.re + 1) return std::nullopt;
    if (location.re.constant() % 2 != 0) return std::nullopt;
    Affine half = location.re.constant() / 2;
    for (const Affine::Term& term : location.re.terms()) {
        if (term.coefficient % 2 != 0) return std::nullopt;
        half += Affine::of(term.variable, term.coefficient / 2);
    }
    return half;
}

/// The entries of one side of a call, in all iterations of `loops`, if they are evenly spaced.
std::optional<Box> box_of(const std::vector<Location>& locations, Memory::Kind kind,
                          const std::vector<Loop>& loops) {
    std::vector<Affine> entries;
    for (const Location& location : locations) {
        const std::optional<Affine> entry = entry_at(location, kind);
        if (!entry) return std::nullopt;
        entries.push_back(*entry);
    }
    if (entries.empty()) return std::nullopt;
    const Affine step = entries.size() > 1 ? entries[1] - entries[0] : Affine(1);
    if (!step.is_constant()) return std::nullopt;
    for (std::size_t k = 1; k < entries.size(); ++k)
        if (entries[k] - entries[k - 1] != step) return std::nullopt;
    Affine base = entries[0];
    std::vector<Box::Digit> digits{{step.constant(), static_cast<Integer>(entries.size())}};
    for (const Loop& loop : loops) {
        const Integer stride = base.coefficient(loop.variable);
        base = base.substitute(loop.variable, 0);
        digits.push_back({stride, loop.count});
    }
    return normalized(std::move(base), std::move(digits));
}

/// Whether a phase replaces entries of one array by those of another in place: each of its parts reads the entries that it
/// writes, and nothing else, before it writes the first of them.
class Replacement {
public:
    Replacement(Memory from, Memory to) : from_(from), to_(to) {}

    /// Adds the next nodes of the phase. False if they do not replace entries.
    bool add(const Node& node, Integer times) {
        return std::visit(Overloaded{[&](const Nest& nest) { return add(nest, times); },
                                     [&](const Call& call) { return add(call, times); }},
                          node.node);
    }

    /// Whether all entries that were read have been replaced.
    bool is_complete() const { return !read_; }
    /// Entries that were replaced.
    Integer entries() const { return entries_; }

private:
    bool add(const Nest& nest, Integer times) {
        if (!accesses({nest}, from_.array) && !accesses({nest}, to_.array)) return true;
        if (read_) return false;
        for (const Node& node : nest.body)
            if (!add(node, times * nest.loop.count)) return false;
        return is_complete();
    }

    bool add(const Call& call, Integer times) {
        const auto& [sources, targets, between] = call.placement;
        const bool reads = !sources.empty() && call.input.array == from_.array;
        const bool writes = call.output.array == to_.array;
        if (call.first_source || call.first_target || (reads && read_)) return false;
        if ((call.input.array == to_.array || call.output.array == from_.array) && from_.array != to_.array)
            return false;
        if (!reads && !writes) return true;
        const std::vector<Loop> loops = reads && writes ? std::vector<Loop>{} : call.loops;
        if (reads) read_ = box_of(sources, from_.kind, loops);
        if (!read_) return false;
        if (!writes) return true;
        if (box_of(targets, to_.kind, loops) != read_) return false;
        entries_ += times * iterations_of(call.loops) * static_cast<Integer>(targets.size());
        read_.reset();
        return true;
    }

    Memory from_, to_;
    std::optional<Box> read_; ///< entries that the part has read and not yet replaced
    Integer entries_ = 0;
};

class OutputReuse {
public:
    OutputReuse(LoopProgram& program, const Request& request) : program_(program), request_(request) {}

    void run() {
        const std::optional<Memory> results = array_of_results();
        if (!results) return;
        results_ = *results;
        const Integer bytes = bytes_of(array(results_)), all_bytes = bytes_of_arrays();
        if (all_bytes <= near_bytes) return;
        const bool in_near = bytes <= 2 * near_bytes;
        const bool in_own = request_.cache_bytes > 0 && all_bytes > request_.cache_bytes;
        const bool pays_shuffles = in_near || in_own;
        const LoopProgram before = program_;
        if (pays_shuffles && become_results() && !has_temporary_of(bytes)) return;
        program_ = before;
        while (const auto temporary =
                   temporary_that([&](const Memory& t) { return is_read_before_results(t); }))
            take_place_of_results(*temporary);
        if (pays_shuffles) become_results();
    }

private:
    Array& array(const Memory& memory) { return program_.arrays[static_cast<std::size_t>(memory.array)]; }
    Integer bytes_of(const Array& array) const {
        return scalars_of(array) * swirl::bytes_of(request_.scalar);
    }
    Integer bytes_of_arrays() const {
        Integer bytes = 0;
        for (const Array& each : program_.arrays) bytes += each.nest_depth == 0 ? bytes_of(each) : 0;
        return bytes;
    }
    bool has_temporary_of(Integer bytes) {
        return temporary_that([&](const Memory& t) { return 2 * bytes_of(array(t)) > bytes; }).has_value();
    }
    static Integer scalars_of(const Array& array) {
        return array.elements * (array.kind == Memory::Kind::real ? 1 : 2);
    }

    /// The array of results, if all of it is written and it stays in the caches.
    std::optional<Memory> array_of_results() {
        for (std::size_t k = 0; k < program_.arrays.size(); ++k) {
            const Array& a = program_.arrays[k];
            if (a.role != Array::Role::output && a.role != Array::Role::data) continue;
            const bool is_bypassed = exceeds_caches(a, request_.scalar, request_.streaming_bytes);
            const bool is_full = a.first == 0 && scalars_written(static_cast<int>(k)) == scalars_of(a);
            if (!is_full || a.split_complex || is_bypassed) return std::nullopt;
            return Memory{a.kind, static_cast<int>(k)};
        }
        return std::nullopt;
    }

    /// By all calls together: each result is written once.
    Integer scalars_written(int array) const { return scalars_written(program_.body, array, 1); }
    static Integer scalars_written(const Nodes& nodes, int array, Integer times) {
        Integer sum = 0;
        for (const Node& node : nodes)
            sum += std::visit(
                Overloaded{[&](const Nest& nest) {
                               return scalars_written(nest.body, array, times * nest.loop.count);
                           },
                           [&](const Call& call) {
                               if (call.output.array != array) return Integer{0};
                               const auto targets = static_cast<Integer>(call.placement.targets.size());
                               return times * iterations_of(call.loops) * targets * (call.complex ? 2 : 1);
                           }},
                node.node);
        return sum;
    }

    struct Lifetime {
        std::size_t last_write, first_read, last_read; ///< nodes of the program's body
    };
    std::optional<Lifetime> lifetime_of(const Memory& memory) const {
        const auto size = program_.body.size();
        Lifetime found{size, size, size};
        for (std::size_t k = 0; k < size; ++k) {
            if (writes(program_.body[k], memory.array)) found.last_write = k;
            if (!reads(program_.body[k], memory.array)) continue;
            if (found.first_read == size) found.first_read = k;
            found.last_read = k;
        }
        if (found.last_write >= found.first_read || found.first_read == size) return std::nullopt;
        return found;
    }

    /// Whether the phase from node `first` on, up to node `last` or soon after it, replaces all entries.
    bool replaces(const Memory& from, const Memory& to, std::size_t first, std::size_t last) {
        Replacement replacement(from, to);
        for (std::size_t k = first; k < program_.body.size(); ++k) {
            if (k > last && replacement.is_complete()) break;
            if (!replacement.add(program_.body[k], 1)) return false;
        }
        return replacement.is_complete() && replacement.entries() == array(to).elements;
    }

    template <class Condition> std::optional<Memory> temporary_that(Condition&& condition) {
        for (std::size_t k = 0; k < program_.arrays.size(); ++k) {
            const Array& a = program_.arrays[k];
            const Memory memory{a.kind, static_cast<int>(k)};
            if (a.role == Array::Role::temporary && a.nest_depth == 0 && !a.unused && condition(memory))
                return memory;
        }
        return std::nullopt;
    }

    bool holds_input() { return array(results_).role == Array::Role::data; }

    /// Whether nodes from `first` on, before `last`, access results.
    bool accesses_results(std::size_t first, std::size_t last) {
        return std::any_of(program_.body.begin() + static_cast<std::ptrdiff_t>(first),
                           program_.body.begin() + static_cast<std::ptrdiff_t>(last),
                           [&](const Node& node) { return accesses(node, results_.array); });
    }

    bool is_replaced(const Memory& temporary) {
        const bool has_format =
            temporary.kind == Memory::Kind::planar && results_.kind == Memory::Kind::interleaved;
        const std::optional<Lifetime> lifetime = lifetime_of(temporary);
        if (!lifetime || !has_format || array(temporary).elements != array(results_).elements) return false;
        const std::size_t unread = holds_input() ? lifetime->last_write + 1 : 0;
        if (accesses_results(unread, lifetime->first_read)) return false;
        if (holds_input() && !replaces(results_, temporary, 0, lifetime->last_write)) return false;
        return replaces(temporary, results_, lifetime->first_read, lifetime->last_read);
    }

    bool is_read_before_results(const Memory& temporary) {
        const auto size = program_.body.size();
        std::size_t first = size, last = 0;
        for (std::size_t k = 0; k < size; ++k)
            if (accesses(program_.body[k], temporary.array)) first = std::min(first, k), last = k;
        if (first == size || scalars_of(array(temporary)) > scalars_of(array(results_))) return false;
        if (request_.output_split_complex && temporary.kind != Memory::Kind::planar) return false;
        if (!holds_input()) return !accesses_results(0, last + 1);
        for (std::size_t k = 0; k < size; ++k)
            if (k < first ? writes(program_.body[k], results_.array)
                          : reads(program_.body[k], results_.array) ||
                                (k <= last && writes(program_.body[k], results_.array)))
                return false;
        return true;
    }

    /// Whether any temporary did.
    bool become_results() {
        bool any = false;
        while (const auto temporary = temporary_that([&](const Memory& t) { return is_replaced(t); })) {
            become_results(*temporary);
            any = true;
        }
        return any;
    }

    void become_results(const Memory& temporary) {
        relocate(temporary, results_, [](Location& location) {
            location.re *= 2;
            location.im = location.re + 1;
        });
    }

    /// With the real components first; but where the caller keeps components in two arrays, as interleaved results that the
    /// kernel splits.
    void take_place_of_results(const Memory& temporary) {
        if (request_.output_split_complex) return become_results(temporary);
        const Integer imaginary = temporary.kind == Memory::Kind::planar ? array(temporary).elements : 0;
        relocate(temporary, {Memory::Kind::real, results_.array},
                 [&](Location& location) { location.im += imaginary; });
    }

    template <class Move> void relocate(const Memory& from, const Memory& to, Move&& move) {
        const auto relocated = [&](Memory& memory, std::vector<Location>& locations) {
            if (memory.array != from.array) return;
            memory = to;
            for (Location& location : locations) move(location);
        };
        for_each_call(program_.body, [&](Call& call) {
            relocated(call.input, call.placement.sources);
            relocated(call.output, call.placement.targets);
        });
        array(from).unused = true;
    }

    LoopProgram& program_;
    const Request& request_;
    Memory results_;
};

} // namespace

void reuse_output(LoopProgram& program, const Request& request) {
    if (request.load || request.store || request.output_converted) return;
    OutputReuse(program, request).run();
}

} // namespace swirl::loops
