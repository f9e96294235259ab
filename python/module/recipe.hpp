#pragma once

#include "mirror.hpp"
#include "numpy.hpp"

#include <swirl/plan.hpp>

#include <memory>
#include <optional>
#include <vector>

/// From a call of a function of swirl.fft to a problem of swirl and what surrounds it.
namespace swirl::python {

/// The functions in one and in several dimensions, by the name in one.
enum class Function : std::uint8_t { fft, ifft, rfft, irfft, hfft, ihfft, dct, idct, dst, idst };

constexpr bool is_forward(Function f) {
    return f == Function::fft || f == Function::rfft || f == Function::hfft || f == Function::dct ||
           f == Function::dst;
}
constexpr bool takes_half_spectrum(Function f) { return f == Function::irfft || f == Function::hfft; }
constexpr bool gives_half_spectrum(Function f) { return f == Function::rfft || f == Function::ihfft; }
constexpr bool is_cosine_or_sine(Function f) { return f >= Function::dct; }

/// Which direction is scaled by 1/n; ortho scales both by 1/√n.
enum class Norm : std::uint8_t { backward, ortho, forward };

/// Where the result goes.
enum class Destination : std::uint8_t { new_array, input, given_array };

/// A call, its arguments resolved: axes from 0, a length for each.
struct Call {
    Function function = Function::fft;
    int type = 2; ///< of cosine and sine transforms
    Norm norm = Norm::backward;
    bool is_orthogonal =
        false; ///< cosine and sine transforms: scale boundary elements so that the matrix is orthogonal
    int workers = 1;
    std::vector<int> axes;
    std::vector<Integer> lengths; ///< logical, of the axes
    DataType input_type = DataType::float64;
    std::vector<Integer> shape, strides; ///< of the input; strides in elements
    Destination destination = Destination::new_array;
    std::vector<Integer> output_strides; ///< of a given array
    Device device = {};
    /// Of the result's real numbers; none: that of the input's. float32 where one side has a 16-bit type, else the same.
    std::optional<DataType> output_component = {};
    /// Entries of a half spectrum that stand for two of the whole are doubled as it is stored, or halved as it is loaded: the
    /// adjoint of a real transform is such a transform.
    bool is_weighted = false;
    /// Multiplies the result, as it is stored, by a contiguous complex array with the extents of these axes of the result.
    struct Factor {
        std::vector<int> axes; ///< ascending
        bool is_conjugated = false;
    };
    std::optional<Factor> factor = {};
    /// Multiplies elements as they are loaded, or as they are stored, by a real array over the only axis.
    enum class Window : std::uint8_t { none, on_load, on_store };
    Window window = Window::none;
};

/// How to answer such calls: immutable, shared by all of the same key.
struct Recipe {
    Plan plan; ///< empty: the result has no elements
    DataType output_type = DataType::complex128;
    std::vector<npy_intp> output_shape;
    std::optional<Mirror> mirror; ///< what the plan leaves of the spectrum of real data
    bool is_in_place = false;     ///< the result replaces the input
    bool is_long = false;         ///< long enough to release the interpreter's lock
    bool reads_array = false;     ///< the input is the array `reals` of the load callback
    bool has_factor = false;      ///< the store callback has an array `factor`
    bool has_window = false;      ///< a callback has an array `window`
};

/// Type and extents of the result.
DataType output_type(const Call& call);
std::vector<npy_intp> output_shape(const Call& call);

/// The transform that a call needs: truncation as shorter loops, zero padding and conjugation as a load or store callback,
/// normalisation as its scale. The complex spectrum of real data is its half spectrum, which Mirror completes. Complex data of
/// cosine and sine transforms are two batches of real data. On a GPU, and in half precision, real data with a complete spectrum
/// are an array of the load callback of a complex transform; they must be contiguous and of the transform's lengths.
Transform problem_of(const Call& call);

/// Plans a call, or takes `plan`, which must be of the same problem.
std::shared_ptr<const Recipe> recipe_of(const Call& call, const Plan* plan = nullptr);

} // namespace swirl::python
