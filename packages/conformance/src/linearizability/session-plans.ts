import fc from 'fast-check';
import type { Step } from './record-history.ts';
import type { SessionCall } from './session-calls.ts';

/** Which calls a backend can be asked for. */
export interface SessionCallKinds {
  readonly clear: boolean;
  /** Operations, and pops that happen at one moment: a plain `Session` may read an item and remove it later. */
  readonly durable: boolean;
}

/** A call by its name, which is unique, and the outcome that its client saw last. */
type Draft = (name: string, seen: string | undefined) => SessionCall;

/** Calls for several clients. Each item has a name of its own, so that results tell where they come from. */
export function sessionPlans(
  clients: number,
  calls: number,
  kinds: SessionCallKinds,
): fc.Arbitrary<(readonly Step<SessionCall>[])[]> {
  const draft: fc.Arbitrary<Draft> = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 3 }).map(adding) },
    { weight: 4, arbitrary: fc.constantFrom(undefined, 1, 2).map(reading) },
    { weight: kinds.durable ? 2 : 0, arbitrary: fc.constant<Draft>(() => ({ kind: 'pop' })) },
    { weight: kinds.clear ? 1 : 0, arbitrary: fc.constant<Draft>(() => ({ kind: 'clear' })) },
    { weight: kinds.durable ? 3 : 0, arbitrary: fc.constantFrom('o-1', 'o-2').map(appendingOnce) },
    { weight: kinds.durable ? 2 : 0, arbitrary: fc.constantFrom(0, 1, 2).map(replacing) },
  );
  const plan = fc.array(draft, { minLength: calls, maxLength: calls });
  return fc
    .array(plan, { minLength: clients, maxLength: clients })
    .map((plans) =>
      plans.map((drafts, client) => drafts.map((make, index) => (seen) => make(`${client}.${index}`, seen))),
    );
}

function adding(count: number): Draft {
  return (name) => ({ kind: 'add', items: Array.from({ length: count }, (_, index) => `${name}.${index}`) });
}

function reading(limit: number | undefined): Draft {
  return () => ({ kind: 'read', ...(limit !== undefined && { limit }) });
}

/** Clients share operation ids, mostly with the same content. */
function appendingOnce(operationId: string): Draft {
  return (name) => {
    const isOther = name.endsWith('5');
    return { kind: 'append once', operationId, items: [isOther ? `${operationId} of ${name}` : operationId] };
  };
}

/** Replaces the newest items that the client has just read, which others may have changed since. */
function replacing(count: number): Draft {
  return (name, seen) => {
    const read = seen?.includes('.') ? seen.split(',') : [];
    if (count > read.length) return { kind: 'read' };
    return {
      kind: 'replace',
      operationId: `replace ${name}`,
      expected: read.slice(read.length - count),
      items: [name],
    };
  };
}
