! The four STREAM loops over allocatable arrays: each loop must see what the one
! before it wrote, and the host the last result.
! { dg-do run }

program stream
  implicit none
  integer, parameter :: n = 100000
  double precision, parameter :: s = 3
  double precision, allocatable :: a(:), b(:), c(:)
  integer :: i

  allocate (a(n), b(n), c(n))
  a = [(i, i = 1, n)]
  b = 2
  c = 0

  ! Copy.
  !$omp target teams distribute parallel do map(to: a) map(from: c)
  do i = 1, n
    c(i) = a(i)
  end do

  ! Scale.
  !$omp target teams distribute parallel do map(to: c) map(from: b)
  do i = 1, n
    b(i) = s * c(i)
  end do

  ! Add.
  !$omp target teams distribute parallel do map(to: a, b) map(from: c)
  do i = 1, n
    c(i) = a(i) + b(i)
  end do

  ! Triad.
  !$omp target teams distribute parallel do map(to: b, c) map(from: a)
  do i = 1, n
    a(i) = b(i) + s * c(i)
  end do

  do i = 1, n
    if (b(i) /= 3 * i .or. c(i) /= 4 * i .or. a(i) /= 15 * i) stop 1
  end do
end program stream
