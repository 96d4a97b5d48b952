// `npm run release:pack -- DIRECTORY`: writes the tarballs of the next release, their bills of materials, notes and checksums.
import { join, resolve } from 'node:path';
import { packRelease } from './pack-release.ts';

const [directory, ...more] = process.argv.slice(2);
if (directory === undefined || more.length > 0) {
  console.error('Name a new directory: npm run release:pack -- ../release');
  process.exit(2);
}
const planned = await packRelease(join(import.meta.dirname, '../../..'), resolve(directory));
console.log(planned.map(({ name, version }) => `Packed ${name}@${version}`).join('\n'));
