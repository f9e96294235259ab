! Transforms a matrix by columns, multiplies two matrices, and states a wrong problem.
program swirl_user
  use, intrinsic :: iso_c_binding
  use swirl
  implicit none
  complex(c_double_complex) :: x(4, 3), y(4, 3), expected
  real(c_float) :: a(2, 3), b(3, 2), c(2, 2)
  type(swirl_plan) :: plan
  integer :: i, j, k, l, status
  real(c_double), parameter :: period = 8 * atan(1.0_c_double)
  do k = 1, 3
    do i = 1, 4
      x(i, k) = cmplx(i * i, k - 2 * i, c_double_complex)
    end do
  end do
  plan = swirl_planned('dft 3x4', threads=1)
  if (.not. plan%is_ready()) stop 7
  call plan%execute(x, y)
  do k = 0, 2
    do i = 0, 3
      expected = 0
      do l = 0, 2
        do j = 0, 3
          expected = expected + x(j + 1, l + 1) * exp(cmplx(0, -period * (i * j / 4.0_c_double + k * l / 3.0_c_double), &
            c_double_complex))
        end do
      end do
      if (abs(y(i + 1, k + 1) - expected) > 1e-12) stop 1
    end do
  end do
  if (index(plan%schedule(), ':') == 0) stop 2
  call plan%execute(x, x, status)
  if (status == 0 .or. len(swirl_error()) == 0) stop 3
  call plan%destroy()

  plan = swirl_planned('gemm 2x2x3 float32', effort=swirl_estimate)
  if (.not. plan%is_ready()) stop 7
  a = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  b = reshape([6, 5, 4, 3, 2, 1], [3, 2])
  c = 1
  call plan%multiply(2.0_c_float, a, b, 1.0_c_float, c)
  if (maxval(abs(c - (2 * matmul(a, b) + 1))) > 1e-5) stop 4
  call plan%destroy()

  plan = swirl_planned('dft 0')
  if (plan%is_ready() .or. index(swirl_error(), 'length') == 0) stop 5
  if (len(swirl_version_text()) == 0) stop 6
end program
