import type { JsonObject } from '@keepsake/core';
import { claudeCode, messageOf, saidIn } from '../formats/claude-code.ts';
import type { Format } from '../formats/format.ts';
import { blockItems, type ToolNames } from './block-items.ts';
import { sessionId } from './session-id.ts';

interface Session {
  readonly names: ToolNames;
  readonly items: JsonObject[];
}

/** The sessions of Claude Code, with their tool calls. Held in memory until the end of the input, which may mix them. */
export function claudeCodeSessions(): Format {
  const sessions = new Map<string, Session>();
  return {
    name: 'claude-code',
    matches: claudeCode().matches,
    read(entry, place) {
      const message = messageOf(entry, place);
      if (message === undefined) return [];
      const session: Session = sessions.get(message.session) ?? { names: new Map(), items: [] };
      sessions.set(message.session, session);
      const { names, items } = session;
      const id = typeof entry.uuid === 'string' ? entry.uuid : String(items.length);
      const added = blockItems(message.role, message.content, { names, id, said: (text) => saidIn(text) });
      for (const item of added) items.push(item);
      return [];
    },
    *end() {
      for (const [name, { items }] of sessions) {
        yield { place: `session ${name}`, session: { id: sessionId('claude-code', name), items } };
      }
    },
  };
}
