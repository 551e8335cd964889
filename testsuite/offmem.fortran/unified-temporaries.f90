! Temporaries that the compiler makes, internal files, strings and formatted reading: memory
! that libgfortran takes and we free, and the other way.
! { dg-do run }
! { dg-options "-fopenmp -foffload-memory=unified" }
! { dg-copied-bytes 8192 }

program unified_temporaries
  implicit none
  real, allocatable :: a(:,:), b(:,:), c(:,:)
  character(:), allocatable :: text, line
  integer :: i, unit, k

  allocate (a(40, 40), b(40, 40))
  call random_number (a)
  b = 0
  do i = 1, 40
    b(i, i) = 2
  end do
  do i = 1, 5
    ! From libgfortran.
    c = matmul (transpose (a), b)
    a = reshape (c, [40, 40], order=[2, 1])
    !$omp target
    a(1, 1) = a(1, 1) / 2
    a(2, 2) = i
    !$omp end target
    if (a(2, 2) /= i .or. any (a(3:, 3:) /= c(3:, 3:) .and. a(3:, 3:) < 0)) stop 1
  end do
  text = ''
  do i = 1, 200
    text = text // achar (iachar ('a') + mod (i, 26))
  end do
  text = trim (adjustl (repeat (text, 20)) // '   ')
  k = 0
  !$omp target map(to: text) map(tofrom: k)
  do i = 1, len (text)
    if (text(i:i) == 'a') k = k + 1
  end do
  !$omp end target
  if (len (text) /= 4000 .or. k /= 7 * 20) stop 2
  open (newunit=unit, status='scratch', action='readwrite')
  write (unit, '(a)') text
  write (unit, *) c(1:3, 1)
  rewind (unit)
  allocate (character(5000) :: line)
  read (unit, '(a)') line
  if (trim (line) /= text) stop 3
  read (unit, *) b(1:3, 1)
  if (any (abs (b(1:3, 1) - c(1:3, 1)) > 1e-4 * abs (c(1:3, 1)))) stop 4
  close (unit)
  line = line(4001:)
  deallocate (text, line)
end program unified_temporaries
