#include "plan/check/copy.hpp"

#include "plan/check/kernel_check_samples.hpp"

#include <algorithm>

namespace swirl::planning {

namespace kernel_check {

namespace {

constexpr std::byte untouched{0xa5};

template <class V> V sample_of_copy(Integer i, Integer j) {
    if constexpr (std::is_same_v<V, double>)
        return small_integer(0, i, j);
    else
        return {small_integer(0, i, j), small_integer(1, i, j)};
}

template <class V> void check_copy_of(const gemm::MatrixCopy& kernel, runtime::KernelFunction function) {
    using Source = gemm::MatrixCopy::Source;
    const Integer rows = 2 * kernel.lanes + 1, columns = kernel.lanes + 2;
    const Integer row_stride = kernel.source == Source::by_rows      ? columns + 3
                               : kernel.source == Source::by_columns ? 1
                                                                     : 2;
    const Integer column_stride = kernel.source == Source::by_rows ? 1 : row_stride * rows + 3;
    const DataType type = kernel.data_type;
    const Integer bytes = bytes_of(type), copied = rows * columns * bytes;
    const Memory from((rows * row_stride + columns * column_stride) * bytes), to(copied + 2 * guard_bytes);
    std::fill_n(to.data(), copied + 2 * guard_bytes, untouched);
    for (Integer j = 0; j < columns; ++j)
        for (Integer i = 0; i < rows; ++i)
            put(type, from.data() + (i * row_stride + j * column_stride) * bytes, sample_of_copy<V>(i, j));
    void* const buffers[] = {from.data(), to.data() + guard_bytes};
    const std::int64_t parameters[] = {2 * kernel.lanes, rows,       kernel.lanes,
                                       columns,          row_stride, column_stride};
    function(buffers, parameters);
    const std::string name =
        fmt::format("copy of a matrix of {}, {} lanes, {}{}", swirl::name_of(type), kernel.lanes,
                    kernel.source == Source::by_rows      ? "by rows"
                    : kernel.source == Source::by_columns ? "by columns"
                                                          : "without unit stride",
                    kernel.conjugated ? ", conjugated" : "");
    for (Integer j = 0; j < columns; ++j)
        for (Integer i = 0; i < rows; ++i) {
            V wanted = sample_of_copy<V>(i, j);
            if constexpr (!std::is_same_v<V, double>)
                if (kernel.conjugated) wanted = std::conj(wanted);
            if (!(get<V>(type, to.data() + guard_bytes + (i + j * rows) * bytes) == wanted))
                fail(name, fmt::format("element ({}, {}) is wrong", i, j));
        }
    const auto is_untouched = [](std::byte each) { return each == untouched; };
    if (!std::all_of(to.data(), to.data() + guard_bytes, is_untouched) ||
        !std::all_of(to.data() + guard_bytes + copied, to.data() + 2 * guard_bytes + copied, is_untouched))
        fail(name, "it writes outside its copy");
}

} // namespace

} // namespace kernel_check

void check_copy(const gemm::MatrixCopy& kernel, runtime::KernelFunction function) {
    if (is_complex(kernel.data_type))
        kernel_check::check_copy_of<std::complex<double>>(kernel, function);
    else
        kernel_check::check_copy_of<double>(kernel, function);
}

} // namespace swirl::planning
