import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../..');
/** Where the packages are: `packages/*` is in packages. */
const folders = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).workspaces as string[]).map(dirname);
/** Git's, and what is installed or made: other tests may be writing there. */
const left = ['.git', 'node_modules', 'dist', 'out-tsc'];

/**
 * A copy of the repository in a directory of its own, where a test may write. It shares what npm installed; the packages
 * of the workspace are those of the copy.
 */
export class WorkspaceCopy {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'keepsake-workspace-')));

  /** Fills the copy, which is empty before. */
  fill(): void {
    const files = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile());
    const filter = (path: string) => !left.includes(basename(path));
    for (const name of [...files.map((file) => file.name), ...folders, '.changeset']) {
      cpSync(join(root, name), join(this.root, name), { recursive: true, filter });
    }
    this.#linkPackages();
  }

  /** Runs a program that npm installed, and gives what it printed; rejects with it where the program fails. */
  async run(program: string, args: readonly string[], folder = '.'): Promise<string> {
    // What Nx and Vitest told this process of the repository is not true of the copy.
    const inherited = Object.entries(process.env).filter(([name]) => !/^(NX|VITEST|FORCE_COLOR)/.test(name));
    const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`;
    const env = { ...Object.fromEntries(inherited), PATH: path, NO_COLOR: '1' };
    const options = { cwd: join(this.root, folder), env, maxBuffer: 2 ** 26 };
    try {
      const { stdout, stderr } = await promisify(execFile)(program, args, options);
      return stdout + stderr;
    } catch (error) {
      const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
      throw new Error(`${message}\n${stdout}${stderr}`, { cause: error });
    }
  }

  /** Every file, by its path; without what is installed or made by tools. */
  files(): string[] {
    const skipped = [...left, '.nx', 'test-results'];
    return readdirSync(this.root, { recursive: true, encoding: 'utf8' })
      .filter((path) => !path.split(/[\\/]/).some((part) => skipped.includes(part)))
      .sort();
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #linkPackages(): void {
    const installed = join(root, 'node_modules');
    const links = join(this.root, 'node_modules');
    mkdirSync(join(links, '@keepsake'), { recursive: true });
    for (const name of readdirSync(installed)) {
      if (name !== '@keepsake') symlinkSync(join(installed, name), join(links, name));
    }
    // These are links into the repository, by relative paths.
    cpSync(join(installed, '@keepsake'), join(links, '@keepsake'), { recursive: true, verbatimSymlinks: true });
  }
}
