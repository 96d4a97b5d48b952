import { isMemoryError, type MemoryModel } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { damageRecords } from '@keepsake/testing/fuzz/damaged-records';
import { mutateJson, mutateJsonText } from '@keepsake/testing/fuzz/json';
import { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { ConversationMemory, type RunInput } from '../../src/index.ts';

const ALICE = { sessionId: 's', userId: 'alice' };
const RUN: RunInput = {
  runId: 'r1',
  status: 'completed',
  items: [
    { role: 'user', content: 'I am Alice, and I live in Ghent.' },
    { role: 'assistant', content: 'Hello Alice.' },
  ],
  output: { text: 'Hello' },
  checkpoint: { step: 1 },
  usage: { inputTokens: 1 },
};
const ANSWER = { summary: 'Alice lives in Ghent.', profile: { name: 'Alice' }, name: 'Alice', goals: ['Rest'] };

function memoryOn(store: InMemoryStore, model: MemoryModel): ConversationMemory {
  return new ConversationMemory({
    store,
    model,
    fullSessionMemory: true,
    summaryMemory: true,
    userAnalysisMemory: true,
  });
}

const modelOf = (answer: object) => ({ generate: async () => answer as never });
const goodModel = modelOf({ text: JSON.stringify(ANSWER) });

async function readAll(lines: AsyncIterable<string>): Promise<void> {
  for await (const _ of lines);
}

/** Passes on what is no answer of a memory to damage or bad input. */
function unlessRefused(error: unknown): void {
  if (!isMemoryError(error) || error.cause instanceof TypeError) throw error;
}

export const damagedRecords = fuzzTarget({
  inputs: 300,
  input: (random) => random.whole(2 ** 31),
  async run(seed) {
    const store = new InMemoryStore({ name: 'runs' });
    const written = memoryOn(store, goodModel).for('agent', ALICE);
    await written.save(RUN);
    await written.setMetadata({ topic: 'home' });
    await damageRecords(new Random(seed), store);
    const memory = memoryOn(store, goodModel);
    const handle = memory.for('agent', ALICE);
    const uses = [
      () => handle.prepare(),
      () => handle.getMessages(3),
      () => handle.loadRun('r1'),
      () => handle.getSession(),
      () => handle.userMemory?.get(),
      () => memory.listSessions(),
      () => handle.save({ ...RUN, runId: 'r2' }),
      () => readAll(memory.exportUser('alice')),
      () => memory.eraseUser('alice'),
    ];
    for (const use of uses) await use()?.catch(unlessRefused);
  },
});

export const modelAnswers = fuzzTarget({
  inputs: 300,
  input: (random) => {
    const [text, object] = [mutateJsonText(random, [ANSWER]), mutateJson(random, ANSWER)];
    return random.chance(0.5) ? { text } : (mutateJson(random, { text, object }) as object);
  },
  async run(answer) {
    const handle = memoryOn(new InMemoryStore({ name: 'runs' }), modelOf(answer)).for('agent', ALICE);
    const { errors } = await handle.save(RUN);
    await handle.prepare();
    await handle.userMemory?.get();
    for (const { error } of errors) unlessRefused(error);
  },
});

export const runs = fuzzTarget({
  inputs: 500,
  input: (random) => mutateJson(random, RUN) as RunInput,
  async run(run) {
    const handle = memoryOn(new InMemoryStore({ name: 'runs' }), goodModel).for('agent', ALICE);
    const { errors } = await handle.save(run);
    await handle.prepare();
    await handle.loadRun('r1');
    for (const { error } of errors) unlessRefused(error);
  },
});
