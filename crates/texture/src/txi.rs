//! TXI: the lines of text that tell KotOR how to use a texture. Every byte is kept; unknown commands too.

use std::borrow::Cow;

use galatea_wire::Summary;

/// What follows a command on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Args {
    /// Anything, or nothing.
    Any,
    /// 0 or 1 (any whole number is taken).
    Switch,
    /// One number.
    Number,
    /// So many numbers.
    Numbers,
    /// One word, such as a blending mode.
    Word,
    /// The name of another texture or script.
    Name,
    /// A count, and that many lines of numbers below.
    Lines,
}

/// A command that the engine knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Its name in lower case.
    pub name: &'static str,
    /// What follows it.
    pub args: Args,
    /// What it does.
    pub doc: &'static str,
}

const fn command(name: &'static str, args: Args, doc: &'static str) -> Command {
    Command { name, args, doc }
}

/// Every command that the engine's files and tools know.
pub static COMMANDS: &[Command] = &[
    command("alphamean", Args::Number, "alpha-test threshold, as in the TPC header"),
    command("arturoheight", Args::Number, "height of an arturo procedural texture"),
    command("arturowidth", Args::Number, "width of an arturo procedural texture"),
    command("baselineheight", Args::Number, "font: height above the base line"),
    command("blending", Args::Word, "additive: added to what is behind; punchthrough: alpha test"),
    command("bumpmapscaling", Args::Number, "strength of a bump map"),
    command("bumpmaptexture", Args::Name, "the bump or normal map that goes with this texture"),
    command("bumpyshinytexture", Args::Name, "cube map reflected together with a bump map"),
    command("candownsample", Args::Switch, "whether low settings may shrink the texture"),
    command("caretindent", Args::Number, "font: indent of the caret"),
    command("channelscale", Args::Lines, "procedural: scale per channel"),
    command("channeltranslate", Args::Lines, "procedural: shift per channel"),
    command("clamp", Args::Number, "bit 0: clamp U, bit 1: clamp V, instead of repeating"),
    command("codepage", Args::Any, "font: code page"),
    command("cols", Args::Number, "font: columns"),
    command("compresstexture", Args::Switch, "whether the engine may compress the texture"),
    command("controllerscript", Args::Name, "script that moves the texture"),
    command("cube", Args::Switch, "six square faces below each other: a cube map"),
    command("dbmapping", Args::Any, "font: double-byte mapping"),
    command("decal", Args::Number, "drawn on top of another surface, from both sides"),
    command("defaultbpp", Args::Number, "procedural: bits per pixel"),
    command("defaultheight", Args::Number, "procedural: height"),
    command("defaultwidth", Args::Number, "procedural: width"),
    command("distort", Args::Number, "procedural: distortion"),
    command("distortangle", Args::Number, "procedural: direction of the distortion"),
    command("distortionamplitude", Args::Number, "procedural: strength of the distortion"),
    command("downsamplefactor", Args::Number, "how far low settings shrink the texture"),
    command("downsamplemax", Args::Number, "most halvings on low settings"),
    command("downsamplemin", Args::Number, "fewest halvings on low settings"),
    command("envmaptexture", Args::Name, "cube map reflected where alpha is low; the surface is opaque"),
    command("filerange", Args::Number, "number of files of an animation"),
    command("filter", Args::Switch, "whether texels are smoothed"),
    command("fontheight", Args::Number, "font: height of a letter"),
    command("fontwidth", Args::Number, "font: width of a letter"),
    command("fps", Args::Number, "frames per second of a flip-book"),
    command("isbumpmap", Args::Switch, "this texture is a bump or normal map"),
    command("isdiffusebumpmap", Args::Switch, "bump map for diffuse light"),
    command("isdoublebyte", Args::Switch, "font: double-byte characters"),
    command("islightmap", Args::Switch, "baked light on the second texture coordinates"),
    command("isspecularbumpmap", Args::Switch, "bump map for specular light"),
    command("lowerrightcoords", Args::Lines, "font: lower right corner of each letter"),
    command("maxsizehq", Args::Number, "largest size on high settings"),
    command("maxsizelq", Args::Number, "largest size on low settings"),
    command("minsizehq", Args::Number, "smallest size on high settings"),
    command("minsizelq", Args::Number, "smallest size on low settings"),
    command("mipmap", Args::Switch, "0: only the largest level is used"),
    command("numchars", Args::Number, "font: number of letters"),
    command("numcharspersheet", Args::Number, "font: letters per sheet"),
    command("numx", Args::Number, "frames of a flip-book beside each other"),
    command("numy", Args::Number, "frames of a flip-book below each other"),
    command("ondemand", Args::Switch, "loaded when first needed"),
    command("priority", Args::Number, "which textures leave memory first"),
    command("proceduretype", Args::Word, "cycle: flip-book; water, arturo, random, ringtexdistort: computed"),
    command("rows", Args::Number, "font: rows"),
    command("spacingb", Args::Number, "font: space below"),
    command("spacingr", Args::Number, "font: space to the right"),
    command("speed", Args::Number, "procedural: speed"),
    command("temporary", Args::Switch, "thrown away soon"),
    command("texturewidth", Args::Number, "font: width of the sheet"),
    command("unique", Args::Switch, "never shared"),
    command("upperleftcoords", Args::Lines, "font: upper left corner of each letter"),
    command("wateralpha", Args::Number, "constant opacity of water"),
    command("waterheight", Args::Number, "procedural: height of the water texture"),
    command("waterwidth", Args::Number, "procedural: width of the water texture"),
    command("xbox_downsample", Args::Number, "halvings on the Xbox"),
];

/// Returns the command of this name, whatever its case.
pub fn command_named(name: &str) -> Option<&'static Command> {
    let name = name.to_ascii_lowercase();
    COMMANDS.binary_search_by_key(&name.as_str(), |c| c.name).ok().and_then(|at| COMMANDS.get(at))
}

/// How a texture mixes with what is behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Blending {
    /// As the material says.
    #[default]
    Normal,
    /// Added.
    Additive,
    /// Alpha test.
    PunchThrough,
}

/// A flip-book: a sheet of frames shown one after the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlipBook {
    /// Frames beside each other.
    pub columns: u32,
    /// Frames below each other.
    pub rows: u32,
    /// Frames per second.
    pub fps: f32,
}

/// One line, without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Counted from 1.
    pub number: u32,
    /// First byte in the text.
    pub offset: usize,
    /// The command as written; empty for blank lines and for the rows of a block of numbers.
    pub command: &'a str,
    /// What follows it, without spaces around.
    pub args: &'a str,
}

/// A TXI text. The bytes are kept as they are; commands are read from them and set in them.
///
/// ```
/// use galatea_texture::{Blending, Txi};
/// let mut txi = Txi::parse(b"Blending Additive\r\nmystery 7\r\n");
/// assert_eq!(txi.blending(), Blending::Additive);
/// assert_eq!(txi.get("mystery"), Some("7"));
/// txi.set("decal", "1");
/// assert_eq!(txi.print(), b"Blending Additive\r\nmystery 7\r\ndecal 1\r\n");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Txi {
    text: Vec<u8>,
}

impl Txi {
    /// Takes any bytes: there is no wrong TXI, only lines that the engine skips.
    pub fn parse(bytes: &[u8]) -> Self {
        Txi { text: bytes.to_vec() }
    }

    /// Returns the bytes, unchanged where nothing was set.
    pub fn print(&self) -> &[u8] {
        &self.text
    }

    /// Returns `true` if there is no text at all.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the lines with their commands.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> + '_ {
        let mut offset = 0;
        let mut rows_left = 0usize;
        self.text.split_inclusive(|b| *b == b'\n').zip(1u32..).map(move |(raw, number)| {
            let at = offset;
            offset += raw.len();
            let text = valid_prefix(raw).trim();
            let (mut command, mut args) = text.split_once([' ', '\t']).unwrap_or((text, ""));
            if rows_left > 0 && text.is_empty() {
                (command, args) = ("", "");
            } else if rows_left > 0
                && text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
            {
                rows_left -= 1;
                (command, args) = ("", text);
            } else {
                rows_left = 0;
                if command_named(command).is_some_and(|c| c.args == Args::Lines) {
                    rows_left = first_number(args).map_or(0, |n| n.clamp(0.0, 65_535.0) as usize);
                }
            }
            Line { number, offset: at, command, args: args.trim() }
        })
    }

    /// Returns what follows the last use of a command; `None` if it is not there.
    pub fn get(&self, command: &str) -> Option<&str> {
        self.lines().filter(|l| l.command.eq_ignore_ascii_case(command)).last().map(|l| l.args)
    }

    /// Returns the number after a command.
    pub fn number(&self, command: &str) -> Option<f32> {
        first_number(self.get(command)?)
    }

    /// Returns `true` if a switch is on: there, and not 0.
    pub fn is_on(&self, command: &str) -> bool {
        self.number(command).is_some_and(|n| n != 0.0)
    }

    /// Returns the name after a command, unless it says `NULL` or nothing.
    pub fn name(&self, command: &str) -> Option<&str> {
        let name = self.get(command)?.split_whitespace().next()?;
        (!name.eq_ignore_ascii_case("null")).then_some(name)
    }

    /// Returns how the texture mixes with what is behind it.
    pub fn blending(&self) -> Blending {
        match self.name("blending") {
            Some(mode) if mode.eq_ignore_ascii_case("additive") => Blending::Additive,
            Some(mode) if mode.eq_ignore_ascii_case("punchthrough") => Blending::PunchThrough,
            _ => Blending::Normal,
        }
    }

    /// Returns the cube map that is reflected: `envmaptexture`, or else `bumpyshinytexture`.
    pub fn environment(&self) -> Option<&str> {
        self.name("envmaptexture").or_else(|| self.name("bumpyshinytexture"))
    }

    /// Returns the frames, if this is a flip-book of more than one.
    pub fn flip_book(&self) -> Option<FlipBook> {
        let cycle = self.name("proceduretype").is_some_and(|t| t.eq_ignore_ascii_case("cycle"));
        let whole = |n: f32| (1.0..=4096.0).contains(&n).then_some(n as u32);
        let (columns, rows) = (whole(self.number("numx")?)?, whole(self.number("numy")?)?);
        let fps = self.number("fps").unwrap_or(0.0);
        (cycle && columns * rows > 1).then_some(FlipBook { columns, rows, fps })
    }

    /// Returns whether U and V are clamped instead of repeated.
    pub fn clamp(&self) -> (bool, bool) {
        let bits = self.number("clamp").unwrap_or(0.0) as u32;
        (bits & 1 != 0, bits & 2 != 0)
    }

    /// Returns the names of the other textures this one asks for, each once, in the order of the text.
    pub fn references(&self) -> Vec<&str> {
        let mut out: Vec<&str> = Vec::new();
        for line in self.lines() {
            let names = ["envmaptexture", "bumpyshinytexture", "bumpmaptexture"];
            if names.iter().any(|n| line.command.eq_ignore_ascii_case(n))
                && let Some(name) = line.args.split_whitespace().next()
                && !name.eq_ignore_ascii_case("null")
                && !out.iter().any(|o| o.eq_ignore_ascii_case(name))
            {
                out.push(name);
            }
        }
        out
    }

    /// Sets a command: in its last line if it is there, else in a new line at the end.
    pub fn set(&mut self, command: &str, args: &str) {
        let clean = |text: &str| text.replace(['\r', '\n'], " ");
        let new = format!("{} {}", clean(command), clean(args));
        let found = self.lines().filter(|l| l.command.eq_ignore_ascii_case(command)).last();
        match found.map(|l| l.offset) {
            Some(at) => {
                let rest = self.text.get(at..).unwrap_or(&[]);
                let len = rest.iter().position(|b| matches!(b, b'\r' | b'\n')).unwrap_or(rest.len());
                self.text.splice(at..at + len, new.bytes());
            }
            None => {
                let crlf = self.text.is_empty() || self.text.windows(2).any(|w| w == b"\r\n");
                let end: &[u8] = if crlf { b"\r\n" } else { b"\n" };
                if self.text.last().is_some_and(|b| *b != b'\n') {
                    self.text.extend(end);
                }
                self.text.extend(new.bytes());
                self.text.extend(end);
            }
        }
    }

    /// Takes all lines of a command out. Returns how many there were.
    pub fn remove(&mut self, command: &str) -> usize {
        let starts: Vec<usize> =
            self.lines().filter(|l| l.command.eq_ignore_ascii_case(command)).map(|l| l.offset).collect();
        for at in starts.iter().rev() {
            let rest = self.text.get(*at..).unwrap_or(&[]);
            let len = rest.iter().position(|b| *b == b'\n').map_or(rest.len(), |n| n + 1);
            self.text.drain(*at..*at + len);
        }
        starts.len()
    }

    /// Returns what is odd about the text, as (line, message): unknown commands, and arguments that are not what
    /// the command takes.
    pub fn oddities(&self) -> Vec<(Line<'_>, Oddity)> {
        let mut out = Vec::new();
        for line in self.lines() {
            if line.command.is_empty() {
                continue;
            }
            let Some(command) = command_named(line.command) else {
                out.push((line, Oddity::Unknown));
                continue;
            };
            let fits = match command.args {
                Args::Any | Args::Numbers => true,
                Args::Switch | Args::Number | Args::Lines => first_number(line.args).is_some(),
                Args::Word | Args::Name => !line.args.is_empty(),
            };
            if !fits {
                out.push((line, Oddity::Argument));
            }
        }
        out
    }

    /// Returns the figures for one line.
    pub fn summary(&self) -> Summary {
        let commands = self.lines().filter(|l| !l.command.is_empty()).count();
        let version = format!("{commands} command{}", if commands == 1 { "" } else { "s" });
        Summary { version, ..Summary::default() }
    }

    /// Returns the text for people; bytes that are not UTF-8 become U+FFFD.
    pub fn lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.text)
    }
}

/// What is odd about a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Oddity {
    /// No engine or tool knows the command.
    Unknown,
    /// The argument is missing or not of the kind the command takes.
    Argument,
}

fn valid_prefix(bytes: &[u8]) -> &str {
    bytes.utf8_chunks().next().map_or("", |c| c.valid())
}

fn first_number(args: &str) -> Option<f32> {
    args.split_whitespace().next()?.parse().ok()
}

/// Returns `true` if bytes look like the text of a TXI: printable, with line ends and tabs.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| matches!(b, b'\t' | b'\n' | b'\r' | 0x20..=0x7E | 0x80..=0xFF))
        && bytes.iter().filter(|b| **b >= 0x80).count() * 4 <= bytes.len()
}

/// Returns `true` if bytes are a TXI file: text whose first word is a command (an empty file is one too, but could be
/// anything).
pub fn detect(bytes: &[u8]) -> bool {
    let head = bytes.get(..4096).unwrap_or(bytes);
    is_text(head)
        && Txi::parse(head)
            .lines()
            .find(|l| !l.command.is_empty())
            .is_some_and(|l| command_named(l.command).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_table_is_sorted_for_its_search() {
        assert!(COMMANDS.windows(2).all(|w| w[0].name < w[1].name));
        assert!(COMMANDS.iter().all(|c| command_named(&c.name.to_uppercase()) == Some(c)));
    }

    #[test]
    fn a_coordinate_block_is_not_read_as_commands() {
        let txi = Txi::parse(b"upperleftcoords 2\n0.1 0.2 0\n0.3 0.4 0\nfps 12");
        let commands: Vec<_> = txi.lines().map(|l| l.command).collect();
        assert_eq!(commands, ["upperleftcoords", "", "", "fps"]);
        assert_eq!(txi.number("fps"), Some(12.0));
        assert!(txi.oddities().is_empty());
    }

    #[test]
    fn setting_keeps_everything_else() {
        let text = b"  CLAMP 3\nodd \xFF\xFE bytes\r\nclamp 1";
        let mut txi = Txi::parse(text);
        assert_eq!(txi.print(), text);
        assert_eq!(txi.clamp(), (true, false));
        txi.set("clamp", "2");
        assert_eq!(txi.print(), b"  CLAMP 3\nodd \xFF\xFE bytes\r\nclamp 2");
        assert_eq!(txi.remove("clamp"), 2);
        assert_eq!(txi.print(), b"odd \xFF\xFE bytes\r\n");
    }

    #[test]
    fn references_are_listed_once_and_null_is_none() {
        let txi = Txi::parse(b"envmaptexture CM_Bright\nbumpyshinytexture cm_bright\nbumpmaptexture NULL");
        assert_eq!(txi.references(), ["CM_Bright"]);
        assert_eq!(txi.environment(), Some("CM_Bright"));
    }

    #[test]
    fn a_line_break_cannot_be_smuggled_into_a_value() {
        let mut txi = Txi::default();
        txi.set("envmaptexture", "a\r\nblending additive");
        assert_eq!(txi.lines().count(), 1);
        assert_eq!(txi.blending(), Blending::Normal);
    }

    #[test]
    fn a_flip_book_has_columns_and_rows() {
        let txi = Txi::parse(b"proceduretype cycle\nnumx 4\nnumy 2\nfps 16\n");
        assert_eq!(txi.flip_book(), Some(FlipBook { columns: 4, rows: 2, fps: 16.0 }));
        assert_eq!(Txi::parse(b"numx 4\nnumy 2\n").flip_book(), None);
    }

    #[test]
    fn oddities_name_the_line() {
        let txi = Txi::parse(b"blending\nwhatever 1\nfps fast\nmipmap 0\n");
        let found: Vec<_> = txi.oddities().iter().map(|(l, o)| (l.number, *o)).collect();
        assert_eq!(found, [(1, Oddity::Argument), (2, Oddity::Unknown), (3, Oddity::Argument)]);
    }
}
