import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { type PrismaLike, PrismaSessionStore, PrismaStore } from '@keepsake/prisma';

/**
 * A web app with memory for its users: `POST /alice` says something, `GET /alice` shows the conversation, and `DELETE /alice`
 * deletes everything about her. Any number of processes can run it on one database.
 */
export function createApp(prisma: PrismaLike): Server {
  const sessions = new PrismaSessionStore({ prisma });
  const users = new PrismaStore({ prisma, name: 'facts', namespace: ['u'] });

  /** Answers a user from the user's own facts. Remembers statements as facts. */
  async function say(user: string, said: string): Promise<string> {
    const facts = users.within([user]);
    const [known] = await facts.search(said, { maxSearchResults: 1 });
    const isQuestion = said.endsWith('?');
    if (!isQuestion) await facts.add(said);
    const reply = isQuestion ? (known ? `You said: ${known.content}` : 'I know nothing about that.') : 'Noted.';
    await sessions.open(user).addItems([
      { role: 'user', content: said },
      { role: 'assistant', content: reply },
    ]);
    return reply;
  }

  async function answer(method: string | undefined, user: string, body: string): Promise<string> {
    if (method === 'POST') return say(user, body);
    if (method === 'DELETE') {
      await sessions.delete(user);
      const count = await users.within([user]).clear({ descendants: true });
      return `Removed ${count} ${count === 1 ? 'fact' : 'facts'}.`;
    }
    const items = await sessions.open(user).getItems(20);
    return items.map(({ role, content }) => `${role}: ${content}`).join('\n');
  }

  return createServer(async (request, response) => {
    try {
      const user = decodeURIComponent((request.url ?? '/').slice(1));
      const body = await text(request);
      if (request.method === 'POST' && body.trim() === '') {
        response.writeHead(400).end('Send a message as the body.');
      } else {
        response.end(await answer(request.method, user, body));
      }
    } catch (error) {
      response.statusCode = 500;
      response.end(String(error));
    }
  });
}
