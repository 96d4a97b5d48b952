import type { Page, SessionInfo, SessionListOptions } from '@keepsake/core';
import type { StoredSession } from '../../session/reference.ts';
import { ReferenceStore } from '../reference-store.ts';
import { listingWith, type StoreMutant, type StoreMutants, type WrongList } from './mutant.ts';

/** Looks for segments in ids in a wrong way. */
function having(has: (sessionId: string, segment: string) => boolean): StoreMutant {
  return class extends ReferenceStore {
    protected override has({ sessionId }: StoredSession, segment: string): boolean {
      return has(sessionId, segment);
    }
  };
}

/** Lists in a wrong way if there is a segment. */
const withSegment = (list: WrongList<'segment'>) => listingWith('segment', list);

export const segmentMutants: StoreMutants = {
  'a list with a segment returns the sessions whose ids have exactly this segment': [
    having((id, segment) => `:${id}:`.includes(`:${segment}:`)),
    having((id, segment) => id.toLowerCase().split(':').includes(encodeURIComponent(segment).toLowerCase())),
    having((id, segment) => id.split(':').some((one) => one.startsWith(segment))),
    withSegment(async (real, { idPrefix: _, ...options }) => real(options)),
  ],
  'a list with a segment is in the order of the list of all, in full pages, with the same entries': [
    withSegment(async (real, options) => {
      const { items } = await real(options);
      return { items: items.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1)) };
    }),
    withSegment(async (real, { segment, ...options }) => {
      const page = await real(options);
      return { ...page, items: page.items.filter(({ sessionId }) => sessionId.split(':').includes(segment)) };
    }),
    withSegment(async (real, { cursor: _, ...options }) => real(options)),
  ],
  'a list with a segment has sessions that were emptied, but none that were deleted': [
    withSegment(async (real, options) => {
      const page = await real(options);
      return { ...page, items: page.items.filter(({ itemCount }) => itemCount > 0) };
    }),
    class extends ReferenceStore {
      readonly #deleted: StoredSession[] = [];

      override async delete(sessionId: string): Promise<boolean> {
        const stored = this.backend.sessions.get(sessionId);
        if (stored !== undefined) this.#deleted.push(stored);
        return super.delete(sessionId);
      }

      protected override all(): StoredSession[] {
        return [...super.all(), ...this.#deleted];
      }
    },
  ],
  'a segment that no namespace can have is refused by a list of sessions': [
    class extends ReferenceStore {
      override async list({ segment, ...options }: SessionListOptions = {}): Promise<Page<SessionInfo>> {
        return super.list({ ...options, segment }).catch(() => super.list(options));
      }
    },
  ],
};
