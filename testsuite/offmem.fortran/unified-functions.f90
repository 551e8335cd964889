! Results of functions that are allocatable, automatic arrays and what assignment allocates
! by itself.
! { dg-do run }
! { dg-options "-fopenmp -foffload-memory=unified" }
! { dg-copied-bytes 8192 }

module makers
  implicit none
contains
  function squares (n) result (r)
    integer, intent(in) :: n
    integer, allocatable :: r(:)
    integer :: i
    allocate (r(n))
    !$omp target
    do i = 1, n
      r(i) = i * i
    end do
    !$omp end target
  end function squares

  integer function alternating (n)
    integer, intent(in) :: n
    integer :: automatic(n), i, s
    do i = 1, n
      automatic(i) = merge (i, -i, mod (i, 2) == 0)
    end do
    s = 0
    !$omp target map(tofrom: s) map(to: automatic)
    do i = 1, n
      s = s + automatic(i)
    end do
    !$omp end target
    alternating = s
  end function alternating
end module makers

program unified_functions
  use iso_c_binding, only: c_intptr_t
  use makers
  implicit none
  integer, allocatable :: a(:)
  real, allocatable :: grown(:)
  integer(c_intptr_t) :: there
  integer :: i, n, last

  a = squares (10)
  do n = 100, 3000, 700
    a = squares (n)
    a = [a, -1]
    !$omp target map(from: there, last)
    there = loc (a)
    last = a(size (a))
    a(1) = n
    !$omp end target
    if (there /= loc (a) .or. last /= -1 .or. a(1) /= n .or. a(n) /= n * n) stop 1
  end do
  allocate (grown(0))
  do i = 1, 12
    grown = [grown, real (i)]
    !$omp target
    grown(i) = 2 * grown(i)
    !$omp end target
  end do
  if (size (grown) /= 12 .or. sum (grown) /= 2 * 78) stop 2
  if (alternating (300) /= 150) stop 3
end program unified_functions
