//! "Stream Management", "Event Management" and calls of the program.

use super::pointer::Out;
use crate::driver::{StreamHandle, driver, forbid_calls};
use crate::event::Event;
use crate::status::{Outcome, Status};
use crate::stream::Work;
use std::ffi::{c_int, c_uint};

/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: c_uint = 1;

/// `CUstreamCallback`.
type Callback = Option<extern "C" fn(usize, c_int, usize)>;

/// `CUhostFn`.
type HostFunction = Option<extern "C" fn(usize)>;

fn create(stream: Out<usize>, flags: c_uint) -> Outcome {
    let driver = driver()?;
    let context = driver.context()?;
    if flags > NON_BLOCKING {
        return Err(Status::INVALID_VALUE);
    }
    let number = context.streams.create(flags != NON_BLOCKING);
    stream.put(driver.streams.insert(StreamHandle { context, stream: number, flags }))
}

functions! {
    /// "Stream Management".
    fn cuStreamCreate(stream: Out<usize>, flags: c_uint) {
        create(stream, flags)
    }

    /// "Stream Management": priorities change nothing.
    fn cuStreamCreateWithPriority(stream: Out<usize>, flags: c_uint, _priority: c_int) {
        create(stream, flags)
    }

    /// "Stream Management".
    fn cuStreamDestroy_v2(stream: usize) {
        let stream = driver()?.streams.remove(stream)?;
        stream.context.streams.destroy(stream.stream)
    }

    /// "Stream Management".
    fn cuStreamQuery(stream: usize) {
        let (context, stream) = driver()?.stream(stream)?;
        context.streams.query(stream)
    }

    /// "Stream Management".
    fn cuStreamSynchronize(stream: usize) {
        let (context, stream) = driver()?.stream(stream)?;
        context.synchronize_stream(stream)
    }

    /// "Stream Management".
    fn cuStreamGetFlags(stream: usize, flags: Out<c_uint>) {
        flags.put(driver()?.streams.get(stream)?.flags)
    }

    /// "Stream Management".
    fn cuStreamWaitEvent(stream: usize, event: usize, _flags: c_uint) {
        let driver = driver()?;
        let (context, stream) = driver.stream(stream)?;
        driver.events.get(event)?.hold_up(&context, stream)
    }

    /// "Stream Management": called in a thread of the driver, also after an
    /// error, of which it is told.
    fn cuStreamAddCallback(stream: usize, function: Callback, data: usize, flags: c_uint) {
        let function = function.filter(|_| flags == 0).ok_or(Status::INVALID_VALUE)?;
        let (context, number) = driver()?.stream(stream)?;
        let work = move |outcome: Outcome| {
            forbid_calls();
            function(stream, outcome.err().unwrap_or(Status::SUCCESS).0, data);
        };
        context.streams.push(number, Work::Call(Box::new(work)))
    }

    /// "Execution Control": called in a thread of the driver, but not after
    /// an error.
    fn cuLaunchHostFunc(stream: usize, function: HostFunction, data: usize) {
        let function = function.ok_or(Status::INVALID_VALUE)?;
        let (context, number) = driver()?.stream(stream)?;
        let work = move |outcome: Outcome| {
            forbid_calls();
            if outcome.is_ok() {
                function(data);
            }
        };
        context.streams.push(number, Work::Call(Box::new(work)))
    }

    /// "Event Management".
    fn cuEventCreate(event: Out<usize>, flags: c_uint) {
        let driver = driver()?;
        event.put(driver.events.insert(Event::new(driver.context()?, flags)))
    }

    /// "Event Management".
    fn cuEventDestroy_v2(event: usize) {
        driver()?.events.remove(event).map(drop)
    }

    /// "Event Management".
    fn cuEventRecord(event: usize, stream: usize) {
        let driver = driver()?;
        let (_, stream) = driver.stream(stream)?;
        driver.events.get(event)?.record(stream)
    }

    /// "Event Management".
    fn cuEventQuery(event: usize) {
        driver()?.events.get(event)?.query()
    }

    /// "Event Management".
    fn cuEventSynchronize(event: usize) {
        driver()?.events.get(event)?.synchronize()
    }

    /// "Event Management".
    fn cuEventElapsedTime(milliseconds: Out<f32>, start: usize, end: usize) {
        let driver = driver()?;
        let (start, end) = (driver.events.get(start)?, driver.events.get(end)?);
        milliseconds.put(Event::elapsed(&start, &end)? as f32)
    }
}
