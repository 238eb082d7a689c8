//! The session by its actions, with files in memory and on disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use galatea::{FormatId, Severity};

use super::action::{Action, Arrangement};
use super::change::Wish;
use super::disk::Disk;
use super::document::OnDisk;
use super::dropped::Dropped;
use super::export::Motion;
use super::files::{Files, Unsaved};
use super::jobs::OnTheSpot;
use super::settings::Settings;
use super::unsaved::Shelf;
use super::walking::Found;
use super::{Session, document};

/// Our own examples.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The files of the examples in memory.
pub(crate) fn dropped() -> Arc<Dropped> {
    let files = Dropped::default();
    for entry in std::fs::read_dir(examples()).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        files.put(&entry.file_name().to_string_lossy(), std::fs::read(entry.path()).unwrap());
    }
    Arc::new(files)
}

fn session() -> (Session, Arc<Dropped>) {
    let files = dropped();
    (Session::new(Arc::new(OnTheSpot), Arc::clone(&files) as Arc<dyn Files>, Settings::default()), files)
}

/// Does something and lets it finish.
fn act(session: &mut Session, action: Action) {
    session.act(action);
    settle(session);
}

fn settle(session: &mut Session) {
    for _ in 0..4 {
        session.tick(0.0);
    }
}

fn open(name: &str) -> (Session, Arc<Dropped>) {
    let (mut session, files) = session();
    act(&mut session, Action::Open(name.into()));
    (session, files)
}

fn shown(session: &Session) -> &document::Document {
    session.document().unwrap()
}

fn last(session: &Session) -> &str {
    session.messages.last().map_or("", |message| message.text.as_str())
}

/// A field of the example that has a name in every version: the blend time of an MDX, as `galatea edit` calls it.
fn set(path: &str, value: &str) -> Action {
    Action::Change { wish: Wish::Set { path: path.into(), value: value.into() }, asks: false }
}

#[test]
fn every_example_opens_and_all_but_texts_of_textures_show_something() {
    let files = dropped();
    let progress = super::jobs::Progress::default();
    let entries = files.list(&[], &progress).unwrap();
    assert!(entries.len() >= 14, "{}", entries.len());
    for entry in entries {
        let (session, _) = open(&entry.name);
        let document = shown(&session);
        let opened =
            document.opened.as_ref().unwrap_or_else(|| panic!("{}: {:?}", entry.name, document.failed));
        assert_eq!(opened.error, None, "{}", entry.name);
        assert!(opened.stand.is_some() || opened.image.is_some(), "{}", entry.name);
        assert!(!document.is_dirty());
    }
}

#[test]
fn a_model_plays_its_usual_clip_and_stops_where_one_goes() {
    let (mut session, _) = open("beacon.mdx");
    assert!(shown(&session).clock.plays && shown(&session).clock.clip.is_some());
    assert!(session.tick(0.1), "something moves");
    let time = shown(&session).clock.time;
    assert!((time - 0.1).abs() < 1e-6, "{time}");
    act(&mut session, Action::Seek(0.05));
    assert!(!session.tick(1.0), "who goes to a time wants to see it");
    assert_eq!(shown(&session).clock.time, 0.05);
    act(&mut session, Action::Clip(None));
    assert_eq!(shown(&session).clock.clip, None);
    act(&mut session, Action::Clip(Some(99)));
    assert_eq!(shown(&session).clock.clip, None);
}

#[test]
fn frames_are_made_once_for_a_moment() {
    let (mut session, _) = open("statue_800.mdx");
    let show = session.settings.show.clone();
    session.act(Action::Play(false));
    let document = session.document_mut().unwrap();
    let (first, look) = document.frame(&show, (200, 100)).unwrap();
    let (second, _) = document.frame(&show, (200, 100)).unwrap();
    assert!(Arc::ptr_eq(&first, &second) && !first.surfaces.is_empty());
    assert_eq!((look.width, look.height), (200, 100));
    session.act(Action::Seek(0.3));
    let (third, _) = session.document_mut().unwrap().frame(&show, (200, 100)).unwrap();
    assert!(!Arc::ptr_eq(&first, &third));
}

#[test]
fn textures_are_found_beside_the_model() {
    let (session, _) = open("statue_800.mdx");
    let stand = shown(&session).opened.as_ref().unwrap().stand.as_ref().unwrap();
    assert!(!stand.subject.textures.is_empty(), "statue.blp is there");
    let (mut without, files) = self::session();
    files.remove("statue.blp");
    act(&mut without, Action::Open("statue_800.mdx".into()));
    let opened = shown(&without).opened.as_ref().unwrap();
    assert_eq!(opened.textures[0].audited.why, galatea::textures::Why::Missing, "what is missing is told");
}

#[test]
fn a_field_is_changed_undone_and_changed_again() {
    let (mut session, _) = open("statue_800.mdx");
    let before = Arc::clone(session.output().unwrap());
    let tree = &shown(&session).opened.as_ref().unwrap().files[0].tree;
    let line = tree.lines.iter().find(|line| line.name.contains("blend_time")).unwrap().clone();
    act(&mut session, set("MODL.blend_time", "217"));
    let after = Arc::clone(session.output().unwrap());
    assert_ne!(before.bytes, after.bytes, "{}", last(&session));
    assert_eq!(before.bytes.len(), after.bytes.len());
    assert_eq!(after.bytes[line.offset], 217);
    assert!(shown(&session).is_dirty());
    assert_eq!(
        shown(&session).commands(),
        ["galatea edit statue_800.mdx --set MODL.blend_time=217 --in-place"]
    );
    act(&mut session, Action::Undo);
    assert!(!shown(&session).is_dirty());
    assert_eq!(session.output().unwrap().bytes, before.bytes);
    assert_eq!(shown(&session).opened.as_ref().unwrap().output.bytes, before.bytes, "what is shown follows");
    act(&mut session, Action::Redo);
    assert_eq!(session.output().unwrap().bytes, after.bytes);
    act(&mut session, Action::Undo);
    act(&mut session, set("MODL.blend_time", "9"));
    assert_eq!(shown(&session).can_undo_redo(), (true, false), "what was undone is gone behind a new change");
}

#[test]
fn a_wrong_value_changes_nothing_and_says_why() {
    let (mut session, _) = open("statue_800.mdx");
    for (path, value) in [("MODL.blend_time", "many"), ("MODL.blend_tim", "1"), ("MODL.blend_time[", "1")] {
        act(&mut session, set(path, value));
        assert!(!shown(&session).is_dirty());
        let message = session.messages.last().unwrap();
        assert_eq!(message.severity, Severity::Error, "{}", message.text);
        assert!(
            message.text.contains(path.split('[').next().unwrap()) || message.text.contains(value),
            "{}",
            message.text
        );
    }
}

/// A walkmesh with a wrong derived table, so that a rule finds something that can be fixed.
pub(crate) fn damaged() -> Vec<u8> {
    let mut bytes = std::fs::read(examples().join("room.wok")).unwrap();
    let input = galatea::Input::new(&bytes);
    let document = galatea::open(&input, &Default::default()).unwrap();
    assert_eq!(document.check().at_least(Severity::Warning), 0);
    let inspections = galatea::inspect(&input, &Default::default()).unwrap();
    let inspector = galatea::wire::Inspector::new(&bytes, &inspections[0].coverage);
    let field =
        inspector.map().into_iter().find(|span| span.owner.as_deref().is_some_and(|o| o.contains("adjacen")));
    let at = field.expect("a walkmesh has neighbors").start;
    bytes[at] ^= 1;
    bytes
}

#[test]
fn a_finding_is_clicked_looked_at_fixed_saved_and_undone() {
    let (mut session, files) = session();
    files.put("bad.wok", damaged());
    act(&mut session, Action::Open("bad.wok".into()));
    let report = &shown(&session).opened.as_ref().unwrap().report;
    let number = report.findings().iter().position(|finding| finding.rule.fix).expect("something to fix");
    let code = report.findings()[number].rule.code.to_owned();
    act(&mut session, Action::SelectFinding(number));
    assert_eq!(shown(&session).selection.finding, Some(number));
    act(&mut session, Action::Change { wish: Wish::Fix(vec![code.clone()]), asks: true });
    let proposal = shown(&session).proposal.clone().expect("it is shown first");
    assert!(!proposal.differences.is_empty() && !shown(&session).is_dirty());
    act(&mut session, Action::Dismiss);
    assert!(shown(&session).proposal.is_none() && !shown(&session).is_dirty());
    act(&mut session, Action::Change { wish: Wish::Fix(vec![code.clone()]), asks: true });
    act(&mut session, Action::Apply);
    assert_eq!(shown(&session).opened.as_ref().unwrap().report.count(&code), 0);
    assert_eq!(session.last_command.as_deref(), Some(format!("check bad.wok --fix --only {code}").as_str()));
    act(&mut session, Action::Save);
    assert!(!shown(&session).is_dirty(), "{}", last(&session));
    let original = std::fs::read(examples().join("room.wok")).unwrap();
    assert_eq!(files.load(Path::new("bad.wok")).unwrap().bytes, original, "the fix restores it");
    act(&mut session, Action::Undo);
    assert!(shown(&session).is_dirty(), "the state before is not the one on disk any more");
    assert_eq!(shown(&session).opened.as_ref().unwrap().report.count(&code), report_count(&damaged(), &code));
}

fn report_count(bytes: &[u8], code: &str) -> usize {
    galatea::open(&galatea::Input::new(bytes), &Default::default()).unwrap().check().count(code)
}

#[test]
fn nodes_fields_and_bytes_lead_to_each_other() {
    let (mut session, _) = open("statue.mdl");
    let scene = shown(&session).scene().unwrap();
    let named = |name: &str| document::find_node(scene, name);
    let (number, node) = scene.nodes.iter().enumerate().find(|(_, node)| node.mesh.is_some()).unwrap();
    let name = node.name.clone();
    assert_eq!(named(&name), Some(number as u32));
    act(&mut session, Action::SelectNode(Some(number as u32)));
    let (file, line) = shown(&session).selection.line.expect("the node has fields");
    let (_, bytes) = shown(&session).selection.bytes.clone().expect("and bytes");
    let lines = &shown(&session).opened.as_ref().unwrap().files[file].tree.lines;
    assert!(lines[line].name.contains(&name), "{}", lines[line].name);
    act(&mut session, Action::SelectNode(None));
    act(&mut session, Action::SelectByte(file, bytes.start));
    assert_eq!(shown(&session).node_name(), Some(name.as_str()), "the byte leads back to its node");
    let (_, again) = shown(&session).selection.line.unwrap();
    assert!(again >= line && again < lines_end(&session, file, line));
    act(&mut session, Action::SelectLine(file, again));
    assert_eq!(shown(&session).selection.line, Some((file, again)));
}

fn lines_end(session: &Session, file: usize, line: usize) -> usize {
    shown(session).opened.as_ref().unwrap().files[file].tree.lines[line].end
}

#[test]
fn operations_ask_first_and_what_finds_nothing_says_so() {
    let (mut session, _) = open("statue_800.mdx");
    let scale = |value: &str| Action::Change {
        wish: Wish::Operate(vec![("scale".into(), value.into())]),
        asks: true,
    };
    act(&mut session, scale("2"));
    assert!(shown(&session).proposal.is_some() && !shown(&session).is_dirty());
    act(&mut session, Action::Apply);
    assert!(shown(&session).is_dirty());
    act(&mut session, Action::Undo);
    assert!(!shown(&session).is_dirty());
    act(&mut session, scale("-1"));
    assert!(last(&session).contains("above 0"), "{}", last(&session));
    let rename = ("rename-node".to_owned(), "nothing=something".to_owned());
    act(&mut session, Action::Change { wish: Wish::Operate(vec![rename]), asks: true });
    assert!(shown(&session).proposal.is_none() && last(&session).contains("nothing"), "{}", last(&session));
}

#[test]
fn another_format_lists_its_losses_before_anything_is_written() {
    let (mut session, files) = open("statue.mdl");
    let to = |path: &str, format| Action::SaveAs { path: path.into(), format, replace: false };
    act(&mut session, to("out.fmdl", FormatId::Fmdl));
    let pending = session.pending.clone().expect("an FMDL holds no clips");
    assert!(!pending.losses.is_empty() && files.load(Path::new("out.fmdl")).is_err());
    act(&mut session, Action::DoNotWrite);
    assert!(session.pending.is_none() && files.load(Path::new("out.fmdl")).is_err());
    act(&mut session, to("out.fmdl", FormatId::Fmdl));
    act(&mut session, Action::Write);
    assert!(files.load(Path::new("out.fmdl")).is_ok(), "{}", last(&session));
    assert_eq!(shown(&session).path, Path::new("statue.mdl"), "the model stays the open file");
}

#[test]
fn a_copy_in_the_same_format_is_the_open_file_from_then_on() {
    let (mut session, files) = open("statue_800.mdx");
    act(&mut session, set("MODL.blend_time", "217"));
    let save = Action::SaveAs { path: "copy.mdx".into(), format: FormatId::Mdx, replace: false };
    act(&mut session, save);
    assert_eq!(shown(&session).path, Path::new("copy.mdx"));
    assert!(!shown(&session).is_dirty());
    assert_eq!(files.load(Path::new("copy.mdx")).unwrap().bytes, session.output().unwrap().bytes);
}

#[test]
fn images_are_drawn_as_the_viewport_shows_them() {
    let (mut session, files) = open("beacon.mdx");
    let shoot =
        |path: &str, motion| Action::Shoot { path: path.into(), size: (48, 48), motion, replace: false };
    act(&mut session, shoot("a.png", Motion::Still));
    act(&mut session, shoot("b.gif", Motion::Clip(4.0)));
    act(&mut session, shoot("c.doc", Motion::Turn(4.0)));
    assert!(files.load(Path::new("a.png")).unwrap().bytes.starts_with(b"\x89PNG"));
    assert!(files.load(Path::new("b.gif")).unwrap().bytes.starts_with(b"GIF8"));
    assert!(last(&session).contains("not a moving image"), "{}", last(&session));
    assert!(session.last_command.as_deref().is_some_and(|c| c.starts_with("render beacon.mdx -o b.gif")));
}

#[test]
fn what_cannot_be_saved_stays_unsaved_and_says_what_to_do() {
    let (mut session, files) = open("statue_800.mdx");
    act(&mut session, set("MODL.blend_time", "217"));
    *files.refuses.lock().unwrap() = Some(Unsaved::Failed("the disk is full; free some space".into()));
    act(&mut session, Action::Save);
    assert!(shown(&session).is_dirty() && last(&session).contains("the disk is full"));
    *files.refuses.lock().unwrap() = Some(Unsaved::Exists("statue_800.mdx".into()));
    act(&mut session, Action::Save);
    assert!(session.pending.as_ref().is_some_and(|p| p.conflict.is_some()));
    *files.refuses.lock().unwrap() = None;
    act(&mut session, Action::Write);
    assert!(!shown(&session).is_dirty());
}

#[test]
fn a_file_that_changes_is_read_again_and_keeps_clip_time_and_camera() {
    let (mut session, files) = open("statue_800.mdx");
    act(&mut session, Action::Seek(0.25));
    session.document_mut().unwrap().orbit.yaw = 77.0;
    let clip = shown(&session).clock.clip;
    let mut bytes = files.load(Path::new("statue_800.mdx")).unwrap();
    let (mut other, _) = open("statue_800.mdx");
    act(&mut other, set("MODL.blend_time", "3"));
    bytes.bytes.clone_from(&other.output().unwrap().bytes);
    files.put("statue_800.mdx", bytes.bytes.clone());
    for _ in 0..6 {
        session.tick(0.6);
    }
    assert_eq!(session.output().unwrap().bytes, bytes.bytes, "{}", last(&session));
    let document = shown(&session);
    assert_eq!((document.clock.clip, document.clock.time, document.orbit.yaw), (clip, 0.25, 77.0));
    assert!(!document.is_dirty());
    act(&mut session, Action::Undo);
    assert!(shown(&session).is_dirty(), "the state before can be had back");
}

#[test]
fn unsaved_changes_are_not_overwritten_by_those_on_disk() {
    let (mut session, files) = open("statue_800.mdx");
    act(&mut session, set("MODL.blend_time", "217"));
    let mine = Arc::clone(session.output().unwrap());
    let (mut other, _) = open("statue_800.mdx");
    act(&mut other, set("MODL.blend_time", "3"));
    files.put("statue_800.mdx", other.output().unwrap().bytes.clone());
    for _ in 0..6 {
        session.tick(0.6);
    }
    assert_eq!(shown(&session).on_disk, OnDisk::Changed);
    assert!(Arc::ptr_eq(session.output().unwrap(), &mine));
    act(&mut session, Action::Save);
    assert!(session.pending.as_ref().is_some_and(|p| p.conflict.is_some()), "it is asked first");
    act(&mut session, Action::DoNotWrite);
    act(&mut session, Action::Reload);
    assert_eq!(session.output().unwrap().bytes, other.output().unwrap().bytes);
    act(&mut session, Action::Undo);
    assert_eq!(session.output().unwrap().bytes, mine.bytes, "undo brings the own changes back");
}

#[test]
fn a_file_that_vanishes_stays_open_and_can_be_saved() {
    let (mut session, files) = open("statue_800.mdx");
    files.remove("statue_800.mdx");
    for _ in 0..4 {
        session.tick(0.6);
    }
    assert_eq!(shown(&session).on_disk, OnDisk::Gone);
    assert!(shown(&session).scene().is_some());
    act(&mut session, Action::Save);
    assert!(files.load(Path::new("statue_800.mdx")).is_ok(), "{}", last(&session));
}

#[test]
fn closing_asks_about_unsaved_changes() {
    let (mut session, _) = open("statue_800.mdx");
    act(&mut session, set("MODL.blend_time", "217"));
    act(&mut session, Action::Close(0));
    assert_eq!((session.closing, session.documents.len()), (Some(0), 1));
    act(&mut session, Action::CloseAnyway(0));
    assert_eq!((session.closing, session.documents.len()), (None, 0));
}

#[test]
fn walking_through_a_folder_takes_no_changes_away() {
    let (mut session, _) = session();
    session.list(vec![PathBuf::new()]);
    settle(&mut session);
    let first = shown(&session).path.clone();
    act(&mut session, Action::Step(1));
    assert_eq!(session.documents.len(), 1);
    assert_ne!(shown(&session).path, first);
    let at = session.browser.entries.iter().position(|entry| entry.name == "statue_800.mdx").unwrap();
    let path = session.browser.entries[at].path.clone();
    act(&mut session, Action::Open(path));
    act(&mut session, set("MODL.blend_time", "217"));
    act(&mut session, Action::Step(-1));
    assert_eq!(session.documents.len(), 2, "what is changed stays open");
    act(&mut session, Action::Open("statue_800.mdx".into()));
    assert!(shown(&session).is_dirty() && session.documents.len() == 2);
}

#[test]
fn two_states_and_two_models_are_compared() {
    let (mut session, _) = open("statue_800.mdx");
    act(&mut session, set("MODL.blend_time", "217"));
    act(&mut session, Action::Arrange(Arrangement::Wipe(0.5)));
    let document = shown(&session);
    let before = document.before.as_ref().expect("the state on disk is opened");
    assert!(Arc::ptr_eq(&before.output, document.saved().unwrap()));
    act(&mut session, Action::OpenBeside("beacon.mdx".into()));
    act(&mut session, Action::Arrange(Arrangement::Beside));
    assert_eq!((session.documents.len(), session.arrangement), (2, Arrangement::Beside));
}

#[test]
fn a_path_is_found_between_two_points_and_the_width_counts() {
    let (mut session, _) = open("room.wok");
    act(&mut session, Action::Walk(true));
    let land = shown(&session).walking.land.as_ref().unwrap().as_ref().unwrap();
    let mesh = land.area.mesh();
    let middle = |face: u32| {
        let corners = mesh.corners(face).unwrap();
        [0, 1, 2].map(|axis: usize| corners.iter().map(|c| c[axis]).sum::<f32>() / 3.0)
    };
    let walkable: Vec<u32> = (0..mesh.len() as u32).filter(|face| mesh.is_walkable(*face)).collect();
    let (from, to) = (middle(walkable[0]), middle(*walkable.last().unwrap()));
    act(&mut session, Action::WalkTo(from));
    assert!(shown(&session).walking.found.is_none());
    act(&mut session, Action::WalkTo(to));
    let Some(Found::Path { points, length, .. }) = shown(&session).walking.found.clone() else {
        panic!("{:?}", shown(&session).walking.found)
    };
    assert!(points.len() >= 2 && length > 0.0);
    assert!(shown(&session).walking.strokes().len() >= 3);
    act(&mut session, Action::WalkRadius(50.0));
    assert!(matches!(shown(&session).walking.found, Some(Found::None(_))));
    assert!(shown(&session).walking.command(Path::new("room.wok")).unwrap().contains("--radius 50"));
}

#[test]
fn a_closed_door_stands_between_two_rooms_of_a_layout() {
    let mut session = Session::new(Arc::new(OnTheSpot), Arc::new(Disk::new()), Settings::default());
    act(&mut session, Action::Open(examples().join("keep/keep.lyt")));
    act(&mut session, Action::Walk(true));
    let land = shown(&session).walking.land.as_ref().unwrap().as_ref().unwrap();
    assert_eq!((land.area.rooms().len(), land.area.doors().len()), (3, 2));
    let mesh = land.area.mesh();
    let in_room = |room: u32| {
        let mut faces = (0..mesh.len() as u32).filter(|face| mesh.is_walkable(*face));
        let face = faces.find(|face| land.area.room_of(*face).is_some_and(|(of, _)| of == room)).unwrap();
        let corners = mesh.corners(face).unwrap();
        [0, 1, 2].map(|axis: usize| corners.iter().map(|c| c[axis]).sum::<f32>() / 3.0)
    };
    let (from, to) = (in_room(0), in_room(2));
    act(&mut session, Action::WalkTo(from));
    act(&mut session, Action::WalkTo(to));
    let crosses = |session: &Session| match &shown(session).walking.found {
        Some(Found::Path { crossings, .. }) => Some(*crossings),
        _ => None,
    };
    assert!(crosses(&session).is_some_and(|count| count > 0), "{:?}", shown(&session).walking.found);
    act(&mut session, Action::Door(0, false));
    act(&mut session, Action::Door(1, false));
    assert_eq!(crosses(&session), None, "both doors are closed");
    act(&mut session, Action::Door(0, true));
    act(&mut session, Action::Door(1, true));
    assert!(crosses(&session).is_some());
}

#[test]
fn damaged_files_have_messages_and_bytes() {
    let (mut session, files) = session();
    for (name, bytes) in [("empty.mdx", vec![]), ("noise.fmdl", vec![7; 100]), ("cut.mdl", cut("statue.mdl"))]
    {
        files.put(name, bytes);
        act(&mut session, Action::Open(name.into()));
        let opened = shown(&session).opened.as_ref().unwrap();
        assert!(opened.error.is_some() && opened.stand.is_none(), "{name}");
        assert!(!opened.files.is_empty(), "{name}");
        act(&mut session, Action::SelectByte(0, 3));
        for action in [Action::Save, Action::Undo, Action::FrameAll, Action::Walk(true), Action::Play(true)] {
            act(&mut session, action);
        }
        act(&mut session, Action::Change { wish: Wish::Fix(Vec::new()), asks: true });
        assert_eq!(session.messages.last().unwrap().severity, Severity::Error);
    }
    act(&mut session, Action::Open("nowhere.mdx".into()));
    assert!(shown(&session).failed.as_ref().is_some_and(|why| why.contains("no such file")));
}

fn cut(name: &str) -> Vec<u8> {
    let bytes = std::fs::read(examples().join(name)).unwrap();
    bytes[..bytes.len() / 2].to_vec()
}

/// A folder of its own for a test.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("galatea-workshop-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn on_disk_a_pair_is_saved_together_and_a_read_only_place_says_so() {
    let folder = scratch("pair");
    for name in ["statue.mdl", "statue.mdx", "statue.tga"] {
        std::fs::copy(examples().join(name), folder.join(name)).unwrap();
    }
    let mut session = Session::new(Arc::new(OnTheSpot), Arc::new(Disk::new()), Settings::default());
    session.shelf = Some(Shelf::new(&folder.join("unsaved")));
    act(&mut session, Action::Open(folder.join("statue.mdl")));
    act(&mut session, set("model_header.radius", "12.5"));
    assert!(shown(&session).is_dirty(), "{}", last(&session));
    assert_eq!(shelf_count(&folder), 1, "kept for the next run");
    act(&mut session, Action::Save);
    assert!(!shown(&session).is_dirty(), "{}", last(&session));
    assert_eq!(shelf_count(&folder), 0);
    assert_eq!(std::fs::read(folder.join("statue.mdl")).unwrap(), session.output().unwrap().bytes);
    let away = Action::SaveAs { path: folder.join("none/x.mdl"), format: FormatId::KotorMdl, replace: false };
    act(&mut session, away);
    assert_eq!(session.messages.last().unwrap().severity, Severity::Error, "{}", last(&session));
    let there =
        Action::SaveAs { path: folder.join("statue.tga"), format: FormatId::KotorMdl, replace: false };
    act(&mut session, there);
    assert!(session.pending.as_ref().is_some_and(|p| p.conflict.is_some()), "{}", last(&session));
    let _ = std::fs::remove_dir_all(&folder);
}

fn shelf_count(folder: &Path) -> usize {
    let runs = std::fs::read_dir(folder.join("unsaved")).into_iter().flatten().flatten();
    runs.map(|run| {
        std::fs::read_dir(run.path()).map_or(0, |all| all.flatten().filter(|e| e.path().is_dir()).count())
    })
    .sum()
}

#[test]
fn what_a_run_has_left_is_recovered() {
    let folder = scratch("left");
    std::fs::copy(examples().join("statue_800.mdx"), folder.join("a.mdx")).unwrap();
    let path = folder.join("a.mdx");
    let mut first = Session::new(Arc::new(OnTheSpot), Arc::new(Disk::new()), Settings::default());
    first.shelf = Some(Shelf::new(&folder.join("unsaved")));
    act(&mut first, Action::Open(path.clone()));
    act(&mut first, set("MODL.blend_time", "217"));
    let changed = first.output().unwrap().bytes.clone();
    // It is killed: nothing is tidied up.
    let shelf = first.shelf.take().unwrap();
    shelf.abandon();
    let mut second = Session::new(Arc::new(OnTheSpot), Arc::new(Disk::new()), Settings::default());
    let shelf = Shelf::new(&folder.join("unsaved"));
    second.left = shelf.left();
    second.shelf = Some(shelf);
    assert_eq!(second.left.len(), 1);
    act(&mut second, Action::Recover(0));
    assert_eq!(
        (second.output().unwrap().bytes.as_slice(), &shown(&second).path),
        (changed.as_slice(), &path)
    );
    assert!(shown(&second).is_dirty());
    act(&mut second, Action::Undo);
    assert!(!shown(&second).is_dirty(), "the file itself was not touched");
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn five_hundred_damaged_files_are_listed_drawn_and_opened() {
    let folder = scratch("hostile");
    let sources = ["statue.mdl", "statue_800.mdx", "statue.fmdl", "room.wok", "statue.glb"];
    for number in 0..500_usize {
        let name = sources[number % sources.len()];
        let mut bytes = std::fs::read(examples().join(name)).unwrap();
        let mut state = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        for _ in 0..8 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = (state >> 25) as u8;
        }
        bytes.truncate(if number % 3 == 0 { bytes.len() * (number % 97) / 97 } else { bytes.len() });
        std::fs::write(folder.join(format!("{number:03}-{name}")), bytes).unwrap();
    }
    let mut session = Session::new(Arc::new(OnTheSpot), Arc::new(Disk::new()), Settings::default());
    act(&mut session, Action::Open(folder.clone()));
    let paths: Vec<PathBuf> = session.browser.entries.iter().map(|entry| entry.path.clone()).collect();
    assert!(paths.len() >= 450, "{}", paths.len());
    let (mut errors, mut drawn) = (0, 0);
    for part in paths.chunks(8) {
        act(&mut session, Action::Thumbnails(part.to_vec()));
        for path in part {
            act(&mut session, Action::Open(path.clone()));
            let show = session.settings.show.clone();
            drawn += usize::from(session.document_mut().unwrap().frame(&show, (32, 32)).is_some());
            let document = shown(&session);
            errors +=
                usize::from(document.failed.is_some() || document.opened.as_ref().unwrap().error.is_some());
            assert!(session.browser.look(path).is_some(), "{}", path.display());
        }
    }
    assert!(errors > 100 && drawn > 50, "{errors} errors, {drawn} drawn");
    assert!(!session.messages.iter().any(|m| m.text.contains("of Galatea itself")));
    let _ = std::fs::remove_dir_all(&folder);
}
