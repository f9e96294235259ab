#pragma once

#include <string>

namespace swirl::fftw {

/// A plan of another library that fftw_execute and fftw_destroy_plan of this one take, as those of libfftw3_mpi. Both
/// libraries are built together.
class ForeignPlan {
public:
    virtual ~ForeignPlan() = default;
    /// On these arrays. Ends the program if it fails: FFTW's functions cannot say so.
    virtual void execute(void* input, void* output) const noexcept = 0;
    virtual double flops() const = 0; ///< real additions and multiplications
    virtual std::string text() const = 0;
};

} // namespace swirl::fftw
