//! Lists of fields that are stored in extras, written once for both directions.
//!
//! Each macro completes a call of `put_fields!` or `read_fields!`: `buffer_fields!(read_fields!(map, buffer))`.

/// Fields of [`ParticleEmitter2`](crate::ParticleEmitter2) that the scene does not define.
macro_rules! particle_fields {
    ($each:ident!($($head:expr),*)) => {
        $each!(
            $($head,)*
            emitter_type,
            variation,
            longitude,
            z_source,
            filter_mode,
            head_or_tail,
            tail_length,
            time,
            head_life,
            head_decay,
            tail_life,
            tail_decay,
            texture_id,
            squirt,
            priority_plane,
            replaceable_id,
        )
    };
}

/// Fields of [`WowParticles`](crate::WowParticles), except the spline.
macro_rules! wow_particle_fields {
    ($each:ident!($($head:expr),*)) => {
        $each!(
            $($head,)*
            geometry_model,
            recursion_model,
            twinkle_fps,
            twinkle_on_off,
            twinkle_scale,
            instant_velocity_scale,
            tumble,
            drag,
            spin,
            wind,
            wind_time,
            follow,
        )
    };
}

/// Fields of [`VertexBuffer`](crate::VertexBuffer) that extras can hold as they are.
macro_rules! buffer_fields {
    ($each:ident!($($head:expr),*)) => {
        $each!(
            $($head,)*
            center,
            index,
            type_count,
            primitive_type,
            unknown_0x4,
            min_vertex,
            max_vertex,
            unused_0xe,
        )
    };
}

pub(super) use {buffer_fields, particle_fields, wow_particle_fields};
