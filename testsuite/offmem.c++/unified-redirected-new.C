// Every replaceable operator is redirected; a class's own and placement new are
// left alone, and so is the address of one.
// { dg-do compile }
// { dg-options "-O0 -std=c++17 -fopenmp -foffload-memory=unified -fdump-tree-offmem" }

#include <new>

struct Own
{
  static void *operator new (std::size_t);
  static void operator delete (void *);
  int x;
};

struct alignas (128) Wide
{
  char c[128];
};

void *(*address) (std::size_t) = &::operator new;

void
call (void *place)
{
  delete new int;
  delete[] new int[3];
  delete new (std::nothrow) int;
  delete[] new (std::nothrow) int[3];
  delete new Wide;
  delete[] new Wide[3];
  delete new (std::nothrow) Wide;
  delete[] new (std::nothrow) Wide[3];
  delete new Own;
  new (place) int;
  ::operator delete (place);
  ::operator delete (place, std::nothrow);
}

// { dg-final { scan-tree-dump {unified-redirected-new\.C:25: [^\n]*: _Znwm -> offmem__Znwm\n} "offmem" } }
// { dg-final { scan-tree-dump {:25: [^\n]*: _ZdlPvm -> offmem__ZdlPvm\n} "offmem" } }
// { dg-final { scan-tree-dump {:26: [^\n]*: _Znam -> offmem__Znam\n} "offmem" } }
// { dg-final { scan-tree-dump {:26: [^\n]*: _ZdaPv -> offmem__ZdaPv\n} "offmem" } }
// { dg-final { scan-tree-dump {:27: [^\n]*: _ZnwmRKSt9nothrow_t -> offmem__ZnwmRKSt9nothrow_t\n} "offmem" } }
// { dg-final { scan-tree-dump {:28: [^\n]*: _ZnamRKSt9nothrow_t -> offmem__ZnamRKSt9nothrow_t\n} "offmem" } }
// { dg-final { scan-tree-dump {:29: [^\n]*: _ZnwmSt11align_val_t -> offmem__ZnwmSt11align_val_t\n} "offmem" } }
// { dg-final { scan-tree-dump {:29: [^\n]*: _ZdlPvmSt11align_val_t -> offmem__ZdlPvmSt11align_val_t\n} "offmem" } }
// { dg-final { scan-tree-dump {:30: [^\n]*: _ZnamSt11align_val_t -> offmem__ZnamSt11align_val_t\n} "offmem" } }
// { dg-final { scan-tree-dump {:31: [^\n]*: _ZnwmSt11align_val_tRKSt9nothrow_t -> offmem__ZnwmSt11align_val_tRKSt9nothrow_t\n} "offmem" } }
// { dg-final { scan-tree-dump {:32: [^\n]*: _ZnamSt11align_val_tRKSt9nothrow_t -> offmem__ZnamSt11align_val_tRKSt9nothrow_t\n} "offmem" } }
// { dg-final { scan-tree-dump {:35: [^\n]*: _ZdlPv -> offmem__ZdlPv\n} "offmem" } }
// { dg-final { scan-tree-dump {:36: [^\n]*: _ZdlPvRKSt9nothrow_t -> offmem__ZdlPvRKSt9nothrow_t\n} "offmem" } }
// { dg-final { scan-tree-dump-not {unified-redirected-new\.C:3[34]: } "offmem" } }
// { dg-final { scan-assembler {\.quad\s+_Znwm} } }
