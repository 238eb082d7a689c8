//! Meshes from the scene.

use foldhash::HashSet;
use galatea_scene::{
    Extras, Mesh as SceneMesh, Node as SceneNode, Purpose, Value, Vertices as SceneVertices, read_floats,
};
use galatea_wire::{Error, Loss, Result};
use glam::Vec3;

use super::import::texture_name;
use super::{FromScene, record, text};
use crate::box_tree;
use crate::extra::{from_json, int, ints, list, objects, own};
use crate::mdl::derive::neighbours;
use crate::mdl::scene::read_fields;
use crate::mdl::scene::to::mesh::{header_fields, slots, tangent_names};
use crate::mdl::{
    AabbNode, AabbTree, Dangly, Dirt, Face, Game, IndexLists, Mesh, Node, PositionCopy, Saber, TangentSpace,
    Vertices,
};
use crate::{derived, weld};

impl FromScene<'_> {
    /// Reads the mesh of a node. Returns the material that the colors of the mesh come from.
    pub(super) fn read_mesh(
        &mut self,
        place: usize,
        from: &SceneNode,
        node: &mut Node,
    ) -> Result<Option<u32>> {
        let Some(mesh) = from.mesh.and_then(|m| self.scene.meshes.get(m as usize)) else { return Ok(None) };
        let none = Extras::new();
        let map = own(&from.extras).get("mesh").and_then(Value::as_object).unwrap_or(&none);
        let first = mesh.primitives.first();
        let joined = self.joined(mesh);
        let mesh = joined.as_ref().map_or(mesh, |(mesh, _)| mesh);
        let empty = SceneVertices::default();
        let own_vertices = || first.and_then(|p| self.scene.vertices_of(p)).unwrap_or(&empty);
        let vertices = joined.as_ref().map_or_else(own_vertices, |(_, vertices)| vertices);
        if vertices.positions.len() > usize::from(u16::MAX) {
            let count = vertices.positions.len();
            return Err(Error::unrepresentable(format!(
                "mesh {:?}: {count} vertices; a mesh can have 65,535",
                mesh.name
            )));
        }
        let blade = map.get("saber").and_then(Value::as_object);
        let whole = blade.and_then(|blade| with_loose(blade.get("loose")?.as_object()?, mesh, vertices));
        let mesh = whole.as_ref().map_or(mesh, |(mesh, _)| mesh);
        let vertices = whole.as_ref().map_or(vertices, |(_, vertices)| vertices);
        let mut out = Mesh::default();
        let walk = map.contains_key("aabb") || mesh.purpose == Purpose::Aabb || mesh.purpose == Purpose::Walk;
        let (triangles, surfaces) = self.triangles(mesh, &vertices.positions, map, walk);
        read_header(map, &mut out, self.game);
        out.vertices = read_columns(vertices, map);
        // The mesh was hidden or shown by an edit.
        if (mesh.purpose == Purpose::Hidden) != (out.render == 0) && !walk {
            out.render = u8::from(mesh.purpose != Purpose::Hidden);
        }
        let material = first.and_then(|p| p.material);
        if walk {
            read_fields!(map, out, diffuse, texture, lightmap, texture_3, texture_4);
        } else {
            self.appearance(&mesh.name, material, map, &mut out);
        }
        read_faces(map, &mut out, &triangles, surfaces.as_deref());
        read_extents(map, &mut out, &triangles);
        if walk {
            out.aabb = Some(Box::new(read_aabb(map, &out.vertices.positions, &triangles)));
        }
        if let Some(stored) = map.get("dangly").and_then(Value::as_object) {
            out.dangly = Some(Box::new(read_dangly(stored, vertices)));
        }
        if let Some(stored) = map.get("saber").and_then(Value::as_object) {
            out.saber = Some(Box::new(read_saber(stored, vertices, &mut out.vertices)));
        }
        let stored = map.get("skin").and_then(Value::as_object);
        if stored.is_some() || from.skin.is_some() {
            let skin = self.read_skin(place, from, stored.unwrap_or(&none), vertices, &mut out.vertices);
            out.skin = Some(Box::new(skin));
        }
        node.mesh = Some(Box::new(out));
        Ok(material.filter(|_| !walk))
    }

    /// Returns a mesh whose primitives have vertices of their own with one list of vertices, and that list. Other programs give each
    /// material its own vertices; those that are equal become one.
    fn joined(&self, mesh: &SceneMesh) -> Option<(SceneMesh, SceneVertices)> {
        let first = mesh.primitives.first()?.vertices;
        if mesh.primitives.iter().all(|p| p.vertices == first) {
            return None;
        }
        let (all, starts) = weld::joined(self.scene, mesh);
        let (vertices, new) = weld::without_copies(&all);
        let mut mesh = mesh.clone();
        for primitive in &mut mesh.primitives {
            let start = starts.get(&primitive.vertices).copied().unwrap_or(0);
            for index in &mut primitive.indices {
                let at = index.saturating_add(start) as usize;
                *index = new.get(at).copied().unwrap_or(u32::MAX);
            }
            primitive.vertices = first;
        }
        Some((mesh, vertices))
    }

    /// Returns the triangles in the order of the faces, and their surfaces if the mesh is walkable.
    fn triangles(
        &mut self,
        mesh: &SceneMesh,
        positions: &[[f32; 3]],
        map: &Extras,
        walk: bool,
    ) -> (Vec<[u32; 3]>, Option<Vec<u32>>) {
        if let Some(stored) = ints(map, "triangles") {
            let flat: Vec<u32> = stored.iter().map(|i| *i as u32).collect();
            let triangles = flat.as_chunks().0.to_vec();
            if mesh.primitives.iter().all(|p| p.indices.is_empty()) && !walk {
                return (triangles, None);
            }
        }
        let first = mesh.primitives.first().map(|p| p.vertices);
        let mut all: Vec<(Option<u32>, [u32; 3], u32)> = Vec::new();
        let solid = mesh.primitives.iter().filter(|p| p.topology == galatea_scene::Topology::Triangles);
        for primitive in solid.filter(|p| Some(p.vertices) == first) {
            let corners: &[[u32; 3]] = primitive.indices.as_chunks().0;
            let material = primitive.material.and_then(|m| self.scene.materials.get(m as usize));
            let surface = material.and_then(derived::surface_of);
            if walk && surface.is_none() && !corners.is_empty() {
                let name = material.map_or("none", |m| &m.name);
                self.losses.push(Loss::new(
                    "",
                    format!("material {name:?} is not a surface material; replaced by Stone"),
                ));
            }
            let numbers = derived::runs(own(&primitive.extras), corners.len());
            for (corners, number) in corners.iter().zip(numbers) {
                all.push((number, *corners, surface.unwrap_or(4)));
            }
        }
        // Other programs drop the numbers.
        if walk
            && all.iter().any(|(number, ..)| number.is_none())
            && let Some(stored) = map.get("faces").and_then(Value::as_object)
        {
            let corners: Vec<[u32; 3]> = all.iter().map(|(_, corners, _)| *corners).collect();
            let surfaces: Vec<u32> = all.iter().map(|(.., surface)| *surface).collect();
            let found = derived::numbers(stored, positions, &corners, &surfaces);
            all.iter_mut().zip(found).for_each(|((number, ..), found)| *number = number.or(found));
        }
        all.sort_by_key(|(number, ..)| number.unwrap_or(u32::MAX));
        let surfaces = walk.then(|| all.iter().map(|(.., s)| *s).collect());
        (all.into_iter().map(|(_, t, _)| t).collect(), surfaces)
    }

    /// Reads colors and textures from the material.
    fn appearance(&mut self, name: &str, material: Option<u32>, map: &Extras, out: &mut Mesh) {
        read_fields!(map, out, texture, lightmap, texture_3, texture_4);
        let Some(material) = material.and_then(|m| self.scene.materials.get(m as usize)) else { return };
        let fresh = !own(&self.scene.extras).contains_key("game");
        if fresh && (material.metallic != 0.0 || material.roughness != 1.0) {
            let line = Loss::new(format!("material {:?}", material.name), "metalness and roughness");
            if !self.losses.contains(&line) {
                self.losses.push(line);
            }
        }
        let [r, g, b, _] = material.base_color;
        out.diffuse = [r, g, b];
        let new = !map.contains_key("geometry");
        for (i, slot) in slots().iter().enumerate() {
            let Some(texture) = material.texture(slot) else { continue };
            // A new mesh may share the material of one that has more sets of coordinates.
            if new && i > 0 && out.vertices.uvs.get(i).is_none_or(Vec::is_empty) {
                let line = Loss::new(
                    format!("mesh {name:?}"),
                    format!("the texture for {}: it has no coordinates for it", texture.slot.name()),
                );
                self.losses.push(line);
                continue;
            }
            let mut name = texture.name.clone();
            if fresh {
                name = texture_name(&name);
                let line =
                    Loss::new(format!("texture {:?}", texture.name), format!("its name, now {name:?}"))
                        .invisible();
                if name != texture.name && !self.losses.contains(&line) {
                    self.losses.push(line);
                }
            }
            match i {
                0 => out.texture = text(&name),
                1 => out.lightmap = text(&name),
                2 => out.texture_3 = text(&name),
                _ => out.texture_4 = text(&name),
            }
        }
        if new {
            let there = [
                !out.texture.bytes().is_empty(),
                !out.lightmap.bytes().is_empty(),
                !out.texture_3.bytes().is_empty(),
                !out.texture_4.bytes().is_empty(),
            ];
            out.texture_count = there.iter().filter(|there| **there).count() as u16;
            out.lightmapped = u8::from(!out.lightmap.bytes().is_empty());
        }
        for texture in material.textures.iter().filter(|t| !slots().contains(&t.slot)) {
            let line = Loss::new(
                format!("material {:?}", material.name),
                format!("the texture for {}", texture.slot.name()),
            );
            if !self.losses.contains(&line) {
                self.losses.push(line);
            }
        }
    }
}

fn read_header(map: &Extras, out: &mut Mesh, game: Game) {
    header_fields!(read_fields, map, out);
    out.in_mdx = !map.contains_key("in_mdx");
    // All meshes of the second game have dirt fields, those of the first have none.
    out.dirt = (game == Game::K2).then(|| record(map, "dirt").unwrap_or(Dirt::USUAL));
    out.anim = record(map, "anim").map(Box::new);
    if let Some(counters) = ints(map, "inverted_counters") {
        out.inverted_counters = counters.iter().map(|c| *c as u32).collect();
    }
    if map.contains_key("indices") {
        let lists = objects(map, "indices").filter_map(|l| ints(l, "list"));
        out.indices = IndexLists::Own(lists.map(|l| l.iter().map(|i| *i as u16).collect()).collect());
    }
    out.mdl_positions = read_copy(map, "mdl_positions");
}

fn read_copy(map: &Extras, key: &str) -> PositionCopy {
    match map.get(key) {
        None => PositionCopy::Same,
        Some(Value::String(_)) => PositionCopy::Absent,
        Some(own) => PositionCopy::Own(read_floats(own).unwrap_or_default().as_chunks().0.to_vec()),
    }
}

fn rows<const N: usize>(flat: &[f32]) -> Vec<[f32; N]> {
    flat.as_chunks().0.to_vec()
}

fn read_columns(from: &SceneVertices, map: &Extras) -> Vertices {
    let raw = |key: &str| list(map, &format!("raw_{key}")).unwrap_or_default();
    let count = from.positions.len();
    let mut out = Vertices { positions: from.positions.clone(), ..Vertices::default() };
    let saber = map.get("saber").and_then(Value::as_object);
    let blade = |key: &str| saber.is_some_and(|s| s.contains_key(key));
    out.normals = if from.normals.is_empty() { rows(&raw("normals")) } else { from.normals.clone() };
    if blade("own_normals") {
        out.normals.clear();
    }
    out.colors = match from.colors.first() {
        Some(colors) => colors.iter().map(|[r, g, b, _]| [*r, *g, *b]).collect(),
        None => rows(&raw("colors")),
    };
    let sets = ints(map, "uv_sets").unwrap_or_else(|| (0..from.uvs.len().min(4) as i64).collect());
    for (i, slot) in out.uvs.iter_mut().enumerate() {
        let set = sets.iter().position(|s| *s == i as i64).filter(|_| !blade("own_uvs"));
        *slot = match set.and_then(|s| from.uvs.get(s)) {
            Some(uvs) => uvs.clone(),
            None => rows(&raw(&format!("uvs_{i}"))),
        };
    }
    for (set, slot) in out.tangents.iter_mut().enumerate() {
        let [b, t, n] = tangent_names(set);
        let main = if set == 0 { from.tangents.as_slice() } else { &[] };
        let (bitangents, normals) = (from.attribute(&b), from.attribute(&n));
        let tangents: Vec<[f32; 3]> = if main.is_empty() {
            rows(from.attribute(&t))
        } else {
            main.iter().map(|[x, y, z, _]| [*x, *y, *z]).collect()
        };
        if tangents.len() == count && count > 0 {
            let (bitangents, normals): (Vec<[f32; 3]>, Vec<[f32; 3]>) = (rows(bitangents), rows(normals));
            *slot = tangents
                .iter()
                .enumerate()
                .map(|(i, tangent)| {
                    let normal = normals.get(i).or(from.normals.get(i)).copied().unwrap_or([0.0, 0.0, 1.0]);
                    let made = || {
                        let side = main.get(i).map_or(1.0, |[.., w]| *w);
                        (Vec3::from(normal).cross(Vec3::from(*tangent)) * side).to_array()
                    };
                    [bitangents.get(i).copied().unwrap_or_else(made), *tangent, normal]
                })
                .collect();
        } else {
            let flat: Vec<[f32; 9]> = rows(&raw(&format!("tangents_{set}")));
            let space = |[a, b, c, d, e, f, g, h, i]: &[f32; 9]| -> TangentSpace {
                [[*a, *b, *c], [*d, *e, *f], [*g, *h, *i]]
            };
            *slot = flat.iter().map(space).collect();
        }
    }
    out
}

fn read_faces(map: &Extras, out: &mut Mesh, triangles: &[[u32; 3]], surfaces: Option<&[u32]>) {
    let none = Extras::new();
    let stored = map.get("faces").and_then(Value::as_object).unwrap_or(&none);
    let positions = &out.vertices.positions;
    let known = derived::recognise(stored, positions, triangles);
    let planes = derived::planes(stored, positions, triangles, &known);
    let one = stored.get("material").map_or(0, |v| from_json(v, &0u32));
    let many = ints(stored, "materials").unwrap_or_default();
    let mut adjacent = neighbours(positions, triangles.iter().copied());
    if let Some(differences) = stored.get("adjacent").and_then(Value::as_object) {
        let (at, to) =
            (ints(differences, "at").unwrap_or_default(), ints(differences, "to").unwrap_or_default());
        let stays = |face: usize| known.get(face).copied().flatten() == Some(face);
        for (at, to) in at.iter().zip(&to) {
            let (at, to) = (usize::try_from(*at).unwrap_or(usize::MAX), *to as u16);
            // Removed faces have no neighbours.
            let sound = stays(at / 3) && (usize::from(to) >= triangles.len() || stays(usize::from(to)));
            if let Some(slot) = adjacent.as_flattened_mut().get_mut(at).filter(|_| sound) {
                *slot = to;
            }
        }
    }
    out.faces = triangles
        .iter()
        .enumerate()
        .map(|(i, triangle)| Face {
            normal: planes.normals.get(i).copied().unwrap_or_default(),
            distance: planes.distances.get(i).copied().unwrap_or_default(),
            material: match (surfaces, known.get(i).copied().flatten()) {
                (Some(surfaces), _) => surfaces.get(i).copied().unwrap_or(0),
                (None, Some(was)) => many.get(was).map_or(one, |m| *m as u32),
                (None, None) => many.get(i).map_or(one, |m| *m as u32),
            },
            adjacent: adjacent.get(i).copied().unwrap_or([u16::MAX; 3]),
            vertices: triangle.map(|v| v as u16),
        })
        .collect();
}

/// Derives box, radius, mean and area, unless the geometry is the same as that of the stored ones.
fn read_extents(map: &Extras, out: &mut Mesh, triangles: &[[u32; 3]]) {
    let positions = &out.vertices.positions;
    if int(map, "geometry").map(|g| g as u32)
        == Some(derived::whole_key(positions, &derived::keys(positions, triangles)))
        || list(map, "measure").is_some_and(|was| derived::same_measure(&was, positions, triangles))
    {
        return;
    }
    let Some(bounds) = galatea_scene::Bounds::around(positions.iter().copied()) else { return };
    out.bounds = [bounds.min, bounds.max];
    let mut seen = HashSet::default();
    let unique = positions.iter().filter(|p| seen.insert(p.map(f32::to_bits)));
    let (mut sum, mut count) = ([0.0f64; 3], 0.0);
    for position in unique {
        sum.iter_mut().zip(position).for_each(|(sum, c)| *sum += f64::from(*c));
        count += 1.0;
    }
    out.average = sum.map(|s| (s / count) as f32);
    let mean = Vec3::from(out.average);
    out.radius = positions.iter().map(|p| Vec3::from(*p).distance(mean)).fold(0.0, f32::max);
    let area = |[a, b, c]: [[f32; 3]; 3]| {
        let (a, b, c) = (Vec3::from(a), Vec3::from(b), Vec3::from(c));
        (b - a).cross(c - a).length() * 0.5
    };
    out.area = triangles.iter().filter_map(|t| derived::corners(positions, *t)).map(area).sum();
}

fn read_aabb(map: &Extras, positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> AabbTree {
    let stored = map.get("aabb").and_then(Value::as_object);
    let same = int(map, "geometry").map(|g| g as u32)
        == Some(derived::whole_key(positions, &derived::keys(positions, triangles)));
    let leaves = stored.and_then(|t| ints(t, "faces")).unwrap_or_default();
    let fits = leaves.iter().all(|f| *f < triangles.len() as i64)
        && leaves.iter().filter(|f| **f >= 0).count() == triangles.len();
    let boxes = match stored.filter(|_| same || fits) {
        Some(stored) => derived::tree(stored, positions, triangles, !same),
        None => box_tree::build(positions, triangles),
    };
    let node = |b: &box_tree::TreeBox| AabbNode {
        min: b.min,
        max: b.max,
        left: b.left,
        right: b.right,
        face: b.face,
        plane: b.plane,
    };
    let nodes = boxes.iter().map(node).collect();
    AabbTree { nodes, ..AabbTree::default() }
}

fn read_dangly(stored: &Extras, vertices: &SceneVertices) -> Dangly {
    let mut dangly = Dangly::default();
    read_fields!(stored, dangly, displacement, tightness, period);
    let constraints = vertices.attribute("CONSTRAINT");
    dangly.constraints = if constraints.is_empty() {
        list(stored, "constraints").unwrap_or_default()
    } else {
        constraints.to_vec()
    };
    dangly.positions = read_copy(stored, "positions");
    dangly
}

/// Returns a blade with the vertices that no triangle has, if another program has dropped them and its triangles are all there.
fn with_loose(
    stored: &Extras,
    mesh: &SceneMesh,
    vertices: &SceneVertices,
) -> Option<(SceneMesh, SceneVertices)> {
    fn put<const N: usize>(
        stored: &Extras,
        key: &str,
        from: &[[f32; N]],
        places: &[Option<u32>],
    ) -> Option<Vec<[f32; N]>> {
        if from.is_empty() {
            return Some(Vec::new());
        }
        let loose = list(stored, key)?;
        let mut loose = loose.as_chunks::<N>().0.iter();
        let row = |place: &Option<u32>| match place {
            Some(place) => from.get(*place as usize).copied(),
            None => loose.next().copied(),
        };
        places.iter().map(row).collect()
    }
    let corners: Vec<u32> = ints(stored, "corners")?.iter().map(|corner| *corner as u32).collect();
    let loose = list(stored, "positions")?.len() / 3;
    let [primitive] = mesh.primitives.as_slice() else { return None };
    let most = corners.len().checked_add(loose)?;
    if primitive.indices.len() != corners.len() || corners.iter().any(|corner| *corner as usize >= most) {
        return None;
    }
    // For each vertex that triangles have, where it is now.
    let mut places: Vec<Option<u32>> = vec![None; *corners.iter().max()? as usize + 1];
    for (corner, now) in corners.iter().zip(&primitive.indices) {
        places.get_mut(*corner as usize).into_iter().for_each(|place| *place = Some(*now));
    }
    let inside = places.iter().filter(|place| place.is_none()).count();
    places.resize(places.len() + loose.checked_sub(inside)?, None);
    if vertices.positions.len() == places.len() {
        return None;
    }
    let mut out = SceneVertices {
        positions: put(stored, "positions", &vertices.positions, &places)?,
        normals: put(stored, "normals", &vertices.normals, &places)?,
        ..SceneVertices::default()
    };
    for (set, uvs) in vertices.uvs.iter().enumerate() {
        out.uvs.push(put(stored, &format!("uvs_{set}"), uvs, &places)?);
    }
    let mut mesh = mesh.clone();
    mesh.primitives.iter_mut().for_each(|p| p.indices.clone_from(&corners));
    Some((mesh, out))
}

fn read_saber(stored: &Extras, from: &SceneVertices, out: &mut Vertices) -> Saber {
    let mut saber = Saber::default();
    read_fields!(stored, saber, inverted_counters);
    let raw = |key: &str| list(stored, key).unwrap_or_default();
    saber.positions = match stored.contains_key("positions") {
        true => rows(&raw("positions")),
        false => out.positions.clone(),
    };
    saber.normals =
        if stored.contains_key("own_normals") { from.normals.clone() } else { rows(&raw("normals")) };
    let first = from.uvs.first().filter(|_| stored.contains_key("own_uvs"));
    saber.uvs = first.cloned().unwrap_or_else(|| rows(&raw("uvs")));
    saber
}
