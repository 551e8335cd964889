! The module offmem: interfaces and a type that agree with offmem.h.
! { dg-do run }
! { dg-additional-options "-cpp" }

#include "offmem.f90"

program api
  use offmem
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_loc, c_null_ptr, c_sizeof, c_size_t
  implicit none
  integer(c_int), parameter :: einval = 22
  type(offmem_stats) :: stats
  integer, target :: x(100000)
  integer :: i

  if (c_sizeof (x) /= 400000) stop 1
  if (offmem_pin (c_null_ptr, 1_c_size_t) /= einval) stop 2
  if (offmem_pin (c_loc (x), 0_c_size_t) /= einval) stop 3
  if (offmem_unpin (c_null_ptr, c_sizeof (x)) /= einval) stop 4
  if (offmem_is_pinned (c_loc (x), 0_c_size_t) /= 0) stop 5

  !$omp target map(from: x)
  do i = 1, 100000
    x(i) = i
  end do
  !$omp end target
  if (x(100000) /= 100000) stop 6

  stats%unregister_ns = -1
  if (offmem_get_stats (stats, c_sizeof (stats)) /= 0) stop 7
  if (stats%unregister_ns < 0_c_int64_t) stop 8
  if (stats%registered_bytes > stats%peak_registered_bytes) stop 9
  if (offmem_get_stats (stats, 1_c_size_t) /= einval) stop 10
end program api
