//! The table of rules for models. [`check`](mod@super::check) applies them.

use galatea_wire::rules;

rules! {
    /// All rules, in the order of their codes.
    pub static RULES;
    NO_ROOT "KMDL0001" Error keep "the model has no root node"
        "The game cannot place the model and crashes. Give it at least a root node with the model's name.";
    ROOT_NAME "KMDL0002" Info keep "the root node does not have the name of the model"
        "The model works, but animations and some tools look for the root by the model's name.";
    NAME_INDEX "KMDL0003" Error keep "a node uses a name that does not exist"
        "The name index is outside the name table, and the game reads past it. Assign an existing name to the node.";
    NAME_LONG "KMDL0004" Error keep "a node name is longer than 31 characters"
        "The game has room for 31 characters and a NUL. Shorten the name.";
    NAME_DOUBLE "KMDL0005" Warning keep "animated nodes have the same name and number"
        "An animation reaches only the first of them. Rename the others, or assign unique numbers.";
    NUMBER_DOUBLE "KMDL0006" Info keep "several nodes have the same number"
        "Animations find nodes by number and may move the wrong one. Renumber the nodes.";
    NUMBER_WILD "KMDL0007" Warning keep "a node number exceeds the node count"
        "The game keeps a table with one entry per node, so this node cannot be animated. Renumber the nodes, together with those of the supermodel if there is one.";
    NODE_COUNT "KMDL0008" Warning fix "the node count in the header is wrong"
        "Without a supermodel it is the number of nodes. `--fix` sets it unless the file has unused bytes, because nodes may be missing.";
    CLASSIFICATION "KMDL0009" Warning keep "unknown classification"
        "Known values are 0 other, 1 effect, 2 tile, 4 character, 8 door, 16 lightsaber, 32 placeable and 64 flyer.";
    SUPERMODEL_SELF "KMDL0010" Error keep "the model is its own supermodel"
        "The game loads it again and again until it crashes. Set another supermodel, or NULL.";
    HEAD "KMDL0011" Warning fix "the animation root is not a node"
        "The second root in the header must be the root node, or `neck_g` in heads. `--fix` sets it to the root.";
    NODE_PARTS "KMDL0012" Warning keep "a node has incompatible parts"
        "No known model has such a node, for example a light that is also a mesh; the game may misread it.";
    NODE_NOT_FINITE "KMDL0013" Error keep "the position or orientation of a node is NaN or infinite"
        "The node and all its children disappear. Set finite values.";
    ORIENTATION "KMDL0014" Warning fix "the orientation of a node is not a unit quaternion"
        "The node is drawn skewed or shrunk. `--fix` uses the orientation of the node's controller if most of its values agree, and normalizes it otherwise.";
    TEXTURE_LONG "KMDL0015" Error keep "a texture name is longer than 16 characters"
        "Resource names have 16 characters. The game does not find the texture and draws white. Rename the texture.";
    UV_MISSING "KMDL0016" Error keep "a rendered mesh has a texture but no texture coordinates"
        "The texture is smeared from a single point. Unwrap the mesh.";
    LIGHTMAP_UV "KMDL0017" Error keep "a lightmapped mesh has no lightmap coordinates"
        "The lighting is garbage, usually black or flickering. Add a second set of texture coordinates, or turn lightmapping off.";
    LIGHTMAP_NAME "KMDL0018" Warning keep "a lightmapped mesh has no lightmap"
        "The mesh stays unlit. Set the lightmap, or turn lightmapping off.";
    TEXTURE_COUNT "KMDL0019" Warning fix "the number of textures does not match the sets of texture coordinates"
        "The game sets up as many textures as the header declares. `--fix` counts them unless bytes of the vertex rows are unused, because these may be another set.";
    NORMALS_MISSING "KMDL0020" Warning keep "a rendered mesh has no normals"
        "It is lit flatly or not at all. Derive the normals.";
    FACE_VERTEX "KMDL0021" Error keep "a face uses a vertex that does not exist"
        "The game reads past the vertices and draws spikes or crashes. Use existing vertices or remove the face.";
    FACE_DEGENERATE "KMDL0022" Info keep "a face has no area"
        "It is invisible, but characters get stuck on it in walkable meshes. Remove the face.";
    VERTEX_NOT_FINITE "KMDL0023" Error keep "a vertex has NaN or infinite values"
        "Faces that use it disappear or cover the screen. Set finite values.";
    VERTEX_UNUSED "KMDL0024" Info keep "vertices are not used by any face"
        "Harmless; they only take up space.";
    FACE_NORMAL "KMDL0025" Warning fix "a stored face normal does not match the face"
        "Shadows and walking use it. `--fix` derives the normal if the plane distance matches the face. If both are wrong, a corner may be the cause.";
    PLANE_DISTANCE "KMDL0026" Warning fix "a stored plane distance does not match the face"
        "Shadows and walking use it. `--fix` derives it if the normal matches the face. If both are wrong, a corner may be the cause.";
    INSIDE_OUT "KMDL0027" Warning keep "most vertex normals point away from their faces"
        "The mesh is lit from inside. Flip the faces, or derive the normals again.";
    ADJACENCY "KMDL0028" Error fix "a neighbour of a face does not exist"
        "The game reads past the faces when it builds shadows. `--fix` derives the neighbour.";
    OPEN_EDGE "KMDL0029" Info keep "a mesh that casts a shadow has open edges"
        "Shadows of meshes with holes leak or flicker. Close the mesh, or use a simpler closed mesh to cast the shadow.";
    INDEX_LIST "KMDL0030" Error fix "an index list uses vertices that do not exist"
        "The game draws from the index lists and reads past the vertices. `--fix` uses the corner of the face if its plane is correct.";
    INDEX_FACES "KMDL0031" Warning fix "the index list does not match the faces"
        "The drawn and the solid shape differ. `--fix` chooses, index by index, the value that the plane of the face or the area of the mesh confirms; lists of a different length are not changed.";
    VERTICES_MISSING "KMDL0032" Error keep "a mesh has faces but no vertices"
        "The vertices should be in the MDX. Put the matching MDX into the directory of the MDL.";
    MDX_MISSING "KMDL0033" Error keep "the MDX is missing"
        "Normals and texture coordinates are in the MDX; without it the game shows nothing. Put it into the directory of the MDL under the same name.";
    POSITION_COPY "KMDL0034" Warning fix "the vertex positions in MDL and MDX differ"
        "Drawing and hit tests use different shapes. `--fix` chooses, vertex by vertex, the position that lies in the planes of its faces.";
    BOUNDS "KMDL0035" Warning fix "the bounding box of a mesh does not contain its vertices"
        "The mesh disappears at the edge of the screen. `--fix` derives the wrong sides if mean point, radius or area confirm the vertices.";
    RADIUS "KMDL0036" Warning fix "the radius of a mesh is too small"
        "The mesh disappears at the edge of the screen. `--fix` derives the radius, or the mean point if that is wrong, if box or area confirm the vertices.";
    AREA "KMDL0037" Info fix "the area of a mesh is not the sum of its faces"
        "Only effects that cover a surface use it. `--fix` computes it if planes, box and radius confirm the faces.";
    ROW_COLUMNS "KMDL0038" Warning keep "the header declares vertex columns that do not fit into the rows"
        "The game reads data of the next vertex instead. Offset, flags or row length may be wrong; export the mesh again.";
    SKIN_COLUMNS "KMDL0039" Error keep "a skin has no weights or bone slots"
        "Its vertices follow no bone and stay at the origin. Weight the mesh, or turn it into a plain mesh.";
    BONE_SLOTS "KMDL0040" Error keep "a skin has more than 17 bones"
        "The game has room for 16 bones per mesh (17 are known to work). Split the mesh.";
    BONE_SLOT_MISSING "KMDL0041" Error keep "a vertex uses a bone slot that no node has"
        "The vertex is drawn at a random position. Weight it to a bone of the mesh.";
    WEIGHT_SUM "KMDL0042" Warning fix "the weights of a vertex do not add up to 1"
        "The vertex is pulled towards the origin. `--fix` scales the weights; a single weight outside 0 to 1 is replaced by the remainder.";
    WEIGHT_BONELESS "KMDL0043" Error keep "a vertex has a weight without a bone"
        "The weight pulls it to a random position. Assign the weight to a bone.";
    BONE_MAP "KMDL0044" Error keep "the bone map does not have one entry per node"
        "Bones are found at the wrong nodes. Derive the map again.";
    BONE_TABLE "KMDL0045" Warning fix "the bone node table does not match the bone map"
        "Bones and nodes are mixed up. `--fix` derives the entry from the map if exactly one node has the slot.";
    BIND_COUNT "KMDL0046" Error fix "a skin has no bind pose"
        "Every node needs a bind rotation and translation. `--fix` derives the missing list from the rest pose unless the file has unused bytes, because a count may be wrong.";
    BIND_POSE "KMDL0047" Warning keep "the bind pose of a bone differs from the rest pose"
        "The mesh is deformed even at rest. If nodes were moved on purpose, derive the bind pose again.";
    CONSTRAINTS "KMDL0048" Error keep "a danglymesh does not have one constraint per vertex"
        "The game reads past the constraints. Assign one to every vertex.";
    CONSTRAINT_RANGE "KMDL0049" Warning keep "a constraint is outside 0 to 255"
        "Known values range from 0 (free) to 255 (fixed).";
    AABB_ABSENT "KMDL0050" Error fix "a walkable mesh has no box tree"
        "Nothing can be clicked or walked on. `--fix` builds the tree unless the file has unused bytes, which may be the tree.";
    AABB_LEAVES "KMDL0051" Error fix "a face has no leaf in the box tree, or several"
        "Parts of the floor cannot be clicked, or the game reads past the faces. `--fix` assigns the face to the leaf whose box contains it if exactly one is missing.";
    AABB_BOX "KMDL0052" Warning fix "a box of the tree is inverted or does not contain its children"
        "Clicks and rays miss what is inside. `--fix` derives the wrong sides if its parent and children are correct.";
    AABB_NONE "KMDL0053" Warning fix "the box tree marks missing children with 0xFFFFFFFF"
        "Some tools write this value; the game treats it as an offset. `--fix` writes 0.";
    SABER "KMDL0054" Error keep "a lightsaber blade does not have 176 vertices"
        "The game always draws 22 groups of 8 vertices. Use a blade with 176 vertices.";
    FLARES "KMDL0055" Error keep "the flare lists of a light have different lengths"
        "The game uses the length of the first list for all. Give every flare a size, a position, a color and a texture.";
    CONTROLLER_RANGE "KMDL0056" Error keep "a controller points outside the controller data of its node"
        "The game reads past the data and the node flies away. Remove the controller or add its keys.";
    CONTROLLER_DOUBLE "KMDL0057" Info keep "a node has two controllers of the same kind"
        "The game uses one of them. Real models have this; remove the second to be safe.";
    CONTROLLER_TIMES "KMDL0058" Warning keep "the key times of a controller are not ascending"
        "The animation jumps. Sort the keys.";
    CONTROLLER_END "KMDL0059" Info keep "a key is after the end of its animation"
        "It is never reached. Lengthen the animation, or remove the key.";
    CONTROLLER_KIND "KMDL0060" Info keep "a controller does not apply to this kind of node"
        "The game ignores it.";
    CONTROLLER_NOT_FINITE "KMDL0061" Error keep "a key is NaN or infinite"
        "The node and all its children disappear while the animation plays. Set finite values.";
    DATA_UNUSED "KMDL0062" Info keep "controller data of a node are not used"
        "Harmless leftovers of the compiler, or a controller with too few keys.";
    ANIMATION_TARGET "KMDL0063" Warning keep "an animation moves a node that the model does not have"
        "Nothing moves. Rename the node, or assign the number of the model's node.";
    ANIMATION_DOUBLE "KMDL0064" Warning keep "two animations have the same name"
        "The game plays the first one. Rename the other.";
    ANIMATION_LENGTH "KMDL0065" Error keep "the length of an animation is negative or not a number"
        "The game hangs in the animation. Set the length in seconds.";
    EVENT_TIME "KMDL0066" Warning keep "an event is after the end of its animation"
        "It never fires. Lengthen the animation, or move the event.";
    ANIMATION_PART "KMDL0067" Warning keep "a node of an animation has parts beyond a transform"
        "Nodes of animations hold controllers only; the game ignores other parts.";
    STALE_PARENT "KMDL0068" Warning fix "the parent or animation offset of a node is wrong"
        "The game follows it when models are attached. `--fix` writes the correct offset.";
    COUNTS "KMDL0069" Warning fix "the two counts of an array differ"
        "The game uses the first count, some tools the second. `--fix` copies the first to the second unless the file has unused bytes, because the first may be wrong.";
    POINTERS "KMDL0070" Warning fix "function pointers are not those of the game"
        "The game tells mesh types apart by them; they differ between games. `--fix` sets them if one of the two is correct or most meshes have the correct ones.";
    SIZE "KMDL0071" Warning fix "the sizes in the header do not match the files"
        "The game reads too little or too much. `--fix` sets them unless both sizes of the MDX agree, because then the MDX may belong to another model.";
    TRAILING "KMDL0072" Warning fix "the file has trailing data"
        "Nothing reads it. `--fix` removes it if the file should end before it according to the header; otherwise referenced data may be missing.";
    GAP "KMDL0073" Info keep "the file has unused bytes"
        "Leftovers of the tool that wrote the file, or data hidden by a wrong offset or count. They are kept.";
    OVERLAP "KMDL0074" Warning keep "parts of the file share bytes"
        "An offset or a count is wrong, or a tool saved space; a change of one part changes the other. Such files are not fixed.";
    MODEL_NAME_LONG "KMDL0075" Info keep "the name of the model is longer than 16 letters"
        "The game finds files by names of at most 16 letters, and other tools refuse longer ones. Shorten the name, and that of the root node.";
}
