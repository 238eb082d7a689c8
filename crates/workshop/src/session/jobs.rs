//! Work that must not keep the window waiting, with progress and a way to stop it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A piece of work.
pub(crate) type Work = Box<dyn FnOnce() + Send>;

/// Runs work. The window has threads; the page, where there are none, and most tests do it on the spot.
pub(crate) trait Executor: Send + Sync {
    /// Runs work that somebody waits for.
    fn now(&self, work: Work);
    /// Runs work that can wait, one after the other.
    fn later(&self, work: Work);
}

/// Does everything on the spot.
#[cfg(any(test, target_arch = "wasm32"))]
#[derive(Debug, Default)]
pub(crate) struct OnTheSpot;

#[cfg(any(test, target_arch = "wasm32"))]
impl Executor for OnTheSpot {
    fn now(&self, work: Work) {
        work();
    }

    fn later(&self, work: Work) {
        work();
    }
}

/// Threads: a new one for what somebody waits for, and a single one for all else.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) struct Threads {
    later: std::sync::mpsc::Sender<Work>,
    wake: Arc<dyn Fn() + Send + Sync>,
}

#[cfg(not(target_arch = "wasm32"))]
impl Threads {
    /// `wake` is called whenever some work is done.
    pub(crate) fn new(wake: Arc<dyn Fn() + Send + Sync>) -> Threads {
        let (later, todo) = std::sync::mpsc::channel::<Work>();
        let woken = Arc::clone(&wake);
        // It ends with the sender.
        let _ = std::thread::Builder::new().name("background".into()).spawn(move || {
            while let Ok(work) = todo.recv() {
                work();
                woken();
            }
        });
        Threads { later, wake }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Executor for Threads {
    fn now(&self, work: Work) {
        let wake = Arc::clone(&self.wake);
        let work = Arc::new(Mutex::new(Some(work)));
        let kept = Arc::clone(&work);
        let take =
            move |work: &Mutex<Option<Work>>| work.lock().unwrap_or_else(PoisonError::into_inner).take();
        let started = std::thread::Builder::new().name("work".into()).spawn(move || {
            if let Some(work) = take(&work) {
                work();
            }
            wake();
        });
        // Without a thread to be had, the window waits.
        if started.is_err()
            && let Some(work) = kept.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            work();
        }
    }

    fn later(&self, work: Work) {
        if let Err(error) = self.later.send(work) {
            self.now(error.0);
        }
    }
}

/// How far a task is, and whether anybody still wants it.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    done: AtomicUsize,
    all: AtomicUsize,
    cancelled: AtomicBool,
}

impl Progress {
    /// Says that this much of all is done.
    pub(crate) fn set(&self, done: usize, all: usize) {
        self.done.store(done, Ordering::Relaxed);
        self.all.store(all, Ordering::Relaxed);
    }

    /// Returns how much is done, from 0 to 1, if that is known.
    pub(crate) fn part(&self) -> Option<f32> {
        let (done, all) = (self.done.load(Ordering::Relaxed), self.all.load(Ordering::Relaxed));
        (all > 0).then(|| done as f32 / all as f32)
    }

    /// Returns `true` if nobody wants the result any more.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// What a task gave, or why it failed.
pub(crate) type Outcome<T> = Result<T, String>;

/// Work in progress. Dropping it cancels it.
pub(crate) struct Task<T> {
    /// What is done, for people.
    pub(crate) what: String,
    outcome: Arc<Mutex<Option<Outcome<T>>>>,
    progress: Arc<Progress>,
}

impl<T: Send + 'static> Task<T> {
    /// Starts work that somebody waits for.
    pub(crate) fn start(
        executor: &dyn Executor,
        what: impl Into<String>,
        work: impl FnOnce(&Progress) -> Outcome<T> + Send + 'static,
    ) -> Task<T> {
        let (task, work) = Task::prepare(what.into(), work);
        executor.now(work);
        task
    }

    /// Starts work that can wait.
    pub(crate) fn start_later(
        executor: &dyn Executor,
        what: impl Into<String>,
        work: impl FnOnce(&Progress) -> Outcome<T> + Send + 'static,
    ) -> Task<T> {
        let (task, work) = Task::prepare(what.into(), work);
        executor.later(work);
        task
    }

    fn prepare(what: String, work: impl FnOnce(&Progress) -> Outcome<T> + Send + 'static) -> (Task<T>, Work) {
        let outcome = Arc::new(Mutex::new(None));
        let progress = Arc::new(Progress::default());
        let task = Task { what, outcome: Arc::clone(&outcome), progress: Arc::clone(&progress) };
        let work = Box::new(move || {
            if progress.is_cancelled() {
                return;
            }
            // Nothing that a file makes happen may take unsaved changes of another one with it.
            let result = catch_unwind(AssertUnwindSafe(|| work(&progress)));
            let result = result
                .unwrap_or_else(|_| Err("an error of Galatea itself; please report it with the file".into()));
            *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        });
        (task, work)
    }

    /// Returns the outcome, once.
    pub(crate) fn take(&self) -> Option<Outcome<T>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns how much is done, if that is known.
    pub(crate) fn part(&self) -> Option<f32> {
        self.progress.part()
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.progress.cancelled.store(true, Ordering::Relaxed);
    }
}

/// Returns the outcome of a task that is done, and forgets the task.
pub(crate) fn finished<T: Send + 'static>(task: &mut Option<Task<T>>) -> Option<Outcome<T>> {
    let outcome = task.as_ref()?.take()?;
    *task = None;
    Some(outcome)
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail loudly"
)]
mod tests {
    use super::*;

    #[test]
    fn work_that_panics_is_an_error_and_nothing_else() {
        let task: Task<()> = Task::start(&OnTheSpot, "work", |_| panic!("a bug"));
        assert!(task.take().is_some_and(|outcome| outcome.is_err_and(|e| e.contains("report it"))));
        assert!(task.take().is_none());
    }

    #[test]
    fn threads_finish_what_is_wanted_and_skip_what_is_not() {
        let (send, receive) = std::sync::mpsc::channel();
        let threads = Threads::new(Arc::new(move || send.send(()).unwrap_or_default()));
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let first = Task::start_later(&threads, "first", move |_| held.recv().map_err(|e| e.to_string()));
        let second: Task<u8> = Task::start_later(&threads, "second", |_| Ok(2));
        let outcome = Arc::clone(&second.outcome);
        drop(second);
        let third = Task::start(&threads, "third", |progress| {
            progress.set(1, 2);
            Ok(3)
        });
        receive.recv().unwrap();
        assert_eq!((third.part(), third.take()), (Some(0.5), Some(Ok(3))));
        hold.send(()).unwrap();
        receive.recv().unwrap();
        receive.recv().unwrap();
        assert_eq!(first.take(), Some(Ok(())));
        assert!(outcome.lock().unwrap().is_none(), "nobody wanted it any more");
    }
}
