! A program written for FFTW in Fortran: each interface transforms a matrix, by columns.
program fftw_user
  use, intrinsic :: iso_c_binding
  implicit none
  include 'fftw3.f03'
  complex(C_DOUBLE_COMPLEX) :: x(4, 3), y(4, 3), z(4, 3)
  type(C_PTR) :: plan
  integer(8) :: old_plan
  integer :: i, k
  do k = 1, 3
    do i = 1, 4
      x(i, k) = cmplx(i * i, k - 2 * i, C_DOUBLE_COMPLEX)
    end do
  end do
  plan = fftw_plan_dft_2d(3, 4, x, y, FFTW_FORWARD, FFTW_ESTIMATE)
  if (.not. c_associated(plan)) stop 1
  call fftw_execute_dft(plan, x, y)
  call fftw_destroy_plan(plan)
  call dfftw_plan_dft_2d(old_plan, 4, 3, x, z, FFTW_FORWARD, int(FFTW_ESTIMATE))
  call dfftw_execute(old_plan)
  call dfftw_destroy_plan(old_plan)
  if (maxval(abs(y - z)) > 1e-12) stop 2
  if (abs(y(1, 1) - sum(x)) > 1e-12) stop 3
end program
