//! Each panel shows what it is for, and does what its buttons say.

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;

use super::Test;
use crate::session::action::Arrangement;
use crate::session::settings::{Bottom, Side, Theme};
use crate::session::view::Paint;

#[test]
fn without_a_file_it_says_how_to_open_one() {
    let mut test = Test::open("");
    assert!(test.has("Drop a model, a folder or an archive here"));
    test.click("Open…");
    assert!(test.has("A file, a folder, an archive"));
    test.enter("Path", "statue_800.mdx");
    assert_eq!(test.document().name(), "statue_800.mdx");
    assert_eq!(test.harness.state().session.settings.recent[0].to_str(), Some("statue_800.mdx"));
}

#[test]
fn the_list_of_files_is_filtered_and_opens_files() {
    let mut test = Test::open("statue_800.mdx");
    let session = &mut test.harness.state_mut().session;
    session.list(vec![std::path::PathBuf::new()]);
    test.harness.run_steps(3);
    assert!(test.harness.state_mut().session.browser.shown().len() > 10);
    test.enter("Filter names", "beacon");
    assert_eq!(test.harness.state_mut().session.browser.shown().len(), 1);
    test.click("beacon.mdx");
    assert_eq!(test.document().name(), "beacon.mdx");
}

#[test]
fn of_thousands_of_files_only_those_in_sight_are_drawn() {
    let mut test = Test::open("");
    let entry = |number: usize| crate::session::files::Entry {
        path: format!("{number:04}.mdx").into(),
        name: format!("{number:04}.mdx"),
    };
    let browser = &mut test.harness.state_mut().session.browser;
    browser.take((0..5000).map(entry).collect());
    test.harness.run_steps(3);
    assert!(test.has("0003.mdx") && !test.has("2500.mdx"));
    let known = |test: &Test| {
        let browser = &test.harness.state().session.browser;
        browser.entries.iter().filter(|entry| browser.look(&entry.path).is_some()).count()
    };
    assert!((1..60).contains(&known(&test)), "{}", known(&test));
    test.enter("Filter names", "2500");
    assert!(test.has("2500.mdx") && known(&test) < 80);
}

#[test]
fn the_field_that_is_selected_is_explained() {
    let mut test = Test::open("statue_800.mdx");
    test.enter("Search fields", "blend_time");
    test.click("blend_time");
    let (file, line) = test.document().selection.line.unwrap();
    assert!(
        test.document().opened.as_ref().unwrap().files[file].tree.lines[line].name.contains("blend_time")
    );
    assert!(test.has(" bytes at 0x"));
}

#[test]
fn arrow_keys_walk_through_the_files() {
    let mut test = Test::open("");
    test.harness.state_mut().session.list(vec![std::path::PathBuf::new()]);
    test.harness.run_steps(4);
    let first = test.document().name();
    test.key(Modifiers::NONE, Key::ArrowDown);
    let second = test.document().name();
    assert_ne!(first, second);
    test.key(Modifiers::NONE, Key::ArrowUp);
    assert_eq!(test.document().name(), first);
}

#[test]
fn nodes_are_searched_and_selected_and_their_fields_shown() {
    let mut test = Test::open("statue.mdl");
    let scene = test.document().scene().unwrap();
    let node = scene.nodes.iter().find(|node| node.mesh.is_some()).unwrap().name.clone();
    test.enter("Search nodes", &node);
    test.click_containing(&format!("{node} "));
    assert_eq!(test.document().node_name(), Some(node.as_str()));
    assert!(test.document().selection.line.is_some() && test.document().selection.bytes.is_some());
    assert!(test.has("position"));
}

#[test]
fn clips_play_pause_and_go_frame_by_frame() {
    let mut test = Test::open("beacon.mdx");
    assert!(!test.document().clock.plays);
    test.click("Play");
    assert!(test.document().clock.plays);
    test.click("Pause");
    let before = test.document().clock.time;
    test.click("Frame on");
    assert!(test.document().clock.time > before);
    test.click("Frame back");
    assert!((test.document().clock.time - before).abs() < 1e-4);
    test.key(Modifiers::NONE, Key::Space);
    assert!(test.document().clock.plays, "the space bar plays");
    test.key(Modifiers::NONE, Key::Space);
    let clip = test.document().clock.clip;
    test.key(Modifiers::NONE, Key::CloseBracket);
    let clips = test.document().scene().unwrap().clips.len();
    assert_eq!(test.document().clock.clip, Some((clip.unwrap() + 1) % clips));
    test.click("Repeat");
    assert!(!test.document().clock.again);
}

#[test]
fn the_viewport_draws_without_a_graphics_card_and_a_click_selects() {
    let mut test = Test::open("statue_800.mdx");
    let place = test.label("Viewport").rect();
    test.harness.drag_at(place.center());
    test.harness.drop_at(place.center());
    test.harness.run_steps(4);
    assert!(test.document().selection.node.is_some(), "the statue is in the middle");
    let yaw = test.document().orbit.yaw;
    test.harness.drag_at(place.center());
    test.harness.run_steps(1);
    test.harness.hover_at(place.center() + egui::vec2(80.0, 10.0));
    test.harness.run_steps(2);
    test.harness.drop_at(place.center() + egui::vec2(80.0, 10.0));
    test.harness.run_steps(2);
    assert_ne!(test.document().orbit.yaw, yaw);
}

#[test]
fn tools_of_the_viewport_change_what_is_shown() {
    let mut test = Test::open("statue_800.mdx");
    for name in ["Skeleton", "Wire", "Bounds", "Walk surfaces", "Shadow"] {
        test.harness.get_by_role_and_label(egui::Role::Button, name).click();
        test.harness.run_steps(4);
    }
    let show = &test.harness.state().session.settings.show;
    assert!(show.skeleton && show.wire && show.bounds && show.walk && show.ground && !show.no_grid);
    for key in [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::N] {
        test.key(Modifiers::NONE, key);
    }
    let show = &test.harness.state().session.settings.show;
    assert!(!show.skeleton && !show.wire && !show.bounds && !show.walk && !show.ground && show.no_grid);
    assert_eq!(show.paint, Paint::Normals);
    test.key(Modifiers::NONE, Key::Home);
    assert_eq!((test.document().orbit.yaw, test.document().orbit.pitch), (0.0, 0.0));
    test.click("Frame all");
}

#[test]
fn keys_go_to_panels_and_the_overlay_lists_them() {
    let mut test = Test::open("statue_800.mdx");
    for (key, side) in [(Key::F2, Side::Textures), (Key::F3, Side::Change), (Key::F4, Side::Walk)] {
        test.key(Modifiers::NONE, key);
        assert_eq!(test.harness.state().session.panels().0, side);
    }
    for (key, bottom) in [(Key::F7, Bottom::Bytes), (Key::F8, Bottom::Log), (Key::F6, Bottom::Findings)] {
        test.key(Modifiers::NONE, key);
        assert_eq!(test.harness.state().session.panels().1, bottom);
    }
    test.harness.event(egui::Event::Text("?".into()));
    test.harness.run_steps(3);
    assert!(test.has("frame all") && test.has("next / previous finding"));
    test.click("Close");
    assert!(!test.has("next / previous finding"));
}

#[test]
fn the_bytes_lead_to_the_field_and_back() {
    let mut test = Test::open("statue_800.mdx");
    test.click("Bytes");
    test.click("Bytes 0x00000000");
    let (file, range) = test.document().selection.bytes.clone().expect("a byte is selected");
    assert_eq!((file, range.start < 16), (0, true));
    test.enter("Go to offset", "0x30");
    let (_, range) = test.document().selection.bytes.clone().unwrap();
    assert!(range.contains(&0x30), "{range:?}");
}

#[test]
fn textures_are_listed_and_missing_ones_told() {
    let mut test = Test::open("statue_800.mdx");
    test.click("Textures");
    assert!(test.has("statue.blp"));
}

#[test]
fn textures_are_renamed_by_the_names_that_each_format_writes() {
    for (file, old, new) in [
        ("statue_800.mdx", "statue.blp", "marble.blp"),
        ("statue.mdl", "statue", "marble"),
        ("statue.fmdl", "statue.tga", "marble.tga"),
    ] {
        let mut test = Test::open(file);
        test.click("Textures");
        let first = |test: &Test| -> String {
            let opened = test.document().opened.as_ref().unwrap();
            opened.textures[0].audited.name.clone()
        };
        assert_eq!(first(&test), old, "{file}");
        test.enter(&format!("New name of {old}"), new);
        assert_eq!(first(&test), new, "{file}: {}", test.last());
        assert!(test.document().is_dirty() && test.has("no file of that name"));
        test.key(Modifiers::COMMAND, Key::Z);
        assert_eq!(first(&test), old, "{file}");
    }
}

#[test]
fn an_image_dropped_on_a_texture_takes_its_place() {
    let mut test = Test::open("statue.mdl");
    test.click("Textures");
    let place = test.label("New name of statue").rect().center();
    test.harness.hover_at(place);
    test.harness.run_steps(3);
    test.harness.state_mut().drop_on_texture(std::path::Path::new("new/marble.tga"));
    test.harness.run_steps(5);
    assert!(test.document().proposal.is_some(), "it is shown first: {}", test.last());
    test.key(Modifiers::NONE, Key::Enter);
    assert_eq!(test.document().opened.as_ref().unwrap().textures[0].audited.name, "marble");
}

#[test]
fn walking_finds_the_ground() {
    let mut test = Test::open("room.wok");
    test.click("Walk");
    test.click("Walk here");
    assert!(test.document().walking.on);
    assert!(test.has("132 faces"), "the room has as many as `galatea info` says");
    let place = test.label("Viewport").rect();
    for offset in [egui::vec2(-20.0, 10.0), egui::vec2(25.0, 25.0)] {
        test.harness.drag_at(place.center() + offset);
        test.harness.drop_at(place.center() + offset);
        test.harness.run_steps(4);
    }
    assert!(test.document().walking.from.is_some(), "a click on the floor sets a point");
    assert!(test.document().selection.node.is_none(), "and selects nothing");
}

#[test]
fn several_models_are_shown_beside_each_other() {
    let mut test = Test::open("statue_800.mdx");
    let beside = crate::session::action::Action::OpenBeside("beacon.mdx".into());
    test.harness.state_mut().session.act(beside);
    test.harness.state_mut().session.arrangement = Arrangement::Beside;
    test.harness.run_steps(5);
    assert!(test.has("statue_800.mdx") && test.has("beacon.mdx"));
    test.click("Close beacon.mdx");
    assert_eq!(test.harness.state().session.documents.len(), 1);
}

#[test]
fn the_menu_changes_how_the_window_looks() {
    let mut test = Test::open("statue_800.mdx");
    test.click("View");
    test.click("Light");
    assert_eq!(test.harness.state().session.settings.theme, Theme::Light);
    assert!(!test.harness.ctx.theme().default_visuals().dark_mode);
    test.key(Modifiers::COMMAND, Key::Plus);
    assert!(test.harness.state().session.settings.scale > 1.05);
    test.key(Modifiers::COMMAND, Key::Num0);
    assert_eq!(test.harness.state().session.settings.scale, 1.0);
}

#[test]
fn what_went_wrong_is_in_the_log() {
    let mut test = Test::open("nowhere.mdx");
    assert!(test.has("no such file"));
    test.click("Log");
    assert!(!test.harness.state().session.messages.is_empty());
    test.click("Clear");
    assert!(test.harness.state().session.messages.is_empty());
}
