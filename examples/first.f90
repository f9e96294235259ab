! A transform of a matrix from Fortran. Compile with the module and link the library:
!   gfortran /usr/local/include/swirl/swirl.f90 first.f90 -lswirl
program first
  use, intrinsic :: iso_c_binding
  use swirl
  implicit none
  type(swirl_plan) :: fft
  complex(c_double_complex) :: x(4, 3), y(4, 3)

  x = 0
  x(2, 1) = 1
  fft = swirl_planned('dft 3x4', threads=1) ! lengths as in C: slowest dimension first
  if (.not. fft%is_ready()) then
    print *, swirl_error()
    stop 1
  end if
  call fft%execute(x, y)
  call fft%destroy()
  print '(4(f5.1, f5.1))', y
end program
