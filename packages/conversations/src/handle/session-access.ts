import { MemoryError } from '@keepsake/core';
import { expectSegment } from '../expect.ts';
import type { ProfileOwner } from '../profile/profile-records.ts';
import type { ConversationKind } from '../runs/kind.ts';
import type { SessionBody, StoredSession } from '../runs/session.ts';
import type { SessionRecords } from '../runs/session-records.ts';

/** A session and its caller. */
export interface SessionKey {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  /** The caller: `undefined` without a user, `null` for an operator. */
  readonly user: string | null | undefined;
  /** If there is no user, a placeholder that is unique to the session. */
  readonly userId: string;
  readonly agentId: string | undefined;
}

/** Reads and changes a session as one of its users. Refuses a session of another user. */
export class SessionAccess {
  readonly key: SessionKey;
  readonly sessions: SessionRecords;

  constructor(key: SessionKey, sessions: SessionRecords) {
    this.key = key;
    this.sessions = sessions;
  }

  /** A session of this kind, by default this one. */
  async read(sessionId: string = this.key.sessionId): Promise<StoredSession | undefined> {
    expectSegment(sessionId, 'sessionId');
    const session = await this.sessions.get(this.key.kind, sessionId);
    this.#expectAllowed(session);
    return session;
  }

  /** Changes or creates the session. A session without an owner becomes the user's. */
  async change(decide: (body: SessionBody) => SessionBody): Promise<void> {
    const { kind, sessionId, user } = this.key;
    const agentId = this.key.agentId === undefined ? {} : { agentId: this.key.agentId };
    await this.sessions.change(kind, sessionId, (storedSession) => {
      this.#expectAllowed(storedSession);
      const body = decide({ ...agentId, metadata: {}, ...storedSession?.body });
      return typeof user === 'string' ? { userId: user, body } : { body };
    });
  }

  /** Creates the session, or updates its time. */
  async touch(): Promise<void> {
    await this.change((body) => body);
  }

  /** The owner of the profile: the user, or the session if there is no user. */
  ownerIn(session: StoredSession | undefined): ProfileOwner {
    const { kind, sessionId } = this.key;
    const userId = this.key.user ?? session?.userId;
    if (userId !== undefined) return { scope: 'user', userId };
    return { scope: 'session', userId: this.key.userId, kind, sessionId };
  }

  #expectAllowed(session: StoredSession | undefined): void {
    const { user } = this.key;
    if (user === null || session?.userId === undefined || session.userId === user) return;
    throw new MemoryError('INVALID_ARGUMENT', 'This session belongs to another user. Use another session id.');
  }
}
