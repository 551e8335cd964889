! Clauses of REQUIRES that ask for unified memory are accepted with it.
! { dg-do run }
! { dg-options "-fopenmp -foffload-memory=unified" }

program main
  implicit none
  !$omp requires unified_shared_memory, unified_address
  integer :: x(10), i

  x = 1
  !$omp target map(tofrom: x)
  do i = 1, 10
    x(i) = x(i) + i
  end do
  !$omp end target
  if (sum (x) /= 65) stop 1
end program main
