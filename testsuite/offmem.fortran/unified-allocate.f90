! Allocatables: allocate, deallocate, assignment that allocates, function results,
! and what goes at the end of a scope.
! { dg-do compile }
! { dg-options "-fopenmp -foffload-memory=unified -fdump-tree-offmem" }

module m
  implicit none
contains
  function squares (n) result (a)
    integer, intent(in) :: n
    integer, allocatable :: a(:)
    integer :: i
    allocate (a(n))
    do i = 1, n
      a(i) = i * i
    end do
  end function squares

  subroutine work (n)
    integer, intent(in) :: n
    integer, allocatable :: a(:)
    integer, pointer :: p(:)
    allocate (p(n))
    a = squares (n)
    p = a
    deallocate (p)
  end subroutine work
end module m

! { dg-final { scan-tree-dump {:13: squares: malloc -> offmem_malloc\n} "offmem" } }
! { dg-final { scan-tree-dump {:23: work: malloc -> offmem_malloc\n} "offmem" } }
! { dg-final { scan-tree-dump {:24: work: realloc -> offmem_realloc\n} "offmem" } }
! { dg-final { scan-tree-dump {:24: work: free -> offmem_free\n} "offmem" } }
! { dg-final { scan-tree-dump {:26: work: free -> offmem_free\n} "offmem" } }
! { dg-final { scan-assembler-not {call\s+(?:malloc|realloc|free)\M} } }
