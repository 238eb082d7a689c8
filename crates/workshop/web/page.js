// Starts the page, and hands it the files that are dropped or chosen. Nothing leaves this computer.
import init, { Page } from './galatea.js';

const find = (id) => document.getElementById(id);
const say = (text) => { find('message').textContent = text; };

async function open(page, list) {
  const files = [...list];
  if (files.length === 0) return;
  try {
    const all = await Promise.all(files.map(async (file) => [file.name, new Uint8Array(await file.arrayBuffer())]));
    for (const [name, bytes] of all) page.put(name, bytes);
    find('start').hidden = true;
    find('view').hidden = false;
    page.open(all.map(([name]) => name));
    find('view').focus();
    say('');
  } catch (error) {
    say(`these files could not be read: ${error.message ?? error}`);
  }
}

try {
  await init();
  const page = new Page();
  // Before the canvas has its own: the page takes all files, with their names.
  addEventListener('dragover', (event) => { event.preventDefault(); document.body.classList.add('over'); }, true);
  addEventListener('dragleave', () => document.body.classList.remove('over'), true);
  addEventListener('drop', (event) => {
    event.preventDefault();
    event.stopPropagation();
    document.body.classList.remove('over');
    open(page, event.dataTransfer.files);
  }, true);
  find('choose').addEventListener('click', () => find('files').click());
  find('files').addEventListener('change', () => { open(page, find('files').files); find('files').value = ''; });
  addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'o') {
      event.preventDefault();
      event.stopPropagation();
      find('files').click();
    }
  }, true);
  find('view').hidden = false;
  await page.start(find('view'));
  find('choose').disabled = false;
  addEventListener('beforeunload', (event) => {
    if (JSON.parse(page.state() || '{}').unsaved) event.preventDefault();
  });
  addEventListener('error', (event) => {
    if (event.error instanceof WebAssembly.RuntimeError)
      say('Galatea stopped by an error of its own. Reload the page, and please report it with the file.');
  });
  window.galatea = page;
  document.documentElement.dataset.ready = 'yes';
} catch (error) {
  say(`Galatea could not start: ${error.message ?? error}. It needs WebAssembly and WebGL 2.`);
  document.documentElement.dataset.ready = 'no';
}
