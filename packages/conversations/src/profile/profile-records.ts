import type { JsonObject } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import type { ConversationKind } from '../runs/kind.ts';
import { type Places, sessionRecordId } from '../runs/places.ts';
import { readBody } from '../runs/read-body.ts';

/** What is known of a user. */
export interface Profile<Data extends object = JsonObject> {
  readonly userId: string;
  /** About a user in all sessions, or, without a user, about one session. */
  readonly scope: 'user' | 'session';
  readonly data: Data;
  /** Starts at 1 and rises by one with each change. */
  readonly version: number;
}

/** The location of a profile. */
export type ProfileKey =
  | { readonly scope: 'user'; readonly userId: string }
  | { readonly scope: 'session'; readonly kind: ConversationKind; readonly sessionId: string };

/** The owner of the profile. */
export type ProfileOwner = ProfileKey & { readonly userId: string };

export class ProfileRecords {
  readonly #places: Places;

  constructor(places: Places) {
    this.#places = places;
  }

  async get(owner: ProfileOwner): Promise<Profile | undefined> {
    const record = await this.#store(owner).get(recordId(owner));
    if (record === undefined) return undefined;
    const data = readBody(record.content, (value): value is JsonObject => isObject(value));
    return { userId: owner.userId, scope: owner.scope, data, version: record.version };
  }

  /** Replaces the profile that it was made from. `CONFLICT` if that has changed or is gone. */
  async put(owner: ProfileOwner, profile: Profile | undefined, data: JsonObject): Promise<void> {
    const content = JSON.stringify(data);
    if (profile !== undefined && content === JSON.stringify(profile.data)) return;
    await this.#store(owner).put({ id: recordId(owner), content, index: false }, { ifVersion: profile?.version ?? 0 });
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
