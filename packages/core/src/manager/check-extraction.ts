import { MemoryError } from '../errors.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { MemoryModel } from '../model.ts';
import { quoted } from '../text.ts';
import type { ExtractionConfig, ExtractionTrigger } from './extraction-config.ts';
import { ModelExtractor } from './model-extractor.ts';
import { checkWhole, IntervalTrigger, MAX_TIMER_MS } from './triggers.ts';

/** How long a batch may take where the store doesn't say. */
const DEFAULT_DEADLINE_MS = 60_000;

/** How a store is fed, with all defaults filled in. */
export interface Feeding extends Pick<ExtractionConfig, 'extractor' | 'filter'> {
  readonly triggers: readonly ExtractionTrigger[];
  readonly deadlineMs: number;
}

/**
 * Checks the `extraction` of a store, and fills in its defaults; `undefined` where it is off. Without an extractor, the
 * messages themselves go to `addMessages`.
 *
 * @throws MemoryError `INVALID_ARGUMENT`, with the store's name, for extraction that could never work.
 */
export function checkExtraction(
  store: MemoryStore,
  { model }: { readonly model?: MemoryModel | undefined } = {},
): Feeding | undefined {
  const { extraction } = store;
  if (extraction === undefined || extraction === false) return undefined;
  const refuse = (problem: string): never => {
    throw new MemoryError('INVALID_ARGUMENT', `The extraction of the store ${quoted(store.name)} ${problem}.`);
  };
  if (extraction !== true && (typeof extraction !== 'object' || extraction === null)) {
    refuse('is to be true, false or an object, such as { trigger: new InvocationTrigger() }');
  }
  const { trigger, extractor, filter, deadlineMs } = (extraction === true ? {} : extraction) as ExtractionConfig;
  const triggers = [trigger ?? new IntervalTrigger({ turns: 5 })].flat() as readonly ExtractionTrigger[];
  const adds = typeof store.add === 'function';

  if (!store.writable) refuse('needs a store that is writable; this one is for reading');
  if (triggers.length === 0)
    refuse('has an empty list of triggers and would never run; leave it out for every 5 turns');
  if (!triggers.every((one) => typeof one?.attach === 'function' && typeof one.name === 'string')) {
    refuse('has a trigger that is no { name, attach }');
  }
  if (filter !== undefined && typeof filter !== 'function') refuse('has a filter that is no function');
  if (extractor !== undefined && typeof extractor?.extract !== 'function') refuse('has an extractor without extract()');
  if (extractor !== undefined && !adds) refuse('has an extractor, for which the store needs add()');
  if (!adds && typeof store.addMessages !== 'function') refuse('needs a store with add() or addMessages()');
  const chosen = extractor ?? (typeof store.addMessages === 'function' ? undefined : new ModelExtractor());
  if (chosen?.needsModel && model === undefined) {
    refuse('needs a model: pass one to the manager or to a ModelExtractor, or use a store with addMessages()');
  }
  return {
    triggers,
    deadlineMs: checkWhole(
      deadlineMs ?? DEFAULT_DEADLINE_MS,
      `extraction.deadlineMs of the store ${quoted(store.name)}`,
      MAX_TIMER_MS,
    ),
    ...(chosen === undefined ? {} : { extractor: chosen }),
    ...(filter === undefined ? {} : { filter }),
  };
}
