// @module-tag nightly: server-faults.test.ts runs by day.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@keepsake/services';
import { describeFaults } from '@keepsake/suites/faults/describe-faults';
import { show } from '@keepsake/testing/torture/figures';
import { mountSmallDisk } from '@keepsake/testing/torture/small-disk';
import { afterAll, it } from 'vitest';
import { PostgresSession, PostgresStore } from '../../src/index.ts';
import { serverDatabase } from '../databases.ts';
import type { Use } from '../programs/write-on.ts';
import { TORTURED } from './drivers.ts';

const PROGRAM = join(import.meta.dirname, '../programs/write-on.ts');
const TABLES = 'the disk of the tables is full';
const LOG = 'the disk of the write-ahead log is full';

/** Of file systems that are mounted. */
const cleanUps: (() => void)[] = [];
afterAll(() => {
  for (const cleanUp of cleanUps) cleanUp();
});

if (canMount()) {
  for (const kind of TORTURED) {
    describeFaults(`through ${kind}, on small disks`, PROGRAM, [TABLES, LOG], async () => {
      const { folder, tables, log } = mountDisks();
      // Few spare segments of the log, so that it soon needs a new one.
      const server = await startPostgres({ own: true, args: ['-c', 'min_wal_size=32MB', '-c', 'max_wal_size=32MB'] });
      const admin = await serverDatabase(kind, server);
      const [row] = await admin.sql('SHOW data_directory');
      const data = String(row?.data_directory);
      const { uid, gid } = statSync(data);
      for (const path of [folder, tables.path, log.path]) chownSync(path, uid, gid);
      await admin.sql(`CREATE TABLESPACE small LOCATION '${tables.path}'`);
      await admin.sql("ALTER SYSTEM SET default_tablespace = 'small'");
      await server.kill();
      // With its owner, which Node can't copy.
      execFileSync('cp', ['-Rp', `${data}/pg_wal/.`, log.path]);
      rmSync(`${data}/pg_wal`, { recursive: true });
      symlinkSync(log.path, `${data}/pg_wal`);
      await server.restart();
      const database = await serverDatabase(kind, server);
      const { client, url } = database;
      return {
        faults: {
          [TABLES]: { inflict: tables.fill, repair: tables.free, refusal: /^The disk of the database is full/ },
          [LOG]: {
            async inflict() {
              log.fill();
              // Segments that are there are used first.
              for (let failed = false; !failed; ) {
                await database.sql('SELECT pg_switch_wal()').catch(() => {
                  failed = true;
                });
              }
            },
            async repair() {
              // A shutdown while it recovers without space can wait forever.
              await server.kill();
              log.free();
              await server.restart();
            },
            refusal: /The disk of the database is full|connection broke|could not be reached/,
          },
        },
        argument: (place, writer) => JSON.stringify({ kind, url, connections: 10, place, writer } satisfies Use),
        open: (place) => ({
          session: new PostgresSession({ client, sessionId: place }),
          store: new PostgresStore({ client, name: 'memory', namespace: [place] }),
        }),
        async stop() {
          await admin.stop();
          await database.stop();
          await server.stop();
        },
      };
    });
  }
} else {
  it('a full disk', (context) => {
    show(context, 13, 'PostgreSQL on a real file system that is full: NOT RUN, this host lets this user mount none');
    context.skip();
  });
}

/** Small file systems for the tables and for the write-ahead log, in a folder of their own. */
function mountDisks() {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-full-disk-'));
  const tables = mountSmallDisk(join(folder, 'tables'), '64m');
  const log = mountSmallDisk(join(folder, 'log'), '96m');
  if (tables === undefined || log === undefined) throw new Error('This user can mount no file system.');
  cleanUps.push(() => {
    tables.unmount();
    log.unmount();
    rmSync(folder, { recursive: true });
  });
  return { folder, tables, log };
}

/** Tests are collected before servers start. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-mount-'));
  const disk = mountSmallDisk(join(folder, 'disk'), '64k');
  disk?.unmount();
  rmSync(folder, { recursive: true });
  return disk !== undefined;
}
