//! Real texts with small changes: parsing, linking and running them may fail,
//! but never panics.

use std::collections::BTreeSet;

use softcuda_ptx::{Launch, Limits, Object, Program, run_within};

use crate::machine::Blocks;

const CORPUS: [&str; 5] = [
    include_str!("../corpus/openmp-O2-sm_75.ptx"),
    include_str!("../corpus/openmp-O0-sm_35.ptx"),
    include_str!("../corpus/openacc-sm_30.ptx"),
    include_str!("../corpus/openacc-O0-sm_80.ptx"),
    include_str!("../corpus/numbers-fast-sm_35.ptx"),
];

/// Mutations of each text; with the parser alone 40 times as many.
const ROUNDS: u64 = 30;

/// Numbers without pattern, the same each time (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) as usize % bound.max(1)
    }
}

/// Changes a few bytes or lines.
fn mutate(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(3) {
        text = match random.below(3) {
            0 => mutate_bytes(&text, random),
            _ => mutate_lines(&text, random),
        };
    }
    text
}

/// Doubles, moves or drops a line, or takes an operand of another one.
fn mutate_lines(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (at, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(4) {
        0 => lines[at] = lines[other].clone(),
        1 => lines.swap(at, other),
        2 => drop(lines.remove(at)),
        _ => {
            let operand = lines[other].rsplit([',', ' ']).next().unwrap_or("").to_owned();
            let kept = lines[at].rfind(',').map_or(0, |comma| comma + 1);
            lines[at].replace_range(kept.., &operand);
        }
    }
    lines.join("\n")
}

fn mutate_bytes(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = random.below(bytes.len());
    let end = (at + random.below(12)).min(bytes.len());
    match random.below(6) {
        0 => bytes[at] = random.below(256) as u8,
        1 => bytes[at] ^= 1 << random.below(7),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let piece = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, piece);
        }
        4 => bytes.truncate(at),
        _ => {
            let numbers = ["0", "-1", "4294967295", "99999999999999999999", "0x8000000000000000"];
            let number = numbers[random.below(numbers.len())];
            if let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) {
                bytes.splice(at + digit..=at + digit, number.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn the_corpus_itself_runs() {
    for text in CORPUS {
        assert_eq!(Object::parse("corpus", text).err(), None);
        assert!(run(&[text, &support(text)]), "a kernel to run");
    }
}

#[test]
fn parsing_never_panics() {
    let mut random = Random(1);
    let mut parsed = 0;
    for _ in 0..40 * ROUNDS {
        for text in CORPUS {
            parsed += u64::from(Object::parse("mutant", &mutate(text, &mut random)).is_ok());
        }
    }
    let all = 40 * ROUNDS * CORPUS.len() as u64;
    assert!(parsed > all / 20 && parsed < all, "{parsed} of {all} mutants parse");
}

#[test]
fn running_never_panics() {
    let mut random = Random(2);
    let mut ran = 0;
    for _ in 0..ROUNDS {
        for text in CORPUS {
            ran += u32::from(run(&[&mutate(text, &mut random), &support(text)]));
        }
    }
    assert!(u64::from(ran) > ROUNDS / 3, "{ran} kernels ran");
}

/// What starts a kernel's function, as the one of libgomp does.
const START: &str = "
.visible .func gomp_nvptx_main (.param .u64 %a, .param .u64 %b)
{
.reg .u64 %f, %x; .param .u64 %o;
ld.param.u64 %f, [%a]; ld.param.u64 %x, [%b];
st.param.u64 [%o], %x;
$p: .callprototype _ (.param .u64 %o);
call %f, (%o), $p;
ret;
}
";

/// Definitions of what a text takes from elsewhere; the functions do nothing.
fn support(text: &str) -> String {
    let declarations: BTreeSet<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix(".extern ")).collect();
    let define = |declaration: &str| {
        if declaration.contains("gomp_nvptx_main") {
            return START.to_owned();
        }
        let body = if declaration.starts_with(".func") { " { ret; }" } else { ";" };
        format!(".visible {}{body}\n", declaration.trim_end_matches(';'))
    };
    declarations.into_iter().map(define).collect()
}

/// Links and runs all kernels; whether there were any.
fn run(texts: &[&str]) -> bool {
    let objects: Result<Vec<_>, _> =
        texts.iter().map(|text| Object::parse("mutant", text)).collect();
    let memory = Blocks::default();
    let mut place = |size: u64, _| (size < 1 << 20).then(|| memory.allocate(size));
    let Ok(program) = objects.and_then(|objects| {
        Program::link(objects, &mut place, &memory).map_err(|error| softcuda_ptx::ParseError {
            object: String::new(),
            line: 0,
            reason: error.to_string(),
        })
    }) else {
        return false;
    };
    let data = memory.allocate(1 << 16);
    let launch = Launch {
        grid: [2, 1, 1],
        block: [32, 2, 1],
        shared: 64,
        parameters: [data, data + 4096, 256].map(u64::to_le_bytes).concat(),
        local_limit: 1 << 14,
    };
    let limits = Limits { threads: 1, quantum: 50 };
    let kernels = texts[0]
        .split(".entry ")
        .skip(1)
        .filter_map(|rest| program.entry(rest.split([' ', '(', '\n']).next()?));
    let mut ran = false;
    for kernel in kernels {
        ran = true;
        let _outcome = run_within(&program, kernel, &launch, &memory, &limits, 20_000);
    }
    ran
}
