//! The rules of a sound model, as a table. [`check`](super::check) holds models against them.

use galatea_wire::rules;

rules! {
    /// Everything that is checked, in the order of the codes.
    pub static RULES;
    NO_ROOT "KMDL0001" Error keep "the model has no root node"
        "The game cannot place the model and crashes. Give it at least a root node with the model's name.";
    ROOT_NAME "KMDL0002" Info keep "the root node is not named like the model"
        "Works, but animations and some tools look for the root by the model's name.";
    NAME_INDEX "KMDL0003" Error keep "a node has a name that does not exist"
        "The name index lies outside the list of names; the game reads past it. Give the node an existing name.";
    NAME_LONG "KMDL0004" Error keep "a node name is longer than 31 letters"
        "The game has room for 31 letters and a NUL. Shorten the name.";
    NAME_DOUBLE "KMDL0005" Warning keep "several nodes that move have the same name and number"
        "An animation reaches only the first of them. Rename the others, or give them numbers of their own.";
    NUMBER_DOUBLE "KMDL0006" Info keep "several nodes have the same number"
        "Animations find nodes by number, so they may move the wrong one. Number the nodes again.";
    NUMBER_WILD "KMDL0007" Warning keep "a node number lies beyond the node count"
        "The game keeps a table as long as the node count; such a node cannot be animated. Number the nodes again, with the supermodel at hand if there is one.";
    NODE_COUNT "KMDL0008" Warning fix "the header counts other nodes than there are"
        "Without a supermodel the count is that of the nodes. `--fix` sets it, unless bytes of the file belong to nothing: nodes may be missing.";
    CLASSIFICATION "KMDL0009" Warning keep "the classification is none the game knows"
        "Known are 0 other, 1 effect, 2 tile, 4 character, 8 door, 16 lightsaber, 32 placeable and 64 flyer.";
    SUPERMODEL_SELF "KMDL0010" Error keep "the model is its own supermodel"
        "The game loads it again and again until it crashes. Name another supermodel, or NULL.";
    HEAD "KMDL0011" Warning fix "the animation root leads to no node"
        "The header's second root must be the root node, or `neck_g` in heads. `--fix` sets it to the root.";
    NODE_PARTS "KMDL0012" Warning keep "a node has parts that do not go together"
        "No known model has such a node (for example a light that is also a mesh); the game may read it wrongly.";
    NODE_NOT_FINITE "KMDL0013" Error keep "a node's place is NaN or infinite"
        "The node and all its children vanish. Give it a real position and orientation.";
    ORIENTATION "KMDL0014" Warning fix "a node's orientation is not of length 1"
        "The node is drawn skewed or shrunk. `--fix` takes the orientation of the node's controller if most of it is the same, else makes the length 1.";
    TEXTURE_LONG "KMDL0015" Error keep "a texture name is longer than 16 letters"
        "Resource names have 16 letters; the game does not find the texture and draws white. Rename the texture.";
    UV_MISSING "KMDL0016" Error keep "a drawn mesh has a texture but no texture coordinates"
        "The texture is smeared from a single point. Unwrap the mesh.";
    LIGHTMAP_UV "KMDL0017" Error keep "a lightmapped mesh has no lightmap coordinates"
        "The room is lit by garbage, usually black or flickering. Add the second set of texture coordinates, or switch lightmapping off.";
    LIGHTMAP_NAME "KMDL0018" Warning keep "a lightmapped mesh names no lightmap"
        "The mesh stays unlit. Name the lightmap, or switch lightmapping off.";
    TEXTURE_COUNT "KMDL0019" Warning fix "the number of textures is not that of the sets of texture coordinates"
        "The game sets up as many textures as the header says. `--fix` counts them, unless bytes of the rows belong to no column: they may be another set.";
    NORMALS_MISSING "KMDL0020" Warning keep "a drawn mesh has no normals"
        "It is lit as if it were flat or not at all. Derive normals.";
    FACE_VERTEX "KMDL0021" Error keep "a face uses a vertex that does not exist"
        "The game reads past the vertices: spikes, or a crash. Point the face at existing vertices or remove it.";
    FACE_DEGENERATE "KMDL0022" Info keep "a face has no area"
        "Nothing to see, but walkable meshes catch on it. Remove the face.";
    VERTEX_NOT_FINITE "KMDL0023" Error keep "a vertex holds NaN or infinite numbers"
        "Faces that use it vanish or cover the screen. Give the vertex real values.";
    VERTEX_UNUSED "KMDL0024" Info keep "vertices belong to no face"
        "Harmless ballast.";
    FACE_NORMAL "KMDL0025" Warning fix "a stored face normal is not that of the face"
        "Shadows and walking use it. `--fix` derives the normal if the plane distance is that of the face; if both are wrong, a corner may be.";
    PLANE_DISTANCE "KMDL0026" Warning fix "a stored plane distance is not that of the face"
        "Shadows and walking use it. `--fix` derives it if the normal is that of the face; if both are wrong, a corner may be.";
    INSIDE_OUT "KMDL0027" Warning keep "most vertex normals point away from their faces"
        "The mesh is lit from inside. Turn the faces over, or derive the normals again.";
    ADJACENCY "KMDL0028" Error fix "a neighbour of a face does not exist"
        "The game reads past the faces when it builds shadows. `--fix` finds this neighbour again.";
    OPEN_EDGE "KMDL0029" Info keep "a mesh that casts a shadow has open edges"
        "Shadows of meshes with holes leak or flicker. Close the mesh, or let a simpler closed one cast the shadow.";
    INDEX_LIST "KMDL0030" Error fix "an index list names vertices that do not exist"
        "The index lists are what is drawn; the game reads past the vertices. `--fix` takes the corner of the face if its plane is right.";
    INDEX_FACES "KMDL0031" Warning fix "the index list is not that of the faces"
        "Drawn and solid shape differ. `--fix` takes, index by index, what the plane of the face or the area of the mesh supports; lists of another length are left alone.";
    VERTICES_MISSING "KMDL0032" Error keep "a mesh has faces but no vertices"
        "The vertices were expected in the MDX. Put the right MDX beside the MDL.";
    MDX_MISSING "KMDL0033" Error keep "the MDX is missing"
        "Normals and texture coordinates are in the MDX; without it the game shows nothing. Put it beside the MDL under the same name.";
    POSITION_COPY "KMDL0034" Warning fix "the vertex positions in MDL and MDX differ"
        "What is drawn and what is hit differ. `--fix` takes, vertex by vertex, the position that lies in the planes of its faces.";
    BOUNDS "KMDL0035" Warning fix "the box of a mesh does not hold its vertices"
        "The mesh disappears at the border of the screen. `--fix` derives the wrong sides if mean point, radius or area confirm the vertices.";
    RADIUS "KMDL0036" Warning fix "the radius of a mesh is too small"
        "The mesh disappears at the border of the screen. `--fix` derives the radius, or the mean point where that is what is wrong, if box or area confirm the vertices.";
    AREA "KMDL0037" Info fix "the area of a mesh is not that of its faces"
        "Only effects that cover a surface use it. `--fix` adds the faces up if planes, box and radius confirm them.";
    ROW_COLUMNS "KMDL0038" Warning keep "the header announces vertex columns that do not fit into the rows"
        "The game reads the next vertex's data instead. Which of offset, flags and row length is wrong cannot be known; export the mesh again.";
    SKIN_COLUMNS "KMDL0039" Error keep "a skin has no weights or bone slots"
        "Its vertices follow no bone and stay at the origin. Weight the mesh, or make it a plain mesh.";
    BONE_SLOTS "KMDL0040" Error keep "a skin has more than 17 bones"
        "The game has room for 16 bones per mesh (17 are known to work). Split the mesh.";
    BONE_SLOT_MISSING "KMDL0041" Error keep "a vertex follows a bone slot that no node has"
        "The vertex is drawn at a garbage place. Weight it to a bone of the mesh.";
    WEIGHT_SUM "KMDL0042" Warning fix "weights of a vertex do not add up to 1"
        "The vertex is pulled to the origin. `--fix` scales the weights; a single one outside 0 to 1 becomes what the others leave.";
    WEIGHT_BONELESS "KMDL0043" Error keep "a vertex has a weight without a bone"
        "The weight pulls it to a garbage place. Give the weight to a bone.";
    BONE_MAP "KMDL0044" Error keep "the bone map is not as long as there are nodes"
        "The map has one entry per node; bones are found at the wrong nodes. Derive the map again.";
    BONE_TABLE "KMDL0045" Warning fix "the table of bone nodes is not that of the bone map"
        "Bones and nodes are mixed up. `--fix` derives the entry from the map if one node only has the slot.";
    BIND_COUNT "KMDL0046" Error fix "bind data of a skin are missing"
        "Every node needs a bind rotation and translation. `--fix` derives the missing list from the rest pose, unless bytes of the file belong to nothing: a count may be wrong.";
    BIND_POSE "KMDL0047" Warning keep "bind data of a bone are not those of the rest pose"
        "The mesh is bent even when nothing moves. If nodes were moved on purpose, derive the bind data again.";
    CONSTRAINTS "KMDL0048" Error keep "a danglymesh has not one constraint per vertex"
        "The game reads past the constraints. Give every vertex one.";
    CONSTRAINT_RANGE "KMDL0049" Warning keep "a constraint lies outside 0 to 255"
        "Known values run from 0 (free) to 255 (fixed).";
    AABB_ABSENT "KMDL0050" Error fix "a walkable mesh has no box tree"
        "Nothing can be clicked or walked on. `--fix` builds the tree, unless bytes of the file belong to nothing: they may be it.";
    AABB_LEAVES "KMDL0051" Error fix "the leaves of the box tree are not the faces, each once"
        "Parts of the floor cannot be clicked, or the game reads past the faces. `--fix` gives the face to the leaf whose box holds it if exactly one is missing.";
    AABB_BOX "KMDL0052" Warning fix "a box of the tree is turned over or does not hold its children"
        "Clicks and rays miss what is inside. `--fix` derives the wrong sides if the boxes above and below are right.";
    AABB_NONE "KMDL0053" Warning fix "the box tree marks missing children with 0xFFFFFFFF"
        "Some tools write that; the game takes it for an offset. `--fix` writes 0.";
    SABER "KMDL0054" Error keep "a lightsaber blade has not 176 vertices"
        "The game draws 22 groups of 8 vertices, whatever the file holds.";
    FLARES "KMDL0055" Error keep "the lists of a light's flares have different lengths"
        "The game takes the first list's length for all. Give every flare a size, position, colour and texture.";
    CONTROLLER_RANGE "KMDL0056" Error keep "a controller points outside the node's numbers"
        "The game reads past them: the node flies away. Remove the controller or give it its keys.";
    CONTROLLER_DOUBLE "KMDL0057" Info keep "a node has two controllers of the same kind"
        "The game uses one of them. Real models have this; remove the second to be safe.";
    CONTROLLER_TIMES "KMDL0058" Warning keep "times of a controller do not ascend"
        "The animation jumps. Sort the keys.";
    CONTROLLER_END "KMDL0059" Info keep "a key lies behind the end of its animation"
        "It is never reached. Lengthen the animation, or remove the key.";
    CONTROLLER_KIND "KMDL0060" Info keep "a controller of a kind that this node does not know"
        "The game ignores it.";
    CONTROLLER_NOT_FINITE "KMDL0061" Error keep "a key is NaN or infinite"
        "The node and all its children vanish while the animation plays.";
    DATA_UNUSED "KMDL0062" Info keep "numbers of a node belong to no controller"
        "Harmless leftovers of the compiler, or a controller with too few keys.";
    ANIMATION_TARGET "KMDL0063" Warning keep "an animation moves a node that the model does not have"
        "Nothing moves. Rename the node, or give it the number of the model's node.";
    ANIMATION_DOUBLE "KMDL0064" Warning keep "two animations have the same name"
        "The game plays the first one.";
    ANIMATION_LENGTH "KMDL0065" Error keep "the length of an animation is negative or not a number"
        "The game hangs in it. Set the length in seconds.";
    EVENT_TIME "KMDL0066" Warning keep "an event lies behind the end of its animation"
        "It never happens. Lengthen the animation, or move the event.";
    ANIMATION_PART "KMDL0067" Warning keep "a node of an animation is more than a place"
        "Nodes of animations hold controllers only; the game skips what else they have.";
    STALE_PARENT "KMDL0068" Warning fix "a node's offset of its parent or animation leads elsewhere"
        "The game follows it when models are attached. `--fix` writes the right offset.";
    COUNTS "KMDL0069" Warning fix "the two counts of an array disagree"
        "The game uses the first, some tools the second. `--fix` writes the first twice, unless bytes of the file belong to nothing: the first may be wrong.";
    POINTERS "KMDL0070" Warning fix "program addresses are not those of the game"
        "The game tells meshes apart by them; after a conversion between games they must change. `--fix` sets them where one of the two is right or most meshes have the right ones.";
    SIZE "KMDL0071" Warning fix "the sizes in the header are not those of the files"
        "The game reads too little or too much. `--fix` sets them, unless both sizes of the MDX say the same: then the MDX may be that of another model.";
    TRAILING "KMDL0072" Warning fix "data follow the end of the model"
        "Nobody reads them. `--fix` drops them if the header says that the file ends before them; otherwise something that is referred to may be missing.";
    GAP "KMDL0073" Info keep "bytes belong to nothing"
        "Leftovers of the tool that wrote the file, or parts that a wrong offset or count hides. They are kept.";
    OVERLAP "KMDL0074" Warning keep "parts of the file share bytes"
        "An offset or a count is wrong, or a tool saved space: changing one changes the other. Nothing of such a file is fixed.";
}
