! map(always), target update and omp_target_memcpy of allocatables have nothing to copy.
! { dg-do run }
! { dg-skip-if "no omp_target_memcpy in omp_lib of GCC 11" { ! gcc12_or_later } }
! { dg-options "-fopenmp -foffload-memory=unified" }
! { dg-copied-bytes 8192 }

program unified_always
  use omp_lib
  use iso_c_binding
  implicit none
  integer, parameter :: n = 4000
  real(8), allocatable, target :: a(:), b(:)
  integer :: i, error, device, host

  allocate (a(n), b(n))
  a = 1
  device = omp_get_default_device ()
  host = omp_get_initial_device ()
  !$omp target enter data map(always, to: a)
  a(1) = 2
  !$omp target update to(a)
  !$omp target map(always, tofrom: a)
  do i = 1, n
    a(i) = a(i) + 1
  end do
  !$omp end target
  !$omp target update from(a(1:10))
  !$omp target update to(a(11:n)) nowait
  !$omp taskwait
  if (a(1) /= 3 .or. any (a(2:) /= 2)) stop 1
  !$omp target exit data map(always, from: a)
  if (a(1) /= 3 .or. any (a(2:) /= 2)) stop 2
  b = 0
  error = omp_target_memcpy (c_loc (b), c_loc (a), 8_c_size_t * n, 0_c_size_t, 0_c_size_t, device, host)
  if (error /= 0 .or. any (a /= b)) stop 3
  error = omp_target_memcpy (c_loc (a), c_loc (a), 8_c_size_t * n, 0_c_size_t, 0_c_size_t, host, device)
  if (error /= 0 .or. any (a /= b)) stop 4
end program unified_always
