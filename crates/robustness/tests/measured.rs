//! What is counted, and what is not.

use std::sync::Barrier;

use galatea_robustness::{files, measured};

const MB: usize = 1 << 20;

#[test]
fn the_peak_is_counted_not_the_sum_or_the_rest() {
    let (kept, peak) = measured(|| {
        for _ in 0..5 {
            drop(std::hint::black_box(vec![1u8; 3 * MB]));
        }
        vec![1u8; MB]
    });
    assert_eq!(kept.len(), MB);
    assert!((3 * MB..3 * MB + 4096).contains(&peak), "{peak}");
}

#[test]
fn what_was_allocated_before_is_not_counted() {
    let old = vec![1u8; 5 * MB];
    let (_, peak) = measured(|| {
        drop(std::hint::black_box(old));
        vec![1u8; MB]
    });
    assert!(peak <= MB + 4096, "{peak}");
}

/// Another test of the same binary allocates in the middle of the measured work.
#[test]
fn other_threads_are_not_counted() {
    let (begun, done) = (Barrier::new(2), Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            begun.wait();
            let large = std::hint::black_box(vec![1u8; 64 * MB]);
            done.wait();
            drop(large);
        });
        let (_, peak) = measured(|| {
            let own = std::hint::black_box(vec![1u8; MB]);
            begun.wait();
            done.wait();
            own.len()
        });
        assert!((MB..MB + 4096).contains(&peak), "{peak}");
    });
}

/// Memory of other threads is not counted, so the readers that are tried must not have any.
#[test]
fn the_crates_that_are_tried_spawn_no_threads() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["wire", "scene", "kotor", "mdlx", "fox", "texture", "gltf", "walk"] {
        let sources = files(&crates.join(name).join("src"), &[".rs"]);
        assert!(sources.len() > 3, "{name}");
        for path in sources {
            let text = std::fs::read_to_string(&path).unwrap();
            for word in ["thread::spawn", "thread::scope", "thread::Builder", "rayon"] {
                assert!(!text.contains(word), "{}: {word}", path.display());
            }
        }
    }
}
