import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordInput } from '@keepsake/core';
import { encodeItems } from '@keepsake/core/adapter';
import { mutateBytes } from '@keepsake/testing/fuzz/bytes';
import { mutateJsonText } from '@keepsake/testing/fuzz/json';
import type { Random } from '@keepsake/testing/fuzz/random';
import { type FuzzTarget, fuzzTarget } from '@keepsake/testing/fuzz/target';
import { grownText } from '@keepsake/testing/fuzz/text';
import { Failure } from '../../src/failure.ts';
import type { As } from '../../src/import/formats/formats.ts';
import { MemoryImporter } from '../../src/import/memory-importer.ts';
import { readInput } from '../../src/import/read-input.ts';
import { SessionImporter } from '../../src/import/session-importer.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const fixture = (name: string) => readFileSync(join(FIXTURES, name), 'utf8');
const linesOf = (text: string) =>
  text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown);

const EXPORTED = [
  {
    namespace: ['u', 'alice'],
    id: 'r1',
    content: 'Likes rye bread.',
    metadata: { topic: 'food' },
    version: 2,
    createdAt: '2026-05-03T09:12:00.000Z',
    updatedAt: '2026-05-03T09:12:00.000Z',
    expiresAt: '2099-05-03T09:12:00.000Z',
    turn: { thread: 't', index: 3, speaker: 'user' },
    source: { conversation: 'c', run: 'r', speaker: 'user', kind: 'fact' },
    supersedes: 'r0',
    validFrom: '2026-05-03T09:12:00.000Z',
    index: true,
  },
];

/** Each as memories, and as sessions. */
export const messages = importerOf(
  [...linesOf(fixture('talk.jsonl')), ...linesOf(fixture('agents-session.jsonl'))],
  'lines',
);
export const chatgpt = importerOf(JSON.parse(fixture('chatgpt.json')), 'array');
export const claude = importerOf(JSON.parse(fixture('claude.json')), 'array');
export const locomo = importerOf([JSON.parse(fixture('locomo.json'))], 'array');
export const exportedRecords = importerOf(EXPORTED, 'lines');
export const claudeCode = importerOf(linesOf(fixture('claude-code.jsonl')), 'lines');
export const serverMemory = importerOf(linesOf(fixture('server-memory.jsonl')), 'lines');
export const langgraph = importerOf(JSON.parse(fixture('langgraph.json')), 'array');
export const mem0 = importerOf([JSON.parse(fixture('mem0.json'))], 'lines');
export const letta = importerOf([JSON.parse(fixture('letta.af'))], 'lines');

/** A file in chunks, as a stream gives it. */
type File = readonly Uint8Array[];

function importerOf(values: readonly unknown[], shape: 'lines' | 'array'): FuzzTarget<File> {
  return fuzzTarget<File>({
    input: (random) => fileOf(random, values, shape),
    grown: (random, length) => grownFile(random, length, values),
    isRefusal: (error) => error instanceof Failure,
    run: importFile,
  });
}

function fileOf(random: Random, values: readonly unknown[], shape: 'lines' | 'array'): File {
  const space = random.chance(0.2) ? 2 : undefined;
  const texts = values.map((value) =>
    random.chance(0.5) ? mutateJsonText(random, [value, ...values], space) : JSON.stringify(value),
  );
  const text = shape === 'lines' ? texts.join('\n') : `[${texts.join(',')}]`;
  const bytes = random.chance(0.1) ? mutateBytes(random, Buffer.from(text)) : Buffer.from(text);
  const end = random.whole(bytes.length + 1);
  return random.chance(0.3) ? [bytes.subarray(0, end), bytes.subarray(end)] : [bytes];
}

/** In many chunks, because work for each chunk must not depend on those before it. */
function grownFile(random: Random, length: number, values: readonly unknown[]): File {
  const texts = ['\n', ' \n', '[', '{"a":', '[{},', ...values.map((value) => `${JSON.stringify(value)}\n`)];
  const bytes = Buffer.from(grownText(random, length, texts));
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES));
}

const CHUNK_BYTES = 64;

/** As `keepsake import --redact` does, into a store without records or sessions. */
async function importFile(file: File): Promise<void> {
  for (const as of ['memories', 'sessions'] as const) {
    const importer = importerFor(as);
    try {
      for await (const found of readInput(chunksOf(file), { as })) await importer.add(found);
    } finally {
      await importer.flush();
    }
  }
}

function importerFor(as: As): MemoryImporter | SessionImporter {
  const session = { getItems: async () => [], addItems: async (items: object[]) => void encodeItems(items) };
  if (as === 'sessions') return new SessionImporter({ open: () => session as never }, { redact: true });
  const store = {
    get: async () => undefined,
    putMany: async (records: readonly RecordInput[]) => records.map((record) => ({ ...record, version: 1 }) as never),
    within: () => store,
  };
  return new MemoryImporter(store as never, { redact: true, namespace: [] });
}

async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  yield* file;
}
