! Module variables and procedures that exist on the device as well.
! { dg-do run }

module tables
  implicit none
  integer :: table(128)
  !$omp declare target (table)
contains
  integer function look_up (i)
    !$omp declare target
    integer, intent(in) :: i
    look_up = table(i)
  end function look_up
end module tables

program module_declare_target
  use tables
  implicit none
  integer :: i, total

  table = [(i, i = 1, 128)]
  !$omp target update to(table)
  total = 0
  !$omp target map(tofrom: total)
  do i = 1, 128
    total = total + look_up (i)
    table(i) = 0
  end do
  !$omp end target
  !$omp target update from(table)
  if (total /= 8256 .or. any (table /= 0)) stop 1
end program module_declare_target
