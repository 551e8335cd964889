! "target data" with use_device_addr: inside, the array is the device's.
! { dg-do run }
! { dg-skip-if "no omp_target_memcpy in omp_lib of GCC 11" { ! gcc12_or_later } }

program use_device
  use omp_lib
  use iso_c_binding
  implicit none
  integer(c_int), target :: x(512), copy(512)
  integer :: i, status

  x = [(i, i = 1, 512)]
  copy = 0
  !$omp target data map(to: x)
  !$omp target
  x = 2 * x
  !$omp end target
  !$omp target data use_device_addr(x)
  status = omp_target_memcpy (c_loc (copy), c_loc (x), c_sizeof (copy), 0_c_size_t, &
                              0_c_size_t, omp_get_initial_device (), omp_get_default_device ())
  !$omp end target data
  !$omp end target data

  if (status /= 0) stop 1
  do i = 1, 512
    if (copy(i) /= 2 * i) stop 2
  end do
end program use_device
