#include "rules/banded.hpp"

#include "formula/band_matrix.hpp"
#include "formula/wavelet.hpp"
#include "rules/building_blocks.hpp"
#include "rules/replace_leaves.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace swirl::rules {

using namespace formula;

namespace {

using Entries = std::vector<BandMatrix::Entry>;

std::size_t slot(Integer i) { return static_cast<std::size_t>(i); }

/// Indices as progressions, in the order given.
void add_progressions(const std::vector<Integer>& indices, std::vector<DigitMap>& pieces) {
    for (std::size_t first = 0, end = 0; first < indices.size(); first = end) {
        const Integer stride = first + 1 < indices.size() ? indices[first + 1] - indices[first] : 1;
        end = first + 1;
        while (end < indices.size() && indices[end] - indices[end - 1] == stride) ++end;
        pieces.push_back({{static_cast<Integer>(end - first)}, {stride}, indices[first], 0});
    }
}

/// S · (A ⊕ (I_c ⊗ B) ⊕ C) · G, block by block.
class Blocks {
public:
    explicit Blocks(const BandMatrix& matrix) : matrix_(matrix) {}

    Formula build() {
        RepeatedGroups repeated = repeated_groups(matrix_);
        auto& [begin, end] = repeated;
        while (end - begin > 1 && !columns_of_repeated(begin, end)) {
            begin += 1; // an end group's columns are next to those of no group
            end -= end - begin > 1 ? 1 : 0;
        }
        add_single(0, begin);
        add_repeated(begin, end - begin);
        add_single(end, matrix_.groups);
        const Formula gathered = gather(IndexMap::piecewise(sources_, matrix_.shape.columns));
        const Formula scattered = scatter(IndexMap::piecewise(targets_, matrix_.shape.rows));
        return product_of({without_identity(scattered), blocks_.sum(), without_identity(gathered)});
    }

private:
    static Formula without_identity(const Formula& moved) {
        const auto* gathered = moved.get_if<Gather>();
        const IndexMap& map = gathered ? gathered->map : moved.get_if<Scatter>()->map;
        return map.is_identity() ? I(moved.rows()) : moved;
    }

    std::vector<Integer> rows_of(Integer group) const {
        std::vector<Integer> rows;
        for (const Integer offset : matrix_.row_offsets)
            if (const Integer row = offset + group * matrix_.row_step; row < matrix_.shape.rows)
                rows.push_back(row);
        return rows;
    }

    /// The columns in which any of the rows has an entry; at least one.
    std::vector<Integer> columns_of(const std::vector<Integer>& rows) const {
        std::vector<Integer> columns;
        for (const Integer row : rows)
            for (const auto& entry : matrix_.row(row)) columns.push_back(entry.column);
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        if (columns.empty()) columns.push_back(0);
        return columns;
    }

    Formula block_of(const std::vector<Integer>& rows, const std::vector<Integer>& columns) const {
        std::vector<Complex> values(rows.size() * columns.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (const auto& [column, value] : matrix_.row(rows[i])) {
                const auto j = std::lower_bound(columns.begin(), columns.end(), column) - columns.begin();
                values[i * columns.size() + slot(j)] = value;
            }
        return matrix(static_cast<Integer>(rows.size()), static_cast<Integer>(columns.size()),
                      std::move(values));
    }

    /// Of group `begin`, as many neighbouring columns in each segment, so that one digit counts segments; nothing if they would
    /// leave a segment in one of the groups.
    std::optional<std::vector<Integer>> columns_of_repeated(Integer begin, Integer end) const {
        struct Range {
            Integer first, last, segment_begin, segment_end;
        };
        std::vector<Range> ranges;
        const Integer moved = (end - begin - 1) * matrix_.column_step;
        Integer width = 0;
        for (const Integer column : columns_of(rows_of(begin))) {
            std::size_t s = 0;
            while (s + 1 < matrix_.segments.size() && matrix_.segments[s + 1] <= column) ++s;
            if (ranges.empty() || ranges.back().segment_begin != matrix_.segments[s])
                ranges.push_back(
                    {column, column, matrix_.segments[s],
                     s + 1 < matrix_.segments.size() ? matrix_.segments[s + 1] : matrix_.shape.columns});
            ranges.back().last = column;
            width = std::max(width, column - ranges.back().first + 1);
        }
        std::vector<Integer> columns;
        for (const Range& range : ranges) {
            const Integer lowest = std::max(range.segment_begin, range.last - width + 1);
            const Integer first = std::min(range.first, range.segment_end - moved - width);
            if (first < lowest) return std::nullopt;
            for (Integer column = first; column < first + width; ++column) columns.push_back(column);
        }
        return columns;
    }

    /// Groups begin, …, end − 1 as straight-line code.
    void add_single(Integer begin, Integer end) {
        constexpr std::size_t most_rows = 8; // in a codelet
        std::vector<Integer> rows;
        const auto add_block = [&] {
            if (rows.empty()) return;
            const std::vector<Integer> columns = columns_of(rows);
            blocks_.add(block_of(rows, columns));
            add_progressions(columns, sources_);
            add_progressions(std::exchange(rows, {}), targets_);
        };
        for (Integer group = begin; group < end; ++group) {
            const std::vector<Integer> more = rows_of(group);
            rows.insert(rows.end(), more.begin(), more.end());
            if (rows.size() >= most_rows) add_block();
        }
        add_block();
    }

    /// A loop over groups: the first one's rows and columns, then `step` further each.
    void add_repeated(Integer begin, Integer count) {
        if (count == 1) return add_single(begin, begin + 1);
        const std::vector<Integer> rows = rows_of(begin),
                                   columns = columns_of_repeated(begin, begin + count).value();
        blocks_.add(repeat(count, block_of(rows, columns)));
        add_moved(rows, matrix_.row_step, count, targets_);
        add_moved(columns, matrix_.column_step, count, sources_);
    }
    static void add_moved(const std::vector<Integer>& indices, Integer step, Integer count,
                          std::vector<DigitMap>& pieces) {
        std::vector<DigitMap> first;
        add_progressions(indices, first);
        const auto same = [&](const DigitMap& piece) {
            return piece.radices == first[0].radices && piece.strides == first[0].strides;
        };
        DigitMap moved{{count}, {step}, first[0].base, 0};
        if (first.size() > 1) {
            ensure(first.size() == 2 && std::all_of(first.begin(), first.end(), same),
                   "a group of rows of {} progressions", first.size());
            moved.radices.push_back(2);
            moved.strides.push_back(first[1].base.constant() - first[0].base.constant());
        }
        moved.radices.push_back(first[0].radices[0]);
        moved.strides.push_back(first[0].strides[0]);
        pieces.push_back(std::move(moved));
    }

    const BandMatrix& matrix_;
    Summands blocks_;
    std::vector<DigitMap> sources_, targets_;
};

Formula banded(const BandMatrix& matrix) { return Blocks(matrix).build(); }

Formula levels_of(const WaveletTransform& transform, Integer n) {
    const Formula level = banded(wavelet_level(transform, n));
    if (transform.levels == 1) return level;
    const Integer m = coefficients_of_level(transform, n);
    WaveletTransform coarser = transform;
    --coarser.levels;
    const Integer details = details_of_level(transform, n);
    Formula others = levels_of(coarser, m);
    if (details > 0) others = direct_sum(others, I(details));
    return transform.inverse == transform.transposed ? product_of({others, level})
                                                     : product_of({level, others});
}

} // namespace

Formula without_filters(const Formula& formula) {
    return replace_leaves(formula, [](const Formula& leaf) -> std::optional<Formula> {
        if (const auto* filter = leaf.get_if<FirFilter>())
            return banded(filter_matrix(*filter, samples_of(*filter, leaf.shape())));
        if (const auto* transform = leaf.get_if<WaveletTransform>())
            return levels_of(*transform, samples_of(*transform, leaf.shape()));
        return std::nullopt;
    });
}

} // namespace swirl::rules
