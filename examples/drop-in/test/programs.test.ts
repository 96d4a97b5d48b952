import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ModelAnswer, type ModelRequest, startBedrock, startOpenAI } from '@keepsake/emulators';
import { FileStore } from '@keepsake/file';
import { runProgram, useDirectory } from '@keepsake/testing';
import type { Agent, run } from '@openai/agents';
import { MemoryManager as StrandsManager } from '@strands-agents/sdk';
import { BedrockKnowledgeBaseStore as StrandsStore } from '@strands-agents/sdk/vended-memory-stores/bedrock-knowledge-base';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';

/*
 * The programs of two guides, in our words and with the calls and names of theirs. Only imports differ: of stores, of
 * sessions, and of the model, which is scripted. At the end, programs show what they did. The compiler checks them with the
 * other sources (npm run typecheck).
 */

const SOURCES = join(import.meta.dirname, '../src');

const directory = useDirectory();

type Programs = readonly (readonly [program: string, heading: string, prints: readonly string[]])[];

/** Runs a program to its end, in a process of its own. */
async function expectOutput([program, , prints]: Programs[number], environment: NodeJS.ProcessEnv): Promise<void> {
  const options = { cwd: directory.path, environment };
  const { stdout, stderr, status } = await runProgram(join(SOURCES, program), [], options);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(linesOf(stdout)).toEqual(prints);
}

/** Runs programs to their end, one after the other in one process. Each has the folder with its name. */
async function expectOutputs(programs: Programs, environments: readonly NodeJS.ProcessEnv[]): Promise<void> {
  const run = fileURLToPath(import.meta.resolve('./run-programs.ts'));
  const given = programs.map(([program], n) => [join(SOURCES, program), environments[n]]);
  const { stdout, stderr, status } = await runProgram(run, [directory.path, JSON.stringify(given)]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const printed: string[] = JSON.parse(stdout);
  const lines = programs.map(([program], n) => [program, linesOf(printed[n] ?? '')]);
  expect(lines).toEqual(programs.map(([program, , prints]) => [program, prints]));
}

const linesOf = (text: string) => text.trim().split('\n');

/** The programs of a folder. */
const programsIn = (folder: string) => readdirSync(join(SOURCES, folder)).map((name) => `${folder}/${name}`);

const KNOWN = 'I know: Alice prefers aisle seats.';

/** By program: its heading in the guide of the Strands SDK to memory, and what it prints. */
const MEMORY: Programs = [
  ['memory/getting-started.ts', 'Getting Started', [KNOWN]],
  [
    'memory/writing.ts',
    'Getting Started, writing',
    ['I have saved it.', 'The meeting is on Tuesday.', 'I have visited city 2.'],
  ],
  ['memory/stores.ts', 'Stores', [`${KNOWN} The team books seats in May.`]],
  ['memory/memory-tools.ts', 'Memory Tools', ['I have saved it.', 'add_memory, recall']],
  ['memory/context-injection.ts', 'Context Injection', ['I see.', KNOWN]],
  ['memory/automatic-extraction.ts', 'Automatic Extraction', ['5']],
  ['memory/triggers-and-extractors.ts', 'Triggers and extractors', ['I like aisle seats.']],
  ['memory/custom-trigger.ts', 'Triggers and extractors, a custom trigger', ['false', 'true']],
  ['memory/flushing.ts', 'Flushing pending writes', ['0']],
  ['memory/programmatic-access.ts', 'Programmatic Access', ['2 Her travel plans: aisle seats travel']],
  ['memory/custom-store.ts', 'Custom Stores', ['I know: Alice likes aisle seats.']],
  ['memory/server-side-store.ts', 'Custom Stores, server-side extraction', ['[ 10 ]']],
];

async function bedrock(): Promise<NodeJS.ProcessEnv> {
  const emulator = await startBedrock();
  onTestFinished(() => emulator.stop());
  const { endpoint, region, credentials } = emulator.client;
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
}

it('the programs of the Strands guide run on Keepsake, and memory/flushing.ts has saved everything when it ends', async () => {
  // Each finds only what it has written.
  await expectOutputs(MEMORY, await Promise.all(MEMORY.map(bedrock)));
  const store = new FileStore({ directory: join(directory.path, 'flushing/memories'), name: 'preferences' });
  expect((await store.search('seats')).map(({ content }) => content)).toEqual(['I like aisle seats.']);
  await store.close();
});

it.each(MEMORY)(
  '%s runs on Keepsake in a process of its own ("%s" of the Strands guide)',
  {
    tags: ['nightly'],
  },
  async (...program) => {
    await expectOutput(program, await bedrock());
  },
);

/** By program: its heading in the guide of the OpenAI Agents SDK to sessions, and what it prints. */
const SESSIONS: Programs = [
  ['sessions/conversations-api.ts', 'Use the Conversations API as session memory', ['1 items', '3 items']],
  ['sessions/history.ts', 'Read and edit stored items', ['There are 2 items.', 'user', '0']],
  ['sessions/custom-session.ts', 'Custom in-memory session implementation', ['1 items', '3 items']],
  ['sessions/merging.ts', 'Truncate history with `sessionInputCallback`', ['9 items']],
  [
    'sessions/approvals.ts',
    'Handling approvals and resumable runs',
    ['3 items', 'message, function_call, function_call_result, message'],
  ],
];

async function openAI(): Promise<NodeJS.ProcessEnv> {
  const emulator = await startOpenAI();
  onTestFinished(() => emulator.stop());
  emulator.answerWith(scripted);
  return {
    OPENAI_API_KEY: emulator.apiKey,
    OPENAI_BASE_URL: emulator.baseURL,
    OPENAI_AGENTS_DISABLE_TRACING: '1',
  };
}

it('the programs of the OpenAI Agents guide run on Keepsake', async () => {
  const environment = await openAI();
  await expectOutputs(
    SESSIONS,
    SESSIONS.map(() => environment),
  );
});

it.each(SESSIONS)(
  '%s runs on Keepsake in a process of its own ("%s" of the OpenAI Agents guide)',
  {
    tags: ['nightly'],
  },
  async (...program) => {
    await expectOutput(program, await openAI());
  },
);

describe('a program of a guide is corrected only if it can not run there either', () => {
  it('memory/memory-tools.ts: the store of the guide is read-only, which does not go with a tool that writes', () => {
    const config = { knowledgeBaseId: 'KB123', dataSourceType: 'CUSTOM', dataSourceId: 'DS456' } as const;
    const readOnly = new StrandsStore({ name: 'preferences', config });
    expect(() => new StrandsManager({ stores: [readOnly], addToolConfig: { waitForWrites: false } })).toThrow(
      'no writable stores',
    );
  });

  it('sessions/custom-session.ts: the guide imports a logger from a file that the package does not export', async () => {
    const file = '@openai/agents-core/dist/logger';
    await expect(import(file)).rejects.toThrow('dist/logger');
  });

  it('sessions/approvals.ts: the guide reads a field that results do not have', () => {
    type Result = Awaited<ReturnType<typeof run<Agent>>>;
    expectTypeOf<Result>().toHaveProperty('interruptions');
    expectTypeOf<Result>().not.toHaveProperty('requiresApproval');
  });
});

it('every program is run', () => {
  const named = [...MEMORY, ...SESSIONS].map(([program]) => program);
  expect(named.sort()).toEqual([...programsIn('memory'), ...programsIn('sessions')].sort());
});

/** Calls the tool if it is asked to search, and otherwise answers with the number of items in its input. */
function scripted({ input }: ModelRequest): ModelAnswer {
  const asks = JSON.stringify(input.at(-1)).includes('Search the itinerary');
  if (!asks) return `${input.length} items`;
  const call = { type: 'function_call', call_id: 'call_1', name: 'search_itinerary', arguments: '{"query":"museums"}' };
  return { output: [{ ...call, id: 'fc_1', status: 'completed' }] };
}
