//! What is drawn of a frame, and in which order. It knows no OpenGL.

use galatea::preview::style::{SpriteStyle, Style, Stylist};
use galatea::preview::{Camera, Options};
use galatea::scene::{Frame, Scene, Sprite, Surface, Vertices};

/// A surface in one of its styles.
#[derive(Debug)]
pub(super) struct Item {
    /// The number of the surface in the frame.
    pub(super) surface: usize,
    pub(super) style: Style<u32>,
}

/// What follows the solid items.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Late {
    /// Triangles of an item: a range of [`Plan::indices`].
    Triangles { item: usize, first: usize, count: usize },
    /// Sprites that follow each other: a range of [`Plan::sprites`], all painted like the first one.
    Sprites { first: usize, count: usize },
}

/// What is drawn of a frame.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    /// Surfaces that hide what is behind, in order.
    pub(super) solid: Vec<Item>,
    /// Surfaces of which parts are drawn after those.
    pub(super) blended: Vec<Item>,
    pub(super) late: Vec<Late>,
    /// Indices of the triangles of blended surfaces, from back to front.
    pub(super) indices: Vec<u32>,
    pub(super) sprites: Vec<(&'a Sprite, SpriteStyle<u32>)>,
}

impl<'a> Plan<'a> {
    /// Plans a frame; `image` finds textures.
    pub(super) fn new(
        scene: &Scene,
        frame: &'a Frame,
        look: &Options,
        camera: &Camera,
        image: &dyn Fn(&str) -> Option<u32>,
    ) -> Plan<'a> {
        let mut stylist = Stylist { scene, frame, view: &look.surface, all_sides: false, image };
        let mut items = items(&stylist);
        if !is_seen(scene, frame, &items, camera) {
            // A model of which only back faces are visible, such as a plane of fog, is drawn two-sided.
            stylist.all_sides = true;
            items = self::items(&stylist);
        }
        let (solid, blended): (Vec<Item>, Vec<Item>) =
            items.into_iter().partition(|item| item.style.blend.is_solid());
        let mut sprites: Vec<(&Sprite, SpriteStyle<u32>)> =
            frame.sprites.iter().filter_map(|sprite| Some((sprite, stylist.sprite(sprite)?))).collect();
        sprites.sort_by_key(|(sprite, _)| sprite.order);
        let mut plan = Plan { solid, blended, late: Vec::new(), indices: Vec::new(), sprites };
        let triangles = plan.sorted(scene, frame, camera);
        plan.arrange(&triangles);
        plan
    }

    /// Returns the blended triangles by order and from back to front.
    fn sorted(&self, scene: &Scene, frame: &Frame, camera: &Camera) -> Vec<Behind> {
        let mut all = Vec::new();
        for (item, Item { surface, style }) in self.blended.iter().enumerate() {
            let Some(surface) = frame.surfaces.get(*surface) else { continue };
            let Some(primitive) = surface.primitive(scene) else { continue };
            let places = &surface.deformed.positions;
            let away: Vec<f64> = places.iter().map(|place| camera.clip(*place)[2]).collect();
            for corners in primitive.triangles(places.len()) {
                let distance = corners.iter().filter_map(|i| away.get(*i as usize)).sum::<f64>();
                if distance.is_finite() {
                    all.push(Behind { order: style.order, distance, item, corners });
                }
            }
        }
        all.sort_by(|a, b| a.order.cmp(&b.order).then(b.distance.total_cmp(&a.distance)));
        all
    }

    /// Puts triangles and sprites into ranges that are drawn at once. Sprites come after surfaces of their order.
    fn arrange(&mut self, triangles: &[Behind]) {
        let mut sprite = 0;
        for triangle in triangles {
            let before = |sprite: &usize| {
                self.sprites.get(*sprite).is_some_and(|(sprite, _)| sprite.order < triangle.order)
            };
            while before(&sprite) {
                push_sprite(&mut self.late, &self.sprites, sprite);
                sprite += 1;
            }
            let at = self.indices.len();
            self.indices.extend(triangle.corners);
            match self.late.last_mut() {
                Some(Late::Triangles { item, count, .. }) if *item == triangle.item => *count += 3,
                _ => self.late.push(Late::Triangles { item: triangle.item, first: at, count: 3 }),
            }
        }
        for sprite in sprite..self.sprites.len() {
            push_sprite(&mut self.late, &self.sprites, sprite);
        }
    }
}

fn push_sprite(late: &mut Vec<Late>, sprites: &[(&Sprite, SpriteStyle<u32>)], at: usize) {
    let same = |a: &SpriteStyle<u32>, b: &SpriteStyle<u32>| {
        (a.texture, a.wrap, a.blend) == (b.texture, b.wrap, b.blend)
    };
    let of = |at: usize| sprites.get(at).map(|(_, style)| style);
    match late.last_mut() {
        Some(Late::Sprites { first, count }) if of(*first).zip(of(at)).is_some_and(|(a, b)| same(a, b)) => {
            *count += 1;
        }
        _ => late.push(Late::Sprites { first: at, count: 1 }),
    }
}

/// A triangle that waits for its turn.
struct Behind {
    order: i32,
    distance: f64,
    item: usize,
    corners: [u32; 3],
}

/// Returns the surfaces of a frame in all their styles.
fn items(stylist: &Stylist<'_, u32>) -> Vec<Item> {
    let mut items = Vec::new();
    for (number, surface) in stylist.frame.surfaces.iter().enumerate() {
        if let Some(vertices) = vertices(stylist.scene, surface) {
            items.extend(stylist.styles(surface, vertices).map(|style| Item { surface: number, style }));
        }
    }
    items
}

/// Returns the vertices of a surface of triangles.
pub(super) fn vertices<'s>(scene: &'s Scene, surface: &Surface) -> Option<&'s Vertices> {
    let primitive = surface.primitive(scene)?;
    (primitive.topology == galatea::scene::Topology::Triangles).then(|| scene.vertices_of(primitive))?
}

/// Returns `true` if anything is in the image: a triangle that is not culled, or a sprite.
fn is_seen(scene: &Scene, frame: &Frame, items: &[Item], camera: &Camera) -> bool {
    let near = camera.near();
    let sprite = |sprite: &Sprite| is_inside(&sprite.corners.map(|place| camera.clip(place)), near);
    let lines = |surface: &Surface| {
        surface.primitive(scene).is_some_and(|p| p.topology == galatea::scene::Topology::Lines)
    };
    frame.sprites.iter().any(sprite)
        || frame.surfaces.iter().any(lines)
        || items.iter().any(|item| {
            let Some(surface) = frame.surfaces.get(item.surface) else { return false };
            let Some(primitive) = surface.primitive(scene) else { return false };
            let places = &surface.deformed.positions;
            primitive.triangles(places.len()).any(|corners| {
                let clips = corners.map(|i| camera.clip(places.get(i as usize).copied().unwrap_or_default()));
                is_inside(&clips, near) && (item.style.two_sided || faces(clips))
            })
        })
}

/// Returns `true` if some of a polygon may be in the image.
fn is_inside(corners: &[[f64; 3]], near: f64) -> bool {
    let beyond = |outside: &dyn Fn(&[f64; 3]) -> bool| corners.iter().all(outside);
    !(corners.iter().flatten().any(|v| !v.is_finite())
        || beyond(&|[_, _, w]| *w < near)
        || beyond(&|[x, _, w]| *x > *w)
        || beyond(&|[x, _, w]| *x < -*w)
        || beyond(&|[_, y, w]| *y > *w)
        || beyond(&|[_, y, w]| *y < -*w))
}

/// Returns `true` for a triangle whose front is seen: the determinant of its clip coordinates, which works behind the viewer, too.
fn faces([[ax, ay, aw], [bx, by, bw], [cx, cy, cw]]: [[f64; 3]; 3]) -> bool {
    ax * (by * cw - bw * cy) - ay * (bx * cw - bw * cx) + aw * (bx * cy - by * cx) > 0.0
}
