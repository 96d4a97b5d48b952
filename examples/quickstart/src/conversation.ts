import { readFileSync } from 'node:fs';

/** One message of a conversation. */
export interface Utterance {
  readonly role: 'user' | 'assistant';
  readonly speaker: string;
  readonly text: string;
  /** ISO 8601 */
  readonly saidAt: string;
}

/** Reads a conversation: JSONL of `{ role, speaker?, content, createdAt }`, or a LoCoMo file. */
export function readConversation(path: string): Utterance[] {
  const text = readFileSync(path, 'utf8');
  return path.endsWith('.jsonl') ? readLines(text) : readLocomo(JSON.parse(text));
}

function readLines(text: string): Utterance[] {
  const lines = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, index + 1)]));
  if (lines.length === 0) throw new Error('it has no lines');
  return lines;
}

function readLine(line: string, number: number): Utterance {
  const { role, speaker = role, content, createdAt } = parse(line) ?? {};
  if ((role !== 'user' && role !== 'assistant') || typeof content !== 'string' || typeof createdAt !== 'string') {
    throw new Error(`line ${number} is not { "role": "user" or "assistant", "content", "createdAt" }`);
  }
  const time = Date.parse(createdAt);
  if (Number.isNaN(time)) throw new Error(`createdAt of line ${number} is not a time such as 2026-11-22T08:30:00Z`);
  return { role, speaker: String(speaker), text: content, saidAt: new Date(time).toISOString() };
}

function parse(line: string): Record<string, unknown> | null | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

interface LocomoTurn {
  readonly speaker: string;
  readonly text: string;
  readonly blip_caption?: string;
}

/** `session_1`, `session_2` … hold the turns, `session_1_date_time` … when they were said. */
function readLocomo(file: Record<string, unknown>): Utterance[] {
  const utterances: Utterance[] = [];
  for (let number = 1; Array.isArray(file[`session_${number}`]); number++) {
    const start = readLocomoDate(String(file[`session_${number}_date_time`]));
    for (const [index, turn] of (file[`session_${number}`] as LocomoTurn[]).entries()) {
      utterances.push({
        role: turn.speaker === file.speaker_a ? 'user' : 'assistant',
        speaker: turn.speaker,
        text: turn.blip_caption ? `${turn.text} [shares a photo: ${turn.blip_caption}]` : turn.text,
        // The file has one time per session. One minute per turn keeps the order.
        saidAt: new Date(start + index * 60_000).toISOString(),
      });
    }
  }
  if (utterances.length === 0) throw new Error('This is neither JSONL nor a LoCoMo file: it has no session_1.');
  return utterances;
}

/** Parses a time such as `4:04 pm on 20 January, 2023`. */
function readLocomoDate(text: string): number {
  const [, time, half, date] = /^(\d+:\d+) (am|pm) on (.+)$/.exec(text) ?? [];
  const milliseconds = Date.parse(`${date} ${time} ${half} UTC`);
  if (Number.isNaN(milliseconds)) throw new Error(`This is not a LoCoMo date: ${text}`);
  return milliseconds;
}
