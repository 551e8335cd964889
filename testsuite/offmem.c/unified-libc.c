/* What libc allocates for us and sorts for us: getline, open_memstream, asprintf, qsort, tsearch,
   getcwd and scandir, whose memory we free, and our memory that libc reads and writes.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 4096 } */
/* { dg-additional-options "-D_GNU_SOURCE" } */

#include <dirent.h>
#include <search.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../offmem.c-c++-common/unified.h"

enum { N = 2000 };

static int
ascending (const void *a, const void *b)
{
  int x = *(const int *) a, y = *(const int *) b;
  return (x > y) - (x < y);
}

int
main (void)
{
  int *numbers = malloc (N * sizeof *numbers), out_of_order = 0;
  for (int i = 0; i < N; i++)
    numbers[i] = i * 1237 % N;
  qsort (numbers, N, sizeof *numbers, ascending);
  #pragma omp target map(tofrom: out_of_order)
  for (int i = 0; i < N; i++)
    {
      out_of_order += numbers[i] != i;
      numbers[i] = N - numbers[i];
    }
  qsort (numbers, N, sizeof *numbers, ascending);
  if (out_of_order || numbers[0] != 1 || numbers[N - 1] != N)
    abort ();

  FILE *file = tmpfile ();
  for (int i = 0; i < 200; i++)
    fprintf (file, "%0*d\n", i + 1, i);
  rewind (file);
  size_t room = 10;
  /* getline makes ours larger.  */
  char *line = malloc (room), *none = NULL;
  for (int i = 0; i < 200; i++)
    if (getline (&line, &room, file) != i + 2 || atoi (line) != i)
      abort ();
  rewind (file);
  room = 0;
  if (getline (&none, &room, file) != 2)
    abort ();
  free (line);
  free (none);
  fclose (file);

  char *text = NULL, *same = NULL;
  size_t length = 0;
  FILE *stream = open_memstream (&text, &length);
  for (int i = 0; i < 3000; i++)
    fputs ("0123456789", stream);
  fclose (stream);
  if (length != 30000 || text[29999] != '9')
    abort ();
  text = realloc (text, 60000);
  if (asprintf (&same, "%.20s", text) != 20 || strcmp (same, "01234567890123456789") != 0)
    abort ();
  free (text);
  free (same);

  void *root = NULL;
  for (int i = 0; i < N; i++)
    tsearch (&numbers[i], &root, ascending);
  while (root)
    tdelete (*(int **) root, &root, ascending);

  char *folder = getcwd (NULL, 0);
  struct dirent **entries = NULL;
  int count = scandir (folder, &entries, NULL, alphasort);
  if (count < 2)
    abort ();
  for (int i = 0; i < count; i++)
    free (entries[i]);
  free (entries);
  free (folder);
  expect_shared (numbers, N * sizeof *numbers);
  free (numbers);
  return 0;
}
