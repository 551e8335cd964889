! Sections of allocatable arrays, by rows, with strides and as arguments, beside each other
! and overlapping.
! { dg-do run }
! { dg-options "-fopenmp -foffload-memory=unified" }
! { dg-copied-bytes 8192 }

program unified_sections
  implicit none
  integer, parameter :: n = 80
  integer, allocatable :: m(:,:), v(:)
  integer :: i, k

  allocate (m(n, n), v(1000), source=0)
  !$omp target map(tofrom: v(1:500))
  v(10) = 1
  !$omp end target
  !$omp target map(tofrom: v(250:1000))
  v(251) = 2
  !$omp end target
  !$omp target enter data map(to: v(100:200))
  !$omp target map(tofrom: v)
  v(1000) = v(251) + v(10)
  !$omp end target
  !$omp target exit data map(from: v(100:200))
  if (v(10) /= 1 .or. v(251) /= 2 .or. v(1000) /= 3 .or. sum (v) /= 6) stop 1
  !$omp target map(tofrom: m(:, 3:5))
  do i = 1, n
    m(i, 4) = i
  end do
  !$omp end target
  if (any (m(:, 4) /= [(i, i = 1, n)]) .or. any (m(:, 5) /= 0)) stop 2
  call add (m(:, 10), n)
  call shape (m(:, 20:30))
  call shape (m(2:n:2, 40:50))
  if (any (m(:, 10) /= 1) .or. any (m(:, 20:30) /= 5)) stop 3
  do k = 40, 50
    if (any (m(2:n:2, k) /= 5) .or. any (m(1:n:2, k) /= 0)) stop 4
  end do
contains
  subroutine add (x, length)
    integer, intent(in) :: length
    integer, intent(inout) :: x(length)
    integer :: j
    !$omp target map(tofrom: x)
    do j = 1, length
      x(j) = x(j) + 1
    end do
    !$omp end target
  end subroutine add

  subroutine shape (x)
    integer, intent(inout) :: x(:,:)
    integer :: a, b
    !$omp target map(tofrom: x)
    do b = 1, size (x, 2)
      do a = 1, size (x, 1)
        x(a, b) = 5
      end do
    end do
    !$omp end target
  end subroutine shape
end program unified_sections
