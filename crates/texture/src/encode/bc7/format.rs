//! How a block of BC7 is laid out: its modes, how they divide the pixels, and the order of the bits.

/// The lowest bit of an end, shared by its channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lowest {
    None,
    /// One for both ends.
    Shared,
    Each,
}

/// How the ends and indices of a subset are stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) bits: u32,
    pub(super) lowest: Lowest,
    pub(super) index_bits: u32,
}

impl Shape {
    const fn new(bits: u32, lowest: Lowest, index_bits: u32) -> Self {
        Shape { bits, lowest, index_bits }
    }

    pub(super) fn weights(self) -> &'static [i32] {
        match self.index_bits {
            2 => &[0, 21, 43, 64],
            3 => &[0, 9, 18, 27, 37, 46, 55, 64],
            _ => &[0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
        }
    }

    pub(super) fn lowest_bits(self) -> &'static [[i32; 2]] {
        match self.lowest {
            Lowest::None => &[[0, 0]],
            Lowest::Shared => &[[0, 0], [1, 1]],
            Lowest::Each => &[[0, 0], [1, 1], [0, 1], [1, 0]],
        }
    }

    /// Returns a stored value as eight bits.
    fn wide(self, stored: i32, lowest: i32) -> i32 {
        let (value, bits) = match self.lowest {
            Lowest::None => (stored, self.bits),
            _ => (stored << 1 | lowest, self.bits + 1),
        };
        value << (8 - bits) | value >> (2 * bits - 8)
    }

    /// Returns the stored value nearest to one of eight bits.
    pub(super) fn narrow(self, value: f32, lowest: i32) -> i32 {
        let most = (1 << self.bits) - 1;
        let scaled = match self.lowest {
            Lowest::None => value * most as f32 / 255.0,
            _ => (value * (2 * most + 1) as f32 / 255.0 - lowest as f32) / 2.0,
        };
        ((scaled + 0.5) as i32).clamp(0, most)
    }

    pub(super) fn steps(self, ends: [i32; 2], lowest: [i32; 2]) -> [f32; 16] {
        let [a, b] = [self.wide(ends[0], lowest[0]), self.wide(ends[1], lowest[1])];
        let mut out = [0.0; 16];
        for (out, weight) in out.iter_mut().zip(self.weights()) {
            *out = ((a * (64 - weight) + b * weight + 32) >> 6) as f32;
        }
        out
    }
}

pub(super) struct Mode {
    pub(super) number: u32,
    pub(super) subsets: usize,
    pub(super) partition_bits: u32,
    /// Red, green, blue, and alpha unless it has indices of its own.
    pub(super) colour: Shape,
    /// Alpha with its own indices.
    pub(super) alone: Option<Shape>,
    /// Whether the colour holds alpha.
    pub(super) alpha: bool,
}

pub(super) const MODES: [Mode; 8] = {
    const fn divided(number: u32, subsets: usize, partition_bits: u32, colour: Shape, alpha: bool) -> Mode {
        Mode { number, subsets, partition_bits, colour, alone: None, alpha }
    }
    const fn split(number: u32, colour: Shape, alone: Shape) -> Mode {
        Mode { number, subsets: 1, partition_bits: 0, colour, alone: Some(alone), alpha: false }
    }
    [
        divided(0, 3, 4, Shape::new(4, Lowest::Each, 3), false),
        divided(1, 2, 6, Shape::new(6, Lowest::Shared, 3), false),
        divided(2, 3, 6, Shape::new(5, Lowest::None, 2), false),
        divided(3, 2, 6, Shape::new(7, Lowest::Each, 2), false),
        split(4, Shape::new(5, Lowest::None, 2), Shape::new(6, Lowest::None, 3)),
        split(5, Shape::new(7, Lowest::None, 2), Shape::new(8, Lowest::None, 2)),
        divided(6, 1, 0, Shape::new(7, Lowest::Each, 4), true),
        divided(7, 2, 6, Shape::new(5, Lowest::Each, 2), true),
    ]
};

/// The channels that share their indices, and the one that has its own, by rotation.
pub(super) const ROTATIONS: [([usize; 3], usize); 4] =
    [([0, 1, 2], 3), ([3, 1, 2], 0), ([0, 3, 2], 1), ([0, 1, 3], 2)];

/// Returns the pixels of each subset, and its anchor: the pixel whose index is stored without its highest bit.
pub(super) fn divide(subsets: usize, partition: usize) -> [(u16, u32); 3] {
    let at = |masks: &[u16; 64], anchors: &[u32; 64]| {
        (masks.get(partition).copied().unwrap_or(0), anchors.get(partition).copied().unwrap_or(0))
    };
    let (second, third) = match subsets {
        1 => ((0, 0), (0, 0)),
        2 => (at(&HALVES, &HALVES_ANCHOR), (0, 0)),
        _ => (at(&THIRDS_B, &THIRDS_B_ANCHOR), at(&THIRDS_C, &THIRDS_C_ANCHOR)),
    };
    [(!(second.0 | third.0), 0), second, third]
}

/// Bits, the lowest first.
#[derive(Default)]
pub(super) struct Bits {
    pub(super) value: u128,
    len: u32,
}

impl Bits {
    pub(super) fn put(&mut self, value: u32, bits: u32) {
        self.value |= u128::from(value) << self.len;
        self.len += bits;
    }
}

/// Which pixels belong to the second of two subsets, and its anchor.
const HALVES: [u16; 64] = [
    0xCCCC, 0x8888, 0xEEEE, 0xECC8, 0xC880, 0xFEEC, 0xFEC8, 0xEC80, 0xC800, 0xFFEC, 0xFE80, 0xE800, 0xFFE8,
    0xFF00, 0xFFF0, 0xF000, 0xF710, 0x008E, 0x7100, 0x08CE, 0x008C, 0x7310, 0x3100, 0x8CCE, 0x088C, 0x3110,
    0x6666, 0x366C, 0x17E8, 0x0FF0, 0x718E, 0x399C, 0xAAAA, 0xF0F0, 0x5A5A, 0x33CC, 0x3C3C, 0x55AA, 0x9696,
    0xA55A, 0x73CE, 0x13C8, 0x324C, 0x3BDC, 0x6996, 0xC33C, 0x9966, 0x0660, 0x0272, 0x04E4, 0x4E40, 0x2720,
    0xC936, 0x936C, 0x39C6, 0x639C, 0x9336, 0x9CC6, 0x817E, 0xE718, 0xCCF0, 0x0FCC, 0x7744, 0xEE22,
];
const HALVES_ANCHOR: [u32; 64] = [
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8,
    8, 2, 2, 15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15,
    15, 2, 2, 15,
];
/// Which pixels belong to the second and third of three subsets, and their anchors.
const THIRDS_B: [u16; 64] = [
    0x08CC, 0x8CC8, 0xCC80, 0xEC00, 0x3300, 0x00CC, 0xFF00, 0xCCCC, 0x0F00, 0x0FF0, 0x00F0, 0x4444, 0x6666,
    0x2222, 0x136C, 0x008C, 0x36C8, 0x08CE, 0x3330, 0xF000, 0x00EE, 0x8888, 0x22C0, 0x4430, 0x0C22, 0x0344,
    0x6996, 0x9960, 0x0330, 0x0066, 0xC22C, 0x8C00, 0x1300, 0xC400, 0x004C, 0x2222, 0x00F0, 0x2492, 0x2942,
    0xC30C, 0xC03C, 0x00AA, 0xAA00, 0x3030, 0xC0C0, 0x9090, 0xA00A, 0xAAA0, 0x0AAA, 0xE0E0, 0x7070, 0x6660,
    0x0EE0, 0x0770, 0x0666, 0x6600, 0x0066, 0x0CC0, 0x0330, 0x6000, 0x8080, 0x1010, 0x000A, 0x08CE,
];
const THIRDS_B_ANCHOR: [u32; 64] = [
    3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15,
    8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12,
    3, 3,
];
const THIRDS_C: [u16; 64] = [
    0xF600, 0x7300, 0x3310, 0x00CE, 0xCC00, 0xCC00, 0x00CC, 0x3300, 0xF000, 0xF000, 0xFF00, 0x8888, 0x8888,
    0xCCCC, 0xEC80, 0x7310, 0xC800, 0x3100, 0xCCC0, 0x0CCC, 0xEE00, 0x7700, 0xCC00, 0x3300, 0x00CC, 0xFC88,
    0x0660, 0x6600, 0xC88C, 0xF900, 0x0CC0, 0x7310, 0xEC80, 0x08CE, 0xEC80, 0x4444, 0x0F00, 0x4924, 0x4294,
    0x0C30, 0x03C0, 0xFF00, 0x5500, 0xCCCC, 0x0C0C, 0x6666, 0x0FF0, 0x5550, 0xF000, 0x0E0E, 0x8888, 0x9990,
    0xE00E, 0x8888, 0xF000, 0x9900, 0xFF00, 0xC00C, 0xCCCC, 0x9000, 0x0808, 0xEEEE, 0xFFF0, 0x7310,
];
const THIRDS_C_ANCHOR: [u32; 64] = [
    15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15,
    15, 10, 8, 15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3, 15, 15, 15, 15, 15, 15, 15, 15,
    15, 15, 3, 15, 15, 8,
];
