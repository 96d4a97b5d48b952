import { isObject } from '@keepsake/internal';
import { brokenInput } from '../broken-input.ts';
import type { Format, UnknownObject } from './format.ts';
import { isoTime } from './iso-time.ts';
import { toFoundEntry } from './utterance.ts';

/** What Claude Code writes for a command, or adds to a message, in the name of the user. */
const NOT_SAID = /^\s*<(command-|local-command-|bash-|system-reminder|task-notification|user-prompt-submit-hook)/;

/** The transcripts of Claude Code (`~/.claude/projects/*\/*.jsonl`). Each line that says something becomes a record. */
export function claudeCode(): Format {
  const counts = new Map<string, number>();
  return {
    name: 'claude-code',
    matches: isEntry,
    *read(entry, place) {
      const message = messageOf(entry, place);
      if (message === undefined) return;
      const { session, role, content } = message;
      const text = saidIn(content);
      const index = counts.get(session) ?? 0;
      if (text !== '') counts.set(session, index + 1);
      const utterance = {
        conversation: `claude-code ${session}`,
        key: typeof entry.uuid === 'string' ? entry.uuid : [index, role, text],
        index,
        speaker: role,
        text,
        createdAt: isoTime(entry.timestamp),
        metadata: { role, ...(typeof entry.cwd === 'string' ? { directory: entry.cwd } : {}) },
      };
      yield toFoundEntry(utterance, place);
    },
  };
}

/** Whether a line is one of Claude Code's: a message, or one of the many kinds of notes between them. */
function isEntry({ type, role, ...entry }: UnknownObject): boolean {
  if (typeof type !== 'string' || role !== undefined) return false;
  return ['sessionId', 'uuid', 'leafUuid', 'messageId'].some((field) => typeof entry[field] === 'string');
}

/** The message of a line; `undefined` for notes, and for what subagents said. */
export function messageOf(entry: UnknownObject, place: string) {
  const { type, isSidechain, isMeta, sessionId, message } = entry;
  if ((type !== 'user' && type !== 'assistant') || isSidechain === true || isMeta === true) return undefined;
  if (typeof sessionId !== 'string' || sessionId === '') throw brokenInput(`${place} has no sessionId.`);
  const content = isObject(message) ? message.content : undefined;
  if (typeof content !== 'string' && !Array.isArray(content)) {
    throw brokenInput(`${place} must have a message with a content.`);
  }
  return { session: sessionId, role: type, content } as const;
}

/** The text of a message, without what nobody said. */
export function saidIn(content: string | readonly unknown[]): string {
  const texts =
    typeof content === 'string'
      ? [content]
      : content.flatMap((block) =>
          isObject(block) && block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
        );
  return texts.filter((text) => text.trim() !== '' && !NOT_SAID.test(text)).join('\n');
}
