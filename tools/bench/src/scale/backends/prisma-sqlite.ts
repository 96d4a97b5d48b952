import { PrismaStore } from '@keepsake/prisma';
import { openSqlite } from '../../prisma/databases.ts';
import type { OpenBackend } from '../backend.ts';
import { INDEXED as indexed } from '../records.ts';

export async function open(directory: string): Promise<OpenBackend> {
  const { prisma, close } = await openSqlite(directory);
  return { store: new PrismaStore({ prisma, name: 'bench', indexed }), close };
}
