#include "formula/band_matrix.hpp"

#include "base/error.hpp"
#include "formula/wavelet.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace swirl::formula {

namespace {

using Entries = std::vector<BandMatrix::Entry>;

std::size_t slot(Integer i) { return static_cast<std::size_t>(i); }

/// The sample that stands at any position; none where the signal is zero.
std::optional<Integer> sample_at(Integer position, Integer n, Ends ends) {
    switch (ends) {
    case Ends::zero: return position >= 0 && position < n ? std::optional(position) : std::nullopt;
    case Ends::periodic: return std::min(modulo(position, n + n % 2), n - 1);
    case Ends::symmetric: {
        const Integer in_period = modulo(position, 2 * n);
        return std::min(in_period, 2 * n - 1 - in_period);
    }
    case Ends::reflect:
    case Ends::jpeg2000: {
        if (n == 1) return 0;
        const Integer in_period = modulo(position, 2 * n - 2);
        return std::min(in_period, 2 * n - 2 - in_period);
    }
    }
    throw InternalError("ends of unknown kind {}", static_cast<int>(ends));
}

/// Adds up the values of each column.
class Row {
public:
    void add(Integer column, const Complex& value) {
        const auto place =
            std::find_if(entries_.begin(), entries_.end(),
                         [&](const BandMatrix::Entry& entry) { return entry.column >= column; });
        if (place != entries_.end() && place->column == column)
            place->value += value;
        else
            entries_.insert(place, {column, value});
    }
    Entries entries() { return std::move(entries_); }

private:
    Entries entries_; ///< by ascending column
};

/// Rows Σ_j taps[j]·x[step·k + shift − j] of a signal that goes on beyond its ends.
struct Correlation {
    Integer n;
    Ends ends;
    Integer step;
    Integer shift;

    template <class Taps> Entries row(const Taps& taps, Integer k) const {
        Row row;
        for (std::size_t j = 0; j < taps.size(); ++j)
            if (taps[j] != typename Taps::value_type(0))
                if (const auto sample = sample_at(step * k + shift - static_cast<Integer>(j), n, ends))
                    row.add(*sample, taps[j]);
        return row.entries();
    }
    /// The k < count whose rows may have an entry in this column: those of the sample itself, and those beyond the ends.
    std::vector<Integer> rows_of(Integer column, Integer taps, Integer count) const {
        const auto clamped = [&](Integer k) { return std::clamp<Integer>(k, 0, count); };
        const Integer left = clamped(ceil_divide(taps - 1 - shift, step)), // first row within the signal
            right = clamped(ceil_divide(n - shift, step)),                 // first row beyond it
            first = clamped(ceil_divide(column - shift, step)),
                      last = clamped(floor_divide(column - shift + taps - 1, step) + 1);
        std::vector<Integer> rows;
        const auto add = [&](Integer begin, Integer end) {
            for (Integer k = begin; k < end; ++k) rows.push_back(k);
        };
        add(0, left);
        add(first, last);
        add(right, count);
        std::sort(rows.begin(), rows.end());
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        return rows;
    }
};

Complex entry_of(const Entries& entries, Integer column) {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const BandMatrix::Entry& entry) { return entry.column == column; });
    return found == entries.end() ? Complex(0) : found->value;
}

/// A level's two channels, of m coefficients and `details`, and n samples.
struct Level {
    const WaveletFilters& filters;
    Ends ends;
    Integer n, m, details;

    Integer length() const { return filters.length(); }
    bool is_periodic() const { return ends == Ends::periodic; }
    bool is_jpeg2000() const { return ends == Ends::jpeg2000; }
    /// Whether coefficient k of both channels stands for samples around 2k, and none for those beyond the ends.
    bool is_centred() const { return is_periodic() || is_jpeg2000(); }

    Correlation analysis() const { return {n, ends, 2, is_centred() ? length() / 2 : 1}; }

    /// Row channel·m + k of the analysis.
    Entries analysed(Integer row) const { return analysis().row(filters.analysis[slot(row / m)], row % m); }
    Entries analysed_transposed(Integer sample) const {
        Entries entries;
        for (Integer channel = 0; channel < 2; ++channel)
            for (const Integer k : analysis().rows_of(sample, length(), channel == 0 ? m : details))
                if (const Complex value = entry_of(analysed(channel * m + k), sample); value != Complex(0))
                    entries.push_back({channel * m + k, value});
        return entries;
    }

    /// The tap of coefficient 0 for sample 0: x[i] = Σ_k taps[i − 2k + first_tap]·coefficient[k].
    Integer first_tap() const { return is_centred() ? length() / 2 - 1 : length() - 2; }

    Entries synthesised(Integer sample) const {
        Row row;
        for (Integer channel = 0; channel < 2; ++channel)
            for (Integer tap = 0; tap < length(); ++tap) {
                const Integer twice = sample + first_tap() - tap;
                const long double value = filters.synthesis[slot(channel)][slot(tap)];
                if (twice % 2 != 0 || value == 0) continue;
                if (is_jpeg2000()) {
                    // Both channels interleaved, as their samples: coefficient k is entry 2k + channel, and symmetric as these.
                    if (channel == 1 && details == 0) continue;
                    row.add(channel * m + sample_at(twice + channel, n, ends).value() / 2, value);
                    continue;
                }
                const Integer k = is_periodic() ? modulo(twice / 2, m) : twice / 2;
                if (k >= 0 && k < m) row.add(channel * m + k, value);
            }
        return row.entries();
    }
    Entries synthesised_transposed(Integer row_index) const {
        const Integer channel = row_index / m, k = row_index % m;
        Row row;
        if (is_jpeg2000()) {
            for (Integer sample = std::max<Integer>(0, 2 * k - length());
                 sample < std::min(n, 2 * k + length() + 1); ++sample)
                if (const Complex value = entry_of(synthesised(sample), row_index); value != Complex(0))
                    row.add(sample, value);
            return row.entries();
        }
        for (Integer tap = 0; tap < length(); ++tap) {
            const long double value = filters.synthesis[slot(channel)][slot(tap)];
            Integer sample = tap - first_tap() + 2 * k;
            if (is_periodic()) sample = modulo(sample, 2 * m);
            if (value != 0 && sample >= 0 && sample < n) row.add(sample, value);
        }
        return row.entries();
    }
};

Level level_of(const WaveletTransform& transform, Integer n) {
    return {filters_of(transform.wavelet), transform.ends, n, coefficients_of_level(transform, n),
            details_of_level(transform, n)};
}

using Vector = std::vector<Complex>;

/// The segment of a column.
std::size_t segment_of(const BandMatrix& matrix, Integer column) {
    std::size_t segment = 0;
    while (segment + 1 < matrix.segments.size() && matrix.segments[segment + 1] <= column) ++segment;
    return segment;
}

/// Whether all rows of the group exist, and are those of another, moved.
bool repeats(const BandMatrix& matrix, Integer group, Integer other) {
    for (const Integer offset : matrix.row_offsets) {
        const Integer row = offset + group * matrix.row_step, other_row = offset + other * matrix.row_step;
        if (std::max(row, other_row) >= matrix.shape.rows) return false;
        const Entries entries = matrix.row(row);
        Entries moved = matrix.row(other_row);
        if (entries.size() != moved.size()) return false;
        for (std::size_t k = 0; k < moved.size(); ++k) {
            const std::size_t segment = segment_of(matrix, moved[k].column);
            moved[k].column += (group - other) * matrix.column_step;
            if (entries[k] != moved[k] || segment_of(matrix, entries[k].column) != segment) return false;
        }
    }
    return true;
}

/// More groups than those near an end.
Integer groups_near_an_end(const BandMatrix& matrix, Integer group) {
    Integer widest = 0;
    for (const Integer offset : matrix.row_offsets) {
        const Integer row = offset + group * matrix.row_step;
        if (row >= matrix.shape.rows) continue;
        const Entries entries = matrix.row(row);
        for (std::size_t k = 1; k < entries.size(); ++k)
            if (segment_of(matrix, entries[k].column) == segment_of(matrix, entries[k - 1].column))
                widest += entries[k].column - entries[k - 1].column;
    }
    return 2 * widest + 8;
}

/// Matrix·x, or its transpose's.
Vector multiplied(const BandMatrix& matrix, bool transposed, const Vector& x) {
    Vector y(slot(transposed ? matrix.shape.columns : matrix.shape.rows));
    const auto add = [&](const Entries& entries, Integer row, Integer moved) {
        for (const auto& [column, value] : entries) {
            const std::size_t j = slot(column + moved), i = slot(row);
            const Complex& from = transposed ? x[i] : x[j];
            Complex& to = transposed ? y[j] : y[i];
            to += Complex(value.real() * from.real() - value.imag() * from.imag(),
                          value.real() * from.imag() + value.imag() * from.real());
        }
    };
    const auto [begin, end] = repeated_groups(matrix);
    for (const Integer offset : matrix.row_offsets) {
        const auto row_of = [&](Integer group) { return offset + group * matrix.row_step; };
        const Entries repeated = matrix.row(row_of(begin));
        for (Integer group = 0; group < matrix.groups && row_of(group) < matrix.shape.rows; ++group)
            if (group >= begin && group < end)
                add(repeated, row_of(group), (group - begin) * matrix.column_step);
            else
                add(matrix.row(row_of(group)), row_of(group), 0);
    }
    return y;
}

Correlation correlation_of(const FirFilter& filter, Integer n) {
    const auto taps = static_cast<Integer>(filter.taps->size());
    return {n, filter.ends, 1, filter.outputs == FilterOutputs::valid ? taps - 1 : 0};
}

} // namespace

RepeatedGroups repeated_groups(const BandMatrix& matrix) {
    const Integer middle = matrix.groups / 2, window = groups_near_an_end(matrix, middle);
    RepeatedGroups found{middle, middle + 1};
    if (matrix.groups > 4 * window) found = {window, matrix.groups - window};
    while (found.begin > 0 && repeats(matrix, found.begin - 1, middle)) --found.begin;
    while (found.end < matrix.groups && repeats(matrix, found.end, middle)) ++found.end;
    return found;
}

BandMatrix wavelet_level(const WaveletTransform& transform, Integer n) {
    const Level level = level_of(transform, n);
    const Integer m = level.m, coefficients = m + level.details;
    const bool gives_coefficients = transform.inverse == transform.transposed;
    BandMatrix matrix;
    if (gives_coefficients)
        matrix = {{coefficients, n}, m, {0, m}, 1, {0}, 2, {}};
    else
        matrix = {{n, coefficients}, (n + 1) / 2, {0, 1}, 2, {0, m}, 1, {}};
    matrix.row = [level, inverse = transform.inverse, gives_coefficients](Integer row) {
        if (gives_coefficients) return inverse ? level.synthesised_transposed(row) : level.analysed(row);
        return inverse ? level.synthesised(row) : level.analysed_transposed(row);
    };
    return matrix;
}

BandMatrix filter_matrix(const FirFilter& filter, Integer n) {
    const Integer outputs = outputs_of(filter, n), taps = static_cast<Integer>(filter.taps->size());
    const Correlation correlation = correlation_of(filter, n);
    const auto row = [correlation, filter](Integer i) { return correlation.row(*filter.taps, i); };
    if (!filter.transposed) return {{outputs, n}, outputs, {0}, 1, {0}, 1, row};
    return {{n, outputs}, n, {0}, 1, {0}, 1, [=](Integer column) {
                Entries entries;
                for (const Integer i : correlation.rows_of(column, taps, outputs))
                    if (const Complex value = entry_of(row(i), column); value != Complex(0))
                        entries.push_back({i, value});
                return entries;
            }};
}

std::vector<Complex> apply_wavelet(const WaveletTransform& transform, Shape shape,
                                   std::span<const Complex> x) {
    const std::vector<Integer> lengths = approximation_lengths(transform, samples_of(transform, shape));
    WaveletTransform one = transform;
    one.transposed = false;
    Vector current, details;
    if (transform.inverse == transform.transposed) { // to coefficients
        current.assign(x.begin(), x.end());
        for (std::size_t level = 0; level + 1 < lengths.size(); ++level) {
            current = multiplied(wavelet_level(one, lengths[level]), transform.transposed, current);
            const auto middle = current.begin() + lengths[level + 1];
            details.insert(details.begin(), middle, current.end());
            current.erase(middle, current.end());
        }
        current.insert(current.end(), details.begin(), details.end());
        return current;
    }
    auto next = x.begin() + lengths.back();
    current.assign(x.begin(), next);
    for (std::size_t level = lengths.size() - 1; level-- > 0;) {
        const Integer count = details_of_level(transform, lengths[level]);
        current.insert(current.end(), next, next + count);
        next += count;
        current = multiplied(wavelet_level(one, lengths[level]), transform.transposed, current);
    }
    return current;
}

std::vector<Complex> apply_filter(const FirFilter& filter, Shape shape, std::span<const Complex> x) {
    FirFilter plain = filter;
    plain.transposed = false;
    return multiplied(filter_matrix(plain, samples_of(filter, shape)), filter.transposed,
                      Vector(x.begin(), x.end()));
}

Integer samples_of(const WaveletTransform& transform, Shape shape) {
    return transform.inverse == transform.transposed ? shape.columns : shape.rows;
}

Integer samples_of(const FirFilter& filter, Shape shape) {
    return filter.transposed ? shape.rows : shape.columns;
}

Integer outputs_of(const FirFilter& filter, Integer n) {
    const auto taps = static_cast<Integer>(filter.taps->size());
    switch (filter.outputs) {
    case FilterOutputs::same: return n;
    case FilterOutputs::full: return n + taps - 1;
    case FilterOutputs::valid: return n - taps + 1;
    }
    throw InternalError("outputs of unknown kind {}", static_cast<int>(filter.outputs));
}

} // namespace swirl::formula
