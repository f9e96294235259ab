#include "search/cost/cpu/multidimensional_cost.hpp"

#include "search/candidates/cpu/dft_candidates.hpp"

#include <algorithm>

namespace swirl::search {

using namespace formula;

namespace {

/// The children of a tree: equal transforms share the first one.
class Children {
public:
    explicit Children(Candidate& candidate) : candidate_(candidate) {}
    void add(const Formula& child, const Candidate& chosen, double times) {
        candidate_.cycles += chosen.cycles * times;
        if (std::find(done_.begin(), done_.end(), child) != done_.end()) return;
        candidate_.tree.children.push_back(chosen.tree);
        done_.push_back(child);
    }

private:
    Candidate& candidate_;
    std::vector<Formula> done_;
};

/// The best for one dimension, with entries `stride` bytes apart and `others` surrounding transforms.
Candidate along(const Formula& child, Integer stride, double others, Setting setting) {
    setting.loops *= others;
    setting.side_by_side = stride > static_cast<Integer>(setting.element_bytes) ? setting.lanes : 1;
    return strided_candidates(child, stride, setting).front();
}

/// The dimensions of an array in sequence, last first; each has the others as loops around it.
Candidate row_column_candidate(const Formula& transform, const Setting& setting) {
    Candidate candidate{{"row-column", {}, {}}, 0};
    Children children(candidate);
    Integer stride = transform.rows() * static_cast<Integer>(setting.element_bytes);
    for (const Formula& child : transform.children()) {
        stride /= child.rows();
        const auto others = static_cast<double>(transform.rows() / child.rows());
        children.add(child, along(child, stride, others, setting), others);
    }
    // Only two sweeps over memory do this much work per entry moved.
    const auto dimensions = static_cast<double>(transform.children().size());
    candidate.cycles += dimensions * sweep_cycles(transform.rows(), setting);
    return candidate;
}

/// Rows in bands of `band`, with that factor of the column transforms.
Candidate bands_candidate(const Formula& transform, Integer band, const Setting& setting) {
    const Formula &columns = transform.children()[0], &rows = transform.children()[1];
    const Integer rest = columns.rows() / band, row_entries = rows.rows();
    const auto row = static_cast<Integer>(setting.element_bytes) * row_entries;
    const Direction direction = columns.get_if<Dft>()->direction;
    const auto count = [](Integer value) { return static_cast<double>(value); };
    Candidate candidate{{"bands", {band}, {}}, 0};
    Children children(candidate);
    const Formula first = DFT(band, direction), second = DFT(rest, direction);
    children.add(second, along(second, row, count(band * row_entries), setting), count(band * row_entries));
    children.add(first, along(first, row, count(rest * row_entries), setting), count(rest * row_entries));
    children.add(rows,
                 along(rows, static_cast<Integer>(setting.element_bytes), count(columns.rows()), setting),
                 count(columns.rows()));
    const Integer sweeps = count(band * row) <= setting.cache_bytes ? 2 : 3;
    candidate.cycles += count(sweeps) * sweep_cycles(transform.rows(), setting) +
                        loaded_twiddle_cycles(1, setting) * count(transform.rows());
    return candidate;
}

} // namespace

std::vector<Candidate> multidimensional_candidates(const Formula& transform, const Setting& setting) {
    constexpr Integer narrowest = 4, widest = 32; // rows per band
    std::vector<Candidate> all{row_column_candidate(transform, setting)};
    // Where stores do not bypass the caches, columns replace rows in place (loops/reuse_output.hpp), with an array less than bands.
    const bool bypasses =
        static_cast<double>(transform.rows()) * setting.element_bytes > setting.streaming_bytes;
    if (transform.children().size() == 2 && bypasses)
        for (Integer band = narrowest; band <= widest && 2 * band <= transform.children()[0].rows(); ++band)
            if (transform.children()[0].rows() % band == 0 && is_codelet_size(band))
                all.push_back(bands_candidate(transform, band, setting));
    sort_by_cycles(all);
    return all;
}

} // namespace swirl::search
