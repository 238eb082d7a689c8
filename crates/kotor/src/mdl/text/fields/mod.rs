//! The fields of the sidecar of a model, as words of 32 bits.

use galatea_wire::Text;

use crate::mdl::{Animation, Controller, Controllers, Event, Model, Name, Node};
use crate::text::encode::{Field, Kind, Words, next, put_bytes, put_list, take_bytes, take_list};

/// Single values of a part of a node, by name.
macro_rules! scalars {
    ($name:ident, $tag:literal, $t:ty, $of:ident => $part:expr, $part_mut:expr; $($place:tt)*) => {
        pub(crate) static $name: Field<$t> = Field {
            tag: $tag,
            kind: Kind::Scalars,
            get: |$of, out| {
                if let Some(part) = $part { scalars!(@get part, out, $($place)*); }
            },
            set: |$of, words| {
                let mut words = words;
                if let Some(part) = $part_mut { scalars!(@set part, words, $($place)*); }
                words.is_empty().then_some(())
            },
        };
    };
    (@get $p:ident, $out:ident, $($field:ident),* $(,)?) => { $($p.$field.put($out);)* };
    (@set $p:ident, $words:ident, $($field:ident),* $(,)?) => { $($p.$field = Words::take(&mut $words)?;)* };
}

/// Text of fixed size in a part of a node.
macro_rules! text {
    ($name:ident, $tag:literal, $t:ty, $of:ident => $part:expr, $part_mut:expr, $field:ident) => {
        pub(crate) static $name: Field<$t> = Field {
            tag: $tag,
            kind: Kind::Whole,
            get: |$of, out| {
                if let Some(part) = $part {
                    put_bytes(part.$field.bytes(), out);
                }
            },
            set: |$of, words| {
                let mut words = words;
                if let Some(part) = $part_mut {
                    part.$field = Text::new(&take_bytes(&mut words)?)?;
                }
                Some(())
            },
        };
    };
}

/// A list in a part of a node.
macro_rules! list {
    ($name:ident, $tag:literal, $kind:ident, $t:ty, $of:ident => $list:expr, $list_mut:expr, $fits:expr) => {
        pub(crate) static $name: Field<$t> = Field {
            tag: $tag,
            kind: Kind::$kind,
            get: |$of, out| {
                if let Some(list) = $list {
                    put_list(list, out);
                }
            },
            set: |$of, words| {
                let taken = take_list(words)?;
                let fits: fn(&$t, usize) -> bool = $fits;
                if !fits($of, taken.len()) {
                    return None;
                }
                if let Some(list) = $list_mut {
                    *list = taken.into();
                }
                Some(())
            },
        };
    };
}

// After the macros, which it uses.
mod mesh;
pub(crate) use mesh::*;

scalars!(FLAGS, "FLAG", Node, n => Some(n), Some(n); unknown_flags, camera);
scalars!(POSE, "POSE", Node, n => Some(n), Some(n); position, orientation);
scalars!(WHO, "WHOS", Node, n => Some(n), Some(n); name, number);

fn set_number(n: &mut Node, mut words: &[u32]) -> Option<()> {
    n.number = Words::take(&mut words)?;
    Some(())
}

/// The number of a node.
pub(crate) static NUMBER: Field<Node> =
    Field { tag: "NUMB", kind: Kind::Whole, get: |n, out| n.number.put(out), set: set_number };

/// The number of a node of a model that inherits: only the supermodel determines it.
pub(crate) static NUMBER_INHERITED: Field<Node> =
    Field { tag: "NUMB", kind: Kind::Silent, get: |n, out| n.number.put(out), set: set_number };

fn put_controllers(list: &[Controller], data: &[f32], out: &mut Vec<u32>) {
    out.push(list.len() as u32);
    for c in list {
        out.push(c.kind);
        out.push(u32::from(c.target) | u32::from(c.rows) << 16);
        out.push(u32::from(c.time_index) | u32::from(c.data_index) << 16);
        out.push(u32::from(c.columns));
    }
    put_list(data, out);
}

/// Returns controllers without their data, but with its length.
pub(crate) fn controller_words(node: &Node) -> Vec<u32> {
    let mut words = Vec::new();
    put_controllers(node.controllers.list(), &[], &mut words);
    words.push(node.controllers.data().len() as u32);
    words
}

/// The data of controllers, number by number.
pub(crate) static CONTROLLER_DATA: Field<Node> = Field {
    tag: "CDAT",
    kind: Kind::Scalars,
    get: |n, out| put_list(n.controllers.data(), out),
    set: |n, words| {
        *n.controllers.data_mut() = take_list::<f32>(words)?.into();
        Some(())
    },
};

fn take_controllers(mut words: &[u32]) -> Option<Controllers> {
    let count = next(&mut words)? as usize;
    let (list, data) = words.split_at_checked(count.checked_mul(4)?)?;
    let mut controllers = Controllers::default();
    for c in list.chunks_exact(4).filter_map(|c| c.first_chunk::<4>()) {
        let [kind, a, b, columns] = *c;
        controllers.list_mut().push(Controller {
            kind,
            target: a as u16,
            rows: (a >> 16) as u16,
            time_index: b as u16,
            data_index: (b >> 16) as u16,
            columns: columns as u8,
            padding: [0; 3],
        });
    }
    *controllers.data_mut() = take_list::<f32>(data)?.into();
    Some(controllers)
}

/// Controllers with their data, if the text has others or another order.
pub(crate) static CONTROLLERS: Field<Node> = Field {
    tag: "CTRL",
    kind: Kind::Whole,
    get: |n, out| put_controllers(n.controllers.list(), n.controllers.data(), out),
    set: |n, words| {
        n.controllers = take_controllers(words)?;
        Some(())
    },
};

scalars!(LIGHT, "LITE", Node, n => n.light.as_deref(), n.light.as_deref_mut();
    flare_radius, priority, ambient_only, dynamic_type, affect_dynamic, shadow, flare, fading);
list!(FLARE_SIZES, "FLSZ", Whole, Node, n => n.light.as_deref().map(|l| &l.flare_sizes),
    n.light.as_deref_mut().map(|l| &mut l.flare_sizes), |_, _| true);
list!(FLARE_POSITIONS, "FLPO", Whole, Node, n => n.light.as_deref().map(|l| &l.flare_positions),
    n.light.as_deref_mut().map(|l| &mut l.flare_positions), |_, _| true);
list!(FLARE_COLORS, "FLCO", Whole, Node, n => n.light.as_deref().map(|l| &l.flare_colors),
    n.light.as_deref_mut().map(|l| &mut l.flare_colors), |_, _| true);

/// Textures of flares.
pub(crate) static FLARE_TEXTURES: Field<Node> = Field {
    tag: "FLTX",
    kind: Kind::Whole,
    get: |n, out| {
        if let Some(light) = n.light.as_deref() {
            light.flare_textures.iter().for_each(|t| put_bytes(&t.0, out));
        }
    },
    set: |n, mut words| {
        let mut names = Vec::new();
        while !words.is_empty() {
            names.push(Name(take_bytes(&mut words)?));
        }
        n.light.as_deref_mut()?.flare_textures = names;
        Some(())
    },
};

scalars!(EMITTER, "EMIT", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut();
    dead_space, blast_radius, blast_length, branch_count, control_point_smoothing, x_grid, y_grid, spawn_type,
    two_sided, looped, render_order, frame_blending, flags);
text!(EMITTER_UPDATE, "EUPD", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut(), update);
text!(EMITTER_RENDER, "EREN", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut(), render);
text!(EMITTER_BLEND, "EBLE", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut(), blend);
text!(EMITTER_TEXTURE, "ETEX", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut(), texture);
text!(EMITTER_CHUNK, "ECHU", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut(), chunk);
text!(EMITTER_DEPTH, "EDEP", Node, n => n.emitter.as_deref(), n.emitter.as_deref_mut(), depth_texture);
scalars!(REFERENCE, "REFE", Node, n => n.reference.as_deref(), n.reference.as_deref_mut(); reattachable);
text!(REFERENCE_MODEL, "REFM", Node, n => n.reference.as_deref(), n.reference.as_deref_mut(), model);

scalars!(MODEL, "MODL", Model, m => Some(m), Some(m);
    classification, subclassification, unknown_0x52, fog, child_models, bounds, radius, animation_scale);
text!(MODEL_NAME, "MNAM", Model, m => Some(m), Some(m), name);
text!(SUPERMODEL, "SUPR", Model, m => Some(m), Some(m), supermodel);

/// The node where inherited animations begin.
pub(crate) static HEAD: Field<Model> = Field {
    tag: "HEAD",
    kind: Kind::Scalars,
    get: |m, out| out.push(m.head.map_or(0, |h| h + 1)),
    set: |m, mut words| {
        let head = next(&mut words)?;
        if head as usize > m.nodes.len() {
            return None;
        }
        m.head = head.checked_sub(1);
        Some(())
    },
};

/// The node count of the header beyond the nodes of the model.
pub(crate) static BEYOND: Field<Model> = Field {
    tag: "BEYO",
    kind: Kind::Whole,
    get: |m, out| out.push(m.node_count.wrapping_sub(m.nodes.len() as u32)),
    set: |m, mut words| {
        m.node_count = next(&mut words)?.wrapping_add(m.nodes.len() as u32);
        Some(())
    },
};

/// All names, and which one each node has.
pub(crate) static NAMES: Field<Model> = Field {
    tag: "NAMS",
    kind: Kind::Whole,
    get: |m, out| {
        out.push(m.names.len() as u32);
        m.names.iter().for_each(|n| put_bytes(&n.0, out));
        m.nodes.iter().for_each(|n| n.name.put(out));
    },
    set: |m, mut words| {
        let count = next(&mut words)?;
        let mut names = Vec::new();
        for _ in 0..count {
            names.push(Name(take_bytes(&mut words)?));
        }
        if words.len() != m.nodes.len() {
            return None;
        }
        m.names = names;
        for (node, name) in m.nodes.iter_mut().zip(words) {
            node.name = *name as u16;
        }
        Some(())
    },
};

/// The name of one node.
pub(crate) static NAME: Field<Name> = Field {
    tag: "NAME",
    kind: Kind::Whole,
    get: |n, out| put_bytes(&n.0, out),
    set: |n, mut words| {
        n.0 = take_bytes(&mut words)?;
        Some(())
    },
};

scalars!(ANIMATION, "ANIH", Animation, a => Some(a), Some(a); length, transition, node_count);
text!(ANIMATION_NAME, "ANAM", Animation, a => Some(a), Some(a), name);
text!(ANIMATION_ROOT, "AROO", Animation, a => Some(a), Some(a), root);

/// Events.
pub(crate) static EVENTS: Field<Animation> = Field {
    tag: "EVNT",
    kind: Kind::Whole,
    get: |a, out| {
        for event in &a.events {
            event.time.put(out);
            put_bytes(event.name.bytes(), out);
        }
    },
    set: |a, mut words| {
        let mut events = Vec::new();
        while !words.is_empty() {
            let time = Words::take(&mut words)?;
            events.push(Event { time, name: Text::new(&take_bytes(&mut words)?)? });
        }
        a.events = events;
        Some(())
    },
};
