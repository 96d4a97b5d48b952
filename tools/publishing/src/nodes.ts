import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import semver from 'semver';
import { run } from './run.ts';

/** A Node.js on this machine. */
export interface Node {
  readonly path: string;
  readonly version: string;
}

/** The Node that runs this. */
export const currentNode: Node = { path: process.execPath, version: process.versions.node };

/** The Node of the lowest minor version that `range` allows, if the PATH has one. */
export async function lowestNode(range: string): Promise<Node | undefined> {
  const lowest = semver.minVersion(range);
  if (lowest === null) throw new Error(`engines.node is "${range}", which is no range of versions.`);
  for (const path of nodesOnPath()) {
    const version = (await run(path, ['--version'], { cwd: '.' })).trim().slice(1);
    if (semver.satisfies(version, `~${lowest}`)) return { path, version };
  }
  return undefined;
}

function nodesOnPath(): string[] {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const paths = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, name));
  return [...new Set(paths.filter((path) => existsSync(path)).map((path) => realpathSync(path)))];
}
