import type { OpenedConfig } from '@keepsake/config';
import { allPages } from '@keepsake/internal';
import { Fresh } from '../fresh.ts';
import type { PrincipalRef } from '../protocol.ts';

/** Sessions are only read from the list, newest first. Longer lists would keep the view waiting. */
const MAX_SESSIONS = 10_000;

/** Whom the sessions belong to. */
export interface OwnedSessions {
  /** One for each session that belongs to somebody. */
  readonly owners: readonly PrincipalRef[];
  /** Whether there are older sessions, which were not looked at. */
  readonly more: boolean;
}

/** The users of the latest sessions. */
export class SessionOwners {
  readonly #config: OpenedConfig;
  readonly #sessions = new Fresh(() => this.#load());

  constructor(config: OpenedConfig) {
    this.#config = config;
  }

  /** Lists again at the next use, after a change. */
  forget(): void {
    this.#sessions.forget();
  }

  all(): Promise<OwnedSessions> {
    return this.#sessions.get();
  }

  async #load(): Promise<OwnedSessions> {
    if (this.#config.configuration.sessions === undefined) return { owners: [], more: false };
    const [sessions, space] = [await this.#config.sessions(), await this.#config.space()];
    const owners: PrincipalRef[] = [];
    let read = 0;
    for await (const page of allPages((options) => sessions.list(options))) {
      owners.push(...page.flatMap(({ sessionId }) => space.sessionOwner(sessionId) ?? []));
      read += page.length;
      if (read >= MAX_SESSIONS) return { owners, more: true };
    }
    return { owners, more: false };
  }
}
