//! The table of rules. Codes are never reused.

use galatea_wire::rules;

rules! {
    /// Everything that is checked, by code.
    pub static RULES;
    // References.
    LAYER_TEXTURE "MDLX0001" Error keep "a layer's texture is not there"
        "The layer names a texture by number, and there are not so many. The game shows the surface black or white, or crashes. Add the texture or point the layer at one that exists.";
    LAYER_TEXTURE_ANIM "MDLX0002" Error keep "a layer's texture animation is not there"
        "The layer names a texture animation by number, and there are not so many. Set it to none (-1) or to one that exists.";
    GEOSET_MATERIAL "MDLX0003" Error keep "a geoset's material is not there"
        "The mesh names a material by number, and there are not so many. The game crashes or does not draw it. Point it at a material that exists.";
    GEOSET_ANIM_GEOSET "MDLX0004" Error keep "a geoset animation's geoset is not there"
        "The animation shows and hides a mesh that does not exist. Remove it or give it the number of the mesh it was made for.";
    BONE_GEOSET "MDLX0005" Warning fix "a bone's geoset is not there"
        "The bone says it moves a mesh that does not exist. The fix sets it to Multiple (-1), which every tool understands.";
    BONE_GEOSET_ANIM "MDLX0006" Warning fix "a bone's geoset animation is not there"
        "The bone says it follows a geoset animation that does not exist. The fix sets it to None (-1).";
    MATRIX_NODE "MDLX0007" Error keep "a matrix group names a node that is not there"
        "Vertices of this group follow an object id that no node has: the game crashes or leaves them at the origin. Give the group the bone's object id.";
    MATRIX_NOT_A_BONE "MDLX0008" Warning keep "a matrix group names a node that is no bone"
        "Only bones should move vertices. Helpers and other nodes work in some tools and not in the game. Turn the node into a bone or use a bone.";
    VERTEX_GROUP "MDLX0009" Error keep "a vertex belongs to a matrix group that is not there"
        "The vertex follows nothing. The game tolerates it, other tools do not. Add the group or put the vertex into an existing one.";
    MATRIX_COUNT "MDLX0010" Error keep "matrix groups ask for more or fewer bones than are listed"
        "The sizes of the groups (MTGC) and the list of bones (MATS) disagree, so groups read each other's bones. Export the mesh again.";
    RIBBON_MATERIAL "MDLX0011" Error keep "a ribbon's material is not there"
        "The ribbon emitter names a material by number, and there are not so many. Point it at one that exists.";
    PARTICLE_TEXTURE "MDLX0012" Error keep "a particle emitter's texture is not there"
        "The emitter names a texture by number, and there are not so many. Its particles are invisible or white squares.";
    GLOBAL_SEQUENCE "MDLX0013" Error keep "a track's global sequence is not there"
        "The track follows the clock of a global sequence that does not exist. The game crashes or freezes the value. Add the sequence or set the track to none (-1).";
    COORD_ID "MDLX0014" Warning keep "a layer uses texture coordinates that its mesh does not have"
        "The layer asks for a second set of texture coordinates, and a mesh that uses the material has only the first. The texture is smeared.";
    SKIN_NODE "MDLX0015" Error keep "a skin weight names a node that is not there"
        "A vertex follows an object id that no node has. The game pulls it to the origin or crashes. Weight it to a bone that exists.";
    FACE_EFFECT_TARGET "MDLX0016" Info keep "a face effect's node is not there"
        "The facial animation belongs to a node by name, and no node has that name.";
    PARENT "MDLX0017" Error keep "a node's parent is not there"
        "The node hangs on an object id that no node has. The game crashes or treats it as a root. Set the parent to none (-1) or to an existing node.";
    PARENT_CYCLE "MDLX0018" Error keep "nodes are each other's parents"
        "The chain of parents leads back to the node itself: the game hangs or crashes when it loads the model. Break the circle.";
    TRACK_TEXTURE "MDLX0019" Error keep "a texture track shows a texture that is not there"
        "One of the keys names a texture by number, and there are not so many.";
    // Nodes.
    OBJECT_ID_TWICE "MDLX0020" Error keep "two nodes have the same object id"
        "Parents, pivots and vertices find a node by its object id. With two of the same, one of them is lost. Number the nodes anew.";
    OBJECT_ID_GAP "MDLX0021" Warning keep "object ids are not 0, 1, 2 and so on"
        "World of Warcraft refuses such a model, Warcraft III gives nodes the wrong pivots. Number the nodes anew.";
    BONES_NOT_FIRST "MDLX0022" Warning keep "bones do not have the lowest object ids"
        "Warcraft III numbers bones first. Meshes weighted to a bone with a high number may follow the wrong bone.";
    PIVOTS_MISSING "MDLX0023" Error keep "there are fewer pivots than nodes"
        "Nodes without a pivot turn about a random point, or the game crashes. Add a pivot for every object id.";
    PIVOTS_LEFT_OVER "MDLX0024" Warning keep "there are more pivots than nodes"
        "Pivots without a node do nothing. If a node is missing from the model, its pivot is one of them.";
    NODE_NAME_EMPTY "MDLX0025" Info keep "a node has no name"
        "Harmless in the game, but nobody can tell it apart in an editor.";
    NODE_NAME_TWICE "MDLX0026" Info keep "nodes share a name"
        "Harmless in the game; tools that find nodes by name find only one of them.";
    NAME_WITH_QUOTE "MDLX0027" Warning keep "a name has a quotation mark in it"
        "The text form has no way to write it: other tools break the model when they save it as MDL. Rename it.";
    NODE_KIND "MDLX0028" Warning fix "a node's flags do not say what it is"
        "Each kind of node has its own bit. The game goes by the chunk, some tools by the bit. The fix sets it.";
    UNUSED_BONE "MDLX0029" Info keep "a bone moves nothing"
        "No vertex and no other node follows it. It costs a little time in the game and can be removed.";
    UNUSED_HELPER "MDLX0030" Info keep "a helper carries nothing"
        "No other node hangs on it, so it can be removed.";
    NOT_A_NUMBER "MDLX0031" Error keep "a number is not finite"
        "NaN or infinity in positions or keys makes the mesh disappear or the game crash. Export it again or type in a real number.";
    // What a converter left behind.
    CONVERTER_LIGHT_KIND "MDLX0040" Error fix "a light's type has bits of its flags in it"
        "A known converter writes 512 and 513 for omnidirectional and directional. The fix takes the bits away.";
    CONVERTER_RIBBON_FLAG "MDLX0041" Warning fix "a ribbon's flag bit is in the wrong place"
        "A known converter writes 0x400000 where the format has 0x4000. The fix moves it.";
    CONVERTER_GEOSET_ANIM "MDLX0042" Warning fix "a geoset animation has flags that mean nothing"
        "Only drop shadow (1) and colour (2) have a meaning; a known converter writes 0x1a and 0x1b. The fix keeps the two.";
    CONVERTER_BONE_FLAG "MDLX0043" Warning fix "a bone has the flag 0x80000000"
        "It means nothing and some tools stumble over it. The fix clears it.";
    CONVERTER_HELPER_FLAG "MDLX0044" Info fix "a helper says that it is a bone"
        "Its flags have the bit of a bone. The game ignores it; some tools list it twice. The fix clears the bit.";
    CONVERTER_CAMERA "MDLX0045" Warning keep "camera and target tracks are probably swapped"
        "The file has the marks of a converter that swaps the translation of a camera with that of its target. If the portrait points away from the face, swap the two tracks.";
    HEAD_OR_TAIL "MDLX0046" Error fix "a particle emitter is neither head nor tail"
        "The number that says whether heads, tails or both are drawn is garbage. The fix sets it to head.";
    TEXT_TAIL "MDLX0047" Info keep "a text has something after its end"
        "Left over from the tool that wrote the file, or the rest of a text that was cut; the game does not look at it. It is kept.";
    // Sequences.
    NO_SEQUENCES "MDLX0050" Warning keep "there are no sequences"
        "Without a sequence nothing animates, and units without a Stand cannot be selected properly. Add at least Stand.";
    SEQUENCE_EMPTY "MDLX0051" Warning keep "a sequence has no length"
        "It ends where it begins, or before. The game may freeze on it or skip it.";
    SEQUENCE_OVERLAP "MDLX0052" Warning keep "two sequences overlap"
        "They share part of the timeline, so keys of one play in the other. Move one of them.";
    NO_STAND "MDLX0053" Warning keep "there is no Stand sequence"
        "The game plays Stand when nothing else happens. Without it a unit keeps the last pose of whatever it did before.";
    NO_DEATH "MDLX0054" Info keep "there is no Death sequence"
        "Units and destructibles without one vanish at once when they die. Effects and doodads do not need it.";
    SEQUENCE_ORDER "MDLX0055" Info keep "sequences are not in the order of their times"
        "Harmless, but some editors sort them and then refer to the wrong one.";
    SEQUENCE_NAME "MDLX0056" Warning keep "a sequence has no name"
        "The game chooses sequences by name; this one is never played.";
    WALK_SPEED "MDLX0057" Info keep "a Walk sequence has no move speed"
        "The game then plays it at one speed however fast the unit moves, and feet slide.";
    GLOBAL_SEQUENCE_EMPTY "MDLX0058" Warning keep "a global sequence has no length"
        "Tracks that follow it never move.";
    GLOBAL_SEQUENCE_UNUSED "MDLX0059" Info keep "no track follows a global sequence"
        "It can be removed.";
    SEQUENCE_FLAGS "MDLX0060" Info keep "a sequence has flags that mean nothing"
        "Only 1, non-looping, has a meaning.";
    // Tracks.
    KEYS_UNSORTED "MDLX0070" Warning fix "keys are not in the order of their times"
        "The game looks keys up by time and finds the wrong ones: the animation jumps. The fix sorts them, unless a single key is out of order: its time may be wrong.";
    KEYS_TWICE "MDLX0071" Info keep "two keys have the same time"
        "Only one of them counts, and which one depends on the program.";
    KEYS_NEGATIVE "MDLX0072" Warning keep "a key has a negative time"
        "No sequence begins before 0: the key is never reached.";
    KEYS_OUTSIDE "MDLX0073" Info keep "keys lie outside every sequence"
        "They are never played and can be removed to make the file smaller.";
    KEY_OPENING "MDLX0074" Info keep "a track has no key where a sequence begins"
        "Until its first key the value is either that of the first key or on its way there from the last, depending on the program. Add a key at the beginning.";
    KEY_CLOSING "MDLX0075" Info keep "a track has no key where a sequence ends"
        "After its last key the value either stays or runs back to the first key, depending on the program. Add a key at the end.";
    TRACK_EMPTY "MDLX0076" Info fix "a track has no keys"
        "It does nothing. The fix removes it.";
    VISIBILITY_INTERPOLATED "MDLX0077" Info fix "a visibility track is interpolated"
        "The game shows or hides, and nothing between: it treats the track as not interpolated. The fix says so.";
    ROTATION_LENGTH "MDLX0078" Warning keep "a rotation key is not of length 1"
        "The node is squashed or blown up when it turns. Normalise the quaternion.";
    TRACK_TWICE "MDLX0079" Error keep "a thing has the same track twice"
        "Only one of them counts, and which one depends on the program.";
    ALPHA_RANGE "MDLX0080" Info keep "an alpha key is not between 0 and 1"
        "The game cuts it off.";
    INTEGER_INTERPOLATED "MDLX0081" Info keep "a track of whole numbers is interpolated"
        "Numbers of textures cannot be mixed: the game steps from one to the next.";
    // Geosets.
    NO_VERTICES "MDLX0090" Warning keep "a geoset has no vertices"
        "It draws nothing, and some tools crash on it. Remove it.";
    NO_FACES "MDLX0091" Warning keep "a geoset has no faces"
        "It draws nothing. Remove it.";
    FACE_INDEX "MDLX0092" Error keep "a face uses a vertex that is not there"
        "The game draws garbage or crashes. Export the mesh again.";
    FACE_GROUPS "MDLX0093" Error keep "face groups and faces disagree"
        "The face groups (PTYP, PCNT) ask for more or fewer indices than are listed (PVTX).";
    FACE_TYPE "MDLX0094" Warning keep "faces are not triangles"
        "The game only ever sees triangle lists; strips and quads are drawn as garbage.";
    ZERO_AREA "MDLX0095" Info keep "triangles have no area"
        "They cannot be seen and cost a little time.";
    NORMAL_COUNT "MDLX0096" Error keep "there is not one normal per vertex"
        "Lighting is wrong, or the game crashes.";
    GROUP_COUNT "MDLX0097" Error keep "there is not one matrix group per vertex"
        "Some vertices follow no bone.";
    UV_COUNT "MDLX0098" Error keep "there is not one texture coordinate per vertex"
        "The texture is smeared, or the game crashes.";
    TANGENT_COUNT "MDLX0099" Error keep "there is not one tangent per vertex"
        "Normal maps are lit from the wrong side, or the game crashes.";
    SKIN_COUNT "MDLX0100" Error keep "there is not one skin weight per vertex"
        "Vertices fly away.";
    WEIGHT_SUM "MDLX0101" Warning keep "the weights of a vertex do not sum to 255"
        "The vertex is pulled towards the origin, or beyond its bones. Normalise the weights.";
    NO_BONE "MDLX0102" Error keep "no bone moves a geoset"
        "It has neither matrix groups nor skin weights: it stays at the origin while the model moves, or is not drawn at all. Attach it to a bone.";
    GROUP_EMPTY "MDLX0103" Error keep "a matrix group has no bones"
        "Its vertices follow nothing.";
    GROUP_LARGE "MDLX0104" Info keep "a matrix group has more than four bones"
        "Some viewers only look at the first four, and show another shape than the game.";
    BOUNDS_INVERTED "MDLX0105" Warning fix "the lowest corner of the bounds is above the highest"
        "Selecting and culling do not work. The fix computes the sides that do not hold the vertices.";
    BOUNDS_WRONG "MDLX0106" Info fix "vertices lie outside the bounds of their geoset"
        "Often nobody computed them at all. What goes by them believes the mesh to be elsewhere: it can vanish at the edge of the screen. The fix computes the sides that more than one vertex lies beyond; a single vertex may be wrong itself.";
    SEQUENCE_BOUNDS "MDLX0107" Info keep "a geoset does not have bounds for each sequence"
        "The game falls back to the geoset's own bounds.";
    UNUSED_VERTICES "MDLX0108" Info keep "vertices belong to no face"
        "They only make the file larger.";
    NORMAL_LENGTH "MDLX0109" Info keep "normals are not of length 1"
        "The surface is lit too brightly or too darkly.";
    NO_UVS "MDLX0110" Warning keep "a geoset has no texture coordinates"
        "Its texture cannot be drawn.";
    GEOSET_ANIM_TWICE "MDLX0111" Warning keep "a geoset has two geoset animations"
        "Only one of them counts.";
    GEOSET_ANIM_NONE "MDLX0112" Warning keep "a geoset animation has no geoset"
        "It does nothing, and the game's own tools refuse it.";
    NO_FINEST_LOD "MDLX0113" Warning keep "there is no geoset of the finest level of detail"
        "The game draws level 0 or -1 near the camera; this model has only coarser ones and is invisible there.";
    // Materials and textures.
    NO_LAYERS "MDLX0120" Warning keep "a material has no layers"
        "What uses it is invisible.";
    FILTER_MODE "MDLX0121" Error keep "a layer's filter mode is unknown"
        "There are seven, 0 to 6.";
    UNUSED_MATERIAL "MDLX0122" Info keep "nothing uses a material"
        "It can be removed.";
    UNUSED_TEXTURE "MDLX0123" Info keep "nothing uses a texture"
        "It is still loaded. It can be removed.";
    UNUSED_TEXTURE_ANIM "MDLX0124" Info keep "nothing uses a texture animation"
        "It can be removed.";
    TEXTURE_NO_PATH "MDLX0125" Warning keep "a texture has neither a path nor a replaceable id"
        "What uses it is white or black. Give it a path.";
    REPLACEABLE_ID "MDLX0126" Warning keep "a replaceable id is unknown"
        "Warcraft III knows 1 (team colour), 2 (team glow), 11, 21 and 31 to 37; World of Warcraft 1 to 14.";
    REPLACEABLE_PATH "MDLX0127" Info keep "a texture has a path and a replaceable id"
        "The game uses the replaceable one and never looks at the path.";
    TEXTURE_KIND "MDLX0128" Warning keep "a texture path does not end in .blp, .tga, .dds or .tif"
        "The game cannot load it.";
    TEXTURE_TWICE "MDLX0129" Info keep "two textures are the same"
        "One of them would do.";
    TEAM_COLOR_HIDDEN "MDLX0130" Warning keep "an opaque layer hides the team colour"
        "The layer below shows the team colour, but this one lets nothing through. Set its filter mode to Blend, and give the texture an alpha channel.";
    HD_TEXTURES "MDLX0131" Warning keep "a HD material does not have six textures"
        "HD shaders expect diffuse, normal, ORM, emissive, team colour and reflections, in that order.";
    SHADER_NAME "MDLX0132" Warning keep "a shader is unknown"
        "Known are Shader_SD_FixedFunction, Shader_HD_DefaultUnit and Shader_HD_Crystal. With any other the game draws nothing or falls back.";
    TEXTURE_FOREIGN_PATH "MDLX0133" Warning keep "a texture path leads outside the game's data"
        "A drive letter or a leading slash only works on the computer the model was made on.";
    // Emitters, events, lights, cameras, shapes.
    PARTICLE_FILTER "MDLX0140" Error keep "a particle emitter's filter mode is unknown"
        "There are five, 0 to 4.";
    PARTICLE_CELLS "MDLX0141" Warning keep "rows or columns of a particle texture are not a power of two"
        "The game then uses one row and one column.";
    SQUIRT_WITHOUT_KEYS "MDLX0142" Warning keep "a squirting emitter has no emission keys"
        "Squirt emits when the emission rate changes; without a track it never does.";
    EMITTER_NO_PATH "MDLX0143" Warning keep "a particle emitter emits nothing"
        "It has no model to emit.";
    EMITTER_PATH "MDLX0144" Warning keep "a particle emitter emits something that is no model"
        "The path should end in .mdl or .mdx.";
    EVENT_NAME "MDLX0145" Warning keep "an event's name means nothing to the game"
        "Events begin with SND (sound), SPN (spawn), SPL (splat), FPT (footprint) or UBR (uber splat), then a character and a code of four letters.";
    EVENT_NO_KEYS "MDLX0146" Warning keep "an event never happens"
        "It has no times.";
    LIGHT_KIND "MDLX0147" Error keep "a light's type is unknown"
        "0 is omnidirectional, 1 directional, 2 ambient.";
    LIGHT_ATTENUATION "MDLX0148" Warning keep "a light fades out before it begins to fade"
        "Attenuation ends before it starts: the light is not seen. The game wants 80 to 200 between.";
    CAMERA_CLIP "MDLX0149" Error keep "a camera sees nothing"
        "Its far plane is not behind its near plane, or its field of view is 0: the portrait is empty.";
    ATTACHMENT_NAME "MDLX0150" Info keep "an attachment's name does not end in Ref"
        "Warcraft III looks for names such as \"Overhead Ref\" and \"Hand Left Ref\"; with any other nothing is ever attached.";
    SHAPE_EMPTY "MDLX0151" Warning keep "a collision shape has no extent"
        "It can never be clicked.";
    BIND_POSE_COUNT "MDLX0152" Warning keep "there is not one bind pose per node and camera"
        "Reforged then poses some bones wrongly.";
    RIBBON_EMPTY "MDLX0153" Info keep "a ribbon is never drawn"
        "Its edges live for no time, or none are emitted.";
    PARTICLE_LIFE "MDLX0154" Info keep "particles live for no time"
        "They are never seen.";
    POPCORN_PATH "MDLX0155" Warning keep "a PopcornFX emitter plays nothing"
        "It has no effect file.";
    // The file.
    NO_MODEL_CHUNK "MDLX0160" Error keep "there is no MODL chunk"
        "The game refuses the file.";
    UNKNOWN_CHUNK "MDLX0161" Info keep "a chunk is unknown"
        "The game skips it; it is kept as it is.";
    CHUNK_TWICE "MDLX0162" Warning keep "a chunk is there twice"
        "The game and other tools may use only one of them.";
    TOO_MANY "MDLX0163" Error keep "there are more of something than the game can count"
        "World of Warcraft holds at most 255 sequences, materials and geosets; a geoset at most 65535 vertices.";
    NEWER_VERSION "MDLX0164" Warning keep "the file is of a version that nobody here knows"
        "It was read as version 1200. What was added since is kept, not understood.";
    NOTHING_TO_SEE "MDLX0165" Info keep "the model draws nothing"
        "It has no geosets, particles or ribbons. Fine for a camera, an attachment or a light.";
}
