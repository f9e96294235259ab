#pragma once

#include <swirl/swirl.h>
#include <swirl/plan.hpp>

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <system_error>

/// Shared by the functions of <swirl/swirl.h>.
namespace swirl::api {

struct Launch;

/// Stores the message for swirl_last_error.
swirl_status failed(swirl_status status, const char* message) noexcept;

/// Converts every exception to a status and a message.
template <class F> swirl_status guarded(F&& f) noexcept {
    try {
        f();
        return SWIRL_OK;
    } catch (const UserError& error) {
        return failed(SWIRL_USER_ERROR, error.what());
    } catch (const OutOfMemory& error) {
        return failed(SWIRL_OUT_OF_MEMORY, error.what());
    } catch (const Unavailable& error) {
        return failed(SWIRL_UNAVAILABLE, error.what());
    } catch (const Unsupported& error) {
        return failed(SWIRL_UNSUPPORTED, error.what());
    } catch (const Cancelled& error) {
        return failed(SWIRL_CANCELLED, error.what());
    } catch (const OutOfTime& error) {
        return failed(SWIRL_OUT_OF_TIME, error.what());
    } catch (const SystemError& error) {
        return failed(SWIRL_SYSTEM_ERROR, error.what());
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

/// The C++ value of a C enumerator, by its index in `values`.
template <class Value, std::size_t count>
Value value_of(int enumerator, const std::array<Value, count>& values, const char* name) {
    if (enumerator < 0 || enumerator >= static_cast<int>(count))
        throw UserError("argument '{}' is {}; it has values from 0 to {}", name, enumerator, count - 1);
    return values[static_cast<std::size_t>(enumerator)];
}

/// A caller's struct that starts with its size, over the defaults: members that its version does not have keep these.
template <class Struct> Struct versioned(const Struct* given, const Struct& defaults, const char* name) {
    Struct result = defaults;
    if (given == nullptr) return result;
    if (given->struct_size < sizeof(std::size_t) || given->struct_size > 16 * sizeof(Struct))
        throw UserError("{}.struct_size is {}; start from the macro for its initial value", name,
                        given->struct_size);
    std::memcpy(&result, given, std::min(given->struct_size, sizeof result));
    for (std::size_t byte = sizeof result; byte < given->struct_size; ++byte)
        if (reinterpret_cast<const unsigned char*>(given)[byte] != 0)
            throw Unsupported("{} sets a member that version {}.{}.{} does not have", name,
                              SWIRL_VERSION_MAJOR, SWIRL_VERSION_MINOR, SWIRL_VERSION_PATCH);
    return result;
}

/// Copies text as swirl_problem_text documents.
void copy_text(const std::string& whole, char* text, std::size_t size, std::size_t* length);

Problem problem_of(const swirl_problem& problem);
/// Of a transform's components: that of complex types is the type of theirs.
DataType component_named(int data_type);
Device device_of(int device, int ordinal);
Options options_of(const swirl_options* options);
Launch launch_of(const swirl_execution* execution);

} // namespace swirl::api
