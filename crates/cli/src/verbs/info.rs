//! `galatea info`: one line per file.

use std::collections::HashSet;
use std::io;
#[cfg(feature = "parquet")]
use std::io::Write;
#[cfg(feature = "parquet")]
use std::path::{Path, PathBuf};

use clap::Args;
#[cfg(feature = "parquet")]
use galatea::disk;
use galatea::scene::{Channel, Primitive, Property, Scene, Topology};
use galatea::{Character, SceneContext, fox};
use serde_json::{Value, json};

use super::games::GameDir;
use crate::Exit;
use crate::batch::{self, Inputs, joined};
use crate::terminal::{Table, complain};
#[cfg(feature = "parquet")]
use crate::terminal::{reason, show};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    game: GameDir,
    /// With --json: every mesh, skin and clip of the model too
    #[arg(long, requires = "json")]
    parts: bool,
    /// Write the figures as a Parquet file instead, a row for each input; those that cannot be read have an error
    #[cfg(feature = "parquet")]
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    parquet: Option<PathBuf>,
    /// Replace that file if it is there
    #[cfg(feature = "parquet")]
    #[arg(long, requires = "parquet")]
    force: bool,
}

const HEAD: &[&str] =
    &["file", "format", "version", "nodes", "meshes", "vertices", "triangles", "bones", "clips", "bytes"];

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        if let Err(error) = self.game.games() {
            complain(format_args!("{error}"));
            return Ok(Exit::Usage);
        }
        #[cfg(feature = "parquet")]
        if let Some(path) = self.parquet.as_deref().filter(|path| !self.force && path.exists()) {
            complain(format_args!("{}: is there already; --force replaces it", show(path)));
            return Ok(Exit::Usage);
        }
        #[cfg(feature = "parquet")]
        let mut rows = super::info_parquet::Rows::default();
        let mut table = Table::new(HEAD);
        let tally = self.inputs.run(
            |job| {
                let opened = batch::open(job)?;
                let parts = self.parts.then(|| {
                    let names = fox::Dictionary::new();
                    opened
                        .document
                        .scene(&SceneContext::new("model").with_names(&names))
                        .map(|scene| parts(&scene))
                });
                let summary = opened.document.summary();
                let creature = opened.document.as_any().downcast_ref::<Character>().map(creature);
                let more = joined(creature.unwrap_or_else(|| json!({})), parts.flatten().unwrap_or_default());
                Ok((opened.document.format().name, summary, opened.loaded.size(), more))
            },
            |path, result, out| match result {
                #[cfg(feature = "parquet")]
                result if self.parquet.is_some() => {
                    match result {
                        Ok((format, s, bytes, _)) => rows.add(path, format, &s, bytes),
                        Err(failure) => rows.add_failure(path, failure.to_string()),
                    }
                    Ok(())
                }
                Ok((format, s, bytes, more)) if self.inputs.json => {
                    let line = joined(json!({ "path": path, "format": format, "bytes": bytes }), json!(s));
                    writeln!(out, "{}", joined(line, more))
                }
                Ok((format, s, bytes, _)) => {
                    let numbers = [s.nodes, s.meshes, s.vertices, s.triangles, s.bones, s.clips, bytes];
                    let words = [path, format, &s.version].map(str::to_owned);
                    table.row(words.into_iter().chain(numbers.map(|n| n.to_string())).collect(), out)
                }
                Err(failure) if self.inputs.json => {
                    writeln!(out, "{}", json!({ "path": path, "error": batch::error_json(&failure) }))
                }
                Err(_) => Ok(()),
            },
        )?;
        #[cfg(feature = "parquet")]
        if let Some(path) = &self.parquet {
            return Ok(match self.write(path, &rows) {
                Ok(()) => tally.exit(false),
                Err(error) => {
                    complain(format_args!("{}: {error}", show(path)));
                    Exit::AllFailed
                }
            });
        }
        table.finish(&mut io::stdout().lock())?;
        Ok(tally.exit(false))
    }

    /// Writes the table of `--parquet`.
    #[cfg(feature = "parquet")]
    fn write(&self, path: &Path, rows: &super::info_parquet::Rows) -> Result<(), String> {
        let file = rows.file().map_err(|error| error.to_string())?;
        disk::write(path, &file, self.force).map_err(|error| reason(&error))?;
        writeln!(io::stdout().lock(), "{}: {} rows", show(path), rows.len())
            .map_err(|error| error.to_string())
    }
}

/// Meshes as they are drawn, joints, and clips, by name.
fn parts(scene: &Scene) -> Value {
    let meshes: Vec<Value> = scene
        .drawn()
        .filter(|(_, _, mesh)| mesh.primitives.iter().any(|p| p.topology == Topology::Triangles))
        .map(|(_, node, mesh)| {
            let solid = || mesh.primitives.iter().filter(|p| p.topology == Topology::Triangles);
            // Triangles whose corners exist.
            let sound = |p: &'_ Primitive| -> Vec<[u32; 3]> {
                p.triangles(scene.vertices_of(p).map_or(0, |v| v.positions.len())).collect()
            };
            let used = |p: &Primitive| sound(p).into_iter().flatten().collect::<HashSet<_>>().len();
            json!({
                "node": node.name,
                "mesh": mesh.name,
                "triangles": solid().map(|p| sound(p).len()).sum::<usize>(),
                // Those with three different vertices, each once.
                "distinct": solid().map(|p| distinct(&sound(p))).sum::<usize>(),
                // Vertices that triangles use, once for every material.
                "used": solid().map(used).sum::<usize>(),
                "joints": node.skin.and_then(|s| scene.skins.get(s as usize)).map_or(0, |s| s.joints.len()),
            })
        })
        .collect();
    let clips: Vec<Value> = scene
        .clips
        .iter()
        .map(|clip| {
            let moves = |c: &&Channel| {
                matches!(c.property, Property::Translation | Property::Rotation | Property::Scale)
            };
            let ends = clip.channels.iter().filter(moves).filter_map(|c| c.times.last().copied());
            json!({ "name": clip.name, "length": clip.length, "last_move": ends.fold(0.0, f32::max) })
        })
        .collect();
    json!({ "parts": { "meshes": meshes, "clips": clips } })
}

/// What the tables of the game say about a creature.
fn creature(creature: &Character) -> Value {
    let parts = &creature.parts;
    json!({ "appearance": {
        "row": creature.look.row, "label": parts.label, "model_type": parts.model_type,
        "body": parts.body, "texture": parts.texture, "head": parts.head,
    } })
}

/// How many triangles have three different vertices, each once.
fn distinct(triangles: &[[u32; 3]]) -> usize {
    let mut seen = HashSet::new();
    let wide = triangles.iter().filter_map(|corners| {
        let mut corners = *corners;
        corners.sort_unstable();
        let [a, b, c] = corners;
        (a != b && b != c).then_some(corners)
    });
    wide.filter(|t| seen.insert(*t)).count()
}
