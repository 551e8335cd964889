! offmem.h for Fortran; see there for what each function does.
!
! SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
!
! gfortran's .mod files differ between its versions, so this is compiled with
! the program, before the files that use it:
!
!   gfortran -fopenmp -foffload-memory=pinned PREFIX/include/offmem.f90 prog.f90
!
! An array with the TARGET attribute:
!
!   use offmem
!   use, intrinsic :: iso_c_binding, only: c_loc, c_sizeof
!   error = offmem_pin (c_loc (x), c_sizeof (x))

module offmem
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_size_t
  implicit none
  private

  public :: offmem_stats
  public :: offmem_is_pinned, offmem_pin, offmem_unpin, offmem_get_stats

  ! Bytes, nanoseconds and counts; Fortran has no unsigned integers.
  type, bind(c) :: offmem_stats
    integer(c_int64_t) :: registered_bytes
    integer(c_int64_t) :: peak_registered_bytes
    integer(c_int64_t) :: limit_bytes
    integer(c_int64_t) :: registrations
    integer(c_int64_t) :: unregistrations
    integer(c_int64_t) :: evictions
    integer(c_int64_t) :: failures
    integer(c_int64_t) :: adoptions
    integer(c_int64_t) :: bytes_to_device_pinned
    integer(c_int64_t) :: bytes_to_device_pageable
    integer(c_int64_t) :: bytes_from_device_pinned
    integer(c_int64_t) :: bytes_from_device_pageable
    integer(c_int64_t) :: register_ns
    integer(c_int64_t) :: unregister_ns
  end type offmem_stats

  interface
    ! 1 if all of the n bytes at p are page-locked for the device, else 0.
    function offmem_is_pinned (p, n) bind(c) result(pinned)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value, intent(in) :: p
      integer(c_size_t), value, intent(in) :: n
      integer(c_int) :: pinned
    end function offmem_is_pinned

    ! Page-locks them; 0 or an errno value.
    function offmem_pin (p, n) bind(c) result(error)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value, intent(in) :: p
      integer(c_size_t), value, intent(in) :: n
      integer(c_int) :: error
    end function offmem_pin

    ! Takes that back; 0 or an errno value.
    function offmem_unpin (p, n) bind(c) result(error)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value, intent(in) :: p
      integer(c_size_t), value, intent(in) :: n
      integer(c_int) :: error
    end function offmem_unpin

    ! Numbers of this process; size is c_sizeof (s). 0 or an errno value.
    function offmem_get_stats (s, size) bind(c) result(error)
      import :: c_int, c_size_t, offmem_stats
      type(offmem_stats), intent(out) :: s
      integer(c_size_t), value, intent(in) :: size
      integer(c_int) :: error
    end function offmem_get_stats
  end interface
end module offmem
