#include "fftw_mpi/padding.hpp"

#include <cstring>

namespace swirl::fftw_mpi {

void PaddedRows::pack(const void* padded, void* packed) const {
    const auto* const from = static_cast<const std::byte*>(padded);
    auto* const to = static_cast<std::byte*>(packed);
    for (Integer row = 0; row < count; ++row)
        std::memmove(to + row * row_bytes, from + row * padded_bytes, static_cast<std::size_t>(row_bytes));
}

void PaddedRows::unpack(void* rows) const {
    auto* const at = static_cast<std::byte*>(rows);
    for (Integer row = count; row-- > 0;)
        std::memmove(at + row * padded_bytes, at + row * row_bytes, static_cast<std::size_t>(row_bytes));
}

} // namespace swirl::fftw_mpi
