import {
  type Logger,
  MemoryManager,
  type MemoryManagerOptions,
  type MemoryModel,
  type Message,
  type RecordStore,
  type StoreFailure,
} from '@keepsake/core';

export const user = (content: string): Message => ({ role: 'user', content });
export const assistant = (content: string): Message => ({ role: 'assistant', content });

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A manager and its reported failures. */
export function managerOf(options: MemoryManagerOptions) {
  const reports: StoreFailure[] = [];
  const memory = new MemoryManager({
    // However busy the machine is.
    search: { deadlineMs: 60_000 },
    telemetry: { logger: silent, onStoreError: (failure) => reports.push(failure) },
    ...options,
  });
  return { memory, reports };
}

type Answer = object | ((prompt: string) => object | Promise<object>);

/** A model that returns the given answers in order, repeats the last one, and records its requests. */
export class ScriptedModel implements MemoryModel {
  readonly requests: Parameters<MemoryModel['generate']>[0][] = [];
  readonly #answers: Answer[];

  constructor(...answers: Answer[]) {
    this.#answers = answers;
  }

  async generate(request: Parameters<MemoryModel['generate']>[0]) {
    this.requests.push(request);
    const next = this.#answers[Math.min(this.requests.length, this.#answers.length) - 1] ?? {};
    return { text: JSON.stringify(typeof next === 'function' ? await next(request.prompt) : next) };
  }
}

export const adds = (...contents: string[]) => ({
  changes: contents.map((content) => ({ action: 'add', id: null, content })),
});

/** Stores that stop responding after a number of calls to any of them, as if their process had ended. */
export function crashing(last: number) {
  let calls = 0;
  const of = (store: RecordStore): RecordStore =>
    new Proxy(store, {
      get(target, key) {
        const value = Reflect.get(target, key);
        if (key === 'within') return (place: string[]) => of(target.within(place));
        if (typeof value !== 'function') return value;
        return async (...input: unknown[]) => {
          if (calls > last) return new Promise(() => {});
          const result = await value.apply(target, input);
          return calls++ < last ? result : new Promise(() => {});
        };
      },
    });
  return { of };
}
