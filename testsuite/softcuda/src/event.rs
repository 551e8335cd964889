//! Events ("Event Management"): points in a stream, with a time.

use crate::context::Context;
use crate::status::{Outcome, Status};
use crate::stream::{Point, Work};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// `CU_EVENT_DISABLE_TIMING`.
const NO_TIMING: u32 = 2;

/// An event; before it is recorded, it counts as reached.
pub(crate) struct Event {
    context: Arc<Context>,
    timing: bool,
    record: Mutex<Record>,
}

#[derive(Clone, Default)]
struct Record {
    point: Option<Point>,
    time: Arc<Mutex<Option<f64>>>,
}

impl Event {
    /// `cuEventCreate`.
    pub(crate) fn new(context: Arc<Context>, flags: u32) -> Event {
        Event { context, timing: flags & NO_TIMING == 0, record: Mutex::default() }
    }

    /// `cuEventRecord`.
    pub(crate) fn record(&self, stream: usize) -> Outcome {
        let time = Arc::new(Mutex::new(None));
        let (machine, stamp) = (Arc::clone(&self.context.machine), Arc::clone(&time));
        let work = Work::Task(Box::new(move || {
            *lock(&stamp) = Some(machine.milliseconds());
            Ok(())
        }));
        self.context.streams.push(stream, work)?;
        let point = Some(self.context.streams.point(stream));
        *lock(&self.record) = Record { point, time };
        Ok(())
    }

    /// `cuEventQuery`.
    pub(crate) fn query(&self) -> Outcome {
        self.context.streams.fault()?;
        match self.point() {
            Some(point) if !self.context.streams.reached(point) => {
                // As for streams: polling gets on by one piece of work.
                let _ = self.context.streams.query(point.stream());
                Err(Status::NOT_READY)
            }
            _ => Ok(()),
        }
    }

    /// `cuEventSynchronize`.
    pub(crate) fn synchronize(&self) -> Outcome {
        let outcome = match self.point() {
            Some(point) => self.context.streams.reach(point),
            None => self.context.streams.fault(),
        };
        self.context.settle();
        outcome
    }

    /// `cuStreamWaitEvent`.
    pub(crate) fn hold_up(&self, context: &Context, stream: usize) -> Outcome {
        match self.point() {
            Some(point) if context.id == self.context.id => {
                context.streams.push(stream, Work::Wait(point))
            }
            // A stream of another context cannot wait within its own queues.
            Some(point) => self.context.streams.reach(point),
            None => Ok(()),
        }
    }

    /// `cuEventElapsedTime`: milliseconds from `start` to `end`.
    pub(crate) fn elapsed(start: &Event, end: &Event) -> Outcome<f64> {
        if !start.timing || !end.timing || start.point().is_none() || end.point().is_none() {
            return Err(Status::INVALID_HANDLE);
        }
        let time = |event: &Event| *lock(&lock(&event.record).time);
        match (time(start), time(end)) {
            (Some(start), Some(end)) => Ok(end - start),
            _ => Err(Status::NOT_READY),
        }
    }

    fn point(&self) -> Option<Point> {
        lock(&self.record).point
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
