//! The viewport: the model, the camera that the mouse moves, and what is clicked.

use std::sync::{Arc, Mutex, PoisonError};

use egui::Role;
use egui::{Color32, Key, PointerButton, Pos2, Rect, Sense, Stroke, Ui, Vec2, WidgetInfo};
use galatea::Severity;
use galatea::preview::{self, Stroke as Line};
use galatea::scene::{Bounds, Frame, NodeId, Scene};
use galatea_painter::{Painter, Ray, pick as hit};

use super::{Work, color_image, picture, severity_color};
use crate::session::action::{Action, Arrangement};
use crate::session::document::{Document, OnDisk};
use crate::session::view::{Background, Paint, Show};
use crate::{Drawing, Subject};

/// The painter, once OpenGL is there: shared with the callback that draws.
pub(crate) type Shared = Arc<Mutex<Option<Painter>>>;

/// What draws the model.
#[derive(Clone, Default)]
pub(crate) struct Canvas {
    /// Draws on the graphics card; `None` draws on the CPU.
    pub(crate) painter: Option<Shared>,
}

/// What is remembered.
#[derive(Default)]
pub(crate) struct State {
    /// What was drawn last on the CPU.
    drawn: Vec<Drawn>,
}

/// An image drawn on the CPU, and what it shows.
struct Drawn {
    frame: Arc<Frame>,
    look: preview::Options,
    part: [f32; 2],
    texture: egui::TextureHandle,
}

/// Width and height of images drawn on the CPU, at most, so that the window stays quick.
const MOST: f32 = 640.0;

/// Shows the viewport with its tools.
pub(crate) fn show(ui: &mut Ui, work: &mut Work<'_>, state: &mut State, canvas: &Canvas) {
    tools(ui, work);
    notices(ui, work);
    let rect = ui.available_rect_before_wrap();
    if rect.width() < 8.0 || rect.height() < 8.0 {
        return;
    }
    let response = ui.allocate_rect(rect, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "Viewport"));
    let Some(document) = work.session.document() else { return };
    let image = document.opened.as_ref().and_then(|opened| Some((&opened.output, opened.image.as_ref()?)));
    if let Some((of, (width, height, pixels))) = image {
        let texture = work.images.get(ui.ctx(), of, || color_image(*width, *height, pixels));
        return flat(ui, rect, &texture, *width, *height);
    }
    if let Some(text) = nothing(document) {
        let severity = if document.opening.is_some() { Severity::Info } else { Severity::Error };
        let color = severity_color(ui, severity);
        ui.scope_builder(egui::UiBuilder::new().max_rect(rect.shrink(24.0)), |ui| {
            ui.centered_and_justified(|ui| ui.colored_label(color, text));
        });
        return;
    }
    input(ui, work, &response, rect);
    let drawings = drawings(work, rect, ui.pixels_per_point());
    draw(ui, state, canvas, &drawings);
    wipe_line(ui, work, rect, &response);
    hints(ui, work, rect);
}

/// Returns why there is nothing to see.
fn nothing(document: &Document) -> Option<String> {
    if let Some(error) = &document.failed {
        return Some(error.clone());
    }
    let Some(opened) = &document.opened else { return Some("Opening…".into()) };
    match (&opened.error, &opened.stand) {
        (Some(error), _) => Some(format!("{}\n\n{error}\n\nThe bytes are shown below.", document.name())),
        (None, None) => {
            Some("This file has nothing to draw. Its fields and bytes are shown beside and below.".into())
        }
        (None, Some(_)) => None,
    }
}

fn flat(ui: &Ui, rect: Rect, texture: &egui::TextureHandle, width: u32, height: u32) {
    let scale = (rect.width() / width as f32).min(rect.height() / height as f32).min(8.0);
    let size = Vec2::new(width as f32, height as f32) * scale;
    let place = Rect::from_center_size(rect.center(), size);
    let whole = Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
    ui.painter().rect_filled(rect, 0.0, Color32::from_gray(110));
    ui.painter().image(texture.id(), place, whole, Color32::WHITE);
}

fn tools(ui: &mut Ui, work: &mut Work<'_>) {
    let old = work.session.settings.show.clone();
    let mut show = old.clone();
    let mut asked = Vec::new();
    ui.horizontal_wrapped(|ui| {
        let flags: [(&mut bool, &str, &str); 5] = [
            (&mut show.skeleton, "Skeleton", "Bones over everything (1)"),
            (&mut show.wire, "Wire", "The edges of all triangles (2)"),
            (&mut show.bounds, "Bounds", "The box around the model (3)"),
            (&mut show.walk, "Walk surfaces", "Walk and collision surfaces too (4)"),
            (&mut show.ground, "Shadow", "A shadow on the ground (5)"),
        ];
        for (flag, name, tip) in flags {
            ui.toggle_value(flag, name).on_hover_text(tip);
        }
        let mut grid = !show.no_grid;
        ui.toggle_value(&mut grid, "Grid").on_hover_text("A grid on the ground (6)");
        show.no_grid = !grid;
        let now = Paint::ALL.iter().find(|(paint, _)| *paint == show.paint).map_or("", |(_, name)| *name);
        let combo = egui::ComboBox::from_id_salt("surfaces").selected_text(now).width(110.0);
        let combo = combo.show_ui(ui, |ui| {
            for (paint, name) in Paint::ALL {
                ui.selectable_value(&mut show.paint, paint, name);
            }
        });
        combo.response.accessible_name("Surfaces");
        let now = Background::ALL.iter().find(|(b, _)| *b == show.background).map_or("", |(_, name)| *name);
        let combo =
            egui::ComboBox::from_id_salt("background").selected_text(now).width(60.0).show_ui(ui, |ui| {
                for (background, name) in Background::ALL {
                    ui.selectable_value(&mut show.background, background, name);
                }
            });
        combo.response.accessible_name("Background");
        of_document(ui, work, &mut show, &mut asked);
        arrangement(ui, work, &mut asked);
    });
    if show != old {
        asked.push(Action::Show(show));
    }
    asked.into_iter().for_each(|action| work.ask(action));
}

/// The tools that depend on the document: its cameras, levels of detail, team color.
fn of_document(ui: &mut Ui, work: &Work<'_>, show: &mut Show, asked: &mut Vec<Action>) {
    let Some(document) = work.session.document() else { return };
    let Some(opened) = &document.opened else { return };
    let Some(stand) = &opened.stand else { return };
    let tip = "Move the camera until everything is seen (F)";
    if ui.button("Frame all").on_hover_text(tip).clicked() {
        asked.push(Action::FrameAll);
    }
    if !stand.cameras.is_empty() {
        let now = document.camera.as_deref().unwrap_or("free camera");
        let combo = egui::ComboBox::from_id_salt("camera").selected_text(now).width(90.0).show_ui(ui, |ui| {
            if ui.selectable_label(document.camera.is_none(), "free camera").clicked() {
                asked.push(Action::Camera(None));
            }
            for camera in &stand.cameras {
                if ui.selectable_label(document.camera.as_ref() == Some(camera), camera).clicked() {
                    asked.push(Action::Camera(Some(camera.clone())));
                }
            }
        });
        combo.response.accessible_name("Camera");
    }
    let levels = stand.subject.scene.meshes.iter().filter_map(|mesh| mesh.lod).max().unwrap_or(0);
    if levels > 0 {
        let slider = egui::DragValue::new(&mut show.level).range(0..=levels).prefix("level ");
        ui.add(slider).on_hover_text("Level of detail, 0 for the finest").accessible_name("Level of detail");
    }
    if opened.format.is_some_and(|f| f.game == Some(galatea::texture::find::Game::Warcraft)) {
        let drag = egui::DragValue::new(&mut show.team).range(0..=23).prefix("team ");
        ui.add(drag).on_hover_text("The player whose color units have").accessible_name("Team color");
    }
}

fn arrangement(ui: &mut Ui, work: &Work<'_>, asked: &mut Vec<Action>) {
    let several = work.session.documents.len() > 1;
    let now = work.session.arrangement;
    let changed = work.session.document().is_some_and(Document::is_dirty);
    if !several && !changed && now == Arrangement::One {
        return;
    }
    let name = match now {
        Arrangement::One => "one model",
        Arrangement::Beside => "beside each other",
        Arrangement::Wipe(_) => "saved | now",
        Arrangement::WipeOther(_) => "this | next",
    };
    let combo =
        egui::ComboBox::from_id_salt("arrangement").selected_text(name).width(110.0).show_ui(ui, |ui| {
            let all = [
                (Arrangement::One, "one model", true),
                (Arrangement::Beside, "beside each other", several),
                (Arrangement::Wipe(0.5), "saved | now", true),
                (Arrangement::WipeOther(0.5), "this | next", several),
            ];
            for (arrangement, name, possible) in all {
                if possible && ui.selectable_label(now == arrangement, name).clicked() {
                    asked.push(Action::Arrange(arrangement));
                }
            }
        });
    combo.response.accessible_name("Compare");
}

/// What has become of the file meanwhile, and what can be done about it.
fn notices(ui: &mut Ui, work: &mut Work<'_>) {
    let Some(document) = work.session.document() else { return };
    let (text, reload) = match document.on_disk {
        OnDisk::Same => return,
        OnDisk::Changed => ("Another program has changed this file. Your changes are not saved yet.", true),
        OnDisk::Gone => ("The file is not there any more. What is shown can still be saved.", false),
    };
    let color = severity_color(ui, Severity::Warning);
    egui::Frame::group(ui.style()).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.colored_label(color, text);
            if reload && ui.button("Load it").on_hover_text("Undo brings your changes back").clicked() {
                work.ask(Action::Reload);
            }
            if reload && ui.button("Keep mine").clicked() {
                work.ask(Action::Keep);
            }
        });
    });
}

fn input(ui: &Ui, work: &mut Work<'_>, response: &egui::Response, rect: Rect) {
    let (scroll, pinch, shift) =
        ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta(), input.modifiers.shift));
    let hovered = response.hovered();
    let walking = work.session.document().is_some_and(|document| document.walking.on);
    let delta = response.drag_delta();
    let Some(document) = work.session.document_mut() else { return };
    let front = document.scene().map_or([0.0, 0.0, 1.0], Scene::front);
    let pans = response.dragged_by(PointerButton::Middle)
        || response.dragged_by(PointerButton::Secondary)
        || (response.dragged_by(PointerButton::Primary) && shift);
    if pans {
        document.camera = None;
        document.orbit.pan(front, delta.x / rect.height(), delta.y / rect.height());
    } else if response.dragged_by(PointerButton::Primary) && !matches_wipe(ui) {
        document.camera = None;
        document.orbit.turn(delta.x / rect.height(), delta.y / rect.height());
    }
    if hovered && (scroll != 0.0 || pinch != 1.0) {
        document.orbit.zoom(scroll * 0.02 + pinch.ln() * 6.0, None);
    }
    if response.double_clicked() {
        work.ask(Action::FrameAll);
    }
    if response.has_focus() {
        let turns = [(Key::A, -0.08, 0.0), (Key::D, 0.08, 0.0), (Key::W, 0.0, 0.08), (Key::S, 0.0, -0.08)];
        let pressed = turns.iter().filter(|(key, ..)| ui.input(|input| input.key_pressed(*key)));
        if let Some(document) = work.session.document_mut() {
            pressed.for_each(|(_, right, up)| document.orbit.turn(*right, *up));
        }
    }
    let pointer = if response.clicked() { response.interact_pointer_pos() } else { response.hover_pos() };
    let Some(pointer) = pointer else { return };
    let clicked = response.clicked() && !response.double_clicked();
    if walking {
        walk(work, rect, pointer, clicked);
    } else if clicked {
        let picked = pick(work, rect, pointer);
        work.ask(Action::SelectNode(picked));
    }
}

/// Whether the line of a wipe is being dragged instead.
fn matches_wipe(ui: &Ui) -> bool {
    ui.ctx().dragged_id().is_some_and(|id| id == egui::Id::unique("wipe"))
}

fn sight(work: &mut Work<'_>, rect: Rect, pointer: Pos2) -> Option<(Ray, Arc<Frame>)> {
    let show = work.session.settings.show.clone();
    let document = work.session.document_mut()?;
    let size = (rect.width() as u32, rect.height() as u32);
    let (frame, look) = document.frame(&show, size)?;
    let at = (pointer - rect.min) / rect.size();
    let aspect = f64::from(rect.width() / rect.height());
    Some((Ray::through(&look.view?, aspect, at.x, at.y), frame))
}

fn pick(work: &mut Work<'_>, rect: Rect, pointer: Pos2) -> Option<NodeId> {
    let (sight, frame) = sight(work, rect, pointer)?;
    let scene = work.session.document()?.scene()?;
    hit(scene, &frame, &sight).map(|hit| hit.node)
}

fn walk(work: &mut Work<'_>, rect: Rect, pointer: Pos2, clicked: bool) {
    let Some((sight, _)) = sight(work, rect, pointer) else { return };
    let Some(document) = work.session.document_mut() else { return };
    let Some(Ok(land)) = &document.walking.land else { return };
    let under = land.under(&sight);
    document.walking.under.clone_from(&under);
    if let Some(under) = under.filter(|_| clicked) {
        work.ask(Action::WalkTo(under.point));
    }
}

/// Returns what is drawn where: one drawing for each place.
fn drawings(work: &mut Work<'_>, rect: Rect, scale: f32) -> Vec<(Rect, Vec<Drawing>)> {
    let show = work.session.settings.show.clone();
    let pixels = |rect: Rect| ((rect.width() * scale) as u32, (rect.height() * scale) as u32);
    let (count, current) = (work.session.documents.len(), work.session.current);
    match work.session.arrangement {
        Arrangement::Beside if count > 1 => {
            let width = rect.width() / count as f32;
            let documents = work.session.documents.iter_mut().enumerate();
            let places = documents.filter_map(|(at, document)| {
                let left = egui::pos2(rect.left() + width * at as f32, rect.top());
                let place = Rect::from_min_size(left, Vec2::new(width - 2.0, rect.height()));
                Some((place, vec![drawing(document, &show, pixels(place))?]))
            });
            places.collect()
        }
        Arrangement::Wipe(at) => {
            let Some(document) = work.session.documents.get_mut(current) else { return Vec::new() };
            let Some(now) = drawing(document, &show, pixels(rect)) else { return Vec::new() };
            let before = before(document, &now.look);
            vec![(rect, halves(before, now, at))]
        }
        Arrangement::WipeOther(at) if count > 1 => {
            let other = (current + 1) % count;
            let now = work.session.documents.get_mut(current).and_then(|d| drawing(d, &show, pixels(rect)));
            let view = now.as_ref().and_then(|now| now.look.view);
            let next = work.session.documents.get_mut(other).and_then(|d| drawing(d, &show, pixels(rect)));
            let next = next.map(|next| Drawing { look: next.look.with_view(view), ..next });
            match (now, next) {
                (Some(now), Some(next)) => vec![(rect, halves(Some(now), next, at))],
                _ => Vec::new(),
            }
        }
        _ => {
            let document = work.session.documents.get_mut(current);
            let drawing = document.and_then(|document| drawing(document, &show, pixels(rect)));
            drawing.map(|drawing| (rect, vec![drawing])).into_iter().collect()
        }
    }
}

fn halves(left: Option<Drawing>, right: Drawing, at: f32) -> Vec<Drawing> {
    let Some(left) = left else { return vec![right] };
    vec![Drawing { part: [0.0, at], ..left }, Drawing { part: [at, 1.0], ..right }]
}

fn drawing(document: &mut Document, show: &Show, size: (u32, u32)) -> Option<Drawing> {
    let (frame, mut look) = document.frame(show, size)?;
    look.strokes = document.walking.strokes();
    if let Some(node) = document.selection.node {
        look.strokes.extend(outline(document.scene()?, &frame, node));
    }
    let subject = Arc::clone(&document.opened.as_ref()?.stand.as_ref()?.subject);
    Some(Drawing { subject, frame, look, grid: !show.no_grid, part: [0.0, 1.0] })
}

/// The state on disk at the same moment, seen from the same place.
fn before(document: &Document, look: &preview::Options) -> Option<Drawing> {
    let stand = document.before.as_ref()?.stand.as_ref()?;
    let scene = &stand.subject.scene;
    let now = document.scene()?;
    let clock = document.clock.follow(now, scene);
    let clip = clock.clip(scene).map(|clip| clip.name.clone());
    let look = look.clone().with_clip(clip).with_time(clock.time).with_strokes(Vec::new());
    let at = preview::instant(scene, &look).ok()?;
    let frame = Arc::new(stand.frame(at, &look)?);
    Some(Drawing { subject: Arc::clone(&stand.subject), frame, look, grid: true, part: [0.0, 1.0] })
}

/// The box around what a node draws, or a dot where it is.
fn outline(scene: &Scene, frame: &Frame, node: NodeId) -> Vec<Line> {
    let colour = [255, 170, 30];
    let surfaces = frame.surfaces.iter().filter(|surface| surface.node == node);
    let all = surfaces.flat_map(|surface| surface.deformed.positions.iter().copied());
    let Some(Bounds { min, max }) = Bounds::around(all.filter(|p| p.iter().all(|v| v.is_finite()))) else {
        if scene.node(node).is_none() {
            return Vec::new();
        }
        let at = frame.pose.world_of(node).w_axis.truncate();
        return vec![Line { points: vec![at.into()], colour, width: 9.0, on_top: true }];
    };
    let ([x, y, z], [u, v, w]) = (min, max);
    let loops = [
        vec![
            [x, y, z],
            [u, y, z],
            [u, y, w],
            [x, y, w],
            [x, y, z],
            [x, v, z],
            [u, v, z],
            [u, v, w],
            [x, v, w],
            [x, v, z],
        ],
        vec![[u, y, z], [u, v, z]],
        vec![[u, y, w], [u, v, w]],
        vec![[x, y, w], [x, v, w]],
    ];
    loops.into_iter().map(|points| Line { points, colour, width: 1.5, on_top: true }).collect()
}

fn draw(ui: &Ui, state: &mut State, canvas: &Canvas, places: &[(Rect, Vec<Drawing>)]) {
    let mut kept = Vec::new();
    for (rect, drawings) in places {
        match &canvas.painter {
            Some(painter) => on_card(ui, painter, *rect, drawings.clone()),
            None => drawings.iter().for_each(|drawing| kept.extend(on_cpu(ui, state, *rect, drawing))),
        }
    }
    state.drawn = kept;
}

#[allow(clippy::arithmetic_side_effects, reason = "pixels of a window")]
fn on_card(ui: &Ui, painter: &Shared, rect: Rect, drawings: Vec<Drawing>) {
    let painter = Arc::clone(painter);
    let callback = eframe::egui_glow::CallbackFn::new(move |info, egui_painter| {
        let place = info.viewport_in_pixels();
        let viewport = [place.left_px, place.from_bottom_px, place.width_px, place.height_px];
        if let Some(painter) = painter.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            painter.paint(egui_painter.gl(), &drawings, viewport);
        }
    });
    ui.painter().add(egui::PaintCallback { rect, callback: Arc::new(callback) });
}

fn on_cpu(ui: &Ui, state: &State, rect: Rect, drawing: &Drawing) -> Option<Drawn> {
    let (width, height) = (drawing.look.width as f32, drawing.look.height as f32);
    let scale = (MOST / width.max(height)).min(1.0);
    let size = ((width * scale).max(1.0) as u32, (height * scale).max(1.0) as u32);
    let look = drawing.look.clone().with_size(size.0, size.1).with_samples(1);
    let same = |drawn: &&Drawn| {
        Arc::ptr_eq(&drawn.frame, &drawing.frame) && drawn.look == look && drawn.part == drawing.part
    };
    let texture = match state.drawn.iter().find(same) {
        Some(drawn) => drawn.texture.clone(),
        None => {
            let Subject { scene, textures, .. } = drawing.subject.as_ref();
            let find = |name: &str| textures.get(name).cloned();
            let image = preview::render_frame(scene, &drawing.frame, &look, &find).ok()?;
            ui.ctx().load_texture("viewport", picture(&image), egui::TextureOptions::LINEAR)
        }
    };
    let [from, to] = drawing.part;
    let part = Rect::from_min_max(
        egui::pos2(rect.left() + rect.width() * from, rect.top()),
        egui::pos2(rect.left() + rect.width() * to, rect.bottom()),
    );
    let uv = Rect::from_min_max(egui::pos2(from, 0.0), egui::pos2(to, 1.0));
    ui.painter().image(texture.id(), part, uv, Color32::WHITE);
    Some(Drawn { frame: Arc::clone(&drawing.frame), look, part: drawing.part, texture })
}

/// The line between two versions, which can be dragged.
fn wipe_line(ui: &mut Ui, work: &mut Work<'_>, rect: Rect, _: &egui::Response) {
    let arrangement = work.session.arrangement;
    let (Arrangement::Wipe(at) | Arrangement::WipeOther(at)) = arrangement else { return };
    let x = rect.left() + rect.width() * at;
    let line = Rect::from_center_size(egui::pos2(x, rect.center().y), Vec2::new(10.0, rect.height()));
    let response = ui.interact(line, egui::Id::unique("wipe"), Sense::drag());
    response.widget_info(|| WidgetInfo::slider(true, f64::from(at), "Wipe"));
    ui.painter().vline(x, rect.y_range(), Stroke::new(2.0, Color32::WHITE));
    let response = response.on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
    if response.dragged() {
        let at = (at + response.drag_delta().x / rect.width()).clamp(0.02, 0.98);
        work.ask(Action::Arrange(match arrangement {
            Arrangement::Wipe(_) => Arrangement::Wipe(at),
            _ => Arrangement::WipeOther(at),
        }));
    }
}

/// What is under the pointer, and what the model needs and does not have.
fn hints(ui: &Ui, work: &Work<'_>, rect: Rect) {
    let Some(document) = work.session.document() else { return };
    let mut lines = Vec::new();
    if document.walking.on {
        match (&document.walking.land, &document.walking.under) {
            (Some(Err(error)), _) => lines.push(error.clone()),
            (_, Some(under)) => {
                let [x, y, z] = under.point;
                let room = under.room.as_ref().map_or(String::new(), |room| format!(", room {room}"));
                let walkable = if under.walkable { "" } else { ", not walkable" };
                let what = format!("face {}: {}{walkable}{room}", under.face, under.material);
                lines.push(format!("{what}  at {x:.2}, {y:.2}, {z:.2}"));
            }
            _ => lines.push("Click two points on the ground.".into()),
        }
    }
    if work.session.arrangement == Arrangement::Beside {
        let count = work.session.documents.len();
        for (at, document) in work.session.documents.iter().enumerate() {
            let x = rect.left() + rect.width() * (at as f32 + 0.5) / count as f32;
            label(ui, egui::pos2(x, rect.top() + 12.0), egui::Align2::CENTER_CENTER, &document.name());
        }
    }
    for (number, line) in lines.iter().enumerate() {
        let at = egui::pos2(rect.left() + 8.0, rect.bottom() - 12.0 - number as f32 * 18.0);
        label(ui, at, egui::Align2::LEFT_CENTER, line);
    }
}

fn label(ui: &Ui, at: Pos2, anchor: egui::Align2, text: &str) {
    let galley =
        ui.painter().layout_no_wrap(text.to_owned(), egui::FontId::proportional(12.5), Color32::WHITE);
    let place = anchor.anchor_size(at, galley.size());
    ui.painter().rect_filled(place.expand(3.0), 3.0, Color32::from_black_alpha(150));
    ui.painter().galley(place.min, galley, Color32::WHITE);
}
