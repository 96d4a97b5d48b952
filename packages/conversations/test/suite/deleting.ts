import { expect, it } from 'vitest';
import { ConversationMemory } from '../../src/index.ts';
import { heldStore } from '../support/held-store.ts';
import { turn } from '../support/items.ts';
import { openMemory, type Suite } from './suite.ts';

const options = { fullSessionMemory: true };

export function deletingCases(suite: Suite): void {
  it('a run that is saved while its session is deleted is deleted too, and other users cannot find it', async () => {
    const place = suite.backend.makePlace();
    const memory = openMemory(suite, options, place);
    const ofRun = heldStore(place.open(), 'put', 'runs');
    const ofSession = heldStore(place.open(), 'delete', 'sessions');
    const key = { sessionId: 's', userId: 'alice' };
    const saving = new ConversationMemory({ ...options, store: ofRun.store }).for('agent', key).save(turn('mine', 'r'));
    await ofRun.reached;
    const deleting = new ConversationMemory({ ...options, store: ofSession.store }).for('agent', key).deleteSession();
    await ofSession.reached;
    ofRun.release();
    expect((await saving).stored).toBe(true);
    ofSession.release();
    expect(await deleting).toBe(true);
    expect(await memory.for('agent', key).loadRun('r')).toBeUndefined();
    const bob = memory.for('agent', { sessionId: 's', userId: 'bob' });
    await bob.save(turn('other'));
    expect(await bob.getMessages()).toEqual(turn('other').items);
  });

  it('a run is refused if its session was deleted and now belongs to another user', async () => {
    const place = suite.backend.makePlace();
    const memory = openMemory(suite, options, place);
    const held = heldStore(place.open(), 'put', 'runs');
    const alice = new ConversationMemory({ ...options, store: held.store }).for('agent', {
      sessionId: 's',
      userId: 'alice',
    });
    const saving = alice.save(turn('mine'));
    await held.reached;
    await memory.for('agent', { sessionId: 's', allUsers: true }).deleteSession();
    const bob = memory.for('agent', { sessionId: 's', userId: 'bob' });
    await bob.setMetadata({ topic: 'other' });
    held.release();
    await expect(saving).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await bob.getMessages()).toEqual([]);
  });

  it('a session that is created again while it is deleted is listed for its user', async () => {
    const place = suite.backend.makePlace();
    const memory = openMemory(suite, options, place);
    const held = heldStore(place.open(), 'delete', 'users');
    const alice = memory.for('agent', { sessionId: 's', userId: 'alice' });
    await alice.save(turn('one'));
    const deleting = new ConversationMemory({ ...options, store: held.store })
      .for('agent', { sessionId: 's', userId: 'alice' })
      .deleteSession();
    await held.reached;
    await alice.save(turn('two'));
    held.release();
    expect(await deleting).toBe(true);
    expect((await alice.listSessions()).items).toHaveLength(1);
    expect(await alice.getMessages()).toEqual(turn('two').items);
  });
}
