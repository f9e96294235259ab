!> swirl from Fortran 2018: a module over the C interface, <swirl/swirl.h>. Compile this file with
!> the program, and link with -lswirl.
!>
!>     use swirl
!>     type(swirl_plan) :: fft
!>     complex(c_double_complex) :: x(1000), y(1000)
!>     fft = swirl_planned('dft 1000')
!>     if (.not. fft%is_ready()) print *, swirl_error()
!>     call fft%execute(x, y)
!>     call fft%destroy()
!>
!> A problem's text lists lengths and matrices as C has them, slowest dimension first: the transform of x(4, 3) is 'dft 3x4'.
!> Matrices of gemm are column-major, as Fortran's. Arrays must be contiguous: of others the compiler passes copies, which works
!> for input and costs time.
module swirl
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: swirl_plan, swirl_planned, swirl_error, swirl_version_text
  public :: swirl_estimate, swirl_measure, swirl_exhaustive, swirl_background, swirl_cpu, swirl_gpu

  enum, bind(c)
    enumerator :: swirl_estimate = 0, swirl_measure, swirl_exhaustive, swirl_background
  end enum
  enum, bind(c)
    enumerator :: swirl_cpu = 0, swirl_gpu
  end enum

  !> Immutable. Copies are the same plan: one of them is destroyed, when no other is in use. May be executed by several threads at once.
  type :: swirl_plan
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    !> Whether there is a plan: false if it could not be made, and after destroy.
    procedure :: is_ready
    !> Transforms: (input, output), which are one array in place. `status` is 0, or swirl_error() tells what is wrong; without
    !> `status` the program stops with that message.
    procedure :: execute
    !> Products: C = alpha*A*B + beta*C. alpha and beta have the type of C.
    procedure :: multiply
    !> Every choice that the plan has made, as text.
    procedure :: schedule
    procedure :: destroy
  end type

  ! swirl_options of the C interface, in its order.
  type, bind(c) :: options_of_c
    integer(c_size_t) :: struct_size
    integer(c_int) :: device, ordinal, threads, effort, swap_schedule, accuracy, check, use_wisdom, use_kernel_cache, reorder_sass
    integer(c_size_t) :: memory_limit_bytes
    real(c_double) :: planning_limit_seconds, time_budget_seconds
    type(c_ptr) :: cpu, schedule
    type(c_funptr) :: progress, cancelled, log
    type(c_ptr) :: context
  end type

  interface
    function c_options_init(options, struct_size) bind(c, name='swirl_options_init') result(status)
      import :: options_of_c, c_size_t, c_int
      type(options_of_c), intent(out) :: options
      integer(c_size_t), value :: struct_size
      integer(c_int) :: status
    end function
    function c_plan_from_text(problem, options, plan) bind(c, name='swirl_plan_from_text') result(status)
      import :: options_of_c, c_char, c_ptr, c_int
      character(kind=c_char), intent(in) :: problem(*)
      type(options_of_c), intent(in) :: options
      type(c_ptr), intent(out) :: plan
      integer(c_int) :: status
    end function
    subroutine c_plan_destroy(plan) bind(c, name='swirl_plan_destroy')
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine
    function c_plan_schedule(plan) bind(c, name='swirl_plan_schedule') result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function
    function c_execute(plan, input, output) bind(c, name='swirl_execute') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: plan
      type(*) :: input(*), output(*)
      integer(c_int) :: status
    end function
    function c_execute_product(plan, alpha, a, b, beta, c) bind(c, name='swirl_execute_product') result(status)
      import :: c_ptr, c_int
      type(c_ptr), value :: plan
      type(*), intent(in) :: alpha, a(*), b(*), beta
      type(*) :: c(*)
      integer(c_int) :: status
    end function
    function c_last_error() bind(c, name='swirl_last_error') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_version() bind(c, name='swirl_version') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_length(text) bind(c, name='strlen') result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  !> A plan of the problem that the text states, such as 'dft 16x8 backward float32 batch=10' or 'gemm 100x80x60'. threads: at most so
  !> many work on one execution; 0: one per processor. seconds: time limit of a search.
  function swirl_planned(problem, threads, effort, seconds, device, ordinal) result(plan)
    character(len=*), intent(in) :: problem
    integer, intent(in), optional :: threads, effort, device, ordinal
    real(c_double), intent(in), optional :: seconds
    type(swirl_plan) :: plan
    type(options_of_c) :: options
    if (c_options_init(options, c_sizeof(options)) /= 0) return
    if (present(threads)) options%threads = int(threads, c_int)
    if (present(effort)) options%effort = int(effort, c_int)
    if (present(seconds)) options%time_budget_seconds = seconds
    if (present(device)) options%device = int(device, c_int)
    if (present(ordinal)) options%ordinal = int(ordinal, c_int)
    if (c_plan_from_text(trim(problem) // c_null_char, options, plan%handle) /= 0) plan%handle = c_null_ptr
  end function

  pure logical function is_ready(plan)
    class(swirl_plan), intent(in) :: plan
    is_ready = c_associated(plan%handle)
  end function

  subroutine execute(plan, input, output, status)
    class(swirl_plan), intent(in) :: plan
    type(*) :: input(*), output(*)
    integer, intent(out), optional :: status
    call report(c_execute(plan%handle, input, output), status)
  end subroutine

  subroutine multiply(plan, alpha, a, b, beta, c, status)
    class(swirl_plan), intent(in) :: plan
    type(*), intent(in) :: alpha, a(*), b(*), beta
    type(*) :: c(*)
    integer, intent(out), optional :: status
    call report(c_execute_product(plan%handle, alpha, a, b, beta, c), status)
  end subroutine

  subroutine report(outcome, status)
    integer(c_int), intent(in) :: outcome
    integer, intent(out), optional :: status
    character(len=:), allocatable :: message
    if (present(status)) then
      status = int(outcome)
    else if (outcome /= 0) then
      message = 'swirl: ' // swirl_error()
      error stop message
    end if
  end subroutine

  function schedule(plan) result(text)
    class(swirl_plan), intent(in) :: plan
    character(len=:), allocatable :: text
    text = text_at(c_plan_schedule(plan%handle))
  end function

  subroutine destroy(plan)
    class(swirl_plan), intent(inout) :: plan
    call c_plan_destroy(plan%handle)
    plan%handle = c_null_ptr
  end subroutine

  !> What was wrong with the calling thread's last failed call, and what would work.
  function swirl_error() result(text)
    character(len=:), allocatable :: text
    text = text_at(c_last_error())
  end function

  function swirl_version_text() result(text)
    character(len=:), allocatable :: text
    text = text_at(c_version())
  end function

  function text_at(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    text = ''
    if (.not. c_associated(address)) return
    call c_f_pointer(address, characters, [c_length(address)])
    do i = 1, size(characters)
      text = text // characters(i)
    end do
  end function

end module
