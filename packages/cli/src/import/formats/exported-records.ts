import type { RecordInput } from '@keepsake/core';
import { withoutUndefined } from '@keepsake/internal';
import type { Format } from './format.ts';

/**
 * Records of `keepsake export`. They keep their id, content, metadata, turn, source, history, `createdAt` and expiry, and stay
 * excluded from search if they were. They get a new `version` and `updatedAt`.
 */
export const exportedRecords: Format = {
  name: 'keepsake',
  matches: ({ id, content }) => typeof id === 'string' && typeof content === 'string',
  *read({ id, content, metadata, createdAt, expiresAt, turn, source, index, ...rest }, place) {
    const { supersedes, supersededBy, validFrom, validUntil } = rest;
    const ttlMs =
      expiresAt === undefined
        ? undefined
        : (typeof expiresAt === 'string' ? Date.parse(expiresAt) : Number.NaN) - Date.now();
    if (ttlMs !== undefined && ttlMs <= 0) {
      yield { place, skipped: 'expired' };
      return;
    }
    // The importer checks the other fields.
    const fields = withoutUndefined({
      ...{ id, content, metadata, createdAt, ttlMs, turn, source, index },
      ...{ supersedes, supersededBy, validFrom, validUntil },
    });
    yield { place, record: fields as RecordInput & { id: string } };
  },
};
