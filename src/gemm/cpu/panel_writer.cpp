#include "gemm/cpu/panel_writer.hpp"

#include "ir/transpose.hpp"

#include <algorithm>
#include <vector>

namespace swirl::gemm {

using ir::Value;
using Source = Pack::Source;

PanelWriter::PanelWriter(ir::Builder& builder, const Pack& pack, const PanelAddresses& addresses)
    : builder_(builder),
      pack_(pack),
      addresses_(addresses),
      components_(scalars_in(pack.data_type)),
      type_{scalar_of(pack.data_type), panel_lanes(pack)} {}

void PanelWriter::write(const Affine& k_main, const Affine& k_extent) {
    if (pack_.source == Source::across_panel)
        return for_each_k(0, k_extent, 1, [&](const Affine& k) { copy_k(k); });
    const int k_block = k_per_iteration(pack_);
    if (k_block > 1) for_each_k(0, k_main, k_block, [&](const Affine& k) { transpose_k_block(k); });
    for_each_k(k_block > 1 ? k_main : 0, k_extent, 1, [&](const Affine& k) { gather_k(k); });
}

template <class F>
void PanelWriter::for_each_k(const Affine& begin, const Affine& end, int increment, F&& body) {
    builder_.for_loop("k", begin, end, increment, ir::For::Kind::serial, body);
}

/// Stores the components of some elements of one k, conjugated if requested.
void PanelWriter::put(const Affine& k, int first, Components components, int lanes) {
    if (pack_.conjugated && components_ == 2) components[1] = builder_.negate(components[1]);
    for (int component = 0; component < components_; ++component)
        builder_.store(
            addresses_.to,
            addresses_.to_origin + components_ * pack_.width * k + (component * pack_.width + first),
            components[static_cast<std::size_t>(component)], {.lanes = lanes});
}

Components PanelWriter::zeros(ir::Type type) {
    const Value zero = builder_.constant(type, 0);
    return {zero, zero};
}

Components PanelWriter::get(const Address& address, int lanes, int active) {
    if (components_ == 2)
        return load_pairs(builder_, addresses_.from, address.index, lanes, active, address.dynamic);
    const Value got = builder_.load(addresses_.from, address.index,
                                    {.lanes = lanes, .active = active, .dynamic = address.dynamic});
    return {pack_.is_widened() ? builder_.convert(got, type_.scalar) : got, ir::no_value};
}

/// Whether the first lanes of a vector can be loaded at once. Without masks, widened elements cannot.
bool PanelWriter::can_get(int active) const {
    return !pack_.is_widened() || active == type_.lanes || pack_.has_masks;
}

/// Contiguous elements stay contiguous; prefetches the same k of the next panel, which will probably be packed soon.
void PanelWriter::copy_k(const Affine& k) {
    const Address start = addresses_.address(builder_, k, 0);
    const Integer next_panel = components_ * pack_.width;
    for (Integer distance = 0; distance < next_panel; distance += scalars_per_cache_line(type_.scalar))
        builder_.prefetch(addresses_.from, start.index + (next_panel + distance), start.dynamic);
    for (int first = 0; first < pack_.width; first += type_.lanes) {
        const int active = std::clamp(pack_.count - first, 0, type_.lanes);
        const Address from{start.index + components_ * first, start.dynamic};
        if (active > 0 && !can_get(active)) {
            for (int row = first; row < first + type_.lanes; ++row) put_row(k, row, start);
            continue;
        }
        put(k, first, active > 0 ? get(from, type_.lanes, active) : zeros(type_), type_.lanes);
    }
}

/// As many k indices as a vector has lanes: transposes squares of rows by k indices.
void PanelWriter::transpose_k_block(const Affine& k) {
    const Address start{addresses_.from_origin + components_ * k, ir::no_value};
    for (int first = 0; first < pack_.width; first += type_.lanes) {
        std::vector<Value> rows[2];
        for (int row = first; row < first + type_.lanes; ++row) {
            const Components got =
                row < pack_.count ? get(addresses_.at_row(builder_, start, row), type_.lanes, type_.lanes)
                                  : zeros(type_);
            for (int component = 0; component < components_; ++component)
                rows[component].push_back(got[static_cast<std::size_t>(component)]);
        }
        std::vector<Value> columns[2];
        for (int component = 0; component < components_; ++component)
            columns[component] = ir::columns_of_rows(builder_.writer(), rows[component], type_.lanes);
        for (int j = 0; j < type_.lanes; ++j) {
            const auto at = static_cast<std::size_t>(j);
            put(k + j, first, {columns[0][at], components_ == 2 ? columns[1][at] : ir::no_value},
                type_.lanes);
        }
    }
}

/// Element by element.
void PanelWriter::gather_k(const Affine& k) {
    const Address start = addresses_.address(builder_, k, 0);
    for (int row = 0; row < pack_.width; ++row) put_row(k, row, start);
}

/// The element of a row, or zero; `start` is the first row's address.
void PanelWriter::put_row(const Affine& k, int row, const Address& start) {
    const bool is_there = row < pack_.count;
    put(k, row, is_there ? get(addresses_.at_row(builder_, start, row), 1, 1) : zeros({type_.scalar, 1}), 1);
}

} // namespace swirl::gemm
