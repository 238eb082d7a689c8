//! Which triangle of an edited mesh is which of the original: by the positions of their corners, or else by their neighbors or
//! their order.

use std::collections::{HashMap, HashSet};

use glam::Vec3;

use super::VertexRef;
use crate::onto::rows::{Row, same_normal};
use crate::{Mesh, Scene, Topology, VerticesId};

/// A triangle of a mesh.
#[derive(Debug)]
pub(super) struct Face {
    /// Its primitive.
    pub(super) part: usize,
    pub(super) rows: [VertexRef; 3],
    pub(super) positions: [[f32; 3]; 3],
    pub(super) uvs: [[f32; 2]; 3],
    /// Zeros if there are none.
    pub(super) normals: [[f32; 3]; 3],
    /// Its material in the result.
    pub(super) material: Option<u32>,
}

/// The triangles of a mesh, whatever primitives they belong to.
#[derive(Debug)]
pub(super) struct Soup {
    pub(super) triangles: Vec<Face>,
}

impl Soup {
    /// Returns the triangles of a mesh; `material` gives the material in the result.
    pub(super) fn new(scene: &Scene, mesh: &Mesh, material: &dyn Fn(Option<u32>) -> Option<u32>) -> Soup {
        let mut triangles = Vec::new();
        let solid = mesh.primitives.iter().enumerate().filter(|(_, p)| p.topology == Topology::Triangles);
        for (part, primitive) in solid {
            let Some(vertices) = scene.vertices_of(primitive) else { continue };
            let position = |i: u32| vertices.positions.get(i as usize).copied().unwrap_or_default();
            let uv = |i: u32| {
                let first = vertices.uvs.first().and_then(|set| set.get(i as usize));
                first.copied().unwrap_or_default()
            };
            let normal = |i: u32| vertices.normals.get(i as usize).copied().unwrap_or_default();
            let material = material(primitive.material);
            triangles.extend(primitive.triangles(vertices.positions.len()).map(|corners| Face {
                part,
                rows: corners.map(|i| (primitive.vertices, i)),
                positions: corners.map(position),
                uvs: corners.map(uv),
                normals: corners.map(normal),
                material,
            }));
        }
        Soup { triangles }
    }

    fn corners(&self) -> impl Iterator<Item = [f32; 3]> + '_ {
        self.triangles.iter().flat_map(|t| t.positions)
    }
}

/// A triangle of the edited mesh that is one of the original.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) triangle: usize,
    /// Corner `i` of the original is corner `i + turn` of the edited one.
    pub(super) turn: usize,
    /// Which corners of the original were moved.
    pub(super) moved: [bool; 3],
}

/// The triangles and positions of two meshes that belong together.
#[derive(Debug)]
pub(super) struct Matching {
    pairs: Vec<Option<Pair>>,
    paired: Vec<bool>,
    kept: Vec<bool>,
    /// The places of the original for each corner of the edited mesh.
    places: HashMap<[u32; 3], usize>,
    /// The vertices of the original at each place.
    rows: Vec<Vec<VertexRef>>,
}

fn bits(position: [f32; 3]) -> [u32; 3] {
    // Zeros of both signs are one place.
    position.map(|v| (v + 0.0).to_bits())
}

/// The distinct positions of a mesh.
struct Places {
    exact: HashMap<[u32; 3], usize>,
    list: Vec<[f32; 3]>,
}

impl Places {
    fn new(soup: &Soup) -> Places {
        let mut places = Places { exact: HashMap::new(), list: Vec::new() };
        for position in soup.corners() {
            places.exact.entry(bits(position)).or_insert_with(|| {
                places.list.push(position);
                places.list.len() - 1
            });
        }
        places
    }

    /// Returns for each position of a mesh the place that it is, within a tolerance, and the tolerance.
    fn find_all(&self, soup: &Soup, reach: f32) -> (HashMap<[u32; 3], usize>, f32) {
        let mut out = HashMap::new();
        let mut others: HashSet<[u32; 3]> = HashSet::new();
        for position in soup.corners() {
            match self.exact.get(&bits(position)) {
                Some(place) => drop(out.insert(bits(position), *place)),
                None => drop(others.insert(bits(position))),
            }
        }
        // A program that returns most positions exactly returns all of them so: the others were moved.
        let tolerance = reach * if out.len() >= others.len() * 4 { 4e-6 } else { 2e-5 };
        let cell = |p: Vec3| (p / tolerance.max(f32::MIN_POSITIVE)).floor().to_array().map(|v| v as i64);
        let mut grid: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
        if !others.is_empty() {
            for (place, position) in self.list.iter().enumerate() {
                grid.entry(cell(Vec3::from(*position))).or_default().push(place);
            }
        }
        for position in others {
            let at = Vec3::from(position.map(f32::from_bits));
            let [x, y, z] = cell(at);
            let around = (-1..=1).flat_map(|i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [i, j, k])));
            let cells = around.filter_map(|[i, j, k]| {
                grid.get(&[x.saturating_add(i), y.saturating_add(j), z.saturating_add(k)])
            });
            let far = |place: &usize| {
                self.list.get(*place).map_or(f32::MAX, |p| (Vec3::from(*p) - at).abs().max_element())
            };
            let nearest = cells.flatten().min_by(|a, b| far(a).total_cmp(&far(b)));
            if let Some(place) = nearest.filter(|place| far(place) <= tolerance) {
                out.insert(position, *place);
            }
        }
        (out, tolerance)
    }
}

/// Returns three numbers with the smallest first, in the same order around.
fn canonical([a, b, c]: [usize; 3]) -> [usize; 3] {
    if a <= b && a <= c {
        [a, b, c]
    } else if b <= a && b <= c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

impl Matching {
    /// Matches the triangles of an edited mesh with those of the original. `reach` is the size of the model.
    pub(super) fn new(was: &Soup, is: &Soup, reach: f32, materials: bool) -> Matching {
        let places = Places::new(was);
        let (found, tolerance) = places.find_all(is, reach);
        let mut rows: Vec<Vec<VertexRef>> = vec![Vec::new(); places.list.len()];
        for (row, position) in was.triangles.iter().flat_map(|t| t.rows.into_iter().zip(t.positions)) {
            let list = places.exact.get(&bits(position)).and_then(|place| rows.get_mut(*place));
            if let Some(list) = list.filter(|list| !list.contains(&row)) {
                list.push(row);
            }
        }
        let mut matcher = Matcher {
            was,
            is,
            was_places: was
                .triangles
                .iter()
                .map(|t| t.positions.map(|p| places.exact.get(&bits(p)).copied()))
                .collect(),
            is_places: is
                .triangles
                .iter()
                .map(|t| t.positions.map(|p| found.get(&bits(p)).copied()))
                .collect(),
            pairs: vec![None; was.triangles.len()],
            paired: vec![false; is.triangles.len()],
            tolerance,
        };
        matcher.by_place(materials);
        let missing = matcher.pairs.iter().any(Option::is_none) && matcher.paired.contains(&false);
        if missing && !matcher.by_order() {
            matcher.by_edge(&found);
        }
        let (pairs, paired) = (matcher.pairs, matcher.paired);
        let kept = kept(was, &pairs);
        Matching { pairs, paired, kept, places: found, rows }
    }

    /// Returns the edited triangle that is this one of the original.
    pub(super) fn pair(&self, original: usize) -> Option<Pair> {
        self.pairs.get(original).copied().flatten()
    }

    /// Returns `true` if a triangle without a pair was not carried, rather than deleted.
    pub(super) fn is_kept(&self, original: usize) -> bool {
        self.kept.get(original) == Some(&true)
    }

    /// Returns `true` if a triangle of the edited mesh is one of the original.
    pub(super) fn is_paired(&self, edited: usize) -> bool {
        self.paired.get(edited) == Some(&true)
    }

    /// Returns the vertices of the original at the place of an edited one.
    pub(super) fn rows_at(&self, position: [f32; 3]) -> &[VertexRef] {
        let place = self.places.get(&bits(position)).and_then(|place| self.rows.get(*place));
        place.map_or(&[], Vec::as_slice)
    }

    /// Returns the vertex of the original next to a new one, among these.
    pub(super) fn nearest(&self, was: &Soup, row: &Row, among: VerticesId) -> VertexRef {
        let at = Vec3::from(row.position);
        let corners = was.triangles.iter().flat_map(|t| t.rows.into_iter().zip(t.positions));
        let corners = corners.filter(|(vertex, _)| vertex.0 == among);
        let far = |(_, p): &(VertexRef, [f32; 3])| Vec3::from(*p).distance_squared(at);
        corners.min_by(|a, b| far(a).total_cmp(&far(b))).map_or((among, 0), |(vertex, _)| vertex)
    }
}

/// Returns which triangles without a pair were not carried: those whose corners are not three vertices, and those that have
/// the same vertices as one that is still there. Editors drop both.
fn kept(was: &Soup, pairs: &[Option<Pair>]) -> Vec<bool> {
    let sorted = |face: &Face| {
        let mut rows = face.rows;
        rows.sort_unstable();
        rows
    };
    let there: HashSet<[VertexRef; 3]> =
        was.triangles.iter().zip(pairs).filter(|(_, p)| p.is_some()).map(|(t, _)| sorted(t)).collect();
    let any = !there.is_empty();
    let flat = |face: &Face| matches!(face.rows, [a, b, c] if a == b || b == c || a == c);
    let one = |(face, pair): (&Face, &Option<Pair>)| {
        pair.is_none() && any && (flat(face) || there.contains(&sorted(face)))
    };
    was.triangles.iter().zip(pairs).map(one).collect()
}

struct Matcher<'a> {
    was: &'a Soup,
    is: &'a Soup,
    was_places: Vec<[Option<usize>; 3]>,
    is_places: Vec<[Option<usize>; 3]>,
    pairs: Vec<Option<Pair>>,
    paired: Vec<bool>,
    /// How far positions may be apart that are the same.
    tolerance: f32,
}

/// Returns three numbers if all are there.
fn all([a, b, c]: [Option<usize>; 3]) -> Option<[usize; 3]> {
    Some([a?, b?, c?])
}

impl Matcher<'_> {
    fn set(&mut self, was: usize, is: usize, turn: usize) {
        let (Some(from), Some(to)) = (self.was_places.get(was), self.is_places.get(is)) else { return };
        let moved = [0, 1, 2].map(|i| {
            let there = to.get((i + turn) % 3).copied().flatten();
            // Of two places next to each other, rounding decides which one is found.
            there.is_none()
                || there != from.get(i).copied().flatten()
                    && self.corners_apart(was, i, is, i + turn) > self.tolerance
        });
        if let (Some(slot), Some(flag)) = (self.pairs.get_mut(was), self.paired.get_mut(is)) {
            *slot = Some(Pair { triangle: is, turn, moved });
            *flag = true;
        }
    }

    /// Returns how far a corner of one triangle is from a corner of another, along one axis.
    fn corners_apart(&self, was: usize, i: usize, is: usize, j: usize) -> f32 {
        let place = |soup: &Soup, at: usize, corner: usize| -> Option<Vec3> {
            soup.triangles.get(at)?.positions.get(corner % 3).copied().map(Vec3::from)
        };
        let places = place(self.was, was, i).zip(place(self.is, is, j));
        places.map_or(f32::MAX, |(a, b)| (a - b).abs().max_element())
    }

    /// Returns how different two triangles look whose corners are at the same places: by their texture coordinates, and by
    /// normals that are not the same but for rounding.
    fn looks_apart(&self, was: usize, is: usize, turn: usize) -> f32 {
        let (Some(a), Some(b)) = (self.was.triangles.get(was), self.is.triangles.get(is)) else { return 0.0 };
        let one = |i: usize| {
            let (p, q) = (
                a.uvs.get(i).copied().unwrap_or_default(),
                b.uvs.get((i + turn) % 3).copied().unwrap_or_default(),
            );
            let (n, m) = (
                a.normals.get(i).copied().unwrap_or_default(),
                b.normals.get((i + turn) % 3).copied().unwrap_or_default(),
            );
            let turned = if same_normal(n, m) { 0.0 } else { Vec3::from(n).distance(Vec3::from(m)) };
            (p[0] - q[0]).abs() + (p[1] - q[1]).abs() + turned
        };
        one(0) + one(1) + one(2)
    }

    /// Pairs triangles whose corners are at the same places.
    fn by_place(&mut self, materials: bool) {
        let mut by_key: HashMap<[usize; 3], Vec<usize>> = HashMap::new();
        for (at, places) in self.was_places.iter().enumerate() {
            if let Some(places) = all(*places) {
                by_key.entry(canonical(places)).or_default().push(at);
            }
        }
        for at in 0..self.is.triangles.len() {
            let Some(places) = self.is_places.get(at).copied().and_then(all) else { continue };
            let Some(list) = by_key.get_mut(&canonical(places)) else { continue };
            let material = self.is.triangles.get(at).and_then(|t| t.material);
            let best = (0..list.len()).take(MOST_ALIKE).filter_map(|i| {
                let was = *list.get(i)?;
                let from = self.was_places.get(was).copied().and_then(all)?;
                let other = materials && self.was.triangles.get(was)?.material != material;
                let turns = (0..3).filter(|turn| (0..3).all(|i| from.get(i) == places.get((i + turn) % 3)));
                let apart = turns.map(|turn| (self.looks_apart(was, at, turn), turn));
                let (apart, turn) = apart.min_by(|a, b| a.0.total_cmp(&b.0))?;
                Some((other, apart, i, turn))
            });
            let best = best.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            if let Some((_, _, i, turn)) = best {
                let was = list.remove(i);
                self.set(was, at, turn);
            }
        }
    }

    /// Pairs triangles by their order, if there are as many of each material and those paired so far are in this order.
    /// Returns whether that was so.
    fn by_order(&mut self) -> bool {
        let mut was: HashMap<Option<u32>, Vec<usize>> = HashMap::new();
        let mut seen: HashSet<[VertexRef; 3]> = HashSet::new();
        for (at, face) in self.was.triangles.iter().enumerate() {
            let mut rows = face.rows;
            rows.sort_unstable();
            let flat = matches!(rows, [a, b, c] if a == b || b == c);
            // These are not carried.
            if self.pairs.get(at).is_some_and(Option::is_none) && (flat || seen.contains(&rows)) {
                continue;
            }
            seen.insert(rows);
            was.entry(face.material).or_default().push(at);
        }
        let mut is: HashMap<Option<u32>, Vec<usize>> = HashMap::new();
        for (at, face) in self.is.triangles.iter().enumerate() {
            is.entry(face.material).or_default().push(at);
        }
        let mut todo = Vec::new();
        for (material, list) in &was {
            let Some(other) = is.get(material).filter(|other| other.len() == list.len()) else {
                return false;
            };
            for (was, is) in list.iter().zip(other) {
                match self.pairs.get(*was).copied().flatten() {
                    // Twins may have been exchanged.
                    Some(pair) if pair.triangle == *is || pair.moved == [false; 3] => {}
                    Some(_) => return false,
                    None if self.paired.get(*is) == Some(&true) => return false,
                    None => todo.push((*was, *is)),
                }
            }
        }
        if was.len() != is.len() {
            return false;
        }
        for (was, is) in todo {
            let turn = self.best_turn(was, is);
            self.set(was, is, turn);
        }
        true
    }

    /// Returns the turn for which most corners are at the same place, or else the nearest.
    fn best_turn(&self, was: usize, is: usize) -> usize {
        let (Some(a), Some(b)) = (self.was.triangles.get(was), self.is.triangles.get(is)) else { return 0 };
        let far = |turn: usize| -> f32 {
            let corner = |i: usize| {
                let p = Vec3::from(a.positions.get(i).copied().unwrap_or_default());
                let q = Vec3::from(b.positions.get((i + turn) % 3).copied().unwrap_or_default());
                p.distance(q)
            };
            corner(0) + corner(1) + corner(2) + self.looks_apart(was, is, turn)
        };
        (0..3).min_by(|a, b| far(*a).total_cmp(&far(*b))).unwrap_or(0)
    }

    /// Pairs triangles that share an edge with places that are known and whose third corner was moved, from the rim of what was
    /// moved inwards.
    fn by_edge(&mut self, found: &HashMap<[u32; 3], usize>) {
        let occupied: HashSet<usize> = found.values().copied().collect();
        let mut edges: HashMap<[usize; 2], Vec<(usize, usize)>> = HashMap::new();
        for (at, places) in self.was_places.iter().enumerate() {
            if let Some([a, b, c]) =
                self.pairs.get(at).is_some_and(Option::is_none).then_some(*places).and_then(all)
            {
                for (edge, corner) in [([a, b], 2), ([b, c], 0), ([c, a], 1)] {
                    edges.entry(edge).or_default().push((at, corner));
                }
            }
        }
        let mut moved: HashMap<[u32; 3], usize> = HashMap::new();
        for _ in 0..PASSES {
            let mut any = false;
            for is in 0..self.is.triangles.len() {
                let Some(face) = self.is.triangles.get(is).filter(|_| self.paired.get(is) == Some(&false))
                else {
                    continue;
                };
                let direct = self.is_places.get(is).copied().unwrap_or_default();
                let known = [0, 1, 2].map(|i| {
                    let position = face.positions.get(i).copied().unwrap_or_default();
                    direct.get(i).copied().flatten().or_else(|| moved.get(&bits(position)).copied())
                });
                let pair = [0, 1, 2].into_iter().find_map(|third| {
                    let (a, b) = (
                        known.get((third + 1) % 3).copied().flatten()?,
                        known.get((third + 2) % 3).copied().flatten()?,
                    );
                    let there = known.get(third).copied().flatten();
                    let candidates = edges.get(&[a, b])?;
                    candidates.iter().find_map(|(was, corner)| {
                        let place = self.was_places.get(*was)?.get(*corner).copied().flatten()?;
                        let free = self.pairs.get(*was)?.is_none();
                        let fits = there == Some(place) || there.is_none() && !occupied.contains(&place);
                        (free && fits).then_some((*was, *corner, third, place))
                    })
                });
                if let Some((was, corner, third, place)) = pair {
                    let position = face.positions.get(third).copied().unwrap_or_default();
                    moved.entry(bits(position)).or_insert(place);
                    self.set(was, is, (third + 3 - corner) % 3);
                    any = true;
                }
            }
            if !any {
                return;
            }
        }
    }
}

/// Most triangles at one place that are compared.
const MOST_ALIKE: usize = 64;

/// Most rounds of following edges.
const PASSES: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Primitive, Vertices};

    fn soup(positions: Vec<[f32; 3]>) -> Soup {
        soup_of(Vertices { positions, ..Vertices::default() })
    }

    fn soup_of(vertices: Vertices) -> Soup {
        let indices = (0..vertices.positions.len() as u32).collect();
        let scene = Scene { vertices: vec![vertices], ..Scene::default() };
        let mesh =
            Mesh { primitives: vec![Primitive { indices, ..Primitive::default() }], ..Mesh::default() };
        Soup::new(&scene, &mesh, &|material| material)
    }

    #[test]
    fn of_two_layers_that_are_hardly_apart_nothing_has_moved() {
        // The layers are one unit in the last place apart, and a program rounds by more.
        let layer = |x: f32| [[x, 0.0, 0.0], [x, 50.0, 0.0], [x, 0.0, 50.0]];
        let apart = f32::from_bits(140.4f32.to_bits() + 1);
        let was = soup([layer(140.4), layer(apart), layer(7.0)].concat());
        let rounded = |[x, y, z]: [f32; 3]| [x + 2e-5, y * 1.000_001 + 1e-5, z + 1e-5];
        let is = soup([layer(140.4), layer(apart), layer(7.0)].concat().into_iter().map(rounded).collect());
        let matching = Matching::new(&was, &is, 150.0, true);
        for triangle in 0..3 {
            assert_eq!(matching.pair(triangle).map(|pair| pair.moved), Some([false; 3]), "{triangle}");
        }
    }

    #[test]
    fn of_two_triangles_at_one_place_normals_tell_which_is_which() {
        let layer = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let (up, side) = ([[0.0, 0.0, 1.0]; 3], [[0.6, 0.0, 0.8]; 3]);
        let of = |normals: [[[f32; 3]; 3]; 2]| {
            let positions = [layer, layer].concat();
            soup_of(Vertices { positions, normals: normals.concat(), ..Vertices::default() })
        };
        let matching = Matching::new(&of([up, side]), &of([side, up]), 1.0, true);
        assert_eq!([0, 1].map(|at| matching.pair(at).map(|pair| pair.triangle)), [Some(1), Some(0)]);
    }
}
