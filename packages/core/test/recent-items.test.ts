import { memoryError } from '@keepsake/testing/memory-error';
import { rounds } from '@keepsake/testing/share';
import type { AgentInputItem } from '@openai/agents';
import type { MessageData } from '@strands-agents/sdk';
import fc from 'fast-check';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { type RecentItemsOptions, recentItems } from '../src/index.ts';
import { type Entry, type History, histories, placesOf } from './support/histories.ts';
import { TestSession } from './support/test-session.ts';

const user = (content: string) => ({ role: 'user', content }) as const;
const says = (text: string) =>
  ({ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }) as const;
const reasoning = (id: string) => ({ type: 'reasoning', id, content: [] }) as const;
const functionCall = (callId: string) => ({ type: 'function_call', callId, name: 'search', arguments: '{}' }) as const;
const functionResult = (callId: string) =>
  ({ type: 'function_call_result', callId, name: 'search', status: 'completed', output: 'found' }) as const;

function recent<Item extends object>(items: readonly Item[], options: RecentItemsOptions): Promise<Item[]> {
  return recentItems<Item>(new TestSession<Item>(items), options);
}

interface Pair {
  readonly call: object;
  readonly result: object;
}

const agents = (call: AgentInputItem, result: AgentInputItem): Pair => ({ call, result });
const responses = (call: ResponseInputItem, result: ResponseInputItem): Pair => ({ call, result });
const strands = (call: MessageData, result: MessageData): Pair => ({ call, result });

/** Calls and results in the formats of the frameworks. Those of the AI SDK are untyped, because it isn't installed. */
const pairs: Record<string, Pair> = {
  'function_call of the Agents SDK': agents(functionCall('c1'), functionResult('c1')),
  'function_call with provider data': agents(
    { ...functionCall('c1'), id: 'fc_1', providerData: { type: 'function_call', id: 'fc_1' } },
    { ...functionResult('c1'), id: 'fco_1', providerData: { type: 'function_call_output', id: 'fco_1' } },
  ),
  computer_call: agents(
    { type: 'computer_call', callId: 'c1', status: 'completed', action: { type: 'screenshot' } },
    { type: 'computer_call_result', callId: 'c1', output: { type: 'computer_screenshot', data: 'data:,' } },
  ),
  shell_call: agents(
    { type: 'shell_call', callId: 'c1', status: 'completed', action: { commands: ['ls'] } },
    {
      type: 'shell_call_output',
      callId: 'c1',
      output: [{ stdout: '', stderr: '', outcome: { type: 'exit', exitCode: 0 } }],
      providerData: { type: 'shell_call_output', id: 'sho_1' },
    },
  ),
  apply_patch_call: agents(
    { type: 'apply_patch_call', callId: 'c1', status: 'completed', operation: { type: 'delete_file', path: 'a' } },
    {
      type: 'apply_patch_call_output',
      callId: 'c1',
      status: 'completed',
      providerData: { type: 'apply_patch_call_output', id: 'apo_1' },
    },
  ),
  tool_search_call: agents(
    { type: 'tool_search_call', callId: 'c1', execution: 'client', arguments: {} },
    { type: 'tool_search_output', callId: 'c1', execution: 'client', tools: [] },
  ),
  'tool_search_call as the Agents SDK reads it': agents(
    {
      type: 'tool_search_call',
      ...{ id: 'tsc_1', status: 'completed', arguments: {} },
      providerData: { call_id: 'c1', execution: 'client' },
    },
    { type: 'tool_search_output', tools: [], providerData: { call_id: 'c1', execution: 'client' } },
  ),
  'custom_tool_call, which the Agents SDK does not know': agents(
    { type: 'unknown', id: 'ctc_1', providerData: { type: 'custom_tool_call', call_id: 'c1', name: 'x', input: '' } },
    { type: 'unknown', providerData: { type: 'custom_tool_call_output', call_id: 'c1', output: '' } },
  ),
  'local_shell_call, which the Agents SDK does not know': agents(
    { type: 'unknown', id: 'lsh_1', providerData: { type: 'local_shell_call', id: 'lsh_1', call_id: 'c1' } },
    { type: 'unknown', id: 'c1', providerData: { type: 'local_shell_call_output', id: 'c1', output: '' } },
  ),
  program: agents(
    { type: 'program', callId: 'c1', code: 'search()', fingerprint: 'f' },
    { type: 'program_output', callId: 'c1', output: '', status: 'completed' },
  ),
  'MCP approval answered by the runner': agents(
    {
      type: 'hosted_tool_call',
      id: 'mcpr_1',
      name: 'mcp_approval_request',
      providerData: { type: 'mcp_approval_request', id: 'mcpr_1', name: 'search', arguments: '{}', server_label: 's' },
    },
    // Without a type, as the runner creates it.
    {
      type: 'hosted_tool_call',
      name: 'mcp_approval_response',
      providerData: { approve: true, approval_request_id: 'mcpr_1' },
    },
  ),
  'MCP approval with its id on the item': agents(
    { type: 'hosted_tool_call', id: 'mcpr_1', name: 'mcp_approval_request', providerData: { server_label: 's' } },
    {
      type: 'hosted_tool_call',
      name: 'mcp_approval_response',
      providerData: { type: 'mcp_approval_response', id: 'mcpa_1', approve: false, approval_request_id: 'mcpr_1' },
    },
  ),
  'function_call of the Responses API': responses(
    { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'search', arguments: '{}' },
    { type: 'function_call_output', id: 'fco_1', call_id: 'c1', output: 'found' },
  ),
  'custom_tool_call of the Responses API': responses(
    { type: 'custom_tool_call', call_id: 'c1', name: 'search', input: 'x' },
    { type: 'custom_tool_call_output', call_id: 'c1', output: 'found' },
  ),
  'computer_call of the Responses API': responses(
    { type: 'computer_call', id: 'cu_1', call_id: 'c1', status: 'completed', pending_safety_checks: [] },
    { type: 'computer_call_output', id: 'cuo_1', call_id: 'c1', output: { type: 'computer_screenshot' } },
  ),
  'local_shell_call of the Responses API': responses(
    {
      type: 'local_shell_call',
      id: 'ls_1',
      call_id: 'c1',
      status: 'completed',
      action: { type: 'exec', command: ['ls'], env: {} },
    },
    { type: 'local_shell_call_output', id: 'c1', output: '' },
  ),
  'MCP approval of the Responses API': responses(
    { type: 'mcp_approval_request', id: 'mcpr_1', name: 'search', arguments: '{}', server_label: 's' },
    { type: 'mcp_approval_response', id: 'mcpa_1', approval_request_id: 'mcpr_1', approve: true },
  ),
  'toolUse of Strands': strands(
    {
      role: 'assistant',
      content: [{ text: 'Let me see' }, { toolUse: { name: 'search', toolUseId: 'c1', input: {} } }],
    },
    { role: 'user', content: [{ toolResult: { toolUseId: 'c1', status: 'success', content: [{ text: 'found' }] } }] },
  ),
  'tool-call of the AI SDK': {
    call: {
      role: 'assistant',
      content: [
        { type: 'text', text: '…' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: {} },
      ],
    },
    result: {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'text', value: '' } }],
    },
  },
  'tool-approval-request of the AI SDK': {
    call: { role: 'assistant', content: [{ type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' }] },
    result: { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: true }] },
  },
};

describe.each(Object.entries(pairs))('%s', (_name, { call, result }) => {
  it('is kept together with its result', async () => {
    const turn = [user('b'), reasoning('r1'), call, result, says('done')];
    expect(await recent([user('a'), ...turn], { maxTurns: 1 })).toEqual(turn);
    expect(await recent([user('a'), ...turn], {})).toEqual([user('a'), ...turn]);
    // A window never starts with a result.
    expect(await recent(turn, { maxItems: 2 })).toEqual(turn);
    expect(await recent([...turn, user('c')], { maxItems: 3 })).toEqual([user('c')]);
  });

  it('is left out if its result is missing, together with the reasoning that led to it', async () => {
    const items = [user('a'), says('first'), reasoning('r1'), reasoning('r2'), call, user('b'), says('done')];
    expect(await recent(items, { maxItems: 20 })).toEqual([user('a'), says('first'), user('b'), says('done')]);
    expect(await recent(items.slice(0, 5), { maxTurns: 1 })).toEqual([user('a'), says('first')]);
  });

  it('is required by its result, which is left out without it', async () => {
    expect(await recent([user('a'), result, says('done')], { maxItems: 20 })).toEqual([user('a'), says('done')]);
    expect(await recent([result, user('a')], {})).toEqual([user('a')]);
    expect(await recent([result, call], {})).toEqual([]);
  });

  it('is included if the newest turn answers it', async () => {
    const items = [user('a'), user('b'), reasoning('r1'), call, user('c'), result, says('done')];
    expect(await recent(items, { maxTurns: 1 })).toEqual(items.slice(1));
    expect(await recent(items, { maxItems: 2 })).toEqual(items.slice(1));
    expect(await recent(items, { maxTurns: 2 })).toEqual(items.slice(1));
    expect(await recent(items, { maxTurns: 3 })).toEqual(items);
  });

  it('is left out with its result if an older turn answers it and the cut falls between them', async () => {
    const items = [user('a'), call, user('b'), result, says('done'), user('c')];
    expect(await recent(items, { maxTurns: 2 })).toEqual([user('b'), says('done'), user('c')]);
  });
});

describe('calls', () => {
  it('in parallel are left out one by one if each is an item', async () => {
    const items = [
      user('a'),
      functionCall('c1'),
      functionCall('c2'),
      functionCall('c3'),
      functionResult('c3'),
      functionResult('c1'),
    ];
    expect(await recent(items, { maxTurns: 1 })).toEqual([
      user('a'),
      functionCall('c1'),
      functionCall('c3'),
      functionResult('c3'),
      functionResult('c1'),
    ]);
  });

  it('in parallel are left out together, with their results, if they are one message', async () => {
    const toolUse = (toolUseId: string) => ({ toolUse: { name: 'search', toolUseId, input: {} } });
    const toolResult = (toolUseId: string) => ({ toolResult: { toolUseId, content: [] } });
    const calls = { role: 'assistant', content: [toolUse('c1'), toolUse('c2')] };
    const both = { role: 'user', content: [toolResult('c1'), toolResult('c2')] };
    const one = { role: 'user', content: [toolResult('c1')] };
    expect(await recent([user('a'), calls, both], {})).toEqual([user('a'), calls, both]);
    expect(await recent([user('a'), calls, one], {})).toEqual([user('a')]);
    // Leaving out a message also leaves out the calls that only it answers, and so on.
    const next = { role: 'assistant', content: [toolResult('c1'), toolUse('c3')] };
    const last = { role: 'user', content: [toolResult('c3')] };
    expect(await recent([user('a'), calls, next, last, says('done')], {})).toEqual([user('a'), says('done')]);
  });

  it('are kept if their results are in the same message', async () => {
    const content = [
      { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: {}, providerExecuted: true },
      { type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: {} },
    ];
    const items = [user('a'), { role: 'assistant', content }];
    expect(await recent(items, { maxTurns: 1 })).toEqual(items);
  });

  it('with reused ids are matched in order', async () => {
    const turn = (text: string) => [user(text), functionCall('call_0'), functionResult('call_0')];
    const items = [user('a'), functionCall('call_0'), ...turn('b'), user('c'), functionResult('call_0'), ...turn('d')];
    expect(await recent(items, {})).toEqual([user('a'), ...turn('b'), user('c'), ...turn('d')]);
  });

  it('written twice are kept once', async () => {
    const items = [user('a'), functionCall('c1'), functionCall('c1'), functionResult('c1'), functionResult('c1')];
    expect(await recent(items, {})).toEqual([user('a'), functionCall('c1'), functionResult('c1')]);
  });

  it('of a program are left out with the program', async () => {
    const caller = { type: 'program', callerId: 'p1' } as const;
    const owned = [
      { ...functionCall('c1'), caller },
      { ...functionResult('c1'), caller },
    ];
    const program: AgentInputItem = { type: 'program', callId: 'p1', code: 'search()', fingerprint: 'f' };
    const output: AgentInputItem = { type: 'program_output', callId: 'p1', output: '', status: 'completed' };
    expect(await recent([user('a'), program, ...owned, output], {})).toEqual([user('a'), program, ...owned, output]);
    expect(await recent([user('a'), program, ...owned, user('b')], {})).toEqual([user('a'), user('b')]);
    const raw = [
      { type: 'function_call', call_id: 'c1', name: 'search', arguments: '{}', caller: { caller_id: 'p1' } },
      { type: 'function_call_output', call_id: 'c1', output: '', caller: { caller_id: 'p1' } },
    ];
    expect(await recent([user('a'), { type: 'program', id: 'p', call_id: 'p1' }, ...raw], {})).toEqual([user('a')]);
    const unknown = ['custom_tool_call', 'custom_tool_call_output'].map((type) => ({
      type: 'unknown',
      providerData: { type, call_id: 'c1', caller: { type: 'program', caller_id: 'p1' } },
    }));
    expect(await recent([user('a'), program, ...unknown, user('b')], {})).toEqual([user('a'), user('b')]);
  });

  it('of hosted tools are kept, because they contain their result', async () => {
    const hosted: AgentInputItem[] = [
      { type: 'hosted_tool_call', name: 'web_search_call', id: 'ws_1', providerData: { type: 'web_search_call' } },
      {
        type: 'hosted_tool_call',
        name: 'mcp_call',
        id: 'mcp_1',
        output: 'x',
        providerData: { type: 'mcp_call', id: 'mcp_1' },
      },
      { type: 'tool_search_call', call_id: null, execution: 'server', arguments: {} },
      { type: 'tool_search_output', call_id: null, execution: 'server', tools: [] },
    ];
    expect(await recent([user('a'), ...hosted], { maxTurns: 1 })).toEqual([user('a'), ...hosted]);
  });

  it('are not confused with types that are no texts', async () => {
    const odd = { type: { toString: 1, valueOf: 1 } };
    const items = [user('Hi'), { role: 'assistant', content: [odd, [odd], null] }, odd, user('Ho'), odd];
    expect(await recent(items, { maxItems: 2 })).toEqual([user('Ho'), odd]);
    expect(await recent(items, { maxTurns: 2 })).toEqual(items);
  });

  it('are not confused with odd fields and items of no framework', async () => {
    const odd = [
      { type: 7, content: [null, 'text', 7] },
      { providerData: null, toolUse: null, toolResult: null, caller: null },
      { type: 'hosted_tool_call', providerData: null },
      { type: 'function_call', callId: 7 },
      { type: 'function_call_result' },
      { type: 'tool-call' },
      {},
    ];
    expect(await recent([user('a'), ...odd], { maxTurns: 1 })).toEqual([user('a'), ...odd]);
  });
});

describe('a call of the AI SDK that a user decides about', () => {
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: {} };
  const request = { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' };
  const asks = { role: 'assistant', content: [call, request] };
  const decides = (approved: boolean) => ({
    role: 'tool',
    content: [{ type: 'tool-approval-response', approvalId: 'a1', approved }],
  });
  const result = {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'text', value: '' } }],
  };

  it.each([true, false])('stays until the SDK has answered it, approved: %s', async (approved) => {
    const items = [user('a'), asks, decides(approved)];
    expect(await recent(items, {})).toEqual(items);
    expect(await recent(items, { maxTurns: 1 })).toEqual(items);
    expect(await recent([...items, result, says('done')], {})).toEqual([...items, result, says('done')]);
  });

  it('is left out if the conversation went on without a result', async () => {
    expect(await recent([user('a'), asks, decides(true), user('b')], {})).toEqual([user('a'), user('b')]);
    expect(await recent([user('a'), asks, user('b')], {})).toEqual([user('a'), user('b')]);
  });

  it('stays if it is called again with its id, as by hosted tools', async () => {
    const again = { role: 'assistant', content: [call, ...result.content, { type: 'text', text: 'done' }] };
    const items = [user('a'), asks, decides(true), again];
    expect(await recent(items, {})).toEqual(items);
    expect(await recent([user('a'), asks, again], {})).toEqual([user('a'), again]);
  });
});

describe('reasoning', () => {
  it('is kept unless the call that followed it is left out or missing', async () => {
    const items = [user('a'), reasoning('r1'), functionCall('c1'), functionResult('c1'), reasoning('r2'), says('done')];
    expect(await recent([...items, functionCall('c2')], {})).toEqual(items);
    const orphan = [user('a'), reasoning('r1'), functionResult('c1'), says('done')];
    expect(await recent(orphan, {})).toEqual([user('a'), says('done')]);
  });

  it('leaves no ids in the calls and results that followed it, if it is left out', async () => {
    const output = [{ stdout: '', stderr: '', outcome: { type: 'exit', exitCode: 0 } }];
    const shell = (n: number) => [
      { type: 'shell_call', callId: `c${n}`, status: 'completed', action: { commands: ['ls'] }, id: `sh_${n}` },
      { type: 'shell_call_output', callId: `c${n}`, output, id: `sho_${n}` },
    ];
    const withoutIds = (items: object[]) => items.map((item) => ({ ...item, id: undefined }));
    const items = [user('a'), reasoning('r1'), ...shell(1).slice(0, 1), reasoning('r2'), ...shell(2)];
    expect(await recent(items, {})).toEqual([user('a'), ...withoutIds(shell(2))]);
  });
});

describe('limits', () => {
  const turns = (count: number) => Array.from({ length: count }, (_, i) => [user(`q${i}`), says(`a${i}`)]).flat();

  it('cut at the start of a turn', async () => {
    expect(await recent(turns(5), { maxItems: 4 })).toEqual(turns(5).slice(-4));
    expect(await recent(turns(5), { maxItems: 5 })).toEqual(turns(5).slice(-4));
    expect(await recent(turns(5), { maxItems: 6 })).toEqual(turns(5).slice(-6));
    expect(await recent(turns(5), { maxTurns: 2 })).toEqual(turns(5).slice(-4));
    expect(await recent(turns(5), { maxTokens: 25, countTokens: () => 10 })).toEqual(turns(5).slice(-2));
    expect(await recent(turns(5), { maxTokens: 40, countTokens: () => 10 })).toEqual(turns(5).slice(-4));
  });

  it('can be combined', async () => {
    expect(await recent(turns(5), { maxItems: 7, maxTurns: 2, maxTokens: 1_000 })).toEqual(turns(5).slice(-4));
    expect(await recent(turns(5), { maxItems: 3, maxTurns: 2, maxTokens: 1_000 })).toEqual(turns(5).slice(-2));
  });

  it('larger than the history return all of it, including items before the first turn', async () => {
    const items = [says('Welcome'), ...turns(40)];
    for (const options of [{}, { maxItems: 81 }, { maxTurns: 41 }, { maxTokens: 100_000 }, { maxItems: 1e9 }]) {
      expect(await recent(items, options)).toEqual(items);
    }
    expect(await recent([], { maxItems: 5 })).toEqual([]);
  });

  it('never cut the newest turn or a history without turns', async () => {
    const long = [user('a'), user('b'), ...Array.from({ length: 100 }, (_, i) => says(`step ${i}`))];
    for (const options of [{ maxItems: 1 }, { maxTurns: 1 }, { maxTokens: 1 }]) {
      expect(await recent(long, options)).toEqual(long.slice(1));
      expect(await recent(long.slice(2), options)).toEqual(long.slice(2));
    }
  });

  it('of 0 return nothing, and read nothing', async () => {
    for (const options of [{ maxItems: 0 }, { maxTurns: 0 }, { maxTokens: 0 }, { maxItems: 5, maxTurns: 0 }]) {
      const session = new TestSession(turns(2));
      expect(await recentItems(session, options)).toEqual([]);
      expect(session.itemsRead).toBe(0);
    }
  });

  it('count one token per 4 characters of JSON by default', async () => {
    const size = (items: readonly object[]) =>
      items.reduce((sum, item) => sum + Math.ceil(JSON.stringify(item).length / 4), 0);
    const newest = turns(5).slice(-4);
    expect(await recent(turns(5), { maxTokens: size(newest) })).toEqual(newest);
    expect(await recent(turns(5), { maxTokens: size(newest) - 1 })).toEqual(newest.slice(-2));
  });

  it('apply even if a call of the newest turn is lost', async () => {
    const items = [...turns(200), user('now'), functionResult('lost'), says('done')];
    const expected = [...turns(200).slice(-6), user('now'), says('done')];
    expect(await recent(items, { maxItems: 10 })).toEqual(expected);
    expect(await recent(items, { maxItems: 1 })).toEqual([user('now'), says('done')]);
    // A lost call of an older turn does not shorten the window either.
    const older = [...turns(200), user('then'), functionResult('lost'), ...turns(5)];
    expect(await recent(older, { maxTurns: 8 })).toEqual([...turns(200).slice(-4), user('then'), ...turns(5)]);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5' as unknown as number, null as unknown as number])(
    'of %s are refused',
    async (limit) => {
      const refused = (name: string) => memoryError('INVALID_ARGUMENT', `${name} must be a whole number of 0 or more.`);
      for (const name of ['maxItems', 'maxTurns', 'maxTokens']) {
        await expect(recent(turns(2), { [name]: limit })).rejects.toThrow(refused(name));
      }
      await expect(recent(turns(2), { maxItems: 0, maxTurns: limit })).rejects.toThrow(refused('maxTurns'));
    },
  );

  it.each([Number.NaN, -1, undefined, Promise.resolve(1)])('refuse %s as the result of countTokens', async (tokens) => {
    const countTokens = () => tokens as number;
    await expect(recent(turns(2), { maxTokens: 5, countTokens })).rejects.toThrow(
      memoryError('INVALID_ARGUMENT', '`countTokens` must return a number ≥ 0, not a promise.'),
    );
  });

  it('restrict how much of the history is read', async () => {
    const session = new TestSession([...turns(5_000), user('q'), says('a')]);
    await recentItems(session, { maxItems: 20 });
    await recentItems(session, { maxTurns: 5 });
    await recentItems(session, { maxTokens: 100 });
    expect(session.largestRead).toBe(32);
    // A turn beyond the limit is not read either, however long it is.
    const long = new TestSession([user('a'), ...Array.from({ length: 5_000 }, () => says('x')), user('b'), says('y')]);
    await recentItems(long, { maxTurns: 1 });
    expect(long.largestRead).toBe(32);
  });
});

type Limits = Pick<RecentItemsOptions, 'maxItems' | 'maxTurns' | 'maxTokens'>;

const limits: fc.Arbitrary<Limits> = fc.record(
  {
    maxItems: fc.integer({ min: 1, max: 80 }),
    maxTurns: fc.integer({ min: 1, max: 8 }),
    maxTokens: fc.integer({ min: 1, max: 400 }),
  },
  { requiredKeys: [] },
);

/** Token counts that vary from item to item. */
const countTokens = (item: object): number => (item as Entry['item']).n % 7;

/** Whether the items from `start` on exceed a limit. */
function isOver(entries: readonly Entry[], start: number, { maxItems, maxTurns, maxTokens }: Limits): boolean {
  const newest = entries.slice(start);
  const turns = newest.filter(({ user }) => user).length;
  const tokens = newest.reduce((sum, { item }) => sum + countTokens(item), 0);
  return newest.length > (maxItems ?? Infinity) || turns > (maxTurns ?? Infinity) || tokens > (maxTokens ?? Infinity);
}

/** The latest turn start from which on no result lacks its call; `undefined` if a call is lost. */
function newestWholeTurn(entries: readonly Entry[]): number | undefined {
  const starts = entries.flatMap(({ user }, index) => (user ? [index] : []));
  const whole = (start: number) => {
    const called = new Set<string>();
    return entries.slice(start).every(({ calls, results }) => {
      for (const id of calls) called.add(id);
      return results.every((id) => called.has(id));
    });
  };
  return starts.toReversed().find(whole) ?? (whole(0) ? 0 : undefined);
}

function mayBeLeftOut({ calls, results, reasoning }: Entry): boolean {
  return calls.length + results.length > 0 || reasoning;
}

async function windowOf({ entries }: History, options: Limits) {
  const session = new TestSession(entries.map(({ item }) => item));
  const kept = (await recentItems(session, { ...options, countTokens })).flatMap(placesOf);
  return { session, kept: kept.map((n) => entries[n] as Entry), first: kept[0] ?? entries.length };
}

function expectNoOrphans(kept: readonly Entry[]): void {
  const open = new Set<string>();
  for (const { calls, results } of kept) {
    for (const id of calls) open.add(id);
    for (const id of results) expect(open.delete(id), `a call for the result ${id}`).toBe(true);
  }
  expect([...open]).toEqual([]);
}

describe.each([
  ['orderly histories', histories('orderly')],
  ['interrupted histories', histories('any')],
  ['damaged histories', histories('any', { damage: true })],
])('windows of %s', (_name, generated) => {
  it('have no orphans, begin with a turn, and are as large as the limits allow', async () => {
    await fc.assert(
      fc.asyncProperty(generated, limits, async (history, options) => {
        const { entries } = history;
        const { kept, first } = await windowOf(history, options);
        expectNoOrphans(kept);
        // In order, each once.
        expect(kept).toEqual(entries.filter((entry) => kept.includes(entry)));
        const beginsWithTurn =
          kept[0] === undefined || kept[0].user || !entries.slice(0, first).some(({ user }) => user);
        expect(beginsWithTurn).toBe(true);
        // Only calls, results and reasoning can be left out.
        const leftOut = entries.slice(first).filter((entry) => !kept.includes(entry));
        expect(leftOut.every(mayBeLeftOut)).toBe(true);
        const newestTurn = entries.findLastIndex(({ user }) => user);
        const mayBeOver = newestWholeTurn(entries) ?? newestTurn;
        if (newestTurn !== -1 && isOver(entries, first, options)) {
          // The first items of the window may have been left out.
          const start = Math.max(mayBeOver, 0);
          expect(first).toBeGreaterThanOrEqual(start);
          expect(entries.slice(start, first).every(mayBeLeftOut)).toBe(true);
        }
        const turnBefore = entries.slice(0, first).findLastIndex(({ user }) => user);
        if (turnBefore !== -1) expect(isOver(entries, turnBefore, options)).toBe(true);
      }),
      { numRuns: rounds(1_000, 250) },
    );
  });
});

describe('a picture or a file', () => {
  const base64 = 'iVBORw0KGgo_/+-A'.repeat(25_000);
  const url = `data:image/png;base64,${base64}=`;
  const pictures: readonly (readonly [of: string, item: object])[] = [
    ['the Responses API', { role: 'user', content: [{ type: 'input_image', image_url: url }] }],
    ['Chat Completions', { role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    ['the OpenAI Agents SDK', { role: 'user', content: [{ type: 'input_image', image: url }] }],
    ['a file', { role: 'user', content: [{ type: 'input_file', file_data: url, filename: 'a.pdf' }] }],
    ['the Claude API', { role: 'user', content: [{ type: 'image', source: { type: 'base64', data: base64 } }] }],
    ['Strands', { role: 'user', content: [{ image: { format: 'png', source: { bytes: base64 } } }] }],
    ['the AI SDK', { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: base64 }] }],
    ['Gemini', { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: base64 } }] }],
  ];

  it.each(pictures)('counts as 1,500 tokens, whatever its size: %s', async (_, picture) => {
    const items = [user('Hello'), says('Hi'), picture, says('A cat.'), user('And this?'), says('A dog.')];
    expect(await recent(items, { maxTokens: 2_000 })).toEqual(items);
    expect(await recent(items, { maxTokens: 1_500 })).toEqual(items.slice(-2));
  });

  it.each([
    ['text', { role: 'user', content: base64 }],
    ['a block of text', { role: 'user', content: [{ text: base64 }] }],
    ['text with spaces', { role: 'user', content: [{ type: 'note', data: 'a word '.repeat(50_000) }] }],
  ])('is not %s, which counts in full', async (_, text) => {
    const items = [user('Hello'), says('Hi'), text, says('Long.'), user('And this?'), says('A dog.')];
    expect(await recent(items, { maxTokens: 50_000 })).toEqual(items.slice(-2));
  });
});

describe('windows', () => {
  it('of orderly histories leave out nothing', async () => {
    await fc.assert(
      fc.asyncProperty(histories('orderly'), limits, async (history, options) => {
        const { kept, first } = await windowOf(history, options);
        expect(kept).toEqual(history.entries.slice(first));
      }),
    );
  });

  it('read at most about twice the items that they need', async () => {
    await fc.assert(
      fc.asyncProperty(histories('any'), limits, async (history, options) => {
        const { entries } = history;
        const { session, first } = await windowOf(history, options);
        // They need the window, one more item that exceeds a limit, and the calls that the newest turn answers. If one
        // is lost, they need the whole history.
        const over = entries.findLastIndex((_, index) => isOver(entries, index, options));
        const needed = entries.length - Math.max(0, Math.min(first, over, newestWholeTurn(entries) ?? 0));
        expect(session.largestRead).toBeLessThanOrEqual(Math.max(32, 2 * needed));
        // Each read doubles the previous one, so all reads before the last add up to less than twice the last.
        expect(session.itemsRead).toBeLessThan(3 * session.largestRead + 1);
      }),
      { numRuns: rounds(500, 200) },
    );
  });
});
