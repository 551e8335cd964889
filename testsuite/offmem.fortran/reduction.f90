! Sum, largest and logical reductions.
! { dg-do run }

program reductions
  implicit none
  integer, parameter :: n = 1000
  integer :: x(n), i, total, largest
  logical :: all_positive

  x = [(mod (i * 7919, n) + 1, i = 1, n)]
  total = 0
  largest = 0
  all_positive = .true.

  !$omp target teams distribute parallel do map(to: x) map(tofrom: total) reduction(+: total)
  do i = 1, n
    total = total + x(i)
  end do

  !$omp target teams distribute parallel do map(to: x) map(tofrom: largest) reduction(max: largest)
  do i = 1, n
    largest = max (largest, x(i))
  end do

  !$omp target parallel do map(to: x) map(tofrom: all_positive) reduction(.and.: all_positive)
  do i = 1, n
    all_positive = all_positive .and. x(i) > 0
  end do

  if (total /= 500500 .or. largest /= n .or. .not. all_positive) stop 1
end program reductions
