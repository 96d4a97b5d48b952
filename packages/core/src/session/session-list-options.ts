import { expectKnownFields, type FieldNames } from '../common/check-fields.ts';
import { checkId } from '../common/text.ts';
import { expectSegment, formatNamespace } from '../store/namespace.ts';
import { PAGE_OPTIONS, pageLimit } from '../store/page.ts';
import type { SessionListOptions } from './session.ts';

const OPTIONS: FieldNames<SessionListOptions> = { ...PAGE_OPTIONS, idPrefix: true, segment: true };

/**
 * The checked options of a list of sessions, with the default limit. The cursor is left to the backend.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for an unknown option, an invalid limit, an `idPrefix` that no id begins
 *   with, or a `segment` that no namespace has.
 */
export function checkSessionList(options: SessionListOptions): SessionListOptions & { readonly limit: number } {
  const checkedOptions = expectKnownFields(options, OPTIONS);
  if (checkedOptions.idPrefix !== undefined) checkId(checkedOptions.idPrefix, 'idPrefix');
  if (checkedOptions.segment !== undefined) expectSegment(checkedOptions.segment);
  return { ...checkedOptions, limit: pageLimit(checkedOptions) };
}

/** Whether the id of a session has a segment, see {@link SessionListOptions}. Each id has, without one. */
export function hasSegment(sessionId: string, segment: string | undefined): boolean {
  return segment === undefined || sessionId.split(':').includes(formatNamespace([segment]));
}
