! Pinning memory that host and device share anyway makes no sense.
! { dg-do compile { target gcc13_or_later } }

subroutine work
  !$omp requires unified_shared_memory
end subroutine work

! { dg-error "unified_shared_memory.* is incompatible with the selected .*-foffload-memory" "" { target *-*-* } 0 }
