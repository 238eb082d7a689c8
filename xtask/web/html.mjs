// Opens pages that `galatea convert --to html` has written in headless Chromium: each has to show its model, play, and turn, without asking for
// anything from elsewhere.
//
//   WEB_HOME=FOLDER_OF_PLAYWRIGHT node xtask/web/html.mjs SHOTS PAGE...
import { mkdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';

const require = createRequire(join(resolve(process.env.WEB_HOME ?? '.'), 'package.json'));
const { chromium } = require('playwright-core');
const [shots, ...pages] = process.argv.slice(2);
mkdirSync(shots, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--use-gl=angle', '--use-angle=swiftshader', '--disable-background-networking', '--disable-sync'],
});

// What is above the controls.
const VIEW = { x: 0, y: 0, width: 800, height: 480 };
const view = (tab) => tab.screenshot({ clip: VIEW });

let bad = 0;
try {
  for (const page of pages) {
    const tab = await browser.newPage({ viewport: { width: 800, height: 600 }, bypassCSP: true });
    const problems = [];
    tab.on('pageerror', (error) => problems.push(String(error)));
    tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    tab.on('request', (request) => /^(file|blob|data):/.test(request.url()) || problems.push(`asks for ${request.url()}`));
    const started = Date.now();
    await tab.goto(`file://${resolve(page)}`);
    await tab.waitForSelector('html[data-ready]', { state: 'attached', timeout: 60000 });
    const took = Date.now() - started;
    const says = await tab.textContent('#message');
    if (says) problems.push(says);
    const name = basename(page, '.html');
    const shot = (what) => tab.screenshot({ path: join(shots, `${name}-${what}.png`) });
    await shot('first');
    const first = await view(tab);
    const hasClips = await tab.isVisible('#play');
    let [plays, moves] = [false, false];
    if (hasClips) {
      for (let i = 0; i < 10 && !plays; i++) {
        await tab.waitForTimeout(150);
        plays = await tab.evaluate(() => Number(document.getElementById('time').value) > 0);
        moves ||= !(await view(tab)).equals(first);
      }
      if (!plays) problems.push('its clip does not play');
      await tab.click('#play');
    }
    await tab.waitForTimeout(120);
    const still = await view(tab);
    await tab.mouse.move(400, 200);
    await tab.mouse.down();
    await tab.mouse.move(520, 240, { steps: 4 });
    await tab.mouse.up();
    await tab.waitForTimeout(200);
    const turned = await view(tab);
    // An empty view does not change when it is turned.
    if (turned.equals(still)) problems.push('it shows nothing, or does not turn');
    await shot('turned');
    bad += problems.length > 0;
    console.log(`${problems.length > 0 ? 'BAD ' : 'good'} ${took} ms, ${(statSync(page).size / 1e6).toFixed(2)} MB, ${hasClips ? (moves ? 'plays and moves' : 'plays') : 'no clips'}: ${name} ${problems.join('; ')}`);
    await tab.close();
  }
} finally {
  await browser.close();
}
console.log(`${pages.length} pages, ${bad} bad`);
process.exit(bad > 0 || pages.length === 0 ? 1 : 0);
