#include <swirl/distributed/matrix_product.hpp>

#include <swirl/plan.hpp>

#include "base/error.hpp"
#include "distributed/agree.hpp"
#include "distributed/arguments.hpp"
#include "distributed/product_grid.hpp"
#include "distributed/schedule.hpp"
#include "distributed/transfer.hpp"
#include "distributed/work_array.hpp"
#include "problem/data_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <sstream>
#include <utility>

namespace swirl::distributed {

namespace {

using Pointer = const std::byte*;

/// Strides of a block in its order.
MatrixLayout layout_of_block(const Box& box, bool is_conjugated) {
    MatrixLayout layout{length(box, 1), 1, is_conjugated};
    if (order_of(box).front() == 1) layout = {1, length(box, 0), is_conjugated};
    return layout;
}

template <class Element> void scale(Element* c, Integer count, Element beta) {
    if (beta == Element{1}) return;
    for (Integer i = 0; i < count; ++i)
        c[i] = beta == Element{0} ? Element{0} : static_cast<Element>(beta * c[i]);
}

template <class Element>
void add_loops(const std::vector<BlockCopy::Loop>& loops, std::size_t at, const Element* from, Element* to) {
    if (at == loops.size()) {
        *to += *from;
        return;
    }
    const BlockCopy::Loop& loop = loops[at];
    if (at + 1 == loops.size()) {
        for (Integer i = 0; i < loop.count; ++i) to[i * loop.to] += from[i * loop.from];
        return;
    }
    for (Integer i = 0; i < loop.count; ++i) add_loops(loops, at + 1, from + i * loop.from, to + i * loop.to);
}

/// C = β·C + the sum of what was received.
template <class Element>
void add_up(const Transfer& transfer, Pointer received, std::byte* c, Integer count, Element beta) {
    auto* const to = reinterpret_cast<Element*>(c);
    scale(to, count, beta);
    for (const BlockCopy& block : transfer.unpack)
        add_loops(block.loops, 0, reinterpret_cast<const Element*>(received) + block.from, to + block.to);
}

void add_up(const Transfer& transfer, Pointer received, std::byte* c, Integer count, Scalar beta,
            DataType type) {
    const double real = beta.real(), imaginary = beta.imaginary();
    switch (type) {
    case DataType::float32: return add_up(transfer, received, c, count, static_cast<float>(real));
    case DataType::float64: return add_up(transfer, received, c, count, real);
    case DataType::complex64:
        return add_up(transfer, received, c, count,
                      std::complex<float>(static_cast<float>(real), static_cast<float>(imaginary)));
    case DataType::complex128:
        return add_up(transfer, received, c, count, std::complex<double>(real, imaginary));
    default: throw InternalError("sums of {} over ranks", name_of(type));
    }
}

void check_supported(const MatrixProduct& product) {
    const auto refuse = [&](const char* what, const char* remedy) {
        throw Unsupported("{}\n  problem: {}\n  {}", what, to_text(product), remedy);
    };
    if (product.batch != 1 || product.listed)
        refuse("batches are not divided among ranks", "plan one product");
    if (!product.epilogue.is_identity() || !product.reductions.empty())
        refuse("epilogues and reductions are not divided among ranks", "leave them out");
    const DataType type = product.data_type;
    const bool adds = type == DataType::float32 || type == DataType::float64 || type == DataType::complex64 ||
                      type == DataType::complex128;
    if (product.converts() || !adds)
        refuse("C is of another data type than the accumulators', or of integers",
               "use a C of float32, float64, complex64 or complex128");
}

/// With strides of whole matrices, which boxes replace.
MatrixProduct normalised(const MatrixProduct& product) {
    MatrixProduct result = product;
    result.a = {product.k, 1, product.a.conjugated};
    result.b = {product.columns, 1, product.b.conjugated};
    result.c = {product.columns, 1};
    validate(result);
    return result;
}

} // namespace

struct DistributedProduct::State {
    MatrixProduct product;
    Communicator* communicator;
    PlacedGrid grid;
    Transfer a, b, c;
    Pieces a_block, b_block, c_block;           ///< what this rank multiplies
    Integer a_elements, b_elements, c_elements; ///< of the caller's arrays
    Plan plan;
    std::unique_ptr<WorkArray> messages, a_array, b_array, c_array;

    bool multiplies() const { return !c_block.empty(); }
};

struct DistributedProductAccess {
    using State = DistributedProduct::State;
    static DistributedProduct make(std::shared_ptr<const State> state) {
        DistributedProduct product;
        product.state_ = std::move(state);
        return product;
    }

    /// The block of A or B, which is the caller's array where each rank has its block.
    static Pointer fetch(const State& s, const Transfer& transfer, Pointer held, std::byte* block) {
        if (!transfer.is_needed) return held;
        Pointer send = held;
        if (!transfer.pack.empty()) {
            copy(transfer.pack, held, s.messages->data(), transfer.element_bytes);
            send = s.messages->data();
        }
        if (send == nullptr) send = s.messages->data();
        if (transfer.unpack.empty()) {
            s.communicator->exchange(send, block, transfer.blocks());
            return block;
        }
        std::byte* const received = s.messages->data() + transfer.sent * transfer.element_bytes;
        s.communicator->exchange(send, received, transfer.blocks());
        copy(transfer.unpack, received, block, transfer.element_bytes);
        return block;
    }

    static void run(const State& s, Scalar alpha, Pointer held_a, Pointer held_b, Scalar beta,
                    std::byte* held_c) {
        const Pointer a = fetch(s, s.a, held_a, s.a_array->data());
        const Pointer b = fetch(s, s.b, held_b, s.b_array->data());
        const bool is_in_place = !s.c.is_needed;
        std::byte* const block = is_in_place ? held_c : s.c_array->data();
        if (s.multiplies())
            s.plan.execute(alpha, static_cast<const void*>(a), static_cast<const void*>(b),
                           is_in_place ? beta : Scalar(0), static_cast<void*>(block));
        if (is_in_place) return;
        Pointer send = block;
        if (!s.c.pack.empty()) {
            copy(s.c.pack, block, s.messages->data(), s.c.element_bytes);
            send = s.messages->data();
        }
        std::byte* const received = s.messages->data() + s.c.sent * s.c.element_bytes;
        s.communicator->exchange(send, received, s.c.blocks());
        add_up(s.c, received, held_c, s.c_elements, beta, s.product.data_type);
    }
};

void DistributedProduct::execute(Scalar alpha, const Input& a, const Input& b, Scalar beta,
                                 const Output& c) const {
    if (!state_) throw UserError("the plan is empty");
    const State& s = *state_;
    try {
        check_array("a", a.array(), s.product.type_of_a(), s.a_elements, false);
        check_array("b", b.array(), s.product.type_of_b(), s.b_elements, false);
        check_array("c", c.array(), s.product.data_type, s.c_elements, true);
        DistributedProductAccess::run(s, alpha, static_cast<Pointer>(a.array().data),
                                      static_cast<Pointer>(b.array().data), beta,
                                      static_cast<std::byte*>(c.array().data));
    } catch (const std::exception& error) {
        s.communicator->abort(error.what());
        throw;
    }
}

const MatrixProduct& DistributedProduct::problem() const { return state_->product; }
ProductGrid DistributedProduct::grid() const { return state_->grid.grid; }

namespace {

Integer sum_to_others(const std::vector<Integer>& counts, int rank, Integer scale) {
    Integer sum = 0;
    for (std::size_t other = 0; other < counts.size(); ++other)
        if (static_cast<int>(other) != rank) sum += counts[other] * scale;
    return sum;
}

} // namespace

Integer DistributedProduct::bytes_sent() const {
    Integer bytes = 0;
    for (const Transfer* each : {&state_->a, &state_->b, &state_->c})
        bytes += sum_to_others(each->messages.send_counts, state_->communicator->rank(), each->element_bytes);
    return bytes;
}
Integer DistributedProduct::bytes_received() const {
    Integer bytes = 0;
    for (const Transfer* each : {&state_->a, &state_->b, &state_->c})
        bytes +=
            sum_to_others(each->messages.receive_counts, state_->communicator->rank(), each->element_bytes);
    return bytes;
}
Integer DistributedProduct::messages_sent() const {
    Integer messages = 0;
    for (const Transfer* each : {&state_->a, &state_->b, &state_->c})
        for (std::size_t to = 0; to < each->messages.send_counts.size(); ++to)
            messages +=
                static_cast<int>(to) != state_->communicator->rank() && each->messages.send_counts[to] > 0;
    return messages;
}

std::string DistributedProduct::description() const {
    const State& s = *state_;
    std::string text = fmt::format("grid       {}x{}x{} of rows, columns and k\n", s.grid.grid.rows,
                                   s.grid.grid.columns, s.grid.grid.k);
    const auto add = [&](const char* name, const Transfer& transfer) {
        if (!transfer.is_needed) return;
        text += fmt::format(
            "exchange   {}: {} bytes sent to others, {} received{}{}\n", name,
            sum_to_others(transfer.messages.send_counts, s.communicator->rank(), transfer.element_bytes),
            sum_to_others(transfer.messages.receive_counts, s.communicator->rank(), transfer.element_bytes),
            transfer.pack.empty() ? "" : ", packed", transfer.unpack.empty() ? "" : ", unpacked");
    };
    add("A", s.a);
    add("B", s.b);
    if (s.multiplies())
        text += fmt::format("multiply   {}\n", to_text(std::get<MatrixProduct>(s.plan.problem())));
    add("C", s.c);
    return text;
}

DistributedProduct plan(const MatrixProduct& given, Communicator& communicator, const MatrixBoxes& boxes,
                        const DistributedOptions& options) {
    const std::vector<std::string> texts = agree(communicator, [&] {
        check_options(options);
        check_supported(given);
        std::string text = fmt::format("{}\n{}\n{} {}\n", to_text(normalised(given)), options.schedule,
                                       text_of(options.machine), options.local.memory_limit_bytes);
        for (const std::vector<Box>* each : {&boxes.a, &boxes.b, &boxes.c}) {
            text += fmt::format(" {}", each->size());
            for (const Box& box : *each) text += " " + numbers(box);
        }
        return text;
    });
    const MatrixProduct product = normalised(given);
    ProductBlocks held;
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
        const std::size_t end = texts[rank].rfind('\n');
        if (texts[rank].substr(0, end) != texts.front().substr(0, texts.front().rfind('\n')))
            throw UserError(
                "rank {}: its problem or options are not those of rank 0\n  rank {}: {}\n  rank 0: {}", rank,
                rank, texts[rank].substr(0, end), texts.front().substr(0, texts.front().rfind('\n')));
        std::istringstream stream(texts[rank].substr(end));
        for (Decomposition* each : {&held.a, &held.b, &held.c}) {
            std::size_t count = 0;
            stream >> count;
            each->ranks.emplace_back();
            for (std::size_t i = 0; i < count; ++i) each->ranks.back().push_back(box_of(stream));
        }
    }
    check_partition(held.a, {product.rows, product.k}, "A");
    check_partition(held.b, {product.k, product.columns}, "B");
    check_partition(held.c, {product.rows, product.columns}, "C");

    const int ranks = communicator.size(), rank = communicator.rank();
    const auto own = static_cast<std::size_t>(rank);
    // rank 0 chooses
    const std::vector<std::string> chosen = agree(communicator, [&]() -> std::string {
        if (rank != 0) return "";
        PlacedGrid placed;
        if (options.schedule.empty()) {
            placed = choose_grid(product, ranks, &held, options);
        } else {
            placed.grid = parse_grid(options.schedule);
            if (placed.grid.rows > ranks || placed.grid.columns > ranks || placed.grid.k > ranks ||
                placed.grid.rows * placed.grid.columns * placed.grid.k > ranks)
                throw UserError("schedule is '{}'\n  there are {} ranks", options.schedule, ranks);
        }
        return fmt::format("{} {} {} {}", placed.grid.rows, placed.grid.columns, placed.grid.k,
                           fmt::join(placed.order, " "));
    });
    PlacedGrid placed;
    std::istringstream stream(chosen.front());
    stream >> placed.grid.rows >> placed.grid.columns >> placed.grid.k;
    for (int& coordinate : placed.order) stream >> coordinate;

    std::shared_ptr<DistributedProductAccess::State> state;
    agree(communicator, [&]() -> std::string {
        const ProductBlocks blocks = blocks_of(product, placed, ranks);
        const bool is_empty = product.rows == 0 || product.columns == 0;
        DistributedProductAccess::State s{
            product,
            &communicator,
            placed,
            transfer_of(held.a, blocks.a, rank, bytes_of(product.type_of_a()), false),
            transfer_of(held.b, blocks.b, rank, bytes_of(product.type_of_b()), false),
            transfer_of(blocks.c, held.c, rank, bytes_of(product.data_type),
                        placed.grid.k > 1 || !has_same_boxes(blocks.c, held.c)),
            {},
            {},
            blocks.c.ranks[own],
            elements(held.a.ranks[own]),
            elements(held.b.ranks[own]),
            elements(held.c.ranks[own]),
            {},
            nullptr,
            nullptr,
            nullptr,
            nullptr};
        s.a_block = s.a.is_needed ? blocks.a.ranks[own] : held.a.ranks[own];
        s.b_block = s.b.is_needed ? blocks.b.ranks[own] : held.b.ranks[own];
        if (!s.c.is_needed) s.c_block = held.c.ranks[own];
        if (s.multiplies() && !is_empty) {
            const Box& c = s.c_block.front();
            MatrixProduct local = product;
            local.rows = length(c, 0);
            local.columns = length(c, 1);
            local.k = s.a_block.empty() ? 0 : length(s.a_block.front(), 1);
            local.a = local.k == 0 ? MatrixLayout{1, 1, product.a.conjugated}
                                   : layout_of_block(s.a_block.front(), product.a.conjugated);
            local.b = local.k == 0 ? MatrixLayout{local.columns, 1, product.b.conjugated}
                                   : layout_of_block(s.b_block.front(), product.b.conjugated);
            local.c = layout_of_block(c, false);
            s.plan = swirl::plan(local, options.local);
        }
        Integer message_bytes = 0;
        for (const Transfer* each : {&s.a, &s.b, &s.c})
            message_bytes = std::max(message_bytes, (each->sent + each->received) * each->element_bytes);
        const auto array = [](Integer bytes) {
            return std::make_unique<WorkArray>(static_cast<std::size_t>(bytes));
        };
        s.messages = array(message_bytes);
        s.a_array = array(s.a.is_needed ? elements(s.a_block) * s.a.element_bytes : 0);
        s.b_array = array(s.b.is_needed ? elements(s.b_block) * s.b.element_bytes : 0);
        s.c_array = array(s.c.is_needed ? elements(s.c_block) * s.c.element_bytes : 0);
        state = std::make_shared<DistributedProductAccess::State>(std::move(s));
        return "";
    });
    return DistributedProductAccess::make(std::move(state));
}

} // namespace swirl::distributed
