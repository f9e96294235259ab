#include "loops/gpu/staging.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::loops {

namespace {

bool is_of(const std::vector<Loop>& loops, Variable variable) {
    return std::any_of(loops.begin(), loops.end(),
                       [&](const Loop& loop) { return loop.variable == variable; });
}

/// Scalars per entry in addresses.
Integer scalars_of(const Memory& memory) { return memory.kind == Memory::Kind::interleaved ? 2 : 1; }

/// One side of a call: where it touches an array.
struct Touch {
    Memory* memory;
    std::vector<Location>* locations;
    const Call* call;
};

std::vector<Touch> touches_of(KernelRegion& region, int array, bool reading) {
    std::vector<Touch> touches;
    for (Call& call : region.calls) {
        Memory& memory = reading ? call.input : call.output;
        auto& locations = reading ? call.placement.sources : call.placement.targets;
        if (memory.array == array && !locations.empty()) touches.push_back({&memory, &locations, &call});
    }
    return touches;
}

/// The entries first + stride·i, i < count, in each iteration of the surrounding loops; `around` is these loops'
/// contribution.
struct ContiguousRange {
    Affine around;
    Integer first = 0;
    Integer stride = 1;
    Integer count = 0;
};

Affine terms_in(const Affine& form, const std::vector<Loop>& loops) {
    Affine result = 0;
    for (const auto& [variable, coefficient] : form.terms())
        if (is_of(loops, variable)) result += Affine::of(variable, coefficient);
    return result;
}

/// At least this fraction of a range that is read must be used.
constexpr Integer least_read = 3, of_entries = 4;

/// Finds the contiguous range that the accesses cover, touching each entry once; if read, some entries may be unused.
class ContiguousRangeFinder {
public:
    ContiguousRangeFinder(const std::vector<Touch>& touches, const std::vector<Loop>& around,
                          const LoopProgram& loops, bool reading)
        : touches_(touches), around_(around), loops_(loops), extents_(loops.extents), reading_(reading) {}

    std::optional<ContiguousRange> find() const {
        ContiguousRange range;
        range.around = terms_in(touches_.front().locations->front().re, around_);
        const Integer scalars = scalars_of(*touches_.front().memory);
        Integer lowest = 0, highest = 0, divisor = 0;
        bool is_first = true;
        for (const Touch& touch : touches_)
            for (const Location& location : *touch.locations) {
                if (terms_in(location.re, around_) != range.around) return std::nullopt;
                // A callback may suppress the access depending on the location.
                if (!location.forms.empty() && !location.forms.front().empty()) return std::nullopt;
                if (location.limit || location.im_limit) return std::nullopt;
                if (scalars == 2 && location.im != location.re + 1) return std::nullopt;
                for (const Affine* form : {&location.re, &location.im}) {
                    if (scalars == 2 && form == &location.im) continue;
                    const Affine own = *form - range.around;
                    const auto [low, high] = bounds(own, extents_);
                    if (is_first) range.first = own.constant();
                    lowest = is_first ? low : std::min(lowest, low);
                    highest = is_first ? high : std::max(highest, high);
                    is_first = false;
                    divisor = std::gcd(divisor, own.constant() - range.first);
                    for (const auto& term : own.terms()) divisor = std::gcd(divisor, term.coefficient);
                }
            }
        range.first = lowest;
        range.stride = std::max<Integer>(divisor, 1);
        range.count = (highest - lowest) / range.stride + 1;
        if (!trim_to_what_is_touched(range)) return std::nullopt;
        if (reading_) fill_up(range);
        return range;
    }

private:
    /// Extends a read range from the start of one iteration of the innermost surrounding loop to the start of the
    /// next, if they are near and inside the array.
    void fill_up(ContiguousRange& range) const {
        if (around_.empty()) return;
        const Integer distance = range.around.coefficient(around_.back().variable);
        if (const Integer before = range.first / range.stride;
            range.first > 0 && range.first % range.stride == 0 && before <= range.count / 8) {
            range.first = 0;
            range.count += before;
        }
        const Integer more = distance / range.stride - range.count;
        if (distance % range.stride != 0 || more <= 0 || more > range.count / 8) return;
        const Memory& memory = *touches_.front().memory;
        const Array& array = loops_.arrays[static_cast<std::size_t>(memory.array)];
        const Integer end = scalars_of(memory) * (array.first + array.elements);
        if (bounds(range.around, extents_).second + range.first + range.stride * (range.count + more - 1) <
            end)
            range.count += more;
    }

    /// Bound on a range's entries, given how many the calls touch. Index tables may seem to reach anywhere.
    Integer most_entries(const ContiguousRange& range) const {
        Integer touched = 0;
        for (const Touch& touch : touches_)
            touched +=
                2 * std::min(iterations_of(touch.call->loops), range.count) * std::ssize(*touch.locations);
        return touched * of_entries / least_read;
    }

    /// Trims untouched ends, which index tables only seem to reach; whether each remaining entry is touched once.
    bool trim_to_what_is_touched(ContiguousRange& range) const {
        if (range.count > most_entries(range)) return false;
        std::vector<bool> touched(static_cast<std::size_t>(range.count));
        Integer total = 0;
        for (const Touch& touch : touches_)
            for (const Location& location : *touch.locations) {
                const bool has_separate_components =
                    location.im != location.re && scalars_of(*touch.memory) == 1;
                for (const Affine* form : {&location.re, &location.im}) {
                    if (form == &location.im && !has_separate_components) continue;
                    if (!mark(*form - range.around, location.table, *touch.call, range, touched, total))
                        return false;
                }
            }
        const auto first = std::find(touched.begin(), touched.end(), true);
        const auto last = std::find(touched.rbegin(), touched.rend(), true);
        range.first += range.stride * (first - touched.begin());
        range.count -= (first - touched.begin()) + (last - touched.rbegin());
        return reading_ ? of_entries * total >= least_read * range.count : total == range.count;
    }

    static bool mark(const Affine& own, const std::optional<IndexTable>& table, const Call& call,
                     const ContiguousRange& range, std::vector<bool>& touched, Integer& total) {
        const Integer iterations = iterations_of(call.loops);
        if (iterations > range.count) return false;
        for (Integer iteration = 0; iteration < iterations; ++iteration) {
            const IndexTable::Lookup lookup = [&](Variable variable) {
                if (table && variable == table->symbol) return table->value(lookup);
                Integer rest = iteration;
                for (const Loop& loop : call.loops) {
                    if (loop.variable == variable) return rest % loop.count;
                    rest /= loop.count;
                }
                return Integer{0};
            };
            const Integer at = own.evaluate(lookup);
            const auto entry = static_cast<std::size_t>((at - range.first) / range.stride);
            if (touched[entry]) return false;
            touched[entry] = true;
            ++total;
        }
        return true;
    }

    const std::vector<Touch>& touches_;
    const std::vector<Loop>& around_;
    const LoopProgram& loops_;
    const Extents& extents_;
    bool reading_;
};

/// Converts a form in scalars of the range's array to an entry of the range.
Affine entry_of(const Affine& form, const ContiguousRange& range) {
    const Affine own = form - range.around - range.first;
    Affine entry = own.constant() / range.stride;
    for (const auto& [variable, coefficient] : own.terms())
        entry += Affine::of(variable, coefficient / range.stride);
    return entry;
}

bool is_even(const Affine& form) {
    return form.constant() % 2 == 0 &&
           std::all_of(form.terms().begin(), form.terms().end(),
                       [](const Affine::Term& term) { return term.coefficient % 2 == 0; });
}

/// Whether the range consists of pairs of neighbours at even offsets.
bool goes_by_pairs(const ContiguousRange& range) {
    return range.stride == 1 && range.count % 2 == 0 && range.first % 2 == 0 && is_even(range.around);
}

/// Whether the range covers a single component of complex elements, real or imaginary.
bool touches_one_component(const ContiguousRange& range) {
    return range.stride % 2 == 0 && is_even(range.around);
}

/// Whether a call of the region reads what an earlier one has written to the array.
bool passes_within(const KernelRegion& region, int array) {
    bool written = false;
    for (const Call& call : region.calls) {
        if (written && call.input.array == array) return true;
        written = written || call.output.array == array;
    }
    return false;
}

/// Replaces the array by a staged shared array and returns the copy between the two; nothing if there is no such
/// range.
std::optional<Call> stage(LoopProgram& loops, KernelRegion& region, int array, bool reading) {
    const std::vector<Touch> touches = touches_of(region, array, reading);
    if (touches.empty()) return std::nullopt;
    const auto range = ContiguousRangeFinder(touches, region.around, loops, reading).find();
    if (!range) return std::nullopt;
    if (loops.arrays[static_cast<std::size_t>(array)].split_complex && !goes_by_pairs(*range) &&
        !touches_one_component(*range))
        return std::nullopt;
    const Memory whole = *touches.front().memory;
    const bool complex = whole.kind == Memory::Kind::interleaved;
    const Memory staged{complex ? Memory::Kind::planar : Memory::Kind::real,
                        static_cast<int>(loops.arrays.size())};
    Array vector{Array::Role::temporary, staged.kind, 0, range->count};
    vector.residence = Array::Residence::shared;
    vector.gapless = !complex && goes_by_pairs(*range) && range->count / 2 % 2 != 0;
    loops.arrays.push_back(vector);
    for (const Touch& touch : touches) {
        *touch.memory = staged;
        for (Location& location : *touch.locations) {
            location.im = complex ? entry_of(location.re, *range) : entry_of(location.im, *range);
            location.re = entry_of(location.re, *range);
        }
    }
    const Integer scalars_per_element = !complex && goes_by_pairs(*range) ? 2 : 1;
    const Loop loop{static_cast<Variable>(loops.extents.size()), range->count / scalars_per_element};
    loops.extents.set(loop.variable, loop.count);
    Location outside, inside;
    outside.re =
        range->around + range->first + Affine::of(loop.variable, scalars_per_element * range->stride);
    outside.im = complex || scalars_per_element == 2 ? outside.re + 1 : outside.re;
    inside.re = Affine::of(loop.variable, scalars_per_element);
    inside.im = scalars_per_element == 2 ? inside.re + 1 : inside.re;
    const bool complex_elements = complex || scalars_per_element == 2;
    Call copy{
        copying_codelet(), reading ? whole : staged, reading ? staged : whole, complex_elements, {}, {}};
    copy.placement.sources = {reading ? outside : inside};
    copy.placement.targets = {reading ? inside : outside};
    copy.loops = {loop};
    return copy;
}

} // namespace

void stage(LoopProgram& loops, KernelRegion& region, const LaunchConfiguration& configuration) {
    const bool in = stages(configuration.staged, SmemStaging::in);
    const bool out = stages(configuration.staged, SmemStaging::out);
    std::vector<Call> before, after;
    const std::size_t arrays = loops.arrays.size();
    for (std::size_t k = 0; k < arrays; ++k) {
        const Array& array = loops.arrays[k];
        if (array.role == Array::Role::temporary &&
            (array.residence == Array::Residence::shared || passes_within(region, static_cast<int>(k))))
            continue;
        const auto of_side = [&](bool staged, bool reading) {
            return staged ? stage(loops, region, static_cast<int>(k), reading) : std::nullopt;
        };
        if (auto copy = of_side(in, true)) before.push_back(std::move(*copy));
        if (auto copy = of_side(out, false)) after.push_back(std::move(*copy));
    }
    region.calls.insert(region.calls.begin(), before.begin(), before.end());
    region.calls.insert(region.calls.end(), after.begin(), after.end());
}

std::optional<Call> over_all_transforms(const LoopProgram& loops, const KernelRegion& region,
                                        const Call& call, Integer transforms) {
    if (region.around.empty() || transforms == 1) return std::nullopt;
    if (call.codelet.formula || call.placement.sources.size() != 1 || call.loops.size() != 1)
        return std::nullopt;
    const bool reading = is_shared(loops, call.output);
    const Location& inside = reading ? call.placement.targets[0] : call.placement.sources[0];
    const Location& outside = reading ? call.placement.sources[0] : call.placement.targets[0];
    const Memory& shared = reading ? call.output : call.input;
    if (is_shared(loops, reading ? call.input : call.output) || !is_shared(loops, shared))
        return std::nullopt;
    for (const Location* location : {&inside, &outside})
        if (location->table || !location->diagonals.empty() || !location->forms.empty() ||
            location->re_negative || location->im_negative)
            return std::nullopt;
    const Loop& loop = call.loops.front();
    const Integer stride = outside.re.coefficient(loop.variable);
    const Integer scalars_per_element = inside.re.coefficient(loop.variable);
    const bool in_order =
        inside.re == Affine::of(loop.variable, scalars_per_element) &&
        loops.arrays[static_cast<std::size_t>(shared.array)].pitch == scalars_per_element * loop.count &&
        outside.re.coefficient(region.around.back().variable) == stride * loop.count;
    if (!in_order) return std::nullopt;
    Call whole = call;
    whole.loops.front().count *= transforms;
    return whole;
}

} // namespace swirl::loops
