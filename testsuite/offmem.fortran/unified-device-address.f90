! use_device_ptr, use_device_addr and pointers that are passed to C-like code.
! { dg-do run }
! { dg-options "-fopenmp -foffload-memory=unified" }
! { dg-additional-options "-Wno-deprecated-openmp" }
! { dg-copied-bytes 4096 }

program unified_device_address
  use iso_c_binding
  implicit none
  integer, parameter :: n = 2500
  real, allocatable, target :: a(:)
  real, pointer :: p(:)
  type(c_ptr) :: raw
  integer(c_intptr_t) :: here

  allocate (a(n), source=1.0)
  allocate (p(n), source=2.0)
  here = loc (a)
  !$omp target data map(tofrom: a) use_device_addr(a)
  if (loc (a) /= here) stop 1
  !$omp end target data
  !$omp target data map(tofrom: p) use_device_ptr(p)
  if (p(1) /= 2) stop 2
  call double (c_loc (p), n)
  !$omp end target data
  if (any (p /= 4)) stop 3
  raw = c_loc (a)
  call double (raw, n)
  if (any (a /= 2)) stop 4
  call double (c_loc (a(n / 2 + 1)), n / 2)
  if (any (a(:n / 2) /= 2) .or. any (a(n / 2 + 1:) /= 4)) stop 5
  deallocate (p)
contains
  subroutine double (address, length)
    type(c_ptr), value :: address
    integer, intent(in) :: length
    real, pointer :: x(:)
    integer :: i
    !$omp target private(x)
    call c_f_pointer (address, x, [length])
    do i = 1, length
      x(i) = 2 * x(i)
    end do
    !$omp end target
  end subroutine double
end program unified_device_address
