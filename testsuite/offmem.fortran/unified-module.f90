! Allocatables of modules, with and without declare target, saved ones, and the ends of
! scopes.
! { dg-do run }
! { dg-options "-fopenmp -foffload-memory=unified" }
! { dg-copied-bytes 8192 }

module state
  implicit none
  real, allocatable :: field(:)
  real, pointer :: view(:) => null ()
  integer :: steps = 0
  !$omp declare target (steps)
contains
  subroutine start (n)
    integer, intent(in) :: n
    if (.not. allocated (field)) allocate (field(n))
    field = 0
    allocate (view(n))
    view = 1
  end subroutine start

  subroutine step ()
    integer :: i
    real, allocatable :: change(:)
    real, allocatable, save :: history(:)
    ! Freed when this scope ends.
    allocate (change(size (field)))
    change = view
    if (.not. allocated (history)) allocate (history(size (field)), source=0.0)
    !$omp target
    steps = steps + 1
    do i = 1, size (field)
      history(i) = history(i) + change(i)
      field(i) = history(i)
      view(i) = 2 * view(i)
    end do
    !$omp end target
  end subroutine step
end module state

program unified_module
  use state
  implicit none
  integer :: round
  call start (2000)
  do round = 1, 6
    call step ()
    if (any (field /= 2.0 ** round - 1)) stop 1
  end do
  if (any (view /= 64)) stop 2
  !$omp target update from(steps)
  if (steps /= 6) stop 3
  call scope ()
  deallocate (view)
contains
  subroutine scope ()
    integer, allocatable :: a(:)
    integer :: i, total
    do i = 1, 30
      block
        integer, allocatable :: b(:)
        allocate (b(1000 * i), source=i)
        total = 0
        !$omp target map(tofrom: total)
        total = b(1) + b(1000 * i)
        !$omp end target
        if (total /= 2 * i) stop 4
        if (i == 30) a = b
      end block
    end do
    if (sum (a) /= 900000) stop 5
  end subroutine scope
end program unified_module
