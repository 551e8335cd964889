! allocate with stat= says that there is no memory, and of what is allocated already; nothing
! is harmed.
! { dg-do run }
! { dg-options "-fopenmp -foffload-memory=unified" }
! { dg-copied-bytes 2048 }

program unified_errors
  implicit none
  integer, allocatable :: a(:), b(:)
  integer(8) :: too_much
  integer :: error
  character(100) :: message

  allocate (a(100), source=1)
  too_much = huge (too_much) / 8
  allocate (b(too_much), stat=error, errmsg=message)
  if (error == 0 .or. allocated (b)) stop 1
  allocate (a(5), stat=error)
  if (error == 0 .or. size (a) /= 100) stop 2
  deallocate (b, stat=error)
  if (error == 0) stop 3
  allocate (b(0))
  !$omp target
  a(100) = 2 + size (b)
  !$omp end target
  if (sum (a) /= 101) stop 4
  deallocate (a, b, stat=error)
  if (error /= 0 .or. allocated (a)) stop 5
end program unified_errors
