#pragma once

#include "ir/builder.hpp"
#include "lower/pointwise_arithmetic.hpp"

#include <array>
#include <string>
#include <vector>

namespace swirl::gemm {

/// What is done on a GPU to each element of C that is finished, before it is stored.
struct GpuEpilogue {
    /// Axes of forms, and of places of elements.
    enum Axis : std::size_t { batch, row, column, axes };

    struct Array {
        std::string name;
        bool is_complex = false; ///< pairs
        Integer elements = 0;
    };
    lower::Pointwise code = {}; ///< without nodes: nothing is done
    std::vector<Array> arrays = {};

    bool is_identity() const { return code.nodes.empty(); }
    /// Of a product whose rows are this one's columns.
    GpuEpilogue turned() const;
};

/// An epilogue in a program.
class GpuEpilogueWriter {
public:
    /// Adds an argument `with_…` for each array to the program. Elements are finished `lanes` at once, those of neighbouring rows.
    GpuEpilogueWriter(ir::Builder& builder, GpuEpilogue epilogue, ir::Scalar scalar, int lanes);

    /// An element's batch, row and column, each a sum of a value and a form.
    using Start = std::array<ir::Value, GpuEpilogue::axes>;
    using Place = std::array<Affine, GpuEpilogue::axes>;

    /// From where on places count, int64 or no_value for 0: that of rows is so many times the lanes.
    void begin(const Start& start);
    /// What becomes of the elements of which the first one has this place; after `begin`.
    ir::Value finish(const Place& place, ir::Value elements) const;

private:
    using Number = lower::PointwiseArithmetic::Number;

    bool is_read_in_vectors(const lower::PlaceForm& form) const;
    Affine offset(const lower::PlaceForm& form, const Place& place) const;
    ir::Value integer(Integer number) const;
    ir::Value form_value(std::size_t form, const Place& place) const;
    Number array_element(const lower::Pointwise::Node& node, const Place& place) const;
    Number leaf(lower::PointwiseArithmetic& arithmetic, const lower::Pointwise::Node& node,
                const Place& place) const;

    ir::Builder& builder_;
    GpuEpilogue epilogue_;
    ir::Type type_;
    std::vector<ir::Buffer> arrays_;
    struct FormStart {
        ir::Value value = ir::no_value; ///< in units; none: 0
        Integer unit = 1;
    };
    std::vector<FormStart> starts_; ///< by form
};

} // namespace swirl::gemm
