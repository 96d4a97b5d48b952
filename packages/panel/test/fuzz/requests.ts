import { OpenedConfig } from '@keepsake/config';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { mutateJsonText } from '@keepsake/testing/fuzz/json';
import type { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { mutateText } from '@keepsake/testing/fuzz/text';
import { createPanel } from '../../src/index.ts';
import { CSRF_HEADER, PATHS, type Status } from '../../src/protocol.ts';
import { CHANGES, READS } from '../../src/routes.ts';
import { timelineItem } from '../../src/sessions/timeline.ts';

/** Values that some request has, so that mutated ones get past the first check. */
const FIELDS: Readonly<Record<string, string>> = {
  namespace: 'agent:guide:u:alice',
  parent: 'agent:guide',
  id: 'seat',
  search: 'aisle seats',
  question: 'Which seat?',
  descendants: 'true',
  limit: '10',
  cursor: 'eyJ',
  asOf: '2026-05-03T09:12:00.000Z',
  metadataField: 'topic',
  metadataValue: '"travel"',
  user: 'alice',
  agent: 'guide',
  kind: 'agent',
  sessionId: 'chat',
  runId: 'run',
  position: '0',
  offset: '5',
  type: 'user',
  shared: 'true',
};

const BODIES: readonly object[] = [
  { namespace: 'agent:guide:u:alice', id: 'seat', ifVersion: 1, content: 'x', metadata: { a: 1 }, keepVersion: true },
  { namespace: '', id: 'seat', ifVersion: 1, buried: true },
  { namespace: '', id: 'seat', ifVersion: 1, versionId: 'seat' },
  { select: { namespace: '', descendants: true, search: 'tea', from: '2026-01-01' } },
  { records: [{ namespace: '', id: 'seat', version: 1 }] },
  { token: 'token' },
  { id: 'alice', type: 'user', shared: true, confirm: 'alice' },
];

interface Input {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

const opened = (async () => {
  const [memory, sessions] = [new InMemoryStore({ name: 'memory' }), new InMemorySessionStore()];
  const config = new OpenedConfig(
    { memory: () => memory, sessions: () => sessions, space: { agents: { guide: {} } } },
    { path: 'the fuzzer' },
  );
  const errors: unknown[] = [];
  const panel = createPanel(config, { onError: (error) => errors.push(error) });
  const status = await panel.fetch(new Request(`http://localhost/${PATHS.status}`));
  const { csrfToken } = (await status.json()) as Status;
  return { memory, panel, errors, csrfToken: csrfToken as string };
})();

/** Requests of all paths. Whatever they are, the answer is JSON, and no code of the panel fails. */
export const requests = fuzzTarget<Input>({
  inputs: 500,
  input: inputOf,
  async run({ method, path, body }) {
    const { memory, panel, errors, csrfToken } = await opened;
    await memory.within(['agent', 'guide', 'u', 'alice']).put({ id: 'seat', content: 'aisle seats' });
    const headers = { 'content-type': 'application/json', [CSRF_HEADER]: csrfToken };
    const request = new Request(`http://localhost/${path}`, { method, headers, ...(body !== undefined && { body }) });
    const answer = await panel.fetch(request);
    await answer.text();
    if (errors.length > 0) throw errors.shift();
    if (answer.status === 500) throw new Error(`500 for ${method} ${path}`);
  },
});

function inputOf(random: Random): Input {
  if (random.chance(0.4)) {
    const body = mutateJsonText(random, [random.pick(BODIES), ...BODIES]);
    return { method: 'POST', path: random.pick([...CHANGES.keys()]), body };
  }
  const given = Object.entries(FIELDS).filter(() => random.chance(0.15));
  const query = new URLSearchParams(
    given.map(([name, value]) => [name, (random.chance(0.5) ? mutateText(random, value) : value).slice(0, 20_000)]),
  );
  return { method: 'GET', path: `${random.pick([...READS.keys()])}?${query}`, body: undefined };
}

const ITEMS: readonly object[] = [
  { role: 'user', content: 'hello' },
  { role: 'assistant', content: [{ text: 'a' }, { toolUse: { name: 'search', toolUseId: '1', input: { q: 'x' } } }] },
  { role: 'tool', tool_call_id: '1', content: 'found' },
  { role: 'assistant', content: null, tool_calls: [{ id: '1', function: { name: 'search', arguments: '{}' } }] },
  { type: 'function_call', callId: '1', name: 'search', arguments: '{}' },
  { type: 'function_call_result', callId: '1', output: { type: 'text', text: 'found' } },
  { type: 'reasoning', summary: [{ text: 'thinking' }] },
  { role: 'assistant', parts: [{ type: 'tool-search', toolCallId: '1', input: {}, output: { hits: 1 } }] },
];

/** Items of sessions, which any framework has written. */
export const items = fuzzTarget<string>({
  input: (random) => mutateJsonText(random, [random.pick(ITEMS), ...ITEMS]),
  run(text) {
    let item: unknown;
    try {
      item = JSON.parse(text);
    } catch {
      return;
    }
    JSON.stringify(timelineItem(item, 0));
  },
});
