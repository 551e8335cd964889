//! "Memory Management": copying and setting memory.

use super::pointer::In;
use crate::copy::Copy;
use crate::driver::driver;
use crate::rectangle::{self, Corner};
use crate::space::Place;
use crate::status::{Outcome, Status};
use std::ffi::{c_uchar, c_uint, c_ushort};

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Copy2D {
    from: End2D,
    to: End2D,
    extent: [usize; 2],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct End2D {
    skip: [usize; 2],
    kind: c_uint,
    host: u64,
    device: u64,
    array: usize,
    pitch: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Copy3D {
    from: End3D,
    to: End3D,
    extent: [usize; 3],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct End3D {
    skip: [usize; 3],
    level: usize,
    kind: c_uint,
    host: u64,
    device: u64,
    array: usize,
    reserved: usize,
    pitch: usize,
    height: usize,
}

/// Place and address of an end, by `CUmemorytype`.
fn end(kind: c_uint, host: u64, device: u64) -> Outcome<(Place, u64)> {
    match kind {
        1 => Ok((Place::Host, host)),
        2 => Ok((Place::Device, device)),
        4 => Ok((Place::Any, device)),
        // There are no arrays.
        3 => Err(Status::NOT_SUPPORTED),
        _ => Err(Status::INVALID_VALUE),
    }
}

impl End2D {
    fn corner(&self) -> Outcome<Corner> {
        let (place, base) = end(self.kind, self.host, self.device)?;
        let skip = [self.skip[0] as u64, self.skip[1] as u64, 0];
        Ok(Corner { place, base, skip, pitch: self.pitch as u64, height: 0 })
    }
}

impl End3D {
    fn corner(&self) -> Outcome<Corner> {
        let (place, base) = end(self.kind, self.host, self.device)?;
        let skip = self.skip.map(|skip| skip as u64);
        let (pitch, height) = (self.pitch as u64, self.height as u64);
        Ok(Corner { place, base, skip, pitch, height })
    }
}

/// A copy in a stream or, without one, now.
fn copy(to: (u64, Place), from: (u64, Place), size: usize, stream: Option<usize>) -> Outcome {
    let driver = driver()?;
    match stream {
        None => driver.context()?.copy(to, from, size as u64),
        Some(handle) => {
            let (context, stream) = driver.stream(handle)?;
            context.copy_later(to, from, size as u64, stream)
        }
    }
}

fn copy_box(to: Corner, from: Corner, extent: [u64; 3], stream: Option<usize>) -> Outcome {
    let driver = driver()?;
    let (context, stream) = match stream {
        None => (driver.context()?, None),
        Some(handle) => driver.stream(handle).map(|(context, stream)| (context, Some(stream)))?,
    };
    let plan = rectangle::plan(&context.machine.space, to, from, extent)?;
    context.transfer(plan, stream)
}

fn copy_2d(copy: In<Copy2D>, stream: Option<usize>) -> Outcome {
    let copy = copy.get()?;
    let extent = [copy.extent[0] as u64, copy.extent[1] as u64, 1];
    copy_box(copy.to.corner()?, copy.from.corner()?, extent, stream)
}

fn copy_3d(copy: In<Copy3D>, stream: Option<usize>) -> Outcome {
    let copy = copy.get()?;
    copy_box(copy.to.corner()?, copy.from.corner()?, copy.extent.map(|size| size as u64), stream)
}

/// Sets `rows` rows of `count` patterns, `pitch` bytes apart.
fn set(
    address: u64,
    pattern: &[u8],
    count: usize,
    (pitch, rows): (usize, usize),
    stream: Option<usize>,
) -> Outcome {
    if !address.is_multiple_of(pattern.len() as u64) {
        return Err(Status::INVALID_VALUE);
    }
    let driver = driver()?;
    let (context, stream) = match stream {
        None => (driver.context()?, None),
        Some(handle) => driver.stream(handle).map(|(context, stream)| (context, Some(stream)))?,
    };
    let bytes = pattern.repeat(count);
    let row = |row| Copy::fill(&context.machine.space, address + (pitch * row) as u64, &bytes);
    let rows = (0..rows).map(row).collect::<Outcome<Vec<_>>>()?;
    context.transfer(Copy::join(rows), stream)
}

const ONE: (usize, usize) = (0, 1);

functions! {
    /// "Memory Management".
    fn cuMemcpyHtoD_v2(to: u64, from: u64, size: usize) {
        copy((to, Place::Device), (from, Place::Host), size, None)
    }

    /// "Memory Management".
    fn cuMemcpyDtoH_v2(to: u64, from: u64, size: usize) {
        copy((to, Place::Host), (from, Place::Device), size, None)
    }

    /// "Memory Management".
    fn cuMemcpyDtoD_v2(to: u64, from: u64, size: usize) {
        copy((to, Place::Device), (from, Place::Device), size, None)
    }

    /// "Memory Management".
    fn cuMemcpy(to: u64, from: u64, size: usize) {
        copy((to, Place::Any), (from, Place::Any), size, None)
    }

    /// "Memory Management".
    fn cuMemcpyHtoDAsync_v2(to: u64, from: u64, size: usize, stream: usize) {
        copy((to, Place::Device), (from, Place::Host), size, Some(stream))
    }

    /// "Memory Management".
    fn cuMemcpyDtoHAsync_v2(to: u64, from: u64, size: usize, stream: usize) {
        copy((to, Place::Host), (from, Place::Device), size, Some(stream))
    }

    /// "Memory Management".
    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, size: usize, stream: usize) {
        copy((to, Place::Device), (from, Place::Device), size, Some(stream))
    }

    /// "Memory Management".
    fn cuMemcpyAsync(to: u64, from: u64, size: usize, stream: usize) {
        copy((to, Place::Any), (from, Place::Any), size, Some(stream))
    }

    /// "Memory Management".
    fn cuMemcpyPeer(to: u64, _to_context: usize, from: u64, _from_context: usize, size: usize) {
        copy((to, Place::Device), (from, Place::Device), size, None)
    }

    /// "Memory Management".
    fn cuMemcpy2D_v2(parameters: In<Copy2D>) {
        copy_2d(parameters, None)
    }

    /// "Memory Management".
    fn cuMemcpy2DUnaligned_v2(parameters: In<Copy2D>) {
        copy_2d(parameters, None)
    }

    /// "Memory Management".
    fn cuMemcpy2DAsync_v2(parameters: In<Copy2D>, stream: usize) {
        copy_2d(parameters, Some(stream))
    }

    /// "Memory Management".
    fn cuMemcpy3D_v2(parameters: In<Copy3D>) {
        copy_3d(parameters, None)
    }

    /// "Memory Management".
    fn cuMemcpy3DAsync_v2(parameters: In<Copy3D>, stream: usize) {
        copy_3d(parameters, Some(stream))
    }

    /// "Memory Management".
    fn cuMemsetD8_v2(address: u64, value: c_uchar, count: usize) {
        set(address, &[value], count, ONE, None)
    }

    /// "Memory Management".
    fn cuMemsetD16_v2(address: u64, value: c_ushort, count: usize) {
        set(address, &value.to_ne_bytes(), count, ONE, None)
    }

    /// "Memory Management".
    fn cuMemsetD32_v2(address: u64, value: c_uint, count: usize) {
        set(address, &value.to_ne_bytes(), count, ONE, None)
    }

    /// "Memory Management".
    fn cuMemsetD8Async(address: u64, value: c_uchar, count: usize, stream: usize) {
        set(address, &[value], count, ONE, Some(stream))
    }

    /// "Memory Management".
    fn cuMemsetD16Async(address: u64, value: c_ushort, count: usize, stream: usize) {
        set(address, &value.to_ne_bytes(), count, ONE, Some(stream))
    }

    /// "Memory Management".
    fn cuMemsetD32Async(address: u64, value: c_uint, count: usize, stream: usize) {
        set(address, &value.to_ne_bytes(), count, ONE, Some(stream))
    }

    /// "Memory Management".
    fn cuMemsetD2D8_v2(address: u64, pitch: usize, value: c_uchar, width: usize, height: usize) {
        set(address, &[value], width, (pitch, height), None)
    }

    /// "Memory Management".
    fn cuMemsetD2D32_v2(address: u64, pitch: usize, value: c_uint, width: usize, height: usize) {
        set(address, &value.to_ne_bytes(), width, (pitch, height), None)
    }
}
