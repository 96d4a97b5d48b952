import { allItems, quoted, SEGMENT_TAGS } from '@keepsake/internal';
import { type Check, expectFields } from '../common/check-fields.ts';
import { withDeadline } from '../common/deadline.ts';
import { expect } from '../common/expect.ts';
import { expectText } from '../common/text.ts';
import { TIME_ZONE } from '../common/time.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { formatNamespace, type Namespace } from '../store/namespace.ts';
import type { RecordStore } from '../store/record-store.ts';
import { OUTBOX } from './extraction/outbox.ts';
import { OUTBOX_DEADLINE_MS } from './extraction/outbox-writer.ts';
import type { MemoryManagerOptions } from './options/manager-options.ts';

/** Whose memory a manager is for. */
export interface ForOptions {
  /** The id of the user, 1 to 256 characters. Compared exactly: `alice` and `Alice` differ. */
  readonly user: string;
  /**
   * The time zone of the user, such as `America/New_York`, for dates in what they say. Kept in memory, for the 1,000 users who
   * were used last, until another is given.
   *
   * @default That of the manager.
   */
  readonly timeZone?: string | undefined;
}

/** The maximum length of a segment of a namespace. */
const MAX_USER = 256;

const FOR = { user: 'anything', timeZone: TIME_ZONE } satisfies Record<keyof ForOptions, Check>;

/** The checked options. */
export function checkForOptions(options: ForOptions): ForOptions {
  const checkedOptions = expectFields(options, '', FOR);
  expectText(checkedOptions.user, '`user`', MAX_USER);
  return checkedOptions;
}

/**
 * The options of the manager of a user: the same, with the stores of the user's place.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for a store that has no places, or that is itself the place of a user.
 */
export function optionsOfUser(options: MemoryManagerOptions, user: string): MemoryManagerOptions {
  const { stores, addToolConfig, forgetToolConfig, outbox } = options;
  const place = [SEGMENT_TAGS.user, user];
  return {
    ...options,
    stores: stores.map((store) => storeAt(store, place)),
    addToolConfig: byName(addToolConfig),
    forgetToolConfig: byName(forgetToolConfig),
    // Below the outbox and a place of the user, so that the leftovers of all users are found, and erased with the user.
    outbox: outbox?.within([OUTBOX, ...place]),
  };
}

/** The users who have something in an outbox, if the stores have places of users. */
export async function usersIn(outbox: RecordStore, stores: readonly MemoryStore[]): Promise<string[]> {
  if (!stores.every(hasPlaces)) return [];
  return withDeadline(OUTBOX_DEADLINE_MS, undefined, async () => {
    const users = new Set<string>();
    const below = outbox.within([OUTBOX]);
    for await (const { namespace } of allItems((page) => below.namespaces(page))) {
      const [segment, user] = namespace.slice(below.namespace.length);
      if (segment === SEGMENT_TAGS.user && user !== undefined) users.add(user);
    }
    return [...users];
  });
}

function hasPlaces(store: MemoryStore): store is MemoryStore & Pick<RecordStore, 'within' | 'namespace'> {
  return typeof (store as Partial<RecordStore>).within === 'function';
}

function storeAt(store: MemoryStore, place: Namespace): MemoryStore {
  expect(
    hasPlaces(store),
    `Store ${quoted(store.name)} has no within(), so it has no place per user. Use a store with within(), or create a manager per user.`,
  );
  expect(
    store.namespace.at(-2) !== SEGMENT_TAGS.user,
    `Store ${quoted(store.name)} is in ${quoted(formatNamespace(store.namespace))}, the place of one user. Give the manager the store of all users, and for({ user }) finds the place of each.`,
  );
  return store.within(place);
}

/** The stores of a tool by name, because those of a user are other objects. */
function byName<Config extends { readonly stores?: readonly (string | MemoryStore)[] | undefined }>(
  config: boolean | Config | undefined,
): boolean | Config | undefined {
  if (typeof config !== 'object' || config.stores === undefined) return config;
  return { ...config, stores: config.stores.map((one) => (typeof one === 'string' ? one : one.name)) };
}
