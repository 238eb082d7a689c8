//! Names for formats that limit their length.

use std::collections::{HashMap, HashSet};

/// A set of names that fit into a format and differ even without regard to case.
///
/// Characters outside Latin-1 become `_`, long names are cut, and a name that is taken gets a number.
///
/// ```
/// let mut names = galatea_scene::UniqueNames::new(31);
/// assert_eq!(names.fit("Arm"), "Arm");
/// assert_eq!(names.fit("arm"), "arm_2");
/// let mut names = galatea_scene::UniqueNames::new(5);
/// assert_eq!(names.fit("two\nlines"), "two_l");
/// assert_eq!(names.fit("two\nlines"), "two_2");
/// ```
#[derive(Debug, Clone)]
pub struct UniqueNames {
    room: usize,
    taken: HashSet<String>,
    /// The next number to try after a stem, so that equal names do not count from the start each time.
    next: HashMap<String, u32>,
}

impl UniqueNames {
    /// Returns an empty set of names of at most `room` characters.
    pub fn new(room: usize) -> Self {
        UniqueNames { room, taken: HashSet::new(), next: HashMap::new() }
    }

    /// Marks a name as taken.
    pub fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_lowercase());
    }

    /// Returns `true` if [`UniqueNames::fit`] would change this name even if it were free.
    pub fn must_change(&self, name: &str) -> bool {
        name.is_empty() || name.chars().any(|c| clean(c) != c) || name.chars().count() > self.room
    }

    /// Returns the name as it fits, and marks it as taken.
    pub fn fit(&mut self, name: &str) -> String {
        let name = if name.is_empty() { "node" } else { name };
        let clean: Vec<char> = name.chars().map(clean).take(self.room).collect();
        let whole: String = clean.iter().collect();
        if self.taken.insert(whole.to_lowercase()) {
            return whole;
        }
        // With more digits less of a long name is left, and another count begins.
        for digits in 1..10 {
            let stem: String = clean.iter().take(self.room.saturating_sub(1 + digits as usize)).collect();
            let first = 10u32.pow(digits - 1).max(2);
            let next = self.next.entry(stem.to_lowercase()).or_insert(first);
            *next = first.max(*next);
            while *next < 10u32.pow(digits) {
                let fit = format!("{stem}_{next}");
                *next += 1;
                if self.taken.insert(fit.to_lowercase()) {
                    return fit;
                }
            }
        }
        whole
    }
}

fn clean(c: char) -> char {
    if c.is_control() || c == '"' || u32::from(c) > 0xFF { '_' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_however_long_they_are() {
        let mut names = UniqueNames::new(8);
        names.reserve("MESH_3");
        let made: Vec<_> = (0..4).map(|_| names.fit("mesh")).collect();
        assert_eq!(made, ["mesh", "mesh_2", "mesh_4", "mesh_5"]);
        let all: HashSet<String> = (0..3000).map(|i| names.fit(["longname", "longnamf"][i % 2])).collect();
        assert_eq!(all.len(), 3000);
        assert!(all.iter().all(|name| name.len() <= 8), "{all:?}");
        assert!(all.contains("longna_2") && all.contains("long_100"));
    }

    #[test]
    fn many_twins_take_little_work() {
        // Counting from 1 each time would take 10^9 steps.
        let mut names = UniqueNames::new(31);
        (0..60_000).for_each(|_| drop(names.fit("node")));
        assert_eq!(names.fit("node"), "node_60001");
    }

    #[test]
    fn characters_without_a_counterpart_are_replaced() {
        let mut names = UniqueNames::new(31);
        assert!(names.must_change("\u{65E5}") && names.must_change("") && !names.must_change("Körper"));
        assert_eq!(names.fit("a\"\u{65E5}"), "a__");
        assert_eq!(names.fit(""), "node");
    }
}
