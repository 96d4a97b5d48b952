import { createHash } from 'node:crypto';
import { uuidv7 } from '@keepsake/core';
import { checkFields, text } from '../check-fields.ts';

/** What names the conversation that a run belongs to; the first that is given counts. */
export interface RolloutNames {
  readonly conversationId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly groupId?: string | undefined;
}

/** The conversation's id, else the session's, else the group's, else a fresh one. */
export function resolveRolloutId(names: RolloutNames): string {
  checkFields(names, 'the names of a run', { conversationId: text, sessionId: text, groupId: text });
  const { conversationId, sessionId, groupId } = names;
  return conversationId ?? sessionId ?? groupId ?? uuidv7();
}

const MAX_LENGTH = 72;
/** Windows keeps these for devices. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * An id as the name of a file, and as bullets name what they rest on. No two ids have the same, nor names that differ in
 * case alone: `a-z`, `0-9` and `-` stand for themselves, all else is `~` and the hex of a byte of UTF-8, a lone surrogate
 * `~~` and its four digits. What gets too long ends in `~h` and its digest.
 */
export function encodeRolloutId(id: string): string {
  let name = RESERVED.test(id) ? escapeCharacter(id.charAt(0)) + id.slice(1) : Array.from(id, encodeCharacter).join('');
  if (name === '') name = '~e';
  if (name.length <= MAX_LENGTH) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 40);
  return `${name.slice(0, MAX_LENGTH - digest.length - 2)}~h${digest}`;
}

function encodeCharacter(character: string): string {
  return /^[a-z0-9-]$/.test(character) ? character : escapeCharacter(character);
}

function escapeCharacter(character: string): string {
  if (!character.isWellFormed()) return `~~${character.charCodeAt(0).toString(16)}`;
  return Array.from(Buffer.from(character), (byte) => `~${byte.toString(16).padStart(2, '0')}`).join('');
}

/** What {@link encodeRolloutId} may have given. */
export const ROLLOUT_NAME = /^[a-z0-9~-]{1,72}$/;
