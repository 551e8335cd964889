! Polymorphic objects of types found at run time, which the device gets by a name of that
! type.
! { dg-do run }
! { dg-options "-fopenmp -foffload-memory=unified" }
! { dg-copied-bytes 8192 }

module shapes
  implicit none
  type, abstract :: shape
    real, allocatable :: points(:)
  end type shape
  type, extends(shape) :: line
    real :: length = 0
  end type line
  type, extends(shape) :: curve
    integer :: order = 0
    real, allocatable :: weights(:)
  end type curve
contains
  subroutine measure (l)
    type(line), intent(inout) :: l
    integer :: i
    !$omp target
    do i = 1, size (l%points)
      l%length = l%length + l%points(i)
      l%points(i) = 0
    end do
    !$omp end target
  end subroutine measure

  subroutine weigh (c)
    type(curve), intent(inout) :: c
    integer :: i
    !$omp target
    c%order = size (c%weights)
    do i = 1, c%order
      c%weights(i) = c%points(i) + 1
    end do
    !$omp end target
  end subroutine weigh
end module shapes

program unified_polymorphic
  use shapes
  implicit none
  type :: holder
    class(shape), allocatable :: s
  end type holder
  type(holder) :: all(6)
  class(*), allocatable :: any_thing
  integer :: i, k

  do i = 1, 6
    if (mod (i, 2) == 1) then
      allocate (line :: all(i)%s)
    else
      allocate (curve :: all(i)%s)
    end if
    all(i)%s%points = [(real (k), k = 1, 100 * i)]
  end do
  do i = 1, 6
    select type (s => all(i)%s)
    type is (line)
      call measure (s)
      if (s%length /= 50 * i * (100 * i + 1) .or. any (s%points /= 0)) stop 1
    type is (curve)
      allocate (s%weights(100))
      call weigh (s)
      if (s%order /= 100 .or. any (s%weights /= [(k + 1, k = 1, 100)])) stop 2
    end select
  end do
  allocate (any_thing, source=all(2)%s)
  select type (any_thing)
  type is (curve)
    call weigh (any_thing)
    if (any_thing%weights(100) /= 101) stop 3
  class default
    stop 4
  end select
end program unified_polymorphic
