! A list linked by pointers, each node allocated by itself, is walked and changed by the
! device.
! { dg-do run }
! { dg-options "-fopenmp -foffload-memory=unified" }
! { dg-copied-bytes 4096 }

program unified_pointer_list
  implicit none
  type :: node
    integer :: value
    type(node), pointer :: next => null ()
  end type node
  integer, parameter :: n = 400
  type(node), pointer :: head, p
  integer, pointer :: scalar, part(:)
  integer, allocatable, target :: whole(:)
  integer :: i, total

  nullify (head)
  do i = 1, n
    allocate (p)
    p%value = i
    p%next => head
    head => p
  end do
  total = 0
  !$omp target map(tofrom: total) private(p)
  p => head
  do while (associated (p))
    total = total + p%value
    p%value = -p%value
    p => p%next
  end do
  !$omp end target
  if (total /= n * (n + 1) / 2) stop 1
  do i = n, 1, -1
    if (head%value /= -i) stop 2
    p => head%next
    deallocate (head)
    head => p
  end do
  if (associated (head)) stop 3

  allocate (scalar, whole(1000))
  scalar = 5
  whole = 1
  part => whole(101:1000:2)
  !$omp target
  scalar = scalar + 1
  part(2) = scalar
  !$omp end target
  if (scalar /= 6 .or. whole(103) /= 6 .or. sum (whole) /= 1005) stop 4
  deallocate (scalar)
end program unified_pointer_list
