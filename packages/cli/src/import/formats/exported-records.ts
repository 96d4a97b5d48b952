import type { RecordInput } from '@keepsake/core';
import { withoutUndefined } from '@keepsake/internal';
import type { Format } from './format.ts';

/**
 * Records of `keepsake export`. They keep their id, content, metadata, turn, source, `createdAt` and expiry, and stay excluded
 * from search if they were. They get a new `version` and `updatedAt`.
 */
export const exportedRecords: Format = {
  matches: ({ id, content }) => typeof id === 'string' && typeof content === 'string',
  *read({ id, content, metadata, createdAt, expiresAt, turn, source, index }, place) {
    const ttlMs = expiresAt === undefined ? undefined : Date.parse(String(expiresAt)) - Date.now();
    if (ttlMs !== undefined && ttlMs <= 0) {
      yield { place, skipped: 'expired' };
      return;
    }
    // The importer checks the other fields.
    const fields = withoutUndefined({ id, content, metadata, createdAt, ttlMs, turn, source, index });
    yield { place, record: fields as RecordInput & { id: string } };
  },
};
