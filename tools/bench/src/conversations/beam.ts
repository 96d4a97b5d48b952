import type { Entry } from '../engines/engine.ts';
import type { Conversation, Question } from './conversation.ts';
import type { Shape } from './shape.ts';

/** The category of unanswerable questions. */
export const ABSTENTION = 'abstention';

interface ChatInFile {
  /** `turns: false` for facts and notes, which are no turns of a conversation. */
  readonly meta?: { readonly turns?: boolean };
  readonly entries: readonly MessageInFile[];
  readonly questions: readonly QuestionInFile[];
}

interface MessageInFile {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly createdAt?: string;
  readonly thread: string;
  readonly index: number;
}

interface QuestionInFile {
  readonly category: string;
  readonly text: string;
  readonly evidence: readonly string[];
  readonly before?: number;
}

/** Chats of a user and an assistant (Tavakoli et al. 2026), in the format in the README of this folder. */
export const beam: Shape = {
  name: 'BEAM',
  categories: [
    'contradiction_resolution',
    'event_ordering',
    'information_extraction',
    'instruction_following',
    'knowledge_update',
    'multi_session_reasoning',
    'preference_following',
    'summarization',
    'temporal_reasoning',
  ],
  recognises(value) {
    const { entries, questions } = Object(value) as ChatInFile;
    return Array.isArray(entries) && Array.isArray(questions);
  },
  read(value, name): Conversation {
    const { entries, questions, meta } = value as ChatInFile;
    const places = new Map(entries.map(({ id }, place) => [id, place]));
    const answerable = questions.filter(({ category }) => category !== ABSTENTION);
    const unanswerable = questions.filter(({ category }) => category === ABSTENTION);
    return {
      name,
      entries: entries.map((entry) => readMessage(entry, meta?.turns !== false)),
      questions: answerable.flatMap((asked) => readQuestion(asked, places)),
      unanswerable: unanswerable.map(({ text }) => text),
    };
  },
};

function readMessage({ role, content, createdAt, thread, index }: MessageInFile, isTurn: boolean): Entry {
  return {
    content,
    ...(createdAt !== undefined && { createdAt }),
    ...(isTurn && { turn: { thread, index, speaker: role } }),
  };
}

/** Returns nothing for a question without evidence in the chat. */
function readQuestion(
  { category, text, evidence, before }: QuestionInFile,
  places: ReadonlyMap<string, number>,
): Question[] {
  const found = evidence.flatMap((id) => places.get(id) ?? []);
  return found.length === 0
    ? []
    : [{ text, category, evidence: [...new Set(found)], ...(before !== undefined && { before }) }];
}
