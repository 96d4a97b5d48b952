import { expect, it } from 'vitest';
import { type Live, PATHS } from '../src/protocol.ts';
import { describeOnSomeBackends } from './support/describe-on-backends.ts';

describeOnSomeBackends(({ filled }) => {
  it('live changes when another writer adds a record', async () => {
    const { config, client } = await filled();
    const namespace = 'agent:guide:u:alice';
    const mark = async () => (await client.get<Live>(PATHS.live, { namespace })).mark;
    const before = await mark();
    expect(await mark()).toBe(before);
    await (await config.memory()).within(['agent', 'guide', 'u', 'a*']).add('of another user');
    expect(await mark()).toBe(before);
    await (await config.memory()).within(['agent', 'guide', 'u', 'alice']).add('new');
    expect(await mark()).not.toBe(before);
  });

  it('live tells of a record on the screen that another writer edits, buries or deletes, in any namespace', async () => {
    const { config, client } = await filled();
    const records = (await config.memory()).within(['agent', 'guide', 'u', 'alice']);
    const seen = JSON.stringify([['agent:guide:u:alice', ['seat', 'tea', 'missing']]]);
    const look = () => client.get<Live>(PATHS.live, { descendants: true, seen });
    const [seat, tea] = [await records.get('seat'), await records.get('tea')];
    const { version, updatedAt } = seat ?? {};
    expect((await look()).seen).toEqual([
      { version, updatedAt },
      expect.objectContaining({ version: tea?.version }),
      null,
    ]);
    const edited = await records.put({ id: 'seat', content: 'Prefers a seat by the window' });
    expect((await look()).seen[0]).toEqual({ version: edited.version, updatedAt: edited.updatedAt });
    const buried = await records.put({ id: 'seat', content: edited.content, index: false });
    expect((await look()).seen[0]).toMatchObject({ version: buried.version });
    await records.delete('seat');
    expect((await look()).seen[0]).toBeNull();
    for (const wrong of ['{', '[1]', '[["a", "b"]]', JSON.stringify([['a', Array.from({ length: 101 }, String)]])]) {
      expect((await client.fetchGet(PATHS.live, { seen: wrong })).status).toBe(400);
    }
  });

  it('live tells of a deletion in one namespace among many records', async () => {
    const { config, client } = await filled();
    const store = (await config.memory()).within(['many']);
    await store.putMany(Array.from({ length: 30 }, (_, index) => ({ id: `r${index}`, content: `record ${index}` })));
    const mark = async () => (await client.get<Live>(PATHS.live, { namespace: 'many' })).mark;
    const before = await mark();
    await store.delete('r0');
    await expect.poll(mark).not.toBe(before);
  });
});
