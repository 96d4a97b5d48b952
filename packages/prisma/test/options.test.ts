import { expect, it } from 'vitest';
import { type PrismaLike, PrismaSession, PrismaSessionStore, PrismaStore } from '../src/index.ts';

const nothing = () => Promise.reject(new Error('Nothing must be sent.'));
const incomplete = { $queryRawUnsafe: nothing };

const openers = [
  (options: object) => new PrismaSession(options as { prisma: PrismaLike }),
  (options: object) => new PrismaSessionStore(options as { prisma: PrismaLike }),
  (options: object) => new PrismaStore({ ...(options as { prisma: PrismaLike }), name: 'memory' }),
];

it.each([
  ['no client', {}],
  ['null', { prisma: null }],
  ['a class', { prisma: class {} }],
  ['a pool of a driver', { prisma: { query: nothing } }],
  ['an incomplete client', { prisma: incomplete }],
])('the constructors reject anything but a Prisma Client: %s', (_, options) => {
  for (const open of openers) {
    expect(() => open(options)).toThrow('`prisma` must be a Prisma Client, such as new PrismaClient({ adapter }).');
  }
});

it('the constructors reject missing options', () => {
  for (const kind of [PrismaSession, PrismaSessionStore, PrismaStore]) {
    const open = () => new kind(undefined as unknown as { prisma: PrismaLike; name: string });
    expect(open).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  }
});

it('applyHistoryMutations rejects anything but a list of mutations', async () => {
  const session = new PrismaSession({ prisma: { ...incomplete, $executeRawUnsafe: nothing } });
  for (const wrong of [undefined, null, {}, { mutations: {} }]) {
    const apply = session.applyHistoryMutations(wrong as unknown as { mutations: [] });
    await expect(apply).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  }
});
