//! The decoders of other people's crates, held to the limits.

use std::panic::{AssertUnwindSafe, catch_unwind};

use galatea_wire::{ErrorKind, Limits};

/// Runs a decoder of another crate. Decoders of PNG and JPEG are large, and some have panicked on damaged files: that
/// is an error in the file here, and must not end a batch. Whatever the decoder has built is dropped, so that nothing half
/// done is seen afterwards.
pub(crate) fn guarded<T>(decode: impl FnOnce() -> Result<T, ErrorKind>) -> Result<T, ErrorKind> {
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| {
        let (want, found) = ("an image that its decoder can read".into(), "one that makes it panic".into());
        Err(ErrorKind::Mismatch { want, found })
    })
}

/// Refuses what takes more memory to decode than eight bytes for each pixel that is allowed.
pub(crate) fn affordable(bytes: u64, limits: &Limits) -> Result<(), ErrorKind> {
    if bytes > limits.pixels.saturating_mul(8) {
        return Err(ErrorKind::Limit("bytes to decode an image with"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_decoder_is_an_error() {
        let wild: Vec<u8> = Vec::new();
        let result = guarded(|| Ok(wild[3]));
        assert!(matches!(result, Err(ErrorKind::Mismatch { .. })), "{result:?}");
    }
}
