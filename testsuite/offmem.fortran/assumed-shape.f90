! Assumed-shape dummy arguments: the bounds come from the descriptor.
! { dg-do run }

module kernels
  implicit none
contains
  subroutine transpose_add (a, b)
    real, intent(in) :: a(:, :)
    real, intent(inout) :: b(:, :)
    integer :: i, j

    !$omp target teams distribute parallel do collapse(2) map(to: a) map(tofrom: b)
    do j = 1, size (a, 2)
      do i = 1, size (a, 1)
        b(j, i) = b(j, i) + a(i, j)
      end do
    end do
  end subroutine transpose_add
end module kernels

program assumed_shape
  use kernels
  implicit none
  real :: a(30, 40), b(40, 30)
  integer :: i, j

  do j = 1, 40
    do i = 1, 30
      a(i, j) = 100 * i + j
    end do
  end do
  b = 0.5
  call transpose_add (a, b)
  do j = 1, 40
    do i = 1, 30
      if (b(j, i) /= a(i, j) + 0.5) stop 1
    end do
  end do
end program assumed_shape
