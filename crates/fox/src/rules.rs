//! The table of rules. Codes are stable and never reused.

galatea_wire::rules! {
    /// Every rule of the format, by code.
    pub static RULES;
    VERSION "FMDL0001" Warning keep "unknown version"
        "The games' files have version 2.03 (Ground Zeroes, PES) or 2.04 (The Phantom Pain, Survive). The game may refuse another one; convert the model to the version of your game.";
    BLOCK_MASK "FMDL0002" Warning fix "the header's list of blocks is wrong"
        "Two words of the header have a bit for each block in the file. They do not match the blocks that are there, so a tool that trusts them misses some. `--fix` sets one that is wrong if all blocks are known.";
    SECTION_LENGTH "FMDL0003" Warning fix "a section's offset or length is wrong"
        "The header's section offsets and lengths do not end where the file does. Some PES tools write them wrong. `--fix` sets one length if the blocks say that the file is whole.";
    DATA_LENGTH "FMDL0004" Warning fix "a data block runs past the end of the file"
        "The length of a block in section 1 is larger than what the file has. What is there was read. `--fix` sets the length if the header says that the file is whole; otherwise it was probably cut off.";
    KEPT_BYTES "FMDL0005" Info keep "bytes that belong to nothing"
        "Between or behind the blocks lie bytes other than zero. The game does not read them; they are kept as long as the file keeps its shape.";
    UNKNOWN_BLOCK "FMDL0006" Warning keep "unknown block"
        "The file has a block with an id that no game file has. It is kept as it is; the game ignores it or refuses the file.";
    DOUBLE_BLOCK "FMDL0007" Error keep "the same block twice"
        "Two blocks have the same id. The first one was read; which one the game takes is not known. Remove one.";
    MISSING_TABLE "FMDL0008" Error keep "a table that every model needs is missing"
        "Every game file has this table, even when it is empty. Without it the game does not load the model.";
    BUFFERS "FMDL0009" Error fix "the buffer table is wrong"
        "There must be three buffers: positions, other attributes, indices, one after the other, each a multiple of 16 bytes long, together as long as their block. `--fix` sets the one field that does not go with the others.";
    NAME_RANGE "FMDL0010" Error keep "a name that is not there"
        "A record names a string or hash by a number beyond the end of the table. The game reads past the table and may crash. Give it a name.";
    TEXT_RANGE "FMDL0011" Error keep "a text outside the file"
        "A string's place lies behind the end of the file, so its text is lost. The file was probably cut off; restore it, or give the thing a new name.";
    TEXT_ENTRY "FMDL0012" Warning keep "strings are not stored as the game does"
        "Strings follow each other in the order of the table, each ended by a NUL, all in block 3. Another tool may not find them otherwise, and the name may be a wrong one.";
    FIRST_NAME "FMDL0013" Warning keep "name 0 is not empty"
        "The first name of every game file is the empty one. A thing without a name would get this one instead.";
    TEXTURE_RANGE "FMDL0014" Error keep "a texture that is not there"
        "A material's slot names a texture or texture path beyond the end of the table. The slot stays empty or the game crashes. Give the slot a texture.";
    PARAMETER_RANGE "FMDL0015" Error keep "a parameter value that is not there"
        "A parameter names a value beyond the end of the values. The game reads past the table. Give the parameter a value.";
    SHADER_RANGE "FMDL0016" Error keep "a material that is not there"
        "A material instance names a shader and technique beyond the end of the table. Meshes with it are not drawn. Choose a material.";
    BINDING_RANGE "FMDL0017" Error keep "bindings that are not there"
        "A material instance's textures or parameters reach beyond the end of the bindings table. What is there was read.";
    BOX_RANGE "FMDL0018" Error keep "a box that is not there"
        "A run or bone names a box beyond the end of the table. The game culls it at random. Compute the boxes anew.";
    PIVOT_RANGE "FMDL0019" Error keep "a pivot that is not there"
        "A fragment group names a pivot beyond the end of the values. The fragment appears at the origin.";
    MESH_MATERIAL "FMDL0020" Error keep "the mesh's material does not exist"
        "The mesh names a material instance that the model does not have. The game does not draw it, or crashes. Assign one of the model's materials.";
    MESH_BONES "FMDL0021" Error keep "the mesh's bone group does not exist"
        "The vertices name bones, but the mesh has no bone group to look them up in. The mesh collapses. Assign a bone group.";
    MESH_LAYOUT "FMDL0022" Error keep "the mesh has no vertex layout"
        "The mesh's layout, or the streams and elements of it, lie beyond the end of their tables. The mesh cannot be drawn.";
    NO_VERTICES "FMDL0023" Error keep "a mesh without vertices"
        "Every mesh of a game file has vertices. Remove the mesh.";
    NO_POSITIONS "FMDL0024" Error keep "a mesh without positions"
        "Positions must be there as three 32-bit floats. The mesh is not drawn otherwise.";
    NO_NORMALS "FMDL0025" Warning keep "a mesh without normals"
        "All game meshes have normals as four half floats. Without them the mesh is black or flat.";
    NO_TANGENTS "FMDL0026" Warning keep "a normal map, but no tangents"
        "The material has a normal map, which needs tangents to know its directions. Lighting is wrong without. Compute tangents, or take the map away.";
    NO_UVS "FMDL0027" Warning keep "textures, but no texture coordinates"
        "The material has textures, but the mesh has no UV 0. One pixel of the texture is stretched over the whole mesh.";
    INDEX_RANGE "FMDL0028" Error keep "a face names a vertex that is not there"
        "An index is as high as the number of vertices or higher. Triangles shoot across the screen, or the game crashes.";
    WINDOW_THIRDS "FMDL0029" Error keep "a level of detail is not whole triangles"
        "The first index and the number of indices of a face window must be multiples of 3; otherwise triangles are put together from wrong corners.";
    WINDOW_RANGE "FMDL0030" Error keep "a level of detail reaches beyond the mesh's indices"
        "A face window ends behind the last index of the mesh, so that level shows faces of another mesh.";
    WINDOW_FIRST "FMDL0031" Error keep "level of detail 0 is not the whole start of the indices"
        "The first window always begins at index 0 and has as many indices as the mesh says. The game draws with one, shadows with the other.";
    WINDOW_GROWS "FMDL0032" Warning keep "a lower level of detail has more faces"
        "Windows never grow from level to level in game files. A far mesh that costs more than a near one is most likely a mistake.";
    WINDOW_TABLE "FMDL0033" Error fix "face windows are numbered wrongly"
        "A mesh's windows begin at mesh index * level count, a run's at first mesh * level count. With other numbers the game shows another mesh's faces. `--fix` sets the number where the window there has the mesh's index count.";
    WINDOW_COUNT "FMDL0034" Error keep "meshes with different numbers of levels of detail"
        "All meshes of a model have as many face windows as the model has levels. Give each level of every mesh its faces.";
    NO_LODS "FMDL0035" Error keep "no level of detail at all"
        "The model says it has no levels of detail, or a mesh has no face window. Nothing is drawn.";
    NO_FACES "FMDL0036" Warning keep "a mesh without faces"
        "Level of detail 0 is empty: nothing of this mesh is ever seen near by.";
    FACE_LIMIT "FMDL0037" Warning keep "more than 21,845 faces in one mesh"
        "The index count of a level then needs more than 16 bits, which PES does not show. Split the mesh.";
    DEGENERATE "FMDL0038" Info keep "triangles with two equal corners"
        "Such a triangle has no surface and is never seen. The games' own files have some; they are harmless.";
    BAD_POSITION "FMDL0039" Error keep "a position that is not a number"
        "A vertex lies at infinity or nowhere. The mesh flickers or vanishes, and its box is useless.";
    BAD_UV "FMDL0040" Warning keep "a texture coordinate that is not a number"
        "A UV is infinite or not a number: half floats overflow above 65504. The texture smears there.";
    NORMAL_LENGTH "FMDL0041" Warning fix "normals that are not of length 1"
        "Lighting is too bright or too dark where a normal is longer or shorter than 1, or its w is not 1. `--fix` keeps the direction; one without any is left alone.";
    TANGENT_LENGTH "FMDL0042" Warning fix "tangents that are not of length 1"
        "Normal maps look too strong or too weak where a tangent is not of length 1. `--fix` keeps the direction; one without any is left alone.";
    TANGENT_SIDE "FMDL0043" Warning fix "a tangent whose w is neither 1 nor -1"
        "The w of a tangent says on which side the bitangent lies. Other values scale the normal map. `--fix` keeps the sign; 0 is left alone.";
    WEIGHT_SUM "FMDL0044" Error fix "weights that do not sum to 255"
        "The game multiplies weights as they are: with less than 255 a vertex is drawn towards the origin, with more away from it. `--fix` changes the one weight that alone breaks the order, else scales all.";
    NO_WEIGHT "FMDL0045" Error keep "a vertex that no bone moves"
        "All four weights are 0, so the vertex collapses into the origin. Weight it to a bone.";
    WEIGHT_ORDER "FMDL0046" Info fix "weights not in descending order"
        "Game files have the strongest bone first. When the game uses fewer bones for far models, it drops the last ones. `--fix` sorts weights that sum to 255.";
    BONE_INDEX "FMDL0047" Error keep "a vertex names a bone beyond its bone group"
        "A vertex is weighted to a bone index that its bone group does not have. It flies off to wherever that matrix points.";
    SKIN_HALF "FMDL0048" Error keep "weights without bone indices, or bone indices without weights"
        "Skinned vertices need both. The mesh collapses or stays stiff.";
    GROUP_LIMIT "FMDL0049" Error keep "more than 32 bones in a bone group"
        "The game holds 32 bones per mesh. Split the mesh.";
    GROUP_BONE "FMDL0050" Error keep "a bone group names a bone that is not there"
        "The bone's number is beyond the end of the bones. Vertices of that bone fly off.";
    GROUP_WEIGHTS "FMDL0051" Error fix "a bone group allows fewer weights than its vertices have"
        "The game skins only with as many weights as the bone group says; the others are dropped and vertices tear apart. `--fix` counts them, if more than one vertex has so many.";
    BONE_PARENT "FMDL0052" Error keep "a bone before its parent"
        "Parents come before their children. The game walks the list once, so such a bone takes last frame's parent or none.";
    BONE_PLACE "FMDL0053" Warning fix "a bone's two positions disagree"
        "In MGSV a bone's position in the model is its parent's plus its own. The game uses one, tools the other. `--fix` derives the one that the bone's children do not confirm; bones without children are left alone. (Not checked for 2.03: PES stores other things there.)";
    BONE_FLAG "FMDL0054" Warning fix "a bone's box flag is wrong"
        "Flag 1 says that the bone's box is real; a bone without vertices has the empty box and flag 0. `--fix` sets the flag where the vertices confirm the box.";
    BONE_BOX "FMDL0055" Info fix "a bone's box does not hold its vertices"
        "The box of a bone should hold all vertices that it moves. A model may be culled while it is still in sight. `--fix` enlarges sides that more than one vertex lies beyond.";
    RUN_BOX "FMDL0056" Warning fix "a run's box is not that of its vertices"
        "With a box too small the meshes vanish while still in sight; with one too large they are drawn for nothing. Game files have it exact to the bit. `--fix` derives sides that several vertices lie beyond, or if the model's surface confirms the vertices.";
    MODEL_BOX "FMDL0057" Warning fix "the model's box is not that of its vertices"
        "With a box too small the model vanishes at the edge of the screen; with one too large it is drawn for nothing. Fragments count at their pivots. `--fix` derives it where the boxes of the runs confirm the vertices.";
    USAGE_MASK "FMDL0058" Warning fix "a vertex layout's usage mask is wrong"
        "The mask tells the game how many texture coordinates there are. `--fix` sets it if all attributes are known.";
    AREA_ZERO "FMDL0059" Error fix "the model's surface is 0"
        "With 0 here the game always shows the lowest level of detail. `--fix` computes the surface.";
    AREA "FMDL0060" Warning fix "the model's surface is wrong"
        "The game chooses the level of detail by the model's surface. Exporters often write a constant. `--fix` computes it if boxes and texel density confirm the vertices.";
    DENSITY "FMDL0061" Info fix "the texel density is wrong"
        "Metres per UV unit choose how much of the textures is loaded. Textures may stay blurred. `--fix` computes it if boxes and surface confirm the vertices.";
    GROUP_PARENT "FMDL0062" Error keep "a group before its parent"
        "Parents come before their children, and only the root has none.";
    FRAGMENT "FMDL0063" Warning keep "a fragment without pivot, or a pivot without fragment flag"
        "Destruction fragments (flag 2) have their vertices relative to a pivot. Without it the piece appears at the origin.";
    GROUP_NAME "FMDL0064" Info keep "a group's name and visibility disagree"
        "Names that end in _IV are for groups that begin invisible (flag 1).";
    RUN_GROUP "FMDL0065" Error keep "a run's group does not exist"
        "The meshes of the run belong to a group that the model does not have. They are not drawn.";
    RUN_MESHES "FMDL0066" Error keep "a run's meshes do not exist"
        "The run names meshes beyond the end of the table. The game reads past it and draws garbage or crashes.";
    MESH_NO_RUN "FMDL0067" Error keep "a mesh that belongs to no group"
        "No run covers the mesh, so the game never draws it. Put it into a group.";
    MESH_TWO_RUNS "FMDL0068" Error keep "a mesh that belongs to two runs"
        "Each mesh is covered by exactly one run. This one would be drawn twice.";
    ELEMENT_ORDER "FMDL0069" Info keep "vertex attributes in unusual order"
        "Game files have position, normal, tangent, colour, weights, bone indices, UVs, in streams by slot. Converting the model writes them so.";
    DOUBLE_USAGE "FMDL0070" Error keep "the same vertex attribute twice"
        "Two columns have the same usage; the game takes one of them.";
    UNKNOWN_USAGE "FMDL0071" Warning keep "an unknown vertex attribute"
        "The usage or type is none that any game file has. It is kept raw.";
    UNUSUAL_TYPE "FMDL0072" Warning keep "a vertex attribute in an unusual type"
        "The game's shaders read each attribute in one type (UVs in PES in two). Another one shows garbage.";
    PATH_KIND "FMDL0073" Warning keep "a texture path that is not of an .ftex file"
        "The top 13 bits of a path hash are its extension's. This one is not ftex, so the game looks for another kind of file.";
    NO_SLOT "FMDL0074" Warning keep "a texture or parameter without a name"
        "The shader finds its textures and parameters by name. Without one it is not used.";
    DOUBLE_SLOT "FMDL0075" Warning keep "a slot or parameter twice in one material"
        "The shader takes one of the two values, and which one is not known. Remove the other.";
    NO_SHADER "FMDL0076" Error keep "a material without shader or technique"
        "A mesh uses this material, and is not drawn with it. Choose a shader and technique, such as fox_3ddf_basic and fox3DDF_Blin_LNM.";
    NO_BASE "FMDL0077" Info keep "a material without textures"
        "Only shadow and constant-colour materials do without textures.";
    UNUSED_MATERIAL "FMDL0078" Info keep "a material that no mesh uses"
        "It costs memory, and its textures are loaded for nothing.";
    BAD_PARAMETER "FMDL0079" Error keep "a parameter that is not a number"
        "The shader computes with infinity or not-a-number: black or blinding surfaces.";
    UNKNOWN_FLAGS "FMDL0080" Warning keep "unknown mesh flags"
        "Bits are set that no game file sets. They are kept; what the game does with them is not known.";
    SHADOW_ONLY "FMDL0081" Info keep "a mesh that only casts a shadow"
        "Flag bit 9 makes the mesh itself invisible. If you wonder why it cannot be seen: this is why.";
    INSIDE_OUT "FMDL0082" Warning fix "faces turned inside out"
        "Front faces are clockwise. Most faces of this mesh point against its normals, so the game shows its inside (importers that mirror the model do that). `--fix` turns the faces if nearly all do.";
    UNUSED_VERTICES "FMDL0083" Info keep "vertices that no face uses"
        "They cost memory and may make the boxes larger than what is seen.";
    LOD_RATIO "FMDL0084" Warning keep "the two reduction ratios differ"
        "Where a model has automatic levels of detail, tables 0x10 and 0x14 hold the same ratio.";
    MATRICES "FMDL0085" Warning keep "not one matrix per bone"
        "Skinned PES models have one 4x4 matrix for each bone. With fewer the game reads past them.";
    EXTENSION "FMDL0086" Warning keep "the PES extension text does not fit the model"
        "The text that PES tools append names a mesh or group that is not there, or is not of the form `Key: number, number`.";
    SHARED_BYTES "FMDL0087" Info keep "two things lie on the same bytes"
        "Tables, vertices or faces overlap in the file. They are given places of their own as soon as one is changed.";
    BUFFER_RANGE "FMDL0088" Warning keep "a mesh's data reach beyond their buffer"
        "Vertices or indices end behind the buffer that should hold them. The game uploads the buffer only, so the rest is garbage on screen. A count or an offset of the mesh is wrong.";
    GROUP_ORDER "FMDL0089" Info keep "a bone group's bones are not in order"
        "Game files list the bones of a group in ascending order, none twice. The game works with any order; a bone listed twice wastes one of 32 places, or one of the two is wrong.";
}
