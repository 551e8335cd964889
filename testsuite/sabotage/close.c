/* Memory is allocated after the driver has ended.  */

#include <stdlib.h>
#include <unistd.h>

__attribute__ ((destructor)) static void
end (void)
{
  if (write (2, "the end\n", 8) != 8)
    abort ();
  volatile char *p = malloc (100 << 20);
  p[0] = 1;
  free ((void *) p);
}

int
main (void)
{
  unsigned char *p = malloc (8 << 20);
  #pragma omp target
  p[0] = 1;
  return 0;
}
