//! The memory that each kind of work may take, counted by the allocator of every target.

use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Runs a native reader on an input of this length, within 4 x input + 8 MB.
pub(crate) fn native<T>(input: usize, body: impl FnOnce() -> T) -> T {
    within(4 * input + (8 << 20), body)
}

/// Runs glTF, images or a conversion on an input of this length, within 20 x input + 150 MB.
pub(crate) fn conversion<T>(input: usize, body: impl FnOnce() -> T) -> T {
    within(20 * input + (150 << 20), body)
}

/// Runs a function and asserts the most bytes it had allocated at a time.
fn within<T>(allowed: usize, body: impl FnOnce() -> T) -> T {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = body();
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    assert!(peak <= allowed, "{peak} bytes allocated, {allowed} allowed");
    result
}
