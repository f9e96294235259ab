#pragma once

#include "plan/arguments.hpp"
#include "plan/gpu_kernel.hpp"
#include "plan/gpu_workspace.hpp"
#include "runtime/cuda_device.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace swirl::planning {

/// What an execution touches from one pointer.
struct GpuArgument {
    std::string name;
    const void* pointer;
    Integer low;           ///< bytes from the pointer to the first that is touched
    Integer high;          ///< … and past the last
    std::size_t alignment; ///< bytes
};
/// UserError unless the pointer is aligned and all that is touched is memory of this GPU, or managed.
void check(const runtime::GpuDevice& device, const GpuArgument& argument);
/// Whether nothing is touched from both.
bool are_apart(const GpuArgument& first, const GpuArgument& second);
/// UserError for a workspace that is given: smaller than what is needed, misaligned, not of this GPU, over the arguments, of which
/// those that are null are left out.
void check(const runtime::GpuDevice& device, const GpuWorkspace& workspace, std::size_t needed_bytes,
           std::span<const GpuArgument> arguments);

/// What the pointers of an execution on a GPU must satisfy.
class GpuArgumentCheck {
public:
    /// `alignments` in bytes, of the arguments in the order of Binding::Source; 0 where any will do.
    GpuArgumentCheck(const Problem& problem, const std::array<std::size_t, Binding::sources>& alignments,
                     std::size_t workspace_bytes);

    /// UserError, naming the argument, its value and what would work, for what ArgumentCheck finds, pointers that are
    /// not aligned to both parts of their numbers, those whose elements are not memory of this GPU (or managed), and arrays
    /// beside them that are missing or written over.
    void operator()(const runtime::GpuDevice& device, const Arguments& arguments) const;
    /// The same for a workspace beside them.
    void operator()(const runtime::GpuDevice& device, const GpuWorkspace& workspace,
                    const Arguments& arguments) const;

private:
    /// With a null pointer for those that the problem does not have.
    std::vector<GpuArgument> list_of(const Arguments& arguments) const;
    void check_arrays(const Arguments& arguments) const;

    ArgumentCheck on_host_;
    std::array<std::size_t, Binding::sources> alignments_;
    ComplexLayout layout_;
    std::vector<ProblemArray> arrays_;
    std::size_t workspace_bytes_;
    std::array<Integer, 2> low_; ///< bytes, of input and output
    std::array<Integer, 2> high_;
};

} // namespace swirl::planning
