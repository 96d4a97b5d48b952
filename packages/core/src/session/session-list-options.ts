import { expectKnownFields, type FieldNames } from '../common/check-fields.ts';
import { checkId } from '../common/text.ts';
import { PAGE_OPTIONS, pageLimit } from '../store/page.ts';
import type { SessionListOptions } from './session.ts';

const OPTIONS: FieldNames<SessionListOptions> = { ...PAGE_OPTIONS, idPrefix: true };

/**
 * The checked options of a list of sessions, with the default limit. The cursor is left to the backend.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for an unknown option, an invalid limit, or an `idPrefix` that no id begins with.
 */
export function checkSessionList(options: SessionListOptions): SessionListOptions & { readonly limit: number } {
  const given = expectKnownFields(options, OPTIONS);
  if (given.idPrefix !== undefined) checkId(given.idPrefix, 'idPrefix');
  return { ...given, limit: pageLimit(given) };
}
