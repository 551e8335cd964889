/* Gravity between bodies, structures of arrays of structures kept on the device:
   momentum is conserved.  */
/* { dg-do run } */
/* { dg-additional-options "-foffload=-lm" } */

#include <math.h>
#include <stdlib.h>

#define N 128

struct body
{
  double x[3], v[3], mass;
};

int
main (void)
{
  struct body *body = (struct body *) calloc (N, sizeof *body);
  double energy_of_motion = 0.0;

  for (int i = 0; i < N; i++)
    {
      body[i].x[0] = i % 8;
      body[i].x[1] = i / 8 % 4;
      body[i].x[2] = i / 32;
      body[i].mass = 1.0 + i % 3;
    }

  #pragma omp target data map(tofrom: body[0:N])
  for (int step = 0; step < 5; step++)
    {
      #pragma omp target teams distribute parallel for
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
          {
            double d[3], r2 = 0.01;
            for (int k = 0; k < 3; k++)
              {
                d[k] = body[j].x[k] - body[i].x[k];
                r2 += d[k] * d[k];
              }
            for (int k = 0; k < 3; k++)
              body[i].v[k] += 0.001 * body[j].mass * d[k] / (r2 * sqrt (r2));
          }

      #pragma omp target teams distribute parallel for
      for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
          body[i].x[k] += 0.001 * body[i].v[k];
    }

  for (int k = 0; k < 3; k++)
    {
      double momentum = 0.0;
      for (int i = 0; i < N; i++)
        {
          momentum += body[i].mass * body[i].v[k];
          energy_of_motion += body[i].mass * body[i].v[k] * body[i].v[k];
        }
      if (fabs (momentum) > 1.0e-9)
        abort ();
    }
  if (energy_of_motion < 1.0e-6)
    abort ();
  free (body);
  return 0;
}
