import { expect, it } from 'vitest';
import { type PrismaLike, PrismaSession, PrismaSessionStore, PrismaStore } from '../src/index.ts';

const nothing = () => Promise.reject(new Error('Nothing is to be sent.'));
const half = { $queryRawUnsafe: nothing };

it.each([
  ['no options', undefined],
  ['no client', {}],
  ['null', { prisma: null }],
  ['a class', { prisma: class {} }],
  ['a pool of a driver', { prisma: { query: nothing } }],
  ['half a client', { prisma: half }],
])('what is no client is refused at once: %s', (_, wrong) => {
  const options = wrong && { name: 'memory', ...wrong };
  for (const kind of [PrismaSession, PrismaSessionStore, PrismaStore]) {
    const open = () => new kind(options as unknown as { prisma: PrismaLike; name: string });
    expect(open).toThrow('prisma is to be a Prisma Client, such as new PrismaClient({ adapter }).');
  }
});

it('what is no list of mutations is refused', async () => {
  const session = new PrismaSession({ prisma: { ...half, $executeRawUnsafe: nothing } });
  for (const wrong of [undefined, null, {}, { mutations: {} }]) {
    const apply = session.applyHistoryMutations(wrong as unknown as { mutations: [] });
    await expect(apply).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  }
});
