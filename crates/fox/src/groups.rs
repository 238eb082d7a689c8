//! Mesh groups as people see them: a tree of what is shown and what is hidden.

use crate::model::{Fmdl, Group};
use crate::name::Name;

/// One group of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupInfo {
    /// Index of the group.
    pub index: usize,
    /// Its name.
    pub name: Name,
    /// How many parents it has above it.
    pub depth: usize,
    /// Whether it is shown from the start, by its own flag.
    pub visible: bool,
    /// Whether it is really shown: all its parents are visible too.
    pub shown: bool,
    /// Where a destruction fragment lies.
    pub pivot: Option<[f32; 4]>,
    /// Indices of its meshes.
    pub meshes: Vec<usize>,
    /// Vertices of its meshes.
    pub vertices: usize,
    /// LOD-0 triangles of its meshes.
    pub triangles: usize,
}

impl Fmdl {
    /// Returns all groups with what they hold.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, Group};
    /// let mut model = Fmdl::new(2.04);
    /// model.groups.push(Group { name: "MESH_ROOT".into(), flags: Group::INVISIBLE, ..Group::default() });
    /// model.groups.push(Group { name: "MESH_head".into(), parent: Some(0), ..Group::default() });
    /// let groups = model.group_list();
    /// assert!(groups[1].visible && !groups[1].shown);
    /// ```
    pub fn group_list(&self) -> Vec<GroupInfo> {
        let mut out: Vec<GroupInfo> = Vec::with_capacity(self.groups.len());
        for (index, group) in self.groups.iter().enumerate() {
            // A parent that does not come earlier is no parent: a rule reports it.
            let parent = group.parent.and_then(|p| out.get(usize::from(p)));
            let visible = group.is_visible();
            out.push(GroupInfo {
                index,
                name: group.name.clone(),
                depth: parent.map_or(0, |p| p.depth + 1),
                visible,
                shown: visible && parent.is_none_or(|p| p.shown),
                pivot: group.pivot,
                meshes: Vec::new(),
                vertices: 0,
                triangles: 0,
            });
        }
        for (i, (mesh, group)) in self.meshes.iter().zip(self.groups_of_meshes()).enumerate() {
            if let Some(info) = group.and_then(|g| out.get_mut(usize::from(g))) {
                info.meshes.push(i);
                info.vertices += mesh.vertices.count;
                info.triangles += mesh.faces(0).len();
            }
        }
        out
    }

    /// Shows or hides the groups with this name from the start. Returns how many there are.
    ///
    /// ```
    /// use galatea_fox::{Fmdl, Group};
    /// let mut model = Fmdl::new(2.04);
    /// model.groups.push(Group { name: "MESH_helmet".into(), ..Group::default() });
    /// assert_eq!(model.set_visible(&"MESH_helmet".into(), false), 1);
    /// assert!(!model.groups[0].is_visible());
    /// ```
    pub fn set_visible(&mut self, name: &Name, visible: bool) -> usize {
        let mut found = 0;
        for group in self.groups.iter_mut().filter(|g| g.name.code() == name.code()) {
            group.flags = group.flags & !Group::INVISIBLE | if visible { 0 } else { Group::INVISIBLE };
            found += 1;
        }
        found
    }
}
