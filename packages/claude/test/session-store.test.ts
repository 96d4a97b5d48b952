import { foldSessionSummary, InMemorySessionStore } from '@anthropic-ai/claude-agent-sdk';
import type { RecordStore } from '@keepsake/core';
import type { Place } from '@keepsake/suites/stores/backends';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeepsakeSessionStore, type TranscriptEntry } from '../src/index.ts';
import { backends, optionsOn } from './support/backends.ts';
import { says, titled } from './support/entries.ts';

for (const backend of backends) {
  describe(`KeepsakeSessionStore on ${backend.name}`, optionsOn(backend), () => {
    let running: Awaited<ReturnType<typeof backend.start>>;
    beforeAll(async () => {
      running = await backend.start();
    });
    afterAll(() => running.stop());

    const openAt = (place: Place) => new KeepsakeSessionStore({ store: place.open(), foldSessionSummary });
    const open = () => openAt(running.makePlace());
    const key = { projectKey: '-home-alice-app', sessionId: '5f2f3c0e-0000-4000-8000-000000000001' };
    const agent = (id: string) => ({ ...key, subpath: `subagents/agent-${id}` });

    it('entries come back deeply equal, in the order of the appends, in another instance too', async () => {
      const place = running.makePlace();
      const store = openAt(place);
      const entries = Array.from({ length: 250 }, (_, n) => says(n));
      for (let from = 0; from < 250; from += 60) await store.append(key, entries.slice(from, from + 60));
      expect(await store.load(key)).toEqual(entries);
      expect(await openAt(place).load(key)).toEqual(entries);
    });

    it('a transcript that was never written is null, and appending nothing writes nothing', async () => {
      const store = open();
      await store.append(key, []);
      expect(await store.load(key)).toBeNull();
      expect(await store.load(agent('a'))).toBeNull();
      expect(await store.listSessions(key.projectKey)).toEqual([]);
      expect(await store.listSessionSummaries(key.projectKey)).toEqual([]);
      expect(await store.listSubkeys(key)).toEqual([]);
      await store.delete(key);
    });

    it('an append that is repeated, in part or by another instance, adds no entry twice', async () => {
      const place = running.makePlace();
      const [one, two] = [openAt(place), openAt(place)];
      await one.append(key, [says(1), says(2)]);
      await two.append(key, [says(1), says(2)]);
      await two.append(key, [says(2), says(3)]);
      await one.append(agent('a'), [says(4)]);
      await two.append(agent('a'), [says(4)]);
      expect(await one.load(key)).toEqual([says(1), says(2), says(3)]);
      expect(await one.load(agent('a'))).toEqual([says(4)]);
    });

    it('deleting takes its place among the appends, in the order of the calls', async () => {
      const store = open();
      await Promise.all([store.append(key, [says(1)]), store.delete(key), store.append(key, [says(2)])]);
      expect(await store.load(key)).toEqual([says(2)]);
    });

    it('entries are stored as they were when they were appended', async () => {
      const store = open();
      const entry = titled('One');
      const appended = store.append(key, [entry]);
      Object.assign(entry, titled('Two'));
      await appended;
      expect(await store.load(key)).toEqual([titled('One')]);
      expect(JSON.stringify(await store.listSessionSummaries(key.projectKey))).toMatch(/"One"/);
    });

    it('a uuid twice in one batch is one entry, with its last content', async () => {
      const store = open();
      await store.append(key, [says(1), says(2), { ...says(1), note: 'edited' }]);
      expect(await store.load(key)).toEqual([{ ...says(1), note: 'edited' }, says(2)]);
      expect(await store.load({ ...key, sessionId: 'other' })).toBeNull();
    });

    it('entries without a uuid are appended each time', async () => {
      const store = open();
      await store.append(key, [titled('One'), titled('One')]);
      await store.append(key, [titled('One'), { type: 'mode', uuid: '' }, { type: 'mode', uuid: '' }]);
      expect(await store.load(key)).toHaveLength(5);
    });

    it('any JSON comes back, also what is larger than a record', async () => {
      const store = open();
      const hostile: TranscriptEntry[] = [
        { type: 'a', uuid: 'x'.repeat(1_000), text: '\0 \ud800 \u2028 😀 \ufeff' },
        JSON.parse(
          '{"type":"b","uuid":"\\ud800","__proto__":{"x":1},"constructor":[null,[],{},-0.5,9007199254740993]}',
        ),
        { type: 'c', uuid: 'c', image: 'é'.repeat(600_000), tail: '😀'.repeat(300_001) },
        { type: 'd', uuid: 'd', blank: ' '.repeat(1_100_000) },
        { type: 'e', uuid: 'a*/..%:', nested: { deep: [1, [2, [3]]] } },
      ];
      await store.append(key, hostile);
      const shorter = hostile.filter(({ type }) => type !== 'd');
      await store.append(agent('a'), shorter);
      expect(await store.load(key)).toEqual(hostile);
      expect(await store.load(agent('a'))).toEqual(shorter);
      await store.append(key, [{ type: 'c', uuid: 'c', image: 'small' }]);
      expect((await store.load(key))?.[2]).toEqual({ type: 'c', uuid: 'c', image: 'small' });
      await expect(store.append(key, [says(1), { type: 'bad', at: new Date() }])).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
      expect(await store.load(key)).toHaveLength(5);
    });

    it('what is passed in or returned is never shared with the store', async () => {
      const store = open();
      const entry = { type: 'user', uuid: 'u', message: { text: 'before' } };
      const appending = store.append(key, [entry]);
      entry.message.text = 'after';
      await appending;
      const loaded = await store.load(key);
      expect(loaded).toEqual([{ type: 'user', uuid: 'u', message: { text: 'before' } }]);
      (loaded as TranscriptEntry[]).length = 0;
      expect(await store.load(key)).toHaveLength(1);
    });

    it('subpaths are transcripts of their own, whatever their names', async () => {
      const store = open();
      const subpaths = ['subagents/agent-1', 'subagents/agent-10', 'subagents', 'main', 'a*', '..', 'a:b', 'a%2Fb'];
      await store.append(key, [says(0)]);
      for (const [n, subpath] of subpaths.entries()) await store.append({ ...key, subpath }, [says(n + 1)]);
      expect((await store.listSubkeys(key)).sort()).toEqual([...subpaths].sort());
      expect(await store.load(key)).toEqual([says(0)]);
      for (const [n, subpath] of subpaths.entries())
        expect(await store.load({ ...key, subpath })).toEqual([says(n + 1)]);
      expect(await store.listSubkeys({ ...key, sessionId: 'other' })).toEqual([]);
      await expect(store.append({ ...key, subpath: '' }, [says(1)])).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      });
    });

    it('deleting a session deletes its subagents; deleting a subpath deletes only that', async () => {
      const store = open();
      const other = { ...key, sessionId: `${key.sessionId}0` };
      for (const one of [key, agent('a'), agent('b'), other]) await store.append(one, [says(1)]);
      await store.delete(agent('a'));
      expect(await store.listSubkeys(key)).toEqual(['subagents/agent-b']);
      expect(await store.load(key)).toHaveLength(1);
      await store.delete(key);
      expect(await store.load(key)).toBeNull();
      expect(await store.load(agent('b'))).toBeNull();
      expect(await store.listSubkeys(key)).toEqual([]);
      expect((await store.listSessions(key.projectKey)).map(({ sessionId }) => sessionId)).toEqual([other.sessionId]);
      await store.append(key, [says(2)]);
      expect(await store.load(key)).toEqual([says(2)]);
      expect(await store.listSessionSummaries(key.projectKey)).toHaveLength(2);
    });

    it('projects and sessions see nothing of one another', async () => {
      const store = open();
      const keys = ['a', 'a*', 'a:b', '../a', 'a/b'].flatMap((projectKey) =>
        ['s', 's*', 's:t', 'main', 'a'].map((sessionId) => ({ projectKey, sessionId })),
      );
      await Promise.all(keys.map((one, n) => store.append(one, [says(n)])));
      for (const [n, one] of keys.entries()) expect(await store.load(one)).toEqual([says(n)]);
      for (const projectKey of ['a', 'a*', 'a:b', '../a', 'a/b']) {
        const ids = (await store.listSessions(projectKey)).map(({ sessionId }) => sessionId).sort();
        expect(ids).toEqual(['a', 'main', 's', 's*', 's:t']);
      }
      expect(await store.listSessions('b')).toEqual([]);
    });

    it('keys that are marks in namespaces are escaped, so that none belongs to a user, and come back as they were', async () => {
      const place = running.makePlace();
      const store = openAt(place);
      const marks = ['u', 's', 'o', 'keepsake-outbox'];
      const names = [...marks, '%u', '%%u', 'user', 'alice'].sort();
      const keys = names.flatMap((projectKey) => names.map((sessionId) => ({ projectKey, sessionId })));
      await Promise.all(keys.map((one, n) => store.append(one, [says(n)])));
      const session = { projectKey: 'user', sessionId: 'u' };
      for (const [n, subpath] of names.entries()) await store.append({ ...session, subpath }, [says(n)]);

      const stored = (await place.open().namespaces({ limit: 1_000 })).items.flatMap(({ namespace }) => namespace);
      expect(marks.filter((mark) => stored.includes(mark))).toEqual([]);
      const reopened = openAt(place);
      for (const [n, one] of keys.entries()) expect(await reopened.load(one)).toEqual([says(n)]);
      for (const projectKey of names) {
        const ids = (await reopened.listSessions(projectKey)).map(({ sessionId }) => sessionId);
        expect(ids.sort()).toEqual(names);
      }
      expect((await reopened.listSubkeys(session)).sort()).toEqual(names);
      expect(await reopened.load({ ...session, subpath: 'user' })).toEqual([says(names.indexOf('user'))]);

      await reopened.delete({ ...session, subpath: 'user' });
      expect((await reopened.listSubkeys(session)).sort()).toEqual(names.filter((name) => name !== 'user'));
      await reopened.delete(session);
      expect(await reopened.listSubkeys(session)).toEqual([]);
      const left = await Promise.all(names.map(async (one) => (await reopened.listSessions(one)).length));
      expect(left).toEqual(names.map((one) => names.length - (one === 'user' ? 1 : 0)));
    });

    it('what others stored below a mark or a session is not listed', async () => {
      const place = running.makePlace();
      const store = openAt(place);
      await store.append({ projectKey: 'project', sessionId: 's1' }, [says(1)]);
      const { items } = await place.open().namespaces();
      const ofSession = items.find(({ namespace }) => namespace.includes('s1'))?.namespace ?? [];
      const ofUser = ofSession.map((segment) => (segment === 's1' ? 'u' : segment));
      await place.open().within(ofUser).put({ content: 'A memory of a user.' });
      await place
        .open()
        .within([...ofSession, 'u', 'alice'])
        .put({ content: 'A memory of a user.' });

      expect((await store.listSessions('project')).map(({ sessionId }) => sessionId)).toEqual(['s1']);
    });

    it('sessions are listed with whole milliseconds that rise with each append, and only by their own transcript', async () => {
      const store = open();
      await store.append(agent('a'), [says(1)]);
      expect(await store.listSessions(key.projectKey)).toEqual([]);
      const before = Date.now();
      const times: number[] = [];
      for (let n = 0; n < 5; n++) {
        await store.append(key, [says(n)]);
        const [listed, ...more] = await store.listSessions(key.projectKey);
        expect(more).toEqual([]);
        expect(listed?.sessionId).toBe(key.sessionId);
        times.push(listed?.mtime ?? 0);
      }
      expect(times.every(Number.isSafeInteger)).toBe(true);
      expect([...new Set(times)].sort()).toEqual(times);
      expect(times[0]).toBeGreaterThanOrEqual(before);
      await store.append(agent('a'), [says(9)]);
      expect((await store.listSessions(key.projectKey))[0]?.mtime).toBe(times.at(-1));
    });

    it('summaries are what the SDK folds from all entries, at the time that sessions are listed with', async () => {
      const store = open();
      const on = (n: number, gitBranch: string) => ({ ...says(n), gitBranch });
      // The last append repeats an entry, whose branch is not the latest for that.
      const batches = [[on(1, 'one'), titled('One')], [on(2, 'two')], [titled('Two'), says(3)], [on(1, 'one')]];
      for (const batch of batches) await store.append(key, batch);
      const [listed] = await store.listSessions(key.projectKey);
      const mtime = listed?.mtime ?? 0;
      const all = (await store.load(key)) ?? [];
      expect(await store.listSessionSummaries(key.projectKey)).toEqual([
        foldSessionSummary(undefined, key, all, { mtime }),
      ]);
      expect(await store.listSessionSummaries(key.projectKey)).toMatchObject([
        { data: { customTitle: 'Two', gitBranch: 'two' } },
      ]);
    });

    it('four instances that append at once lose no entry and no part of the summary', async () => {
      const place = running.makePlace();
      await Promise.all(
        [0, 1, 2, 3].map(async (writer) => {
          const store = openAt(place);
          for (let n = 0; n < 10; n++) {
            await store.append(key, [says(writer * 100 + n), { type: 'tag', tag: `${writer} ${n}` }]);
          }
        }),
      );
      const store = openAt(place);
      const all = (await store.load(key)) ?? [];
      expect(all).toHaveLength(80);
      for (const writer of [0, 1, 2, 3]) {
        const own = all.filter(({ uuid }) => uuid !== undefined && Math.floor(Number(uuid.slice(-4)) / 100) === writer);
        expect(own).toEqual(Array.from({ length: 10 }, (_, n) => says(writer * 100 + n)));
      }
      const [summary] = await store.listSessionSummaries(key.projectKey);
      expect(summary?.data).toEqual(foldSessionSummary(undefined, key, all, { mtime: 0 }).data);
    });

    it('appends of one instance that are not awaited are stored in the order of the calls', async () => {
      const store = open();
      const entries = Array.from({ length: 30 }, (_, n) => says(n));
      await Promise.all(entries.map((entry) => store.append(key, [entry])));
      expect(await store.load(key)).toEqual(entries);
    });

    it('an append that fails stores nothing, can be repeated, and does not fail the next one', async () => {
      const place = running.makePlace();
      let failures = 2;
      const store = new KeepsakeSessionStore({
        store: failingPuts(place.open(), () => failures-- > 0),
        foldSessionSummary,
      });
      await expect(store.append(key, [says(1), says(2)])).rejects.toThrow('injected');
      expect(await store.load(key)).toBeNull();
      const failed = store.append(key, [says(3)]);
      const next = store.append(key, [says(1), says(2)]);
      await expect(failed).rejects.toThrow('injected');
      await next;
      expect(await store.load(key)).toEqual([says(1), says(2)]);
    });

    it('does what the in-memory store of the SDK does in generated histories', async () => {
      const someKey = fc.record({
        projectKey: fc.constantFrom('p', 'q'),
        sessionId: fc.constantFrom('s', 't'),
        subpath: fc.option(fc.constantFrom('subagents/agent-1', 'subagents/agent-2'), { nil: undefined, freq: 2 }),
      });
      const command = fc.oneof(
        { weight: 4, arbitrary: fc.tuple(fc.constant('append'), someKey, fc.integer({ min: 1, max: 4 })) },
        { weight: 1, arbitrary: fc.tuple(fc.constant('delete'), someKey, fc.constant(0)) },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 20 }), async (commands) => {
          const [ours, theirs] = [open(), new InMemorySessionStore()];
          let next = 0;
          for (const [what, { subpath, ...session }, count] of commands) {
            const one = subpath === undefined ? session : { ...session, subpath };
            // The store of the SDK keeps duplicates, so that each entry is new here.
            const entries = Array.from({ length: count }, () => (++next % 3 === 0 ? titled(`${next}`) : says(next)));
            for (const store of [ours, theirs]) {
              if (what === 'append') await store.append(one, entries);
              else await store.delete(one);
            }
          }
          for (const projectKey of ['p', 'q', 'r']) {
            const seen = async (store: InMemorySessionStore | KeepsakeSessionStore) => {
              const ids = (await store.listSessions(projectKey)).map(({ sessionId }) => sessionId).sort();
              const summaries = (await store.listSessionSummaries(projectKey)).map(({ sessionId, data }) => [
                sessionId,
                data,
              ]);
              const transcripts = await Promise.all(
                ['s', 't'].map(async (sessionId) => {
                  const subpaths = (await store.listSubkeys({ projectKey, sessionId })).sort();
                  const load = (subpath?: string) =>
                    store.load(subpath === undefined ? { projectKey, sessionId } : { projectKey, sessionId, subpath });
                  return [subpaths, await load(), await Promise.all(subpaths.map(load))];
                }),
              );
              return { ids, summaries: summaries.sort(), transcripts };
            };
            expect(await seen(ours)).toEqual(await seen(theirs));
          }
        }),
        { numRuns: rounds(40, 5) },
      );
    });
  });
}

/** A store whose batches fail, at any depth. */
function failingPuts(store: RecordStore, isFailing: () => boolean): RecordStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'within')
        return (...args: Parameters<RecordStore['within']>) => failingPuts(target.within(...args), isFailing);
      if (name === 'putMany' && isFailing()) return () => Promise.reject(new Error('injected'));
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
