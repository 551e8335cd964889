! Every construct that handles memory is redirected; the dump names procedure and
! variables.
! { dg-do compile }
! { dg-additional-options "-fdump-tree-offmem" }

subroutine work (x, n)
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: x(n)
  integer :: i

  !$omp target enter data map(to: x)
  !$omp target data map(tofrom: x)
  !$omp target
  do i = 1, n
    x(i) = i
  end do
  !$omp end target
  !$omp end target data
  !$omp target update from(x)
  !$omp target exit data map(release: x)
end subroutine work

! { dg-final { scan-tree-dump {redirect\.f90:12: work: GOMP_target_enter_exit_data -> offmem_GOMP_target_enter_exit_data \([^\n]*x} "offmem" } }
! { dg-final { scan-tree-dump {work: GOMP_target_data_ext -> offmem_GOMP_target_data_ext} "offmem" } }
! { dg-final { scan-tree-dump {work: GOMP_target_ext -> offmem_GOMP_target_ext} "offmem" } }
! { dg-final { scan-tree-dump {work: GOMP_target_update_ext -> offmem_GOMP_target_update_ext \([^\n]*x} "offmem" } }
! { dg-final { scan-tree-dump {work: GOMP_target_end_data -> offmem_GOMP_target_end_data} "offmem" } }
! { dg-final { scan-tree-dump-times {GOMP_target_enter_exit_data ->} 2 "offmem" } }
