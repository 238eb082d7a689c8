//! `galatea transfer`: clips of one model on the skeleton of another.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use galatea::combine::{BoneTable, TransferOptions, TransferPlan, Transferred, transfer};
use serde_json::{Value, json};

use super::combined::{Outcome, Told, explain, failed, open, renaming};
use crate::Exit;
use crate::terminal::{plain, show};

#[derive(Args)]
#[command(after_help = "Look first:  galatea transfer footman.mdx grunt.mdx --dry-run > bones.txt\n\
    Then:        galatea transfer footman.mdx grunt.mdx -o new.mdx --map bones.txt --clips 'Walk*' --rename-clip 'Walk=Walk Fast'\n\
    The table is printed as FROM = TO, a line for each bone; `FROM = -` leaves a bone alone. Clips go on kotor-mdl and mdx; they come \
    from those and from glTF.")]
pub(crate) struct Options {
    /// The model that has the clips
    #[arg(value_name = "FROM")]
    from: PathBuf,
    /// The model that gets them
    #[arg(value_name = "TO")]
    to: PathBuf,
    /// A table of bones, as --dry-run prints it; bones that it does not name are matched as without it
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Only these clips: names and patterns, with commas between
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    clips: Vec<String>,
    /// Another name for a clip
    #[arg(long, value_name = "OLD=NEW", value_parser = renaming)]
    rename_clip: Vec<(String, String)>,
    /// How positions are taken over; without it keys stay as they are
    #[arg(long, value_name = "HOW")]
    retarget: Option<Retarget>,
    /// Put a clip in the place of one that has its name
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    outcome: Outcome,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Retarget {
    /// Bones keep the lengths they have in TO, motion grows with them, and the lower foot is as far above the ground
    Proportions,
}

impl Options {
    fn bones(&self) -> Result<BoneTable, String> {
        let Some(path) = &self.map else { return Ok(BoneTable::default()) };
        let bytes = galatea::disk::read(path).map_err(|error| format!("{}: {error}", show(path)))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{}: is not text in UTF-8", show(path)))?;
        BoneTable::parse(&text).map_err(|error| format!("{}: {error}", show(path)))
    }

    pub(crate) fn run(&self) -> io::Result<Exit> {
        let inputs: [&Path; 2] = [&self.from, &self.to];
        let opened = self.bones().and_then(|bones| Ok((bones, open(&self.from)?, open(&self.to)?)));
        let (bones, from, mut to) = match opened {
            Ok(opened) => opened,
            Err(error) => return Ok(failed(&error)),
        };
        if self.outcome.dry_run {
            let plan = TransferPlan::of(from.document.as_ref(), to.document.as_ref(), &bones);
            return match plan {
                Ok(plan) => self.table(&plan).map(|()| Exit::Fine),
                Err(error) => Ok(failed(&explain(&error, &inputs))),
            };
        }
        let options = TransferOptions::default()
            .with_bones(bones)
            .with_clips(self.clips.clone())
            .with_renames(self.rename_clip.clone())
            .with_proportions(self.retarget == Some(Retarget::Proportions))
            .with_replace(self.replace);
        match transfer(from.document.as_ref(), to.document.as_mut(), &options) {
            Ok(done) => self.outcome.finish(to.document.as_ref(), &inputs, &told(done)),
            Err(error) => Ok(failed(&explain(&error, &inputs))),
        }
    }

    /// Prints which bones match, as a table that can be given back.
    fn table(&self, plan: &TransferPlan) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.outcome.json {
            return writeln!(out, "{}", bones_json(plan));
        }
        let (from, to) = (show(&self.from), show(&self.to));
        let (pairs, all) = (plan.matching.pairs.len(), plan.from.bones.len());
        writeln!(out, "# {pairs} of {all} nodes of {from} have a counterpart in {to}.")?;
        writeln!(out, "# FROM = TO; \"-\" for none. Edit this and give it back with --map.")?;
        write!(out, "{}", plan.table())
    }
}

fn bones_json(plan: &TransferPlan) -> Value {
    let name = |skeleton: &galatea::combine::Skeleton, at: usize| {
        skeleton.bones.get(at).map(|bone| bone.name.clone())
    };
    let pair = |pair: &galatea::combine::Pair| json!({ "from": name(&plan.from, pair.from), "to": name(&plan.to, pair.to), "how": format!("{:?}", pair.how) });
    let rest = |skeleton, list: &[usize]| list.iter().map(|at| name(skeleton, *at)).collect::<Vec<_>>();
    json!({
        "bones": plan.matching.pairs.iter().map(pair).collect::<Vec<_>>(),
        "left_from": rest(&plan.from, &plan.matching.left_from), "left_to": rest(&plan.to, &plan.matching.left_to),
    })
}

fn told(done: Transferred) -> Told {
    let mut lines = Vec::new();
    let (pairs, all) = (done.plan.matching.pairs.len(), done.plan.from.bones.len());
    let how = if done.exact { "with their own keys" } else { "by the turns of the bones, 30 keys a second" };
    let clips =
        if done.clips.len() == 1 { "1 clip".to_owned() } else { format!("{} clips", done.clips.len()) };
    lines.push(format!("{clips} on {pairs} of {all} nodes, {how}"));
    let mut list = Vec::new();
    for clip in &done.clips {
        let error = &clip.error;
        let name = if clip.from == clip.name {
            plain(&clip.name)
        } else {
            format!("{} as {}", plain(&clip.from), plain(&clip.name))
        };
        let worst = if error.bone.is_empty() { String::new() } else { format!(" ({})", plain(&error.bone)) };
        let feet = error
            .feet
            .map_or(String::new(), |feet| format!(", feet off by {:.1} % of the height", feet * 100.0));
        lines.push(format!(
            "  {name}: bones off by {:.1} degrees, at most {:.1}{worst}{feet}",
            error.mean, error.worst
        ));
        list.push(json!({
            "from": clip.from, "name": clip.name, "mean_angle": error.mean, "worst_angle": error.worst, "bone": error.bone,
            "feet": error.feet,
        }));
    }
    let mut more = bones_json(&done.plan);
    if let Some(map) = more.as_object_mut() {
        map.insert("clips".into(), Value::Array(list));
        map.insert("exact".into(), json!(done.exact));
    }
    Told { lines, notes: done.notes, losses: done.losses, more: Some(more), ..Told::default() }
}
