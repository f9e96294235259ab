#include "scalapack/block_cyclic.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace swirl::scalapack {
namespace {

/// The indices of a range that a process has.
std::vector<Integer> owned(const Axis& axis, Integer begin, Integer end, int process) {
    std::vector<Integer> result;
    for (Integer index = begin; index < end;) {
        // up to the end of the block
        const Integer next = std::min(end, index + axis.block - (axis.first + index) % axis.block);
        if (axis.owner(index) == process)
            for (Integer i = index; i < next; ++i) result.push_back(i);
        index = next;
    }
    return result;
}

template <class Visit>
void for_each_common(const Submatrix& matrix, const std::vector<distributed::Box>& boxes, int row_owner,
                     int column_owner, Visit&& visit) {
    Integer box_begin = 0;
    for (const distributed::Box& box : boxes) {
        if (elements(box) == 0) continue;
        const std::vector<Integer> rows = owned(matrix.rows, box.lower[0], box.upper[0], row_owner),
                                   columns = owned(matrix.columns, box.lower[1], box.upper[1], column_owner);
        const Integer width = box.upper[1] - box.lower[1];
        for (const Integer row : rows)
            for (const Integer column : columns)
                visit(row, column, box_begin + (row - box.lower[0]) * width + column - box.lower[1]);
        box_begin += elements(box);
    }
}

void gather(const std::byte* from, const std::vector<Integer>& offsets, std::byte* to, Integer bytes) {
    for (const Integer offset : offsets) {
        std::memcpy(to, from + offset * bytes, static_cast<std::size_t>(bytes));
        to += bytes;
    }
}

void scatter(const std::byte* from, const std::vector<Integer>& offsets, std::byte* to, Integer bytes) {
    for (const Integer offset : offsets) {
        std::memcpy(to + offset * bytes, from, static_cast<std::size_t>(bytes));
        from += bytes;
    }
}

} // namespace

Redistribution::Redistribution(const Submatrix& matrix, const Grid& grid, BoxesOfRanks boxes, int rank) {
    const auto own = static_cast<std::size_t>(rank);
    messages_.resize(boxes.size());
    for (const distributed::Box& box : boxes[own]) box_elements_ += elements(box);
    for (int row = 0; row < matrix.rows.processes; ++row)
        for (int column = 0; column < matrix.columns.processes; ++column) {
            const int process = matrix.process(row, column, grid);
            if (process == rank)
                for (std::size_t other = 0; other < boxes.size(); ++other)
                    for_each_common(matrix, boxes[other], row, column, [&](Integer i, Integer j, Integer) {
                        const Integer down = matrix.is_transposed ? matrix.columns.local(j)
                                                                  : matrix.rows.local(i),
                                      across = matrix.is_transposed ? matrix.rows.local(i)
                                                                    : matrix.columns.local(j);
                        messages_[other].in_matrix.push_back(down + across * matrix.leading);
                        ++matrix_elements_;
                    });
            Message& message = messages_[static_cast<std::size_t>(process)];
            for_each_common(matrix, boxes[own], row, column,
                            [&](Integer, Integer, Integer at) { message.in_boxes.push_back(at); });
        }
}

distributed::ExchangeBlocks Redistribution::blocks(bool to_boxes, Integer element_bytes) const {
    distributed::ExchangeBlocks blocks;
    Integer matrix_begin = 0, boxes_begin = 0;
    for (const Message& message : messages_) {
        const Integer in_matrix = static_cast<Integer>(message.in_matrix.size()) * element_bytes,
                      in_boxes = static_cast<Integer>(message.in_boxes.size()) * element_bytes;
        blocks.send_bytes.push_back(to_boxes ? in_matrix : in_boxes);
        blocks.send_offsets.push_back(to_boxes ? matrix_begin : boxes_begin);
        blocks.receive_bytes.push_back(to_boxes ? in_boxes : in_matrix);
        blocks.receive_offsets.push_back(to_boxes ? boxes_begin : matrix_begin);
        matrix_begin += in_matrix;
        boxes_begin += in_boxes;
    }
    return blocks;
}

void Redistribution::to_boxes(distributed::Communicator& ranks, const std::byte* matrix, std::byte* boxes,
                              Integer element_bytes) const {
    const distributed::ExchangeBlocks exchanged = blocks(true, element_bytes);
    std::vector<std::byte> sent(static_cast<std::size_t>(matrix_elements_ * element_bytes) + 1),
        received(static_cast<std::size_t>(box_elements_ * element_bytes) + 1);
    for (std::size_t other = 0; other < messages_.size(); ++other)
        gather(matrix, messages_[other].in_matrix, sent.data() + exchanged.send_offsets[other],
               element_bytes);
    ranks.exchange(sent.data(), received.data(), exchanged);
    for (std::size_t other = 0; other < messages_.size(); ++other)
        scatter(received.data() + exchanged.receive_offsets[other], messages_[other].in_boxes, boxes,
                element_bytes);
}

void Redistribution::from_boxes(distributed::Communicator& ranks, const std::byte* boxes, std::byte* matrix,
                                Integer element_bytes) const {
    const distributed::ExchangeBlocks exchanged = blocks(false, element_bytes);
    std::vector<std::byte> sent(static_cast<std::size_t>(box_elements_ * element_bytes) + 1),
        received(static_cast<std::size_t>(matrix_elements_ * element_bytes) + 1);
    for (std::size_t other = 0; other < messages_.size(); ++other)
        gather(boxes, messages_[other].in_boxes, sent.data() + exchanged.send_offsets[other], element_bytes);
    ranks.exchange(sent.data(), received.data(), exchanged);
    for (std::size_t other = 0; other < messages_.size(); ++other)
        scatter(received.data() + exchanged.receive_offsets[other], messages_[other].in_matrix, matrix,
                element_bytes);
}

} // namespace swirl::scalapack
