! A dot product of two allocatable arrays, reduced on the device.

program dot
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, parameter :: n = 2000000
  real(real64), allocatable :: x(:), y(:)
  real(real64) :: total
  integer :: i

  allocate (x(n), y(n))
  do i = 1, n
    x(i) = mod(i, 7)
  end do
  y = 2
  total = 0
  !$omp target teams distribute parallel do reduction(+: total) map(to: x, y) map(tofrom: total)
  do i = 1, n
    total = total + x(i) * y(i)
  end do
  if (total /= 2 * sum(x)) error stop "the sum is wrong"
  print '(a, f0.1, a, i0, a)', "dot product ", total, "; ", locked_kib(), " KiB of memory are locked"

contains

  ! proc(5), VmLck
  integer function locked_kib()
    character(len=128) :: line
    integer :: unit, status
    locked_kib = -1
    open (newunit=unit, file="/proc/self/status", action="read")
    do
      read (unit, '(a)', iostat=status) line
      if (status /= 0) exit
      if (line(1:6) == "VmLck:") read (line(7:index(line, "kB") - 1), *) locked_kib
    end do
    close (unit)
  end function
end program
