import { type Check, checkId, expectFields } from '@keepsake/core/adapter';
import type { SessionKey } from './session-types.ts';

/** The transcript of a session itself. */
export type Session = Pick<SessionKey, 'projectKey' | 'sessionId'>;

const KEY: Readonly<Record<keyof SessionKey, Check>> = {
  projectKey: 'anything',
  sessionId: 'anything',
  subpath: 'anything',
};

/** A checked copy of a key, so that what the caller does with it later moves no entry to another session. */
export function readKey(key: SessionKey): SessionKey {
  const { projectKey, sessionId, subpath } = expectFields(key, 'key', KEY);
  checkId(sessionId, '`key.sessionId`');
  const session = { projectKey: readProjectKey(projectKey, '`key.projectKey`'), sessionId };
  if (subpath === undefined) return session;
  checkId(subpath, '`key.subpath`');
  return { ...session, subpath };
}

export function readProjectKey(projectKey: unknown, what = '`projectKey`'): string {
  checkId(projectKey, what);
  return projectKey;
}
