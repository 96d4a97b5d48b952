import { chatgptSessions } from '../sessions/chatgpt-sessions.ts';
import { claudeCodeSessions } from '../sessions/claude-code-sessions.ts';
import { claudeSessions } from '../sessions/claude-sessions.ts';
import { lettaSessions } from '../sessions/letta-sessions.ts';
import { messageSessions } from '../sessions/message-sessions.ts';
import { chatgpt } from './chatgpt.ts';
import { claude } from './claude.ts';
import { claudeCode } from './claude-code.ts';
import { exportedRecords } from './exported-records.ts';
import type { Format } from './format.ts';
import { langgraph } from './langgraph.ts';
import { letta } from './letta.ts';
import { locomo } from './locomo.ts';
import { mem0 } from './mem0.ts';
import { messages } from './messages.ts';
import { serverMemory } from './server-memory.ts';

/** What an import makes of conversations. */
export type As = 'memories' | 'sessions';

/** The formats for one input: some of them count what they have read. The first that matches a value reads it. */
export function formatsFor(as: As): Format[] {
  if (as === 'sessions') {
    return [messageSessions(), chatgptSessions, claudeSessions, claudeCodeSessions(), lettaSessions];
  }
  return [messages(), exportedRecords, chatgpt, claude, locomo, claudeCode(), serverMemory, langgraph, mem0, letta];
}
