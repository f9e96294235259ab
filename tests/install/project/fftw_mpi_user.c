/* FFTW's MPI interface: the transform of an impulse, whose ranks have slabs of the matrix and of its transposed spectrum. */
#include <fftw3-mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank, right = 1, all;
    ptrdiff_t rows, first_row, columns, first_column;
    // [fftw-mpi]
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    ptrdiff_t size = fftw_mpi_local_size_2d_transposed(100, 80, MPI_COMM_WORLD, &rows, &first_row, &columns,
                                                       &first_column);
    fftw_complex* x = fftw_alloc_complex(size);
    fftw_plan plan = fftw_mpi_plan_dft_2d(100, 80, x, x, MPI_COMM_WORLD, FFTW_FORWARD,
                                          FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
    // [end]
    for (ptrdiff_t i = 0; i < rows * 80; ++i) x[i][0] = x[i][1] = 0;
    if (first_row == 0 && rows > 0) x[0][0] = 1;
    fftw_execute(plan);
    for (ptrdiff_t i = 0; i < columns * 100; ++i)
        if (x[i][0] < 0.999999 || x[i][0] > 1.000001 || x[i][1] < -0.000001 || x[i][1] > 0.000001) right = 0;
    fftw_destroy_plan(plan);
    fftw_free(x);
    MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("%s, %s\n", fftw_version, all ? "right" : "wrong");
    fftw_mpi_cleanup();
    MPI_Finalize();
    return !all;
}
