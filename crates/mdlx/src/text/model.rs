//! The whole text: the top-level blocks.

use galatea_scene::hex;
use galatea_wire::{Error, ErrorKind, Limits, Place, Result};

use super::block::{self, Block, apply_line};
use super::geosets::parse_rows;
use super::lex::{Lexer, is, quote};
use super::out::Out;
use super::shapes::ShownShape;
use super::sidecar::Line;
use crate::{CHUNKS, Chunk, Layout, Model, ModelInfo, Tag, UnknownChunk, Version, chunk_info};

/// Bytes of an unknown chunk per line.
const HEX_LINE: usize = 512;
/// Numbers without a decimal form per line.
const NUMBERS_LINE: usize = 8;

/// Parses a top-level block into the model.
type Reader = for<'a> fn(&mut Model, &mut Lexer<'a>, Vec<Line<'a>>) -> Result<()>;

/// Parses one block into a list.
macro_rules! one {
    ($list:ident) => {
        |model, lex, lines| {
            let parsed = block::parse(lex, lines)?;
            model.$list.push(parsed);
            Ok(())
        }
    };
}

/// Parses a block of blocks.
macro_rules! many {
    ($list:ident) => {
        |model, lex, lines| parse_list(lex, lines, &mut model.$list)
    };
}

/// All top-level blocks: keyword, chunk and parser.
const BLOCKS: &[(&str, [u8; 4], Reader)] = &[
    ("Version", *b"VERS", |_, lex, _| parse_version(lex).map(|_| ())),
    ("Model", *b"MODL", |model, lex, lines| {
        model.info = block::parse(lex, lines)?;
        Ok(())
    }),
    ("Sequences", *b"SEQS", many!(sequences)),
    ("GlobalSequences", *b"GLBS", |model, lex, _| parse_global_sequences(lex, &mut model.global_sequences)),
    ("Textures", *b"TEXS", many!(textures)),
    ("Materials", *b"MTLS", many!(materials)),
    ("TextureAnims", *b"TXAN", many!(texture_anims)),
    ("Geoset", *b"GEOS", one!(geosets)),
    ("GeosetAnim", *b"GEOA", one!(geoset_anims)),
    ("Bone", *b"BONE", one!(bones)),
    ("Light", *b"LITE", one!(lights)),
    ("Helper", *b"HELP", one!(helpers)),
    ("Attachment", *b"ATCH", one!(attachments)),
    ("PivotPoints", *b"PIVT", |model, lex, _| {
        model.pivots.append(&mut parse_rows(lex, "PivotPoints")?);
        Ok(())
    }),
    ("ParticleEmitter", *b"PREM", one!(particle_emitters)),
    ("ParticleEmitter2", *b"PRE2", one!(particle_emitters2)),
    ("RibbonEmitter", *b"RIBB", one!(ribbon_emitters)),
    ("Camera", *b"CAMS", one!(cameras)),
    ("EventObject", *b"EVTS", one!(events)),
    ("CollisionShape", *b"CLID", |model, lex, lines| {
        let shown: ShownShape = block::parse(lex, lines)?;
        model.collision_shapes.push(shown.into_shape(lex.version));
        Ok(())
    }),
    ("CollisionMesh", *b"HTST", |model, lex, lines| {
        model.collision_mesh = Some(Box::new(block::parse(lex, lines)?));
        Ok(())
    }),
    ("BindPose", *b"BPOS", |model, lex, _| parse_bind_pose(lex, &mut model.bind_poses)),
    ("FaceFX", *b"FAFX", one!(face_effects)),
    ("ParticleEmitterPopcorn", *b"CORN", one!(popcorn_emitters)),
    ("Sounds", *b"SNDS", many!(sounds)),
    ("SoundEmitter", *b"SNEM", one!(sound_emitters)),
];

/// Returns `true` if these bytes begin like MDL text of Warcraft III.
pub(super) fn detect(bytes: &[u8]) -> bool {
    let mut lex = Lexer::new(bytes, &Limits::default());
    let Some(word) = lex.maybe_word() else { return false };
    let known = BLOCKS.iter().any(|(block, ..)| is(word, block));
    known && {
        let named = lex.peek() != Some(b'"') || lex.string().is_ok();
        named && lex.count().is_ok() && lex.eat(b'{')
    }
}

pub(super) fn parse(bytes: &[u8], limits: &Limits) -> Result<Model> {
    let mut lex = Lexer::new(bytes, limits);
    if lex.peek_word().is_none() {
        let place = Place::Line { line: 1, column: 1 };
        return Err(Error::new(ErrorKind::NotThisFormat, place));
    }
    lex.version = find_version(bytes, limits);
    let mut model = Model::new(lex.version);
    let mut global = Global::default();
    let mut lines = Vec::new();
    loop {
        let end = lex.peek().is_none();
        for line in lex.take_lines()? {
            if !global.take(&mut lex, line)? {
                lines.push(line);
            }
        }
        if end {
            break;
        }
        let at = lex.pos();
        let word = lex.word()?;
        let Some((block, chunk, read)) = BLOCKS.iter().find(|(block, ..)| is(word, block)) else {
            return Err(lex.fail(at, format!("unknown block {}", quote(word))));
        };
        if chunk_info(Tag(*chunk), lex.version).is_none() {
            return Err(lex.fail(at, format!("version {} has no `{block}`", lex.version)));
        }
        read(&mut model, &mut lex, std::mem::take(&mut lines))?;
    }
    model.layout = global.layout;
    model.unknown =
        global.unknown.into_iter().map(|(tag, bytes)| UnknownChunk { tag, bytes: bytes.into() }).collect();
    model.settle_layout();
    Ok(model)
}

/// Returns the version, wherever its block is: the meaning of most blocks depends on it.
fn find_version(bytes: &[u8], limits: &Limits) -> Version {
    let mut lex = Lexer::new(bytes, limits);
    let mut find = || -> Result<Version> {
        loop {
            let word = lex.word()?;
            if is(word, "Version") {
                return parse_version(&mut lex);
            }
            while lex.peek().is_some_and(|b| b != b'{') {
                if lex.peek() == Some(b'"') {
                    lex.string()?;
                } else if lex.maybe_word().is_none() {
                    lex.float()?;
                }
            }
            lex.open()?;
            lex.skip_block(0, "")?;
        }
    };
    find().unwrap_or_default()
}

fn parse_version(lex: &mut Lexer<'_>) -> Result<Version> {
    let opened = lex.pos();
    lex.open()?;
    let mut version = Version::default();
    while !lex.close(opened, "Version")? {
        let at = lex.pos();
        let word = lex.word()?;
        if !is(word, "FormatVersion") {
            return Err(lex.fail(at, format!("unknown word {} in `Version`", quote(word))));
        }
        lex.skip();
        let at = lex.pos();
        version = Version(lex.bits32()?);
        if !version.is_supported() {
            return Err(lex.error(at, ErrorKind::Unsupported(format!("version {version}").into())));
        }
    }
    Ok(version)
}

/// Parses a block of blocks, and applies the sidecar lines to the blocks that they name: `Bitmap 3/12 flags 0x4`.
fn parse_list<'a, T: Block>(lex: &mut Lexer<'a>, mut lines: Vec<Line<'a>>, list: &mut Vec<T>) -> Result<()> {
    let opened = lex.pos();
    lex.count()?;
    lex.open()?;
    let start = list.len();
    loop {
        let done = lex.close(opened, T::WORD)?;
        lines.append(&mut lex.take_lines()?);
        if done {
            break;
        }
        let at = lex.pos();
        let word = lex.word()?;
        if !is(word, T::WORD) {
            return Err(lex.fail(at, format!("expected `{}`, found {}", T::WORD, quote(word))));
        }
        list.push(block::parse(lex, Vec::new())?);
    }
    apply_list(lex, lines, list.get_mut(start..).unwrap_or(&mut []))
}

fn apply_list<T: Block>(lex: &mut Lexer<'_>, lines: Vec<Line<'_>>, list: &mut [T]) -> Result<()> {
    // Lines of a block that was above, and of a block that has moved within the list.
    let (mut skipped, mut void) = (false, None);
    for line in lines {
        skipped = line.key() == b"for" || skipped && line.key() != T::WORD.as_bytes();
        if skipped {
            continue;
        }
        let mut place =
            line.value().split(|b| *b == b'/').map(|n| std::str::from_utf8(n).ok()?.parse::<usize>().ok());
        let (Some(Some(index)), Some(Some(of))) = (place.next(), place.next()) else {
            return Err(line.wrong(lex));
        };
        if line.key() != T::WORD.as_bytes() {
            return Err(line.wrong(lex));
        }
        // Indices are not valid any more if blocks were added or removed.
        let count = list.len();
        let Some(t) = list.get_mut(index).filter(|_| of == count) else { continue };
        let line = line.after(2);
        if line.key() == b"for" {
            void = line.voids(lex, block::guard(t, lex.version))?.then_some(index);
        } else if void != Some(index) {
            apply_line(lex, t, line, 0)?;
        }
    }
    Ok(())
}

fn parse_global_sequences(lex: &mut Lexer<'_>, list: &mut Vec<u32>) -> Result<()> {
    let opened = lex.pos();
    lex.count()?;
    lex.open()?;
    while !lex.close(opened, "GlobalSequences")? {
        // Some tools omit the keyword.
        if !lex.is_number() && !lex.maybe_word().is_some_and(|word| is(word, "Duration")) {
            return Err(lex.expected("`Duration`").within("GlobalSequences"));
        }
        lex.spend(3 * size_of::<u32>())?;
        list.push(lex.bits32()?);
    }
    Ok(())
}

fn parse_bind_pose(lex: &mut Lexer<'_>, list: &mut Vec<[f32; 12]>) -> Result<()> {
    let opened = lex.pos();
    lex.count()?;
    lex.open()?;
    while !lex.close(opened, "BindPose")? {
        if !lex.maybe_word().is_some_and(|word| is(word, "Matrices")) {
            return Err(lex.expected("`Matrices`").within("BindPose"));
        }
        list.append(&mut parse_rows(lex, "BindPose")?);
    }
    Ok(())
}

/// Contents of sidecar lines about the whole model.
#[derive(Default)]
struct Global {
    layout: Layout,
    unknown: Vec<(Tag, Vec<u8>)>,
}

impl Global {
    /// Takes a line about the whole model. Returns `true` if it is one.
    fn take(&mut self, lex: &mut Lexer<'_>, line: Line<'_>) -> Result<bool> {
        match line.key() {
            b"numbers" => {
                let numbers = line.numbers(lex)?;
                let Some((first, bits)) = numbers.split_first() else { return Err(line.wrong(lex)) };
                lex.spend(numbers.len() * 32)?;
                lex.stand_ins.extend((*first..).zip(bits.iter().copied()));
            }
            b"chunks" => {
                for word in line.values() {
                    lex.spend(3 * size_of::<Chunk>())?;
                    self.layout.chunks.push(chunk_from(word).ok_or_else(|| line.wrong(lex))?);
                }
            }
            b"unknown" => {
                let Some((tag, _)) = tag_from(line.value()) else { return Err(line.wrong(lex)) };
                lex.spend_block::<(Tag, Vec<u8>)>()?;
                self.unknown.push((tag, line.after(1).hex(lex)?));
            }
            b"+" => {
                let Some((_, bytes)) = self.unknown.last_mut() else { return Err(line.wrong(lex)) };
                bytes.append(&mut line.hex(lex)?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Parses `TAG`, `TAG*items` or `TAG*items+aux`; an unknown chunk has `?` in front.
fn chunk_word(chunk: &Chunk) -> String {
    let mut word = if chunk.unknown { "?".to_owned() } else { String::new() };
    word.push_str(&tag_word(chunk.tag));
    if chunk.items != 1 || chunk.aux != 0 {
        word.push_str(&format!("*{}", chunk.items));
    }
    if chunk.aux != 0 {
        word.push_str(&format!("+{}", chunk.aux));
    }
    word
}

fn chunk_from(word: &[u8]) -> Option<Chunk> {
    let (unknown, word) = match word.strip_prefix(b"?") {
        Some(word) => (true, word),
        None => (false, word),
    };
    let (tag, rest) = tag_from(word)?;
    let mut chunk = Chunk { tag, items: 1, aux: 0, unknown };
    if rest.is_empty() {
        return Some(chunk);
    }
    let rest = std::str::from_utf8(rest.strip_prefix(b"*")?).ok()?;
    let (items, aux) = rest.split_once('+').unwrap_or((rest, "0"));
    chunk.items = items.parse().ok()?;
    chunk.aux = aux.parse().ok()?;
    Some(chunk)
}

/// Returns the four letters of a tag; others as two hexadecimal digits after a `\`.
fn tag_word(tag: Tag) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric();
    tag.0.iter().map(|b| if plain(*b) { char::from(*b).to_string() } else { format!("\\{b:02x}") }).collect()
}

fn tag_from(word: &[u8]) -> Option<(Tag, &[u8])> {
    let mut rest = word;
    let mut tag = [0u8; 4];
    for slot in &mut tag {
        let (first, after) = rest.split_first()?;
        (*slot, rest) = match first {
            b'\\' => {
                let (digits, after) = after.split_first_chunk::<2>()?;
                (u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?, after)
            }
            byte => (*byte, after),
        };
    }
    Some((Tag(tag), rest))
}

/// Prints blocks one by one.
macro_rules! print_each {
    ($out:ident, $list:expr) => {
        for (index, item) in $list.iter().enumerate() {
            block::print_top($out, item).map_err(|e| {
                e.within(format!("{}[{index}]", stringify!($list).trim_start_matches("model.")))
            })?;
        }
    };
}

pub(super) fn print(model: &Model, capacity: usize) -> Result<Vec<u8>> {
    if !model.version.is_supported() {
        return Err(Error::unrepresentable(format!("version {}", model.version)));
    }
    let mut out = Out::new(model.version, capacity);
    print_head(&mut out, model);
    print_blocks(&mut out, model)?;
    // Numbers without a decimal form are known only now.
    let numbers = out.stand_ins().to_vec();
    for (index, bits) in numbers.chunks(NUMBERS_LINE).enumerate() {
        let bits: String = bits.iter().map(|b| format!(" 0x{b:x}")).collect();
        out.sidecar(format!("numbers {}{bits}", index * NUMBERS_LINE + 1));
    }
    out.place_sidecar(0);
    Ok(out.into_bytes())
}

fn print_head(out: &mut Out, model: &Model) {
    let layout = model.planned_layout(&model.layout);
    if layout != model.planned_layout(&Layout::default()) {
        let words: Vec<String> = layout.chunks.iter().map(chunk_word).collect();
        out.sidecar(format!("chunks {}", words.join(" ")));
    }
    for chunk in &model.unknown {
        let mut parts = chunk.bytes.chunks(HEX_LINE);
        out.sidecar(format!("unknown {} {}", tag_word(chunk.tag), hex(parts.next().unwrap_or(&[]))));
        for part in parts {
            out.sidecar(format!("+ {}", hex(part)));
        }
    }
    out.place_sidecar(0);
    out.block("Version", |out| out.line("FormatVersion", |out| out.int(i64::from(model.version.0))));
    if layout.chunks.iter().any(|c| c.tag.0 == *b"MODL" && !c.unknown) {
        print_info(out, model);
    }
}

fn print_info(out: &mut Out, model: &Model) {
    let counts = [
        ("NumGeosets", model.geosets.len()),
        ("NumGeosetAnims", model.geoset_anims.len()),
        ("NumHelpers", model.helpers.len()),
        ("NumLights", model.lights.len()),
        ("NumBones", model.bones.len()),
        ("NumAttachments", model.attachments.len()),
        ("NumParticleEmitters", model.particle_emitters.len()),
        ("NumParticleEmitters2", model.particle_emitters2.len()),
        ("NumRibbonEmitters", model.ribbon_emitters.len()),
        ("NumEvents", model.events.len()),
        ("NumFaceFX", model.face_effects.len()),
        ("NumParticleEmittersPopcorn", model.popcorn_emitters.len()),
        ("NumSoundEmitters", model.sound_emitters.len()),
    ];
    let (start, from) = (out.len(), out.sidecar_len());
    out.named_block(ModelInfo::WORD, model.info.name(), |out| {
        for (word, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            out.line(word, |out| out.int(count as i64));
        }
        // Printing a name and bounds cannot fail.
        let _ = block::print_body(out, &model.info);
    });
    out.guard_sidecar(from, block::guard(&model.info, model.version));
    out.place_sidecar(start);
}

/// Prints a block of blocks with its sidecar lines above it.
fn print_list<T: Block>(out: &mut Out, word: &str, list: &[T]) -> Result<()> {
    if list.is_empty() {
        return Ok(());
    }
    let start = out.len();
    let mut result = Ok(());
    out.block(&format!("{word} {}", list.len()), |out| {
        for (index, item) in list.iter().enumerate() {
            let from = out.sidecar_len();
            let printed = block::print(out, item);
            result = result.clone().and(printed.map_err(|e| e.within(format!("{word}[{index}]"))));
            out.prefix_sidecar(from, &format!("{} {index}/{} ", T::WORD, list.len()));
        }
    });
    out.place_sidecar(start);
    result
}

fn print_blocks(out: &mut Out, model: &Model) -> Result<()> {
    let has = |tag: &[u8; 4]| CHUNKS.iter().any(|c| c.tag.0 == *tag && c.versions.contains(&model.version.0));
    print_list(out, "Sequences", &model.sequences)?;
    if !model.global_sequences.is_empty() {
        out.block(&format!("GlobalSequences {}", model.global_sequences.len()), |out| {
            for duration in &model.global_sequences {
                out.line("Duration", |out| out.int(i64::from(*duration)));
            }
        });
    }
    print_list(out, "Textures", &model.textures)?;
    print_list(out, "Materials", &model.materials)?;
    print_list(out, "TextureAnims", &model.texture_anims)?;
    print_each!(out, model.geosets);
    print_each!(out, model.geoset_anims);
    print_each!(out, model.bones);
    print_each!(out, model.lights);
    print_each!(out, model.helpers);
    print_each!(out, model.attachments);
    if !model.pivots.is_empty() {
        out.rows("PivotPoints", &model.pivots);
    }
    print_each!(out, model.particle_emitters);
    print_each!(out, model.particle_emitters2);
    print_each!(out, model.ribbon_emitters);
    print_each!(out, model.cameras);
    print_each!(out, model.events);
    for shape in &model.collision_shapes {
        block::print_top(out, &ShownShape::of(shape, model.version))?;
    }
    if let Some(mesh) = model.collision_mesh.as_deref().filter(|_| has(b"HTST")) {
        block::print_top(out, mesh)?;
    }
    if !model.bind_poses.is_empty() && has(b"BPOS") {
        out.block("BindPose", |out| out.rows("Matrices", &model.bind_poses));
    }
    if has(b"CORN") {
        print_each!(out, model.face_effects);
        print_each!(out, model.popcorn_emitters);
    }
    if has(b"SNEM") {
        print_list(out, "Sounds", &model.sounds)?;
        print_each!(out, model.sound_emitters);
    }
    Ok(())
}
