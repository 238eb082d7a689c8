//! The rules of a sound walkmesh, as a table. [`check`](super::check) holds walkmeshes against them.

use galatea_wire::{Rule, rules};

rules! {
    /// Everything that is checked, in the order of the codes.
    pub static RULES;
    INDEX "KBWM0001" Error keep "a face uses a vertex that does not exist"
        "The game reads past the vertices and crashes or bends the floor. Point the face at existing vertices or remove it.";
    DEGENERATE "KBWM0002" Warning keep "a face has no area"
        "Such a face has no plane: characters that touch it get stuck. A corner may be wrong: correct it, or remove the face.";
    NOT_FINITE "KBWM0003" Error keep "a coordinate is NaN or infinite"
        "Everything that touches it is lost in the game. Give the vertex, hook or position a real place.";
    DUPLICATE_VERTEX "KBWM0004" Info keep "two vertices are at the same place"
        "Faces that use different copies are not neighbours, so characters stop at the seam. If that is not wanted, weld the vertices.";
    UNUSED_VERTEX "KBWM0005" Info keep "a vertex belongs to no face"
        "Harmless ballast, or a sign that a face has a wrong corner.";
    ORDER "KBWM0006" Error keep "a walkable face follows one that is not walkable"
        "The game takes the first faces for the walkable ones and gives neighbours to the wrong faces. Correct the material, or let `galatea walk rebuild` put walkable faces first.";
    ADJACENCY_COUNT "KBWM0007" Error keep "the neighbours do not match the walkable faces in number"
        "There must be one entry per walkable face. Correct the materials, or let `galatea walk rebuild` derive the neighbours again.";
    ADJACENCY_RANGE "KBWM0008" Error fix "a neighbour does not exist"
        "Path finding reads past the table. `--fix` derives the neighbour where the face across the edge or the border confirms it.";
    ADJACENCY_ONE_WAY "KBWM0009" Error fix "a face is not its neighbour's neighbour"
        "Characters can walk there but not back. `--fix` derives the neighbour where the other face confirms it.";
    ADJACENCY_APART "KBWM0010" Error fix "neighbours that do not share an edge"
        "Characters jump between two places of the floor. `--fix` derives the neighbour unless both faces name each other: then a corner may be wrong.";
    ADJACENCY_MISSING "KBWM0011" Warning fix "two walkable faces share an edge but are not neighbours"
        "An invisible wall. `--fix` derives the neighbour where the other face already names this one; `galatea walk rebuild` derives all.";
    EDGE_RANGE "KBWM0012" Error fix "a border edge does not exist"
        "The edge names a face that is not there or not walkable. `--fix` puts the missing edge there if exactly one is missing and it fits between its neighbours in the loop.";
    EDGE_TWICE "KBWM0013" Error fix "a border edge is listed twice"
        "The border crosses itself. `--fix` puts the missing edge there if exactly one is missing and it fits.";
    EDGE_MISSING "KBWM0014" Error fix "an edge without a neighbour is missing from the border"
        "Characters walk off the floor there. `--fix` puts the edge into the one wrong entry of the border, or derives a border that is not there at all; otherwise use `galatea walk rebuild`.";
    EDGE_INNER "KBWM0015" Error fix "an edge between two walkable faces is listed as border"
        "A wall in the middle of the floor. `--fix` puts the missing edge there if exactly one is missing and it fits.";
    TRANSITION_INNER "KBWM0016" Error keep "a transition lies on an inner edge"
        "Rooms are left through border edges only; the game never sees this transition. Move it to the border edge of the doorway.";
    PERIMETER_ORDER "KBWM0017" Error fix "the border loops do not follow each other"
        "Each loop must end after the one before and within the edges. `--fix` derives the end if one value only closes all loops.";
    PERIMETER_END "KBWM0018" Error fix "border edges belong to no loop"
        "The last loop must end with the last edge. Some tools leave the loops out. `--fix` derives the last end, or all of them if there are none.";
    PERIMETER_OPEN "KBWM0019" Error fix "a border loop is not closed"
        "Each edge must begin where the one before ended, and the last must end where the first began. `--fix` derives the end of a loop if one value only closes all loops.";
    DOWNWARD "KBWM0020" Warning keep "a walkable face looks down"
        "Its corners run clockwise seen from above: the game takes it for a ceiling. Turn the face over.";
    NORMAL "KBWM0021" Warning fix "a stored normal is not that of the face"
        "Characters stand askew or fall through. `--fix` derives the normal if the plane distance is that of the face; if both are wrong, a corner may be.";
    DISTANCE "KBWM0022" Warning fix "a stored plane distance is not that of the face"
        "Heights are wrong on this face. `--fix` derives the distance if the normal is that of the face; if both are wrong, a corner may be.";
    TABLE_ABSENT "KBWM0023" Error fix "a table of the faces is missing"
        "Every face needs a material, a normal and a distance. `--fix` derives normals and distances; materials have to be given.";
    MATERIAL "KBWM0024" Warning keep "a material the game does not know"
        "Known materials are 0 to 22 and 30; others are not walkable and have no footstep sound.";
    TREE_ABSENT "KBWM0025" Error fix "an area without a box tree"
        "Nothing can be clicked and nothing stops a projectile. `--fix` builds the tree unless bytes of the file belong to no table: they may be it.";
    TREE_CHILD "KBWM0026" Error fix "a child of the box tree does not exist"
        "The game follows a wild pointer. `--fix` links the part of the tree that is not reached if there is exactly one and it fits into the box; otherwise use `galatea walk rebuild`.";
    TREE_CYCLE "KBWM0027" Error fix "the box tree runs in a circle or shares a node"
        "The game hangs. `--fix` links the part of the tree that is not reached if there is exactly one and it fits into the box; otherwise use `galatea walk rebuild`.";
    TREE_FACE "KBWM0028" Error fix "a leaf of the box tree names a face that does not exist"
        "The game reads past the faces. `--fix` gives the leaf the face that has none if there is exactly one.";
    TREE_COVER "KBWM0029" Error fix "a box does not cover its faces"
        "Clicks and rays miss these faces. `--fix` derives the sides of the box if the boxes above and below it are right.";
    TREE_LEAVES "KBWM0030" Error fix "the leaves of the box tree are not the faces, each once"
        "Faces without a leaf cannot be hit. `--fix` gives the face to the leaf whose box holds it if exactly one is missing; otherwise use `galatea walk rebuild`.";
    TREE_PLANE "KBWM0031" Warning fix "an unknown plane code in the box tree"
        "Codes are 1, 2, 4, 8, 16 and 32, and 0 for leaves; some tools write 3 for Z. `--fix` takes the axis along which the children are apart.";
    TREE_DEEP "KBWM0032" Warning keep "the box tree is deeper than it need be"
        "The game walks it recursively; more than 64 levels may overflow its stack. `galatea walk rebuild` builds a shallow one.";
    TREE_UNREACHED "KBWM0033" Warning fix "nodes of the box tree that the root does not lead to"
        "Dead weight, or a sign that a link is broken. `--fix` links them if exactly one link is broken and they fit into its box.";
    OBJECT_TABLES "KBWM0034" Warning keep "a placeable or door with tables that only areas have"
        "PWK and DWK files have no tree, neighbours or border. If the file is an area, correct its kind; if not, let `galatea walk rebuild` drop the tables.";
    NOTHING_WALKABLE "KBWM0035" Warning keep "an area where nothing is walkable"
        "The room cannot be entered. Give its floor a walkable material.";
    KIND "KBWM0036" Error keep "an unknown kind of walkmesh"
        "0 is a placeable or door, 1 is an area.";
    GAP "KBWM0037" Info keep "bytes that belong to no table"
        "They are kept as they are. Some tool put them there.";
    OVERLAP "KBWM0038" Warning keep "tables share bytes"
        "Changing one table changes the other. `galatea walk rebuild` lays the file out anew.";
    NON_MANIFOLD "KBWM0039" Warning keep "more than two walkable faces share an edge"
        "Only two of them can be neighbours; the third ends in an invisible wall. Take the extra face away.";
    FACE_TWICE "KBWM0040" Warning keep "two faces have the same corners"
        "They lie in each other, and one of them steals the neighbours of the other. Remove one.";
    UNKNOWN_FIELD "KBWM0041" Info keep "a field without known meaning has an unusual value"
        "Every known file has 0 at 0x6C and 4 in each box. Kept as it is.";
}

/// The rules about the box tree.
pub(super) static TREE: &[&Rule] = &[
    &TREE_ABSENT,
    &TREE_CHILD,
    &TREE_CYCLE,
    &TREE_FACE,
    &TREE_COVER,
    &TREE_LEAVES,
    &TREE_PLANE,
    &TREE_DEEP,
    &TREE_UNREACHED,
];
