//! A document in the window: its history, its time, and what is selected in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use galatea::Output;
use galatea::preview::{Options, View};
use galatea::scene::{Frame, Instant, NodeId, Scene};

use galatea_painter::Orbit;

use super::action::Action;
use super::change::Change;
use super::files::name_of;
use super::jobs::Task;
use super::open::Opened;
use super::play::Clock;
use super::view::{Show, frame_all};
use super::walking::Walking;

/// A state of a document in its history.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// What was done, for people.
    pub(crate) label: String,
    /// What follows `galatea` on the command line to do the same; empty for the state that was opened.
    pub(crate) command: String,
    /// The bytes.
    pub(crate) output: Arc<Output>,
}

/// What has become of the file meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum OnDisk {
    /// Nothing.
    #[default]
    Same,
    /// Another program has changed it.
    Changed,
    /// It is not there any more.
    Gone,
}

/// What is selected in a document.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Selection {
    /// The node.
    pub(crate) node: Option<NodeId>,
    /// The finding, by its place in the report.
    pub(crate) finding: Option<usize>,
    /// Bytes of one of the files: its number, and the range.
    pub(crate) bytes: Option<(usize, std::ops::Range<usize>)>,
    /// A line of the field tree of one of the files.
    pub(crate) line: Option<(usize, usize)>,
    /// Counts the selections, so that panels scroll to a new one once.
    pub(crate) number: u64,
}

/// A state of a document that was opened, and if it was read from disk, what was read.
pub(crate) struct Fresh {
    /// The bytes, and what was known of the file then.
    pub(crate) read: Option<(Arc<Output>, Option<u64>)>,
    /// The state.
    pub(crate) opened: Opened,
}

/// A document in the window.
pub(crate) struct Document {
    /// A number that no other document of this run has.
    pub(crate) id: u64,
    /// Where it came from.
    pub(crate) path: PathBuf,
    /// Its history, and the state that is shown.
    steps: Vec<Step>,
    at: usize,
    /// The state that is on disk.
    saved: Option<Arc<Output>>,
    /// The state that is shown, opened.
    pub(crate) opened: Option<Opened>,
    /// Opens the state that is to be shown.
    pub(crate) opening: Option<Task<Fresh>>,
    /// Why it cannot be read at all.
    pub(crate) failed: Option<String>,
    /// Works on a change.
    pub(crate) changing: Option<Task<Change>>,
    /// A change that waits for a yes.
    pub(crate) proposal: Option<Change>,
    /// Its time.
    pub(crate) clock: Clock,
    /// Its camera.
    pub(crate) orbit: Orbit,
    /// The camera of the model through which it is seen.
    pub(crate) camera: Option<String>,
    /// Whether the camera has yet to be put where everything is seen.
    pub(crate) unframed: bool,
    /// What is selected.
    pub(crate) selection: Selection,
    /// What was known of the file when it was read.
    pub(crate) stamp: Option<u64>,
    /// Another number that was seen since: the file may still be being written.
    pub(crate) seen: Option<u64>,
    /// What has become of the file meanwhile.
    pub(crate) on_disk: OnDisk,
    /// The state that is on disk, opened for a comparison.
    pub(crate) before: Option<Opened>,
    /// Opens it.
    pub(crate) opening_before: Option<Task<Opened>>,
    /// Where one walks in it.
    pub(crate) walking: Walking,
    frame: Option<(u64, Instant, Show, Arc<Frame>)>,
}

impl Document {
    /// Returns a document that is yet to be read.
    pub(crate) fn new(id: u64, path: &Path) -> Document {
        Document {
            id,
            path: path.to_path_buf(),
            steps: Vec::new(),
            at: 0,
            saved: None,
            opened: None,
            opening: None,
            failed: None,
            changing: None,
            proposal: None,
            clock: Clock::default(),
            orbit: Orbit::default(),
            camera: None,
            unframed: true,
            selection: Selection::default(),
            stamp: None,
            seen: None,
            before: None,
            opening_before: None,
            on_disk: OnDisk::Same,
            walking: Walking::default(),
            frame: None,
        }
    }

    /// Returns its name, for tabs and titles.
    pub(crate) fn name(&self) -> String {
        name_of(&self.path)
    }

    /// Returns the bytes of the state that is shown.
    pub(crate) fn output(&self) -> Option<&Arc<Output>> {
        self.steps.get(self.at).map(|step| &step.output)
    }

    /// Returns its history, and the place in it.
    pub(crate) fn history(&self) -> (&[Step], usize) {
        (&self.steps, self.at)
    }

    /// Returns the bytes that are on disk.
    pub(crate) fn saved(&self) -> Option<&Arc<Output>> {
        self.saved.as_ref()
    }

    /// Returns `true` if it has changes that are not on disk.
    pub(crate) fn is_dirty(&self) -> bool {
        match (self.output(), &self.saved) {
            (Some(now), Some(saved)) => !Arc::ptr_eq(now, saved) && now != saved,
            (Some(_), None) => true,
            (None, _) => false,
        }
    }

    /// Takes what was read from disk. What was changed meanwhile stays in the history.
    pub(crate) fn take_read(&mut self, output: Arc<Output>) {
        if self.steps.is_empty() {
            self.push(Step { label: "Opened".into(), command: String::new(), output: Arc::clone(&output) });
        } else if self.output().is_none_or(|now| *now != output) {
            let label = "Changed on disk".into();
            self.push(Step { label, command: String::new(), output: Arc::clone(&output) });
        }
        self.saved = self.output().cloned();
        self.on_disk = OnDisk::Same;
    }

    #[cfg(not(target_arch = "wasm32"))]
    /// Takes changes that were not saved before the last run ended.
    pub(crate) fn take_recovered(&mut self, output: Arc<Output>) {
        let label = "Recovered changes".into();
        self.push(Step { label, command: String::new(), output });
    }

    /// Adds a state behind the one that is shown. What was undone is forgotten.
    pub(crate) fn push(&mut self, step: Step) {
        self.steps.truncate(if self.steps.is_empty() { 0 } else { self.at + 1 });
        self.steps.push(step);
        self.at = self.steps.len() - 1;
    }

    /// Goes back one step; returns its label.
    pub(crate) fn undo(&mut self) -> Option<String> {
        let label = self.steps.get(self.at).filter(|_| self.at > 0)?.label.clone();
        self.at -= 1;
        Some(label)
    }

    /// Goes forward one step; returns its label.
    pub(crate) fn redo(&mut self) -> Option<String> {
        let label = self.steps.get(self.at + 1)?.label.clone();
        self.at += 1;
        Some(label)
    }

    /// Returns `true` if there is something to undo, and something to redo.
    pub(crate) fn can_undo_redo(&self) -> (bool, bool) {
        (self.at > 0, self.at + 1 < self.steps.len())
    }

    /// Says that this state is on disk now.
    pub(crate) fn mark_saved(&mut self, output: &Arc<Output>) {
        self.saved = Some(Arc::clone(output));
        self.on_disk = OnDisk::Same;
    }

    /// Returns the commands of all changes that lead to the state that is shown.
    pub(crate) fn commands(&self) -> Vec<String> {
        let steps = self.steps.get(..=self.at).unwrap_or(&[]);
        steps
            .iter()
            .filter(|step| !step.command.is_empty())
            .map(|step| format!("galatea {}", step.command))
            .collect()
    }

    /// Takes a state that was opened. The camera, the clip and its time stay.
    pub(crate) fn show(&mut self, opened: Opened, plays: bool) {
        let before = self.opened.as_ref().and_then(|o| o.stand.as_ref());
        match (before, &opened.stand) {
            (Some(before), Some(after)) => {
                let (before, after) = (&before.subject.scene, &after.subject.scene);
                self.clock = self.clock.follow(before, after);
                let name = |id: NodeId| before.node(id).map(|node| node.name.clone());
                let node = self.selection.node.and_then(name);
                self.selection.node = node.and_then(|name| find_node(after, &name));
            }
            (None, Some(after)) => {
                let usual = after.usual_clip();
                let clips = &after.subject.scene.clips;
                self.clock.clip = usual.and_then(|name| clips.iter().position(|clip| clip.name == name));
                (self.clock.time, self.clock.plays) = (0.0, plays);
                self.selection.node = None;
            }
            _ => {}
        }
        let findings = opened.report.findings().len();
        self.selection.finding = self.selection.finding.filter(|finding| *finding < findings);
        self.selection.line = None;
        self.selection.bytes =
            self.selection.bytes.take().filter(|(file, range)| range.end <= opened.bytes(*file).len());
        self.walking.forget_ground();
        self.frame = None;
        self.opened = Some(opened);
    }

    /// Returns the scene that is shown.
    pub(crate) fn scene(&self) -> Option<&Scene> {
        Some(&self.opened.as_ref()?.stand.as_ref()?.subject.scene)
    }

    /// Returns the name of the selected node.
    pub(crate) fn node_name(&self) -> Option<&str> {
        Some(self.scene()?.node(self.selection.node?)?.name.as_str())
    }

    /// Lets time pass; returns `true` if something may have moved.
    pub(crate) fn pass(&mut self, seconds: f32) -> bool {
        let Some(stand) = self.opened.as_ref().and_then(|o| o.stand.as_ref()) else { return false };
        self.clock.pass(seconds, &stand.subject.scene, stand.has_effects)
    }

    /// Returns the frame that is shown in a viewport of this size, and how: the options have their view.
    pub(crate) fn frame(&mut self, show: &Show, size: (u32, u32)) -> Option<(Arc<Frame>, Options)> {
        let bone = self.node_name().map(str::to_owned);
        let stand = self.opened.as_ref()?.stand.as_ref()?;
        let scene = &stand.subject.scene;
        let mut look = show.options(bone.as_deref(), size);
        if let Some(clip) = self.clock.clip(scene) {
            look = look.with_clip(Some(clip.name.clone())).with_time(self.clock.time);
        }
        if std::mem::take(&mut self.unframed) {
            let at = Instant::new(self.clock.clip, self.clock.time, [0.0, 0.0, 0.0, 1.0]);
            let frame = stand.frame(at, &look)?;
            frame_all(&mut self.orbit, scene, &frame, &look);
        }
        let through = self.camera.as_ref().and_then(|camera| stand.view(camera, &look));
        let view: View = through.unwrap_or_else(|| self.orbit.view(scene.front()));
        look = look.with_view(Some(view));
        let at = galatea::preview::instant(scene, &look).ok();
        let rotation = at.map_or([0.0, 0.0, 0.0, 1.0], |at| at.camera);
        let at = Instant::new(self.clock.clip, self.clock.time, rotation);
        let known = self.frame.as_ref().filter(|(id, when, how, _)| {
            *id == stand.subject.id && *when == at && how.walk == show.walk && how.level == show.level
        });
        let frame = match known {
            Some((.., frame)) => Arc::clone(frame),
            None => Arc::new(stand.frame(at, &look)?),
        };
        self.frame = Some((stand.subject.id, at, show.clone(), Arc::clone(&frame)));
        Some((frame, look))
    }

    /// Selects a node, and in the bytes and fields what belongs to it.
    pub(crate) fn select_node(&mut self, node: Option<NodeId>) {
        self.selection.number += 1;
        self.selection.node = node;
        let name = self.node_name().map(str::to_owned);
        let Some(opened) = &self.opened else { return };
        let found = name.and_then(|name| {
            let trees = opened.files.iter().enumerate();
            trees.into_iter().find_map(|(file, bytes)| Some((file, bytes.tree.of_node(&name)?)))
        });
        self.selection.line = found.as_ref().map(|(file, lines)| (*file, lines.start));
        if let Some((file, lines)) = found {
            let lines = opened.files.get(file).and_then(|f| f.tree.lines.get(lines));
            let sized = lines.into_iter().flatten().find(|line| line.size > 0);
            self.selection.bytes = sized.map(|line| (file, line.offset..line.offset + line.size));
        }
    }

    /// Selects the field of a byte, and the node that it belongs to.
    pub(crate) fn select_byte(&mut self, file: usize, offset: usize) {
        self.selection.number += 1;
        let Some(opened) = &self.opened else { return };
        let Some(bytes) = opened.files.get(file) else { return };
        let field = galatea::wire::Inspector::new(opened.bytes(file), &bytes.coverage).at(offset);
        self.selection.bytes = Some(match &field {
            Some(field) => (file, field.offset..field.offset + field.size),
            None => (file, offset..offset + 1),
        });
        let line = bytes.tree.of_byte(offset);
        let above: Vec<String> = match (line, field) {
            (Some(line), _) => bytes.tree.labels_above(line).into_iter().map(str::to_owned).collect(),
            (None, Some(field)) => {
                super::fields::labels(&field.path).into_iter().map(str::to_owned).collect()
            }
            (None, None) => Vec::new(),
        };
        let node = self.scene().and_then(|scene| above.iter().find_map(|name| find_node(scene, name)));
        self.selection.line = line.map(|line| (file, line));
        if node.is_some() {
            self.selection.node = node;
        }
    }

    /// Selects a finding: the node, the field and the byte that it is about.
    pub(crate) fn select_finding(&mut self, number: usize) {
        let found = self.opened.as_ref().and_then(|opened| opened.report.findings().get(number));
        let Some(finding) = found.cloned() else { return };
        if let Some(offset) = finding.offset.and_then(|offset| usize::try_from(offset).ok()) {
            self.select_byte(0, offset);
        } else {
            self.selection.number += 1;
        }
        let labels = super::fields::labels(&finding.path);
        let named = self.scene().and_then(|scene| {
            let exact = labels.iter().find_map(|label| find_node(scene, label));
            exact.or_else(|| find_node(scene, &finding.path))
        });
        if let Some(node) = named {
            if finding.offset.is_none() {
                self.select_node(Some(node));
            }
            self.selection.node = Some(node);
        }
        self.selection.finding = Some(number);
    }
}

/// Finds a node by its name, letter case ignored.
pub(crate) fn find_node(scene: &Scene, name: &str) -> Option<NodeId> {
    let found = scene.nodes.iter().position(|node| node.name.eq_ignore_ascii_case(name))?;
    NodeId::try_from(found).ok()
}

impl Document {
    /// Does what a panel asks of this document alone.
    pub(crate) fn act(&mut self, action: Action) {
        let scene = self.opened.as_ref().and_then(|o| o.stand.as_ref()).map(|stand| &stand.subject.scene);
        match (action, scene) {
            (Action::SelectNode(node), _) => self.select_node(node),
            (Action::SelectByte(file, offset), _) => self.select_byte(file, offset),
            (Action::SelectLine(file, line), _) => self.select_line(file, line),
            (Action::SelectFinding(number), _) => self.select_finding(number),
            (Action::Clip(clip), Some(scene)) => {
                self.clock.clip = clip.filter(|clip| *clip < scene.clips.len());
                self.clock.time = 0.0;
            }
            (Action::Play(plays), Some(scene)) => {
                let length = self.clock.length(scene);
                if plays && self.clock.time >= length && !self.clock.again {
                    self.clock.time = 0.0;
                }
                self.clock.plays = plays;
            }
            (Action::Seek(time), _) if time.is_finite() => {
                (self.clock.time, self.clock.plays) = (time.max(0.0), false);
            }
            (Action::Nudge(frames), Some(scene)) => self.clock.nudge(frames, scene),
            (Action::Speed(speed), _) => self.clock.speed = speed.clamp(0.05, 8.0),
            (Action::Again(again), _) => self.clock.again = again,
            (Action::Dismiss, _) => self.proposal = None,
            (Action::Keep, _) => {
                self.stamp = self.seen.or(self.stamp);
                self.on_disk = OnDisk::Same;
            }
            (Action::Camera(camera), _) => self.camera = camera,
            (Action::FrameAll, _) => (self.unframed, self.camera) = (true, None),
            (Action::Look(yaw, pitch), _) => {
                (self.orbit.yaw, self.orbit.pitch, self.camera) = (yaw.rem_euclid(360.0), pitch, None);
            }
            (Action::Walk(on), _) => self.walking.on = on,
            (Action::WalkTo(point), _) => self.walking.click(point),
            (Action::WalkRadius(radius), _) => {
                self.walking.radius = radius.clamp(0.0, 100.0);
                self.walking.search();
            }
            (Action::Door(door, open), _) => {
                if let Some(Ok(land)) = &mut self.walking.land {
                    land.area.set_door(door, open);
                }
                self.walking.search();
            }
            _ => {}
        }
    }

    fn select_line(&mut self, file: usize, line: usize) {
        let found = self.opened.as_ref().and_then(|o| o.files.get(file)).and_then(|f| f.tree.lines.get(line));
        let Some(field) = found.cloned() else { return };
        if field.size > 0 {
            self.select_byte(file, field.offset);
            self.selection.bytes = Some((file, field.offset..field.offset + field.size));
        } else {
            self.selection.number += 1;
        }
        self.selection.line = Some((file, line));
        let name = super::fields::label(&field.name);
        if let Some(node) = name.and_then(|name| find_node(self.scene()?, name)) {
            self.selection.node = Some(node);
        }
    }
}
