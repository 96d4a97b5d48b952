import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encrypted } from '@keepsake/privacy';
import { asks, call, result, stored, storedCall } from '@keepsake/suites/agents/items';
import { refundAgent } from '@keepsake/suites/agents/refund-agent';
import { describeAgentsRunner } from '@keepsake/suites/agents/runner';
import { OtherProcess } from '@keepsake/testing';
import { SHARE } from '@keepsake/testing/share';
import { type AgentInputItem, type AgentOutputItem, RunState, run } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileSession } from '../src/index.ts';
import { type RunReport, type RunRequest, runAgent, runMany } from './agent-run.ts';
import { inAnotherProcess } from './programs/in-another-process.ts';
import { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts';

const sessionId = 'chat';
const keys = { current: 'k1', keys: { k1: crypto.getRandomValues(new Uint8Array(32)) } };
let directory: TemporaryDirectory;

beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const fileSession = () => new FileSession<AgentInputItem>({ directory: directory.path, sessionId });
const encryptedSession = () => encrypted(fileSession(), keys);

const requestOf = (request: Pick<RunRequest, 'input' | 'script'>): string =>
  JSON.stringify({ directory: directory.path, sessionId, ...request } satisfies RunRequest);

/** Runs an agent in a process of its own. */
async function runInProcess(request: Pick<RunRequest, 'input' | 'script'>): Promise<RunReport> {
  return JSON.parse(await inAnotherProcess('run-agent.ts', requestOf(request))) as RunReport;
}

/** The same by day in this process, because each process loads the SDK. */
async function runApart(request: Pick<RunRequest, 'input' | 'script'>): Promise<RunReport> {
  if (SHARE === 1) return runInProcess(request);
  return JSON.parse(JSON.stringify(await runAgent(JSON.parse(requestOf(request))))) as RunReport;
}

describe('the runner of @openai/agents in two processes with one FileSession', () => {
  it('passes the items of the first run to the second run unchanged', async () => {
    const question: AgentInputItem = {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is this?\0\u2028\ud800 😀' },
        {
          type: 'input_image',
          image: `data:image/png;base64,${'iVBORw0KGgo='.repeat(20)}`,
          providerData: { detail: 'low' },
        },
      ],
      providerData: { trace: ['a', null, { b: 1.5 }] },
    };
    const reasoning: AgentOutputItem & AgentInputItem = {
      type: 'reasoning',
      id: 'rs_68af',
      content: [{ type: 'input_text', text: 'It has ears.' }],
      rawContent: [{ type: 'reasoning_text', text: 'Ears, whiskers.' }],
      providerData: { encrypted_content: 'gAAAAAB', summary: [] },
    };
    const answer = assistantMessage('A cat.', {
      id: 'msg_68af',
      providerData: { annotations: [{ url: 'https://a.b' }] },
    });

    const first = await runApart({
      input: [question],
      script: [[reasoning, answer]],
    });
    const second = await runApart({ input: 'Sure?', script: [[assistantMessage('Yes.')]] });

    expect(first.modelInputs).toEqual([[question]]);
    expect(first.output).toBe('A cat.');
    expect(second.modelInputs).toEqual([stored(question, reasoning, answer, asks('Sure?'))]);
    // The JSON is identical too, so that a provider's prompt cache matches.
    const [input] = second.modelInputs as [AgentInputItem[]];
    expect(JSON.stringify(input.slice(0, 3))).toBe(JSON.stringify([question, reasoning, answer]));
    expect(await fileSession().getItems()).toEqual(
      stored(question, reasoning, answer, asks('Sure?'), assistantMessage('Yes.')),
    );
  });

  it('approves in a second process a call that interrupted the first', async () => {
    const first = await runApart({ input: 'Refund A1', script: [[call('c1', 'A1')]] });
    expect(first).toMatchObject({ output: null, waiting: ['c1'], refunded: [] });
    expect(await fileSession().getItems()).toEqual(stored(asks('Refund A1'), storedCall('c1', 'A1')));

    const input = { state: first.state, decisions: { c1: 'approve' } } as const;
    const second = await runApart({ input, script: [[assistantMessage('Done.')]] });
    expect(second).toMatchObject({ output: 'Done.', waiting: [], refunded: ['A1'] });
    expect(await fileSession().getItems()).toEqual(
      stored(asks('Refund A1'), storedCall('c1', 'A1'), result('c1', 'Refunded A1.'), assistantMessage('Done.')),
    );

    const third = await runApart({ input: 'Thanks', script: [[assistantMessage('Welcome.')]] });
    expect(third.modelInputs).toEqual([
      stored(
        asks('Refund A1'),
        storedCall('c1', 'A1'),
        result('c1', 'Refunded A1.'),
        assistantMessage('Done.'),
        asks('Thanks'),
      ),
    ]);
  });

  it('continues a run in three processes: one of two calls is approved, then the other is rejected', async () => {
    const first = await runApart({ input: 'Refund both', script: [[call('c1', 'A1'), call('c2', 'B2')]] });
    expect(first.waiting).toEqual(['c1', 'c2']);

    const second = await runApart({ input: { state: first.state, decisions: { c1: 'approve' } }, script: [] });
    expect(second).toMatchObject({ output: null, waiting: ['c2'], refunded: ['A1'] });

    const input = { state: second.state, decisions: { c2: 'reject' } } as const;
    const third = await runApart({ input, script: [[assistantMessage('Only A1.')]] });
    expect(third).toMatchObject({ output: 'Only A1.', waiting: [], refunded: [] });

    const history = await fileSession().getItems();
    const rejection = history.find((item) => item.type === 'function_call_result' && item.callId === 'c2');
    expect(rejection).toMatchObject({ output: { type: 'text', text: expect.stringContaining('not approved') } });
    expect(history).toEqual([
      ...stored(asks('Refund both'), storedCall('c1', 'A1'), storedCall('c2', 'B2')),
      result('c1', 'Refunded A1.'),
      rejection,
      ...stored(assistantMessage('Only A1.')),
    ]);
  });

  it('does not interleave the items of concurrent runs in both processes', async () => {
    const options = { directory: directory.path, sessionId };
    const names = (round: string) => [1, 2, 3, 4].map((number) => `${round}${number}`);
    const program = join(import.meta.dirname, 'programs/run-many.ts');
    const other = new OtherProcess(program, JSON.stringify({ ...options, inputs: names('a') }));
    await other.ready;
    other.go();
    let isOver = false;
    const end = other.end.finally(() => {
      isOver = true;
    });
    const own: string[] = [];
    for (let round = 0; !isOver; round++) {
      own.push(...names(`b${round} `));
      await runMany(options, names(`b${round} `));
    }
    await end;
    const history = await fileSession().getItems();
    const asked = history.flatMap((item) => ('role' in item && item.role === 'user' ? [item.content as string] : []));
    expect(asked.toSorted()).toEqual([...names('a'), ...own].sort());
    expect(history).toEqual(asked.flatMap((name) => stored(asks(name), assistantMessage(`Answer to ${name}`))));
  });
});

describeAgentsRunner('FileSession', fileSession);

it.each([
  ['FileSession', fileSession],
  ['encrypted(FileSession)', encryptedSession],
] as const)('%s: a resumed run adds results that could not be stored before', async (_name, open) => {
  const agent = refundAgent(new ScriptedModel([[call('c1', 'A1')], [assistantMessage('Done.')]]));
  const { state, interruptions } = await run(agent, 'Refund A1', { session: open() });
  for (const item of interruptions) state.approve(item);
  directory.hide();
  await expect(run(agent, state, { session: open() })).rejects.toThrow();
  directory.show();
  await run(agent, await RunState.fromString(agent, state.toString()), { session: open() });
  expect(await open().getItems()).toEqual(
    stored(asks('Refund A1'), storedCall('c1', 'A1'), result('c1', 'Refunded A1.'), assistantMessage('Done.')),
  );
});

it('encrypted(FileSession) stores no part of a run in plain text', async () => {
  const agent = refundAgent(new ScriptedModel([[call('c1', 'A1')], [assistantMessage('Done.')]]));
  const { state, interruptions } = await run(agent, 'Refund A1', { session: encryptedSession() });
  for (const item of interruptions) state.approve(item);
  await run(agent, state, { session: encryptedSession() });
  expect(await encryptedSession().getItems()).toHaveLength(4);
  const files = readdirSync(directory.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8')).join('\n');
  expect(texts).toContain('encrypted');
  expect(texts).not.toMatch(/refund|arguments|signature/i);
});
