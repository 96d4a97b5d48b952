import type { RecordInput } from '@keepsake/core';
import type { Format } from './found.ts';

/**
 * Records as `keepsake export` writes them. They keep their id, content, metadata, turn, `createdAt` and the time of
 * their expiry; `version` and `updatedAt` begin anew.
 */
export const exportedRecords: Format = {
  matches: ({ id, content }) => typeof id === 'string' && typeof content === 'string',
  *read({ id, content, metadata, createdAt, expiresAt, turn }, place) {
    const ttlMs = expiresAt === undefined ? undefined : Date.parse(String(expiresAt)) - Date.now();
    if (ttlMs !== undefined && ttlMs <= 0) {
      yield { place, leftOut: 'expired' };
      return;
    }
    // What else is wrong with it, the store's own check says.
    const fields = withoutUndefined({ id, content, metadata, createdAt, ttlMs, turn });
    yield { place, record: fields as RecordInput & { id: string } };
  },
};

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
