import type { Entry } from '../engines/engine.ts';
import type { Conversation, Question } from './conversation.ts';
import type { Shape } from './shape.ts';

/** Category 5 asks for what was never said, so it is omitted. */
const CATEGORIES = { 1: 'multi-hop', 2: 'temporal', 3: 'open-domain', 4: 'single-hop' } as const;

/** As published, a conversation is a field next to its questions; its turns are in `session_1`, `session_2` … */
interface ConversationInFile {
  readonly sample_id?: string;
  readonly conversation?: Readonly<Record<string, unknown>>;
  readonly qa: readonly QuestionInFile[];
}

interface TurnInFile {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
  readonly blip_caption?: string;
}

interface QuestionInFile {
  readonly question: string;
  readonly category: number;
  readonly evidence?: readonly string[];
}

/** Conversations of two friends (Maharana et al. 2024). */
export const locomo: Shape = {
  name: 'LoCoMo',
  categories: Object.values(CATEGORIES),
  recognises(value) {
    const { qa } = Object(value) as ConversationInFile;
    return Array.isArray(sessionsOf(value).session_1) && Array.isArray(qa);
  },
  read(value, name): Conversation {
    const { sample_id, qa } = value as ConversationInFile;
    const { entries, places } = readTurns(sessionsOf(value));
    const questions = qa.flatMap((asked) => readQuestion(asked, places));
    return { name: sample_id ?? name, entries, questions, unanswerable: [] };
  },
};

function sessionsOf(value: unknown): Readonly<Record<string, unknown>> {
  const { conversation = value } = Object(value) as ConversationInFile;
  return Object(conversation) as Record<string, unknown>;
}

/** The turns as entries, and their indexes by turn id. */
function readTurns(sessions: Readonly<Record<string, unknown>>) {
  const entries: Entry[] = [];
  const places = new Map<string, number>();
  for (let session = 1; Array.isArray(sessions[`session_${session}`]); session++) {
    const createdAt = readTime(String(sessions[`session_${session}_date_time`]));
    for (const [index, turn] of (sessions[`session_${session}`] as TurnInFile[]).entries()) {
      const [id] = evidenceIds(turn.dia_id);
      if (id !== undefined) places.set(id, entries.length);
      const thread = `session ${session}`;
      entries.push({ content: contentOf(turn), createdAt, turn: { thread, index, speaker: turn.speaker } });
    }
  }
  return { entries, places };
}

/** The turn ids in a text, as `session:turn` without leading zeros. */
export function evidenceIds(text: string): string[] {
  return [...text.matchAll(/D:?(\d+):(\d+)/g)].map(([, session, turn]) => `${Number(session)}:${Number(turn)}`);
}

function contentOf({ speaker, text, blip_caption }: TurnInFile): string {
  return `${speaker}: ${text}${blip_caption === undefined ? '' : ` [shares a photo: ${blip_caption}]`}`;
}

/** Returns nothing for a question of category 5 or without evidence in the conversation. */
function readQuestion(
  { question, category, evidence = [] }: QuestionInFile,
  places: ReadonlyMap<string, number>,
): Question[] {
  if (!isCategory(category)) return [];
  const found = evidence.flatMap(evidenceIds).flatMap((id) => places.get(id) ?? []);
  if (found.length === 0) return [];
  return [{ text: String(question), category: CATEGORIES[category], evidence: [...new Set(found)] }];
}

function isCategory(category: number): category is keyof typeof CATEGORIES {
  return category in CATEGORIES;
}

/** Parses a time such as `1:56 pm on 8 May, 2023` as UTC. */
function readTime(text: string): string {
  const [, clock, half, day] = /^(\d{1,2}:\d\d) ([ap]m) on (.+)$/.exec(text) ?? [];
  const time = Date.parse(`${day} ${clock} ${half} UTC`);
  if (Number.isNaN(time))
    throw new Error(`A session must start at a time such as "1:56 pm on 8 May, 2023", got: ${text}`);
  return new Date(time).toISOString();
}
