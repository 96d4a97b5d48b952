import { OpenedConfig, type SpaceConfig } from '@keepsake/config';
import type { Namespace } from '@keepsake/core';
import { afterAll, beforeAll, describe } from 'vitest';
import { createPanel } from '../../src/index.ts';
import { type Backend, backends } from './backends.ts';
import { Client } from './client.ts';

interface OpenedPanel {
  readonly config: OpenedConfig;
  readonly client: Client;
}

interface OpenOptions {
  readonly readOnly?: boolean;
  /** Changes the space. */
  readonly space?: SpaceConfig;
  readonly namespace?: Namespace;
}

interface Panels {
  /** A panel without memories. */
  open(options?: OpenOptions): Promise<OpenedPanel>;
  /** A panel with two users, an agent, a pool, a conversation with runs, and sessions. */
  filled(): Promise<OpenedPanel>;
}

/** Runs the same tests on each backend. */
export function describeOnBackends(define: (panels: Panels) => void): void {
  for (const backend of backends) describeOn(backend, define, false);
}

/** Runs tests that a backend hardly changes: by day on some backends, every night on each. */
export function describeOnSomeBackends(define: (panels: Panels) => void): void {
  for (const backend of backends) describeOn(backend, define, backend.partByDay === true);
}

function describeOn(backend: Backend, define: (panels: Panels) => void, isNightly: boolean): void {
  describe(`on ${backend.name}`, isNightly ? { tags: ['nightly'] } : {}, () => {
    beforeAll(() => backend.start?.());
    afterAll(() => backend.stop?.());
    const open: Panels['open'] = async (options) => openOn(backend, options);
    define({
      open,
      async filled() {
        const opened = await open();
        await fill(opened.config);
        return opened;
      },
    });
  });
}

function openOn(backend: Backend, { readOnly = false, space, namespace }: OpenOptions = {}): OpenedPanel {
  const config = new OpenedConfig(
    {
      ...backend.makePlace(),
      space: {
        agents: { guide: { sharedNamespaces: ['org:docs'] } },
        pools: { 'org:docs': { readers: ['*'], writers: ['*'] } },
        ...space,
      },
      conversations: { fullSessionMemory: true },
    },
    { path: 'the test', namespace },
  );
  return { config, client: new Client(createPanel(config, { readOnly, onError: (error) => console.error(error) })) };
}

async function fill(config: OpenedConfig): Promise<void> {
  const space = await config.space();
  for (const id of ['alice', 'a*']) {
    const scope = space.as({ principal: { id }, agent: 'guide' });
    await scope.memory.put({ id: 'seat', content: `${id} prefers aisle seats`, metadata: { topic: 'travel' } });
    await scope.memory.put({
      id: 'tea',
      content: `${id} drinks green tea`,
      metadata: { topic: 'food' },
      source: { speaker: 'user', kind: 'fact', conversation: `of ${id}` },
    });
    await scope.pool('org:docs').put({ id: `by ${id}`, content: `A document of ${id}` });
    await scope.session('s1').addItems([{ role: 'user', content: `hello from ${id}` }]);
    const conversations = await config.conversations();
    const handle = conversations.for('agent', { sessionId: `chat of ${id}`, userId: id });
    await handle.save({ status: 'completed', items: [{ role: 'user', content: `chat of ${id}` }] });
    await handle.save({ status: 'paused', items: [], pauseReason: 'approval', checkpoint: { step: 1 } });
  }
}
