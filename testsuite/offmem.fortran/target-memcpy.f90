! omp_target_alloc and omp_target_memcpy through iso_c_binding.
! { dg-do run }
! { dg-skip-if "no omp_target_memcpy in omp_lib of GCC 11" { ! gcc12_or_later } }
! { dg-no-kernel "copies only" }

program target_memcpy
  use omp_lib
  use iso_c_binding
  implicit none
  integer, parameter :: n = 1500
  real(c_double), target :: x(n), y(n)
  type(c_ptr) :: d
  integer(c_int) :: device, host
  integer(c_size_t) :: bytes
  integer :: i

  device = omp_get_default_device ()
  host = omp_get_initial_device ()
  x = [(i, i = 1, n)]
  y = 0
  bytes = n * c_sizeof (x(1))
  d = omp_target_alloc (bytes, device)
  if (.not. c_associated (d)) stop 1
  if (omp_target_memcpy (d, c_loc (x), bytes, 0_c_size_t, 0_c_size_t, device, host) /= 0) stop 2
  if (omp_target_memcpy (c_loc (y), d, bytes, 0_c_size_t, 0_c_size_t, host, device) /= 0) stop 3
  call omp_target_free (d, device)
  if (any (x /= y)) stop 4
end program target_memcpy
