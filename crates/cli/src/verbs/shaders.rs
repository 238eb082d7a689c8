//! `galatea shaders`: what materials of the Fox Engine can be.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use galatea::fox::{Game, Name, Preset, Presets};
use serde_json::json;

use crate::Exit;
use crate::batch::Failure;
use crate::terminal::{complain, show};

#[derive(Args)]
#[command(
    after_help = "A material gets a preset by its name in Blender, such as `tpp-static wall` or `wall [tpp-static]`,\n\
    by its custom property `preset`, or by --preset of `galatea convert`."
)]
pub(crate) struct Options {
    /// Only shaders whose names contain this, or the presets of this name
    #[arg(value_name = "WORD")]
    word: Option<String>,
    /// Only what this game's files use
    #[arg(long, value_enum)]
    game: Option<Only>,
    /// Print parameters with their usual values, and textures that stand for empty slots
    #[arg(long)]
    parameters: bool,
    #[command(flatten)]
    presets: PresetFiles,
    /// One JSON object per preset
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Only {
    Gz,
    Tpp,
    Pes,
}

/// Presets of the user's own.
#[derive(Args)]
pub(crate) struct PresetFiles {
    /// More presets of Fox Engine materials: text files as `galatea shaders --parameters` prints
    #[arg(long = "presets", value_name = "FILE", num_args = 1..)]
    files: Vec<PathBuf>,
}

impl PresetFiles {
    /// Built-in presets and those of the files. The error names the file and the line.
    pub(crate) fn load(&self) -> Result<Presets, String> {
        let mut out = Presets::built_in().clone();
        for path in &self.files {
            let bytes = std::fs::read(path).map_err(|e| format!("{}: {}", show(path), Failure::Io(e)))?;
            out.add(&String::from_utf8_lossy(&bytes)).map_err(|e| format!("{}: {e}", show(path)))?;
        }
        Ok(out)
    }
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let presets = match self.presets.load() {
            Ok(presets) => presets,
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::Usage);
            }
        };
        let mut out = io::stdout().lock();
        let listed: Vec<&Preset> = presets.iter().filter(|p| self.wants(p)).collect();
        for preset in &listed {
            if self.json {
                writeln!(out, "{}", self.json(preset))?;
            } else {
                self.print(preset, &presets, &mut out)?;
            }
        }
        if !self.json && self.word.is_none() && self.game.is_none() {
            let pairs = presets.pairs().skip(presets.iter().count());
            let others: Vec<String> = pairs.map(|(s, t)| format!("{s}/{t}")).collect();
            writeln!(out, "without a preset: {}", others.join(", "))?;
        }
        if listed.is_empty() {
            complain(format_args!("no preset or shader has this name; `galatea shaders` lists all"));
            return Ok(Exit::Findings);
        }
        Ok(Exit::Fine)
    }

    fn wants(&self, preset: &Preset) -> bool {
        let game = self.game.map(|game| match game {
            Only::Gz => Game::Gz,
            Only::Tpp => Game::Tpp,
            Only::Pes => Game::Pes,
        });
        let named = |word: &String| {
            let word = word.to_lowercase();
            let has = |text: &str| text.to_lowercase().contains(&word);
            preset.names.iter().any(|n| has(n))
                || has(&preset.shader.to_string())
                || has(&preset.technique.to_string())
        };
        game.is_none_or(|game| preset.games.contains(&game)) && self.word.as_ref().is_none_or(named)
    }

    /// Prints a preset as a file of presets has it.
    fn print(&self, preset: &Preset, presets: &Presets, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "preset {}", preset.names.join(" "))?;
        if !preset.about.is_empty() {
            writeln!(out, "  about {}", preset.about)?;
        }
        writeln!(out, "  games {}", games(preset).join(" "))?;
        writeln!(out, "  shader {}", preset.shader)?;
        writeln!(out, "  technique {}", preset.technique)?;
        writeln!(out, "  flags {:02x}/{:02x}", preset.flags & 0xFF, preset.flags >> 8 & 0xFF)?;
        for slot in &preset.slots {
            writeln!(out, "  slot {slot}")?;
            let neutral = preset.games.first().and_then(|game| presets.neutral(*game, slot));
            if let Some(path) = neutral.filter(|_| self.parameters) {
                writeln!(out, "    # if empty: {path}")?;
            }
        }
        for parameter in &preset.parameters {
            let [x, y, z, w] = parameter.value;
            let name = &parameter.name;
            match self.parameters {
                true => writeln!(out, "  parameter {name} {x} {y} {z} {w}")?,
                false => writeln!(out, "  parameter {name} {x}")?,
            }
        }
        writeln!(out, "  count {}\n", preset.count)
    }

    fn json(&self, preset: &Preset) -> serde_json::Value {
        let parameters =
            preset.parameters.iter().map(|p| json!({ "name": p.name.to_string(), "value": p.value }));
        json!({
            "names": preset.names, "about": preset.about, "games": games(preset),
            "shader": preset.shader.to_string(), "technique": preset.technique.to_string(),
            "flags": preset.flags, "slots": preset.slots.iter().map(Name::to_string).collect::<Vec<_>>(),
            "parameters": parameters.collect::<Vec<_>>(), "count": preset.count,
        })
    }
}

fn games(preset: &Preset) -> Vec<&'static str> {
    preset.games.iter().map(|g| g.name()).collect()
}
