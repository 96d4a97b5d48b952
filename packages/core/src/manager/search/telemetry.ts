import { isMemoryError } from '../../common/errors.ts';
import type { MemoryEntry } from '../../store/memory-store.ts';

/** Memory operations, as named by OpenTelemetry's conventions for generative AI. */
type MemoryOperation = 'search_memory' | 'create_memory' | 'update_memory' | 'delete_memory';

/** The attributes of a span. Texts are dropped unless contents are recorded. */
interface SpanFacts {
  /** The number of memories found or to write. */
  readonly count?: number;
  readonly recordId?: string;
  readonly query?: string;
  readonly records?: readonly Pick<MemoryEntry, 'id' | 'content' | 'score'>[];
}

/**
 * Runs some work in its own span, which ends with the work and records a failure as `error.type`. Returns or throws the
 * result of the work.
 */
export type Telemetry = <T>(
  operation: MemoryOperation,
  storeName: string,
  work: (tell: (facts: SpanFacts) => void) => Promise<T>,
) => Promise<T>;

/** The used methods of an OpenTelemetry span. */
interface Span {
  setAttribute(name: string, value: string | number): unknown;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

/** The used methods of an OpenTelemetry tracer. */
interface Tracer {
  startActiveSpan<T>(
    name: string,
    options: { kind: number; attributes: Record<string, string> },
    work: (span: Span) => T,
  ): T;
}

/** The registry of every copy of `@opentelemetry/api` 1.x. */
const OPEN_TELEMETRY = Symbol.for('opentelemetry.js.api.1');
/** `SpanKind.CLIENT` and `SpanStatusCode.ERROR`. */
const CLIENT = 2;
const ERROR = 2;

/**
 * OpenTelemetry spans, if the program has registered a tracer provider. Looked up each time, because programs may register
 * one after creating their managers.
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
        // Without a description, because driver messages may contain queries or connection strings.
        span.setStatus({ code: ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  };
}

/** The type of an error in logs and spans: its code, else its name. Never its message. */
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
