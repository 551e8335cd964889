! Pinning memory that host and device share anyway makes no sense.  A unit that never offloads
! asks for nothing.
! { dg-do compile { target gcc13_or_later } }

subroutine increment (x)
  !$omp requires unified_shared_memory
  integer :: x
  !$omp target map(x) ! { dg-error "unified_shared_memory.* is incompatible with the selected .*-foffload-memory" }
  x = x + 1
  !$omp end target
end subroutine increment
