#pragma once

#include <swirl/reduction.hpp>

#include "ir/builder.hpp"
#include "lower/pointwise_arithmetic.hpp"

#include <array>
#include <string>
#include <vector>

namespace swirl::gemm {

/// A reduction over C in a kernel.
struct GpuReduction {
    std::string name;
    Reduce operation = Reduce::sum;
    Over over = Over::all;
    loops::Pointwise code = {}; ///< applied to the finished element; without nodes: identity
    int index = 0;              ///< in the problem's list
};

/// The direction as seen by Cᵀ.
Over transposed(Over over);

/// The operations on each finished element of C before its store, and the reductions over the results.
struct GpuEpilogue {
    /// Axes of forms, and of coordinates of elements.
    enum Axis : std::size_t { batch, row, column, axes };

    struct Array {
        std::string name;
        bool is_complex = false; ///< interleaved
        Integer elements = 0;
    };
    loops::Pointwise code = {};     ///< without nodes: identity
    std::vector<Array> arrays = {}; ///< of the epilogue and all reductions
    std::vector<GpuReduction> reductions = {};

    bool is_identity() const { return code.nodes.empty() && reductions.empty(); }
    /// For the transposed problem.
    GpuEpilogue transposed() const;
};

/// Writes an epilogue into a program.
class GpuEpilogueWriter {
public:
    /// Adds an argument `with_…` per array to the program. Finishes `lanes` elements of adjacent rows at once.
    GpuEpilogueWriter(ir::Builder& builder, GpuEpilogue epilogue, DataType scalar, int lanes);

    /// Coordinates of an element: batch, row and column, each the sum of a value and a form.
    using Start = std::array<ir::Value, GpuEpilogue::axes>;
    using Coordinates = std::array<Affine, GpuEpilogue::axes>;

    /// Sets the origin of the coordinates, int64 or no_value for 0; the row's is in units of `lanes`.
    void begin(const Start& start);
    /// Finishes a vector of elements whose first is at `coordinates`; call after `begin`.
    ir::Value finish(const Coordinates& coordinates, ir::Value elements) const;
    /// The input of a reduction for these finished elements. Complex ones are interleaved.
    ir::Value reduced(std::size_t reduction, const Coordinates& coordinates, ir::Value elements) const;

    const GpuEpilogue& epilogue() const { return epilogue_; }

private:
    using ComplexValue = lower::PointwiseArithmetic::ComplexValue;

    /// The epilogue's code is the first; the reductions' follow.
    std::size_t codes() const { return 1 + epilogue_.reductions.size(); }
    const loops::Pointwise& code(std::size_t index) const {
        return index == 0 ? epilogue_.code : epilogue_.reductions[index - 1].code;
    }
    bool reads_in_vectors(std::size_t array) const;
    bool is_read_in_vectors(const loops::LayoutForm& form) const;
    Affine offset(const loops::LayoutForm& form, const Coordinates& coordinates) const;
    ir::Value integer(Integer value) const;
    /// The origin of one of a code's forms.
    struct FormStart {
        ir::Value value = ir::no_value; ///< in units of `unit`; no_value: 0
        Integer unit = 1;
    };
    struct Form {
        const loops::LayoutForm& form;
        const FormStart& start;
    };
    FormStart start_of(const loops::LayoutForm& form, const Start& start) const;
    Form form_of(std::size_t code, const loops::Pointwise::Node& node) const;
    ir::Value form_value(const Form& form, const Coordinates& coordinates) const;
    ComplexValue array_element(std::size_t array, const Form& form, const Coordinates& coordinates) const;
    ComplexValue leaf(lower::PointwiseArithmetic& arithmetic, std::size_t code,
                      const loops::Pointwise::Node& node, const Coordinates& coordinates) const;
    ComplexValue evaluate(std::size_t code, const Coordinates& coordinates, const ComplexValue& x) const;

    ir::Builder& builder_;
    GpuEpilogue epilogue_;
    ir::Type type_;
    std::vector<ir::Buffer> arrays_;
    std::vector<std::vector<FormStart>> starts_; ///< by code and form
};

} // namespace swirl::gemm
