//! Emitters: particles, ribbons and PopcornFX effects.

use galatea_wire::Text;

use crate::{Node, Tracks};

/// An emitter whose particles are models.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParticleEmitter {
    /// The node.
    pub node: Node,
    /// Particles per second.
    pub emission_rate: f32,
    /// Gravity.
    pub gravity: f32,
    /// Spread around the axis, in radians.
    pub longitude: f32,
    /// Spread from the axis, in radians.
    pub latitude: f32,
    /// The model or texture it emits.
    pub path: Text<260>,
    /// Seconds a particle lives.
    pub life_span: f32,
    /// Speed of new particles.
    pub speed: f32,
    /// `KPEE`, `KPEG`, `KPLN`, `KPLT`, `KPEL`, `KPES`, and `KPEV` or `KVIS`.
    pub tracks: Tracks,
}

/// An emitter whose particles are quads.
#[derive(Debug, Clone, PartialEq)]
pub struct ParticleEmitter2 {
    /// The node.
    pub node: Node,
    /// World of Warcraft: the stored size of the content, if it differs from the actual one.
    pub content_size: Option<u32>,
    /// World of Warcraft: 0 base, 1 plane, 2 sphere, 3 spline.
    pub emitter_type: u32,
    /// Speed of new particles.
    pub speed: f32,
    /// Relative variation of the speed.
    pub variation: f32,
    /// Spread from the axis, in degrees.
    pub latitude: f32,
    /// World of Warcraft: spread around the axis.
    pub longitude: f32,
    /// Gravity.
    pub gravity: f32,
    /// World of Warcraft: depth of the point that particles move away from.
    pub z_source: f32,
    /// Seconds a particle lives.
    pub life_span: f32,
    /// Particles per second.
    pub emission_rate: f32,
    /// First side of the emitting area.
    pub length: f32,
    /// Second side of the emitting area.
    pub width: f32,
    /// 0 blend, 1 additive, 2 modulate, 3 modulate 2x, 4 alpha key.
    pub filter_mode: u32,
    /// Rows of the texture.
    pub rows: u32,
    /// Columns of the texture.
    pub columns: u32,
    /// 0 head, 1 tail, 2 both.
    pub head_or_tail: u32,
    /// Length of the tail, in seconds of flight.
    pub tail_length: f32,
    /// Time of the middle segment, as a fraction of the particle's life.
    pub time: f32,
    /// Red, green, blue at the beginning, middle and end.
    pub segment_colors: [[f32; 3]; 3],
    /// Alpha at the beginning, middle and end.
    pub segment_alphas: [u8; 3],
    /// Size at the beginning, middle and end.
    pub segment_scalings: [f32; 3],
    /// First cell, last cell and repeats of the head in the first half of its life.
    pub head_life: [u32; 3],
    /// The same in the second half.
    pub head_decay: [u32; 3],
    /// The same of the tail in the first half.
    pub tail_life: [u32; 3],
    /// The same of the tail in the second half.
    pub tail_decay: [u32; 3],
    /// Index of the texture.
    pub texture_id: i32,
    /// 1: emits bursts when the rate changes instead of continuously.
    pub squirt: u32,
    /// Drawing order.
    pub priority_plane: i32,
    /// Replaceable id in place of the texture; 0 for none.
    pub replaceable_id: u32,
    /// Fields that only World of Warcraft has.
    pub wow: Option<Box<WowParticles>>,
    /// `KP2S`, `KP2R`, `KP2L`, `KP2G`, `KP2E`, `KP2N`, `KP2W`, `KP2V`; in World of Warcraft also `KPLN`, `KLIF`, `KP2Z`, and
    /// `KVIS` for `KP2V`.
    pub tracks: Tracks,
}

impl Default for ParticleEmitter2 {
    fn default() -> Self {
        ParticleEmitter2 {
            node: Node::default(),
            content_size: None,
            emitter_type: 1,
            speed: 0.0,
            variation: 0.0,
            latitude: 0.0,
            longitude: 0.0,
            gravity: 0.0,
            z_source: 0.0,
            life_span: 0.0,
            emission_rate: 0.0,
            length: 0.0,
            width: 0.0,
            filter_mode: 0,
            rows: 1,
            columns: 1,
            head_or_tail: 0,
            tail_length: 0.0,
            time: 0.5,
            segment_colors: [[1.0; 3]; 3],
            segment_alphas: [255; 3],
            segment_scalings: [1.0; 3],
            head_life: [0, 0, 1],
            head_decay: [0, 0, 1],
            tail_life: [0, 0, 1],
            tail_decay: [0, 0, 1],
            texture_id: 0,
            squirt: 0,
            priority_plane: 0,
            replaceable_id: 0,
            wow: None,
            tracks: Tracks::default(),
        }
    }
}

/// Fields of particle emitters that only World of Warcraft has.
#[derive(Debug, Clone, PartialEq)]
pub struct WowParticles {
    /// A model in place of quads.
    pub geometry_model: Text<260>,
    /// A model whose emitters are attached to every particle.
    pub recursion_model: Text<260>,
    /// Twinkles per second.
    pub twinkle_fps: f32,
    /// Whether particles twinkle.
    pub twinkle_on_off: f32,
    /// Smallest and largest size of the twinkle.
    pub twinkle_scale: [f32; 2],
    /// Share of the emitter's velocity that particles inherit.
    pub instant_velocity_scale: f32,
    /// Tumbling around x, y and z: minimum and maximum of each.
    pub tumble: [f32; 6],
    /// Drag.
    pub drag: f32,
    /// Spin.
    pub spin: f32,
    /// Wind.
    pub wind: [f32; 3],
    /// How long the wind blows, in seconds.
    pub wind_time: f32,
    /// Speed and scale of following, twice.
    pub follow: [[f32; 2]; 2],
    /// Points of the spline that particles start from.
    pub spline: Vec<[f32; 3]>,
}

impl Default for WowParticles {
    fn default() -> Self {
        WowParticles {
            geometry_model: Text::default(),
            recursion_model: Text::default(),
            twinkle_fps: 10.0,
            twinkle_on_off: 0.0,
            twinkle_scale: [1.0; 2],
            instant_velocity_scale: 0.0,
            tumble: [0.0; 6],
            drag: 0.0,
            spin: 0.0,
            wind: [0.0; 3],
            wind_time: 0.0,
            follow: [[0.0; 2]; 2],
            spline: Vec::new(),
        }
    }
}

/// An emitter that draws a ribbon behind itself.
#[derive(Debug, Clone, PartialEq)]
pub struct RibbonEmitter {
    /// The node.
    pub node: Node,
    /// World of Warcraft: the stored size of the content, if it differs from the actual one.
    pub content_size: Option<u32>,
    /// Height above the pivot.
    pub height_above: f32,
    /// Height below the pivot.
    pub height_below: f32,
    /// Alpha.
    pub alpha: f32,
    /// Red, green, blue.
    pub color: [f32; 3],
    /// Seconds an edge lives.
    pub life_span: f32,
    /// Cell of the texture.
    pub texture_slot: u32,
    /// Edges per second.
    pub emission_rate: u32,
    /// Rows of the texture.
    pub rows: u32,
    /// Columns of the texture.
    pub columns: u32,
    /// Index of the material.
    pub material_id: u32,
    /// Gravity.
    pub gravity: f32,
    /// `KRHA`, `KRHB`, `KRAL`, `KRCO`, `KRTX`, and `KRVS` or `KVIS`.
    pub tracks: Tracks,
}

impl Default for RibbonEmitter {
    fn default() -> Self {
        RibbonEmitter {
            node: Node::default(),
            content_size: None,
            height_above: 0.0,
            height_below: 0.0,
            alpha: 1.0,
            color: [1.0; 3],
            life_span: 0.0,
            texture_slot: 0,
            emission_rate: 0,
            rows: 1,
            columns: 1,
            material_id: 0,
            gravity: 0.0,
            tracks: Tracks::default(),
        }
    }
}

/// An emitter that plays a PopcornFX effect.
#[derive(Debug, Clone, PartialEq)]
pub struct PopcornEmitter {
    /// The node.
    pub node: Node,
    /// Factor on the life span.
    pub life_span: f32,
    /// Factor on the emission rate.
    pub emission_rate: f32,
    /// Factor on the speed.
    pub speed: f32,
    /// Factor on the colour.
    pub color: [f32; 3],
    /// Factor on alpha.
    pub alpha: f32,
    /// Replaceable id, for the team colour.
    pub replaceable_id: u32,
    /// The effect (`.pkfx`, `.pkb`).
    pub path: Text<260>,
    /// The sequences in which it is on, as `Name=on` separated by commas.
    pub visibility_guide: Text<260>,
    /// `KPPA`, `KPPC`, `KPPE`, `KPPL`, `KPPS`, `KPPV`.
    pub tracks: Tracks,
}

impl Default for PopcornEmitter {
    fn default() -> Self {
        PopcornEmitter {
            node: Node::default(),
            life_span: 1.0,
            emission_rate: 1.0,
            speed: 1.0,
            color: [1.0; 3],
            alpha: 1.0,
            replaceable_id: 0,
            path: Text::default(),
            visibility_guide: Text::default(),
            tracks: Tracks::default(),
        }
    }
}
