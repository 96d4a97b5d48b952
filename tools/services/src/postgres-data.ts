import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { User } from './unprivileged-user.ts';

const run = promisify(execFile);

/** Data folders as `initdb` leaves them. Copying one takes a fraction of the time. */
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/keepsake-postgres');

const ORDER = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
const FLAGS = ['--username=postgres', '--auth=trust', '--no-sync', '--no-instructions', ...ORDER];

/** Creates the data folder of a server, whose programs are in the folder `programs`. */
export async function createData(data: string, programs: string, user: User | undefined, cache = CACHE): Promise<void> {
  const options = { cwd: join(data, '..'), env: { ...process.env, LC_ALL: 'C' }, ...user };
  const { stdout: version } = await run(join(programs, 'initdb'), ['--version'], options);
  const what = JSON.stringify([version, FLAGS, process.getuid?.(), user]);
  const cached = join(cache, createHash('sha256').update(what).digest('hex').slice(0, 16));
  if (existsSync(cached)) {
    await run('cp', ['-Rp', cached, data]);
  } else {
    await run(join(programs, 'initdb'), ['-D', data, ...FLAGS], options);
    await keep(data, cached).catch(() => {});
  }
}

/** Copies under another name first, so that no process finds an incomplete copy. */
async function keep(data: string, cached: string): Promise<void> {
  const copy = `${cached}-${randomUUID()}`;
  await mkdir(dirname(cached), { recursive: true });
  try {
    await run('cp', ['-Rp', data, copy]);
    await rename(copy, cached);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
