#pragma once

#include <swirl/swirl.h>
#include <swirl/gpu.hpp>
#include <swirl/matrix_product.hpp>

#include "base/error.hpp"
#include "runtime/cuda/memory.hpp"

#include <cstdint>
#include <new>
#include <span>
#include <system_error>
#include <vector>

// Shared by the functions of <swirl/swirl.h>. `guarded` converts every exception to a status and a message.

struct swirl_problem {
    swirl::TransformKind kind;
    std::vector<swirl::Integer> lengths;
    swirl::TransformOptions options;
};

namespace swirl::api {

/// Stores the message for swirl_last_error.
swirl_status failed(swirl_status status, const char* message) noexcept;

Transform problem_of(const swirl_problem& description);
MatrixProduct product_of(const swirl_matrix_product& description);
DataType data_type_of(const char* name, int data_type);
Accuracy accuracy_of(int accuracy);
/// Throws UserError if a reduction has no name or an unknown kind.
void add_reductions(MatrixProduct& product, const swirl_reduction* reductions, std::size_t count);
void set_data_types(MatrixProduct& product, const int* types); ///< of A, B and C; null: none
/// A product's arrays in the order of given_arrays_of; null if not given.
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

/// The elements of a list with at most `most` elements. Throws UserError if there are more, so that a wrong count is
/// detected before anything is read, or if the list is missing.
template <class T>
std::span<const T> list_of(const T* elements, const char* name, std::size_t count, std::size_t most,
                           const char* of_what) {
    if (count > most)
        throw UserError("argument '{}' has {} elements; {} has at most {}", name, count, of_what, most);
    if (count > 0) require(elements, name);
    return {elements, count};
}

/// The same with a limit of the address space.
template <class T> std::span<const T> list_of(const T* elements, const char* name, std::size_t count) {
    return list_of(elements, name, count, PTRDIFF_MAX / sizeof(T), "an array in memory");
}

/// Common frame of matrix planning functions: `make(wanted)` creates the plan. *plan is null after an error.
template <class Plan, class Make>
swirl_status plan_matrix_multiplication(const swirl_matrix_product* product, Plan** plan,
                                        Make&& make) noexcept {
    return guarded([&] {
        require(plan, "plan");
        *plan = nullptr;
        require(product, "product");
        MatrixProduct wanted = product_of(*product);
        *plan = make(wanted);
    });
}

} // namespace swirl::api
