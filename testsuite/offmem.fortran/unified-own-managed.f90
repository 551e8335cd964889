! Descriptors and pointers on the stack, of managed memory.
! { dg-do run { target offload_device } }
! { dg-additional-options "-foffload-memory=unified" }
! { dg-additional-sources "aux/managed.c" }
! { dg-additional-options "-ldl" }

program main
  use iso_c_binding
  implicit none
  interface
    function new_managed (size) bind(c)
      import
      integer(c_size_t), value :: size
      type(c_ptr) :: new_managed
    end function
  end interface
  integer, parameter :: n = 1000
  type(c_ptr) :: memory
  integer, pointer :: a(:), scalar
  integer :: i

  memory = new_managed (1048576_c_size_t)
  call c_f_pointer (memory, a, [n])
  call c_f_pointer (transfer (transfer (memory, 0_c_intptr_t) + 16384, memory), scalar)
  a = [(i, i = 1, n)]
  scalar = 1

  !$omp target map(always, tofrom: a, scalar)
  scalar = scalar + 1
  do i = 1, n
    a(i) = 2 * a(i)
  end do
  !$omp end target
  if (a(9) /= 18 .or. scalar /= 2) stop 1

  !$omp target enter data map(to: a, scalar)
  a(1) = 5
  !$omp target update to(a)
  !$omp target
  a(2) = a(1)
  !$omp end target
  !$omp target update from(a(1:3))
  !$omp target exit data map(from: a, scalar)
  if (a(2) /= 5) stop 2

  call work (a)
  if (a(4) /= 4) stop 3

contains

  subroutine work (x)
    integer :: x(:)
    !$omp target data map(tofrom: x)
    !$omp target map(always, tofrom: x(4:5))
    x(4) = 4
    !$omp end target
    !$omp end target data
  end subroutine
end program
