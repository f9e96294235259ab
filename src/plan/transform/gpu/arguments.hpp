#pragma once

#include "plan/transform/arguments.hpp"
#include "plan/transform/gpu/kernel.hpp"
#include "plan/transform/gpu/workspace.hpp"
#include "problem/overlap.hpp"
#include "runtime/cuda/device.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace swirl::planning {

/// The bytes that an execution touches through one pointer.
struct GpuArgument {
    std::string name;
    const void* pointer;
    Integer low;            ///< bytes from the pointer to the first touched byte
    Integer high;           ///< bytes from the pointer to one past the last touched byte
    std::size_t alignment;  ///< bytes
    Elements elements = {}; ///< the elements among these bytes; no axes: all bytes
};
/// Throws UserError unless the pointer is aligned.
void require_aligned(const GpuArgument& argument);
/// Throws UserError unless the pointer is aligned and all touched bytes are memory of this GPU or managed memory.
void check(const runtime::GpuDevice& device, const GpuArgument& argument);
/// Whether no byte belongs to elements of both.
bool are_disjoint(const GpuArgument& first, const GpuArgument& second);
/// Throws UserError for a workspace that is too small, misaligned, not memory of this GPU, or overlaps one of the
/// arguments; null arguments are ignored.
void check(const runtime::GpuDevice& device, const GpuWorkspace& workspace, std::size_t needed_bytes,
           std::span<const GpuArgument> arguments);

/// Requirements on the pointers of an execution on a GPU.
class GpuArgumentCheck {
public:
    /// `alignments` in bytes, in the order of Binding::Source; 0: any.
    GpuArgumentCheck(const Transform& problem, const std::array<std::size_t, Binding::sources>& alignments,
                     std::size_t workspace_bytes);

    /// Throws UserError, naming the argument, its value and what would work: for all that ArgumentCheck finds, for
    /// pointers not aligned to their complex elements, for elements outside this GPU's memory and managed memory, and
    /// for auxiliary arrays that are missing or overwritten.
    void operator()(const runtime::GpuDevice& device, const Arguments& arguments) const;
    /// The same but for where the memory is: without a call of the driver.
    void require_valid_addresses(const Arguments& arguments) const;
    /// The same with a workspace.
    void operator()(const runtime::GpuDevice& device, const GpuWorkspace& workspace,
                    const Arguments& arguments) const;

private:
    /// Arguments that the problem does not have get a null pointer.
    std::vector<GpuArgument> list_of(const Arguments& arguments) const;
    bool is_aligned(const void* pointer, Binding::Source source) const;
    /// Bytes of an auxiliary array, of one component if it is planar.
    Integer bytes_of_array(std::size_t k) const;
    /// Whether all pointers are aligned and in memory of this GPU: without allocations, as the fast path of an execution.
    bool admits(const runtime::GpuDevice& device, const Arguments& arguments) const;

    ArgumentCheck on_host_;
    std::array<std::size_t, Binding::sources> alignments_;
    ComplexLayout layout_;
    std::vector<AuxiliaryArray> arrays_;
    std::size_t workspace_bytes_;
    std::array<Integer, 2> low_; ///< bytes, of input and output
    std::array<Integer, 2> high_;
    std::array<Elements, 2> elements_;
};

} // namespace swirl::planning
