// What operators new and delete become in unified mode, counted.

#include <new>

volatile int news, deletes;

extern "C" void *
offmem__Znwm (std::size_t size)
{
  void *p = ::operator new (size);
  news = news + 1;
  return p;
}

extern "C" void
offmem__ZdlPvm (void *p, std::size_t size)
{
  deletes = deletes + 1;
  ::operator delete (p, size);
}

extern "C" void
offmem__ZdlPv (void *p)
{
  deletes = deletes + 1;
  ::operator delete (p);
}
