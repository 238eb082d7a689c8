//! How fast text is written and read. Run with `cargo test --release -p galatea-kotor --test ascii_speed -- --ignored`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail loudly")]

use std::time::{Duration, Instant};

use galatea_kotor::mdl::{Model, text};
use galatea_wire::Limits;

/// Time this thread has had on a processor, where the system tells: other work on the machine does not count then.
fn on_processor() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// The fastest of several runs.
fn best<T>(mut work: impl FnMut() -> T) -> Duration {
    let run = |_| {
        let (start, before) = (Instant::now(), on_processor());
        std::hint::black_box(work());
        before.and_then(|b| on_processor().map(|now| now - b)).unwrap_or_else(|| start.elapsed())
    };
    (0..5).map(run).min().unwrap()
}

#[test]
#[ignore = "needs an optimised build"]
fn text_is_written_and_read_fast() {
    let Some(dir) = galatea_trial::corpus("kotor") else { return };
    let mut models: Vec<Model> = Vec::new();
    for path in galatea_trial::files(&dir, &[".mdl"]) {
        let (mdl, mdx) =
            (std::fs::read(&path).unwrap(), std::fs::read(path.with_extension("mdx")).unwrap_or_default());
        models.extend(Model::read(&mdl, Some(&mdx), &Limits::default()));
    }
    let texts: Vec<Vec<u8>> = models.iter().map(|m| text::print(m).unwrap()).collect();
    let bytes: usize = texts.iter().map(Vec::len).sum();
    let printing = best(|| models.iter().map(|m| text::print(m).unwrap().len()).sum::<usize>());
    let parsing =
        best(|| texts.iter().map(|t| text::parse(t, &Limits::default()).unwrap().nodes.len()).sum::<usize>());
    let rate = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    println!("{bytes} bytes of text, print {:.0} MB/s, parse {:.0} MB/s", rate(printing), rate(parsing));
    assert!(rate(printing) >= 100.0 && rate(parsing) >= 50.0);
}
