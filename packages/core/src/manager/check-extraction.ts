import { expect } from '../expect.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { MemoryModel } from '../model.ts';
import { quoted } from '../text.ts';
import { aFunction, anything, aWhole, type Check, expectFields, having } from './check-fields.ts';
import type { ExtractionConfig, ExtractionTrigger, Extractor } from './extraction-config.ts';
import { ModelExtractor } from './model-extractor.ts';
import { IntervalTrigger, MAX_TIMER_MS } from './triggers.ts';

/** How long a batch may take where the store doesn't say. */
const DEFAULT_DEADLINE_MS = 60_000;

const EXTRACTION = {
  trigger: anything,
  extractor: having('extract'),
  filter: aFunction,
  deadlineMs: aWhole(MAX_TIMER_MS),
} satisfies Record<keyof ExtractionConfig, Check>;

/** How a store is fed, with all defaults filled in. */
export interface Feeding {
  readonly extractor: Extractor | undefined;
  readonly filter: ExtractionConfig['filter'] | undefined;
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
  const of = `The extraction of the store ${quoted(store.name)}`;
  if (extraction !== true) expectFields(extraction, `the extraction of ${quoted(store.name)}`, EXTRACTION);
  const {
    trigger,
    extractor,
    filter,
    deadlineMs = DEFAULT_DEADLINE_MS,
  }: ExtractionConfig = extraction === true ? {} : extraction;
  const triggers = [trigger ?? new IntervalTrigger({ turns: 5 })].flat() as readonly ExtractionTrigger[];
  const adds = typeof store.add === 'function';
  const takesMessages = typeof store.addMessages === 'function';

  expect(store.writable, `${of} needs a store that is writable; this one is for reading.`);
  expect(triggers.length > 0, `${of} has an empty list of triggers; leave it out for every 5 turns.`);
  expect(
    triggers.every((one) => typeof one?.attach === 'function' && typeof one.name === 'string'),
    `${of} has a trigger that is no { name, attach }.`,
  );
  expect(extractor === undefined || adds, `${of} has an extractor, for which the store needs add().`);
  expect(adds || takesMessages, `${of} needs a store with add() or addMessages().`);
  const chosen = extractor ?? (takesMessages ? undefined : new ModelExtractor());
  expect(
    model || !chosen?.needsModel,
    `${of} needs a model: pass one to the manager or to a ModelExtractor, or use a store with addMessages().`,
  );
  return { triggers, deadlineMs, extractor: chosen, filter };
}
