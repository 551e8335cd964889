! An allocatable array that is mapped, deallocated and allocated again with
! other bounds; one that is not allocated.
! { dg-do run }

program allocatable
  implicit none
  integer, allocatable :: x(:), none(:)
  logical :: there
  integer :: round, i

  do round = 1, 20
    allocate (x(-round:100 * round))
    x = round
    !$omp target map(tofrom: x)
    do i = lbound (x, 1), ubound (x, 1)
      x(i) = x(i) + i
    end do
    !$omp end target
    do i = -round, 100 * round
      if (x(i) /= round + i) stop 1
    end do
    deallocate (x)
  end do

  there = .true.
  !$omp target map(tofrom: none) map(from: there)
  there = allocated (none)
  !$omp end target
  if (there) stop 2
end program allocatable
