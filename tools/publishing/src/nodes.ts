import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fillOnce } from '@keepsake/testing/fill-once';
import { npm } from '@keepsake/testing/npm';
import { run } from '@keepsake/testing/run';
import semver from 'semver';

/** A Node.js on this machine. */
export interface Node {
  readonly path: string;
  readonly version: string;
}

/** The Node of this process. */
export const currentNode: Node = { path: process.execPath, version: process.versions.node };

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/keepsake-nodes');

/** The lowest version that `range` allows: `22.13.0` for `>=22.13`. */
export function lowestVersion(range: string): string {
  const lowest = semver.validRange(range) === null ? null : semver.minVersion(range);
  if (lowest === null) throw new Error(`engines.node is "${range}", which is not a version range.`);
  return lowest.version;
}

/**
 * The Node of a version, such as `22` or `22.13.0`. The first call installs it from npm; later calls find it in
 * `node_modules/.cache`, until `npm ci` empties that.
 *
 * @param cache - A directory that keeps installed versions.
 */
export async function installNode(version: string, cache = CACHE): Promise<Node> {
  if (!/^\d+(\.\d+){0,2}$/.test(version)) throw new Error(`"${version}" is not a version of Node, such as 22.`);
  const directory = join(cache, version);
  await fillOnce(directory, (unfinished) => install(version, unfinished));
  const path = join(directory, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return { path, version: (await run(path, ['--version'], { cwd: '.' })).trim().slice(1) };
}

async function install(version: string, directory: string): Promise<void> {
  // The package `node` downloads the binary of this platform in an install script.
  const manifest = { private: true, dependencies: { node: version }, allowScripts: { node: true } };
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest));
  await npm(['install', '--ignore-scripts=false', '--no-audit', '--no-fund'], { cwd: directory });
}
