import { isMemoryError } from '../errors.ts';
import type { MemoryEntry } from '../memory-store.ts';

/** What is done with memory, by the names of OpenTelemetry's conventions for generative AI. */
type MemoryOperation = 'search_memory' | 'create_memory' | 'update_memory' | 'delete_memory';

/** What a span may tell. Texts are dropped unless contents are to be recorded. */
interface SpanFacts {
  /** How many memories were found, or are to be written. */
  readonly count?: number;
  readonly recordId?: string;
  readonly query?: string;
  readonly records?: readonly Pick<MemoryEntry, 'id' | 'content' | 'score'>[];
}

/**
 * Does some work within a span of its own, which ends with the work and has its failure as `error.type`. Gives, or
 * throws, what the work does.
 */
export type Telemetry = <T>(
  operation: MemoryOperation,
  storeName: string,
  work: (tell: (facts: SpanFacts) => void) => Promise<T>,
) => Promise<T>;

/** What is called of a span of OpenTelemetry. */
interface Span {
  setAttribute(name: string, value: string | number): unknown;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

/** What is called of a tracer of OpenTelemetry. */
interface Tracer {
  startActiveSpan<T>(
    name: string,
    options: { kind: number; attributes: Record<string, string> },
    work: (span: Span) => T,
  ): T;
}

/** Where every copy of `@opentelemetry/api` 1.x keeps what was registered. */
const OPEN_TELEMETRY = Symbol.for('opentelemetry.js.api.1');
/** `SpanKind.CLIENT` and `SpanStatusCode.ERROR`. */
const CLIENT = 2;
const ERROR = 2;

/**
 * Spans by OpenTelemetry, where the program has registered a tracer provider; else the work alone. It is looked up
 * anew each time, because programs may register after they have made their managers.
 */
export function telemetry(recordContent: boolean): Telemetry {
  return (operation, storeName, work) => {
    const tracer = findTracer();
    if (tracer === undefined) return work(() => {});
    const attributes = { 'gen_ai.operation.name': operation, 'gen_ai.memory.store.id': storeName };
    return tracer.startActiveSpan(operation, { kind: CLIENT, attributes }, async (span) => {
      try {
        return await work((facts) => tell(span, facts, recordContent));
      } catch (error) {
        span.setAttribute('error.type', errorType(error));
        // Without a description: messages of drivers may hold what was asked, or how they connect.
        span.setStatus({ code: ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  };
}

/** What an error is called in logs and spans: its code, else its name. Never its message. */
export function errorType(error: unknown): string {
  if (isMemoryError(error)) return error.code;
  const name = error instanceof Error ? error.name : '';
  return /^\w{1,64}$/.test(name) ? name : '_OTHER';
}

function findTracer(): Tracer | undefined {
  type Registry = { trace?: { getTracer(name: string): Tracer } };
  const registry = (globalThis as { [OPEN_TELEMETRY]?: Registry })[OPEN_TELEMETRY];
  return registry?.trace?.getTracer('@keepsake/core');
}

function tell(span: Span, { count, recordId, query, records }: SpanFacts, recordContent: boolean): void {
  const texts = records?.map(({ id, content, score }) => ({ id, content, score }));
  const attributes = {
    'gen_ai.memory.record.count': count,
    'gen_ai.memory.record.id': recordId,
    ...(recordContent && { 'gen_ai.memory.query.text': query, 'gen_ai.memory.records': JSON.stringify(texts) }),
  };
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) span.setAttribute(name, value);
}
