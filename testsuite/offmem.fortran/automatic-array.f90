! Automatic arrays, whose size is known only in the call, on the stack or heap.
! { dg-do run }

program automatic
  implicit none
  integer :: n
  do n = 1, 100001, 20000
    call work (n)
  end do
contains
  subroutine work (n)
    integer, intent(in) :: n
    integer :: x(n), i

    x = n
    !$omp target map(tofrom: x)
    do i = 1, n
      x(i) = x(i) - i
    end do
    !$omp end target
    do i = 1, n
      if (x(i) /= n - i) stop 1
    end do
  end subroutine work
end program automatic
