#include "../../offmem.c/aux/managed.h"

void *
new_managed (size_t size)
{
  return managed (size);
}
