import { describeRecordStore, type RecordStoreHarness } from '@keepsake/conformance';
import type { RecordStore, StoreCapabilities } from '@keepsake/core';
import { encrypted, type KeyRing } from '@keepsake/privacy';
import { describe, expect, it, onTestFinished } from 'vitest';
import { storeConcerns } from '../variants.ts';

/** A backend whose stores get encrypted. */
interface EncryptedBackend {
  readonly name: string;
  readonly capabilities: StoreCapabilities;
  /** Stores without encryption. */
  readonly harness: () => PlainHarness | Promise<PlainHarness>;
  /** A new, empty store in memory. */
  readonly index: () => RecordStore;
  /** Whether the kit runs at night only. Encryption hardly depends on the backend: by day, it is tested in memory. */
  readonly kitAtNight?: boolean;
}

/** A harness that can show everything that its stores have stored, as Latin-1. */
interface PlainHarness extends RecordStoreHarness {
  stored(): string | Promise<string>;
}

/** Encrypted, a record needs a third more space, so it can't have the content of the largest one. */
const TOO_LARGE = 'content of 1 MiB fits, counted in bytes of UTF-8';

const ring: KeyRing = { current: 'k1', keys: { k1: crypto.getRandomValues(new Uint8Array(32)) } };

/** `encrypted(store)` on a backend: the kit for record stores, and what is stored. */
export function describeEncryptedStore(backend: EncryptedBackend): void {
  const { name, index } = backend;
  const open = (harness: RecordStoreHarness, options?: Parameters<RecordStoreHarness['open']>[0]) =>
    encrypted(harness.open(options), ring, { index: index() });

  describe('the kit', { tags: backend.kitAtNight ? ['nightly'] : [] }, () => {
    describeRecordStore({
      describe,
      it: Object.assign(
        (title: string, body: () => Promise<void>) => (title === TOO_LARGE ? it.fails(title, body) : it(title, body)),
        { skip: it.skip },
      ),
      name: `encrypted(${name})`,
      capabilities: backend.capabilities,
      ...storeConcerns('content'),
      async harness() {
        const harness = await backend.harness();
        return { open: (options) => open(harness, options), close: () => harness.close?.() };
      },
    });
  });

  describe(`what encrypted(${name}) stores`, () => {
    it('shows no word of contents, metadata, turns and sources', async () => {
      const harness = await backend.harness();
      onTestFinished(async () => harness.close?.());
      const store = open(harness, { namespace: ['shown-namespace'] });
      const ids = await fill(store);
      expect(await store.search('sentinelcontent')).toHaveLength(4);
      const bytes = (await harness.stored()).toLowerCase();
      for (const text of HIDDEN) expect(bytes, text).not.toContain(text);
      // What the security guide says is readable.
      for (const text of ['shown-id', 'shown-next', ...ids]) expect(bytes, text).toContain(text);
    });

    it('would show them without encryption', async () => {
      const harness = await backend.harness();
      onTestFinished(async () => harness.close?.());
      await fill(harness.open({ namespace: ['shown-namespace'] }));
      const bytes = (await harness.stored()).toLowerCase();
      for (const text of HIDDEN) expect(bytes, text).toContain(text);
    });
  });
}

/** Lower case, because backends may store words so. */
const HIDDEN = [
  'sentinelcontent',
  'sentinelfield',
  'sentinelvalue',
  'sentinelthread',
  'sentinelspeaker',
  'sentinelrun',
];

/** Stores texts in every way, and returns the ids that follow from them. */
async function fill(store: RecordStore): Promise<string[]> {
  const added = await store.add('Sentinelcontent that was added', { sentinelfield: 'sentinelvalue' });
  const messages = [{ role: 'user' as const, content: 'Sentinelcontent that was said' }];
  const [said] = await store.addMessages(messages, { runId: 'sentinelrun', sequenceNumbers: [0] });
  await store.put({
    id: 'shown-id',
    content: 'Sentinelcontent of a turn',
    metadata: { nested: { sentinelfield: ['sentinelvalue'] } },
    turn: { thread: 'sentinelthread', index: 3, speaker: 'sentinelspeaker' },
    source: { conversation: 'sentinelthread', run: 'sentinelrun', speaker: 'sentinelspeaker', kind: 'fact' },
  });
  await store.put({ id: 'shown-next', content: 'Sentinelcontent that replaces it', supersedes: 'shown-id' });
  await store.putMany([{ content: 'Sentinelcontent of a batch', metadata: { sentinelfield: 1 } }]);
  return [added.id, said?.id ?? ''];
}
