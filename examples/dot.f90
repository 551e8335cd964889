! Dot products of two allocatable arrays, reduced on the device.

program dot
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, parameter :: n = 2000000, rounds = 5
  real(real64), allocatable :: x(:), y(:)
  real(real64) :: total
  integer :: i, round

  allocate (x(n), y(n))
  do i = 1, n
    x(i) = mod(i, 7)
  end do
  do round = 1, rounds
    y = round
    total = 0
    !$omp target teams distribute parallel do reduction(+: total) map(to: x, y) map(tofrom: total)
    do i = 1, n
      total = total + x(i) * y(i)
    end do
    if (total /= round * sum(x)) error stop "the sum is wrong"
  end do
  print '(i0, a, f0.1)', rounds, " dot products, the last one is ", total
end program
