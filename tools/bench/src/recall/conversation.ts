import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../engines/engine.ts';

/** A conversation of LoCoMo, and what is asked about it. */
export interface Conversation {
  readonly name: string;
  /** One a turn, in order. */
  readonly entries: readonly Entry[];
  readonly questions: readonly Question[];
}

interface Question {
  readonly text: string;
  readonly category: Category;
  /** The places of the entries that hold the answer: at least one, none twice. */
  readonly evidence: readonly number[];
}

/** Category 5 asks for what was never said, and is left out. */
const CATEGORIES = { 1: 'multi-hop', 2: 'temporal', 3: 'open-domain', 4: 'single-hop' } as const;

export type Category = (typeof CATEGORIES)[keyof typeof CATEGORIES];

/** In the order of LoCoMo. */
export const categories: readonly Category[] = Object.values(CATEGORIES);

/** What a directory is to hold, for people. */
export const DATA =
  'a directory with conversations of LoCoMo (snap-research/locomo) as JSON files: locomo10.json as it is published, or a file a conversation';

/** As it is published, a conversation stands beside its questions; `session_1`, `session_2` … hold its turns. */
interface ConversationFile {
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

/** All conversations in a directory, by the names of their files. */
export function readConversations(directory: string): Conversation[] {
  const files = readdirSync(directory).filter((file) => file.endsWith('.json'));
  const conversations = files.sort().flatMap((file) => {
    const value: unknown = JSON.parse(readFileSync(join(directory, file), 'utf8'));
    const name = file.slice(0, -'.json'.length);
    return (Array.isArray(value) ? value : [value]).map((one) => readConversation(one, name));
  });
  if (conversations.length === 0) throw new Error(`${directory} holds no JSON file. It is to be ${DATA}.`);
  return conversations;
}

/** @throws Error where it is none. */
export function readConversation(value: unknown, name: string): Conversation {
  const { sample_id, qa, conversation = value } = Object(value) as ConversationFile;
  const sessions = Object(conversation) as Record<string, unknown>;
  if (!Array.isArray(sessions.session_1) || !Array.isArray(qa)) {
    throw new Error(`${name} is no conversation of LoCoMo: it is to have session_1 and qa.`);
  }
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
  const questions = qa.flatMap((asked) => readQuestion(asked, places));
  return { name: sample_id ?? name, entries, questions };
}

/** The ids that a text names, as `session:turn` without zeros before them. */
export function evidenceIds(text: string): string[] {
  return [...text.matchAll(/D:?(\d+):(\d+)/g)].map(([, session, turn]) => `${Number(session)}:${Number(turn)}`);
}

function contentOf({ speaker, text, blip_caption }: TurnInFile): string {
  return `${speaker}: ${text}${blip_caption === undefined ? '' : ` [shares a photo: ${blip_caption}]`}`;
}

/** Nothing for a question of another category, and for one whose evidence is not there. */
function readQuestion({ question, category, evidence = [] }: QuestionInFile, places: Map<string, number>): Question[] {
  if (!isCategory(category)) return [];
  const found = evidence.flatMap(evidenceIds).flatMap((id) => places.get(id) ?? []);
  if (found.length === 0) return [];
  return [{ text: String(question), category: CATEGORIES[category], evidence: [...new Set(found)] }];
}

function isCategory(category: number): category is keyof typeof CATEGORIES {
  return category in CATEGORIES;
}

/** Such as `1:56 pm on 8 May, 2023`, taken as UTC. */
function readTime(text: string): string {
  const [, clock, half, day] = /^(\d{1,2}:\d\d) ([ap]m) on (.+)$/.exec(text) ?? [];
  const time = Date.parse(`${day} ${clock} ${half} UTC`);
  if (Number.isNaN(time)) throw new Error(`A session began at no time such as "1:56 pm on 8 May, 2023": ${text}`);
  return new Date(time).toISOString();
}
