import type { PrismaLike } from '../src/index.ts';

/** A statement that was sent. */
export interface Sent {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** A client that records the statements sent through it in `sent`. */
export function recordingClient(prisma: PrismaLike, sent: Sent[]): PrismaLike {
  return {
    $queryRawUnsafe(sql, ...values) {
      sent.push({ sql, values });
      return prisma.$queryRawUnsafe(sql, ...values);
    },
    $executeRawUnsafe(sql, ...values) {
      sent.push({ sql, values });
      return prisma.$executeRawUnsafe(sql, ...values);
    },
  };
}
