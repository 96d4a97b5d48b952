import { createHash } from 'node:crypto';
import { say } from '@keepsake/testing/say';
import type { FileSession, FileSessionStore, FileStore } from '../../src/index.ts';
import { batchOf, type Job, recordId, type TaskName, type TestItem } from './job.ts';
import { afterStep, doRecordStep, doStep, stepOf } from './plan.ts';

interface Sources {
  readonly FileSession: typeof FileSession;
  readonly FileSessionStore: typeof FileSessionStore;
  readonly FileStore: typeof FileStore;
}

/** The tasks of child processes. Each reports `ok` and the change once a change is acknowledged. */
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
  async sameOperation(sources, job) {
    const session = openSession(sources, job);
    const items = batchOf({ ...job, writer: 'all' }, 0);
    const operate = () =>
      session.applyHistoryTransaction({ operationId: 'one', transaction: { type: 'append_items', items } });
    await Promise.all(Array.from({ length: job.times ?? 1 }, operate));
    say('ok');
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
  async keepReading(sources, job) {
    const session = openSession(sources, job);
    await readRepeatedly(job, async () => (await session.getItems()).map((item) => `${recordId(item)} ${item.text}`));
  },
  async followPlan(sources, job) {
    const session = openSession(sources, job);
    for (let n = 0; ; n++) {
      await doStep(session, stepOf(job.plan ?? 'append', String(job.writer), n));
      say('ok', n);
    }
  },
  async useSessions(
    { FileSession, FileSessionStore },
    { directory, writer = '', durability = 'os', times = Infinity },
  ) {
    const store = new FileSessionStore({ directory, durability });
    for (let n = 0; n < times; n++) {
      const sessionId = `s${(n * 7 + n ** 2) % 23}`;
      const session = new FileSession({ directory, durability, sessionId });
      if (n % 11 === 10) await store.delete(sessionId);
      else if (n % 7 === 6) await session.clearSession();
      else if (n % 5 === 4) await session.popItem();
      else await session.addItems([{ writer, n }]);
      say('ok', n);
    }
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
      await store.putMany(records.map((item) => ({ id: recordId(item), content: `heron ${item.writer} ${batch}` })));
      say('ok', batch);
    }
  },
  async clearRecords(sources, job) {
    say('ok', await openStore(sources, job).clear());
  },
  async deleteRecords(sources, job) {
    const store = openStore(sources, job);
    for (const { id } of (await store.list({ limit: 1000 })).items) say('ok', await store.delete(id));
  },
  async keepReadingRecords(sources, job) {
    const store = openStore(sources, job);
    await readRepeatedly(job, async () => {
      const ids: string[] = [];
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const page = await store.list({ order: 'oldest', limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
        ids.push(...page.items.map(({ id }) => id));
        cursor = page.cursor;
      }
      return ids;
    });
  },
  async followRecordPlan(sources, job) {
    const store = openStore(sources, job);
    let items: readonly TestItem[] = [];
    for (let n = 0; ; n++) {
      const step = stepOf(job.plan ?? 'append', String(job.writer), n);
      await doRecordStep(store, items.at(-1), step);
      items = afterStep(items, step);
      say('ok', n);
    }
  },
  async firstUse(sources, job) {
    await Promise.all([
      openSession(sources, job).addItems(batchOf(job, 0)),
      openStore(sources, job).putMany(batchOf(job, 0).map((item) => ({ id: recordId(item), content: 'heron' }))),
    ]);
  },
};

/** Reads until there are `times` entries, and reports the length and a digest of each read. */
async function readRepeatedly({ times = 0 }: Job, read: () => Promise<string[]>): Promise<void> {
  for (let length = 0; length < times; ) {
    const parts = await read();
    length = parts.length;
    say('ok', length, digestOf(parts));
  }
}

/** Equal for the same texts in the same order. */
export function digestOf(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length} ${part}`);
  return hash.digest('hex');
}

function openSession({ FileSession }: Sources, { directory, sessionId = 'chat', durability = 'os' }: Job) {
  return new FileSession<TestItem>({ directory, sessionId, durability });
}

function openStore({ FileStore }: Sources, { directory, durability = 'os' }: Job) {
  return new FileStore({ directory, name: 'memory', durability });
}
