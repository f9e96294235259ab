#pragma once

#include <swirl/distributed/box.hpp>
#include <swirl/distributed/communicator.hpp>
#include <swirl/kinds.hpp>

#include "scalapack/blacs.hpp"

#include <cstddef>
#include <vector>

/// Matrices that ScaLAPACK's descriptors describe: blocks dealt out to the rows and columns of a grid of processes.
namespace swirl::scalapack {

/// One axis of a submatrix: indices first … first + length − 1 of an axis whose blocks go to process `source` first.
struct Axis {
    Integer first = 0;
    Integer length = 0;
    Integer block = 1;
    int source = 0;
    int processes = 1;

    int owner(Integer index) const {
        return static_cast<int>(((first + index) / block + source) % processes);
    }
    /// The position in the owner's array.
    Integer local(Integer index) const {
        const Integer at = first + index;
        return at / block / processes * block + at % block;
    }
};

/// The matrix of a product, or its transpose: rows and columns are those of the product.
struct Submatrix {
    Axis rows, columns;
    bool is_transposed = false; ///< memory has columns of the product next to each other
    Integer leading = 1;        ///< elements from one column of memory to the next

    /// Coordinates in the grid of processes.
    int process(int row_owner, int column_owner, const Grid& grid) const {
        return is_transposed ? column_owner * grid.columns + row_owner
                             : row_owner * grid.columns + column_owner;
    }
};

/// Boxes of all ranks, each rank's one after the other, row-major.
using BoxesOfRanks = std::vector<std::vector<distributed::Box>>;

/// Collective: elements between a block-cyclic matrix and boxes.
class Redistribution {
public:
    Redistribution(const Submatrix& matrix, const Grid& grid, BoxesOfRanks boxes, int rank);

    Integer box_elements() const { return box_elements_; } ///< of this rank
    void to_boxes(distributed::Communicator& ranks, const std::byte* matrix, std::byte* boxes,
                  Integer element_bytes) const;
    void from_boxes(distributed::Communicator& ranks, const std::byte* boxes, std::byte* matrix,
                    Integer element_bytes) const;

private:
    /// What one rank of the block-cyclic matrix and one rank's boxes have in common, in elements.
    struct Message {
        std::vector<Integer> in_matrix; ///< offsets, where this rank has the block-cyclic side
        std::vector<Integer> in_boxes;  ///< offsets, where this rank has the boxes
    };
    distributed::ExchangeBlocks blocks(bool to_boxes, Integer element_bytes) const;

    std::vector<Message> messages_; ///< by the other rank
    Integer box_elements_ = 0, matrix_elements_ = 0;
};

} // namespace swirl::scalapack
