//! Decoded textures that several models use, under a budget of memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::Decoded;

/// Bytes of decoded textures that are kept for the next model that asks. A batch of any size stays below 150 MB with it.
const BUDGET: usize = 48 << 20;

/// The number of a library, and that of a file in it.
pub(super) type Key = (u64, usize);

/// Textures that were decoded, or why they could not be.
#[derive(Debug, Default)]
pub(super) struct Cache {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    kept: HashMap<Key, Kept>,
    /// Those that are no longer kept here, but by somebody who works with them.
    lent: HashMap<Key, Weak<Decoded>>,
    bytes: usize,
    clock: u64,
}

#[derive(Debug)]
struct Kept {
    decoded: Result<Arc<Decoded>, String>,
    bytes: usize,
    used: u64,
}

impl Cache {
    /// Returns the texture of this key, which is decoded at the first call. Two threads may decode one texture at the same
    /// time; both get the first result. Failures are kept only if `final_failures`: what is too large for the budget of one
    /// model may fit into that of the next.
    pub(super) fn get_or_decode(
        &self,
        key: Key,
        final_failures: bool,
        decode: impl FnOnce() -> Result<Decoded, String>,
    ) -> Result<Arc<Decoded>, String> {
        if let Some(known) = self.lock().touch(key) {
            return known;
        }
        // Not under the lock: decoding takes a while, and other textures are wanted meanwhile.
        let decoded = decode().map(Arc::new);
        let mut inner = self.lock();
        if let Some(known) = inner.touch(key) {
            return known;
        }
        if decoded.is_ok() || final_failures {
            inner.keep(key, decoded.clone());
        }
        decoded
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn touch(&mut self, key: Key) -> Option<Result<Arc<Decoded>, String>> {
        self.clock += 1;
        match self.kept.get_mut(&key) {
            Some(kept) => {
                kept.used = self.clock;
                Some(kept.decoded.clone())
            }
            None => self.lent.get(&key)?.upgrade().map(Ok),
        }
    }

    fn keep(&mut self, key: Key, decoded: Result<Arc<Decoded>, String>) {
        let bytes = match &decoded {
            Ok(decoded) => decoded.bytes(),
            Err(why) => why.len(),
        } + size_of::<Kept>();
        if self.bytes + bytes > BUDGET {
            self.forget(BUDGET.saturating_sub(bytes).min(BUDGET / 2));
        }
        self.bytes += bytes;
        self.kept.insert(key, Kept { decoded, bytes, used: self.clock });
    }

    /// Forgets those that nobody asked for lately, until no more than this is kept.
    fn forget(&mut self, most: usize) {
        self.lent.retain(|_, decoded| decoded.strong_count() > 0);
        let mut oldest: Vec<(u64, Key)> = self.kept.iter().map(|(key, kept)| (kept.used, *key)).collect();
        oldest.sort_unstable();
        for (_, key) in oldest {
            if self.bytes <= most {
                break;
            }
            let Some(kept) = self.kept.remove(&key) else { continue };
            self.bytes -= kept.bytes;
            if let Ok(decoded) = &kept.decoded
                && Arc::strong_count(decoded) > 1
            {
                self.lent.insert(key, Arc::downgrade(decoded));
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail loudly")]
mod tests {
    use galatea_texture::{Image, Txi};

    use super::*;

    fn texture(side: u32) -> Decoded {
        Decoded {
            image: Arc::new(Image::filled(side, side, [0; 4])),
            txi: Txi::default(),
            alpha_mean: 1.0,
            two_channels: false,
            path: String::new(),
            file: None,
        }
    }

    #[test]
    fn a_texture_is_decoded_once_and_a_failure_too() {
        let cache = Cache::default();
        let first = cache.get_or_decode((0, 1), true, || Ok(texture(8))).unwrap();
        let again = cache.get_or_decode((0, 1), true, || Err("decoded again".into())).unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(cache.get_or_decode((0, 2), true, || Err("broken".into())).unwrap_err(), "broken");
        assert_eq!(cache.get_or_decode((0, 2), true, || Ok(texture(8))).unwrap_err(), "broken");
        assert!(cache.get_or_decode((1, 2), true, || Ok(texture(8))).is_ok(), "another library");
        assert!(cache.get_or_decode((0, 3), false, || Err("too large for this model".into())).is_err());
        assert!(cache.get_or_decode((0, 3), false, || Ok(texture(8))).is_ok());
    }

    #[test]
    fn the_budget_holds_and_what_is_used_stays() {
        let cache = Cache::default();
        let decoded = std::cell::Cell::new(0);
        for id in 1..200 {
            cache.get_or_decode((0, id), true, || Ok(texture(512))).unwrap();
            let favourite = || {
                decoded.set(decoded.get() + 1);
                Ok(texture(512))
            };
            cache.get_or_decode((0, 0), true, favourite).unwrap();
            assert!(cache.lock().bytes <= BUDGET, "after {id}");
        }
        assert_eq!(decoded.get(), 1);
        let total: usize = cache.lock().kept.values().map(|kept| kept.bytes).sum();
        assert_eq!(total, cache.lock().bytes);
        assert!(cache.lock().kept.len() < 60 && cache.lock().lent.is_empty());
    }

    #[test]
    fn what_somebody_works_with_is_never_decoded_twice() {
        let cache = Cache::default();
        let held: Vec<_> =
            (0..3).map(|id| cache.get_or_decode((0, id), true, || Ok(texture(2600))).unwrap()).collect();
        assert!(cache.lock().kept.len() < held.len());
        for (id, first) in held.iter().enumerate() {
            let again = cache.get_or_decode((0, id), true, || Err("decoded again".into())).unwrap();
            assert!(Arc::ptr_eq(first, &again));
        }
    }
}
