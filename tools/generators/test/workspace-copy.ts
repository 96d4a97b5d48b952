import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../..');
/** The parent directories of the packages, such as packages for `packages/*`. */
const folders = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).workspaces as string[]).map(dirname);
/** Directories of git, and installed or generated ones, to which other tests may be writing. */
const excluded = ['.git', 'node_modules', 'dist', 'out-tsc'];

/**
 * A copy of the repository in a temporary directory that a test can change. It shares the installed packages, but workspace
 * packages resolve to the copy.
 */
export class WorkspaceCopy {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'keepsake-workspace-')));

  /** Fills the empty copy. */
  fill(): void {
    const files = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile());
    const filter = (path: string) => !excluded.includes(basename(path));
    for (const name of [...files.map((file) => file.name), ...folders, '.changeset']) {
      cpSync(join(root, name), join(this.root, name), { recursive: true, filter });
    }
    this.#linkPackages();
  }

  /** Runs an installed program and returns its output; rejects with the output if the program fails. */
  async run(program: string, args: readonly string[], folder = '.'): Promise<string> {
    // Nx and Vitest variables of this process are not valid in the copy, and the linter sees the tests of a day.
    const inherited = Object.entries(process.env).filter(([name]) => !/^(NX|VITEST|FORCE_COLOR|TEST_SHARE)/.test(name));
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

  /** Every file by its path, except installed and generated ones. */
  files(): string[] {
    const skipped = [...excluded, '.nx', 'test-results'];
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
