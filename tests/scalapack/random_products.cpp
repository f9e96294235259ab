// Runs as each rank of MPI: test_scalapack_<name> SEED CASES. Draws products of block-cyclic matrices, multiplies them by p?gemm, and
// compares this process's part of C with the definition. It is linked with ScaLAPACK, and runs with that or with swirl's p?gemm
// preloaded. Ends with 0 if all results are right.

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

extern "C" {
void Cblacs_pinfo(int* rank, int* size);
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
#define SWIRL_TEST_PGEMM(name, Element)                                                                     \
    void name(const char*, const char*, const int*, const int*, const int*, const Element*, const Element*, \
              const int*, const int*, const int*, const Element*, const int*, const int*, const int*,       \
              const Element*, Element*, const int*, const int*, const int*);
SWIRL_TEST_PGEMM(psgemm_, float)
SWIRL_TEST_PGEMM(pdgemm_, double)
SWIRL_TEST_PGEMM(pcgemm_, std::complex<float>)
SWIRL_TEST_PGEMM(pzgemm_, std::complex<double>)
#undef SWIRL_TEST_PGEMM
}

namespace swirl::test {
namespace {

using Draw = std::mt19937_64;

int between(Draw& draw, int least, int most) {
    return least + static_cast<int>(draw() % static_cast<std::uint64_t>(most - least + 1));
}

struct Grid {
    int context = 0, rows = 0, columns = 0, row = -1, column = -1;
};

/// The part of an axis that a process has.
int local_length(int length, int block, int process, int source, int processes) {
    int count = 0;
    for (int i = 0; i < length; ++i) count += (i / block + source) % processes == process;
    return count;
}

template <class Element> constexpr bool is_complex = !std::is_floating_point_v<Element>;

template <class Element> Element drawn(Draw& draw) {
    std::uniform_real_distribution<double> values(-1, 1);
    using Real = decltype(std::abs(Element{}));
    const auto real = static_cast<Real>(values(draw));
    if constexpr (is_complex<Element>)
        return {real, static_cast<Real>(values(draw))};
    else
        return real;
}

/// A whole matrix, column by column, and this process's part of it.
template <class Element> struct Matrix {
    int rows, columns, descriptor[9];
    std::vector<Element> all, local;
    int first_row, first_column; ///< of the submatrix, from 1

    Matrix(Draw& draw, const Grid& grid, int height, int width) {
        first_row = between(draw, 1, 4);
        first_column = between(draw, 1, 4);
        rows = height + first_row - 1 + between(draw, 0, 3);
        columns = width + first_column - 1 + between(draw, 0, 3);
        const int row_block = between(draw, 1, 9), column_block = between(draw, 1, 9);
        const int row_source = between(draw, 0, grid.rows - 1),
                  column_source = between(draw, 0, grid.columns - 1);
        for (int i = 0; i < rows * columns; ++i) all.push_back(drawn<Element>(draw));
        const int extra = between(draw, 0, 3);
        if (grid.row < 0) return;
        const int leading =
            std::max(1, local_length(rows, row_block, grid.row, row_source, grid.rows)) + extra;
        const int values[] = {1,          grid.context,  rows,   columns, row_block, column_block,
                              row_source, column_source, leading};
        std::copy(values, values + 9, descriptor);
        local.resize(static_cast<std::size_t>(leading) *
                         static_cast<std::size_t>(
                             local_length(columns, column_block, grid.column, column_source, grid.columns)) +
                     1);
        for_each_local(grid, [&](int i, int j, std::size_t at) { local[at] = element(i, j); });
    }
    Element& element(int i, int j) { return all[static_cast<std::size_t>(i + j * rows)]; }
    template <class Visit> void for_each_local(const Grid& grid, Visit&& visit) {
        int across = 0;
        for (int j = 0; j < columns; ++j) {
            if ((j / descriptor[5] + descriptor[7]) % grid.columns != grid.column) continue;
            int down = 0;
            for (int i = 0; i < rows; ++i)
                if ((i / descriptor[4] + descriptor[6]) % grid.rows == grid.row)
                    visit(i, j,
                          static_cast<std::size_t>(down++) +
                              static_cast<std::size_t>(across) * static_cast<std::size_t>(descriptor[8]));
            ++across;
        }
    }
    /// Of op(sub(…)).
    Element of_operation(char operation, int i, int j) {
        Element value = operation == 'N' ? element(first_row - 1 + i, first_column - 1 + j)
                                         : element(first_row - 1 + j, first_column - 1 + i);
        if constexpr (is_complex<Element>)
            if (operation == 'C') value = std::conj(value);
        return value;
    }
};

template <class Element, class Gemm> bool run_case(Draw draw, const Grid& grid, Gemm&& gemm) {
    const int m = between(draw, 1, 40), n = between(draw, 1, 40), k = between(draw, 0, 40);
    const char letters[] = {'N', 'T', 'C'};
    const char transa = letters[between(draw, 0, 2)], transb = letters[between(draw, 0, 2)];
    Matrix<Element> a(draw, grid, transa == 'N' ? m : k, transa == 'N' ? k : m),
        b(draw, grid, transb == 'N' ? k : n, transb == 'N' ? n : k), c(draw, grid, m, n);
    const Element alpha = between(draw, 0, 9) == 0 ? Element{} : drawn<Element>(draw);
    const Element beta = between(draw, 0, 2) == 0 ? Element{} : drawn<Element>(draw);
    if (grid.row < 0) return true;
    if (k == 0) return true; // descriptors of empty matrices are another matter
    gemm(&transa, &transb, &m, &n, &k, &alpha, a.local.data(), &a.first_row, &a.first_column, a.descriptor,
         b.local.data(), &b.first_row, &b.first_column, b.descriptor, &beta, c.local.data(), &c.first_row,
         &c.first_column, c.descriptor);
    double worst = 0;
    c.for_each_local(grid, [&](int i, int j, std::size_t at) {
        Element expected = c.element(i, j);
        const int row = i - c.first_row + 1, column = j - c.first_column + 1;
        if (row >= 0 && row < m && column >= 0 && column < n) {
            Element sum{};
            for (int l = 0; l < k; ++l)
                sum += a.of_operation(transa, row, l) * b.of_operation(transb, l, column);
            expected = alpha * sum + beta * expected;
        }
        worst = std::max(worst, static_cast<double>(std::abs(c.local[at] - expected)));
    });
    const double epsilon = std::numeric_limits<decltype(std::abs(Element{}))>::epsilon();
    const bool is_right = worst <= 8 * (k + 2) * epsilon;
    if (!is_right)
        std::printf("WRONG: %dx%dx%d %c%c on %dx%d, %zu bytes: error %g\n", m, n, k, transa, transb,
                    grid.rows, grid.columns, sizeof(Element), worst);
    return is_right;
}

} // namespace
} // namespace swirl::test

int main(int count, char** words) {
    if (count != 3) return 2;
    using namespace swirl::test;
    MPI_Init(nullptr, nullptr);
    int rank = 0, size = 0;
    Cblacs_pinfo(&rank, &size);
    Dl_info library{};
    dladdr(dlsym(RTLD_DEFAULT, "pdgemm_"), &library);
    const bool is_swirls = std::strstr(library.dli_fname, "swirl_scalapack") != nullptr;
    if (rank == 0) std::printf("p?gemm of %s\n", is_swirls ? "swirl" : "ScaLAPACK");
    Draw draw(std::strtoull(words[1], nullptr, 10));
    bool is_right = true;
    const int cases = std::atoi(words[2]);
    for (int number = 0; number < cases; ++number) {
        Grid grid;
        Cblacs_get(0, 0, &grid.context);
        const int rows = between(draw, 1, size), columns = between(draw, 1, size / rows);
        Cblacs_gridinit(&grid.context, between(draw, 0, 1) == 0 ? "Row" : "Col", rows, columns);
        if (grid.context >= 0)
            Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);
        grid.rows = rows;
        grid.columns = columns;
        const Draw of_case(draw());
        switch (number % 4) {
        case 0: is_right = run_case<double>(of_case, grid, pdgemm_) && is_right; break;
        case 1: is_right = run_case<float>(of_case, grid, psgemm_) && is_right; break;
        case 2: is_right = run_case<std::complex<double>>(of_case, grid, pzgemm_) && is_right; break;
        default: is_right = run_case<std::complex<float>>(of_case, grid, pcgemm_) && is_right;
        }
        if (grid.row >= 0) Cblacs_gridexit(grid.context);
    }
    int all = 0, own = is_right ? 1 : 0;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%d cases, %s\n", cases, all != 0 ? "right" : "wrong");
    MPI_Finalize();
    return all != 0 ? 0 : 1;
}
