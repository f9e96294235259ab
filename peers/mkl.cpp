#include "peers/mkl_library.hpp"
#include "peers/peer.hpp"

#include <memory>

namespace swirl::peers {
namespace {

using Long = long; ///< MKL_LONG of the LP64 interface, and what its functions return: 0 or an error

// The part of oneMKL's interface for DFTs that is used here, with the numbers of its enumerations, from its
// developer reference, "Fourier Transform Functions". Parameters of the two sides are still named by input and output:
// libraries of all years know them.
enum Parameter : int {
    number_of_transforms = 7,
    complex_storage = 8,
    conjugate_even_storage = 10,
    placement = 11,
    input_strides = 12,
    output_strides = 13,
    input_distance = 14,
    output_distance = 15,
    thread_limit = 27,
};
enum Value : int {
    complex_domain = 32,
    real_domain = 33,
    single_precision = 35,
    double_precision = 36,
    complex_complex = 39,
    real_real = 42,
    not_in_place = 44,
};
class MklDfti {
public:
    static const MklDfti& get() {
        static const MklDfti library;
        return library;
    }

    std::string absent_because() const {
        if (const std::string reason = mkl_.absent_because(); !reason.empty()) return reason;
        return complete_ ? "" : "libmkl_rt lacks functions of oneMKL";
    }
    std::string version() const { return mkl_.version(); }
    void use_threads(int threads) const { mkl_.use_threads(threads); }

    Long (*create)(void**, int, int, Long, ...) = nullptr;
    Long (*set)(void*, int, ...) = nullptr;
    Long (*commit)(void*) = nullptr;
    Long (*forward)(void*, void*, ...) = nullptr;
    Long (*backward)(void*, void*, ...) = nullptr;
    Long (*free)(void**) = nullptr;
    char* (*error_message)(Long) = nullptr;

private:
    MklDfti() : mkl_(MklLibrary::get()) {
        const SharedLibrary& library = mkl_.library();
        complete_ =
            library.load(create, "DftiCreateDescriptor") && library.load(set, "DftiSetValue") &&
            library.load(commit, "DftiCommitDescriptor") && library.load(forward, "DftiComputeForward") &&
            library.load(backward, "DftiComputeBackward") && library.load(free, "DftiFreeDescriptor") &&
            library.load(error_message, "DftiErrorMessage");
    }

    const MklLibrary& mkl_;
    bool complete_ = false;
};

/// A descriptor under construction. The first error stays.
class Descriptor {
public:
    Descriptor(const MklDfti& library, const Transform& problem) : library_(library) {
        std::vector<Long> lengths;
        for (const Dimension& dimension : problem.dimensions) lengths.push_back(dimension.length);
        const int precision = problem.precision == DataType::float32 ? single_precision : double_precision;
        const int domain = problem.kind == TransformKind::dft ? complex_domain : real_domain;
        const Long rank = static_cast<Long>(lengths.size());
        void* handle = nullptr;
        error_ = rank == 1 ? library.create(&handle, precision, domain, rank, lengths[0])
                           : library.create(&handle, precision, domain, rank, lengths.data());
        if (error_ == 0) handle_.reset(handle, [&library](void* each) { library.free(&each); });
    }

    template <class V> void set(Parameter parameter, V value) {
        if (error_ == 0) error_ = library_.set(handle_.get(), parameter, value);
    }
    void commit() {
        if (error_ == 0) error_ = library_.commit(handle_.get());
    }
    std::string error() const { return error_ == 0 ? "" : library_.error_message(error_); }
    std::shared_ptr<void> handle() const { return handle_; }

private:
    const MklDfti& library_;
    std::shared_ptr<void> handle_;
    Long error_ = 0;
};

void set_layout(Descriptor& descriptor, const Transform& problem) {
    std::vector<Long> strides[2] = {{0}, {0}};
    for (const Dimension& dimension : problem.dimensions) {
        strides[0].push_back(dimension.input_stride);
        strides[1].push_back(dimension.output_stride);
    }
    descriptor.set(input_strides, strides[0].data());
    descriptor.set(output_strides, strides[1].data());
    if (!problem.batches.empty()) {
        descriptor.set(number_of_transforms, static_cast<Long>(problem.batches[0].length));
        descriptor.set(input_distance, static_cast<Long>(problem.batches[0].input_stride));
        descriptor.set(output_distance, static_cast<Long>(problem.batches[0].output_stride));
    }
    if (problem.placement == Placement::out_of_place) descriptor.set(placement, int{not_in_place});
    if (problem.kind == TransformKind::real_dft) descriptor.set(conjugate_even_storage, int{complex_complex});
    if (problem.layout == ComplexLayout::planar) descriptor.set(complex_storage, int{real_real});
}

std::function<void()> run_of(const MklDfti& library, std::shared_ptr<void> handle, const Transform& problem,
                             const planning::Arguments& arguments) {
    const auto compute = problem.direction == Direction::forward ? library.forward : library.backward;
    void* const in = const_cast<void*>(arguments.input);
    void* const out = arguments.output;
    void* const in_imaginary = const_cast<void*>(arguments.input_imaginary);
    void* const out_imaginary = arguments.output_imaginary;
    const bool in_place = problem.placement == Placement::in_place;
    if (problem.layout == ComplexLayout::planar) {
        if (in_place) return [=] { compute(handle.get(), in, in_imaginary); };
        return [=] { compute(handle.get(), in, in_imaginary, out, out_imaginary); };
    }
    if (in_place) return [=] { compute(handle.get(), in); };
    return [=] { compute(handle.get(), in, out); };
}

PeerPlan plan_mkl(const Transform& problem, const planning::Arguments& arguments,
                  const PeerOptions& options) {
    const MklDfti& library = MklDfti::get();
    if (const std::string reason = library.absent_because(); !reason.empty()) return {{}, reason};
    if (problem.kind != TransformKind::dft && problem.kind != TransformKind::real_dft)
        return {{}, "MKL is compared for dft and rdft only"};
    if (problem.kind == TransformKind::real_dft && problem.layout == ComplexLayout::planar)
        return {{}, "MKL has no planar half spectra"};
    if (problem.scale != 1) return {{}, "MKL is compared without scaling only"};
    if (problem.batches.size() > 1) return {{}, "MKL has one loop of batches"};
    library.use_threads(options.threads);
    Descriptor descriptor(library, problem);
    set_layout(descriptor, problem);
    descriptor.set(thread_limit, static_cast<Long>(options.threads));
    descriptor.commit();
    if (const std::string error = descriptor.error(); !error.empty()) return {{}, "MKL: " + error};
    return {run_of(library, descriptor.handle(), problem, arguments), "", library.version()};
}

} // namespace

const Peer mkl{"mkl", "MKL", plan_mkl};

} // namespace swirl::peers
