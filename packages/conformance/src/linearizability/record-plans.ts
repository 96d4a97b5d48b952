import type { StoreCapabilities } from '@keepsake/core';
import fc from 'fast-check';
import { IDS, type RecordCall } from './record-calls.ts';
import type { Step } from './record-history.ts';

/** Each content has one of them, so that a search for the other must not find it. */
const WORDS = ['heron', 'egret'];

/** A call by its name, which is unique, and the outcome that its client saw last. */
type Draft = (name: string, seen: string | undefined) => RecordCall;

/** Calls for several clients. Each content has a name of its own, so that results tell where they come from. */
export function recordPlans(
  clients: number,
  calls: number,
  { atomicBatch, enumerate, search }: Pick<StoreCapabilities, 'atomicBatch' | 'enumerate' | 'search'>,
): fc.Arbitrary<(readonly Step<RecordCall>[])[]> {
  const id = fc.constantFrom(...IDS);
  const ids = fc.subarray([...IDS], { minLength: 2 });
  const word = fc.constantFrom(...WORDS);
  const draft: fc.Arbitrary<Draft> = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(id, word).map(putting) },
    { weight: 3, arbitrary: fc.tuple(id, word).map(replacing) },
    { weight: 3, arbitrary: id.map(getting) },
    { weight: 2, arbitrary: id.map(deleting) },
    // Other searches also find by meaning.
    { weight: search === 'lexical' ? 3 : 0, arbitrary: word.map(searching) },
    { weight: enumerate ? 2 : 0, arbitrary: fc.constant<Draft>(() => ({ kind: 'list' })) },
    { weight: 1, arbitrary: fc.constant<Draft>(() => ({ kind: 'clear' })) },
    { weight: atomicBatch ? 2 : 0, arbitrary: fc.tuple(ids, word).map(puttingMany) },
  );
  const plan = fc.array(draft, { minLength: calls, maxLength: calls });
  return fc
    .array(plan, { minLength: clients, maxLength: clients })
    .map((plans) =>
      plans.map((drafts, client) => drafts.map((make, index) => (seen) => make(`${client}${index}`, seen))),
    );
}

function putting([id, word]: [string, string]): Draft {
  return (name) => ({ kind: 'put', id, content: `${word} ${name}` });
}

/** Puts with the version that the client saw last: the right one, if nobody was faster. */
function replacing([id, word]: [string, string]): Draft {
  return (name, seen) => ({ kind: 'put', id, content: `${word} ${name}`, ifVersion: versionIn(seen) });
}

function puttingMany([ids, word]: [string[], string]): Draft {
  return (name) => ({ kind: 'put many', ids, content: `${word} ${name}` });
}

function getting(id: string): Draft {
  return () => ({ kind: 'get', id });
}

/** Requires a version now and then. */
function deleting(id: string): Draft {
  return (_, seen) => ({ kind: 'delete', id, ...(seen?.endsWith('1') && { ifVersion: versionIn(seen) }) });
}

function searching(word: string): Draft {
  return () => ({ kind: 'search', word });
}

function versionIn(seen: string | undefined): number {
  return Number(/v?(\d+)$/.exec(seen ?? '')?.[1] ?? 0);
}
