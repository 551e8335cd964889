// Templates of the library in our unit and its own code in the other take and give memory to
// each other: regex, streams, exceptions, locales, threads.
// { dg-do run }
// { dg-options "-fopenmp -foffload-memory=unified" }
// { dg-copied-bytes 4096 }
// { dg-additional-options "-std=c++17 -pthread" }

#include <future>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include "../offmem.c-c++-common/unified.h"

static std::string
repeat (const std::string &s, int n)
{
  std::ostringstream out;
  for (int i = 0; i < n; i++)
    out << s << i << ' ';
  return out.str ();
}

int
main ()
{
  std::string text = repeat ("word-", 50);
  std::regex pattern ("word-(\\d+)");
  int sum = 0;
  for (std::sregex_iterator i (text.begin (), text.end (), pattern), end; i != end; ++i)
    sum += std::stoi ((*i)[1]);
  if (sum != 50 * 49 / 2)
    abort ();

  char *data = &text[0];
  std::size_t n = text.size ();
  #pragma omp target
  for (std::size_t i = 0; i < n; i++)
    if (data[i] == '-')
      data[i] = '_';
  if (std::regex_search (text, pattern) || text.find ("word_49") == std::string::npos)
    abort ();
  std::istringstream in (text);
  std::string word, all;
  while (in >> word)
    all += word;
  expect_shared (&all[0], all.size ());

  try
    {
      throw std::runtime_error (repeat ("error ", 100));
    }
  catch (const std::exception &error)
    {
      if (std::string (error.what ()).find ("error 99") == std::string::npos)
        abort ();
    }
  auto later = std::async (std::launch::async, [] { return repeat ("later", 1000); });
  std::string result = later.get ();
  if (result.compare (0, 7, "later0 ") != 0)
    abort ();
  expect_shared (&result[0], result.size ());
}
