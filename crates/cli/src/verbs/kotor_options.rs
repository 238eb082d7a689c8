//! What the author of a new KotOR model or walkmesh decides.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use galatea::disk::{self, Job};
use galatea::kotor::authoring::{Authoring, Class, Neighbor, Smoothing, WalkmeshUse};
use galatea::kotor::bwm::Walkmesh;
use galatea::kotor::{mdl::Model, surface};
use galatea::walk::Layout;
use galatea::{FormatId, Limits, Output};

use super::targets::holds_walkmeshes;
use crate::terminal::show;

#[derive(Args)]
pub(crate) struct KotorOptions {
    /// Class of a new KotOR model: room, character, placeable, door, lightsaber, effect, tile or flyer [default: by the prefix of
    /// its name and by what is in it]
    #[arg(long, value_name = "CLASS", value_parser = class)]
    class: Option<Class>,
    /// The KotOR model whose animations a new one inherits, such as S_Female02; it is looked for in --supermodels, and beside the
    /// input and the output
    #[arg(long, value_name = "NAME")]
    supermodel: Option<String>,
    /// Factor for the positions of inherited animations
    #[arg(long, value_name = "N")]
    animation_scale: Option<f32>,
    /// Surface of a material in a new KotOR walkmesh, such as Carpet_red=Carpet; may be given several times
    #[arg(long, value_name = "MATERIAL=SURFACE", value_parser = surface_of)]
    surface: Vec<(String, u32)>,
    /// Make the normals of a new KotOR model again, smooth up to this angle in degrees
    #[arg(long, value_name = "DEGREES", value_parser = angle)]
    smooth: Option<f32>,
    /// Join the floor of a new KotOR room where edges lie on each other without sharing their vertices, within 1 cm; without, these
    /// invisible walls are named
    #[arg(long)]
    join_edges: bool,
    /// The layout that a new KotOR room belongs to: its walkmesh is moved there and leads to the rooms whose borders it shares
    #[arg(long, value_name = "FILE")]
    lyt: Option<PathBuf>,
    /// Write the walkmesh of a new KotOR model too: WOK, PWK or DWK, by its class
    #[arg(long)]
    pub(crate) with_walkmesh: bool,
    /// Format of the textures of a new KotOR model [default: tga]
    #[arg(long, value_enum)]
    texture_format: Option<TextureFormat>,
}

#[derive(Clone, Copy, ValueEnum)]
enum TextureFormat {
    /// With a TXI beside it, where the material needs one
    Tga,
    /// With the TXI inside
    Tpc,
}

fn class(text: &str) -> Result<Class, String> {
    let known = || Class::ALL.map(|(_, name)| name).join(", ");
    Class::named(text).ok_or_else(|| format!("can be room, {}", known()))
}

fn surface_of(text: &str) -> Result<(String, u32), String> {
    let (material, wanted) =
        text.rsplit_once('=').ok_or("expected a material and a surface, such as Carpet_red=Carpet")?;
    let known = surface::by_name(wanted).filter(|id| surface::name(*id).is_some());
    let names = || surface::NAMES.iter().flatten().copied().collect::<Vec<_>>().join(", ");
    let id = known.ok_or_else(|| format!("`{wanted}` is not a surface; expected {}", names()))?;
    Ok((material.to_owned(), id))
}

fn angle(text: &str) -> Result<f32, String> {
    let angle = text.parse().ok().filter(|a| (0.0..=180.0).contains(a));
    angle.ok_or_else(|| "expected an angle from 0 to 180".into())
}

impl KotorOptions {
    /// Whether a supermodel decides the numbers of nodes: one is named here or in the text of a model.
    pub(crate) fn needs_supermodel(&self, from: FormatId, to: FormatId) -> bool {
        self.supermodel.is_some() || (from == FormatId::KotorMdlAscii && to == FormatId::KotorMdl)
    }

    pub(crate) fn texture_format(&self) -> Option<FormatId> {
        self.texture_format.map(|format| match format {
            TextureFormat::Tga => FormatId::Tga,
            TextureFormat::Tpc => FormatId::Tpc,
        })
    }

    /// Returns what was decided; `None` if nothing was and nothing follows from the name of the output.
    pub(crate) fn authoring(
        &self,
        output: &Path,
        format: FormatId,
        new: bool,
    ) -> Result<Option<Authoring>, String> {
        let given = self.class.is_some()
            || self.supermodel.is_some()
            || self.animation_scale.is_some()
            || self.smooth.is_some()
            || self.join_edges
            || self.lyt.is_some()
            || !self.surface.is_empty();
        let walkmesh = use_of(output).filter(|_| new && holds_walkmeshes(format));
        if !given && walkmesh.is_none() {
            return Ok(None);
        }
        let (place, neighbors) = match &self.lyt {
            Some(path) => around(path, &disk::stem(output))?,
            None => ([0.0; 3], Vec::new()),
        };
        let smoothing = self.smooth.map_or(Smoothing::Keep, Smoothing::Angle);
        let authoring = Authoring::default()
            .with_class(self.class)
            .with_supermodel(self.supermodel.clone())
            .with_animation_scale(self.animation_scale)
            .with_surfaces(self.surface.clone())
            .with_smoothing(smoothing)
            .with_join_edges(self.join_edges)
            .with_walkmesh(walkmesh);
        Ok(Some(authoring.with_place(place).with_neighbors(neighbors)))
    }
}

/// Whether a conversion makes a new model or walkmesh of KotOR, which must have the name of its file.
pub(crate) fn is_new(from: FormatId, to: FormatId) -> bool {
    let kotor = holds_walkmeshes(to) || matches!(to, FormatId::KotorMdl | FormatId::KotorMdlAscii);
    kotor && matches!(from, FormatId::Glb | FormatId::Gltf | FormatId::Obj)
}

/// The kind of walkmesh that a file name asks for.
fn use_of(path: &Path) -> Option<WalkmeshUse> {
    let name = path.to_string_lossy().to_lowercase();
    let plain = name.strip_suffix(".ascii").unwrap_or(&name);
    match plain.rsplit('.').next() {
        Some("wok") => Some(WalkmeshUse::Room),
        Some("pwk") => Some(WalkmeshUse::Placeable),
        Some("dwk") => Some(WalkmeshUse::Door),
        _ => None,
    }
}

/// The file of a closed door, if others belong to it: `x0.dwk` for `x.dwk`.
pub(crate) fn door_file(output: &Path, written: &Output) -> PathBuf {
    let stem = disk::stem(output);
    let open = [1, 2].map(|n| format!("{stem}{n}.dwk"));
    let door = use_of(output) == Some(WalkmeshUse::Door);
    let states = written.siblings.iter().any(|(name, _)| open.contains(name));
    let number = if door && states && output.extension().is_some_and(|e| e == "dwk") { "0" } else { "" };
    if number.is_empty() {
        output.to_path_buf()
    } else {
        output.with_file_name(format!("{stem}{number}.dwk"))
    }
}

/// The model of this name beside one of the files.
pub(crate) fn supermodel_beside(name: &str, files: [&PathBuf; 2]) -> Option<Model> {
    let plain = !name.contains(['/', '\\', ':']) && !name.starts_with('.');
    let folders = files.iter().filter_map(|f| f.parent()).filter(|_| plain);
    let names = [format!("{name}.mdl"), format!("{}.mdl", name.to_lowercase())];
    let paths = folders.flat_map(|folder| names.iter().map(move |n| folder.join(n)));
    paths.filter(|path| path.is_file()).find_map(|path| {
        let loaded = disk::load(&Job::new(path)).ok()?;
        let document = galatea::open(&loaded.input(), &Limits::default()).ok()?;
        document.as_any().downcast_ref::<Model>().cloned()
    })
}

/// Where a layout puts a room, and the borders of the others.
fn around(path: &Path, room: &str) -> Result<([f32; 3], Vec<Neighbor>), String> {
    let wrong = |what: &dyn std::fmt::Display| format!("{}: {what}", show(path));
    let bytes = std::fs::read(path).map_err(|e| wrong(&e))?;
    let layout =
        Layout::parse(&String::from_utf8_lossy(&bytes), &Limits::default()).map_err(|e| wrong(&e))?;
    let own = layout.rooms.iter().find(|placed| placed.model.eq_ignore_ascii_case(room));
    let own = own.ok_or_else(|| wrong(&format_args!("no room of it is called `{room}`")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut neighbors = Vec::new();
    for (number, placed) in (0..).zip(&layout.rooms) {
        if placed.model.is_empty()
            || placed.model.eq_ignore_ascii_case(room)
            || placed.model.contains(['/', '\\'])
        {
            continue;
        }
        let names = [placed.model.clone(), placed.model.to_lowercase()];
        let files = names.iter().map(|name| folder.join(format!("{name}.wok")));
        let Some(file) = files.into_iter().find(|file| file.is_file()) else { continue };
        let bytes = std::fs::read(&file).map_err(|e| format!("{}: {e}", show(&file)))?;
        let mesh = Walkmesh::read(&bytes, &Limits::default()).map_err(|e| format!("{}: {e}", show(&file)))?;
        neighbors.push(Neighbor::new(number, mesh.border_lines()));
    }
    Ok((own.position, neighbors))
}
