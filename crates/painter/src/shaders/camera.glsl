// Right and up, each divided by half the image at distance 1, then back; in w the distance of the target, the near plane, the key light's
// strength. Then the target, and the direction of the key light; in w the light from everywhere and from above.
uniform vec4 u_camera[5];

// Clip coordinates of a place relative to the target: x, y and the distance along the view.
vec3 seen(vec3 place) {
    return vec3(dot(place, u_camera[0].xyz), dot(place, u_camera[1].xyz), u_camera[0].w - dot(place, u_camera[2].xyz));
}

// Without a far plane; depth is a plane over the image.
vec4 projected(vec3 clip) {
    return vec4(clip.xy, clip.z - 2.0 * u_camera[1].w, clip.z);
}
