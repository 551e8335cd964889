/* Memory that comes and goes unseen: its registration ends with its mapping.  */

#include "common.h"

int
main (int count, char **arguments)
{
  int later = count > 1 && strcmp (arguments[1], "later") == 0;
  unsigned char *p = NULL;
  for (int i = 1; i < 4; i++)
    {
      p = hidden_pages (p);
      memset (p, i, SIZE);
      #pragma omp target enter data map(to: p[0:SIZE])
      #pragma omp target update to(p[0:SIZE])
      expect (i > 1 || offmem_is_pinned (p, SIZE), "it never was registered");
      if (later)
        {
          #pragma omp parallel num_threads(2)
          #pragma omp single
          {
            #pragma omp task depend(out: p[0])
            usleep (20000);
            #pragma omp target exit data map(release: p[0:SIZE]) nowait depend(in: p[0])
          }
        }
      else
        {
          #pragma omp target exit data map(release: p[0:SIZE])
        }
      /* The next ones, in the same place.  */
      p = hidden_pages (p);
      memset (p, i + 100, SIZE);
      expect (read_there (p) == i + 100, "the device read pages that are gone");
    }
  return 0;
}
