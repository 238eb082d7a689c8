//! The paths of fields as people write them: `nodes[torso].mesh.diffuse`, `sequences[*].start`.

use std::fmt;

/// The path of a field, or of all fields that fit it.
///
/// Steps are separated by `.`, or by ` > ` as the inspector prints them. A step is a name with an index, a label or `*` in
/// brackets: `nodes[7]`, `nodes[torso]`, `nodes[*]`. Labels with a bracket are quoted: `nodes["a]b"]`. Letter case does not
/// count in names, and a space is the same as `_`. Steps without an index may be left out (`sequences[0].start` for
/// `SEQS > sequences[0] "Stand" > start`), and so may the end of `mesh head` or `file header`.
///
/// ```
/// use galatea_wire::FieldPath;
/// let printed: FieldPath = r#"nodes[7] "torso" > mesh head.diffuse[1]"#.parse()?;
/// assert!(!printed.is_wild());
/// assert!("nodes[*].mesh.shadow".parse::<FieldPath>()?.is_wild());
/// assert!("nodes[7".parse::<FieldPath>().is_err());
/// # Ok::<(), galatea_wire::NotAPath>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPath {
    text: String,
    pub(crate) file: Option<String>,
    pub(crate) steps: Vec<Step>,
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Step {
    /// As written, but for case and spaces.
    pub(crate) name: String,
    /// What is in brackets.
    pub(crate) picks: Vec<Pick>,
    /// The label behind the brackets, in the way of the inspector.
    pub(crate) label: Option<String>,
}

/// Which one of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pick {
    Index(usize),
    Label(String),
    All,
}

/// A text that is not a [`FieldPath`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAPath(&'static str);

impl fmt::Display for NotAPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for NotAPath {}

impl FieldPath {
    /// Returns `true` if the path has a `*`, so that it may mean several fields.
    pub fn is_wild(&self) -> bool {
        self.steps.iter().any(|step| step.picks.contains(&Pick::All))
    }

    /// Returns the extension before a colon, for paths that mean one of the files of a document: `mdx:nodes[4].rows[0].positions`.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns a name as it is compared: letter case does not count, and a space is the same as `_`.
pub(crate) fn plain(name: &str) -> String {
    name.trim().chars().map(|c| if c == ' ' || c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}

impl std::str::FromStr for FieldPath {
    type Err = NotAPath;

    fn from_str(text: &str) -> Result<Self, NotAPath> {
        let (file, mut rest) = match text.split_once(':') {
            Some((file, rest)) if !file.is_empty() && !file.contains(['[', '"', '.', '>', ' ']) => {
                (Some(file.to_ascii_lowercase()), rest)
            }
            _ => (None, text),
        };
        let mut steps = Vec::new();
        loop {
            let (step, after) = one_step(rest)?;
            steps.push(step);
            let after = after.trim_start();
            if after.is_empty() {
                break;
            }
            rest = after.strip_prefix(['.', '>']).ok_or(NotAPath("has something behind a bracket"))?;
        }
        if steps.len() > 32 {
            return Err(NotAPath("has too many steps"));
        }
        Ok(FieldPath { text: text.trim().to_owned(), file, steps })
    }
}

/// Reads one step, and returns what follows it.
fn one_step(text: &str) -> Result<(Step, &str), NotAPath> {
    let end = text.find(['.', '>', '[', '"']).unwrap_or(text.len());
    let (name, mut rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let mut step = Step { name: plain(name), ..Step::default() };
    if step.name.is_empty() {
        return Err(NotAPath("has a step without a name"));
    }
    loop {
        if let Some(inside) = rest.strip_prefix('[') {
            let (pick, after) = match inside.strip_prefix('"') {
                Some(quoted) => {
                    let (label, after) = quoted_text(quoted)?;
                    let after = after.strip_prefix(']').ok_or(NotAPath("has an open bracket"))?;
                    (Pick::Label(label), after)
                }
                None => {
                    let (inside, after) = inside.split_once(']').ok_or(NotAPath("has an open bracket"))?;
                    let pick = match (inside, inside.parse()) {
                        ("*", _) => Pick::All,
                        ("", _) => return Err(NotAPath("has empty brackets")),
                        (_, Ok(index)) => Pick::Index(index),
                        _ => Pick::Label(inside.to_owned()),
                    };
                    (pick, after)
                }
            };
            step.picks.push(pick);
            rest = after;
        } else if let Some(quoted) = rest.trim_start().strip_prefix('"') {
            let (label, after) = quoted_text(quoted)?;
            step.label = Some(label);
            rest = after;
        } else {
            return Ok((step, rest));
        }
    }
}

/// Reads up to the closing quote. The escapes of the inspector are undone.
fn quoted_text(text: &str) -> Result<(String, &str), NotAPath> {
    let mut escaped = false;
    let end = text.char_indices().find(|(_, c)| {
        let closes = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        closes
    });
    let (at, _) = end.ok_or(NotAPath("has an open quote"))?;
    let (inside, rest) = text.split_at_checked(at).unwrap_or((text, ""));
    let bytes = crate::text::unescape(inside).ok_or(NotAPath("has an unknown escape"))?;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), rest.strip_prefix('"').unwrap_or(rest)))
}

/// Returns the candidate that a misspelled name most probably stands for; `None` if none is near enough.
///
/// ```
/// use galatea_wire::near;
/// assert_eq!(near("difuse", ["ambient", "diffuse", "area"]), Some("diffuse"));
/// assert_eq!(near("zzz", ["ambient", "diffuse"]), None);
/// ```
pub fn near<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let wanted = plain(name);
    let most = (wanted.chars().count() / 3).max(1);
    let scored = candidates.into_iter().filter(|c| c.len() <= 256).map(|c| (distance(&wanted, &plain(c)), c));
    scored.filter(|(d, _)| *d <= most).min_by_key(|(d, _)| *d).map(|(_, c)| c)
}

/// Returns the fewest letters to insert, delete, replace or swap with the next to turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(256).collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX - 1);
            let replaced = at(&row, j) + usize::from(x != y);
            let mut best = replaced.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<Step> {
        text.parse::<FieldPath>().unwrap().steps
    }

    fn step(name: &str, picks: &[Pick], label: Option<&str>) -> Step {
        Step { name: name.into(), picks: picks.to_vec(), label: label.map(str::to_owned) }
    }

    #[test]
    fn paths_are_read_as_people_and_the_inspector_write_them() {
        let torso = Pick::Label("torso".into());
        assert_eq!(
            steps("nodes[torso].Mesh Head"),
            [step("nodes", &[torso], None), step("mesh_head", &[], None)]
        );
        assert_eq!(
            steps(r#"nodes[7] "a\"b" > rows[64].positions[0]"#),
            [
                step("nodes", &[Pick::Index(7)], Some("a\"b")),
                step("rows", &[Pick::Index(64)], None),
                step("positions", &[Pick::Index(0)], None),
            ]
        );
        assert_eq!(steps(r#"n["a]b.c"][*]"#), [step("n", &[Pick::Label("a]b.c".into()), Pick::All], None)]);
        assert_eq!(steps(r#"MODL "x" > name"#), [step("modl", &[], Some("x")), step("name", &[], None)]);
    }

    #[test]
    fn a_file_comes_before_a_colon() {
        let path: FieldPath = "MDX:rows[0].positions".parse().unwrap();
        assert_eq!((path.file(), path.steps.len()), (Some("mdx"), 2));
        assert_eq!("nodes[a:b].x".parse::<FieldPath>().unwrap().file(), None);
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for bad in ["", ".", "a..b", "a[", "a[]", "a[0", "a[0]b", "a[\"x]", "a \"x", "a[\"\\q\"]"] {
            assert!(bad.parse::<FieldPath>().is_err(), "{bad}");
        }
    }

    #[test]
    fn distances_count_letters() {
        for (a, b, d) in
            [("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("", "ab", 2), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(a, b), d, "{a} {b}");
        }
    }
}
