#include "gemm/panel_writer.hpp"

#include "ir/transpose.hpp"

#include <algorithm>
#include <vector>

namespace swirl::gemm {

using ir::Value;
using Source = Pack::Source;

PanelWriter::PanelWriter(ir::Builder& builder, const Pack& pack, const PanelPlaces& places)
    : builder_(builder),
      pack_(pack),
      places_(places),
      parts_(scalars_in(pack.number)),
      type_{scalar_of(pack.number), panel_lanes(pack)} {}

void PanelWriter::write(const Affine& steps, const Affine& depth) {
    if (pack_.source == Source::across_panel)
        return over_depth(0, depth, 1, [&](const Affine& k) { copy_step(k); });
    const int together = steps_together(pack_);
    if (together > 1) over_depth(0, steps, together, [&](const Affine& k) { transpose_steps(k); });
    over_depth(together > 1 ? steps : 0, depth, 1, [&](const Affine& k) { gather_step(k); });
}

template <class F> void PanelWriter::over_depth(const Affine& begin, const Affine& end, int step, F&& body) {
    builder_.for_loop("k", begin, end, step, ir::For::Kind::serial, body);
}

/// Stores the parts of some numbers of a step, imaginary ones with the sign that is asked for.
void PanelWriter::put(const Affine& k, int first, Parts parts, int lanes) {
    if (pack_.conjugated && parts_ == 2) parts[1] = builder_.negate(parts[1]);
    for (int part = 0; part < parts_; ++part)
        builder_.store(places_.to,
                       places_.to_origin + parts_ * pack_.width * k + (part * pack_.width + first),
                       parts[static_cast<std::size_t>(part)], {.lanes = lanes});
}

Parts PanelWriter::zeros(ir::Type type) {
    const Value zero = builder_.constant(type, 0);
    return {zero, zero};
}

Parts PanelWriter::get(const Place& place, int lanes, int active) {
    if (parts_ == 2) return load_pairs(builder_, places_.from, place.index, lanes, active, place.dynamic);
    const Value got = builder_.load(places_.from, place.index,
                                    {.lanes = lanes, .active = active, .dynamic = place.dynamic});
    return {pack_.is_widened() ? builder_.convert(got, type_.scalar) : got, ir::no_value};
}

/// Whether the first lanes of a vector are loaded at once. Without masks short numbers are not.
bool PanelWriter::can_get(int active) const {
    return !pack_.is_widened() || active == type_.lanes || pack_.has_masks;
}

/// Numbers next to each other stay so; the same step of the next panel is likely to be packed soon.
void PanelWriter::copy_step(const Affine& k) {
    const Place start = places_.place(builder_, k, 0);
    const Integer next_panel = parts_ * pack_.width;
    for (Integer ahead = 0; ahead < next_panel; ahead += scalars_in_line(type_.scalar))
        builder_.prefetch(places_.from, start.index + (next_panel + ahead), start.dynamic);
    for (int first = 0; first < pack_.width; first += type_.lanes) {
        const int active = std::clamp(pack_.count - first, 0, type_.lanes);
        const Place from{start.index + parts_ * first, start.dynamic};
        if (active > 0 && !can_get(active)) {
            for (int row = first; row < first + type_.lanes; ++row) put_row(k, row, start);
            continue;
        }
        put(k, first, active > 0 ? get(from, type_.lanes, active) : zeros(type_), type_.lanes);
    }
}

/// As many steps as a vector has lanes: squares of rows by steps are turned.
void PanelWriter::transpose_steps(const Affine& k) {
    const Place start{places_.from_origin + parts_ * k, ir::no_value};
    for (int first = 0; first < pack_.width; first += type_.lanes) {
        std::vector<Value> rows[2];
        for (int row = first; row < first + type_.lanes; ++row) {
            const Parts got = row < pack_.count
                                  ? get(places_.beside(builder_, start, row), type_.lanes, type_.lanes)
                                  : zeros(type_);
            for (int part = 0; part < parts_; ++part)
                rows[part].push_back(got[static_cast<std::size_t>(part)]);
        }
        std::vector<Value> columns[2];
        for (int part = 0; part < parts_; ++part)
            columns[part] = ir::columns_of_rows(builder_.writer(), rows[part], type_.lanes);
        for (int step = 0; step < type_.lanes; ++step) {
            const auto at = static_cast<std::size_t>(step);
            put(k + step, first, {columns[0][at], parts_ == 2 ? columns[1][at] : ir::no_value}, type_.lanes);
        }
    }
}

/// One number after the other.
void PanelWriter::gather_step(const Affine& k) {
    const Place start = places_.place(builder_, k, 0);
    for (int row = 0; row < pack_.width; ++row) put_row(k, row, start);
}

/// The number of a row, or zero; `start` is the place of the first row's.
void PanelWriter::put_row(const Affine& k, int row, const Place& start) {
    const bool is_there = row < pack_.count;
    put(k, row, is_there ? get(places_.beside(builder_, start, row), 1, 1) : zeros({type_.scalar, 1}), 1);
}

} // namespace swirl::gemm
