import type { JsonObject } from '@keepsake/core';
import type { ConversationKind } from '../runs/kind.ts';
import { type Places, sessionRecordId } from '../runs/places.ts';
import { readBody } from '../runs/session-records.ts';

/** What is known of a user. */
export interface Profile<Data extends object = JsonObject> {
  readonly userId: string;
  /** Known of a user wherever they are, or of somebody who named no user, in one session. */
  readonly scope: 'user' | 'session';
  readonly data: Data;
  /** 1 at first, one more at each change. */
  readonly version: number;
}

/** Where a profile lies. */
export type ProfileKey =
  | { readonly scope: 'user'; readonly userId: string }
  | { readonly scope: 'session'; readonly kind: ConversationKind; readonly sessionId: string };

/** Whose profile it is. */
export type ProfileOwner = ProfileKey & { readonly userId: string };

export class ProfileRecords {
  readonly #places: Places;

  constructor(places: Places) {
    this.#places = places;
  }

  async get(owner: ProfileOwner): Promise<Profile | undefined> {
    const record = await this.#store(owner).get(recordId(owner));
    if (record === undefined) return undefined;
    const data = readBody<JsonObject>(record.content);
    return { userId: owner.userId, scope: owner.scope, data, version: record.version };
  }

  /** Puts a profile in the place of the one that it was made of; `CONFLICT` where that is another by now, or gone. */
  async put(owner: ProfileOwner, known: Profile | undefined, data: JsonObject): Promise<void> {
    const content = JSON.stringify(data);
    if (known !== undefined && content === JSON.stringify(known.data)) return;
    await this.#store(owner).put({ id: recordId(owner), content, index: false }, { ifVersion: known?.version ?? 0 });
  }

  async delete(key: ProfileKey): Promise<boolean> {
    return this.#store(key).delete(recordId(key));
  }

  #store({ scope }: ProfileKey) {
    return this.#places.profiles(scope);
  }
}

function recordId(key: ProfileKey): string {
  return key.scope === 'user' ? key.userId : sessionRecordId(key.kind, key.sessionId);
}
