import { MemoryError } from '../errors.ts';
import { expect } from '../expect.ts';
import { isObject } from '../is-object.ts';
import type { MemoryStore } from '../memory-store.ts';
import { checkIdentity } from '../store-options.ts';
import { quoted } from '../text.ts';
import type { MemoryTool } from '../tool.ts';
import {
  aFunction,
  aList,
  anything,
  aSwitch,
  aText,
  aWhole,
  type Check,
  expectFields,
  having,
} from './check-fields.ts';
import type { ContextInjectorOptions } from './injector.ts';
import { storeNames, takesTexts } from './managed-stores.ts';
import type {
  InjectionConfig,
  MemoryAddOptions,
  MemoryAddToolConfig,
  MemoryManagerOptions,
  MemorySearchOptions,
  MemorySearchToolConfig,
  MemoryToolConfig,
} from './manager-options.ts';
import { MAX_TIMER_MS } from './triggers.ts';

/** Control characters but those of layout, halves of pairs, what breaks lines or turns the direction of text. */
const HOSTILE = /[^\P{Cc}\n\r\t]|[\p{Cs}\u2028-\u202e\u2066-\u2069]/u;

/**
 * Throws `INVALID_ARGUMENT` unless a manager can work with these options. Their tools are looked at by
 * {@link checkTools}, extraction by `Extraction`.
 */
export function checkOptions(options: MemoryManagerOptions): void {
  expectFields(options, '', OPTIONS);
  const { stores, injection, searchToolConfig, addToolConfig } = options;
  expect(Array.isArray(stores) && stores.length > 0, 'stores is to be an array of at least one store.');
  const seen = new Map<string, string>();
  for (const [index, store] of (stores as readonly MemoryStore[]).entries()) {
    expect(isObject(store), `Store ${index} of stores is none.`);
    checkStore(store);
    // A model could not tell stores apart whose names look alike.
    const looks = store.name
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .trim()
      .toLowerCase();
    const other = seen.get(looks);
    expect(
      other === undefined,
      `Stores ${quoted(String(other))} and ${quoted(store.name)} are to have different names.`,
    );
    seen.set(looks, store.name);
  }
  const configs = {
    injection: [injection, INJECTION],
    searchToolConfig: [searchToolConfig, SEARCH_TOOL],
    addToolConfig: [addToolConfig, ADD_TOOL],
  } as const;
  for (const [name, [config = true, checks]] of Object.entries(configs)) {
    if (typeof config !== 'boolean') expectFields(config, name, checks);
  }
}

const aTrigger: Check = [
  (value) => value === 'userTurn' || value === 'everyTurn' || typeof value === 'function',
  "'userTurn', 'everyTurn' or a function",
];
const aLogger = having('debug', 'info', 'warn', 'error');

const OPTIONS = {
  stores: anything,
  searchToolConfig: anything,
  addToolConfig: anything,
  injection: anything,
  model: having('generate'),
  ranking: [(value) => value === 'fused' || value === 'registration', "'fused' or 'registration'"],
  deadlineMs: aWhole(MAX_TIMER_MS),
  maxBuffered: aWhole(),
  outbox: having('within', 'list', 'get', 'put', 'putMany', 'delete'),
  onStoreError: aFunction,
  logger: aLogger,
  recordContent: aSwitch,
} satisfies Record<keyof MemoryManagerOptions, Check>;

const INJECTION = {
  trigger: aTrigger,
  maxEntries: aWhole(),
  maxTokens: aWhole(),
  minScore: [(value) => Number.isFinite(value), 'a finite number'],
  query: aFunction,
  format: aFunction,
} satisfies Record<keyof InjectionConfig, Check>;

const TOOL = { name: aText, description: aText } satisfies Record<keyof MemoryToolConfig, Check>;

const SEARCH_TOOL = { ...TOOL, maxTokens: aWhole() } satisfies Record<keyof MemorySearchToolConfig, Check>;

const ADD_TOOL = { ...TOOL, stores: aList, waitForWrites: aSwitch } satisfies Record<keyof MemoryAddToolConfig, Check>;

/** What an injector of one's own takes. */
export const INJECTOR = {
  render: aFunction,
  trigger: aTrigger,
  deadlineMs: aWhole(MAX_TIMER_MS),
  logger: aLogger,
} satisfies Record<keyof ContextInjectorOptions, Check>;

/** What a search and an addition take, which look at it themselves. */
export const SEARCH = {
  stores: anything,
  maxSearchResults: anything,
  filter: anything,
  minScore: anything,
  signal: anything,
} satisfies Record<keyof MemorySearchOptions, Check>;
export const ADD = { stores: anything, metadata: anything, signal: anything } satisfies Record<
  keyof MemoryAddOptions,
  Check
>;

/** The tools of a store. Throws `INVALID_ARGUMENT` where it can't give any. */
export function toolsOf(store: MemoryStore): readonly MemoryTool[] {
  let tools: unknown;
  try {
    tools = store.tools?.() ?? [];
  } catch (cause) {
    throw new MemoryError('INVALID_ARGUMENT', `tools() of the store ${quoted(store.name)} failed. See cause.`, {
      cause,
    });
  }
  expect(Array.isArray(tools), `tools() of the store ${quoted(store.name)} is to give an array.`);
  return tools;
}

/** The stores that the tool may write to. Throws `INVALID_ARGUMENT` where it can't write to one of them, or has none. */
export function addToolStores(
  stores: readonly MemoryStore[],
  { stores: wanted }: MemoryAddToolConfig,
): readonly MemoryStore[] {
  const able = stores.filter(takesTexts);
  const needed = `addToolConfig needs at least one writable store with add(); there are: ${storeNames(able)}`;
  expect(able.length > 0 && wanted?.length !== 0, `${needed}.`);
  if (wanted === undefined) return able;
  const named = wanted.map((one) => {
    const store = able.find((store) => store === one || store.name === one);
    expect(store, `${needed}, and not ${quoted(String(typeof one === 'object' ? one?.name : one))}.`);
    return store;
  });
  return able.filter((store) => named.includes(store));
}

/** Throws `INVALID_ARGUMENT` for tools that no provider takes, and for tools of one name. */
export function checkTools(tools: readonly { readonly owner: string; readonly tool: MemoryTool }[]): void {
  const owners = new Map<string, string>();
  for (const { owner, tool } of tools) {
    const { name, description, inputSchema, execute } = tool ?? {};
    const what = `The tool ${quoted(String(name))} of ${owner} is to have`;
    const other = owners.get(name);
    expect(typeof name === 'string' && /^[\w-]{1,64}$/.test(name), `${what} a name of 1 to 64 of a-z A-Z 0-9 _ -.`);
    expect(isDescription(description), `${what} a description of up to 4096 characters, without control characters.`);
    expect(inputSchema && typeof execute === 'function', `${what} inputSchema and execute().`);
    expect(other === undefined, `${what} another name: there is one of ${other}.`);
    owners.set(name, owner);
  }
}

function checkStore(store: MemoryStore): void {
  const what = `Store ${quoted(String(store?.name))}`;
  try {
    checkIdentity(store);
  } catch (error) {
    expect(false, `${what}: ${(error as Error).message}`);
  }
  const { name, description, writable, search, add, addMessages } = store;
  expect(typeof name === 'string' && /[^\p{Cf}\s]/u.test(name), `${what} is to have a name.`);
  expect(!description || isDescription(description), `${what} is to have a description without control characters.`);
  expect(typeof search === 'function' && typeof writable === 'boolean', `${what} is to have search() and writable.`);
  expect(!writable || add || addMessages, `${what} is writable, and needs add() or addMessages() for it.`);
}

function isDescription(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '' && text.length <= 4_096 && !HOSTILE.test(text);
}
