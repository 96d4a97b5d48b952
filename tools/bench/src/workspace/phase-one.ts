import type { JsonObject, MemoryModel } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { recordWorkspace, WorkspaceMemory } from '@keepsake/workspace';

/** A conversation, and how a model distils it. */
export interface Talk {
  readonly turns: number;
  readonly closes: number;
  /** The size of the tool output in each turn. */
  readonly outputBytes: number;
  readonly noteWords: number;
  /** The size of the summary of new turns. */
  readonly sinceWords: number;
}

/** Tokens of phase 1 if the conversation is closed only after its last turn. */
export function onceTokens(talk: Talk): Promise<number> {
  return tokensOf(talk, [[0, talk.turns]]);
}

/** Tokens if it is closed repeatedly, with the same number of new turns each time. */
export function closedTokens(talk: Talk): Promise<number> {
  return tokensOf(talk, turnRanges(talk));
}

/** Tokens if the whole conversation so far is read each time. */
export async function rereadTokens(talk: Talk): Promise<number> {
  let sum = 0;
  for (const [, end] of turnRanges(talk)) sum += await tokensOf(talk, [[0, end]]);
  return sum;
}

type TurnRange = readonly [from: number, to: number];

function turnRanges({ turns, closes }: Talk): TurnRange[] {
  const size = turns / closes;
  return Array.from({ length: closes }, (_, n) => [n * size, (n + 1) * size] as const);
}

async function tokensOf(talk: Talk, closes: readonly TurnRange[]): Promise<number> {
  const workspace = recordWorkspace(new InMemoryStore({ name: 'workspace' }));
  const counter = countingModel(talk);
  for (const [from, to] of closes) {
    const memory = new WorkspaceMemory({ workspace, model: counter.model });
    const run = memory.run({ conversationId: 'talk' });
    for (let turn = from; turn < to; turn++) await run.append(turnOf(talk, turn));
    const { failed, consolidationError } = await memory.close();
    if (failed.length > 0 || consolidationError !== undefined) throw consolidationError ?? failed[0]?.error;
  }
  return counter.tokens;
}

/** A model that writes as much as configured and counts the cost of phase 1. */
function countingModel({ noteWords, sinceWords }: Talk): { readonly model: MemoryModel; tokens: number } {
  const bullet = '- known [rollouts: talk]\n';
  const write = (path: string) => ({ tool: 'write', path, text: bullet, find: null, offset: null });
  const counter = {
    tokens: 0,
    model: {
      async generate({ system = '', prompt, schema }: Parameters<MemoryModel['generate']>[0]) {
        const isPhaseTwo = JSON.stringify(schema).includes('"actions"');
        const answer: JsonObject = isPhaseTwo
          ? { actions: [write('MEMORY.md'), write('memory_summary.md')], done: true }
          : { rolloutSummary: words(sinceWords), rolloutSlug: 'talk', rawMemory: rawMemory(noteWords) };
        const text = JSON.stringify(answer);
        if (!isPhaseTwo) counter.tokens += [system, prompt, text].reduce((sum, part) => sum + estimate(part), 0);
        return { text, object: answer };
      },
    } satisfies MemoryModel,
  };
  return counter;
}

/** Estimates tokens as the package does. */
function estimate(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

function rawMemory(count: number): string {
  const head = 'description: a talk\ntask: a talk\ntaskGroup: talks\noutcome: success\nkeywords: talk';
  return `---\n${head}\n---\n# Task: a talk\n## Reusable knowledge\n- ${words(count)}`;
}

function words(count: number): string {
  return Array.from({ length: count }, (_, n) => WORDS[n % WORDS.length]).join(' ');
}

const WORDS = 'the invoice check runs with make and fails when tax is rounded twice on lines of an order'.split(' ');

function turnOf({ outputBytes }: Talk, turn: number) {
  const output = words(Math.ceil(outputBytes / 5)).slice(0, outputBytes);
  return {
    input: `Question ${turn}: ${words(25)}`,
    generatedItems: [
      {
        type: 'function_call',
        callId: `c${turn}`,
        name: 'shell',
        arguments: JSON.stringify({ command: 'make check' }),
      },
      { type: 'function_call_result', callId: `c${turn}`, output: { type: 'text', text: output } },
      { type: 'message', role: 'assistant', content: `Answer ${turn}: ${words(40)}` },
    ],
    terminal: { state: 'completed', hasFinalOutput: true } as const,
  };
}
