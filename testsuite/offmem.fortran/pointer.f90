! A pointer to a section of an array: only the section is mapped.
! { dg-do run }

program pointer_section
  implicit none
  integer, target :: x(1000)
  integer, pointer :: p(:)
  integer :: i

  x = [(i, i = 1, 1000)]
  p => x(301:400)
  !$omp target map(tofrom: p)
  do i = 1, size (p)
    p(i) = -p(i)
  end do
  !$omp end target

  do i = 1, 1000
    if (x(i) /= merge (-i, i, i > 300 .and. i <= 400)) stop 1
  end do
end program pointer_section
