import type { FileSession, FileSessionStore, FileStore } from '../../src/index.ts';
import { batchOf, type Job, say, type TaskName, type TestItem } from './job.ts';

interface Sources {
  readonly FileSession: typeof FileSession;
  readonly FileSessionStore: typeof FileSessionStore;
  readonly FileStore: typeof FileStore;
}

/** What child processes do. Each says `ok` once a change is acknowledged, with what it was. */
export const tasks: Record<TaskName, (sources: Sources, job: Job) => Promise<void>> = {
  async append(sources, job) {
    const session = openSession(sources, job);
    for (let batch = 0; batch < (job.times ?? 1); batch++) {
      await session.addItems(batchOf(job, batch));
      say('ok', batch);
    }
  },
  async transact(sources, job) {
    const session = openSession(sources, job);
    for (let batch = 0; batch < (job.times ?? 1); batch++) {
      const items = batchOf(job, batch);
      await session.applyHistoryTransaction({
        operationId: `${job.writer} ${batch}`,
        transaction: { type: 'append_items', items },
      });
      say('ok', batch);
    }
  },
  async pop(sources, job) {
    const session = openSession(sources, job);
    for (let item = await session.popItem(); item !== undefined; item = await session.popItem()) {
      say('ok', item.batch, item.index);
    }
  },
  async clear(sources, job) {
    await openSession(sources, job).clearSession();
    say('ok');
  },
  async delete({ FileSessionStore }, { directory, sessionId = 'chat', durability = 'os' }) {
    say('ok', await new FileSessionStore({ directory, durability }).delete(sessionId));
  },
  async increment(sources, job) {
    const store = openStore(sources, job);
    for (let done = 0; done < (job.times ?? 1); ) {
      const before = await store.get('counter');
      const content = String(Number(before?.content ?? 0) + 1);
      try {
        await store.put({ id: 'counter', content }, { ifVersion: before?.version ?? 0 });
        say('ok', content);
        done++;
      } catch (error) {
        if ((error as { code?: string }).code !== 'CONFLICT') throw error;
      }
    }
  },
  async putMany(sources, job) {
    const store = openStore(sources, job);
    for (let batch = 0; batch < (job.times ?? 1); batch++) {
      const records = batchOf(job, batch);
      await store.putMany(
        records.map(({ writer, index }) => ({
          id: `${writer} ${batch} ${index}`,
          content: `heron ${writer} ${batch}`,
        })),
      );
      say('ok', batch);
    }
  },
  async deleteRecords(sources, job) {
    const store = openStore(sources, job);
    for (const { id } of (await store.list({ limit: 1000 })).items) say('ok', await store.delete(id));
  },
};

function openSession({ FileSession }: Sources, { directory, sessionId = 'chat', durability = 'os' }: Job) {
  return new FileSession<TestItem>({ directory, sessionId, durability });
}

function openStore({ FileStore }: Sources, { directory, durability = 'os' }: Job) {
  return new FileStore({ directory, name: 'memory', durability });
}
