! FFTW's MPI interface from Fortran 2003: real data, there and back.
program fftw_mpi_user
  use, intrinsic :: iso_c_binding
  implicit none
  include 'mpif.h'
  include 'fftw3-mpi.f03'
  integer(C_INTPTR_T), parameter :: n0 = 12, n1 = 10
  integer(C_INTPTR_T) :: size, rows, first, i, j
  type(C_PTR) :: forward, backward, memory
  real(C_DOUBLE), pointer :: x(:, :)
  complex(C_DOUBLE_COMPLEX), pointer :: y(:, :)
  integer :: error, rank
  double precision :: worst, all

  call MPI_Init(error)
  call fftw_mpi_init()
  size = fftw_mpi_local_size_2d(n0, n1 / 2 + 1, MPI_COMM_WORLD, rows, first)
  memory = fftw_alloc_complex(size)
  call c_f_pointer(memory, x, [2 * (n1 / 2 + 1), rows])
  call c_f_pointer(memory, y, [n1 / 2 + 1, rows])
  forward = fftw_mpi_plan_dft_r2c_2d(n0, n1, x, y, MPI_COMM_WORLD, FFTW_ESTIMATE)
  backward = fftw_mpi_plan_dft_c2r_2d(n0, n1, y, x, MPI_COMM_WORLD, FFTW_ESTIMATE)
  do i = 1, rows
    do j = 1, n1
      x(j, i) = dble((first + i) * j)
    end do
  end do
  call fftw_mpi_execute_dft_r2c(forward, x, y)
  call fftw_mpi_execute_dft_c2r(backward, y, x)
  worst = 0
  do i = 1, rows
    do j = 1, n1
      worst = max(worst, abs(x(j, i) / dble(n0 * n1) - dble((first + i) * j)))
    end do
  end do
  call MPI_Allreduce(worst, all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank == 0) print '(a)', merge('right', 'wrong', all < 1d-12)
  call fftw_destroy_plan(forward)
  call fftw_destroy_plan(backward)
  call fftw_free(memory)
  call MPI_Finalize(error)
end program
