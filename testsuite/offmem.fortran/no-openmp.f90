! A unit without OpenMP constructs gets nothing.
! { dg-do compile }

subroutine nothing (x)
  implicit none
  real, intent(inout) :: x(:)
  x = x + 1
end subroutine nothing

! { dg-final { scan-assembler-not "offmem_" } }
