// --- The page -----------------------------------------------------------------------------------------------------------------------------

function controls(viewer) {
  const find = (id) => document.getElementById(id);
  const [clip, play, time, clock, speed] = ['clip', 'play', 'time', 'clock', 'speed'].map(find);
  const state = { playing: true };
  const { clips } = viewer.model;
  const choose = (index) => {
    viewer.clip = clips[index] ?? null;
    viewer.time = 0;
    time.max = viewer.clip?.length || 1;
    viewer.dirty = true;
  };
  const toggle = () => {
    state.playing = !state.playing;
    play.textContent = state.playing ? 'Pause' : 'Play';
  };
  if (clips.length > 0) {
    clips.forEach(({ name }, index) => clip.add(new Option(name, String(index))));
    const stand = clips.findIndex(({ name }) => /^(stand|pause)/i.test(name));
    clip.value = String(Math.max(stand, 0));
    choose(Number(clip.value));
    for (const part of [find('controls'), play, time.parentElement, speed.parentElement]) part.hidden = false;
  }
  clip.addEventListener('change', () => choose(Number(clip.value)));
  play.addEventListener('click', toggle);
  time.addEventListener('input', () => { viewer.time = Number(time.value); viewer.dirty = true; });
  find('all').addEventListener('click', () => viewer.showAll());
  addEventListener('keydown', (event) => {
    if (event.target.closest('select, input, button')) return;
    const { camera } = viewer;
    const step = { ArrowLeft: [-5, 0], ArrowRight: [5, 0], ArrowUp: [0, 5], ArrowDown: [0, -5] }[event.key];
    if (step) {
      camera.yaw += step[0];
      camera.pitch = Math.min(89, Math.max(-89, camera.pitch + step[1]));
    } else if (event.key === ' ') toggle();
    else if (event.key === 'f' || event.key === 'F') viewer.showAll();
    else if (event.key === '+') camera.distance *= 0.9;
    else if (event.key === '-') camera.distance /= 0.9;
    else return;
    event.preventDefault();
    viewer.dirty = true;
  });
  pointer(viewer);
  let before = performance.now();
  const tick = (now) => {
    const passed = Math.min((now - before) / 1000, 0.25) * Number(speed.value);
    before = now;
    const length = viewer.clip?.length ?? 0;
    if (state.playing && length > 0) {
      viewer.time = (viewer.time + passed) % length;
      viewer.dirty = true;
    }
    const { canvas } = viewer;
    if (viewer.dirty || canvas.clientWidth !== viewer.width || canvas.clientHeight !== viewer.height) {
      [viewer.width, viewer.height] = [canvas.clientWidth, canvas.clientHeight];
      viewer.dirty = false;
      viewer.draw();
      time.value = String(viewer.time);
      clock.textContent = `${viewer.time.toFixed(2)} / ${length.toFixed(2)} s`;
    }
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

// Turning, moving and zooming with mouse, pen and fingers.
function pointer(viewer) {
  const { canvas, camera, model } = viewer;
  const held = new Map();
  const pan = (dx, dy) => {
    const [right, up] = camera.axes(model.front);
    const size = (2 * camera.distance * Math.tan((camera.field * Math.PI) / 360)) / canvas.clientHeight;
    camera.target = camera.target.map((v, k) => v - right[k] * dx * size + up[k] * dy * size);
  };
  const zoom = (steps) => { camera.distance = Math.min(1e7, Math.max(1e-4, camera.distance * 0.85 ** steps)); };
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, event);
  });
  for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, (event) => held.delete(event.pointerId));
  canvas.addEventListener('pointermove', (event) => {
    const last = held.get(event.pointerId);
    if (!last) return;
    const [dx, dy] = [event.clientX - last.clientX, event.clientY - last.clientY];
    if (held.size === 2) {
      const [other] = [...held.values()].filter((h) => h.pointerId !== event.pointerId);
      const apart = (e) => Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY);
      zoom(Math.log(apart(last) / Math.max(apart(event), 1)) / Math.log(0.85));
      pan(dx / 2, dy / 2);
    } else if (event.buttons & 6 || event.shiftKey) {
      pan(dx, dy);
    } else {
      camera.yaw -= (dx / canvas.clientHeight) * 180;
      camera.pitch = Math.min(89.5, Math.max(-89.5, camera.pitch + (dy / canvas.clientHeight) * 180));
    }
    held.set(event.pointerId, event);
    viewer.dirty = true;
  });
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    zoom(-Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY) / 100, 3));
    viewer.dirty = true;
  }, { passive: false });
}

async function start() {
  const message = document.getElementById('message');
  try {
    const canvas = document.getElementById('view');
    const viewer = new Viewer(canvas, bytesOf(document.getElementById('model').textContent.trim()));
    Object.assign(canvas, { width: canvas.clientWidth, height: canvas.clientHeight });
    controls(viewer);
    viewer.showAll();
    canvas.addEventListener('webglcontextlost', () => location.reload());
    await Promise.all(viewer.model.textures.map((texture) => texture.done));
    requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.ready = 'yes'; }));
  } catch (error) {
    message.textContent = error.message;
    message.hidden = false;
    document.documentElement.dataset.ready = 'no';
  }
}

start();
