//! Copies between any two places ("Memory Management: cuMemcpy").

use crate::mapping::memory_file;
use crate::side::{Side, Sort};
use crate::space::{Place, Space};
use crate::status::{Outcome, Status};
use crate::transfer;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The most bytes that pass through a buffer at a time.
const CHUNK: u64 = 1 << 20;

/// A copy whose ends are known, one part for each pair of ranges.
pub(crate) struct Copy(Vec<Part>);

struct Part {
    from: Side,
    to: Side,
    size: u64,
}

impl Copy {
    /// Finds both ends. Nothing is copied yet.
    pub(crate) fn plan(
        space: &Space,
        to: (u64, Place),
        from: (u64, Place),
        size: u64,
    ) -> Outcome<Copy> {
        if size == 0 {
            return Ok(Copy(Vec::new()));
        }
        // Where one end has several parts, the other one is cut at their edges.
        let mut parts = Vec::new();
        let mut done = 0;
        for (_, length) in space.sides(to.0, size, to.1)? {
            for (_, length) in space.sides(from.0 + done, length, from.1)? {
                let side = |end: (u64, Place)| {
                    let sides = space.sides(end.0 + done, length, end.1)?;
                    sides.into_iter().next().map(|side| side.0).ok_or(Status::INVALID_VALUE)
                };
                parts.push(Part { from: side(from)?, to: side(to)?, size: length });
                done += length;
            }
        }
        // The source as a whole also has to obey the rules.
        space.sides(from.0, size, from.1)?;
        match parts.iter().any(|part| part.to.read_only()) {
            true => Err(Status::INVALID_VALUE),
            false => Ok(Copy(parts)),
        }
    }

    /// Puts `bytes` at an address that a device can reach.
    pub(crate) fn fill(space: &Space, to: u64, bytes: &[u8]) -> Outcome<Copy> {
        let mut parts = Vec::new();
        let mut rest = bytes;
        for (to, size) in space.sides(to, bytes.len() as u64, Place::Device)? {
            let (bytes, others) = rest.split_at(size as usize);
            parts.push(Part { from: Side::Snapshot(bytes.to_vec()), to, size });
            rest = others;
        }
        Ok(Copy(parts))
    }

    /// Joins copies that are done as one.
    pub(crate) fn join(copies: impl IntoIterator<Item = Copy>) -> Copy {
        Copy(copies.into_iter().flat_map(|copy| copy.0).collect())
    }

    /// Takes the bytes of pageable sources now.
    pub(crate) fn snapshot(&mut self) -> Outcome {
        for part in &mut self.0 {
            if let Side::Plain(address) = part.from {
                let mut bytes = vec![0; part.size as usize];
                transfer::read(address, &mut bytes).map_err(|_| Status::INVALID_VALUE)?;
                part.from = Side::Snapshot(bytes);
            }
        }
        Ok(())
    }

    /// Whether the program may not go on before the copy is done: one that
    /// ends in pageable memory.
    pub(crate) fn must_wait(&self) -> bool {
        self.0.iter().any(|part| part.to.sort() == Sort::Pageable)
    }

    /// For each part the sorts of its source and target, and its size.
    pub(crate) fn sorts(&self) -> impl Iterator<Item = (Sort, Sort, u64)> {
        self.0.iter().map(|part| (part.from.sort(), part.to.sort(), part.size))
    }

    /// How many bytes come from or go to managed memory.
    pub(crate) fn managed(&self) -> u64 {
        let managed = self.0.iter().filter(|part| part.from.managed() || part.to.managed());
        managed.map(|part| part.size).sum()
    }

    /// Copies.
    pub(crate) fn run(&self) -> Outcome {
        self.0.iter().try_for_each(Part::run)
    }
}

impl Part {
    fn run(&self) -> Outcome {
        let done = match (self.from.file(self.size)?, self.to.file(self.size)?) {
            (None, Some((file, offset))) => self.from.store(0, self.size, file, offset),
            (Some((file, offset)), None) => self.to.load(0, self.size, file, offset),
            (Some(from), Some(to)) => between_files(from, to, self.size),
            (None, None) => self.through_buffer(),
        };
        done.map_err(status)
    }

    fn through_buffer(&self) -> io::Result<()> {
        let buffer = memory_file(CHUNK)?;
        for skip in (0..self.size).step_by(CHUNK as usize) {
            let size = CHUNK.min(self.size - skip);
            self.from.store(skip, size, &buffer, 0)?;
            self.to.load(skip, size, &buffer, 0)?;
        }
        Ok(())
    }
}

/// Copies as if through one buffer, so that the two may overlap.
fn between_files(from: (&File, u64), to: (&File, u64), size: u64) -> io::Result<()> {
    let mut buffer = vec![0; size.min(CHUNK) as usize];
    let count = size.div_ceil(CHUNK);
    for index in 0..count {
        let backwards = to.1 > from.1;
        let skip = CHUNK * if backwards { count - 1 - index } else { index };
        let bytes = &mut buffer[..CHUNK.min(size - skip) as usize];
        from.0.read_exact_at(bytes, from.1 + skip)?;
        to.0.write_all_at(bytes, to.1 + skip)?;
    }
    Ok(())
}

fn status(error: io::Error) -> Status {
    match error.raw_os_error() {
        Some(libc::ENOMEM | libc::ENOSPC) => Status::OUT_OF_MEMORY,
        // Frames that are not the registered ones: no copy would be right.
        Some(libc::ESTALE) => Status::ILLEGAL_ADDRESS,
        _ => Status::INVALID_VALUE,
    }
}

#[cfg(test)]
#[path = "copy_tests.rs"]
mod tests;
