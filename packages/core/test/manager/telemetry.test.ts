import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Extractor, MemoryManager, type MemoryManagerOptions } from '../../src/index.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { listStore, throwingStore } from '../support/memory-stores.ts';

const exporter = new InMemorySpanExporter();

/** The spans that OpenTelemetry's SDK would export, sorted by operation and store. */
function spans() {
  const key = ({ name, attributes }: ReadableSpan) => `${name} ${attributes['gen_ai.memory.store.id']}`;
  return exporter
    .getFinishedSpans()
    .toSorted((a, b) => key(a).localeCompare(key(b)))
    .map(({ name, kind, status, attributes, events }) => ({ name, kind, status, attributes, events }));
}

beforeEach(() => {
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
});

afterEach(() => {
  exporter.reset();
  trace.disable();
  context.disable();
});

const SECRET = 'hunter2-SECRET';
const leaky = () =>
  Object.assign(new TypeError(`postgres://user:${SECRET}@host: no row ${SECRET}`), { name: 'PgError' });

function managerOf(options: Partial<MemoryManagerOptions> = {}) {
  const stores = [
    listStore('personal', [{ id: 'r1', content: `knows ${SECRET}`, score: 0.5 }]),
    throwingStore('team', leaky()),
  ];
  return new MemoryManager({ stores, telemetry: { logger: memoryLogger() }, ...options });
}

describe('spans', () => {
  it('are created per searched or written store, and follow the semantic conventions', async () => {
    const memory = managerOf();
    await memory.search(`where is ${SECRET}`);
    await memory.add(`the key is ${SECRET}`, { stores: ['personal'] });
    const about = (operation: string, store: string) => ({
      'gen_ai.operation.name': operation,
      'gen_ai.memory.store.id': store,
    });
    expect(spans()).toEqual([
      {
        name: 'create_memory',
        kind: SpanKind.CLIENT,
        status: { code: SpanStatusCode.UNSET },
        attributes: { ...about('create_memory', 'personal'), 'gen_ai.memory.record.count': 1 },
        events: [],
      },
      {
        name: 'search_memory',
        kind: SpanKind.CLIENT,
        status: { code: SpanStatusCode.UNSET },
        attributes: { ...about('search_memory', 'personal'), 'gen_ai.memory.record.count': 1 },
        events: [],
      },
      {
        name: 'search_memory',
        kind: SpanKind.CLIENT,
        status: { code: SpanStatusCode.ERROR },
        attributes: { ...about('search_memory', 'team'), 'error.type': 'PgError' },
        events: [],
      },
    ]);
  });

  it('contain queries and contents with recordContent', async () => {
    const memory = managerOf({ telemetry: { logger: memoryLogger(), recordContent: true } });
    await memory.search('tea?');
    await memory.add('Likes tea', { stores: ['personal'] });
    const told = spans().map(({ attributes }) => [
      attributes['gen_ai.memory.query.text'],
      attributes['gen_ai.memory.records'],
    ]);
    expect(told).toEqual([
      [undefined, '[{"content":"Likes tea"}]'],
      ['tea?', JSON.stringify([{ id: 'r1', content: `knows ${SECRET}`, score: 0.5 }])],
      ['tea?', undefined],
    ]);
  });

  it('are children of the span of the caller, and parents of the spans of the store', async () => {
    const tracer = trace.getTracer('test');
    const store = listStore('a', [], {
      search: async () =>
        tracer.startActiveSpan('query', async (span) => {
          span.end();
          return [];
        }),
    });
    const memory = new MemoryManager({ stores: [store] });
    await tracer.startActiveSpan('turn', async (span) => {
      await memory.search('q');
      span.end();
    });
    const all = Object.fromEntries(exporter.getFinishedSpans().map((span) => [span.name, span]));
    expect(all.search_memory?.parentSpanContext?.spanId).toBe(all.turn?.spanContext().spanId);
    expect(all.query?.parentSpanContext?.spanId).toBe(all.search_memory?.spanContext().spanId);
  });

  it.each([
    [false, {}],
    [true, { 'gen_ai.memory.records': `[{"content":"new ${SECRET}"}]` }],
  ])('name the operation of each extracted change (recordContent: %s)', async (recordContent, contents) => {
    const extractor: Extractor = {
      extract: async () => [
        { kind: 'add', content: `new ${SECRET}` },
        { kind: 'update', id: 'r1', content: `better ${SECRET}` },
        { kind: 'delete', id: 'r2' },
      ],
    };
    const trigger = { name: 'never', attach() {} };
    const known = ['r1', 'r2'].map((id) => ({ id, content: `${id}: ${SECRET}`, metadata: {}, version: 1 }));
    const facts = Object.assign(listStore('facts', known, { extraction: { extractor, trigger } }), {
      get: async (id: string) => known.find((record) => record.id === id),
      put: async () => known[0],
      delete: async () => true,
    });
    const chats = listStore('chats', [], { extraction: { trigger }, addMessages: async () => {} });
    const memory = new MemoryManager({ stores: [facts, chats], telemetry: { recordContent } });
    const chat = memory.conversation();
    chat.observe({ role: 'user', content: `I am ${SECRET}` }, { role: 'assistant', content: 'I wrote that down.' });
    await memory.flush({ throwOnFailure: true });
    const told = spans().map(({ name, attributes }) => [name, attributes]);
    const about = (store: string, count: number) =>
      expect.objectContaining({ 'gen_ai.memory.store.id': store, 'gen_ai.memory.record.count': count });
    expect(told).toEqual([
      ['create_memory', about('chats', 2)],
      ['create_memory', expect.objectContaining({ 'gen_ai.memory.store.id': 'facts', ...contents })],
      ['delete_memory', expect.objectContaining({ 'gen_ai.memory.record.id': 'r2' })],
      ['update_memory', expect.objectContaining({ 'gen_ai.memory.record.id': 'r1' })],
    ]);
    expect(JSON.stringify(told).includes(SECRET)).toBe(recordContent);
  });

  it('are optional: a search works without OpenTelemetry', async () => {
    trace.disable();
    await managerOf().search('q');
    expect(spans()).toEqual([]);
  });
});

describe('a secret in queries, contents and driver errors', () => {
  it('appears in no span, log or error message', async () => {
    const logger = memoryLogger();
    const failing = listStore('down', [], {
      add: async () => {
        throw leaky();
      },
      search: async () => {
        throw leaky();
      },
    });
    const memory = managerOf({
      stores: [...[listStore('personal', [`knows ${SECRET}`])], failing],
      telemetry: { logger },
      addToolConfig: true,
    });
    const messages: string[] = [];
    const attempt = (work: Promise<unknown>) =>
      work.catch((error: AggregateError) => messages.push(error.message, ...(error.errors ?? []).map(String)));
    await attempt(memory.search(`where is ${SECRET}`));
    await attempt(memory.search(`where is ${SECRET}`, { stores: ['down'] }));
    await attempt(memory.add(`the key is ${SECRET}`, { metadata: { key: SECRET } }));
    for (const tool of memory.tools()) {
      await attempt(tool.execute({ query: SECRET, stores: ['down'] }));
      await attempt(tool.execute({ entries: [SECRET], stores: ['down'] }));
    }
    const chat = memory.conversation({ id: 't' });
    expect(await chat.block([{ role: 'user', content: `Where is ${SECRET}, please?` }])).toContain(SECRET);
    expect(messages.length).toBeGreaterThanOrEqual(6);
    expect(logger.lines.length).toBeGreaterThan(0);
    expect(spans().length).toBeGreaterThan(6);
    expect(JSON.stringify([spans(), logger.lines, messages])).not.toContain(SECRET);
  });

  it('does not appear on the console, the default target of warnings', async ({ onTestFinished }) => {
    const lines: unknown[] = [];
    const { warn } = console;
    console.warn = (...args: unknown[]) => void lines.push(...args);
    onTestFinished(() => {
      console.warn = warn;
    });
    const stores = [throwingStore('team', leaky()), listStore('personal')];
    await new MemoryManager({ stores }).search(SECRET);
    expect(lines).toEqual(['Memory store "team" failed: search (PgError).']);
  });
});
