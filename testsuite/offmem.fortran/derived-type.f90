! A derived type whose allocatable components are passed on and mapped as arrays.
! { dg-do run }

module fields
  implicit none
  type :: field
    integer :: n
    real, allocatable :: values(:), weights(:)
  end type field
contains
  subroutine create (f, n)
    type(field), intent(out) :: f
    integer, intent(in) :: n
    f%n = n
    allocate (f%values(n), f%weights(n))
    f%values = 1
    f%weights = 2
  end subroutine create

  subroutine weigh (n, values, weights)
    integer, intent(in) :: n
    real, intent(inout) :: values(n)
    real, intent(in) :: weights(n)
    integer :: i
    !$omp target map(tofrom: values) map(to: weights)
    do i = 1, n
      values(i) = values(i) * weights(i) + i
    end do
    !$omp end target
  end subroutine weigh
end module fields

program derived_type
  use fields
  implicit none
  type(field) :: f
  integer :: round, i

  do round = 1, 5
    call create (f, 1000 * round)
    call weigh (f%n, f%values, f%weights)
    do i = 1, f%n
      if (f%values(i) /= 2.0 + i) stop 1
    end do
  end do
end program derived_type
