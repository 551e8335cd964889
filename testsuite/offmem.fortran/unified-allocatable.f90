! Allocatable arrays of all ranks and kinds are at one address, mapped or not, copied never.
! { dg-do run }
! { dg-options "-fopenmp -foffload-memory=unified" }
! { dg-copied-bytes 4096 }

program unified_allocatable
  use iso_c_binding, only: c_intptr_t
  implicit none
  integer, parameter :: n = 5000
  integer, allocatable :: a(:)
  real(8), allocatable :: m(:,:)
  character(:), allocatable :: text
  complex, allocatable :: z
  integer(c_intptr_t) :: there, there_m
  integer :: i

  allocate (a(n), m(60, -5:40), z)
  a = [(i, i = 1, n)]
  m = 1
  z = (1, 2)
  !$omp target map(from: there, there_m)
  there = loc (a)
  there_m = loc (m)
  do i = 1, n
    a(i) = 2 * a(i)
  end do
  m(60, 40) = 7
  !$omp end target
  if (there /= loc (a) .or. there_m /= loc (m)) stop 1
  if (any (a /= [(2 * i, i = 1, n)])) stop 2
  if (m(60, 40) /= 7 .or. sum (m) /= 60 * 46 + 6) stop 3

  !$omp target data map(tofrom: a) map(to: m)
  a(5) = -1
  !$omp target teams distribute parallel do
  do i = 1, n
    a(i) = a(i) + 1
  end do
  m(1, 0) = 50
  if (a(5) /= 0 .or. a(n) /= 2 * n + 1) stop 4
  !$omp target
  a(1) = int (m(1, 0))
  !$omp end target
  !$omp end target data
  if (a(1) /= 50) stop 5

  !$omp target map(tofrom: z)
  z = z * (0, 1)
  !$omp end target
  if (z /= (-2, 1)) stop 6
  allocate (character(1000) :: text)
  text(:) = 'x'
  !$omp target map(tofrom: text)
  text(1000:1000) = 'y'
  !$omp end target
  if (text(1:1) /= 'x' .or. text(1000:1000) /= 'y') stop 7
  deallocate (a, text)
  allocate (a(10), source=3)
  !$omp target
  a(10) = a(1) + 1
  !$omp end target
  if (a(10) /= 4) stop 8
end program unified_allocatable
