layout(location = 0) in vec3 a_from;
layout(location = 1) in vec3 a_to;
layout(location = 2) in vec4 a_color;
// 0 a line, 1 a dot, 2 a box; then its width, or half its sides, in pixels.
layout(location = 3) in vec3 a_shape;

// Half the image in pixels.
uniform vec4 u_image[1];

out vec4 v_color;
out vec2 v_offset;
flat out vec2 v_dot;

void main() {
    v_color = a_color;
    v_dot = vec2(a_shape.x == 1.0 ? 1.0 : 0.0, a_shape.y * 0.5);
    vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
    vec2 half_image = u_image[0].xy;
    float near = u_camera[1].w;
    vec3 from = seen(a_from - u_camera[3].xyz);
    vec3 to = seen(a_to - u_camera[3].xyz);
    vec3 at = from;
    vec2 offset = corner * a_shape.yz;
    if (from.z < near && to.z < near) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    if (a_shape.x == 0.0) {
        // Cut at the near plane, so that both ends can be projected.
        vec3 a = from.z < near ? mix(from, to, (near - from.z) / (to.z - from.z)) : from;
        vec3 b = to.z < near ? mix(to, from, (near - to.z) / (from.z - to.z)) : to;
        vec2 along = (b.xy / b.z - a.xy / a.z) * half_image;
        float size = length(along);
        vec2 side = size > 0.0 ? vec2(-along.y, along.x) / size : vec2(0.0);
        offset = side * corner.y * a_shape.y * 0.5;
        at = corner.x < 0.0 ? a : b;
    } else if (a_shape.x == 1.0) {
        offset = corner * 1.082 * a_shape.y * 0.5;
    }
    v_offset = offset;
    // Slightly in front of the surface that it is on.
    float w = at.z * 0.998;
    gl_Position = vec4((at.xy / at.z + offset / half_image) * w, w - 2.0 * near, w);
}
