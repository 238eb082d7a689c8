//! The table of rules. Codes are never reused.

use galatea_wire::rules;

rules! {
    /// All rules, by code.
    pub static RULES;
    // References.
    LAYER_TEXTURE "MDLX0001" Error keep "layer refers to a missing texture"
        "The layer's texture index is out of range. The game draws the surface black or white, or crashes. Add the texture or use an existing index.";
    LAYER_TEXTURE_ANIM "MDLX0002" Error keep "layer refers to a missing texture animation"
        "The layer's texture animation index is out of range. Set it to -1 (none) or to an existing one.";
    GEOSET_MATERIAL "MDLX0003" Error keep "geoset refers to a missing material"
        "The material index is out of range. The game crashes or does not draw the geoset. Use an existing material.";
    GEOSET_ANIM_GEOSET "MDLX0004" Error keep "geoset animation refers to a missing geoset"
        "The animation controls a geoset that does not exist. Remove it or set the index of the geoset it was made for.";
    BONE_GEOSET "MDLX0005" Warning fix "bone refers to a missing geoset"
        "The bone's geoset index is out of range. The fix sets it to -1 (Multiple), which every tool understands.";
    BONE_GEOSET_ANIM "MDLX0006" Warning fix "bone refers to a missing geoset animation"
        "The bone's geoset animation index is out of range. The fix sets it to -1 (None).";
    MATRIX_NODE "MDLX0007" Error keep "matrix group refers to a missing node"
        "No node has this object id. The game crashes or leaves the group's vertices at the origin. Use the object id of a bone.";
    MATRIX_NOT_A_BONE "MDLX0008" Warning keep "matrix group refers to a node that is not a bone"
        "Only bones should move vertices. Helpers and other nodes work in some tools but not in the game. Make the node a bone or use another bone.";
    VERTEX_GROUP "MDLX0009" Error keep "vertex refers to a missing matrix group"
        "The vertex follows no bone. The game tolerates this, other tools do not. Add the group or assign the vertex to an existing one.";
    MATRIX_COUNT "MDLX0010" Error keep "matrix group sizes do not add up to the number of bones"
        "The group sizes (MTGC) and the bone list (MATS) disagree, so groups read each other's bones. Export the geoset again.";
    RIBBON_MATERIAL "MDLX0011" Error keep "ribbon refers to a missing material"
        "The ribbon emitter's material index is out of range. Use an existing material.";
    PARTICLE_TEXTURE "MDLX0012" Error keep "particle emitter refers to a missing texture"
        "The emitter's texture index is out of range. Its particles are invisible or white squares. Use an existing texture.";
    GLOBAL_SEQUENCE "MDLX0013" Error keep "track refers to a missing global sequence"
        "The game crashes or freezes the value. Add the global sequence or set the index to -1 (none).";
    COORD_ID "MDLX0014" Warning keep "layer uses texture coordinates that its geoset does not have"
        "The layer selects a second set of texture coordinates, but a geoset with this material has only one. The texture is smeared.";
    SKIN_NODE "MDLX0015" Error keep "skin weight refers to a missing node"
        "No node has this object id. The game pulls the vertex to the origin or crashes. Assign the weight to an existing bone.";
    FACE_EFFECT_TARGET "MDLX0016" Info keep "face effect refers to a missing node"
        "Facial animation is assigned to a node by name, and no node has this name.";
    PARENT "MDLX0017" Error keep "node refers to a missing parent"
        "No node has this object id. The game crashes or treats the node as a root. Set the parent to -1 (none) or to an existing node.";
    PARENT_CYCLE "MDLX0018" Error keep "node is its own ancestor"
        "The chain of parents is a cycle: the game hangs or crashes when it loads the model. Break the cycle.";
    TRACK_TEXTURE "MDLX0019" Error keep "texture track refers to a missing texture"
        "The value of a key is not the index of a texture. Use existing textures.";
    // Nodes.
    OBJECT_ID_TWICE "MDLX0020" Error keep "duplicate object id"
        "Parents, pivots and vertices refer to nodes by object id, so one of the two nodes is never found. Renumber the nodes.";
    OBJECT_ID_GAP "MDLX0021" Warning keep "object ids are not consecutive"
        "World of Warcraft rejects the model; Warcraft III gives nodes the wrong pivots. Renumber the nodes from 0.";
    BONES_NOT_FIRST "MDLX0022" Warning keep "bones do not have the lowest object ids"
        "Warcraft III numbers bones first. Vertices assigned to a bone with a high id may follow the wrong bone.";
    PIVOTS_MISSING "MDLX0023" Error keep "fewer pivots than nodes"
        "Nodes without a pivot rotate around an arbitrary point, or the game crashes. Add a pivot for every object id.";
    PIVOTS_LEFT_OVER "MDLX0024" Warning keep "more pivots than nodes"
        "Pivots without a node have no effect. If a node is missing from the model, one of them is its pivot.";
    NODE_NAME_EMPTY "MDLX0025" Info keep "node has no name"
        "Harmless in the game, but the node is hard to identify in an editor.";
    NODE_NAME_TWICE "MDLX0026" Info keep "duplicate node name"
        "Harmless in the game. Tools that look nodes up by name find only one of them.";
    NAME_WITH_QUOTE "MDLX0027" Warning keep "name contains a quotation mark"
        "MDL text cannot express it, so other tools break the model when they save it as text. Rename it.";
    NODE_KIND "MDLX0028" Warning fix "node flags lack the bit of the node's type"
        "Each type of node has its own bit. The game goes by the chunk, some tools by the bit. The fix sets it.";
    UNUSED_BONE "MDLX0029" Info keep "unused bone"
        "No vertex and no node follows this bone. It costs a little time in the game and can be removed.";
    UNUSED_HELPER "MDLX0030" Info keep "unused helper"
        "No node is a child of this helper. It can be removed.";
    NOT_A_NUMBER "MDLX0031" Error keep "number is not finite"
        "NaN or infinity in positions or keys makes geometry disappear or the game crash. Export the model again or enter a valid number.";
    // Traces of a converter.
    CONVERTER_LIGHT_KIND "MDLX0040" Error fix "light type contains flag bits"
        "A known converter writes 512 and 513 for omnidirectional and directional lights. The fix clears the extra bits.";
    CONVERTER_RIBBON_FLAG "MDLX0041" Warning fix "ribbon flag is in the wrong bit"
        "A known converter writes 0x400000 instead of 0x4000. The fix moves the bit.";
    CONVERTER_GEOSET_ANIM "MDLX0042" Warning fix "geoset animation has undefined flags"
        "Only drop shadow (1) and colour (2) are defined; a known converter writes 0x1a and 0x1b. The fix clears the other bits.";
    CONVERTER_BONE_FLAG "MDLX0043" Warning fix "bone has flag 0x80000000"
        "The bit is undefined, and some tools fail on it. The fix clears it.";
    CONVERTER_HELPER_FLAG "MDLX0044" Info fix "helper has the flag of a bone"
        "The game ignores the bit; some tools list the node twice. The fix clears it.";
    CONVERTER_CAMERA "MDLX0045" Warning keep "camera and target tracks are probably swapped"
        "The file shows signs of a converter that swaps the translations of a camera and its target. If the portrait does not face the model, swap the two tracks.";
    HEAD_OR_TAIL "MDLX0046" Error fix "particle emitter has an invalid head/tail mode"
        "The value must select heads, tails or both. The fix sets it to heads.";
    TEXT_TAIL "MDLX0047" Info keep "string has data after its terminator"
        "Left over from the tool that wrote the file, or the rest of a truncated string. The game ignores it; it is preserved.";
    // Sequences.
    NO_SEQUENCES "MDLX0050" Warning keep "no sequences"
        "Nothing is animated, and units without a Stand sequence cannot be selected reliably. Add at least Stand.";
    SEQUENCE_EMPTY "MDLX0051" Warning keep "sequence has no duration"
        "It ends at or before its start. The game may freeze on it or skip it.";
    SEQUENCE_OVERLAP "MDLX0052" Warning keep "sequences overlap"
        "They share part of the timeline, so keys of one play in the other. Move one of them.";
    NO_STAND "MDLX0053" Warning keep "no Stand sequence"
        "The game plays Stand when nothing else happens. Without it, a unit keeps the last pose of its previous animation.";
    NO_DEATH "MDLX0054" Info keep "no Death sequence"
        "Units and destructibles without one vanish at once when they die. Effects and doodads do not need it.";
    SEQUENCE_ORDER "MDLX0055" Info keep "sequences are not sorted by start time"
        "Harmless, but some editors sort them and then refer to the wrong one.";
    SEQUENCE_NAME "MDLX0056" Warning keep "sequence has no name"
        "The game selects sequences by name, so this one is never played.";
    WALK_SPEED "MDLX0057" Info keep "Walk sequence has no move speed"
        "The game plays it at a constant rate regardless of the unit's speed, so feet slide.";
    GLOBAL_SEQUENCE_EMPTY "MDLX0058" Warning keep "global sequence has no duration"
        "Tracks on it never advance.";
    GLOBAL_SEQUENCE_UNUSED "MDLX0059" Info keep "unused global sequence"
        "No track refers to it. It can be removed.";
    SEQUENCE_FLAGS "MDLX0060" Info keep "sequence has undefined flags"
        "Only bit 1 (non-looping) is defined.";
    // Tracks.
    KEYS_UNSORTED "MDLX0070" Warning fix "keys are not sorted by time"
        "The game looks keys up by time and finds the wrong ones: the animation jumps. The fix sorts them, unless a single key is out of order: then its time may be wrong.";
    KEYS_TWICE "MDLX0071" Info keep "duplicate key time"
        "Only one of the keys takes effect; which one depends on the program.";
    KEYS_NEGATIVE "MDLX0072" Warning keep "key has a negative time"
        "No sequence starts before 0, so the key is never reached.";
    KEYS_OUTSIDE "MDLX0073" Info keep "keys outside every sequence"
        "They are never played and can be removed to reduce the file size.";
    KEY_OPENING "MDLX0074" Info keep "track has no key at the start of a sequence"
        "Before the first key, programs either hold its value or interpolate from the last one. Add a key at the start.";
    KEY_CLOSING "MDLX0075" Info keep "track has no key at the end of a sequence"
        "After the last key, programs either hold its value or interpolate to the first one. Add a key at the end.";
    TRACK_EMPTY "MDLX0076" Info fix "empty track"
        "It has no effect. The fix removes it.";
    VISIBILITY_INTERPOLATED "MDLX0077" Info fix "visibility track is interpolated"
        "The game treats visibility as on or off and ignores the interpolation. The fix sets it to none.";
    ROTATION_LENGTH "MDLX0078" Warning keep "rotation key is not normalised"
        "The node is distorted while it rotates. Normalise the quaternion.";
    TRACK_TWICE "MDLX0079" Error keep "duplicate track"
        "Only one of the two takes effect; which one depends on the program. Remove the other.";
    ALPHA_RANGE "MDLX0080" Info keep "alpha key is outside 0 to 1"
        "The game clamps it.";
    INTEGER_INTERPOLATED "MDLX0081" Info keep "integer track is interpolated"
        "Texture indices cannot be blended: the game steps from one to the next.";
    // Geosets.
    NO_VERTICES "MDLX0090" Warning keep "geoset has no vertices"
        "It draws nothing, and some tools crash on it. Remove it.";
    NO_FACES "MDLX0091" Warning keep "geoset has no faces"
        "It draws nothing. Remove it.";
    FACE_INDEX "MDLX0092" Error keep "face refers to a missing vertex"
        "The game draws garbage or crashes. Export the geoset again.";
    FACE_GROUPS "MDLX0093" Error keep "face groups do not match the number of indices"
        "The face groups (PTYP, PCNT) require a different number of indices than are listed (PVTX). Export the geoset again.";
    FACE_TYPE "MDLX0094" Warning keep "faces are not triangles"
        "The game supports triangle lists only; strips and quads are drawn as garbage. Triangulate the geoset.";
    ZERO_AREA "MDLX0095" Info keep "degenerate triangles"
        "They have no area: they are invisible and cost a little time.";
    NORMAL_COUNT "MDLX0096" Error keep "number of normals differs from number of vertices"
        "Lighting is wrong, or the game crashes. Export the geoset again.";
    GROUP_COUNT "MDLX0097" Error keep "number of vertex groups differs from number of vertices"
        "Some vertices follow no bone. Export the geoset again.";
    UV_COUNT "MDLX0098" Error keep "number of texture coordinates differs from number of vertices"
        "The texture is smeared, or the game crashes. Export the geoset again.";
    TANGENT_COUNT "MDLX0099" Error keep "number of tangents differs from number of vertices"
        "Normal maps are lit incorrectly, or the game crashes. Export the geoset again.";
    SKIN_COUNT "MDLX0100" Error keep "number of skin weights differs from number of vertices"
        "Vertices move to arbitrary positions. Export the geoset again.";
    WEIGHT_SUM "MDLX0101" Warning keep "skin weights of a vertex do not sum to 255"
        "The vertex is pulled towards the origin or overshoots its bones. Normalise the weights.";
    NO_BONE "MDLX0102" Error keep "geoset is not attached to a bone"
        "It has neither matrix groups nor skin weights: it stays at the origin while the model moves, or is not drawn. Attach it to a bone.";
    GROUP_EMPTY "MDLX0103" Error keep "empty matrix group"
        "Its vertices follow no bone. Add a bone to the group.";
    GROUP_LARGE "MDLX0104" Info keep "matrix group has more than four bones"
        "Some viewers use only the first four and show a different shape than the game.";
    BOUNDS_INVERTED "MDLX0105" Warning fix "bounds are inverted"
        "The minimum exceeds the maximum, so selection and culling fail. The fix recomputes the sides that do not contain the vertices.";
    BOUNDS_WRONG "MDLX0106" Info fix "vertices lie outside the bounds of their geoset"
        "Often the bounds were never computed. The game culls by them, so the geoset can vanish at the edge of the screen. The fix recomputes the sides that more than one vertex exceeds; a single vertex may itself be wrong.";
    SEQUENCE_BOUNDS "MDLX0107" Info keep "number of geoset bounds differs from number of sequences"
        "The game falls back to the geoset's general bounds.";
    UNUSED_VERTICES "MDLX0108" Info keep "unused vertices"
        "No face refers to them. They only increase the file size.";
    NORMAL_LENGTH "MDLX0109" Info keep "normals are not normalised"
        "The surface is lit too brightly or too darkly.";
    NO_UVS "MDLX0110" Warning keep "geoset has no texture coordinates"
        "Its texture cannot be drawn. Add texture coordinates.";
    GEOSET_ANIM_TWICE "MDLX0111" Warning keep "geoset has several geoset animations"
        "Only one of them takes effect. Remove the others.";
    GEOSET_ANIM_NONE "MDLX0112" Warning keep "geoset animation has no geoset"
        "It has no effect, and the game's own tools reject it. Remove it.";
    NO_FINEST_LOD "MDLX0113" Warning keep "no geoset has the finest level of detail"
        "The game draws level 0 or -1 near the camera. This model has only coarser levels and is invisible there.";
    NEVER_SEEN "MDLX0114" Info keep "geoset is never visible"
        "Its geoset animation has an alpha of 0 and no keys that change it. Set the alpha to 1, or remove the geoset.";
    // Materials and textures.
    NO_LAYERS "MDLX0120" Warning keep "material has no layers"
        "Geosets with this material are invisible. Add a layer.";
    FILTER_MODE "MDLX0121" Error keep "layer has an unknown filter mode"
        "Filter modes are 0 to 6.";
    UNUSED_MATERIAL "MDLX0122" Info keep "unused material"
        "No geoset or ribbon refers to it. It can be removed.";
    UNUSED_TEXTURE "MDLX0123" Info keep "unused texture"
        "It is loaded but never drawn. It can be removed.";
    UNUSED_TEXTURE_ANIM "MDLX0124" Info keep "unused texture animation"
        "No layer refers to it. It can be removed.";
    TEXTURE_NO_PATH "MDLX0125" Warning keep "texture has neither a path nor a replaceable id"
        "It is drawn white or black. Set a path.";
    REPLACEABLE_ID "MDLX0126" Warning keep "texture has an unknown replaceable id"
        "Warcraft III defines 1 (team colour), 2 (team glow), 11, 21 and 31 to 37; World of Warcraft 1 to 14.";
    REPLACEABLE_PATH "MDLX0127" Info keep "texture has both a path and a replaceable id"
        "The game uses the replaceable texture and ignores the path.";
    TEXTURE_KIND "MDLX0128" Warning keep "texture path does not end in .blp, .tga, .dds or .tif"
        "The game cannot load it. Convert the texture to one of these formats.";
    TEXTURE_TWICE "MDLX0129" Info keep "duplicate texture"
        "Another texture has the same path and settings. One of them can be removed.";
    TEAM_COLOR_HIDDEN "MDLX0130" Warning keep "opaque layer hides the team colour"
        "The layer below shows the team colour, but this one is opaque. Set its filter mode to Blend and give its texture an alpha channel.";
    HD_TEXTURES "MDLX0131" Warning keep "HD material does not have six textures"
        "HD shaders expect diffuse, normal, ORM, emissive, team colour and reflections, in this order.";
    SHADER_NAME "MDLX0132" Warning keep "unknown shader"
        "The game defines Shader_SD_FixedFunction, Shader_HD_DefaultUnit and Shader_HD_Crystal. With any other name it draws nothing or falls back to a default.";
    TEXTURE_FOREIGN_PATH "MDLX0133" Warning keep "texture path is absolute"
        "A path with a drive letter or a leading slash works only on the computer where the model was made. Use a path relative to the game's data.";
    // Emitters, events, lights, cameras, shapes.
    PARTICLE_FILTER "MDLX0140" Error keep "particle emitter has an unknown filter mode"
        "Filter modes are 0 to 4.";
    PARTICLE_CELLS "MDLX0141" Warning keep "rows or columns of a particle texture are not a power of two"
        "The game uses a single row and column instead.";
    SQUIRT_WITHOUT_KEYS "MDLX0142" Warning keep "squirting emitter has no emission track"
        "Squirt emits when the emission rate changes; without a track it never emits.";
    EMITTER_NO_PATH "MDLX0143" Warning keep "particle emitter has no model"
        "It emits nothing. Set the path of a model.";
    EMITTER_PATH "MDLX0144" Warning keep "particle emitter's path is not a model"
        "The path should end in .mdl or .mdx.";
    EVENT_NAME "MDLX0145" Warning keep "event has an unknown name"
        "Event names begin with SND (sound), SPN (spawn), SPL (splat), FPT (footprint) or UBR (uber splat), followed by one character and a four-letter code.";
    EVENT_NO_KEYS "MDLX0146" Warning keep "event has no times"
        "It is never triggered.";
    LIGHT_KIND "MDLX0147" Error keep "unknown light type"
        "Types are 0 (omnidirectional), 1 (directional) and 2 (ambient).";
    LIGHT_ATTENUATION "MDLX0148" Warning keep "light attenuation ends before it starts"
        "The light is invisible. The game expects 80 to 200 units between start and end.";
    CAMERA_CLIP "MDLX0149" Error keep "camera has an empty view"
        "The far plane is not beyond the near plane, or the field of view is 0: the portrait is empty.";
    ATTACHMENT_NAME "MDLX0150" Info keep "attachment name does not end in Ref"
        "Warcraft III looks for names such as \"Overhead Ref\" and \"Hand Left Ref\"; nothing is attached to any other name.";
    SHAPE_EMPTY "MDLX0151" Warning keep "collision shape has no extent"
        "It can never be clicked.";
    BIND_POSE_COUNT "MDLX0152" Warning keep "number of bind poses differs from number of nodes and cameras"
        "Reforged poses some bones incorrectly. Export the model again.";
    RIBBON_EMPTY "MDLX0153" Info keep "ribbon is never drawn"
        "Its edges have no lifetime, or none are emitted.";
    PARTICLE_LIFE "MDLX0154" Info keep "particles have no lifetime"
        "They are never visible.";
    POPCORN_PATH "MDLX0155" Warning keep "PopcornFX emitter has no effect file"
        "It plays nothing. Set the path of an effect.";
    PARTICLE_MIDDLE "MDLX0156" Warning keep "middle time of particles is outside 0 to 1"
        "It is a fraction of their life. Their colour, alpha and size change at once, or never.";
    XY_QUAD_STILL "MDLX0157" Warning keep "flat particles have no speed"
        "Particles with XYQuad point the way they fly. Without a speed they are not drawn. Set a speed, or remove the flag.";
    NO_ORIGIN "MDLX0158" Info keep "unit has no Origin attachment"
        "Most effects of spells appear at \"Origin Ref\". Add an attachment of this name at the feet.";
    // The file.
    NO_MODEL_CHUNK "MDLX0160" Error keep "no MODL chunk"
        "The game rejects the file.";
    UNKNOWN_CHUNK "MDLX0161" Info keep "unknown chunk"
        "The game skips it; it is preserved.";
    CHUNK_TWICE "MDLX0162" Warning keep "duplicate chunk"
        "The game and other tools may use only one of them.";
    TOO_MANY "MDLX0163" Error keep "count exceeds the format's limit"
        "World of Warcraft supports at most 255 sequences, materials and geosets; a geoset has at most 65535 vertices.";
    NEWER_VERSION "MDLX0164" Warning keep "unknown file version"
        "The file was read as version 1200. Data added by newer versions is preserved but not interpreted.";
    NOTHING_TO_SEE "MDLX0165" Info keep "model draws nothing"
        "It has no geosets, particles or ribbons. This is fine for a camera, an attachment or a light.";
}
