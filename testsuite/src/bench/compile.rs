//! Compile time with the option and without, on large units.

use std::fmt::Write;
use std::fs;

use offmem_testsuite::{Compiler, Language, Stage};
use tempfile::TempDir;

use crate::Figure;
use crate::measure::{alternate, cpu_seconds};

const ROUNDS: usize = 7;

/// Templates, containers and 24 target regions.
pub(crate) fn cxx() -> Figure {
    let mut source = String::from(
        "#include <algorithm>\n#include <map>\n#include <numeric>\n#include <string>\n\
         #include <unordered_map>\n#include <vector>\n",
    );
    for i in 0..24 {
        let _ = write!(
            source,
            "template<int N> struct Field{i} {{ std::map<std::string, std::vector<double>> parts;\n\
               double work (double *a, int n) {{\n\
                 auto &part = parts[std::to_string (N)];\n\
                 part.assign (a, a + n);\n\
                 std::sort (part.begin (), part.end (), [] (double x, double y) {{ return x > y + N; }});\n\
                 double *p = part.data (), sum = 0;\n\
                 #pragma omp target teams distribute parallel for reduction(+: sum) map(tofrom: sum) map(to: p[0:n])\n\
                 for (int k = 0; k < n; k++) sum += p[k] * {i};\n\
                 return std::accumulate (part.begin (), part.end (), sum); }} }};\n\
             double use{i} (double *a, int n) {{ return Field{i}<{i}> ().work (a, n); }}\n"
        );
    }
    figure("compile time, large C++ unit at -O2, to stock", Language::Cxx, &source)
}

/// 150 procedures, a target region in each.
pub(crate) fn fortran() -> Figure {
    let mut source = String::from("module large\ncontains\n");
    for i in 0..150 {
        let _ = write!(
            source,
            "subroutine step{i}(u, v, n)\n  integer :: n, k, l\n  real(8) :: u(n, n), v(n, n)\n\
             \x20 !$omp target teams distribute parallel do collapse(2) map(to: u) map(from: v)\n\
             \x20 do k = 2, n - 1\n    do l = 2, n - 1\n\
             \x20     v(l, k) = (u(l - 1, k) + u(l + 1, k) + u(l, k - 1) + u(l, k + 1)) / {i}.5d0\n\
             \x20   end do\n  end do\n  u = matmul(v, u) + sum(v) / {i}.5d0\n\
             \x20 where (u > 1) u = sqrt(u) + v\nend subroutine\n"
        );
    }
    source += "end module\n";
    figure("compile time, large Fortran unit at -O2, to stock", Language::Fortran, &source)
}

fn figure(name: &'static str, language: Language, source: &str) -> Figure {
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join(format!("large.{}", language.suffix()));
    fs::write(&file, source).expect("the unit");
    let compile = |options: &[&str]| {
        let mut command = Compiler::of(language).command();
        command.args(["-O2", "-fopenmp", "-foffload=disable", "-S", "-o", "/dev/null"]);
        command.args(options).arg(&file).current_dir(folder.path());
        cpu_seconds(Stage::get().enter(&mut command))
    };
    let (stock, ours) =
        alternate(ROUNDS, || compile(&[]), || compile(&["-foffload-memory=pinned"]));
    Figure::new(name, ours / stock, 1.02)
}
