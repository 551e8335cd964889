! Objects with allocatable components, nested and in arrays, are followed by the device
! without a word about the components.
! { dg-do run }
! { dg-options "-fopenmp -foffload-memory=unified" }
! { dg-copied-bytes 4096 }

module trees
  implicit none
  type :: leaf
    real, allocatable :: values(:)
  end type leaf
  type :: branch
    integer :: n = 0
    type(leaf), allocatable :: leaves(:)
  end type branch
contains
  subroutine grow (b, n)
    type(branch), intent(out) :: b
    integer, intent(in) :: n
    integer :: i
    b%n = n
    allocate (b%leaves(n))
    do i = 1, n
      allocate (b%leaves(i)%values(10 * i))
      b%leaves(i)%values = i
    end do
  end subroutine grow
end module trees

program unified_components
  use trees
  implicit none
  type(branch) :: b
  type(branch), allocatable :: copy, forest(:)
  integer :: i, k
  real :: total

  call grow (b, 20)
  total = 0
  !$omp target map(tofrom: total)
  do i = 1, b%n
    do k = 1, size (b%leaves(i)%values)
      total = total + b%leaves(i)%values(k)
      b%leaves(i)%values(k) = k
    end do
  end do
  !$omp end target
  if (total /= 10 * sum ([(i * i, i = 1, 20)])) stop 1
  do i = 1, 20
    if (any (b%leaves(i)%values /= [(k, k = 1, 10 * i)])) stop 2
  end do

  ! A deep copy has memory of its own, where the device finds it.
  allocate (copy)
  copy = b
  !$omp target
  copy%leaves(20)%values(200) = -1
  !$omp end target
  if (copy%leaves(20)%values(200) /= -1 .or. b%leaves(20)%values(200) /= 200) stop 3

  allocate (forest(5))
  do i = 1, 5
    call grow (forest(i), i)
  end do
  !$omp target
  do i = 1, 5
    forest(i)%leaves(i)%values(1) = 100 * i
  end do
  !$omp end target
  do i = 1, 5
    if (forest(i)%leaves(i)%values(1) /= 100 * i) stop 4
  end do
end program unified_components
