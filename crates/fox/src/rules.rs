//! The table of rules. Codes are stable and never reused.

galatea_wire::rules! {
    /// Every rule of the format, by code.
    pub static RULES;
    VERSION "FMDL0001" Warning keep "unknown version"
        "Game files have version 2.03 (Ground Zeroes, PES) or 2.04 (The Phantom Pain, Survive). The game may reject any other; convert the model to the version of your game.";
    BLOCK_MASK "FMDL0002" Warning fix "the header's block masks are wrong"
        "Two header fields have one bit per block in the file. They do not match the blocks that are present, so tools that trust them miss some. `--fix` sets a single wrong mask if all blocks are known.";
    SECTION_LENGTH "FMDL0003" Warning fix "a section's offset or length is wrong"
        "The sections do not end at the end of the file. Some PES tools write these fields wrong. `--fix` sets one length if the blocks show that the file is complete.";
    DATA_LENGTH "FMDL0004" Warning fix "a data block extends past the end of the file"
        "A block of section 1 is longer than the rest of the file. The bytes that exist were read. `--fix` sets the length if the header shows that the file is complete; otherwise the file was probably truncated.";
    KEPT_BYTES "FMDL0005" Info keep "unreferenced bytes"
        "There are nonzero bytes between or after the blocks. The game does not read them. They are kept as long as the layout of the file does not change.";
    UNKNOWN_BLOCK "FMDL0006" Warning keep "unknown block"
        "The file has a block whose id no game file uses. It is kept unchanged; the game ignores it or rejects the file.";
    DOUBLE_BLOCK "FMDL0007" Error keep "duplicate block"
        "Two blocks have the same id. The first one was read; which one the game uses is unknown. Remove one of them.";
    MISSING_TABLE "FMDL0008" Error keep "a required table is missing"
        "Every game file has this table, even if it is empty. The game does not load a model without it.";
    BUFFERS "FMDL0009" Error fix "the buffer table is wrong"
        "There must be three consecutive buffers: positions, other attributes, indices. Each is a multiple of 16 bytes long, and together they fill their block. `--fix` sets a single field that contradicts the others.";
    NAME_RANGE "FMDL0010" Error keep "name index out of range"
        "A record refers to a string or hash beyond the end of the table. The game reads past the table and may crash. Assign a name.";
    TEXT_RANGE "FMDL0011" Error keep "string outside the file"
        "The offset of a string is beyond the end of the file, so its text is lost. The file was probably truncated: restore it, or assign a new name.";
    TEXT_ENTRY "FMDL0012" Warning keep "strings are not laid out as in game files"
        "Strings are NUL-terminated and stored in table order in block 3. Other tools may not find strings stored elsewhere, and the name read here may be wrong.";
    FIRST_NAME "FMDL0013" Warning keep "name 0 is not empty"
        "The first name of every game file is empty. An unnamed object would get this name instead.";
    TEXTURE_RANGE "FMDL0014" Error keep "texture index out of range"
        "A material slot refers to a texture or texture path beyond the end of the table. The slot stays empty, or the game crashes. Assign a texture.";
    PARAMETER_RANGE "FMDL0015" Error keep "parameter index out of range"
        "A parameter refers to a value beyond the end of the table. The game reads past the table. Assign a value.";
    SHADER_RANGE "FMDL0016" Error keep "shader index out of range"
        "A material instance refers to a shader and technique beyond the end of the table. Its meshes are not drawn. Choose a shader.";
    BINDING_RANGE "FMDL0017" Error keep "bindings out of range"
        "The textures or parameters of a material instance extend beyond the end of the binding table. Those that exist were read.";
    BOX_RANGE "FMDL0018" Error keep "bounding box index out of range"
        "A run or bone refers to a box beyond the end of the table, so the game culls it unpredictably. Recompute the boxes.";
    PIVOT_RANGE "FMDL0019" Error keep "pivot index out of range"
        "A fragment group refers to a pivot beyond the end of the table. The fragment appears at the origin.";
    MESH_MATERIAL "FMDL0020" Error keep "the mesh's material does not exist"
        "The mesh refers to a material instance that the model does not have. The game does not draw it, or crashes. Assign one of the model's materials.";
    MESH_BONES "FMDL0021" Error keep "the mesh's bone group does not exist"
        "The vertices have bone indices, but the mesh has no bone group to resolve them. The mesh collapses. Assign a bone group.";
    MESH_LAYOUT "FMDL0022" Error keep "the mesh has no vertex layout"
        "The layout of the mesh, or its streams and elements, are beyond the end of their tables. The mesh cannot be drawn.";
    NO_VERTICES "FMDL0023" Error keep "mesh without vertices"
        "Every mesh of a game file has vertices. Remove the mesh.";
    NO_POSITIONS "FMDL0024" Error keep "mesh without positions"
        "Positions must be three 32-bit floats. The mesh is not drawn without them.";
    NO_NORMALS "FMDL0025" Warning keep "mesh without normals"
        "All game meshes have normals as four half floats. Without them the mesh is black or unshaded.";
    NO_TANGENTS "FMDL0026" Warning keep "normal map without tangents"
        "The material has a normal map, which needs tangents. Lighting is wrong without them. Compute tangents, or remove the normal map.";
    NO_UVS "FMDL0027" Warning keep "textures without texture coordinates"
        "The material has textures, but the mesh has no UV 0. A single texel covers the whole mesh.";
    INDEX_RANGE "FMDL0028" Error keep "vertex index out of range"
        "A face refers to a vertex that does not exist. Triangles stretch across the screen, or the game crashes.";
    WINDOW_THIRDS "FMDL0029" Error keep "a level of detail does not consist of whole triangles"
        "The first index and the index count of a face window must be multiples of 3. Otherwise triangles are made of the wrong corners.";
    WINDOW_RANGE "FMDL0030" Error keep "a level of detail extends past the mesh's indices"
        "A face window ends after the last index of the mesh, so this level shows faces of another mesh.";
    WINDOW_FIRST "FMDL0031" Error keep "level of detail 0 does not have the index count of its mesh"
        "The first window starts at index 0 and has the mesh's index count. The game draws with one of them and renders shadows with the other.";
    WINDOW_GROWS "FMDL0032" Warning keep "a lower level of detail has more faces"
        "Windows never grow from level to level in game files. A distant mesh that costs more than a near one is most likely a mistake.";
    WINDOW_TABLE "FMDL0033" Error fix "wrong index of the first face window"
        "The windows of a mesh start at mesh index * level count, those of a run at first mesh * level count. With other values the game shows the faces of another mesh. `--fix` sets the index where the window there has the mesh's index count.";
    WINDOW_COUNT "FMDL0034" Error keep "meshes with different numbers of levels of detail"
        "All meshes have as many face windows as the model has levels. Add the missing levels.";
    NO_LODS "FMDL0035" Error keep "no level of detail"
        "The model has no levels of detail, or a mesh has no face window. Nothing is drawn.";
    NO_FACES "FMDL0036" Warning keep "mesh without faces"
        "Level of detail 0 is empty, so the mesh is invisible at close range.";
    FACE_LIMIT "FMDL0037" Warning keep "more than 21,845 faces in one mesh"
        "The index count of a level then exceeds 16 bits, and PES does not draw it. Split the mesh.";
    DEGENERATE "FMDL0038" Info keep "degenerate triangles"
        "A triangle with two equal corners has no area and is never visible. Game files contain some; they are harmless.";
    BAD_POSITION "FMDL0039" Error keep "position is not finite"
        "A vertex position is infinite or NaN. The mesh flickers or vanishes, and its bounding box is useless.";
    BAD_UV "FMDL0040" Warning keep "texture coordinate is not finite"
        "A UV is infinite or NaN: half floats overflow above 65504. The texture smears there.";
    NORMAL_LENGTH "FMDL0041" Warning fix "normal is not of unit length"
        "Lighting is too bright or too dark where a normal is not of length 1 or its w is not 1. `--fix` keeps the direction; zero vectors are left alone.";
    TANGENT_LENGTH "FMDL0042" Warning fix "tangent is not of unit length"
        "Normal maps look too strong or too weak where a tangent is not of length 1. `--fix` keeps the direction; zero vectors are left alone.";
    TANGENT_SIDE "FMDL0043" Warning fix "the w of a tangent is neither 1 nor -1"
        "The w of a tangent is the sign of the bitangent. Other values scale the normal map. `--fix` keeps the sign; 0 is left alone.";
    WEIGHT_SUM "FMDL0044" Error fix "weights do not sum to 255"
        "The game uses weights as they are: below 255 a vertex is pulled toward the origin, above 255 away from it. `--fix` changes a single weight that breaks the descending order, otherwise it scales all of them.";
    NO_WEIGHT "FMDL0045" Error keep "vertex without weights"
        "All four weights are 0, so the vertex collapses to the origin. Weight it to a bone.";
    WEIGHT_ORDER "FMDL0046" Info fix "weights are not in descending order"
        "Game files list the strongest bone first. The game uses fewer bones for distant models and drops the last ones. `--fix` sorts weights that sum to 255.";
    BONE_INDEX "FMDL0047" Error keep "bone index out of range"
        "A vertex is weighted to an index that its bone group does not have. The vertex ends up in an arbitrary place.";
    SKIN_HALF "FMDL0048" Error keep "weights without bone indices, or bone indices without weights"
        "Skinned vertices need both. The mesh collapses or does not move.";
    GROUP_LIMIT "FMDL0049" Error keep "more than 32 bones in a bone group"
        "The game supports 32 bones per mesh. Split the mesh.";
    GROUP_BONE "FMDL0050" Error keep "a bone group refers to a bone that does not exist"
        "The bone index is out of range. Vertices of that bone end up in arbitrary places.";
    GROUP_WEIGHTS "FMDL0051" Error fix "a bone group allows fewer weights than its vertices have"
        "The game skins with as many weights as the bone group allows and drops the others, so vertices tear apart. `--fix` raises the number if more than one vertex has that many weights.";
    BONE_PARENT "FMDL0052" Error keep "a bone precedes its parent"
        "Parents must come before their children. The game processes the list once, so such a bone uses the parent of the last frame, or none.";
    BONE_PLACE "FMDL0053" Warning fix "local and world position of a bone disagree"
        "In MGSV the world position of a bone is that of its parent plus its local position. The game uses one, tools the other. `--fix` derives the world position if all children contradict it, the local one if none does; bones without children are left alone. (Not checked for 2.03: PES stores other values there.)";
    BONE_FLAG "FMDL0054" Warning fix "wrong box flag of a bone"
        "Flag 1 means that the bone has a bounding box; a bone without vertices has the empty box and flag 0. `--fix` sets the flag where the vertices confirm the box.";
    BONE_BOX "FMDL0055" Info fix "vertices outside the bounding box of their bone"
        "The box of a bone should contain all vertices that it moves. Otherwise the model may be culled while it is visible. `--fix` extends sides that more than one vertex is beyond.";
    RUN_BOX "FMDL0056" Warning fix "the bounding box of a run does not match its vertices"
        "If the box is too small, visible meshes vanish; if it is too large, invisible ones are drawn. Game files have the exact bits. `--fix` derives sides that several vertices are beyond, or all wrong ones if the surface area confirms the vertices.";
    MODEL_BOX "FMDL0057" Warning fix "the bounding box of the model does not match its vertices"
        "If the box is too small, the model vanishes at the edge of the screen; if it is too large, it is drawn while invisible. Fragments count at their pivots. `--fix` derives it where the boxes of the runs confirm the vertices.";
    USAGE_MASK "FMDL0058" Warning fix "wrong usage mask of a vertex layout"
        "The mask tells the game how many texture coordinates there are. `--fix` sets it if all attributes are known.";
    AREA_ZERO "FMDL0059" Error fix "the surface area is 0"
        "With an area of 0 the game always shows the lowest level of detail. `--fix` computes the area.";
    AREA "FMDL0060" Warning fix "wrong surface area"
        "The game selects the level of detail by the surface area. Exporters often write a constant. `--fix` computes it if bounding boxes and texel density confirm the vertices.";
    DENSITY "FMDL0061" Info fix "wrong texel density"
        "Meters per UV unit determine how much of the textures is loaded. Textures may stay blurred. `--fix` computes it if bounding boxes and surface area confirm the vertices.";
    GROUP_PARENT "FMDL0062" Error keep "a group precedes its parent"
        "Parents must come before their children, and only the root has no parent.";
    FRAGMENT "FMDL0063" Warning keep "fragment without a pivot, or a pivot without the fragment flag"
        "Vertices of destruction fragments (flag 2) are relative to a pivot. Without one the piece appears at the origin.";
    GROUP_NAME "FMDL0064" Info keep "name and visibility of a group disagree"
        "Names that end in _IV belong to groups that are initially invisible (flag 1).";
    RUN_GROUP "FMDL0065" Error keep "the group of a run does not exist"
        "The meshes of the run belong to a group that the model does not have. They are not drawn.";
    RUN_MESHES "FMDL0066" Error keep "the meshes of a run do not exist"
        "The run refers to meshes beyond the end of the table. The game reads past it and draws garbage or crashes.";
    MESH_NO_RUN "FMDL0067" Error keep "mesh without a group"
        "No run contains the mesh, so the game never draws it. Add it to a group.";
    MESH_TWO_RUNS "FMDL0068" Error keep "mesh in two runs"
        "Each mesh belongs to exactly one run. This one would be drawn twice.";
    ELEMENT_ORDER "FMDL0069" Info keep "unusual order of vertex attributes"
        "Game files have position, normal, tangent, color, weights, bone indices, UVs, in streams by slot. Converting the model restores this order.";
    DOUBLE_USAGE "FMDL0070" Error keep "duplicate vertex attribute"
        "Two columns have the same usage; the game uses one of them.";
    UNKNOWN_USAGE "FMDL0071" Warning keep "unknown vertex attribute"
        "No game file has this usage or type. It is kept as raw bytes.";
    UNUSUAL_TYPE "FMDL0072" Warning keep "unusual type of a vertex attribute"
        "The game's shaders read each attribute in one type (UVs of PES in two). Other types show garbage.";
    PATH_KIND "FMDL0073" Warning keep "texture path is not that of an .ftex file"
        "The top 13 bits of a path hash encode its extension. These are not those of ftex, so the game looks for another kind of file.";
    NO_SLOT "FMDL0074" Warning keep "texture or parameter without a name"
        "Shaders find textures and parameters by name. This one is not used.";
    DOUBLE_SLOT "FMDL0075" Warning keep "duplicate slot or parameter in a material"
        "The shader uses one of the two values, and which one is unknown. Remove the other.";
    NO_SHADER "FMDL0076" Error keep "material without a shader or technique"
        "Meshes with this material are not drawn. Choose a shader and technique, such as fox_3ddf_basic and fox3DDF_Blin_LNM.";
    NO_BASE "FMDL0077" Info keep "material without textures"
        "Only shadow and constant-color materials need no textures.";
    UNUSED_MATERIAL "FMDL0078" Info keep "unused material"
        "No mesh uses it. It takes memory, and its textures are loaded needlessly.";
    BAD_PARAMETER "FMDL0079" Error keep "parameter is not finite"
        "The shader computes with infinity or NaN: surfaces are black or far too bright.";
    UNKNOWN_FLAGS "FMDL0080" Warning keep "unknown mesh flags"
        "Bits are set that no game file sets. They are kept; their effect is unknown.";
    SHADOW_ONLY "FMDL0081" Info keep "mesh that only casts a shadow"
        "Flag bit 9 makes the mesh itself invisible. Clear it if the mesh should be drawn.";
    INSIDE_OUT "FMDL0082" Warning fix "faces are inside out"
        "Front faces are clockwise. Most faces of this mesh point against its normals, so the game shows its inside; importers that mirror the model cause this. `--fix` flips the faces if nearly all of them do.";
    UNUSED_VERTICES "FMDL0083" Info keep "unused vertices"
        "No face uses them. They take memory and may enlarge the bounding boxes.";
    LOD_RATIO "FMDL0084" Warning keep "the two reduction ratios differ"
        "In models with automatic levels of detail, tables 0x10 and 0x14 hold the same ratio.";
    MATRICES "FMDL0085" Warning keep "the number of bone matrices is not that of the bones"
        "Skinned PES models have a 4x4 matrix per bone. With fewer, the game reads past the end.";
    EXTENSION "FMDL0086" Warning keep "the PES extension text does not match the model"
        "The text that PES tools append refers to a mesh or group that does not exist, or is not of the form `Key: number, number`.";
    SHARED_BYTES "FMDL0087" Info keep "overlapping data"
        "Tables, vertices or faces overlap in the file. They are stored separately as soon as one of them is changed.";
    BUFFER_RANGE "FMDL0088" Warning keep "mesh data extend past their buffer"
        "Vertices or indices end after the buffer that contains them. The game uploads only the buffer, so the rest is garbage on screen. A count or an offset of the mesh is wrong.";
    GROUP_ORDER "FMDL0089" Info keep "the bones of a bone group are not in order"
        "Game files list the bones of a group in ascending order without duplicates. The game accepts any order; a duplicate wastes one of 32 places, or one of the two is wrong.";
    UNKNOWN_SHADER "FMDL0090" Warning keep "unknown shader or technique"
        "No file of the games and no tool for PES names it. If it is misspelt, the game draws nothing. `galatea shaders` lists the known ones.";
    UNKNOWN_SLOT "FMDL0091" Warning keep "unknown texture slot or parameter"
        "No shader of the games has it. If it is misspelt, the texture or the value is not used, and the real one is missing. `galatea shaders` lists what each shader has.";
    MISSING_SLOT "FMDL0092" Warning keep "a texture slot of the shader is empty"
        "Every material of the games with this shader and technique has a texture there. Without one the surface shows an arbitrary texture, or none. Assign one, such as the game's own cm_flat_nrm or dummy_srm.";
    FOREIGN_SHADER "FMDL0093" Warning keep "shader of another game"
        "PES does not have the shaders whose names begin with tpp. The meshes are not drawn. Choose one of `galatea shaders --game pes`.";
    TEXTURE_ENDING "FMDL0094" Warning keep "texture does not have the ending of a source file"
        "Models name textures by their source files: .tga, .psd or .dds, whatever the file in the game is. With any other ending the texture is not found.";
    ALL_HIDDEN "FMDL0095" Warning keep "all groups are hidden"
        "Every mesh belongs to a group that begins invisible. The game shows nothing until a script shows one of them.";
    NAME_TABLE "FMDL0096" Error keep "names are stored as in another version"
        "Files of version 2.04 have hashes of names, those of 2.03 the names themselves. The game looks for one kind only. Convert the model to the version of your game.";
    DOUBLE_BONE "FMDL0097" Warning keep "duplicate bone name"
        "The game finds bones by name. All but one of these do not move.";
}
