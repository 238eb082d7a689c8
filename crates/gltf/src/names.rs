//! Names, which are unique in our documents because Blender makes them so.

use std::borrow::Cow;
use std::cell::LazyCell;

use foldhash::{HashMap, HashSet};

/// Returns unique names in the order of the originals. The first of equal names is kept, the others and empty ones get a number.
///
/// A changed name is the original, a dot and digits: see [`original`].
pub(crate) fn unique<'a>(
    names: impl ExactSizeIterator<Item = &'a str> + Clone,
    nameless: &'a str,
) -> Vec<Cow<'a, str>> {
    let originals = names.clone();
    // Only needed if a name has to be changed.
    let all = LazyCell::new(|| originals.collect::<HashSet<&str>>());
    let mut taken: HashSet<Cow<'a, str>> = HashSet::with_capacity_and_hasher(names.len(), Default::default());
    let mut numbers: HashMap<&str, u32> = HashMap::default();
    names
        .map(|name| {
            let base = short(if name.is_empty() { nameless } else { name });
            let mut chosen = Cow::Borrowed(base);
            while taken.contains(&chosen) || (chosen != name && all.contains(&*chosen)) {
                let number = numbers.entry(base).or_default();
                *number += 1;
                chosen = Cow::Owned(format!("{base}.{number:03}"));
            }
            taken.insert(chosen.clone());
            chosen
        })
        .collect()
}

/// Length of shortened names: Blender truncates names of bones to 63 bytes, and a number may follow.
const ROOM: usize = 58;

fn short(name: &str) -> &str {
    if name.len() <= 63 {
        return name;
    }
    let end = (0..=ROOM).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
    name.get(..end).unwrap_or(name)
}

/// Returns the name before it was made unique, which extras have; an edited name wins.
pub(crate) fn original(found: &str, was: Option<&str>, nameless: &str) -> String {
    let Some(was) = was else { return found.to_owned() };
    let base = short(if was.is_empty() { nameless } else { was });
    let number = |rest: &str| rest.is_empty() || rest.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if found.strip_prefix(base).is_some_and(number) { was.to_owned() } else { found.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_get_numbers_and_come_back() {
        let names = ["a", "b", "a", "a.001", "", "a", ""];
        let made = unique(names.into_iter(), "node");
        assert_eq!(made, ["a", "b", "a.002", "a.001", "node", "a.003", "node.001"]);
        for (made, name) in made.iter().zip(names) {
            assert_eq!(original(made, Some(name), "node"), name);
        }
        assert_eq!(original("hand", Some("a"), "node"), "hand");
        let long = ["x".repeat(70), "x".repeat(80)];
        let made = unique(long.iter().map(String::as_str), "node");
        assert!(made[0] != made[1] && made.iter().all(|m| m.len() <= 63));
        assert_eq!(original(&made[1], Some(&long[1]), "node"), long[1]);
        assert_eq!(original("a.001", None, "node"), "a.001");
    }

    #[test]
    fn many_twins_take_no_time() {
        let names: Vec<String> = (0..3000).map(|i| format!("n{}", i % 3)).collect();
        let made = unique(names.iter().map(String::as_str), "node");
        assert_eq!(made.iter().collect::<HashSet<_>>().len(), 3000);
    }
}
