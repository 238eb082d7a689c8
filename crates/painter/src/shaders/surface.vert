layout(location = 0) in vec3 a_place;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec2 a_uv;
layout(location = 3) in vec2 a_lightmap;
layout(location = 4) in vec4 a_color;

uniform vec4 u_style[21];

out vec3 v_place;
out vec3 v_normal;
out vec2 v_light;
out vec4 v_color;
out vec2 v_uv;
out vec2 v_lightmap;

float light(vec3 normal) {
    float key = max(dot(normal, u_camera[4].xyz), 0.0);
    return u_camera[2].w * key + u_camera[3].w + u_camera[4].w * (0.5 + 0.5 * normal.y);
}

void main() {
    vec3 place = a_place - u_camera[3].xyz;
    v_place = place;
    v_normal = a_normal;
    v_light = vec2(light(a_normal), light(-a_normal));
    v_color = u_style[0] * a_color;
    // Normals as colors, and masks without their alpha.
    if (u_style[2].w == 1.0) {
        vec3 value = a_normal * 0.5 + 0.5;
        v_color = vec4(value * value, 1.0);
        if (u_style[9].w > 0.0) v_color = vec4(0.3, 0.3, 0.3, 1.0);
    } else if (u_style[2].w == 3.0) {
        v_color = vec4(a_color.rgb, 1.0);
    }
    vec3 uv = vec3(a_uv, 1.0);
    v_uv = vec2(dot(u_style[4].xyz, uv), dot(u_style[5].xyz, uv));
    vec3 lightmap = vec3(a_lightmap, 1.0);
    v_lightmap = vec2(dot(u_style[6].xyz, lightmap), dot(u_style[7].xyz, lightmap));
    gl_Position = projected(seen(place));
}
