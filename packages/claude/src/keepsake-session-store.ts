import { MemoryError, type RecordStore } from '@keepsake/core';
import { type Check, checkId, cloneJson, expect, expectFields } from '@keepsake/core/adapter';
import { allItems, asSegment, fromSegment, TaskQueues } from '@keepsake/internal';
import { entryRecords, readEntries } from './sessions/entry-records.ts';
import { MainTranscript } from './sessions/main-transcript.ts';
import type { FoldSessionSummary, SessionKey, SessionSummary, TranscriptEntry } from './sessions/session-types.ts';

export interface KeepsakeSessionStoreOptions {
  /**
   * Where to keep the transcripts: in `claude` below the namespace of this store. It needs strong consistency, atomic
   * batches and lists, which all Keepsake backends on a database or on files have.
   */
  readonly store: RecordStore;
  /** `foldSessionSummary` of the Claude Agent SDK, which makes the summaries that sessions are listed with. */
  readonly foldSessionSummary: FoldSessionSummary;
}

const OPTIONS = {
  store: ['within'],
  foldSessionSummary: 'function',
} as const satisfies Record<keyof KeepsakeSessionStoreOptions, Check>;

/** How many summaries to read at once. */
const AT_ONCE = 50;
const MAIN = 'main';
const SUBAGENTS = 'sub';

/**
 * A `SessionStore` of the Claude Agent SDK in any Keepsake store. Sessions can be resumed, listed, renamed, tagged, forked
 * and deleted from any process.
 *
 * Each append is one atomic batch with the summary of the session. An entry whose `uuid` is already in the transcript
 * replaces that entry in its place. Rejects with `MemoryError`.
 *
 * @example
 * ```ts
 * const sessionStore = new KeepsakeSessionStore({ store, foldSessionSummary });
 * for await (const message of query({ prompt, options: { sessionStore, resume: sessionId } })) console.log(message);
 * ```
 */
export class KeepsakeSessionStore {
  readonly #store: RecordStore;
  readonly #fold: FoldSessionSummary;
  /** One queue for each session, so that entries are stored in the order of the calls. */
  readonly #queues = new TaskQueues<string>();

  constructor(options: KeepsakeSessionStoreOptions) {
    const { store, foldSessionSummary } = expectFields(options, '', OPTIONS);
    expect(store !== undefined, '`store` is missing. Pass a record store, such as a SqliteStore.');
    expect(
      foldSessionSummary !== undefined,
      '`foldSessionSummary` is missing. Import it from @anthropic-ai/claude-agent-sdk.',
    );
    const { consistency, atomicBatch, enumerate } = store.capabilities;
    if (consistency !== 'strong' || !atomicBatch || !enumerate) {
      const what = 'A session store needs a store with strong consistency, atomic batches and lists.';
      throw new MemoryError('UNSUPPORTED', `${what} Use another backend.`);
    }
    this.#store = store.within(['claude']);
    this.#fold = foldSessionSummary;
  }

  /** Appends entries in one batch. Appending none writes nothing. */
  async append(key: SessionKey, entries: TranscriptEntry[]): Promise<void> {
    const { subpath, ...session } = readKey(key);
    const transcript = this.#transcript(session, subpath);
    // Checks and copies them before it waits.
    const records = entryRecords(entries);
    const copies = cloneJson(entries, 'entries');
    if (records.length === 0) return;
    await this.#queues.run(queueOf(session), async () => {
      if (subpath === undefined) await this.#main(session).append(records, copies);
      else await transcript.putMany(records);
    });
  }

  /** All entries, in the order in which they were appended; `null` if there are none. */
  async load(key: SessionKey): Promise<TranscriptEntry[] | null> {
    const { subpath, ...session } = readKey(key);
    const entries = await readEntries(this.#transcript(session, subpath));
    return entries.length === 0 ? null : entries;
  }

  /** The sessions of a project, and when each was last written. */
  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const summaries = await this.listSessionSummaries(projectKey);
    return summaries.map(({ sessionId, mtime }) => ({ sessionId, mtime }));
  }

  /** The summaries of all sessions of a project. */
  async listSessionSummaries(projectKey: string): Promise<SessionSummary[]> {
    const project = this.#store.within([asSegment(readProjectKey(projectKey))]);
    const depth = project.namespace.length;
    const sessions: Session[] = [];
    for await (const { namespace } of allItems((page) => project.namespaces(page))) {
      const [segment = '', kind] = namespace.slice(depth);
      const sessionId = fromSegment(segment);
      // What is below a mark is not of this store: it would have been escaped.
      const isOwn = asSegment(sessionId) === segment;
      if (isOwn && kind === MAIN && namespace.length === depth + 2) sessions.push({ projectKey, sessionId });
    }
    const summaries: SessionSummary[] = [];
    for (let from = 0; from < sessions.length; from += AT_ONCE) {
      const read = sessions.slice(from, from + AT_ONCE).map((session) => this.#main(session).summary());
      for (const summary of await Promise.all(read)) if (summary !== undefined) summaries.push(summary);
    }
    return summaries;
  }

  /** Deletes a session with its subagents, or with a `subpath` that of one subagent. */
  async delete(key: SessionKey): Promise<void> {
    const { subpath, ...session } = readKey(key);
    const deleted = subpath === undefined ? this.#session(session) : this.#transcript(session, subpath);
    await this.#queues.run(queueOf(session), () => deleted.clear({ descendants: true }));
  }

  /** The subpaths of a session. */
  async listSubkeys(key: Session): Promise<string[]> {
    const subagents = this.#session(readKey(key)).within([SUBAGENTS]);
    const subpaths: string[] = [];
    for await (const { namespace } of allItems((page) => subagents.namespaces(page))) {
      subpaths.push(fromSegment(namespace.at(-1) as string));
    }
    return subpaths;
  }

  #main(session: Session): MainTranscript {
    return new MainTranscript(this.#transcript(session, undefined), session, this.#fold);
  }

  #transcript(session: Session, subpath: string | undefined): RecordStore {
    return this.#session(session).within(subpath === undefined ? [MAIN] : [SUBAGENTS, asSegment(subpath)]);
  }

  /** Keys that look like the namespace of a user are escaped, so that nobody else's name leads to a session. */
  #session({ projectKey, sessionId }: Session): RecordStore {
    return this.#store.within([asSegment(projectKey), asSegment(sessionId)]);
  }
}

function queueOf({ projectKey, sessionId }: Session): string {
  return JSON.stringify([projectKey, sessionId]);
}

/** The transcript of a session itself. */
type Session = Pick<SessionKey, 'projectKey' | 'sessionId'>;

const KEY: Readonly<Record<keyof SessionKey, Check>> = {
  projectKey: 'anything',
  sessionId: 'anything',
  subpath: 'anything',
};

/** A checked copy of a key, so that what the caller does with it later moves no entry to another session. */
function readKey(key: SessionKey): SessionKey {
  const { projectKey, sessionId, subpath } = expectFields(key, 'key', KEY);
  checkId(sessionId, '`key.sessionId`');
  const session = { projectKey: readProjectKey(projectKey, '`key.projectKey`'), sessionId };
  if (subpath === undefined) return session;
  checkId(subpath, '`key.subpath`');
  return { ...session, subpath };
}

function readProjectKey(projectKey: unknown, what = '`projectKey`'): string {
  checkId(projectKey, what);
  return projectKey;
}
