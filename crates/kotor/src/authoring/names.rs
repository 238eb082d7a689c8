//! What the names of objects mean.

use galatea_scene::{Node, Purpose, Scene};

/// The state of a door that a walkmesh is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum State {
    Closed,
    Open1,
    Open2,
}

impl State {
    /// Returns the state that a name is of: `closed`, `open1`, `open_2`, or a name that ends so.
    fn of(words: &[&str]) -> Option<State> {
        let has = |word: &str| words.contains(&word);
        let pair = |number: &str| words.windows(2).any(|w| w == ["open", number]);
        if has("closed") || has("close") {
            Some(State::Closed)
        } else if has("open2") || has("opened2") || pair("2") {
            Some(State::Open2)
        } else if has("open1") || has("opened1") || has("open") || has("opened") {
            Some(State::Open1)
        } else {
            None
        }
    }
}

/// Whose hook a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Where characters stand who use a placeable or a door in any state.
    Any(usize),
    /// Where characters stand who use a door in one state.
    Door(State, usize),
}

/// What a node is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A part of the model.
    Model,
    /// The floor of a room.
    Floor,
    /// What is in the way around a placeable.
    Placeable,
    /// What is in the way around a door.
    Door(State),
    /// Where characters stand.
    Use(Use),
    /// An object that only groups parts of a walkmesh.
    Group(Group),
}

/// What a group of parts of a walkmesh belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Floor,
    Placeable,
    Door(Option<State>),
}

impl Role {
    pub(super) fn is_of_door(&self) -> bool {
        matches!(self, Role::Door(_) | Role::Use(Use::Door(..)) | Role::Group(Group::Door(_)))
    }

    pub(super) fn is_of_placeable(&self) -> bool {
        matches!(self, Role::Placeable | Role::Group(Group::Placeable))
    }
}

/// Returns a name without the number that Blender appends to names that are taken, in lower case.
pub(super) fn bare(name: &str) -> String {
    let number = |n: &str| n.len() == 3 && n.bytes().all(|b| b.is_ascii_digit());
    let bare = name.rsplit_once('.').filter(|(_, n)| number(n)).map_or(name, |(bare, _)| bare);
    bare.trim().to_ascii_lowercase()
}

/// Returns the role of every node. `door` says whether the scene is known to be a door, in which objects named after a
/// state are walkmeshes.
pub(super) fn roles(scene: &Scene, door: bool) -> Vec<Role> {
    let mut roles = vec![Role::Model; scene.nodes.len()];
    for id in scene.depth_first() {
        let Some(node) = scene.node(id) else { continue };
        let above = node.parent.and_then(|p| roles.get(p as usize)).copied().unwrap_or(Role::Model);
        let role = role(scene, node, above, door);
        if let Some(slot) = roles.get_mut(id as usize) {
            *slot = role;
        }
    }
    roles
}

fn role(scene: &Scene, node: &Node, above: Role, door: bool) -> Role {
    let name = bare(&node.name);
    let words: Vec<&str> = name.split(['_', ' ', '-', '.']).filter(|w| !w.is_empty()).collect();
    let mesh = node.mesh.and_then(|m| scene.meshes.get(m as usize));
    let state = State::of(&words);
    let of_door = words.contains(&"dwk") || matches!(above, Role::Group(Group::Door(_)) | Role::Door(_));
    let of_placeable = words.contains(&"pwk") || matches!(above, Role::Group(Group::Placeable));
    let above_state = match above {
        Role::Group(Group::Door(state)) => state,
        Role::Door(state) => Some(state),
        _ => None,
    };
    let state = state.or(above_state);
    if mesh.is_none() {
        if let Some(number) = hook(&words) {
            return Role::Use(
                state.filter(|_| of_door || door).map_or(Use::Any(number), |s| Use::Door(s, number)),
            );
        }
        if of_door || (door && state_alone(&words)) {
            return Role::Group(Group::Door(state));
        }
        if of_placeable {
            return Role::Group(Group::Placeable);
        }
        let floor = is_floor(&name, &words) || matches!(above, Role::Group(Group::Floor));
        return if floor && !node.children.is_empty() { Role::Group(Group::Floor) } else { Role::Model };
    }
    if of_door || (door && state_alone(&words)) {
        return Role::Door(state.unwrap_or(State::Closed));
    }
    if of_placeable {
        return Role::Placeable;
    }
    let purpose = mesh.is_some_and(|m| matches!(m.purpose, Purpose::Walk | Purpose::Aabb));
    // The edges that lead to other rooms.
    let border = name.starts_with("transition");
    let below = matches!(above, Role::Group(Group::Floor) | Role::Floor);
    if purpose || border || below || is_floor(&name, &words) { Role::Floor } else { Role::Model }
}

/// Returns `true` for `closed`, `open1`, `open_2` and nothing more.
fn state_alone(words: &[&str]) -> bool {
    State::of(words).is_some()
        && words.iter().all(|w| {
            matches!(
                *w,
                "closed"
                    | "close"
                    | "open"
                    | "opened"
                    | "open1"
                    | "open2"
                    | "opened1"
                    | "opened2"
                    | "1"
                    | "2"
                    | "wg"
            )
        })
}

/// Returns `true` for the names that walkmeshes have in the tools: `walkmesh`, `walk01`, `x_wg`, `x_wok_wg`, `aabb`.
fn is_floor(name: &str, words: &[&str]) -> bool {
    let tail = |prefix: &str| {
        words
            .first()
            .and_then(|w| w.strip_prefix(prefix))
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
    };
    name.starts_with("walkmesh")
        || tail("walk")
        || tail("aabb")
        || words.iter().any(|w| matches!(*w, "wg" | "wok" | "walkmesh"))
}

/// Returns the number of a hook, from 0: `use_1`, `pwk_use02`, `dwk_dp_open1_02`.
fn hook(words: &[&str]) -> Option<usize> {
    let number = |digits: &str| match digits.trim_start_matches('0') {
        "1" => Some(0),
        "2" => Some(1),
        _ => None,
    };
    let (last, before) = words.split_last()?;
    if let Some(found) = last.strip_prefix("use").and_then(number) {
        return Some(found);
    }
    let known = before.last() == Some(&"use") || before.contains(&"dp");
    number(last).filter(|_| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, mesh: bool, door: bool) -> Role {
        let mut scene = Scene::new("x");
        scene.meshes.push(galatea_scene::Mesh::default());
        scene.add_node(None, Node { mesh: mesh.then_some(0), ..Node::new(name) });
        roles(&scene, door)[0]
    }

    #[test]
    fn names_of_the_tools_are_known() {
        for name in ["walkmesh", "Walk01", "m01aa_01a_wg", "WALKMESH.001", "hall_wok_wg", "AABB_1"] {
            assert_eq!(one(name, true, false), Role::Floor, "{name}");
        }
        for name in ["crate_pwk_wg", "PWK", "plc_x_pwk"] {
            assert_eq!(one(name, true, false), Role::Placeable, "{name}");
        }
        for (name, number) in [("use_1", 0), ("Crate_pwk_use02", 1), ("use02", 1), ("use_01.001", 0)] {
            assert_eq!(one(name, false, false), Role::Use(Use::Any(number)), "{name}");
        }
        assert_eq!(one("x_DWK_wg_open2", true, false), Role::Door(State::Open2));
        assert_eq!(one("x_DWK_dp_open1_02", false, false), Role::Use(Use::Door(State::Open1, 1)));
        assert_eq!(one("closed", true, true), Role::Door(State::Closed));
        assert_eq!(one("Open_2", true, true), Role::Door(State::Open2));
        for name in ["walker", "closed", "open1", "wall", "cause_1", "sidewalk"] {
            assert_eq!(one(name, true, false), Role::Model, "{name}");
        }
        for name in ["use_3", "fuse", "rhand", "use"] {
            assert_eq!(one(name, false, false), Role::Model, "{name}");
        }
    }

    #[test]
    fn objects_below_a_group_belong_to_it() {
        let mut scene = Scene::new("x");
        scene.meshes.push(galatea_scene::Mesh::default());
        let mesh = || Node { mesh: Some(0), ..Node::new("thing") };
        let door = scene.add_node(None, Node::new("x_DWK"));
        let open = scene.add_node(Some(door), Node::new("open1"));
        scene.add_node(Some(open), mesh());
        scene.add_node(Some(open), Node::new("use_2"));
        let crate_ = scene.add_node(None, Node::new("crate_pwk"));
        scene.add_node(Some(crate_), mesh());
        let got = roles(&scene, false);
        assert_eq!(got[2], Role::Door(State::Open1));
        assert_eq!(got[3], Role::Use(Use::Door(State::Open1, 1)));
        assert_eq!(got[5], Role::Placeable);
    }
}
