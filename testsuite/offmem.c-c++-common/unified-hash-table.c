/* A hash table with chains and strings as keys: the device looks up and counts.  */
/* { dg-do run } */
/* { dg-options "-fopenmp -foffload-memory=unified" } */
/* { dg-copied-bytes 1024 } */
/* { dg-additional-options "-Wno-deprecated-openmp" } */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 64, WORDS = 300 };

struct entry
{
  char *key;
  int count;
  struct entry *next;
};

#pragma omp declare target
static unsigned
hash (const char *key)
{
  unsigned h = 5381;
  for (; *key; key++)
    h = h * 33 + (unsigned char) *key;
  return h % BUCKETS;
}

static int
equal (const char *a, const char *b)
{
  for (; *a && *a == *b; a++)
    b++;
  return *a == *b;
}
#pragma omp end declare target

int
main (void)
{
  struct entry **table = (struct entry **) calloc (BUCKETS, sizeof *table);
  char **words = (char **) malloc (2 * WORDS * sizeof *words);
  int missing = 0;

  for (int i = 0; i < 2 * WORDS; i++)
    {
      char word[32];
      snprintf (word, sizeof word, "word-%d", i % 450);
      words[i] = strdup (word);
      if (i < WORDS)
        {
          struct entry *entry = (struct entry *) malloc (sizeof *entry);
          struct entry **bucket = &table[hash (word)];
          entry->key = strdup (word);
          entry->count = 0;
          entry->next = *bucket;
          *bucket = entry;
        }
    }
  #pragma omp target map(tofrom: missing)
  for (int i = 0; i < 2 * WORDS; i++)
    {
      struct entry *p = table[hash (words[i])];
      while (p && !equal (p->key, words[i]))
        p = p->next;
      if (p)
        p->count++;
      else
        missing++;
    }
  int counts[3] = { 0, 0, 0 };
  for (int b = 0; b < BUCKETS; b++)
    for (struct entry *p = table[b], *next; p; p = next)
      {
        next = p->next;
        counts[p->count]++;
        free (p->key);
        free (p);
      }
  /* 0 to 149 are there twice, 150 to 299 once, 300 to 449 never.  */
  if (missing != 150 || counts[0] != 0 || counts[1] != 150 || counts[2] != 150)
    abort ();
  for (int i = 0; i < 2 * WORDS; i++)
    free (words[i]);
  free (words);
  free (table);
  return 0;
}
