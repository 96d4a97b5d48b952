import { isObject, quoted } from '@keepsake/internal';
import { type Check, expectFields, type FieldNames } from '../../common/check-fields.ts';
import { expect } from '../../common/expect.ts';
import { guarded, readList } from '../../common/read-values.ts';
import { TIME_ZONE } from '../../common/time.ts';
import type { MemoryTool } from '../../model/tool.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import { checkIdentity } from '../../store/store-options.ts';
import { MAX_TIMER_MS } from '../extraction/triggers.ts';
import type { ContextInjectorOptions } from '../injection/injector-options.ts';
import { strandsToolsOf } from '../tools/strands-tools.ts';
import { namingStore, storeNames } from './managed-stores.ts';
import type {
  InjectionConfig,
  ManagerExtractionConfig,
  MemoryAddOptions,
  MemoryAddToolConfig,
  MemoryForgetToolConfig,
  MemoryManagerOptions,
  MemorySearchOptions,
  MemorySearchToolConfig,
  SearchConfig,
  TelemetryConfig,
} from './manager-options.ts';

/** Control characters except tabs and line breaks, lone surrogates, line separators and direction changes. */
const HOSTILE = /[^\P{Cc}\n\r\t]|[\p{Cs}\u2028-\u202e\u2066-\u2069]/u;

/** Options with each group of settings, `{}` if there is none. */
interface CheckedOptions extends MemoryManagerOptions {
  readonly search: SearchConfig;
  readonly extraction: ManagerExtractionConfig;
  readonly telemetry: TelemetryConfig;
}

/** A checked copy of the options. {@link checkTools} checks tools, `Extraction` checks extraction. */
export function checkOptions(options: MemoryManagerOptions): CheckedOptions {
  const optionsCopy = expectFields(options, '', OPTIONS);
  const { search = {}, extraction = {}, telemetry = {} } = optionsCopy;
  const missing = '`stores` must be an array with at least one store.';
  const stores = readList(optionsCopy.stores, '`stores`', missing);
  expect(stores.length > 0, missing);
  const seen = new Map<string, string>();
  for (const [index, store] of stores.entries()) {
    const what = `\`stores[${index}]\``;
    expect(isObject(store), `${what} must be a memory store.`);
    const name = guarded(what, () => checkStore(store));
    // A model could not distinguish stores with similar names.
    const looks = name
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .trim()
      .toLowerCase();
    const other = seen.get(looks);
    expect(other === undefined, `Stores ${quoted(String(other))} and ${quoted(name)} must have different names.`);
    seen.set(looks, name);
  }
  return {
    ...optionsCopy,
    stores,
    injection: configOf(optionsCopy, 'injection', INJECTION),
    searchToolConfig: configOf(optionsCopy, 'searchToolConfig', SEARCH_TOOL),
    addToolConfig: configOf(optionsCopy, 'addToolConfig', ADD_TOOL),
    forgetToolConfig: configOf(optionsCopy, 'forgetToolConfig', FORGET_TOOL),
    search: expectFields(search, 'search', SEARCH_CONFIG),
    extraction: expectFields(extraction, 'extraction', EXTRACTION),
    telemetry: expectFields(telemetry, 'telemetry', TELEMETRY),
  };
}

/** A checked copy of a configuration that can be a switch instead. */
function configOf<Name extends 'injection' | 'searchToolConfig' | 'addToolConfig' | 'forgetToolConfig'>(
  options: MemoryManagerOptions,
  name: Name,
  checks: Readonly<Record<string, Check>>,
): MemoryManagerOptions[Name] {
  const config = options[name];
  if (config === undefined || typeof config === 'boolean') return config;
  const copy = expectFields(config, name, checks);
  const { stores } = copy as MemoryAddToolConfig;
  if (stores === undefined) return copy;
  return { ...(copy as object), stores: readList(stores, `\`${name}.stores\``) } as typeof copy;
}

const aTrigger: Check = [
  (value) => value === 'userTurn' || value === 'everyTurn' || typeof value === 'function',
  "'userTurn', 'everyTurn' or a function",
];
const aLogger = ['debug', 'info', 'warn', 'error'];

const OPTIONS = {
  stores: 'anything',
  searchToolConfig: 'anything',
  addToolConfig: 'anything',
  forgetToolConfig: 'anything',
  injection: 'anything',
  model: ['generate'],
  outbox: ['within', 'list', 'get', 'put', 'putMany', 'delete'],
  search: 'anything',
  extraction: 'anything',
  telemetry: 'anything',
} satisfies Record<keyof MemoryManagerOptions, Check>;

const SEARCH_CONFIG = {
  ranking: [(value) => value === 'fused' || value === 'registration', "'fused' or 'registration'"],
  deadlineMs: MAX_TIMER_MS,
} satisfies Record<keyof SearchConfig, Check>;

const EXTRACTION = { maxBuffered: 'whole', timeZone: TIME_ZONE } satisfies Record<keyof ManagerExtractionConfig, Check>;

const TELEMETRY = {
  onStoreError: 'function',
  logger: aLogger,
  recordContent: 'boolean',
} satisfies Record<keyof TelemetryConfig, Check>;

const INJECTION = {
  trigger: aTrigger,
  maxEntries: 'whole',
  maxTokens: 'whole',
  maxConversationTokens: 'whole',
  trust: [(value) => value === 'user', "'user'"],
  minScore: [(value) => Number.isFinite(value), 'a finite number'],
  query: 'function',
  format: 'function',
} satisfies Record<keyof InjectionConfig, Check>;

const SEARCH_TOOL = { name: 'string', description: 'string', maxTokens: 'whole' } satisfies Record<
  keyof MemorySearchToolConfig,
  Check
>;

const ADD_TOOL = { name: 'string', description: 'string', stores: 'array', waitForWrites: 'boolean' } satisfies Record<
  keyof MemoryAddToolConfig,
  Check
>;

const FORGET_TOOL = { name: 'string', description: 'string', stores: 'array' } satisfies Record<
  keyof MemoryForgetToolConfig,
  Check
>;

/** The options of a custom injector. */
export const INJECTOR = {
  render: 'function',
  trigger: aTrigger,
  deadlineMs: MAX_TIMER_MS,
  logger: aLogger,
} satisfies Record<keyof ContextInjectorOptions, Check>;

export const SEARCH: FieldNames<MemorySearchOptions> = {
  stores: true,
  maxSearchResults: true,
  filter: true,
  minScore: true,
  signal: true,
};
export const ADD: FieldNames<MemoryAddOptions> = { stores: true, metadata: true, signal: true };

/** The tools of a store. Throws the MemoryError of the store, or `INVALID_ARGUMENT` if that fails. */
export function toolsOf(store: MemoryStore): readonly MemoryTool[] {
  const what = `tools() of the store ${quoted(store.name)}`;
  const tools: unknown = guarded(what, () => store.tools?.() ?? strandsToolsOf(store));
  expect(Array.isArray(tools), `${what} must return an array.`);
  return tools;
}

/** The stores that a tool can change. Throws `INVALID_ARGUMENT` if it can't change one of them, or there is none. */
export function toolStores(
  stores: readonly MemoryStore[],
  { stores: wanted }: Pick<MemoryAddToolConfig, 'stores'>,
  [config, methods, isAble]: readonly [config: string, methods: string, isAble: (store: MemoryStore) => boolean],
): readonly MemoryStore[] {
  const able = stores.filter(isAble);
  const needed = `${config} needs at least one writable store with ${methods}; there are: ${storeNames(able)}`;
  expect(able.length > 0 && wanted?.length !== 0, `${needed}.`);
  if (wanted === undefined) return able;
  const named = wanted.map((one) => {
    const store = able.find((store) => store === one || store.name === one);
    expect(store, `${needed}, and not ${quoted(String(typeof one === 'object' ? one?.name : one))}.`);
    return store;
  });
  return able.filter((store) => named.includes(store));
}

/** Throws `INVALID_ARGUMENT` for tools that no provider accepts, and for duplicate names. */
export function checkTools(tools: readonly { readonly owner: string; readonly tool: MemoryTool }[]): void {
  const owners = new Map<string, string>();
  for (const { owner, tool } of tools) {
    const { name, description, inputSchema, execute } = tool ?? {};
    const what = `The tool ${quoted(String(name))} of ${owner} must have`;
    const other = owners.get(name);
    expect(typeof name === 'string' && /^[\w-]{1,64}$/.test(name), `${what} a name of 1 to 64 of a-z A-Z 0-9 _ -.`);
    expect(isDescription(description), `${what} a description of up to 4096 characters, without control characters.`);
    expect(inputSchema && typeof execute === 'function', `${what} inputSchema and execute().`);
    expect(other === undefined, `${what} another name: there is one of ${other}.`);
    owners.set(name, owner);
  }
}

/** Returns its name. */
function checkStore(store: MemoryStore): string {
  const { name, description, writable, search, add, addMessages } = store;
  const what = `Store ${quoted(String(name))}`;
  namingStore(store, () => checkIdentity(store));
  expect(typeof name === 'string' && /[^\p{Cf}\s]/u.test(name), `${what} must have a name.`);
  expect(!description || isDescription(description), `${what} must have a description without control characters.`);
  expect(typeof search === 'function' && typeof writable === 'boolean', `${what} must have search() and writable.`);
  expect(!writable || add || addMessages, `${what} is writable, so it needs add() or addMessages().`);
  return name;
}

function isDescription(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '' && text.length <= 4_096 && !HOSTILE.test(text);
}

/** `true` stands for the defaults. */
export function settings<T extends object>(config: true | T): Partial<T> {
  return config === true ? {} : config;
}
