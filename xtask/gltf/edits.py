"""Edits of a model in Blender, as people make them, and the same edits of its GLB by an ideal editor that changes nothing else.

`Edits(path)` chooses what to edit in the GLB that was imported, `in_blender` makes the edits there, and `ideal` writes the GLB that
should come out, with the amounts that Blender's own exports before and after tell.
"""
import copy
import json
import struct

import bpy
import mathutils
import numpy as np

WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TYPES = {5120: "i1", 5121: "u1", 5122: "i2", 5123: "u2", 5125: "u4", 5126: "f4"}


class Glb:
    """A GLB whose accessors can be read, overwritten and appended."""

    def __init__(self, path):
        data = open(path, "rb").read()
        length = struct.unpack_from("<I", data, 12)[0]
        self.json = json.loads(data[20:20 + length])
        self.bin = bytearray(data[20 + length + 8:])

    def array(self, index):
        a = self.json["accessors"][index]
        view = self.json["bufferViews"][a["bufferView"]]
        width, kind = WIDTHS[a["type"]], np.dtype(TYPES[a["componentType"]])
        start = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        stride = view.get("byteStride", width * kind.itemsize)
        rows = [np.frombuffer(self.bin, kind, width, start + i * stride) for i in range(a["count"])]
        return np.array(rows).reshape(a["count"], width)

    def append(self, rows, kind, component, **more):
        """Adds an accessor of its own, so that what shares another one stays as it is."""
        while len(self.bin) % 4:
            self.bin.append(0)
        data = np.ascontiguousarray(rows, TYPES[component]).tobytes()
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.bin), "byteLength": len(data)})
        self.bin += data
        self.json["accessors"].append({"bufferView": len(self.json["bufferViews"]) - 1, "componentType": component,
                                       "count": len(rows), "type": kind, **more})
        return len(self.json["accessors"]) - 1

    def positions(self, rows):
        return self.append(rows, "VEC3", 5126, min=rows.min(0).tolist(), max=rows.max(0).tolist())

    def save(self, path):
        while len(self.bin) % 4:
            self.bin.append(0)
        self.json["buffers"][0]["byteLength"] = len(self.bin)
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        whole = 12 + 8 + len(text) + 8 + len(self.bin)
        with open(path, "wb") as out:
            out.write(struct.pack("<4sIIII", b"glTF", 2, whole, len(text), 0x4E4F534A) + text)
            out.write(struct.pack("<II", len(self.bin), 0x004E4942) + self.bin)

    def node(self, name):
        return next((i for i, n in enumerate(self.json.get("nodes", [])) if n.get("name") == name), None)

    def parent(self, node):
        return next((i for i, n in enumerate(self.json["nodes"]) if node in n.get("children", [])), None)

    def channel(self, clip, node, path):
        for animation in self.json.get("animations", []):
            for channel in animation["channels"] if animation["name"] == clip else ():
                at = channel["target"].get("node")
                if channel["target"]["path"] == path and at is not None and self.json["nodes"][at].get("name") == node:
                    return animation["samplers"][channel["sampler"]]
        return None


def bags(action):
    for layer in action.layers:
        for strip in layer.strips:
            yield from strip.channelbags


def to_gltf(v):
    return np.array([v[0], v[2], -v[1]])


class Edits:
    def __init__(self, path):
        self.sent = Glb(path)
        self.done = []
        self.taken = set()

    def meshes(self):
        """Objects with triangles that are one node of the GLB, the largest first."""
        found = []
        for o in bpy.data.objects:
            at = self.sent.node(o.name)
            node = self.sent.json["nodes"][at] if at is not None else {}
            if o.type == "MESH" and "mesh" in node and len(o.data.polygons) and not o.children and o.users_collection:
                own = self.sent.json["meshes"][node["mesh"]]
                alone = sum(n.get("mesh") == node["mesh"] for n in self.sent.json["nodes"]) == 1
                solid = all(p.get("mode", 4) == 4 for p in own["primitives"])
                shared = own.get("extras", {}).get("galatea", {}).get("lod")
                if alone and solid and not shared and "children" not in node:
                    found.append(o)
        return sorted(found, key=lambda o: (-len(o.data.polygons), o.name))

    def in_blender(self):
        edits = [self.move_vertex, self.delete_mesh, self.move_node, self.rename_node, self.move_key, self.swap_picture, self.add_mesh]
        if any("fmdl" in self.own(n) for n in self.sent.json["nodes"]):
            # Only groups and bones have names, and there may be a single one.
            edits.insert(2, edits.pop(3))
        for edit in edits:
            made = edit()
            if made is not None:
                self.done.append({"edit": edit.__name__, **made})

    def move_vertex(self):
        for o in self.meshes():
            mesh = self.sent.json["meshes"][self.sent.json["nodes"][self.sent.node(o.name)]["mesh"]]
            # The importer takes the vertices that the triangles of each primitive use, in order.
            rows = []
            for p in mesh["primitives"]:
                rows.append(self.sent.array(p["attributes"]["POSITION"])[np.unique(self.sent.array(p["indices"]))])
            was = np.concatenate(rows)
            here = np.array([v.co for v in o.data.vertices])
            if len(was) != len(here) or len(here) < 3:
                continue
            # Skinned vertices are in another space.
            fit, *_ = np.linalg.lstsq(np.c_[here, np.ones(len(here))], was, rcond=None)
            size = float(np.ptp(was, 0).max())
            if np.abs(np.c_[here, np.ones(len(here))] @ fit - was).max() > 1e-4 * size or np.linalg.matrix_rank(here - here[0], 1e-4 * size) < 3:
                continue
            at = here[len(here) // 2]
            by = np.array([0.05, 0.03, 0.04]) * float(np.ptp(here, 0).max())
            for vertex in o.data.vertices:
                if np.abs(np.array(vertex.co) - at).max() < 1e-6 * size:
                    vertex.co = np.array(vertex.co) + by
            self.taken.add(o.name)
            return {"node": o.name, "at": was[len(here) // 2].tolist(), "by": (by @ fit[:3]).tolist(), "size": size}
        return None

    def delete_mesh(self):
        # A material that nothing uses any more goes with its mesh.
        for o in reversed(self.meshes()):
            # Its levels of detail go with it.
            levels = [l.name for l in bpy.data.objects if l.name.startswith(o.name + "_lod") and self.sent.node(l.name) is not None]
            gone = [o.name, *levels]
            if o.name not in self.taken and self.materials(gone, True) <= self.materials(gone, False):
                for name in gone:
                    bpy.data.objects.remove(bpy.data.objects[name])
                return {"node": gone[0], "levels": levels}
        return None

    def materials(self, names, inside):
        """The materials of these nodes, or of all others."""
        nodes = [n for n in self.sent.json["nodes"] if "mesh" in n and (n["name"] in names) == inside]
        return {p.get("material") for n in nodes for p in self.sent.json["meshes"][n["mesh"]]["primitives"]}

    def is_moved(self, name):
        return any(self.sent.json["nodes"][c["target"]["node"]].get("name") == name
                   for a in self.sent.json.get("animations", []) for c in a["channels"] if "node" in c["target"])

    def free_objects(self, named=False):
        """Objects that are nodes of the format, not lines or levels of detail; on request only those that have a name there."""
        found = []
        for o in bpy.data.objects:
            at = self.sent.node(o.name)
            if at is None or o.type not in ("EMPTY", "MESH") or o.name in self.taken:
                continue
            node = self.sent.json["nodes"][at]
            free = o.parent and o.parent_type == "OBJECT" and o.parent.type == "EMPTY" and "skin" not in node
            mesh = self.sent.json["meshes"][node["mesh"]] if "mesh" in node else {"primitives": []}
            solid = all(p.get("mode", 4) == 4 for p in mesh["primitives"])
            level = "lod" in mesh.get("extras", {}).get("galatea", {})
            if free and solid and not level and not (named and "mesh" in node and "fmdl" in self.own(node)):
                found.append(o)
        return sorted(found, key=lambda o: o.name)

    @staticmethod
    def own(value):
        return value.get("extras", {}).get("galatea", {})

    def move_node(self):
        for o in self.free_objects():
            # Groups of FMDL have no place.
            node = self.sent.json["nodes"][self.sent.node(o.name)]
            if not self.is_moved(o.name) and not ("fmdl" in self.own(node) and "mesh" not in node):
                o.location = np.array(o.location) + np.array([0.11, -0.07, 0.05])
                self.taken.add(o.name)
                return {"node": o.name}
        return None

    def rename_node(self):
        for o in self.free_objects(named=True):
            if o.name not in self.taken:
                was, o.name = o.name, "Renamed"
                self.taken.add("Renamed")
                return {"node": was}
        for o in bpy.data.objects:
            for bone in o.data.bones if o.type == "ARMATURE" else ():
                at = self.sent.node(bone.name)
                if at is not None and "mesh" not in self.sent.json["nodes"][at] and not bone.children:
                    was, bone.name = bone.name, "Renamed"
                    return {"node": was}
        return None

    def move_key(self):
        kinds = [("rotation", "rotation_quaternion", 4), ("translation", "location", 3), ("scale", "scale", 3)]
        # Files differ in which kind is tried first.
        first = len(self.sent.bin) // 4 % 3
        found = list(self.key_curves())
        for path, data_path, width in kinds[first:] + kinds[:first]:
            for clip, owner, bag in found:
                own = {c.array_index: c for c in bag if c.data_path.endswith(data_path)}
                sampler = self.sent.channel(clip, owner, path)
                if len(own) != width or not sampler or sampler.get("interpolation") == "STEP":
                    continue
                count = len(self.sent.array(sampler["input"]))
                if count < 3 or any(len(c.keyframe_points) != count for c in own.values()) or self.is_baked(clip, owner, path):
                    continue
                at = count // 2
                values = [own[i].keyframe_points[at].co[1] for i in range(width)]
                if path == "rotation":
                    values = mathutils.Quaternion(values) @ mathutils.Quaternion((0.3, 0.5, 0.8), 0.4)
                else:
                    values = [v + 0.25 for v in values]
                for i, value in enumerate(values):
                    own[i].keyframe_points[at].co[1] = value
                    own[i].update()
                return {"clip": clip, "node": owner, "path": path, "key": at}
        return None

    def key_curves(self):
        """Curves by clip and node of the GLB. A clip of several objects is an action with a slot for each."""
        names = {a["name"] for a in self.sent.json.get("animations", [])}
        owners = {}
        for o in sorted(bpy.data.objects, key=lambda o: o.name):
            for track in o.animation_data.nla_tracks if o.animation_data else ():
                for strip in track.strips:
                    if strip.action and strip.action_slot:
                        owners[strip.action.name, strip.action_slot.handle] = o
        for action in sorted(bpy.data.actions, key=lambda a: a.name):
            for bag in bags(action) if action.name in names else ():
                o = owners.get((action.name, bag.slot_handle))
                by_node = {}
                for curve in bag.fcurves:
                    bone = curve.data_path.split('"')[1] if '"' in curve.data_path else None
                    by_node.setdefault(bone or (o.name if o else None), []).append(curve)
                for node, own in sorted(by_node.items(), key=lambda pair: str(pair[0])):
                    if node and node != "Renamed" and self.sent.node(node) is not None:
                        yield action.name, node, own

    def is_baked(self, clip, node, path):
        notes = self.sent.json["scenes"][0].get("extras", {}).get("galatea", {}).get("clips", [])
        for note in notes:
            for channel in note.get("channels", []) if note.get("clip") == clip else ():
                if channel.get("node") == node and channel.get("property") == path:
                    return "baked" in channel or "around" in json.dumps(channel)
        return False

    def swap_picture(self):
        for material in sorted(bpy.data.materials, key=lambda m: m.name):
            at = next((i for i, m in enumerate(self.sent.json.get("materials", [])) if m.get("name") == material.name), None)
            texture = at is not None and self.sent.json["materials"][at].get("pbrMetallicRoughness", {}).get("baseColorTexture")
            nodes = [n for n in material.node_tree.nodes if n.type == "TEX_IMAGE" and n.image] if material.node_tree else []
            if texture:
                # The one that shows the color.
                image = self.sent.json["images"][self.sent.json["textures"][texture["index"]]["source"]]["name"]
                nodes = [n for n in nodes if n.image.name == image or n.image.name.rsplit(".", 1)[0] == image]
            used = any(material.name in [s.name for s in o.material_slots] for o in bpy.data.objects)
            if texture and len(nodes) == 1 and used:
                image = bpy.data.images.new("swapped", 4, 4)
                image.pixels = [0.2, 0.4, 0.6, 1.0] * 16
                image.pack()
                nodes[0].image = image
                return {"material": at}
        return None

    def add_mesh(self):
        if not any("mesh" in n for n in self.sent.json["nodes"]):
            return None
        corners = [(0, 0, 0), (0.5, 0, 0), (0.5, 0.5, 0.1), (0, 0.5, 0.3)]
        mesh = bpy.data.meshes.new("added")
        mesh.from_pydata(corners, [], [(0, 1, 2), (0, 2, 3)])
        layer = mesh.uv_layers.new(name="UVMap")
        for loop in mesh.loops:
            layer.data[loop.index].uv = corners[loop.vertex_index][:2]
        o = bpy.data.objects.new("added", mesh)
        bpy.context.scene.collection.objects.link(o)
        owner = next((m for m in self.meshes() if m.material_slots), None)
        if owner is not None:
            mesh.materials.append(owner.material_slots[0].material)
        return {}

    def ideal(self, before, after, path):
        """Writes what should come out. `before` and `after` are Blender's exports, which tell amounts in glTF's axes."""
        before, after, out = Glb(before), Glb(after), self.sent
        for edit in self.done:
            getattr(self, "ideal_" + edit["edit"])(edit, before, after, out)
        out.save(path)

    def ideal_move_vertex(self, edit, before, after, out):
        mesh = out.json["meshes"][out.json["nodes"][out.node(edit["node"])]["mesh"]]
        turned = self.turned_normals(edit, mesh, before, after, out)
        new = {}
        for n, p in enumerate(mesh["primitives"]):
            index = p["attributes"]["POSITION"]
            if index not in new:
                rows = out.array(index)
                near = np.abs(rows - np.array(edit["at"])).max(1) < 1e-6 * edit["size"]
                rows[near] += np.array(edit["by"], "f4")
                new[index] = out.positions(rows)
            p["attributes"]["POSITION"] = new[index]
            if n in turned:
                self.turn(p, turned[n], out)

    @staticmethod
    def turn(p, turned, out):
        """Gives corners other normals, and vertices of their own where not all corners of a vertex get the same."""
        indices = out.array(p["indices"]).ravel()
        normals = out.array(p["attributes"]["NORMAL"])
        known, copies, values = {}, [], {}
        for corner, normal in turned.items():
            row = int(indices[corner])
            known.setdefault(row, {}).setdefault(None if normal is None else tuple(normal.round(4)), []).append(corner)
            values[row, None if normal is None else tuple(normal.round(4))] = normal
        for row, groups in known.items():
            # The row itself stays with those that have not turned, or with most.
            first = None if None in groups else max(groups, key=lambda g: len(groups[g]))
            for group, corners in groups.items():
                if group == first:
                    normals[row] = normals[row] if group is None else values[row, group]
                else:
                    indices[corners] = len(normals) + len(copies)
                    copies.append((row, values[row, group]))
        for name, index in list(p["attributes"].items()):
            rows = normals if name == "NORMAL" else out.array(index)
            if copies:
                more = np.array([v for _, v in copies]) if name == "NORMAL" else rows[[r for r, _ in copies]]
                rows = np.concatenate([rows, more.astype(rows.dtype)])
            a = out.json["accessors"][index]
            keep = {"normalized": a["normalized"]} if "normalized" in a else {}
            if name == "POSITION":
                p["attributes"][name] = out.positions(rows)
            elif copies or name == "NORMAL":
                p["attributes"][name] = out.append(rows, a["type"], a["componentType"], **keep)
        if copies:
            p["indices"] = out.append(indices.reshape(-1, 1), "SCALAR", 5125 if len(normals) + len(copies) > 65535 else out.json["accessors"][p["indices"]]["componentType"])

    def turned_normals(self, edit, mesh, before, after, out):
        """Normals around a vertex turn with the faces there, which are not where they were. Returns for each primitive the corners
        of vertices of which one has turned, each with its normal; None if that corner has not."""
        found = {}
        a, b = (glb.json["meshes"][glb.json["nodes"][self.holder(glb, edit["node"])]["mesh"]]["primitives"] for glb in (before, after))
        if not len(a) == len(b) == len(mesh["primitives"]):
            return found
        for n, (p, q, r) in enumerate(zip(mesh["primitives"], a, b)):
            if "NORMAL" not in p["attributes"]:
                continue
            corners, seen = [], set()
            indices = out.array(p["indices"]).ravel()
            for at, triangle in enumerate(indices.reshape(-1, 3)):
                # Blender drops these.
                key = tuple(sorted(triangle))
                if len(set(key)) == 3 and key not in seen:
                    corners.extend(range(at * 3, at * 3 + 3))
                seen.add(key)
            was, now = before.array(q["indices"]).ravel(), after.array(r["indices"]).ravel()
            if not len(corners) == len(was) == len(now):
                continue
            here = before.array(q["attributes"]["POSITION"])[was]
            there = out.array(p["attributes"]["POSITION"])[indices[corners]]
            fit, *_ = np.linalg.lstsq(np.c_[here, np.ones(len(here))], there, rcond=None)
            normals = before.array(q["attributes"]["NORMAL"])[was], after.array(r["attributes"]["NORMAL"])[now]
            changed = np.abs(normals[0] - normals[1]).max(1) > 1e-4
            back = normals[1] @ np.linalg.inv(fit[:3]).T
            back /= np.maximum(np.linalg.norm(back, axis=1, keepdims=True), 1e-9)
            rows = set(indices[corners][changed])
            found[n] = {c: back[i] if changed[i] else None for i, c in enumerate(corners) if indices[c] in rows}
        return found

    @staticmethod
    def holder(glb, name):
        """The node with the mesh of a node: Blender may have put it on a child."""
        at = glb.node(name)
        if "mesh" in glb.json["nodes"][at]:
            return at
        return next(c for c in glb.json["nodes"][at].get("children", []) if "mesh" in glb.json["nodes"][c])

    def ideal_delete_mesh(self, edit, before, after, out):
        for name in [edit["node"], *edit["levels"]]:
            self.without(out, out.node(name))

    def without(self, out, at):
        for skin in out.json.get("skins", []):
            spare = self.own(skin).get("spare", 0)
            if at in skin["joints"][:len(skin["joints"]) - spare]:
                # The bone stays.
                for key in ("mesh", "skin"):
                    out.json["nodes"][at].pop(key, None)
                return
        parent = out.parent(at)
        siblings = out.json["nodes"][parent]["children"] if parent is not None else out.json["scenes"][0]["nodes"]
        siblings.remove(at)
        if parent is not None and not siblings:
            del out.json["nodes"][parent]["children"]

    def ideal_move_node(self, edit, before, after, out):
        place = lambda glb: np.array(glb.json["nodes"][glb.node(edit["node"])].get("translation", [0, 0, 0]))
        node = out.json["nodes"][out.node(edit["node"])]
        by = place(after) - place(before)
        assert np.abs(by).max() > 0.01, "the node did not move"
        node["translation"] = (np.array(node.get("translation", [0, 0, 0])) + by).tolist()

    def ideal_rename_node(self, edit, before, after, out):
        node = out.json["nodes"][out.node(edit["node"])]
        node["name"] = "Renamed"
        own = node.get("extras", {}).get("galatea", {})
        # What refers to it does so by its key.
        own.setdefault("key", edit["node"])
        node["extras"] = {**node.get("extras", {}), "galatea": own}

    def ideal_move_key(self, edit, before, after, out):
        find = lambda glb: glb.channel(edit["clip"], edit["node"], edit["path"])
        a, b, sampler = find(before), find(after), find(out)
        cubic = sampler.get("interpolation") == "CUBICSPLINE"
        assert a and b and a.get("interpolation", "LINEAR") == sampler.get("interpolation", "LINEAR"), "the channel was changed"
        row = edit["key"] * 3 + 1 if cubic else edit["key"]
        rows = out.array(sampler["output"])
        was, now = before.array(a["output"])[row], after.array(b["output"])[row]
        if edit["path"] == "rotation":
            assert min(np.abs(now - was).max(), np.abs(now + was).max()) > 0.05, "the key did not move"
            rows[row] = now if now @ rows[row] >= 0 else -now
        else:
            assert np.abs(now - was).max() > 0.1, "the key did not move"
            rows[row] += now - was
        sampler["output"] = out.append(rows, out.json["accessors"][sampler["output"]]["type"], 5126)

    def ideal_swap_picture(self, edit, before, after, out):
        image = next(i for i in after.json["images"] if i.get("name") == "swapped")
        view = after.json["bufferViews"][image["bufferView"]]
        data = after.bin[view.get("byteOffset", 0):][:view["byteLength"]]
        material = out.json["materials"][edit["material"]]
        texture = material["pbrMetallicRoughness"]["baseColorTexture"]
        while len(out.bin) % 4:
            out.bin.append(0)
        out.json["bufferViews"].append({"buffer": 0, "byteOffset": len(out.bin), "byteLength": len(data)})
        out.bin += data
        out.json["images"].append({"name": "swapped", "mimeType": image["mimeType"], "bufferView": len(out.json["bufferViews"]) - 1})
        old = out.json["textures"][texture["index"]]
        new = {k: copy.deepcopy(v) for k, v in old.items() if k in ("sampler", "extras")}
        out.json["textures"].append({**new, "source": len(out.json["images"]) - 1})
        texture["index"] = len(out.json["textures"]) - 1

    def ideal_add_mesh(self, edit, before, after, out):
        node = after.json["nodes"][after.node("added")]
        primitive = after.json["meshes"][node["mesh"]]["primitives"][0]
        copied = {}
        for name, index in primitive["attributes"].items():
            a = after.json["accessors"][index]
            rows = after.array(index)
            copied[name] = out.positions(rows) if name == "POSITION" else out.append(rows, a["type"], a["componentType"])
        index = after.json["accessors"][primitive["indices"]]
        new = {"attributes": copied, "indices": out.append(after.array(primitive["indices"]), "SCALAR", index["componentType"])}
        if "material" in primitive:
            name = after.json["materials"][primitive["material"]]["name"]
            new["material"] = next(i for i, m in enumerate(out.json["materials"]) if m.get("name") == name)
        out.json["meshes"].append({"name": "added", "primitives": [new]})
        out.json["nodes"].append({**{k: v for k, v in node.items() if k in ("translation", "rotation", "scale", "name")},
                                  "mesh": len(out.json["meshes"]) - 1})
        out.json["scenes"][0]["nodes"].append(len(out.json["nodes"]) - 1)
