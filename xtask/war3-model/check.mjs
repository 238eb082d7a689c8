// Loads files with npm war3-model and prints those it cannot read:
//
//     npm install war3-model@4.0.1          (anywhere outside the repository)
//     NODE_PATH=.../node_modules node xtask/war3-model/check.mjs FILE_OR_FOLDER...
//
// Exit: 0 all were read, 1 some were not, 2 wrong usage. Not part of the ordinary tests: it needs node and the package.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const args = process.argv.slice(2);
if (args.length === 0) {
    console.error('usage: check.mjs FILE_OR_FOLDER...');
    process.exit(2);
}
const { parseMDX, parseMDL } = createRequire(import.meta.url)('war3-model');

function* files(path) {
    if (statSync(path).isDirectory()) {
        for (const name of readdirSync(path).sort()) {
            yield* files(join(path, name));
        }
    } else if (/\.(mdx|mdl)$/i.test(path)) {
        yield path;
    }
}

let read = 0;
let failed = 0;
for (const path of args.flatMap((path) => [...files(path)])) {
    const bytes = readFileSync(path);
    try {
        const model = /\.mdl$/i.test(path)
            ? parseMDL(bytes.toString('utf8'))
            : parseMDX(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
        if (!model.Version) {
            throw new Error('no version');
        }
        read++;
    } catch (error) {
        failed++;
        console.log(`${path}: ${error.message ?? error}`);
    }
}
console.log(`${read} read, ${failed} not`);
process.exit(failed > 0 ? 1 : 0);
