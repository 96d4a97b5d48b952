import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { run } from '@keepsake/testing/run';
import { currentNode } from '../../src/nodes.ts';
import { pack, type Tarball } from '../../src/pack.ts';
import { closure, findPackages, readManifest } from '../../src/packages.ts';

const root = join(import.meta.dirname, '../../../..');
const packages = findPackages(root);

/**
 * A reader with nothing but a guide, who runs its commands in empty folders, with tarballs in place of the names of our
 * packages, as the guide says.
 */
export class Reader {
  readonly #scratch = mkdtempSync(join(realpathSync(tmpdir()), 'keepsake-guide-'));
  readonly #tarballs: Promise<Map<string, Tarball>>;
  /** Variables of the shell: in place of keys of models. */
  readonly environment: Record<string, string> = {};

  constructor() {
    this.#tarballs = pack(packages, join(this.#scratch, 'tarballs'));
  }

  /** A new empty folder. */
  folder(name: string): string {
    const path = join(this.#scratch, name);
    mkdirSync(path);
    return path;
  }

  /** Runs what the guide says to type, and returns what it prints. */
  async shell(command: string, cwd: string): Promise<string> {
    const path = [dirname(currentNode.path), process.env.PATH].join(delimiter);
    const typed = command.startsWith('npm install ') ? await this.#fromTarballs(command) : command;
    return run('sh', ['-c', typed], { cwd, env: { PATH: path, ...this.environment } });
  }

  /** Runs commands one after the other, and returns what each prints. */
  async shellAll(commands: string, cwd: string): Promise<string[]> {
    const printed: string[] = [];
    for (const command of commands.trim().split('\n')) printed.push(await this.shell(command, cwd));
    return printed;
  }

  leave(): void {
    rmSync(this.#scratch, { recursive: true, force: true });
  }

  /** Installs our packages, with those that they need, from tarballs, and others as this repository has them. */
  async #fromTarballs(command: string): Promise<string> {
    const names = command.trim().split(/\s+/).slice(2);
    const tarballs = await this.#tarballs;
    const ours = new Set(names.flatMap((name) => (tarballs.has(name) ? closure(name, packages) : [])));
    const others = names.filter((name) => !tarballs.has(name)).map((name) => `${name}@${versionOf(name)}`);
    const specs = [...[...ours].map(({ name }) => `"${tarballs.get(name)?.path}"`), ...others];
    return `npm install ${specs.join(' ')} --no-audit --no-fund`;
  }
}

function versionOf(name: string): string {
  return readManifest(join(root, 'node_modules', name, 'package.json')).version;
}
