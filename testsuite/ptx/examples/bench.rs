//! Measures the parser on PTX texts given as arguments, and the interpreter
//! on two loops like those that GCC makes of OpenMP and OpenACC.
//!
//!     cargo run --release -p softcuda-ptx --example bench -- FILE.ptx …

#![allow(clippy::print_stdout, reason = "what a measurement finds is printed")]

use std::error::Error;
use std::time::Instant;

use softcuda_ptx::{Access, Launch, Limits, Memory, Object, Program, Refusal, WINDOWS, run};

/// The program's own memory, unchecked but for the windows.
struct Flat;

impl Memory for Flat {
    fn translate(&self, address: u64, _size: usize, _access: Access) -> Result<*mut u8, Refusal> {
        if address < WINDOWS { Ok(address as *mut u8) } else { Err(Refusal("a window".into())) }
    }
    fn malloc(&self, _size: u64) -> u64 {
        0
    }
    fn free(&self, _address: u64) {}
    fn print(&self, _text: &[u8]) {}
}

fn main() -> Result<(), Box<dyn Error>> {
    parse_files()?;
    let mut memory = vec![1f32; 4_000_000];
    let address = memory.as_mut_ptr() as u64;
    measure("uniform", address, memory.len() as u64, 1)?;
    measure("by lane", address, memory.len() as u64, 32)
}

fn parse_files() -> Result<(), Box<dyn Error>> {
    let texts: Vec<(String, String)> = std::env::args()
        .skip(1)
        .map(|path| Ok((path.clone(), String::from_utf8_lossy(&std::fs::read(path)?).into())))
        .collect::<Result<_, std::io::Error>>()?;
    let start = Instant::now();
    let mut objects = Vec::new();
    for (path, text) in &texts {
        match Object::parse(path, text) {
            Ok(object) => objects.push(object),
            Err(error) => println!("{error}"),
        }
    }
    let parsed = start.elapsed();
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    println!("parse: {} texts, {bytes} bytes in {parsed:.2?}", texts.len());
    let mut place = |size: u64, _alignment: u64| {
        Some(Box::leak(vec![0u128; size.div_ceil(16) as usize].into_boxed_slice()).as_mut_ptr()
            as u64)
    };
    let start = Instant::now();
    match Program::link(objects, &mut place, &Flat) {
        Ok(program) => {
            println!("link: {} variables in {:.2?}", program.variables().count(), start.elapsed())
        }
        Err(error) => println!("{error}"),
    }
    Ok(())
}

/// Runs `x[i] = x[i] * a + x[i]`, all lanes at the same `i` or each at its own.
fn measure(name: &str, address: u64, count: u64, step: u64) -> Result<(), Box<dyn Error>> {
    let object = Object::parse("loop.ptx", LOOP)?;
    let program = Program::link(vec![object], &mut |_, _| None, &Flat)?;
    let entry = program.entry("loop").ok_or("no kernel")?;
    let parameters = [address, count, step].iter().flat_map(|word| word.to_le_bytes()).collect();
    let launch =
        Launch { grid: [1; 3], block: [32, 1, 1], shared: 0, parameters, local_limit: 1 << 20 };
    let start = Instant::now();
    let counts = run(&program, entry, &launch, &Flat, &Limits { threads: 1, quantum: 100 })?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{name}: {:.1} M warp-instructions/s ({} in {seconds:.3} s, {} uniform)",
        counts.instructions as f64 / seconds / 1e6,
        counts.instructions,
        counts.uniform
    );
    Ok(())
}

const LOOP: &str = "
.version 6.0
.target sm_30
.address_size 64
.visible .entry loop (.param .u64 %in_ar0, .param .u64 %in_ar1, .param .u64 %in_ar2)
{
    .reg .u64 %base, %count, %step, %i, %offset, %address;
    .reg .u32 %lane;
    .reg .f32 %x, %y;
    .reg .pred %more, %single;
    ld.param.u64 %base, [%in_ar0];
    ld.param.u64 %count, [%in_ar1];
    ld.param.u64 %step, [%in_ar2];
    mov.u64 %i, 0;
    setp.eq.u64 %single, %step, 1;
    @%single bra $loop;
    mov.u32 %lane, %laneid;
    cvt.u64.u32 %i, %lane;
$loop:
    shl.b64 %offset, %i, 2;
    add.u64 %address, %base, %offset;
    ld.f32 %x, [%address];
    fma.rn.f32 %y, %x, 0f3F000000, %x;
    st.f32 [%address], %y;
    add.u64 %i, %i, %step;
    setp.lt.u64 %more, %i, %count;
    @%more bra $loop;
    ret;
}
";
