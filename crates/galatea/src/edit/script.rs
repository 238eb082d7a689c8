//! Lists of operations: from a command line, and from a file.

use super::{NotAnOperation, Operation};

/// Parses operations, given their names and what follows them, in order.
pub fn parse_list<'a>(
    list: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<Operation>, NotAnOperation> {
    let mut joined: Vec<(&str, String)> = Vec::new();
    for (name, value) in list {
        match joined.last_mut() {
            // They say more about the operation before them.
            Some(("attach", attached)) if matches!(name, "to" | "at") => {
                *attached += &format!(" --{name} {value}")
            }
            _ => joined.push((name, value.to_owned())),
        }
    }
    joined.iter().map(|(name, value)| Operation::parse(name, value)).collect()
}

/// Parses a script: one operation per line, with or without the dashes. Empty lines and lines that begin with `#` are skipped.
///
/// ```
/// use galatea::edit::parse_script;
/// let operations = parse_script("# slower\n--set sequences[Walk].move_speed=200\nget sequences[*].name\n").unwrap();
/// assert_eq!(operations.len(), 2);
/// assert!(parse_script("set\n").unwrap_err().to_string().starts_with("line 1: "));
/// ```
pub fn parse_script(text: &str) -> Result<Vec<Operation>, NotAnOperation> {
    let mut out = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let name = name.strip_prefix("--").unwrap_or(name);
        let operation = Operation::parse(name, value.trim());
        out.push(operation.map_err(|error| NotAnOperation(format!("line {}: {error}", number + 1)))?);
    }
    Ok(out)
}
