/// Matrix multiplication with matrices that are divided among ranks.
///
///     // every rank of `communicator`
///     const auto problem = swirl::MatrixProduct::row_major(swirl::DataType::float64, 4096, 4096, 4096);
///     const auto boxes = swirl::distributed::product_boxes(problem, communicator.size())[communicator.rank()];
///     const auto gemm = swirl::distributed::plan(problem, communicator, boxes);
///     gemm.execute(1, a, b, 0, c);
#pragma once

#include <swirl/export.h>
#include <swirl/arrays.hpp>
#include <swirl/distributed/box.hpp>
#include <swirl/distributed/communicator.hpp>
#include <swirl/distributed/plan.hpp>
#include <swirl/matrix_product.hpp>

#include <memory>
#include <string>
#include <vector>

namespace swirl::distributed {

/// The elements of A, B and C that a rank holds: boxes of (row, column), one after the other in its array. A matrix that is stored by
/// columns, or transposed, has boxes of the order {1, 0}.
struct MatrixBoxes {
    std::vector<Box> a = {};
    std::vector<Box> b = {};
    std::vector<Box> c = {};
};

/// How C = A·B is divided: into blocks of C by rows and columns, each of which several ranks add up, with a part of k each.
struct ProductGrid {
    Integer rows = 1;
    Integer columns = 1;
    Integer k = 1;
    SWIRL_API friend bool operator==(const ProductGrid& a, const ProductGrid& b);
    friend bool operator!=(const ProductGrid& a, const ProductGrid& b) { return !(a == b); }
};

/// Boxes of all ranks that leave the least to send, as COSMA's layout (Kwasniewski et al., "Red-blue pebbling revisited", 2019): those of
/// the best grid, each block divided among the ranks that need it.
SWIRL_API std::vector<MatrixBoxes> product_boxes(const MatrixProduct& product, int ranks,
                                                 const DistributedOptions& options = {});

/// A rank's share of a matrix multiplication, ready to run. Immutable, cheap to copy; used by one thread at a time, with its
/// communicator, which must outlive it.
class SWIRL_API DistributedProduct {
public:
    DistributedProduct() = default;
    explicit operator bool() const noexcept { return state_ != nullptr; }

    /// Collective: C = α·A·B + β·C, of this rank's arrays; null where it holds nothing. All ranks give the same α and β. If β is
    /// zero, C is not read.
    void execute(Scalar alpha, const Input& a, const Input& b, Scalar beta, const Output& c) const;

    const MatrixProduct& problem() const;
    ProductGrid grid() const;
    std::string description() const;
    Integer bytes_sent() const; ///< by this rank to others, in one execution
    Integer bytes_received() const;
    Integer messages_sent() const;

private:
    friend struct DistributedProductAccess;
    struct State;
    std::shared_ptr<const State> state_;
};

/// Collective, as the plan of a transform. The product's strides are ignored: boxes say where elements are. Options: the grid is the one
/// of least time by the model of `machine` whose blocks fit in local.memory_limit_bytes; `schedule` may say another: "2x2x1", rows,
/// columns, k. Throws Unsupported for batches, epilogues, reductions and a C of another data type than the accumulators'.
SWIRL_API DistributedProduct plan(const MatrixProduct& product, Communicator& communicator,
                                  const MatrixBoxes& boxes, const DistributedOptions& options = {});

} // namespace swirl::distributed
