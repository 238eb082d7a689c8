layout(location = 0) in vec3 a_place;
layout(location = 2) in vec2 a_uv;
layout(location = 4) in vec4 a_color;

out vec2 v_uv;
out vec4 v_color;

void main() {
    v_uv = a_uv;
    v_color = a_color;
    gl_Position = projected(seen(a_place - u_camera[3].xyz));
}
