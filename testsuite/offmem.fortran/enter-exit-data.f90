! Allocatable arrays between "enter data" and "exit data" in different
! procedures, with an update in between.
! { dg-do run }

module storage
  implicit none
  integer, allocatable :: x(:)
contains
  subroutine start (n)
    integer, intent(in) :: n
    allocate (x(n))
    x = 1
    !$omp target enter data map(to: x)
  end subroutine start

  subroutine finish
    !$omp target exit data map(from: x)
  end subroutine finish
end module storage

program enter_exit
  use storage
  implicit none
  integer :: i

  call start (3000)
  !$omp target map(alloc: x)
  do i = 1, size (x)
    x(i) = x(i) + i
  end do
  !$omp end target
  !$omp target update from(x(1:10))
  if (any (x(1:10) /= [(i + 1, i = 1, 10)])) stop 1
  call finish
  do i = 1, 3000
    if (x(i) /= i + 1) stop 2
  end do
  deallocate (x)
end program enter_exit
