//! Streams of work ("Stream Management"): queues that run when somebody
//! synchronises or, in immediate mode, at once.
//!
//! Work is done by whichever thread of the program asks for it. Stream 0 is
//! the legacy default stream: its work waits for what was issued earlier into
//! blocking streams, and theirs for its.

use crate::status::{Outcome, Status};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// The default stream.
pub(crate) const DEFAULT: usize = 0;

/// What a stream does.
pub(crate) enum Work {
    /// A copy or the like. Its failure is reported once.
    Task(Box<dyn FnOnce() -> Outcome + Send>),
    /// A kernel. Its failure ends all work of the context.
    Kernel(Box<dyn FnOnce() -> Outcome + Send>),
    /// Waits until another stream has come to this point.
    Wait(Point),
    /// Calls the program, in a thread of the driver, with the state of the
    /// context.
    Call(Box<dyn FnOnce(Outcome) + Send>),
}

/// A place in a stream: behind all work issued up to a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    stream: usize,
    number: u64,
}

impl Point {
    /// The stream that the point is in.
    pub(crate) fn stream(self) -> usize {
        self.stream
    }
}

/// The streams of one context.
pub(crate) struct Streams {
    deferred: bool,
    state: Mutex<State>,
}

struct State {
    queues: BTreeMap<usize, Queue>,
    next: u64,
    /// Of a kernel: it stays.
    fault: Outcome,
    /// Of other work that nobody has been told about.
    failure: Outcome,
}

#[derive(Default)]
struct Queue {
    blocking: bool,
    work: VecDeque<(u64, Work)>,
    calls: Vec<JoinHandle<()>>,
}

impl Queue {
    fn calls(&self) -> bool {
        self.calls.iter().any(|call| !call.is_finished())
    }
}

impl Streams {
    /// The default stream only.
    pub(crate) fn new(deferred: bool) -> Streams {
        let default = Queue { blocking: true, ..Queue::default() };
        let queues = BTreeMap::from([(DEFAULT, default)]);
        let state = State { queues, next: 1, fault: Ok(()), failure: Ok(()) };
        Streams { deferred, state: Mutex::new(state) }
    }

    /// A new stream.
    pub(crate) fn create(&self, blocking: bool) -> usize {
        let mut state = self.state();
        let stream = state.take_number() as usize;
        state.queues.insert(stream, Queue { blocking, ..Queue::default() });
        stream
    }

    /// Ends a stream, after its work and its calls.
    pub(crate) fn destroy(&self, stream: usize) -> Outcome {
        let mut state = self.state();
        state.drain(stream, u64::MAX);
        state.join(stream);
        state.queues.remove(&stream);
        state.report()
    }

    /// Appends work and, in immediate mode, does it.
    pub(crate) fn push(&self, stream: usize, work: Work) -> Outcome {
        let mut state = self.state();
        state.fault?;
        let number = state.take_number();
        let queue = state.queues.get_mut(&stream).ok_or(Status::INVALID_HANDLE)?;
        let kernel = matches!(work, Work::Kernel(_));
        queue.work.push_back((number, work));
        if self.deferred {
            return Ok(());
        }
        state.drain(stream, number);
        // A launch succeeds before the kernel runs.
        if kernel { Ok(()) } else { state.report() }
    }

    /// The point behind all work that the stream has now.
    pub(crate) fn point(&self, stream: usize) -> Point {
        Point { stream, number: self.state().next - 1 }
    }

    /// Whether all work up to a point is done.
    pub(crate) fn reached(&self, point: Point) -> bool {
        let state = self.state();
        let queue = state.queues.get(&point.stream);
        queue.and_then(|queue| queue.work.front()).is_none_or(|(number, _)| *number > point.number)
    }

    /// Does all work up to a point.
    pub(crate) fn reach(&self, point: Point) -> Outcome {
        let mut state = self.state();
        state.drain(point.stream, point.number);
        state.report()
    }

    /// Does all work of a stream and waits for its calls.
    pub(crate) fn synchronize(&self, stream: usize) -> Outcome {
        let mut state = self.state();
        state.drain(stream, u64::MAX);
        state.join(stream);
        state.report()
    }

    /// Does all work.
    pub(crate) fn synchronize_all(&self) -> Outcome {
        let mut state = self.state();
        let streams: Vec<usize> = state.queues.keys().copied().collect();
        for stream in streams {
            state.drain(stream, u64::MAX);
            state.join(stream);
        }
        state.report()
    }

    /// `cuStreamQuery`. Each call lets the stream get on by one piece of
    /// work, so that a program that polls comes to an end. A call is work of
    /// its stream until it has returned.
    pub(crate) fn query(&self, stream: usize) -> Outcome {
        let mut state = self.state();
        let Some(number) = state.first(stream) else {
            return if state.calls(stream) { Err(Status::NOT_READY) } else { state.report() };
        };
        state.drain(stream, number);
        state.report()?;
        Err(Status::NOT_READY)
    }

    /// Whether any work waits.
    pub(crate) fn busy(&self) -> bool {
        let state = self.state();
        state.queues.values().any(|queue| !queue.work.is_empty() || queue.calls())
    }

    /// The error of a kernel, which nothing but a new context removes.
    pub(crate) fn fault(&self) -> Outcome {
        self.state().fault
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    fn first(&self, stream: usize) -> Option<u64> {
        self.queues.get(&stream)?.work.front().map(|(number, _)| *number)
    }

    /// Whether a call of the stream has not returned.
    fn calls(&self, stream: usize) -> bool {
        self.queues.get(&stream).is_some_and(Queue::calls)
    }

    /// What a synchronising call returns.
    fn report(&mut self) -> Outcome {
        self.fault.and(std::mem::replace(&mut self.failure, Ok(())))
    }

    /// Does the work of a stream up to a number. Numbers fall from one
    /// recursion to the next, so they come to an end.
    fn drain(&mut self, stream: usize, last: u64) {
        while let Some(number) = self.first(stream).filter(|number| *number <= last) {
            for other in self.before(stream) {
                self.drain(other, number - 1);
            }
            let work = self.queues.get_mut(&stream).and_then(|queue| queue.work.pop_front());
            if let Some((_, work)) = work {
                self.perform(stream, work);
            }
        }
    }

    /// The streams whose earlier work comes before that of `stream`.
    fn before(&self, stream: usize) -> Vec<usize> {
        match self.queues.get(&stream) {
            Some(_) if stream == DEFAULT => {
                let others = self
                    .queues
                    .iter()
                    .filter(|(other, queue)| **other != DEFAULT && queue.blocking);
                others.map(|(other, _)| *other).collect()
            }
            Some(queue) if queue.blocking => vec![DEFAULT],
            _ => Vec::new(),
        }
    }

    fn perform(&mut self, stream: usize, work: Work) {
        self.join(stream);
        match work {
            Work::Call(call) => {
                let outcome = self.fault;
                let thread = std::thread::Builder::new().name("softcuda".to_owned());
                // Without a thread the program has to do without its call.
                if let Ok(thread) = thread.spawn(move || call(outcome))
                    && let Some(queue) = self.queues.get_mut(&stream)
                {
                    queue.calls.push(thread);
                }
            }
            _ if self.fault.is_err() => {}
            Work::Wait(point) => self.drain(point.stream, point.number),
            Work::Task(task) => self.failure = self.failure.and(task()),
            Work::Kernel(kernel) => self.fault = kernel(),
        }
    }

    /// Waits for the calls of a stream.
    fn join(&mut self, stream: usize) {
        let Some(queue) = self.queues.get_mut(&stream) else { return };
        for call in queue.calls.drain(..) {
            // A call that ends its thread by force has ended all the same.
            let _ = call.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    type Log = Arc<Mutex<Vec<&'static str>>>;

    fn note(log: &Log, name: &'static str) -> Work {
        let log = Arc::clone(log);
        Work::Task(Box::new(move || {
            log.lock().unwrap().push(name);
            Ok(())
        }))
    }

    fn taken(log: &Log) -> Vec<&'static str> {
        std::mem::take(&mut log.lock().unwrap())
    }

    #[test]
    fn immediate_work_is_done_at_once() {
        let (streams, log) = (Streams::new(false), Log::default());
        let stream = streams.create(true);
        streams.push(stream, note(&log, "a")).unwrap();
        assert_eq!(taken(&log), ["a"]);
        assert_eq!(streams.query(stream), Ok(()));
    }

    #[test]
    fn deferred_work_waits_for_its_own_stream() {
        let (streams, log) = (Streams::new(true), Log::default());
        let (first, second) = (streams.create(false), streams.create(false));
        streams.push(first, note(&log, "a")).unwrap();
        streams.push(second, note(&log, "b")).unwrap();
        assert!(taken(&log).is_empty() && streams.busy());
        streams.synchronize(second).unwrap();
        assert_eq!(taken(&log), ["b"]);
        assert_eq!(streams.query(first), Err(Status::NOT_READY));
        assert_eq!(streams.query(first), Ok(()));
        assert_eq!(taken(&log), ["a"]);
    }

    #[test]
    fn the_default_stream_keeps_its_place() {
        let (streams, log) = (Streams::new(true), Log::default());
        let (blocking, free) = (streams.create(true), streams.create(false));
        for (stream, name) in [(blocking, "a"), (free, "x"), (DEFAULT, "b"), (blocking, "c")] {
            streams.push(stream, note(&log, name)).unwrap();
        }
        streams.synchronize(blocking).unwrap();
        assert_eq!(taken(&log), ["a", "b", "c"]);
        streams.synchronize_all().unwrap();
        assert_eq!(taken(&log), ["x"]);
    }

    #[test]
    fn a_wait_pulls_the_other_stream() {
        let (streams, log) = (Streams::new(true), Log::default());
        let (first, second) = (streams.create(false), streams.create(false));
        streams.push(first, note(&log, "a")).unwrap();
        let point = streams.point(first);
        streams.push(first, note(&log, "later")).unwrap();
        streams.push(second, Work::Wait(point)).unwrap();
        streams.push(second, note(&log, "b")).unwrap();
        assert!(!streams.reached(point));
        streams.synchronize(second).unwrap();
        assert_eq!(taken(&log), ["a", "b"]);
        assert!(streams.reached(point));
    }

    #[test]
    fn a_failed_kernel_ends_everything() {
        let (streams, log) = (Streams::new(false), Log::default());
        let kernel = Work::Kernel(Box::new(|| Err(Status::ILLEGAL_ADDRESS)));
        assert_eq!(streams.push(DEFAULT, kernel), Ok(()), "the launch itself succeeds");
        assert_eq!(streams.synchronize_all(), Err(Status::ILLEGAL_ADDRESS));
        assert_eq!(streams.push(DEFAULT, note(&log, "a")), Err(Status::ILLEGAL_ADDRESS));
        assert_eq!(streams.fault(), Err(Status::ILLEGAL_ADDRESS));
        assert!(taken(&log).is_empty());
    }

    #[test]
    fn a_failed_copy_is_reported_once() {
        let streams = Streams::new(true);
        let task = Work::Task(Box::new(|| Err(Status::INVALID_VALUE)));
        streams.push(DEFAULT, task).unwrap();
        assert_eq!(streams.synchronize(DEFAULT), Err(Status::INVALID_VALUE));
        assert_eq!(streams.synchronize(DEFAULT), Ok(()));
    }

    #[test]
    fn calls_come_from_another_thread_and_in_order() {
        let (streams, log) = (Streams::new(false), Log::default());
        let here = std::thread::current().id();
        let inner = Arc::clone(&log);
        let call = move |_| {
            assert_ne!(std::thread::current().id(), here);
            inner.lock().unwrap().push("call");
        };
        streams.push(DEFAULT, Work::Call(Box::new(call))).unwrap();
        streams.push(DEFAULT, note(&log, "after")).unwrap();
        assert_eq!(taken(&log), ["call", "after"]);
        streams.destroy(DEFAULT).unwrap();
    }

    #[test]
    fn a_stream_is_not_ready_before_its_call_has_returned() {
        let streams = Streams::new(false);
        let (end, wait) = std::sync::mpsc::channel::<()>();
        let call = move |_| wait.recv().unwrap();
        streams.push(DEFAULT, Work::Call(Box::new(call))).unwrap();
        assert_eq!(streams.query(DEFAULT), Err(Status::NOT_READY));
        assert!(streams.busy());
        end.send(()).unwrap();
        streams.synchronize(DEFAULT).unwrap();
        assert_eq!(streams.query(DEFAULT), Ok(()));
        assert!(!streams.busy());
    }
}
