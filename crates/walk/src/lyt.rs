//! LYT: the text file that lists the rooms of an area with their positions and door hooks.

use galatea_wire::{Error, Limits, Result};

use crate::area::Transform;

/// A layout: rooms, tracks, obstacles and door hooks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layout {
    /// The source file of the layout.
    pub depends_on: Option<String>,
    /// Room models with their positions. `****` in the file is a room without a model: its name is empty here, so that the
    /// indices in transitions stay valid.
    pub rooms: Vec<Placed>,
    /// Tracks of the swoop races.
    pub tracks: Vec<Placed>,
    /// Obstacles of the swoop races.
    pub obstacles: Vec<Placed>,
    /// Door hooks.
    pub doors: Vec<DoorHook>,
}

/// A model and its position.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Placed {
    /// Name of the model.
    pub model: String,
    /// Where it is.
    pub position: [f32; 3],
}

/// A hook for a door.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DoorHook {
    /// The room it belongs to.
    pub room: String,
    /// Its name.
    pub name: String,
    /// Its position and orientation.
    pub place: Transform,
}

enum List {
    None,
    Rooms,
    Tracks,
    Obstacles,
    Doors,
}

impl Layout {
    /// Parses a LYT file. Keywords may have any case and indentation. The counts in the file are often wrong and are
    /// ignored.
    ///
    /// ```
    /// use galatea_walk::Layout;
    /// let text = "beginlayout\n roomcount 1\n  m01aa_01 10.0 20.5 0\n doorhookcount 1\n  m01aa_01 door_01 0 1 2 3 1 0 0 0\ndonelayout\n";
    /// let layout = Layout::parse(text, &Default::default())?;
    /// assert_eq!(layout.rooms[0].position, [10.0, 20.5, 0.0]);
    /// assert_eq!(layout.doors[0].place.rotation, [1.0, 0.0, 0.0, 0.0]);
    /// # Ok::<(), galatea_wire::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if a line has too few words or an invalid number; the error has line and column.
    pub fn parse(text: &str, limits: &Limits) -> Result<Layout> {
        let mut out = Layout::default();
        let mut list = List::None;
        for (number, line) in (1u32..).zip(text.lines()) {
            if number > limits.nodes {
                return Err(Error::at_line(galatea_wire::ErrorKind::Limit("lines"), number, 1));
            }
            let words = Words::new(line, number);
            let Some(&(_, first)) = words.words.first() else { continue };
            match first.to_ascii_lowercase().as_str() {
                "#maxlayout" | "beginlayout" => {}
                "donelayout" => break,
                "filedependancy" | "filedependency" => {
                    out.depends_on = words.word(1).ok().map(str::to_string)
                }
                "roomcount" => list = List::Rooms,
                "trackcount" => list = List::Tracks,
                "obstaclecount" => list = List::Obstacles,
                "doorhookcount" => list = List::Doors,
                _ => match list {
                    List::None => {}
                    List::Rooms => out.rooms.push(words.placed()?),
                    List::Tracks => out.tracks.push(words.placed()?),
                    List::Obstacles => out.obstacles.push(words.placed()?),
                    List::Doors => out.doors.push(words.door()?),
                },
            }
        }
        Ok(out)
    }
}

struct Words<'a> {
    /// Column (from 1) and text of each word.
    words: Vec<(u32, &'a str)>,
    line: u32,
    end: u32,
}

impl<'a> Words<'a> {
    fn new(line: &'a str, number: u32) -> Self {
        let mut words = Vec::new();
        let mut column = 1;
        // Splitting after each blank keeps the columns right for any kind of indentation.
        for piece in line.split_inclusive(char::is_whitespace) {
            let word = piece.trim_end();
            if !word.is_empty() {
                words.push((column, word));
            }
            column += piece.chars().count() as u32;
        }
        Words { words, line: number, end: column }
    }

    fn word(&self, i: usize) -> Result<&'a str> {
        let missing = || {
            Error::syntax(
                format!("expected {} words, found {}", i + 1, self.words.len()),
                self.line,
                self.end,
            )
        };
        self.words.get(i).map(|w| w.1).ok_or_else(missing)
    }

    fn number(&self, i: usize) -> Result<f32> {
        let word = self.word(i)?;
        let column = self.words.get(i).map_or(1, |w| w.0);
        let wrong = || {
            Error::syntax(
                format!("expected a number, found `{}`", galatea_wire::escape(word)),
                self.line,
                column,
            )
        };
        word.parse::<f32>().ok().filter(|n| n.is_finite()).ok_or_else(wrong)
    }

    fn vector(&self, i: usize) -> Result<[f32; 3]> {
        Ok([self.number(i)?, self.number(i + 1)?, self.number(i + 2)?])
    }

    fn placed(&self) -> Result<Placed> {
        let model = self.word(0)?;
        let model = if model == "****" { String::new() } else { model.to_string() };
        Ok(Placed { model, position: self.vector(1)? })
    }

    fn door(&self) -> Result<DoorHook> {
        let rotation = [self.number(6)?, self.number(7)?, self.number(8)?, self.number(9)?];
        let place = Transform { position: self.vector(3)?, rotation };
        Ok(DoorHook { room: self.word(0)?.to_string(), name: self.word(1)?.to_string(), place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_not_relied_on_and_empty_rooms_keep_their_number() {
        let text = "#MAXLAYOUT ASCII\r\nfiledependancy m01.max\r\nBeginLayout\r\n\troomcount 1\r\n\t a 1 2 3\r\n**** 4 5 6\r\n b 7 8 9\r\n trackcount 0\r\n obstaclecount 9\r\n doorhookcount 0\r\n";
        let layout = Layout::parse(text, &Limits::default()).unwrap();
        let names: Vec<&str> = layout.rooms.iter().map(|r| r.model.as_str()).collect();
        assert_eq!(names, ["a", "", "b"]);
        assert_eq!(layout.depends_on.as_deref(), Some("m01.max"));
        assert!(layout.doors.is_empty());
    }

    #[test]
    fn a_wrong_number_is_named_with_its_place() {
        let error = Layout::parse("roomcount 1\n  room 1 x 3\n", &Limits::default()).unwrap_err();
        assert_eq!(error.to_string(), "line 2, column 10: expected a number, found `x`");
        let error = Layout::parse("roomcount 1\nroom 1 2", &Limits::default()).unwrap_err();
        assert_eq!(error.to_string(), "line 2, column 9: expected 4 words, found 3");
    }
}
