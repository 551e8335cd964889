! move_alloc hands over memory, with its address, while it is mapped too.
! { dg-do run }
! { dg-options "-fopenmp -foffload-memory=unified" }
! { dg-copied-bytes 4096 }

program unified_move_alloc
  use iso_c_binding, only: c_intptr_t
  implicit none
  integer, allocatable :: a(:), b(:)
  integer(c_intptr_t) :: first, there
  integer :: i, round

  allocate (a(3000))
  a = [(i, i = 1, 3000)]
  first = loc (a)
  !$omp target enter data map(to: a)
  do round = 1, 4
    call move_alloc (a, b)
    if (allocated (a) .or. loc (b) /= first) stop 1
    !$omp target map(from: there) map(tofrom: b)
    there = loc (b)
    do i = 1, size (b)
      b(i) = b(i) + 1
    end do
    !$omp end target
    if (there /= first) stop 2
    call move_alloc (b, a)
  end do
  !$omp target exit data map(delete: a)
  if (any (a /= [(i + 4, i = 1, 3000)])) stop 3

  ! As arrays are made to grow.
  do round = 1, 5
    allocate (b(2 * size (a)))
    b(:size (a)) = a
    b(size (a) + 1:) = round
    call move_alloc (b, a)
    !$omp target
    a(size (a)) = a(size (a)) + 10
    !$omp end target
    if (a(size (a)) /= round + 10 .or. a(1) /= 5) stop 4
  end do
end program unified_move_alloc
