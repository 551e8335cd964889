! Memory from a function in C, by way of a pointer.
! { dg-do run }
! { dg-additional-sources "aux/c-helper.c" }

program c_helper
  use iso_c_binding
  implicit none
  interface
    function make (n) bind(c)
      import :: c_ptr, c_int
      integer(c_int), value :: n
      type(c_ptr) :: make
    end function make
    subroutine give_back (p) bind(c)
      import :: c_ptr
      type(c_ptr), value :: p
    end subroutine give_back
  end interface
  type(c_ptr) :: p
  integer(c_int), pointer :: x(:)
  integer :: i

  p = make (1000_c_int)
  call c_f_pointer (p, x, [1000])
  !$omp target map(tofrom: x)
  do i = 1, 1000
    x(i) = x(i) * 2
  end do
  !$omp end target
  do i = 1, 1000
    if (x(i) /= 2 * (i - 1)) stop 1
  end do
  call give_back (p)
end program c_helper
