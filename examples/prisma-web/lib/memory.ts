import { MemoryManager } from '@keepsake/core';
import { PrismaStore } from '@keepsake/prisma';
import { prisma } from './prisma.ts';

const store = new PrismaStore({ prisma, name: 'chats', extraction: true });
/** One for the whole server. With an outbox, a turn that was answered is learned, even if the function ends then. */
export const memory = new MemoryManager({ stores: [store], outbox: store });
