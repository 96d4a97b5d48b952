import type { Page, SessionInfo, SessionListOptions } from '@keepsake/core';
import type { StoredSession } from '../../session/reference.ts';
import { ReferenceStore } from '../reference-store.ts';
import { listingWith, type StoreMutant, type StoreMutants, type WrongList } from './mutant.ts';

/** Compares ids with prefixes in a wrong way. */
function beginning(begins: (sessionId: string, idPrefix: string) => boolean): StoreMutant {
  return class extends ReferenceStore {
    protected override begins({ sessionId }: StoredSession, idPrefix: string): boolean {
      return begins(sessionId, idPrefix);
    }
  };
}

/** Lists in a wrong way if there is a prefix. */
const withPrefix = (list: WrongList<'idPrefix'>) => listingWith('idPrefix', list);

export const prefixMutants: StoreMutants = {
  'a list with an idPrefix returns the sessions whose ids begin with it, literally': [
    beginning((id, idPrefix) => {
      const pattern = idPrefix.replaceAll(/[^*%\w]/g, '\\$&').replaceAll(/[*%]/g, '.*');
      return new RegExp(`^${pattern}`).test(id);
    }),
    beginning((id, idPrefix) => id.toLowerCase().startsWith(idPrefix.toLowerCase())),
    beginning((id, idPrefix) => id.includes(idPrefix)),
    beginning((id, idPrefix) => id !== idPrefix && id.startsWith(idPrefix)),
    beginning(() => true),
  ],
  'a list with an idPrefix is in the order of the list of all, with the same entries': [
    withPrefix(async (real, options) => {
      const { items } = await real(options);
      return { items: items.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1)) };
    }),
    withPrefix(async (real, options) => {
      const page = await real(options);
      return { ...page, items: page.items.map((info) => ({ ...info, itemCount: 0 })) };
    }),
  ],
  'pages of a list with an idPrefix are full, and continue after the previous one': [
    withPrefix(async (real, { idPrefix, ...options }) => {
      const page = await real(options);
      return { ...page, items: page.items.filter(({ sessionId }) => sessionId.startsWith(idPrefix)) };
    }),
    withPrefix(async (real, { cursor: _, ...options }) => real(options)),
  ],
  'a list with an idPrefix has sessions that were emptied, but none that were deleted': [
    withPrefix(async (real, options) => {
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
  'an invalid idPrefix is refused': [
    class extends ReferenceStore {
      override async list({ idPrefix, ...options }: SessionListOptions = {}): Promise<Page<SessionInfo>> {
        return super.list({ ...options, idPrefix }).catch(() => super.list(options));
      }
    },
    class extends ReferenceStore {
      override async list({ idPrefix, ...options }: SessionListOptions = {}): Promise<Page<SessionInfo>> {
        return super.list({ ...options, idPrefix: idPrefix === '' ? undefined : idPrefix });
      }
    },
  ],
};
