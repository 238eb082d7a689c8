// Reads archives with StormLib (npm `@wowserhq/stormjs`) and compares every file with what Galatea read.
// Usage: node compare.mjs FOLDER, with STORMJS = where the package is installed. FOLDER/index.json lists the archives:
// [{"title", "archive", "files": [{"name", "path"}]}], paths relative to FOLDER.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

process.env.NODE_ENV = 'production';
const require = createRequire(join(resolve(process.env.STORMJS), 'package.json'));
const { FS, MPQ } = require('@wowserhq/stormjs');

const folder = resolve(process.argv[2]);
const archives = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'));
const totals = { archives: 0, unopened: 0, files: 0, same: 0, different: 0, unread: 0, unlisted: 0 };
let mounted = false;

for (const { title, archive, files } of archives) {
  let mpq;
  try {
    // Names in the archive's own code page cannot be given to StormLib as UTF-8.
    if (!mounted) {
      await MPQ.open('/nothing', 'r').catch(() => {});
      FS.mkdir('/files');
      FS.mount(FS.filesystems.NODEFS, { root: folder }, '/files');
      mounted = true;
    }
    mpq = await MPQ.open(`/files/${archive}`, 'r');
  } catch (error) {
    totals.unopened += 1;
    console.log(`${title}: StormLib does not open it: ${error.message}`);
    continue;
  }
  totals.archives += 1;
  const known = new Set(files.map(({ name }) => name.toLowerCase().replaceAll('\\', '/')));
  for (const { fileName } of mpq.search('*')) {
    const name = fileName.toLowerCase().replaceAll('\\', '/');
    if (!known.has(name) && !/^file\d{8}\./.test(name)) {
      totals.unlisted += 1;
      console.log(`${title}: only StormLib lists ${fileName}`);
    }
  }
  for (const { name, path } of files) {
    totals.files += 1;
    const ours = readFileSync(join(folder, path));
    try {
      const file = mpq.openFile(name.replaceAll('/', '\\'));
      const theirs = Buffer.from(file.read());
      file.close();
      if (theirs.equals(ours)) {
        totals.same += 1;
      } else {
        totals.different += 1;
        console.log(`${title}: ${name} differs: ${ours.length} bytes here, ${theirs.length} there`);
      }
    } catch (error) {
      totals.unread += 1;
      console.log(`${title}: StormLib does not read ${name} (${ours.length} bytes): ${error.message}`);
    }
  }
  mpq.close();
}
console.log(JSON.stringify(totals));
process.exit(totals.different + totals.unlisted > 0 ? 1 : 0);
