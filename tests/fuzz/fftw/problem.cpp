#include "fuzz/fftw/problem.hpp"

namespace swirl::fuzz {
namespace {

constexpr Integer most_elements = 20'000;
constexpr unsigned all_flags[] = {FFTW_MEASURE,         FFTW_DESTROY_INPUT, FFTW_UNALIGNED,
                                  FFTW_CONSERVE_MEMORY, FFTW_EXHAUSTIVE,    FFTW_PRESERVE_INPUT,
                                  FFTW_PATIENT,         FFTW_ESTIMATE,      FFTW_WISDOM_ONLY};

Integer draw_length(FuzzedDataProvider& bytes) {
    switch (bytes.ConsumeIntegralInRange(0, 15)) {
    case 0: return bytes.ConsumeIntegralInRange<Integer>(-2, 1);
    case 1: return bytes.ConsumeIntegralInRange<Integer>(1, 4000);
    case 2: return Integer{1} << bytes.ConsumeIntegralInRange(0, 12);
    default: return bytes.ConsumeIntegralInRange<Integer>(1, 20);
    }
}

/// Lengths of at most most_elements together.
std::vector<Loop> draw_lengths(FuzzedDataProvider& bytes, int most, Integer& left) {
    std::vector<Loop> loops(bytes.ConsumeIntegralInRange<std::size_t>(0, static_cast<std::size_t>(most)));
    for (Loop& loop : loops) {
        loop.n = std::min(draw_length(bytes), left);
        left /= std::max<Integer>(loop.n, 1);
    }
    return loops;
}

/// Nested in some order, with gaps, of any sign, or arbitrary.
void draw_strides(FuzzedDataProvider& bytes, std::vector<Loop*> loops, ptrdiff_t Loop::*stride) {
    if (bytes.ConsumeIntegralInRange(0, 7) == 0) {
        for (Loop* const loop : loops) loop->*stride = bytes.ConsumeIntegralInRange<Integer>(-70, 70);
        return;
    }
    const auto turn = loops.empty() ? 0 : bytes.ConsumeIntegralInRange<std::size_t>(0, loops.size() - 1);
    std::reverse(loops.begin(), loops.end());
    std::rotate(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(turn), loops.end());
    Integer next = bytes.ConsumeIntegralInRange<Integer>(1, 2);
    for (Loop* const loop : loops) {
        const int choice = bytes.ConsumeIntegralInRange(0, 7);
        loop->*stride = choice == 0 ? -next : next;
        next = next * std::max<Integer>(loop->n, 1) + (choice == 1 ? 3 : 0);
        if (choice == 2) next += 2; // as the rows of reals in place
    }
}

/// Strides of many, which follow from the lengths of the arrays.
std::vector<int> draw_embedding(FuzzedDataProvider& bytes, Problem& problem, ptrdiff_t Loop::*stride) {
    std::vector<int> embedding;
    for (const Loop& dimension : problem.dimensions)
        embedding.push_back(static_cast<int>(dimension.n) + bytes.ConsumeIntegralInRange(0, 2));
    Integer next = bytes.ConsumeIntegralInRange<Integer>(1, 3);
    for (std::size_t i = problem.dimensions.size(); i-- > 0; next *= embedding[i])
        problem.dimensions[i].*stride = next;
    problem.loops[0].*stride = bytes.ConsumeBool() ? next : bytes.ConsumeIntegralInRange<Integer>(-70, 70);
    return embedding;
}

std::vector<Loop*> all_loops(Problem& problem) {
    std::vector<Loop*> all;
    for (Loop& loop : problem.loops) all.push_back(&loop);
    for (Loop& dimension : problem.dimensions) all.push_back(&dimension);
    return all;
}

} // namespace

Problem draw_problem(FuzzedDataProvider& bytes) {
    Problem problem;
    problem.kind = bytes.PickValueInArray(
        {Problem::Kind::dft, Problem::Kind::r2c, Problem::Kind::c2r, Problem::Kind::r2r});
    problem.interface = bytes.PickValueInArray({Problem::Interface::many, Problem::Interface::guru,
                                                Problem::Interface::guru64, Problem::Interface::split});
    if (problem.kind == Problem::Kind::r2r && problem.is_split())
        problem.interface = Problem::Interface::guru64;
    problem.in_place = bytes.ConsumeIntegralInRange(0, 2) == 0;
    problem.sign = bytes.ConsumeBool() ? FFTW_FORWARD : FFTW_BACKWARD;
    problem.flags = bytes.ConsumeIntegralInRange(0, 7) == 0 ? FFTW_MEASURE : FFTW_ESTIMATE;
    while (bytes.ConsumeIntegralInRange(0, 3) == 3) problem.flags |= bytes.PickValueInArray(all_flags);
    Integer left = most_elements;
    problem.dimensions = draw_lengths(bytes, 4, left);
    problem.loops = draw_lengths(bytes, 2, left);
    for (std::size_t i = 0; i < problem.dimensions.size(); ++i)
        problem.kinds.push_back(static_cast<fftw_r2r_kind>(bytes.ConsumeIntegralInRange(0, 10)));
    if (problem.interface == Problem::Interface::many) {
        problem.loops.resize(1, {1, 0, 0});
        problem.input_embedding = draw_embedding(bytes, problem, &Loop::is);
        problem.output_embedding = draw_embedding(bytes, problem, &Loop::os);
    } else {
        draw_strides(bytes, all_loops(problem), &Loop::is);
        draw_strides(bytes, all_loops(problem), &Loop::os);
    }
    if (problem.in_place && bytes.ConsumeBool()) {
        for (Loop* const loop : all_loops(problem)) loop->os = loop->is;
        problem.output_embedding = problem.input_embedding;
    }
    return problem;
}

} // namespace swirl::fuzz
