//! The table of rules for walkmeshes. [`check`](mod@super::check) applies them.

use galatea_wire::{Rule, rules};

rules! {
    /// All rules, in the order of their codes.
    pub static RULES;
    INDEX "KBWM0001" Error keep "a face uses a vertex that does not exist"
        "The game reads past the vertex table and crashes, or the floor is deformed. Use existing vertices or remove the face.";
    DEGENERATE "KBWM0002" Warning keep "a face has no area"
        "Such a face has no plane, and characters get stuck on it. A corner may be wrong: correct it, or remove the face.";
    NOT_FINITE "KBWM0003" Error keep "a coordinate is NaN or infinite"
        "Anything that touches it disappears in the game. Set the vertex, hook or position to finite values.";
    DUPLICATE_VERTEX "KBWM0004" Info keep "two vertices have the same position"
        "Faces that use different copies are not neighbours, so characters stop at the seam. Unless that is intended, weld the vertices.";
    UNUSED_VERTEX "KBWM0005" Info keep "a vertex is not used by any face"
        "Harmless, or a sign that a face has a wrong corner.";
    ORDER "KBWM0006" Error keep "a walkable face follows one that is not walkable"
        "The game expects walkable faces first and assigns neighbours to the wrong faces. Correct the material, or run `galatea walk rebuild` to reorder the faces.";
    ADJACENCY_COUNT "KBWM0007" Error keep "the number of adjacency entries is not the number of walkable faces"
        "There must be one entry per walkable face. Correct the materials, or run `galatea walk rebuild` to derive the neighbours again.";
    ADJACENCY_RANGE "KBWM0008" Error fix "a neighbour does not exist"
        "Path finding reads past the table. `--fix` derives the neighbour where the face across the edge or the border confirms it.";
    ADJACENCY_ONE_WAY "KBWM0009" Error fix "a face is not its neighbour's neighbour"
        "Characters can walk there but not back. `--fix` derives the neighbour where the other face confirms it.";
    ADJACENCY_APART "KBWM0010" Error fix "neighbours do not share an edge"
        "Characters jump between two places. `--fix` derives the neighbour unless both faces name each other, because then a corner may be wrong.";
    ADJACENCY_MISSING "KBWM0011" Warning fix "two walkable faces share an edge but are not neighbours"
        "The edge is an invisible wall. `--fix` derives the neighbour where the other face already names this one; `galatea walk rebuild` derives all neighbours.";
    EDGE_RANGE "KBWM0012" Error fix "a border edge does not exist"
        "The edge belongs to a face that does not exist or is not walkable. `--fix` replaces it if exactly one edge is missing and fits at this place in the loop.";
    EDGE_TWICE "KBWM0013" Error fix "a border edge is listed twice"
        "The border crosses itself. `--fix` replaces the duplicate if exactly one edge is missing and fits at this place in the loop.";
    EDGE_MISSING "KBWM0014" Error fix "an edge without a neighbour is missing from the border"
        "Characters walk off the floor there. `--fix` replaces the one wrong entry of the border, or derives a border that is missing altogether; otherwise run `galatea walk rebuild`.";
    EDGE_INNER "KBWM0015" Error fix "an edge between two walkable faces is listed as border"
        "It is a wall in the middle of the floor. `--fix` replaces it if exactly one edge is missing and fits at this place in the loop.";
    TRANSITION_INNER "KBWM0016" Error keep "a transition is on an inner edge"
        "Characters leave a room only through border edges, so the game ignores this transition. Move it to the border edge of the doorway.";
    PERIMETER_ORDER "KBWM0017" Error fix "border loops overlap or run past the edges"
        "Each loop must end after the previous one and within the edge table. `--fix` derives the end if exactly one value closes all loops.";
    PERIMETER_END "KBWM0018" Error fix "border edges belong to no loop"
        "The last loop must end with the last edge. Some tools omit the loops. `--fix` derives the last end, or all of them if there are none.";
    PERIMETER_OPEN "KBWM0019" Error fix "a border loop is not closed"
        "Each edge must begin where the previous one ended, and the last must end where the first began. `--fix` derives the end of a loop if exactly one value closes all loops.";
    DOWNWARD "KBWM0020" Warning keep "a walkable face points down"
        "Its corners are clockwise seen from above, so the game treats it as a ceiling. Flip the face.";
    NORMAL "KBWM0021" Warning fix "a stored normal does not match the face"
        "Characters stand tilted or fall through. `--fix` derives the normal if the plane distance matches the face. If both are wrong, a corner may be the cause.";
    DISTANCE "KBWM0022" Warning fix "a stored plane distance does not match the face"
        "Heights are wrong on this face. `--fix` derives the distance if the normal matches the face. If both are wrong, a corner may be the cause.";
    TABLE_ABSENT "KBWM0023" Error fix "a per-face table is missing or has the wrong length"
        "Every face needs a material, a normal and a plane distance. `--fix` derives normals and distances; materials must be assigned.";
    MATERIAL "KBWM0024" Warning keep "the game does not know a material"
        "Known materials are 0 to 22 and 30. Others are not walkable and have no footstep sound.";
    TREE_ABSENT "KBWM0025" Error fix "an area has no box tree"
        "Nothing can be clicked, and projectiles pass through. `--fix` builds the tree unless the file has unused bytes, which may be the tree.";
    TREE_CHILD "KBWM0026" Error fix "a child in the box tree does not exist"
        "The game follows an invalid pointer. `--fix` links the unreachable part of the tree if there is exactly one and it fits into the box; otherwise run `galatea walk rebuild`.";
    TREE_CYCLE "KBWM0027" Error fix "the box tree has a cycle or a shared node"
        "The game hangs. `--fix` links the unreachable part of the tree if there is exactly one and it fits into the box; otherwise run `galatea walk rebuild`.";
    TREE_FACE "KBWM0028" Error fix "a leaf of the box tree has a face that does not exist"
        "The game reads past the face table. `--fix` assigns the face that has no leaf if there is exactly one.";
    TREE_COVER "KBWM0029" Error fix "a box does not contain its faces"
        "Clicks and rays miss these faces. `--fix` derives the sides of the box if its parent and children are correct.";
    TREE_LEAVES "KBWM0030" Error fix "a face has no leaf in the box tree, or several"
        "Faces without a leaf cannot be hit. `--fix` assigns the face to the leaf whose box contains it if exactly one is missing; otherwise run `galatea walk rebuild`.";
    TREE_PLANE "KBWM0031" Warning fix "unknown plane code in the box tree"
        "Codes are 1, 2, 4, 8, 16 and 32, and 0 for leaves; some tools write 3 for Z. `--fix` uses the axis that separates the children.";
    TREE_DEEP "KBWM0032" Warning keep "the box tree is too deep"
        "The game traverses it recursively; more than 64 levels may overflow its stack. `galatea walk rebuild` builds a shallow tree.";
    TREE_UNREACHED "KBWM0033" Warning fix "nodes of the box tree cannot be reached from the root"
        "Unused data, or a sign of a broken link. `--fix` links them if exactly one link is broken and they fit into its box.";
    OBJECT_TABLES "KBWM0034" Warning keep "a placeable or door has tables that only areas use"
        "PWK and DWK files have no tree, neighbours or border. If the file is an area, correct its kind; otherwise run `galatea walk rebuild` to remove the tables.";
    NOTHING_WALKABLE "KBWM0035" Warning keep "an area has no walkable face"
        "The room cannot be entered. Assign a walkable material to its floor.";
    KIND "KBWM0036" Error keep "unknown kind of walkmesh"
        "0 is a placeable or a door, 1 is an area.";
    GAP "KBWM0037" Info keep "bytes belong to no table"
        "They are kept. The tool that wrote the file left them there.";
    OVERLAP "KBWM0038" Warning keep "tables share bytes"
        "A change of one table changes the other. `galatea walk rebuild` writes the tables separately.";
    NON_MANIFOLD "KBWM0039" Warning keep "more than two walkable faces share an edge"
        "Only two of them can be neighbours; for the others the edge is an invisible wall. Remove the extra face.";
    FACE_TWICE "KBWM0040" Warning keep "two faces have the same corners"
        "They coincide, and one of them takes the neighbours of the other. Remove one.";
    UNKNOWN_FIELD "KBWM0041" Info keep "a field of unknown meaning has an unusual value"
        "Every known file has 0 at 0x6C and 4 in each box. The value is kept.";
}

/// The rules of the box tree.
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
