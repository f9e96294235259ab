#include "ir/records.hpp"

#include "ir/transpose.hpp"

#include <algorithm>

namespace swirl::ir {
namespace {

/// Lane `lane` of vector `vector`; −1: nothing.
struct VectorLane {
    int vector = -1;
    int lane = 0;
};

/// Even widths above 2 are halved: records of even elements and records of odd ones.
bool is_halved(int width) { return width % 2 == 0 && width > 2; }

/// Vectors in order: element `index` of what they hold.
VectorLane lane_at(int index, int lanes) { return {index / lanes, index % lanes}; }

/// A vector of elements: one shuffle less than it has sources, at least one.
Value gather_lanes(BlockWriter writer, std::span<const Value> vectors,
                   const std::vector<VectorLane>& elements) {
    const auto lanes = static_cast<int>(elements.size());
    std::vector<int> sources;
    for (const VectorLane& element : elements)
        if (element.vector >= 0) sources.push_back(element.vector);
    std::sort(sources.begin(), sources.end());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    Value result = vectors[static_cast<std::size_t>(sources.front())];
    for (std::size_t k = std::min<std::size_t>(1, sources.size() - 1); k < sources.size(); ++k) {
        LaneMap map(elements.size(), -1);
        for (std::size_t l = 0; l < elements.size(); ++l) {
            const auto [vector, lane] = elements[l];
            if (vector == sources[k])
                map[l] = static_cast<std::int8_t>(k == 0 ? lane : lanes + lane);
            else if (vector >= 0 && vector < sources[k])
                map[l] = static_cast<std::int8_t>(k == 1 ? lane : static_cast<int>(l));
        }
        result = writer.shuffle(result, vectors[static_cast<std::size_t>(sources[k])], std::move(map));
    }
    return result;
}

int lanes_in(BlockWriter writer, Value vector) { return writer.program[vector].type.lanes; }

} // namespace

std::vector<Value> columns_of_records(BlockWriter writer, std::span<const Value> vectors, int width,
                                      const RecordLanes& lanes) {
    const int of_vector = lanes_in(writer, vectors.front());
    std::vector<Value> columns(static_cast<std::size_t>(width));
    if (!is_halved(width)) {
        for (int j = 0; j < width; ++j) {
            std::vector<VectorLane> elements(static_cast<std::size_t>(of_vector));
            for (std::size_t l = 0; l < elements.size(); ++l)
                if (lanes.record_of[l] < lanes.count)
                    elements[l] = lane_at(lanes.record_of[l] * width + j, of_vector);
            columns[static_cast<std::size_t>(j)] = gather_lanes(writer, vectors, elements);
        }
        return columns;
    }
    const int half = width / 2, all = lanes.count * half;
    for (int parity = 0; parity < 2; ++parity) {
        std::vector<Value> every_other;
        for (int first = 0; first < all; first += of_vector) {
            std::vector<VectorLane> elements(static_cast<std::size_t>(of_vector));
            for (int l = 0; l < std::min(of_vector, all - first); ++l)
                elements[static_cast<std::size_t>(l)] = lane_at(2 * (first + l) + parity, of_vector);
            every_other.push_back(gather_lanes(writer, vectors, elements));
        }
        const std::vector<Value> own = columns_of_records(writer, every_other, half, lanes);
        for (int j = 0; j < half; ++j)
            columns[static_cast<std::size_t>(2 * j + parity)] = own[static_cast<std::size_t>(j)];
    }
    return columns;
}

std::vector<Value> records_of_columns(BlockWriter writer, std::span<const Value> columns,
                                      const RecordLanes& lanes) {
    const int of_vector = lanes_in(writer, columns.front());
    const auto width = static_cast<int>(columns.size());
    const int all = lanes.count * width;
    std::vector<Value> sources(columns.begin(), columns.end());
    if (is_halved(width)) {
        sources.clear();
        for (std::size_t parity = 0; parity < 2; ++parity) {
            std::vector<Value> every_other;
            for (std::size_t j = parity; j < columns.size(); j += 2) every_other.push_back(columns[j]);
            const std::vector<Value> own = records_of_columns(writer, every_other, lanes);
            sources.insert(sources.end(), own.begin(), own.end());
        }
    }
    const auto halves = static_cast<int>(sources.size()) / 2;
    std::vector<int> lane_of(static_cast<std::size_t>(of_vector));
    for (int l = 0; l < of_vector; ++l)
        lane_of[static_cast<std::size_t>(lanes.record_of[static_cast<std::size_t>(l)])] = l;
    const auto source_of = [&](int index) {
        if (!is_halved(width))
            return VectorLane{index % width, lane_of[static_cast<std::size_t>(index / width)]};
        const VectorLane element = lane_at(index / 2, of_vector);
        return VectorLane{index % 2 * halves + element.vector, element.lane};
    };
    std::vector<Value> vectors;
    for (int first = 0; first < all; first += of_vector) {
        std::vector<VectorLane> elements(static_cast<std::size_t>(of_vector));
        for (int l = 0; l < std::min(of_vector, all - first); ++l)
            elements[static_cast<std::size_t>(l)] = source_of(first + l);
        vectors.push_back(gather_lanes(writer, sources, elements));
    }
    return vectors;
}

bool suit_records(int lanes, DataType scalar, Integer width) {
    if (width < 2 || width >= lanes || bytes_of(scalar) < 4) return false;
    const auto columns = static_cast<int>(width);
    return shuffles_of_records(columns) <= shuffles_of_transposition(lanes, scalar, columns);
}

int shuffles_of_records(int width) {
    return is_halved(width) ? width + 2 * shuffles_of_records(width / 2) : width * std::max(1, width - 1);
}

} // namespace swirl::ir
