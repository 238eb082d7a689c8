//! How much memory the images of one model may take.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of decoded images that even the smallest files may become: one of 4096 x 4096 pixels.
const DECODED: u64 = 64 << 20;
/// Bytes of decoded images for each byte of a file: blocks of BC1 become eight.
const DECODED_PER_BYTE: u64 = 8;
/// Bytes of images that are ready to be drawn with, in the same way.
const DRAWN: u64 = 24 << 20;
const DRAWN_PER_BYTE: u64 = 12;

/// What is left for the images of a model.
#[derive(Debug)]
pub(super) struct Budget {
    decoded: AtomicU64,
    drawn: AtomicU64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { decoded: AtomicU64::new(DECODED), drawn: AtomicU64::new(DRAWN) }
    }
}

impl Budget {
    /// Allows for what a file of so many bytes may become.
    pub(super) fn earn(&self, packed: u64) {
        self.decoded.fetch_add(packed.saturating_mul(DECODED_PER_BYTE), Ordering::Relaxed);
        self.drawn.fetch_add(packed.saturating_mul(DRAWN_PER_BYTE), Ordering::Relaxed);
    }

    /// Returns the bytes that may still be decoded.
    pub(super) fn left(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    /// Charges for a decoded image; `false` if there is not as much left.
    pub(super) fn decode(&self, bytes: usize) -> bool {
        spend(&self.decoded, bytes as u64)
    }

    /// Charges for an image to draw with; `false` if there is not as much left.
    #[cfg(feature = "preview")]
    pub(super) fn draw(&self, bytes: u64) -> bool {
        spend(&self.drawn, bytes)
    }
}

fn spend(from: &AtomicU64, bytes: u64) -> bool {
    from.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_earn_what_their_images_take() {
        let budget = Budget::default();
        assert!(budget.decode(64 << 20) && !budget.decode(1));
        budget.earn(1 << 20);
        assert_eq!(budget.left(), 8 << 20);
        assert!(budget.decode(8 << 20) && !budget.decode(1));
        assert!(budget.draw(36 << 20) && !budget.draw(1));
    }
}
