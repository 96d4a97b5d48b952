import { expect, it } from 'vitest';
import {
  type ConversationDetail,
  type ConversationRow,
  PATHS,
  type PageOf,
  type RunDetail,
  type RunRow,
  type SessionRow,
  type SessionTimeline,
  type TextPiece,
} from '../src/protocol.ts';
import { describeOnBackends } from './support/describe-on-backends.ts';

describeOnBackends(({ open, filled }) => {
  it('sessions are listed, and shown from the end', async () => {
    const { config, client } = await filled();
    const sessions = await client.get<PageOf<SessionRow>>(PATHS.sessions);
    expect(sessions.items).toHaveLength(2);
    await (await config.sessions())
      .open('long')
      .addItems(Array.from({ length: 5 }, (_, n) => ({ role: 'user', content: `item ${n}` })));
    const end = await client.get<SessionTimeline>(PATHS.session, { id: 'long', limit: 3 });
    expect(end.items.map(({ content, position }) => [content.text, position])).toEqual([
      ['item 2', 2],
      ['item 3', 1],
      ['item 4', 0],
    ]);
    const rest = await client.get<SessionTimeline>(PATHS.session, { id: 'long', limit: 3, skip: end.nextSkip });
    expect(rest.items.map(({ content }) => content.text)).toEqual(['item 0', 'item 1']);
    expect(rest.nextSkip).toBeUndefined();
    const piece = await client.get<TextPiece>(PATHS.sessionItem, { id: 'long', position: 1 });
    expect(JSON.parse(piece.text)).toEqual({ role: 'user', content: 'item 3' });
    expect((await client.fetchGet(PATHS.sessionItem, { id: 'long', position: 5 })).status).toBe(404);
  });

  it('a very long session says that its oldest items are not shown', async () => {
    const { config, client } = await open();
    const item = { role: 'user', content: 'hello' };
    const session = (await config.sessions()).open('long');
    await session.addItems(Array.from({ length: 10_000 }, () => item));
    const page = (skip: number) => client.get<SessionTimeline>(PATHS.session, { id: 'long', skip, limit: 200 });
    expect(await page(9_600)).toMatchObject({ nextSkip: 9_800 });
    const first = await page(9_800);
    expect([first.items.length, first.nextSkip, first.cutOff]).toEqual([200, undefined, undefined]);
    await session.addItems([item]);
    expect(await page(9_800)).toMatchObject({ cutOff: true });
    expect((await page(9_800)).nextSkip).toBeUndefined();
  });

  it('conversations and runs are listed and shown, with what is needed to resume', async () => {
    const { client } = await filled();
    const { items } = await client.get<PageOf<ConversationRow>>(PATHS.conversations);
    expect(items.map(({ sessionId }) => sessionId).sort()).toEqual(['chat of a*', 'chat of alice']);
    const own = await client.get<PageOf<ConversationRow>>(PATHS.conversations, { user: 'alice' });
    expect(own.items).toMatchObject([{ sessionId: 'chat of alice', userId: 'alice' }]);
    const sessionId = 'chat of alice';
    const detail = await client.get<ConversationDetail>(PATHS.conversation, { sessionId });
    expect(detail.runs.items.map(({ status }) => status)).toEqual(['paused', 'completed']);
    const waiting = await client.get<PageOf<RunRow>>(PATHS.unfinishedRuns, { status: 'paused' });
    expect(waiting.items.map(({ pauseReason }) => pauseReason)).toEqual(['approval', 'approval']);
    const [paused, completed] = detail.runs.items;
    const run = await client.get<RunDetail>(PATHS.run, { sessionId, runId: paused?.runId });
    expect(run.resume).toMatchObject({ resumable: true, checkpoint: { text: expect.stringContaining('step') } });
    const done = await client.get<RunDetail>(PATHS.run, { sessionId, runId: completed?.runId });
    expect(done).toMatchObject({ items: [{ content: { text: sessionId } }], resume: { resumable: false } });
    const item = { sessionId, runId: completed?.runId, position: 0 };
    expect(JSON.parse((await client.get<TextPiece>(PATHS.runItem, item)).text)).toMatchObject({ content: sessionId });
    expect((await client.fetchGet(PATHS.conversation, { sessionId: 'none' })).status).toBe(404);
  });

  it('the sessions of a user are listed among those of many others', async () => {
    const { config, client } = await filled();
    const sessions = await config.sessions();
    for (let other = 0; other < 205; other++) {
      await sessions.open(`of nobody ${other}`).addItems([{ role: 'user', content: 'hello' }]);
    }
    const ofUser = async (query: object) => {
      const { items } = await client.get<PageOf<SessionRow>>(PATHS.sessions, { ...query, limit: 1 });
      return items.map(({ sessionId }) => sessionId);
    };
    const space = await config.space();
    const [own, ...others] = await ofUser({ user: 'alice' });
    expect(space.sessionOwner(own ?? '')).toEqual({ id: 'alice', type: 'user' });
    expect(others).toEqual([]);
    expect(await ofUser({ user: 'alice', prefix: own })).toEqual([own]);
    expect(await ofUser({ user: 'alice', prefix: 'of nobody' })).toEqual([]);
    expect(await ofUser({ user: 'alice', type: 'service' })).toEqual([]);
    expect(await ofUser({ user: 'ali' })).toEqual([]);
  });
});
