! The PTX beside this file: see README.md.
program numbers
  implicit none
  integer, parameter :: n = 100
  complex(8) :: z(n)
  real(4) :: x(n)
  integer(8) :: i, total
  x = 1
  total = 0
  !$omp target teams distribute parallel do reduction(+: total) map(tofrom: x, z)
  do i = 1, n
    x(i) = sin(x(i)) + anint(real(i, 4) / 3)
    z(i) = cmplx(x(i), i, 8)
    total = total + nint(abs(z(i)), 8) + ishft(i, 3)
  end do
end program
