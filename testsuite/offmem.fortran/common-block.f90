! Variables of a common block: static memory that two procedures share.
! { dg-do run }
! { dg-skip-if "GCC 11, stock too, maps the whole block for its first variable" { ! gcc12_or_later } }

subroutine fill
  implicit none
  integer :: a(100), b(100), i
  common /shared/ a, b
  !$omp target map(from: a, b)
  do i = 1, 100
    a(i) = i
    b(i) = -i
  end do
  !$omp end target
end subroutine fill

program common_block
  implicit none
  integer :: a(100), b(100), i
  common /shared/ a, b
  a = 0
  b = 0
  call fill
  if (any (a /= [(i, i = 1, 100)]) .or. any (b /= -a)) stop 1
end program common_block
