#pragma once

#include <swirl/swirl.h>
#include <swirl/gpu.hpp>
#include <swirl/matrix_product.hpp>

#include "base/error.hpp"
#include "runtime/cuda_memory.hpp"

#include <cstdint>
#include <new>
#include <span>
#include <system_error>
#include <vector>

// What the functions of <swirl/swirl.h> share. Nothing thrown leaves one of them: `guarded` turns it into a status and a
// message.

struct swirl_problem {
    swirl::TransformKind kind;
    std::vector<swirl::Integer> lengths;
    swirl::ProblemOptions options;
};

namespace swirl::api {

/// Keeps the message for swirl_last_error.
swirl_status failed(swirl_status status, const char* message) noexcept;

Problem problem_of(const swirl_problem& description);
MatrixProduct product_of(const swirl_matrix_product& description);
Number number_of(const char* name, int number);
Accuracy accuracy_of(int accuracy);
/// UserError where one of them has no name, or is of no known kind.
void add_reductions(MatrixProduct& product, const swirl_reduction* reductions, std::size_t count);
void set_numbers(MatrixProduct& product, const int* numbers); ///< of A, B and C; null: none
/// A product's arrays in the order of given_arrays_of, null where they are not given.
std::vector<const void*> arrays_named(const MatrixProduct& product, const swirl_array* arrays,
                                      std::size_t count);

template <class F> swirl_status guarded(F&& f) noexcept {
    try {
        f();
        return SWIRL_OK;
    } catch (const gpu::OutOfMemory& error) {
        return failed(SWIRL_OUT_OF_MEMORY, error.what());
    } catch (const runtime::GpuOutOfMemory& error) {
        return failed(SWIRL_OUT_OF_MEMORY, error.what());
    } catch (const UserError& error) {
        return failed(SWIRL_USER_ERROR, error.what());
    } catch (const std::bad_alloc&) {
        return failed(SWIRL_OUT_OF_MEMORY, "out of memory");
    } catch (const std::system_error& error) {
        return failed(SWIRL_SYSTEM_ERROR, error.what());
    } catch (const std::exception& error) {
        return failed(SWIRL_INTERNAL_ERROR, error.what());
    } catch (...) {
        return failed(SWIRL_INTERNAL_ERROR, "internal error: an exception of unknown type");
    }
}

inline void require(const void* argument, const char* name) {
    if (argument == nullptr) throw UserError("argument '{}' is a null pointer", name);
}

/// The elements of a list, of which there may be `most`. UserError where there are more, so that a wrong count is found before
/// anything is read, or where the list is missing.
template <class T>
std::span<const T> list_of(const T* elements, const char* name, std::size_t count, std::size_t most,
                           const char* of_what) {
    if (count > most)
        throw UserError("argument '{}' has {} elements; {} has at most {}", name, count, of_what, most);
    if (count > 0) require(elements, name);
    return {elements, count};
}

/// As many as memory has addresses for.
template <class T> std::span<const T> list_of(const T* elements, const char* name, std::size_t count) {
    return list_of(elements, name, count, PTRDIFF_MAX / sizeof(T), "an array in memory");
}

/// What functions that plan a product of matrices begin with: `make(wanted)` is its new plan, null where there is an error.
template <class Plan, class Make>
swirl_status plan_product(const swirl_matrix_product* product, Plan** plan, Make&& make) noexcept {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(product, "product");
        MatrixProduct wanted = product_of(*product);
        *plan = make(wanted);
    });
}

} // namespace swirl::api
