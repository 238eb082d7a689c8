//! The lines of a walkmesh.

use galatea_text::{Notation, push_f32, push_int};

use super::Door;
use crate::bwm::{Kind, Walkmesh};

/// A text under construction.
#[derive(Default)]
pub(super) struct Printer {
    pub(super) out: Vec<u8>,
}

impl Printer {
    fn line(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
        self.out.push(b'\n');
    }

    fn row(&mut self, start: &[u8], values: &[f32]) {
        self.out.extend_from_slice(start);
        for v in values {
            self.out.push(b' ');
            push_f32(&mut self.out, *v, Notation::Fixed);
        }
        self.out.push(b'\n');
    }

    fn count(&mut self, word: &[u8], n: usize) {
        self.out.extend_from_slice(word);
        push_int(&mut self.out, n as u64);
        self.out.push(b'\n');
    }

    fn node(&mut self, kind: &[u8], name: &[u8], parent: &[u8]) {
        self.line(&[b"node ".as_slice(), kind, b" ", name].concat());
        self.line(&[b"  parent ".as_slice(), parent].concat());
    }

    fn mesh(&mut self, mesh: &Walkmesh, name: &[u8], parent: &[u8]) {
        self.node(b"trimesh", name, parent);
        self.row(b"  position", &mesh.position);
        self.line(b"  bitmap NULL");
        self.count(b"  verts ", mesh.vertices.len());
        for vertex in &mesh.vertices {
            self.row(b"   ", vertex);
        }
        self.count(b"  faces ", mesh.faces.len());
        let sound = |i: u32| if (i as usize) < mesh.vertices.len() { i } else { 0 };
        for (face, material) in mesh.faces.iter().zip(mesh.materials.iter().chain(std::iter::repeat(&0))) {
            self.out.extend_from_slice(b"   ");
            for corner in face.map(sound) {
                self.out.push(b' ');
                push_int(&mut self.out, corner);
            }
            self.out.extend_from_slice(b" 1 0 0 0 ");
            push_int(&mut self.out, *material);
            self.out.push(b'\n');
        }
        if mesh.edges.iter().any(|e| e.transition >= 0) {
            self.line(b"  roomlinks");
            for edge in mesh.edges.iter().filter(|e| e.transition >= 0) {
                self.out.extend_from_slice(b"    ");
                push_int(&mut self.out, edge.edge);
                self.out.push(b' ');
                push_int(&mut self.out, edge.transition);
                self.out.push(b'\n');
            }
            self.line(b"  endlist");
        }
        self.line(b"endnode");
    }

    /// Prints a walkmesh and the positions from which its object is used; `name` is that of the model.
    pub(super) fn part(&mut self, mesh: &Walkmesh, door: Option<Door>, name: &[u8]) {
        let (own, parent, hooks) = match door {
            Some(door) => {
                let base = [name.to_ascii_uppercase().as_slice(), b"_DWK"].concat();
                let word = door.word().as_bytes();
                let hook = |number: &[u8]| [base.as_slice(), b"_dp_", word, number].concat();
                ([base.as_slice(), b"_wg_", word].concat(), base.clone(), [hook(b"_01"), hook(b"_02")])
            }
            None => {
                let parent = if mesh.kind == Kind::Object { [name, b"_pwk"].concat() } else { name.to_vec() };
                ([name, b"_wg"].concat(), parent, [b"pwk_use01".to_vec(), b"pwk_use02".to_vec()])
            }
        };
        self.mesh(mesh, &own, &parent);
        if mesh.kind == Kind::Object || door.is_some() {
            for (hook, position) in hooks.iter().zip(&mesh.relative_use) {
                if position.iter().any(|c| c.to_bits() != 0) {
                    self.hook(hook, &parent, position);
                }
            }
        }
    }

    fn hook(&mut self, name: &[u8], parent: &[u8], position: &[f32; 3]) {
        self.node(b"dummy", name, parent);
        self.row(b"  position", position);
        self.line(b"endnode");
    }
}
