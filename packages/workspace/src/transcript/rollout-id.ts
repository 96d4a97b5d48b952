import { expectFields, uuidv7 } from '@keepsake/core/adapter';
import { digest } from '@keepsake/internal/node';

/** The ids of a run's conversation. The first one present is used. */
export interface RolloutNames {
  readonly conversationId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly groupId?: string | undefined;
}

/** The conversation's id, else the session's, else the group's, else a new one. */
export function resolveRolloutId(names: RolloutNames): string {
  const fields = expectFields(names, '', { conversationId: 'string', sessionId: 'string', groupId: 'string' });
  const { conversationId, sessionId, groupId } = fields;
  return conversationId ?? sessionId ?? groupId ?? uuidv7();
}

const MAX_LENGTH = 72;
/** Windows reserves these names for devices. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * Encodes an id for file names and bullets. The encodings of two ids never differ only in case: `a-z`, `0-9` and `-` are
 * kept, everything else becomes `~` and the hex of its UTF-8 bytes, a lone surrogate `~~` and its four digits. A long name
 * ends in `~h` and a digest.
 */
export function encodeRolloutId(id: string): string {
  let name = RESERVED.test(id) ? escapeCharacter(id.charAt(0)) + id.slice(1) : Array.from(id, encodeCharacter).join('');
  if (name === '') name = '~e';
  if (name.length <= MAX_LENGTH) return name;
  const hash = digest(name, 40);
  return `${name.slice(0, MAX_LENGTH - hash.length - 2)}~h${hash}`;
}

function encodeCharacter(character: string): string {
  return /^[a-z0-9-]$/.test(character) ? character : escapeCharacter(character);
}

function escapeCharacter(character: string): string {
  if (!character.isWellFormed()) return `~~${character.charCodeAt(0).toString(16)}`;
  return Array.from(Buffer.from(character), (byte) => `~${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Whether {@link encodeRolloutId} may have returned this. */
export const ROLLOUT_NAME = /^[a-z0-9~-]{1,72}$/;
