import { type Logger, MemoryManager, type MemoryStore } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { openStore } from '../engines/keepsake.ts';
import { useLite } from '../engines/use-lite.ts';
import { appendedTo, type Injector } from './injector.ts';

export const keepsake: Injector = keepsakeInjector('Keepsake', () => new InMemoryStore({ name: 'bench' }));

export const keepsakeHybrid: Injector = keepsakeInjector(
  'Keepsake, hybrid',
  () => new InMemoryStore({ name: 'bench', embedder: useLite }),
);

function keepsakeInjector(name: string, makeStore: () => InMemoryStore): Injector {
  return {
    name,
    async open(entries) {
      const store = makeStore();
      await openStore(store).add(entries);
      return { blockFor: (question) => inject(question, store) };
    },
  };
}

/** A manager with default options, at the beginning of a conversation. */
async function inject(question: string, store: MemoryStore): Promise<string> {
  const warnings: string[] = [];
  const manager = new MemoryManager({ stores: [store], telemetry: { logger: loggerInto(warnings) } });
  const [message] = await manager.conversation({ id: 'question' }).inject([{ role: 'user', content: question }]);
  // Injection fails open, so a failure must not count as an empty block.
  if (warnings.length > 0) throw new Error(`The injection failed: ${warnings.join(' ')}`);
  return appendedTo(question, message?.content);
}

function loggerInto(warnings: string[]): Logger {
  const keep = (message: string) => void warnings.push(message);
  return { debug() {}, info() {}, warn: keep, error: keep };
}
