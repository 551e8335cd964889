! Character strings, alone and in arrays.
! { dg-do run }

program characters
  implicit none
  character(len=12) :: word
  character(len=1) :: letters(26)
  integer :: i

  word = 'device memor'
  letters = [(achar (iachar ('a') + i), i = 0, 25)]
  !$omp target map(tofrom: word, letters)
  word(1:6) = 'pinned'
  do i = 1, 26
    letters(i) = achar (iachar (letters(i)) - 32)
  end do
  !$omp end target
  if (word /= 'pinned memor') stop 1
  do i = 1, 26
    if (letters(i) /= achar (iachar ('A') + i - 1)) stop 2
  end do
end program characters
