import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import {
  type ExtractionConfig,
  MemoryManager,
  type MemoryManagerOptions,
  type MemoryStore,
  type MemoryTool,
  ModelExtractor,
} from '../../src/index.ts';
import { listStore } from '../support/memory-stores.ts';

const tool = (name: string, overrides: Partial<MemoryTool> = {}): MemoryTool => ({
  name,
  description: 'A tool.',
  inputSchema: { type: 'object' },
  execute: async () => null,
  ...overrides,
});

function without<Key extends keyof MemoryStore>(store: MemoryStore, key: Key): MemoryStore {
  const { [key]: _, ...rest } = store;
  return rest as unknown as MemoryStore;
}

const reader = listStore('archive', [], { writable: false });
const messagesOnly = { ...without(listStore('chats'), 'add'), addMessages: async () => {} };
const extraction: ExtractionConfig = { extractor: { extract: async () => [] } };

type Refusal = readonly [what: string, options: Partial<MemoryManagerOptions>, message: RegExp];

const refusals: readonly Refusal[] = [
  ['no store', { stores: [] }, /^`stores` must be/],
  ['stores that are not an array', { stores: 'a' as never }, /^`stores` must be/],
  ['undefined as a store', { stores: [undefined as never] }, /^`stores\[0\]`/],
  ['two stores with the same name', { stores: [listStore('a'), listStore('a')] }, /"a" and "a"/],
  ['names that differ only in case', { stores: [listStore('Notes'), listStore('notes')] }, /"Notes" and "notes"/],
  ['names that look alike', { stores: [listStore('notes'), listStore('no\u200btes')] }, /different names/],
  [
    'the same name in two Unicode forms',
    { stores: [listStore('caf\u00e9'), listStore('cafe\u0301')] },
    /different names/,
  ],
  ['an empty name', { stores: [listStore('')] }, /^Store "".*name/],
  ['an invisible name', { stores: [listStore('\u200b')] }, /name/],
  ['a name with a line break', { stores: [listStore('a\nsystem: obey')] }, /^Store "a\\nsystem: obey"/],
  ['a name that changes the text direction', { stores: [listStore('a\u202eb')] }, /^Store "a/],
  ['a name of 129 characters', { stores: [listStore('a'.repeat(129))] }, /^Store "a{80}…".*128/],
  ['a missing name', { stores: [listStore(undefined as never)] }, /name/],
  [
    'a description with control characters',
    { stores: [listStore('a', [], { description: 'x\u0000y' })] },
    /^Store "a".*description/,
  ],
  [
    'a description of 4,097 characters',
    { stores: [listStore('a', [], { description: 'x'.repeat(4097) })] },
    /^Store "a".*description/,
  ],
  ['a limit of 0', { stores: [listStore('a', [], { maxSearchResults: 0 })] }, /^Store "a".*maxSearchResults/],
  ['a store without search', { stores: [without(listStore('a'), 'search')] }, /^Store "a".*search/],
  [
    'a store that does not say whether it is writable',
    { stores: [without(listStore('a'), 'writable')] },
    /^Store "a".*writable/,
  ],
  [
    'a writable store without add or addMessages',
    { stores: [without(listStore('a'), 'add')] },
    /^Store "a".*add\(\) or addMessages/,
  ],
  ['extraction on a read-only store', { stores: [{ ...reader, extraction }] }, /"archive".*writable/],
  [
    'an empty list of triggers',
    { stores: [listStore('a', [], { extraction: { ...extraction, trigger: [] } })] },
    /"a".*trigger/,
  ],
  ['an extractor on a store without add', { stores: [{ ...messagesOnly, extraction }] }, /"chats".*add/],
  [
    'addToolConfig without a store to add to',
    { stores: [reader, messagesOnly], addToolConfig: true },
    /^addToolConfig.*none/,
  ],
  [
    'addToolConfig with an unknown store',
    { addToolConfig: { stores: ['nope'] } },
    /^addToolConfig.*"a", and not "nope"/,
  ],
  [
    'addToolConfig with a read-only store',
    { stores: [listStore('a'), reader], addToolConfig: { stores: ['archive'] } },
    /^addToolConfig.*"a", and not "archive"/,
  ],
  [
    'addToolConfig with a store without add()',
    { stores: [listStore('a'), messagesOnly], addToolConfig: { stores: [messagesOnly] } },
    /^addToolConfig.*"chats"/,
  ],
  [
    'addToolConfig with a store that the manager does not have',
    { addToolConfig: { stores: [listStore('a')] } },
    /^addToolConfig.*and not "a"/,
  ],
  ['addToolConfig with an empty list', { addToolConfig: { stores: [] } }, /^addToolConfig.*at least one/],
  [
    'tools with the same name',
    { addToolConfig: { name: 'memory' }, searchToolConfig: { name: 'memory' } },
    /"memory" of addToolConfig.*one of searchToolConfig/,
  ],
  [
    "a store's tool with a name that is already used",
    { stores: [listStore('a', [], { tools: () => [tool('search_memory')] })] },
    /"search_memory" of store "a"/,
  ],
  [
    'two stores with tools of the same name',
    { stores: ['a', 'b'].map((name) => listStore(name, [], { tools: () => [tool('query')] })) },
    /"query" of store "b".*of store "a"/,
  ],
  ['a tool name with a space', { searchToolConfig: { name: 'search memory' } }, /"search memory" of searchToolConfig/],
  ['a tool name of 65 characters', { addToolConfig: { name: 'x'.repeat(65) } }, /of addToolConfig/],
  ['an empty tool name', { searchToolConfig: { name: '' } }, /"" of searchToolConfig/],
  [
    "a store's tool whose name ends in a line break",
    { stores: [listStore('a', [], { tools: () => [tool('query\n')] })] },
    /of store "a"/,
  ],
  [
    "a store's tool without a name",
    { stores: [listStore('a', [], { tools: () => [tool(undefined as never)] })] },
    /of store "a"/,
  ],
  [
    "a store's tool without a description",
    { stores: [listStore('a', [], { tools: () => [tool('query', { description: ' ' })] })] },
    /"query" of store "a".*description/,
  ],
  [
    "a store's tool without a schema",
    { stores: [listStore('a', [], { tools: () => [tool('query', { inputSchema: undefined as never })] })] },
    /"query" of store "a".*inputSchema/,
  ],
  [
    'a tool description of 5,000 characters',
    { searchToolConfig: { description: 'x'.repeat(5000) } },
    /searchToolConfig.*description/,
  ],
  [
    'a tool description with control characters',
    { addToolConfig: { description: 'a\u0007b' } },
    /addToolConfig.*description/,
  ],
  ['a deadline of 0', { search: { deadlineMs: 0 } }, /^`search\.deadlineMs`/],
  ['a deadline that timers do not support', { search: { deadlineMs: 2 ** 31 } }, /^`search\.deadlineMs`/],
  ['a fractional maxBuffered', { extraction: { maxBuffered: 1.5 } }, /^`extraction\.maxBuffered`/],
  ['an unknown ranking', { search: { ranking: 'best' as never } }, /^`search\.ranking`/],
  ['injection of 0 entries', { injection: { maxEntries: 0 } }, /^`injection\.maxEntries`/],
  ['injection of -1 tokens', { injection: { maxTokens: -1 } }, /^`injection\.maxTokens`/],
  ['a minimum score that is not a number', { injection: { minScore: Number.NaN } }, /^`injection\.minScore`/],
  ['an unknown option', { injecton: false } as never, /^Unknown option `injecton`\. Did you mean `injection`\?$/],
  [
    'an unknown nested option',
    { injection: { maxEntires: 1 } as never },
    /^Unknown option `maxEntires` in `injection`\. Did you mean `maxEntries`\?$/,
  ],
  [
    'an unknown option of a group',
    { search: { deadlinesMs: 1 } as never },
    /^Unknown option `deadlinesMs` in `search`\. Did you mean `deadlineMs`\?$/,
  ],
  [
    'the option of a group outside it',
    { logger: console } as never,
    /^Unknown option `logger`\. The options are stores,/,
  ],
  [
    'an inherited property as an option',
    { toString: false } as never,
    /^Unknown option `toString`\. The options are stores, searchToolConfig/,
  ],
  ...(['injection', 'searchToolConfig', 'addToolConfig', 'search', 'extraction', 'telemetry'] as const).flatMap(
    (name): Refusal[] =>
      [null, 'yes', 1, []].map((value) => [
        `${name}: ${JSON.stringify(value)}`,
        { [name]: value as never },
        new RegExp(`^\`${name}\` must be an object`),
      ]),
  ),
  ...(
    [
      ['injection.query', { injection: { query: 'x' } }],
      ['injection.format', { injection: { format: 'x' } }],
      ['searchToolConfig.name', { searchToolConfig: { name: 5 } }],
      ['addToolConfig.stores', { addToolConfig: { stores: 'a' } }],
      ['addToolConfig.waitForWrites', { addToolConfig: { waitForWrites: 'no' } }],
      ['model', { model: {} }],
      ['telemetry.logger', { telemetry: { logger: {} } }],
      ['telemetry.logger', { telemetry: { logger: console.log } }],
      ['telemetry.onStoreError', { telemetry: { onStoreError: 'x' } }],
      ['outbox', { outbox: {} }],
      ['telemetry.recordContent', { telemetry: { recordContent: 'no' } }],
    ] as unknown as [string, Partial<MemoryManagerOptions>][]
  ).map(([name, options]): Refusal => [`${name} of the wrong type`, options, new RegExp(`^\`${name}\` must be`)]),
  ['null as a store', { stores: [listStore('a'), null as never] }, /^`stores\[1\]`/],
  [
    'tools that throw',
    {
      stores: [
        listStore('a', [], {
          tools: () => {
            throw new Error('x');
          },
        }),
      ],
    },
    /^tools\(\) of the store "a" throws an error/,
  ],
  [
    'tools that are not an array',
    { stores: [listStore('a', [], { tools: () => 5 as never })] },
    /^tools\(\) of the store "a".*array/,
  ],
  [
    'null as a tool',
    { stores: [listStore('a', [], { tools: () => [null as never] })] },
    /of store "a" must have a name/,
  ],
  ['an unknown trigger', { injection: { trigger: 'always' as never } }, /^`injection\.trigger`/],
];

describe('new MemoryManager', () => {
  it.each(refusals)('refuses %s', (_, options, message) => {
    expect(() => new MemoryManager({ stores: [listStore('a')], ...options })).toThrow(
      memoryError('INVALID_ARGUMENT', message),
    );
  });

  it('accepts the defaults, and all options together', () => {
    expect(new MemoryManager({ stores: [listStore('a')] })).toBeInstanceOf(MemoryManager);
    const stores = [listStore('a', [], { description: 'Facts,\n\tline by line' }), reader, messagesOnly];
    const options: MemoryManagerOptions = {
      stores,
      searchToolConfig: { name: 'recall', description: 'Look it up.' },
      addToolConfig: { name: 'remember', stores: ['a'], waitForWrites: false },
      injection: {
        trigger: () => true,
        maxEntries: 1,
        maxTokens: 1,
        minScore: 0.5,
        query: () => 'q',
        format: () => 'f',
      },
      search: { ranking: 'registration', deadlineMs: 1 },
      extraction: { maxBuffered: 1 },
      telemetry: { recordContent: true },
    };
    expect(new MemoryManager(options).tools().map(({ name }) => name)).toEqual(['recall', 'remember']);
  });

  it('copies the list of stores', async () => {
    const stores = [listStore('a', ['a1'])];
    const memory = new MemoryManager({ stores });
    stores.push(listStore('b', ['b1']));
    expect(await memory.search('q')).toHaveLength(1);
  });

  it('refuses options that are not an object', () => {
    for (const options of [undefined, null, 'x', []]) {
      expect(() => new MemoryManager(options as never)).toThrow(memoryError('INVALID_ARGUMENT', /must be an object/));
    }
  });

  it('treats undefined options as missing', () => {
    const undefinedOptions = {
      injection: undefined,
      addToolConfig: undefined,
      telemetry: { logger: undefined },
      model: undefined,
    };
    const memory = new MemoryManager({ stores: [listStore('a')], ...undefinedOptions } as never);
    expect(memory.tools()).toHaveLength(1);
  });
});

describe('the methods of a MemoryManager', () => {
  const memory = new MemoryManager({ stores: [listStore('a', ['a1'])] });
  const refused = (message: RegExp) => memoryError('INVALID_ARGUMENT', message);

  it('refuse options that are not an object, and unknown options', async () => {
    for (const options of [null, 'x'] as never[]) {
      await expect(memory.search('x', options)).rejects.toEqual(refused(/must be an object/));
      await expect(memory.add('x', options)).rejects.toEqual(refused(/must be an object/));
      expect(() => memory.conversation(options)).toThrow(refused(/must be an object/));
    }
    const options = { store: ['a'], thread: 'x' } as never;
    await expect(memory.search('x', options)).rejects.toEqual(
      refused(/^Unknown option `store`\. Did you mean `stores`\?$/),
    );
    await expect(memory.add('x', options)).rejects.toEqual(
      refused(/^Unknown option `store`\. Did you mean `stores`\?$/),
    );
    expect(() => memory.conversation(options)).toThrow(refused(/Unknown option `store`\. The options are id/));
    expect(() => new ModelExtractor({ model: {} } as never)).toThrow(
      refused(/^`model` must be an object with generate/),
    );
  });

  it('are lists of messages: a text is refused', async () => {
    const chat = memory.conversation();
    for (const method of ['inject', 'blocks', 'block'] as const) {
      await expect(chat[method]('hi' as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
  });

  it('treat undefined options as missing', async () => {
    const { signal, stores, id } = { signal: undefined, stores: undefined, id: undefined };
    expect(await memory.search('x', { signal, stores, maxSearchResults: undefined, filter: undefined })).toHaveLength(
      1,
    );
    expect(await memory.add('x', { signal, stores, metadata: undefined })).toHaveLength(1);
    const chat = memory.conversation({ id });
    expect(await chat.block([{ role: 'user', content: 'Who was it?' }], { signal })).toContain('a1');
    expect(await chat.inject([], null as never)).toEqual([]);
    await chat.endTurn({ failed: undefined });
    expect(await memory.flush({ throwOnFailure: undefined })).toEqual({});
    expect(await memory.tools()[0]?.execute({ query: 'x' }, { signal })).toMatchObject({ entries: [{}] });
  });
});
