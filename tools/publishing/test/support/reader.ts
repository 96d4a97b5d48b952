import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from '@keepsake/testing/run';
import { currentNode } from '../../src/nodes.ts';
import { Guide } from './guide.ts';

const root = join(import.meta.dirname, '../../../..');

/**
 * A reader with nothing but a guide: has a clone with nothing built, lets it serve the packages as the guide says, and types
 * what the guide says into empty folders.
 */
export class Reader {
  readonly #scratch: string;
  readonly #registry: ChildProcess;
  /** Variables of the shell: in place of keys of models. */
  readonly environment: Record<string, string>;

  private constructor(scratch: string, registry: ChildProcess, environment: Record<string, string>) {
    this.#scratch = scratch;
    this.#registry = registry;
    this.environment = environment;
  }

  /** @param names - The packages to serve, such as `core`. Without, all. */
  static async open(...names: readonly string[]): Promise<Reader> {
    const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'keepsake-guide-'));
    // Instead of the settings of whoever runs the test.
    const npmrc = join(scratch, 'npmrc');
    writeFileSync(npmrc, 'audit=false\nfund=false\nupdate-notifier=false\n');
    const environment = {
      PATH: [dirname(currentNode.path), process.env.PATH].join(delimiter),
      npm_config_userconfig: npmrc,
      NX_DAEMON: 'false',
    };
    const clone = join(scratch, 'keepsake');
    await cloneAt(clone);
    await run('npm', ['ci', '--prefer-offline'], { cwd: clone, env: environment });
    const served = ['run', 'registry', '--', '--port', '0', ...names];
    const registry = spawn('npm', served, {
      cwd: clone,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const reader = new Reader(scratch, registry, environment);
    const lines: string[] = [];
    for await (const line of createInterface(registry.stdout as NonNullable<ChildProcess['stdout']>)) {
      lines.push(line);
      if (line.includes('Go on in another terminal')) return reader;
    }
    await reader.leave();
    throw new Error(`npm run registry ended:\n${lines.join('\n')}`);
  }

  /** A new empty folder. */
  folder(name: string): string {
    const path = join(this.#scratch, name);
    mkdirSync(path);
    return path;
  }

  /** A new project, made as "Getting started" says. */
  async project(name: string): Promise<string> {
    const folder = this.folder(name);
    const [create = ''] = new Guide('docs/getting-started.md').blocks('sh', 'A project');
    await this.shell(create, folder);
    return join(folder, 'my-agent');
  }

  /** Runs what the guide says to type, and returns what it prints. */
  async shell(command: string, cwd: string): Promise<string> {
    return run('sh', ['-c', command], { cwd, env: this.environment });
  }

  /** Runs commands one after the other, and returns what each prints. */
  async shellAll(commands: string, cwd: string): Promise<string[]> {
    const printed: string[] = [];
    for (const command of commands.trim().split('\n')) printed.push(await this.shell(command, cwd));
    return printed;
  }

  /** Starts a server as the guide says, on a free port. It prints its URL. */
  async serve(command: string, cwd: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const server = spawn('sh', ['-c', command], {
      cwd,
      env: { ...process.env, ...this.environment, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const ended = once(server, 'exit');
    for await (const line of createInterface(server.stdout)) {
      const stop = async () => {
        process.kill(-(server.pid ?? 0), 'SIGTERM');
        await ended;
      };
      if (/^http:\S+$/.test(line)) return { url: line, stop };
    }
    throw new Error(`${command} ended without a URL.`);
  }

  async leave(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#registry;
    if (pid !== undefined && exitCode === null && signalCode === null) {
      const ended = once(this.#registry, 'exit');
      // As Ctrl-C does: to npm and all that it started.
      process.kill(-pid, 'SIGINT');
      await ended;
    }
    rmSync(this.#scratch, { recursive: true, force: true });
  }
}

/** A clone of the repository as it is now, with what is not committed, and with nothing built. */
async function cloneAt(directory: string): Promise<void> {
  await run('git', ['clone', '--quiet', '--no-checkout', root, directory], { cwd: root });
  const files = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const path of files.split('\0')) {
    if (path !== '' && existsSync(join(root, path))) cpSync(join(root, path), join(directory, path));
  }
}
