import { PrismaStore } from '@keepsake/prisma';
import { openPostgres } from '../../prisma/databases.ts';
import type { OpenBackend } from '../backend.ts';
import { INDEXED as indexed } from '../records.ts';

/** On a server of its own, which waits for the disk. */
export async function open(): Promise<OpenBackend> {
  const { preparing, url, close } = await openPostgres();
  return {
    store: new PrismaStore({ prisma: preparing, name: 'bench', indexed }),
    server: { kind: 'postgres', url },
    close,
  };
}
