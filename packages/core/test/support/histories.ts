import fc from 'fast-check';

/** A generated history: its items, and whether each starts a turn, reasons, calls or answers. */
export interface History {
  readonly entries: readonly Entry[];
}

export interface Entry {
  /** The item as the session stores it, with its index in `n`. */
  readonly item: { readonly n: number };
  /** Whether it is a user message, which starts a turn. */
  readonly user: boolean;
  readonly reasoning: boolean;
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** How a framework writes parallel calls and their results: as one item or several. */
interface Dialect {
  user(): object;
  says(): object;
  calls(ids: readonly string[]): { item: object; calls: readonly string[] }[];
  results(ids: readonly string[]): { item: object; results: readonly string[] }[];
}

const each = (ids: readonly string[], item: (id: string) => object) => ids.map((id) => ({ item: item(id), ids: [id] }));

function itemDialect(call: (id: string) => object, result: (id: string) => object): Dialect {
  return {
    user: () => ({ type: 'message', role: 'user', content: 'Go on' }),
    says: () => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done' }] }),
    calls: (ids) => each(ids, call).map(({ item, ids }) => ({ item, calls: ids })),
    results: (ids) => each(ids, result).map(({ item, ids }) => ({ item, results: ids })),
  };
}

const agentCall = (id: string): object => {
  const kinds = ['function_call', 'computer_call', 'shell_call', 'apply_patch_call', 'tool_search_call'];
  return { type: kinds[kindOf(id)], id: `item_${id}`, callId: id, providerData: { type: 'call', id: `item_${id}` } };
};

const agentResult = (id: string): object => {
  const types = [
    'function_call_result',
    'computer_call_result',
    'shell_call_output',
    'apply_patch_call_output',
    'tool_search_output',
  ];
  const rawTypes = [
    'function_call_output',
    'computer_call_output',
    'shell_call_output',
    'apply_patch_call_output',
    'tool_search_output',
  ];
  return { type: types[kindOf(id)], callId: id, providerData: { type: rawTypes[kindOf(id)], id: `other_${id}` } };
};

function kindOf(id: string): number {
  return Number(id.replace(/\D/g, '')) % 5;
}

const dialects: readonly Dialect[] = [
  itemDialect(agentCall, agentResult),
  itemDialect(
    (id) => ({
      type: 'hosted_tool_call',
      name: 'mcp_approval_request',
      providerData: { type: 'mcp_approval_request', id },
    }),
    (id) => ({
      type: 'hosted_tool_call',
      name: 'mcp_approval_response',
      providerData: { approve: true, approval_request_id: id },
    }),
  ),
  itemDialect(
    (id) => ({ type: 'function_call', call_id: id, name: 'search', arguments: '{}' }),
    (id) => ({ type: 'function_call_output', call_id: id, output: 'found' }),
  ),
  {
    user: () => ({ role: 'user', content: [{ text: 'Go on' }] }),
    says: () => ({ role: 'assistant', content: [{ text: 'Done' }] }),
    calls: (ids) => [
      {
        item: {
          role: 'assistant',
          content: [{ text: 'Let me see' }, ...ids.map((id) => ({ toolUse: { toolUseId: id, name: 'x', input: {} } }))],
        },
        calls: ids,
      },
    ],
    results: (ids) => [
      {
        item: { role: 'user', content: ids.map((id) => ({ toolResult: { toolUseId: id, content: [] } })) },
        results: ids,
      },
    ],
  },
  {
    user: () => ({ role: 'user', content: 'Go on' }),
    says: () => ({ role: 'assistant', content: [{ type: 'text', text: 'Done' }] }),
    calls: (ids) => [
      {
        item: {
          role: 'assistant',
          content: ids.map((id) => ({ type: 'tool-call', toolCallId: id, toolName: 'x', input: {} })),
        },
        calls: ids,
      },
    ],
    results: (ids) =>
      ids.map((id) => ({ item: { role: 'tool', content: [{ type: 'tool-result', toolCallId: id }] }, results: [id] })),
  },
];

type Draft = Partial<Pick<Entry, 'user' | 'reasoning' | 'calls' | 'results'>> & { readonly item: object };

interface Step {
  readonly reasoning: number;
  /** When each parallel call is answered: in this turn, in a later one, or never. */
  readonly calls: readonly ('now' | 'later' | 'never')[];
  readonly says: boolean;
}

const answers = { orderly: ['now'], any: ['now', 'now', 'now', 'later', 'never'] } as const;

/**
 * Histories of turns with reasoning and parallel calls: `orderly` ones, where every call is answered in its turn, or
 * `any`, where runs were interrupted and calls answered in later turns. With `damage`, random items are lost.
 */
export function histories(kind: keyof typeof answers, options: { damage?: boolean } = {}): fc.Arbitrary<History> {
  const step: fc.Arbitrary<Step> = fc.record({
    reasoning: fc.nat({ max: 2 }),
    calls: fc.array(fc.constantFrom<Step['calls'][number]>(...answers[kind]), { maxLength: 3 }),
    says: fc.boolean(),
  });
  const turns = fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 25 });
  const lost = options.damage ? fc.uniqueArray(fc.nat({ max: 150 }), { maxLength: 12 }) : fc.constant<number[]>([]);
  return fc
    .record({ dialect: fc.constantFrom(...dialects), preamble: fc.nat({ max: 2 }), turns, lost })
    .map(({ dialect, preamble, turns, lost }) => {
      const drafts: Draft[] = [
        ...Array.from({ length: preamble }, () => ({ item: dialect.says() })),
        ...draftTurns(dialect, turns, kind),
      ].filter((_, index) => !lost.includes(index));
      return {
        entries: drafts.map(({ item, user = false, reasoning = false, calls = [], results = [] }, n) => {
          return { item: placed(item, n), user, reasoning, calls, results };
        }),
      };
    });
}

/** Messages of Strands and the AI SDK have their place among their parts, too, because two of them can become one. */
function placed(item: object, n: number): Entry['item'] {
  const { content } = item as { readonly content?: unknown };
  const isBlocks = Array.isArray(content) && content.length > 0 && content.every(({ type }) => JOINED.includes(type));
  return { ...item, ...(isBlocks && { content: [...content, { n }] }), n };
}

const JOINED: readonly unknown[] = [undefined, 'text', 'tool-call'];

/** The places of the items that became this one. */
export function placesOf(item: object): number[] {
  const { content, n } = item as { readonly content?: unknown; readonly n: number };
  const places = Array.isArray(content) ? content.flatMap((block: { n?: number }) => block.n ?? []) : [];
  return places.length === 0 ? [n] : places;
}

function draftTurns(dialect: Dialect, turns: readonly (readonly Step[])[], kind: keyof typeof answers): Draft[] {
  let calls = 0;
  let due: string[] = [];
  return turns.flatMap((steps) => {
    const drafts: Draft[] = [{ item: dialect.user(), user: true }];
    if (due.length > 0) drafts.push(...dialect.results(due));
    due = [];
    for (const step of steps) {
      const ids = step.calls.map(() => `call_${calls++}`);
      const answered = (when: Step['calls'][number]) => ids.filter((_, index) => step.calls[index] === when);
      const leadsOn = ids.length > 0 || step.says;
      for (let count = 0; count < (leadsOn || kind === 'any' ? step.reasoning : 0); count++) {
        drafts.push({ item: { type: 'reasoning', content: [] }, reasoning: true });
      }
      if (ids.length > 0) drafts.push(...dialect.calls(ids));
      // Results arrive in another order than the calls.
      if (answered('now').length > 0) drafts.push(...dialect.results(answered('now').reverse()));
      due.push(...answered('later'));
      if (step.says) drafts.push({ item: dialect.says() });
    }
    return drafts;
  });
}
