import { quoted } from '@keepsake/internal';
import { type Check, expectFields } from '../../common/check-fields.ts';
import { MemoryError } from '../../common/errors.ts';
import { expect } from '../../common/expect.ts';
import { guarded } from '../../common/read-values.ts';
import type { Message } from '../../model/message.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { namingStore } from '../options/managed-stores.ts';
import type { ExtractionConfig, ExtractionTrigger, Extractor } from './extraction-config.ts';
import { withoutTools, worthKeeping } from './extraction-filter.ts';
import { ModelExtractor } from './model-extractor.ts';
import { asFilter, asTrigger, checkExtractor } from './strands-shapes.ts';
import { IntervalTrigger, InvocationTrigger, MAX_TIMER_MS } from './triggers.ts';

/** The default deadline of a batch. */
const DEFAULT_DEADLINE_MS = 60_000;

const EXTRACTION = {
  trigger: 'anything',
  extractor: ['extract'],
  filter: 'anything',
  deadlineMs: MAX_TIMER_MS,
  maxChangesPerBatch: 'whole',
} satisfies Record<keyof ExtractionConfig, Check>;

/** The extraction settings of a store, with defaults filled in. */
export interface Feeding {
  readonly extractor: Extractor | undefined;
  readonly filter: (message: Message) => Message | undefined;
  readonly triggers: readonly ExtractionTrigger[];
  readonly deadlineMs: number;
  readonly maxChangesPerBatch: number | undefined;
}

/**
 * Checks the `extraction` of a store and fills in its defaults; `undefined` if it is off. Without an extractor, the messages
 * go to `addMessages`.
 *
 * @throws MemoryError `INVALID_ARGUMENT`, with the store's name, for invalid extraction settings.
 */
export function checkExtraction(store: MemoryStore): Feeding | undefined {
  const of = `The extraction of the store ${quoted(store.name)}`;
  return guarded(of, () => {
    const { extraction } = store;
    return extraction === undefined || extraction === false ? undefined : feedingOf(store, extraction, of);
  });
}

function feedingOf(store: MemoryStore, extraction: true | object, of: string): Feeding {
  const {
    trigger,
    extractor,
    filter,
    deadlineMs = DEFAULT_DEADLINE_MS,
    maxChangesPerBatch,
  }: ExtractionConfig = extraction === true
    ? {}
    : namingStore(store, () => expectFields(extraction, 'extraction', EXTRACTION));
  const adds = typeof store.add === 'function';
  const takesMessages = typeof store.addMessages === 'function';
  const chosen = extractor ?? (takesMessages ? undefined : new ModelExtractor());
  // Others, such as services, make of messages what they like.
  const keepsWords = chosen === undefined && typeof (store as Partial<RecordStore>).put === 'function';
  // A model has its price, and messages themselves cost next to nothing.
  const byDefault = chosen === undefined ? new InvocationTrigger() : new IntervalTrigger({ turns: 5 });
  const triggers = [trigger ?? byDefault].flat() as readonly ExtractionTrigger[];

  expect(store.writable, `${of} needs a writable store; this one is read-only.`);
  expect(triggers.length > 0, `${of} has an empty list of triggers. Leave it out for the default.`);
  expect(
    triggers.every((one) => typeof one?.attach === 'function' && typeof one.name === 'string'),
    `${of} has a trigger that is not { name, attach }.`,
  );
  expect(extractor === undefined || adds, `${of} has an extractor, which needs a store with add().`);
  if (extractor !== undefined) checkExtractor(extractor, of);
  expect(adds || takesMessages, `${of} needs a store with add() or addMessages().`);
  return {
    triggers: triggers.map((one) => asTrigger(one, of)),
    deadlineMs,
    maxChangesPerBatch,
    extractor: chosen,
    filter: namingStore(store, () => asFilter(filter)) ?? (keepsWords ? worthKeeping : withoutTools),
  };
}

/** An extraction has no model. */
export class MissingModel extends MemoryError {
  constructor(storeName: string) {
    super(
      'INVALID_ARGUMENT',
      `The extraction of the store ${quoted(storeName)} needs a model: pass \`model\` to the manager, to conversation() or to a ModelExtractor, or use a store with addMessages().`,
    );
  }
}
