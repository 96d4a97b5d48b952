import { MemoryError } from '../errors.ts';
import type { MemoryStore } from '../memory-store.ts';
import { checkIdentity } from '../store-options.ts';
import { quoted } from '../text.ts';
import type { MemoryTool } from '../tool.ts';
import { checkTakesTexts, takesTexts } from './add.ts';
import { checkExtraction } from './extraction.ts';
import { storeNames } from './managed-stores.ts';
import type { MemoryAddToolConfig, MemoryManagerOptions, MemoryToolConfig } from './manager-options.ts';

/** Beyond it, timers fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Throws `INVALID_ARGUMENT` unless a manager can work with these options. Tools are checked by {@link checkTools}. */
export function checkOptions(options: MemoryManagerOptions): void {
  if (typeof options !== 'object' || options === null)
    refuse('options is to be an object, such as { stores: [store] }.');
  const { stores, model, ranking, deadlineMs, maxBuffered, outbox, logger, injection } = options;
  if (!Array.isArray(stores) || stores.length === 0) refuse('stores is to be an array of at least one store.');
  for (const store of stores) checkStore(store, model);
  checkNames(stores);
  if (model !== undefined) checkMethods(model, 'model', ['generate']);
  if (outbox !== undefined) checkMethods(outbox, 'outbox', ['get', 'put', 'delete', 'list']);
  if (logger !== undefined) checkMethods(logger, 'logger', ['debug', 'info', 'warn', 'error']);
  if (ranking !== undefined && ranking !== 'fused' && ranking !== 'registration') {
    refuse("ranking is to be 'fused' or 'registration'.");
  }
  checkCount(deadlineMs, 'deadlineMs', MAX_DELAY_MS);
  checkCount(maxBuffered, 'maxBuffered');
  checkFunction(options.onStoreError, 'onStoreError');
  if (options.recordContent !== undefined && typeof options.recordContent !== 'boolean') {
    refuse('recordContent is to be true or false.');
  }
  for (const what of ['injection', 'searchToolConfig', 'addToolConfig'] as const) {
    const config: unknown = options[what];
    if (config !== undefined && (typeof config !== 'object' || config === null)) checkBoolean(config, what);
  }
  if (typeof injection !== 'object') return;
  const { trigger, maxEntries, maxTokens, minScore } = injection;
  if (trigger !== undefined && trigger !== 'userTurn' && trigger !== 'everyTurn' && typeof trigger !== 'function') {
    refuse("injection.trigger is to be 'userTurn', 'everyTurn' or a function.");
  }
  checkCount(maxEntries, 'injection.maxEntries');
  checkCount(maxTokens, 'injection.maxTokens');
  if (minScore !== undefined && !Number.isFinite(minScore)) refuse('injection.minScore is to be a finite number.');
  checkFunction(injection.query, 'injection.query');
  checkFunction(injection.format, 'injection.format');
}

/** The stores that the tool may write to. Throws `INVALID_ARGUMENT` where it can't write to one of them, or has none. */
export function addToolStores(stores: readonly MemoryStore[], { stores: wanted }: MemoryAddToolConfig): MemoryStore[] {
  const what = 'addToolConfig.stores';
  if (wanted === undefined) {
    const able = stores.filter(takesTexts);
    if (able.length > 0) return able;
    return refuse(`addToolConfig needs a writable store with \`add\`; none of these is one: ${storeNames(stores)}.`);
  }
  if (!Array.isArray(wanted) || wanted.length === 0) refuse(`${what} is to name at least one store.`);
  const named = new Set(
    wanted.map((one: string | MemoryStore) => {
      const store = stores.find((store) => store === one || store.name === one);
      if (store !== undefined) return store;
      const name = quoted(String(typeof one === 'string' ? one : one?.name));
      return refuse(`${what} has ${name}, which is none of the stores: ${storeNames(stores)}.`);
    }),
  );
  for (const store of named) within(what, () => checkTakesTexts(store));
  return stores.filter((store) => named.has(store));
}

/** Throws `INVALID_ARGUMENT` for a configuration of a tool that no provider takes. */
export function checkToolConfig({ name, description }: MemoryToolConfig, what: string): void {
  if (name !== undefined) checkToolName(name, what);
  if (description !== undefined) checkDescription(description, what);
}

/** Throws `INVALID_ARGUMENT` for tools of stores that no provider takes, and for tools of one name. */
export function checkTools(tools: readonly { readonly owner: string; readonly tool: MemoryTool }[]): void {
  const owners = new Map<string, string>();
  for (const { owner, tool } of tools) {
    checkMethods(tool, `A tool of ${owner}`, ['execute']);
    checkToolName(tool.name, owner);
    checkDescription(tool.description, `The tool ${quoted(tool.name)} of ${owner}`);
    if (typeof tool.inputSchema !== 'object' || tool.inputSchema === null) {
      refuse(`The tool ${quoted(tool.name)} of ${owner} has no inputSchema, the JSON Schema of an object.`);
    }
    const other = owners.get(tool.name);
    if (other !== undefined) refuse(`Two tools are called ${quoted(tool.name)}: of ${other} and of ${owner}.`);
    owners.set(tool.name, owner);
  }
}

function checkStore(store: MemoryStore, model: MemoryManagerOptions['model']): void {
  if (typeof store !== 'object' || store === null) refuse('Each of the stores is to be an object with a `search`.');
  const { name, description, writable } = store;
  const what = `Store ${quoted(String(name))}`;
  within(what, () => {
    checkIdentity(store);
    if (name === undefined) refuse('name is missing.');
    if (description !== undefined) checkDescription(description, 'It');
    checkMethods(store, 'A store', ['search']);
    if (writable === undefined) refuse('writable is to be true or false.');
    for (const method of ['add', 'addMessages', 'initialize', 'tools'] as const) checkFunction(store[method], method);
    if (writable && store.add === undefined && store.addMessages === undefined) {
      refuse('It is writable, but has neither `add` nor `addMessages`.');
    }
    checkExtraction(store, { ...(model && { model }) });
  });
}

/** Names that look alike are refused too: a model could not tell the stores apart. */
function checkNames(stores: readonly MemoryStore[]): void {
  const seen = new Map<string, string>();
  for (const { name } of stores) {
    const looks = name
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .trim()
      .toLowerCase();
    if (looks === '') refuse(`Store ${quoted(name)}: name is blank.`);
    const other = seen.get(looks);
    if (other !== undefined)
      refuse(`Two stores have the name ${quoted(name)}, or one that looks like it: ${quoted(other)}.`);
    seen.set(looks, name);
  }
}

function checkToolName(name: unknown, what: string): void {
  if (typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name)) return;
  refuse(`The tool name ${quoted(String(name))} of ${what} is to be 1 to 64 characters of a-z A-Z 0-9 _ -.`);
}

function checkDescription(description: unknown, what: string): void {
  if (
    typeof description === 'string' &&
    description.trim() !== '' &&
    description.length <= 4_096 &&
    !/[^\P{Cc}\n\r\t]|[\p{Cs}\u2028-\u202e\u2066-\u2069]/u.test(description)
  ) {
    return;
  }
  refuse(`${what} is to have a description of 1 to 4096 characters, no control characters among them.`);
}

function checkMethods(value: unknown, what: string, methods: readonly string[]): void {
  for (const method of methods) {
    if (typeof (value as Record<string, unknown> | null)?.[method] !== 'function') {
      refuse(`${what} is to have a method ${method}.`);
    }
  }
}

function checkFunction(value: unknown, what: string): void {
  if (value !== undefined && typeof value !== 'function') refuse(`${what} is to be a function.`);
}

function checkBoolean(value: unknown, what: string): void {
  if (typeof value !== 'boolean') refuse(`${what} is to be true, false or an object of settings.`);
}

function checkCount(value: unknown, what: string, max = Number.MAX_SAFE_INTEGER): void {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max)) return;
  refuse(`${what} is to be a whole number of 1 or more.`);
}

/** Names what a refusal is about, and makes it one of the constructor. */
function within(what: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    const { message } = error as Error;
    refuse(message.includes(what) ? message : `${what}: ${message}`);
  }
}

function refuse(message: string): never {
  throw new MemoryError('INVALID_ARGUMENT', message);
}
