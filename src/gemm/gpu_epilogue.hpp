#pragma once

#include <swirl/reduction.hpp>

#include "ir/builder.hpp"
#include "lower/pointwise_arithmetic.hpp"

#include <array>
#include <string>
#include <vector>

namespace swirl::gemm {

/// A reduction of the product as a kernel has it.
struct GpuReduction {
    std::string name;
    Reduce operation = Reduce::sum;
    Over over = Over::all;
    lower::Pointwise code = {}; ///< of the finished element; without nodes: x
};

/// Of the transposed C.
Over turned(Over over);

/// What is done on a GPU to each element of C that is finished, before it is stored, and what is reduced then.
struct GpuEpilogue {
    /// Axes of forms, and of places of elements.
    enum Axis : std::size_t { batch, row, column, axes };

    struct Array {
        std::string name;
        bool is_complex = false; ///< pairs
        Integer elements = 0;
    };
    lower::Pointwise code = {};     ///< without nodes: nothing is done
    std::vector<Array> arrays = {}; ///< of all codes
    std::vector<GpuReduction> reductions = {};

    bool is_identity() const { return code.nodes.empty() && reductions.empty(); }
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
    /// What a reduction takes of these elements, which are finished. Complex ones are pairs.
    ir::Value reduced(std::size_t reduction, const Place& place, ir::Value elements) const;

    const GpuEpilogue& epilogue() const { return epilogue_; }

private:
    using Number = lower::PointwiseArithmetic::Number;

    /// The epilogue's is the first one, then come those of reductions.
    std::size_t codes() const { return 1 + epilogue_.reductions.size(); }
    const lower::Pointwise& code(std::size_t number) const {
        return number == 0 ? epilogue_.code : epilogue_.reductions[number - 1].code;
    }
    bool reads_in_vectors(std::size_t array) const;
    bool is_read_in_vectors(const lower::PlaceForm& form) const;
    Affine offset(const lower::PlaceForm& form, const Place& place) const;
    ir::Value integer(Integer number) const;
    /// One of a code's forms, and from where on it counts.
    struct FormStart {
        ir::Value value = ir::no_value; ///< in units; none: 0
        Integer unit = 1;
    };
    struct Form {
        const lower::PlaceForm& form;
        const FormStart& start;
    };
    FormStart start_of(const lower::PlaceForm& form, const Start& start) const;
    Form form_of(std::size_t code, const lower::Pointwise::Node& node) const;
    ir::Value form_value(const Form& form, const Place& place) const;
    Number array_element(std::size_t array, const Form& form, const Place& place) const;
    Number leaf(lower::PointwiseArithmetic& arithmetic, std::size_t code, const lower::Pointwise::Node& node,
                const Place& place) const;
    Number evaluate(std::size_t code, const Place& place, const Number& x) const;

    ir::Builder& builder_;
    GpuEpilogue epilogue_;
    ir::Type type_;
    std::vector<ir::Buffer> arrays_;
    std::vector<std::vector<FormStart>> starts_; ///< by code and form
};

} // namespace swirl::gemm
