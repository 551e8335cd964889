//! A device for tests: its memory is the program's own, with exact bounds.

use std::sync::Mutex;

use softcuda_ptx::{
    Access, Counts, Fault, Launch, Limits, LinkError, Memory, Object, Program, Refusal, run_within,
};

/// Instructions after which a kernel that should end is stopped.
const PATIENCE: u64 = 10_000_000;

/// Memory that knows its allocations.
#[derive(Default)]
pub(crate) struct Blocks {
    blocks: Mutex<Vec<(u64, u64)>>,
    pub(crate) printed: Mutex<Vec<u8>>,
    pub(crate) freed: Mutex<Vec<u64>>,
}

impl Blocks {
    /// Zeroed memory of so many bytes.
    pub(crate) fn allocate(&self, size: u64) -> u64 {
        let words = vec![0u128; size.div_ceil(16) as usize + 1].into_boxed_slice();
        let address = Box::leak(words).as_mut_ptr() as u64;
        self.blocks.lock().expect("no test panics with the lock").push((address, size));
        address
    }

    /// A copy of the bytes at an address.
    pub(crate) fn read(&self, address: u64, size: usize) -> Vec<u8> {
        let pointer = self.translate(address, size, Access::Read).expect("memory of the test");
        // SAFETY: the block is leaked, and no kernel runs now.
        unsafe { std::slice::from_raw_parts(pointer, size) }.to_vec()
    }

    pub(crate) fn write(&self, address: u64, bytes: &[u8]) {
        let pointer = self.translate(address, bytes.len(), Access::Write).expect("memory");
        // SAFETY: the block is leaked, and no kernel runs now.
        unsafe { pointer.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    pub(crate) fn words(&self, address: u64, count: usize) -> Vec<u32> {
        let bytes = self.read(address, 4 * count);
        bytes
            .chunks(4)
            .map(|word| word.iter().rev().fold(0, |all, &b| all << 8 | u32::from(b)))
            .collect()
    }
}

impl Memory for Blocks {
    fn translate(&self, address: u64, size: usize, _access: Access) -> Result<*mut u8, Refusal> {
        let blocks = self.blocks.lock().expect("no test panics with the lock");
        let end = address.wrapping_add(size as u64);
        let inside = |block: &&(u64, u64)| address >= block.0 && end <= block.0 + block.1;
        match blocks.iter().find(inside) {
            Some(_) => Ok(address as *mut u8),
            None => Err(Refusal("not allocated".to_owned())),
        }
    }

    fn malloc(&self, size: u64) -> u64 {
        self.allocate(size)
    }

    fn free(&self, address: u64) {
        self.freed.lock().expect("no test panics with the lock").push(address);
    }

    fn print(&self, text: &[u8]) {
        self.printed.lock().expect("no test panics with the lock").extend_from_slice(text);
    }
}

/// A linked program on a device.
pub(crate) struct Machine {
    pub(crate) memory: Blocks,
    pub(crate) program: Program,
}

/// Threads of a launch.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) grid: u32,
    pub(crate) block: [u32; 3],
    pub(crate) threads: usize,
    pub(crate) quantum: u32,
    pub(crate) shared: u32,
}

/// One warp.
pub(crate) const WARP: Shape =
    Shape { grid: 1, block: [32, 1, 1], threads: 1, quantum: 100, shared: 0 };

pub(crate) const HEADER: &str = ".version 7.3\n.target sm_75\n.address_size 64\n";

impl Machine {
    /// Links texts without header.
    pub(crate) fn link(texts: &[&str]) -> Result<Machine, LinkError> {
        let object = |(number, text): (usize, &&str)| {
            let text = format!("{HEADER}{text}");
            Object::parse(&format!("{number}.ptx"), &text).unwrap_or_else(|error| {
                panic!("{error} in\n{text}");
            })
        };
        let objects = texts.iter().enumerate().map(object).collect();
        let memory = Blocks::default();
        let mut place = |size, _alignment| Some(memory.allocate(size));
        let program = Program::link(objects, &mut place, &memory)?;
        Ok(Machine { memory, program })
    }

    pub(crate) fn new(text: &str) -> Machine {
        Machine::link(&[text]).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A kernel `k (out, in)` with registers of every type.
    pub(crate) fn kernel(body: &str) -> Machine {
        Machine::new(&format!("{PROLOGUE}{body}\nret;\n}}\n"))
    }

    /// Runs kernel `k` with parameters of 8 bytes.
    pub(crate) fn run(&self, shape: Shape, parameters: &[u64]) -> Result<Counts, Box<Fault>> {
        let launch = Launch {
            grid: [shape.grid, 1, 1],
            block: shape.block,
            shared: shape.shared,
            parameters: parameters.iter().flat_map(|word| word.to_le_bytes()).collect(),
            local_limit: 1 << 16,
        };
        let entry = self.program.entry("k").expect("a kernel called k");
        let limits = Limits { threads: shape.threads, quantum: shape.quantum };
        run_within(&self.program, entry, &launch, &self.memory, &limits, PATIENCE).map_err(Box::new)
    }

    /// Runs the kernel on `threads` threads and gives the word that each
    /// stored at `%out`, which is `out + 4 * thread`.
    pub(crate) fn words(&self, threads: u32) -> Vec<u32> {
        let out = self.memory.allocate(4 * u64::from(threads));
        let shape = Shape { block: [threads, 1, 1], ..WARP };
        self.run(shape, &[out, 0]).unwrap_or_else(|fault| panic!("{fault}"));
        self.memory.words(out, threads as usize)
    }

    /// The fault of the kernel on one warp.
    pub(crate) fn fault(&self) -> String {
        let out = self.memory.allocate(4 * 32);
        match self.run(WARP, &[out, 0]) {
            Ok(_) => "no fault".to_owned(),
            Err(fault) => fault.to_string().replace(&format!("{out:#x}"), "OUT"),
        }
    }
}

/// Leaves the thread's place in `%out`, its number in `%t`, its lane in `%l`.
const PROLOGUE: &str = "
.visible .entry k (.param .u64 %out_parameter, .param .u64 %in_parameter)
{
.reg .u64 %out, %in, %x<10>;
.reg .u32 %t, %l, %r<10>;
.reg .u16 %h<4>;
.reg .f32 %f<4>;
.reg .f64 %d<4>;
.reg .pred %p<6>;
ld.param.u64 %out, [%out_parameter];
ld.param.u64 %in, [%in_parameter];
mov.u32 %t, %tid.x;
mov.u32 %l, %laneid;
mad.wide.u32 %out, %t, 4, %out;
";
