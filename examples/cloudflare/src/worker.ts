import { DurableObject } from 'cloudflare:workers';
import { SqliteSession, SqliteStore } from '@keepsake/sqlite';

/** The memory of one user, in a database that nobody else has. */
export class UserMemory extends DurableObject {
  readonly #facts = new SqliteStore({ database: this.ctx.storage, name: 'facts' });
  readonly #chat = new SqliteSession({ database: this.ctx.storage, sessionId: 'chat' });

  async remember(fact: string): Promise<void> {
    await this.#facts.add(fact);
  }

  async recall(query: string): Promise<string[]> {
    return (await this.#facts.search(query)).map(({ content }) => content);
  }

  async say(text: string): Promise<void> {
    await this.#chat.addItems([{ role: 'user', content: text }]);
  }

  async history(): Promise<object[]> {
    return this.#chat.getItems(20);
  }

  async forgetEverything(): Promise<void> {
    await this.#facts.clear();
    await this.#chat.clearSession();
  }
}

interface Environment {
  readonly USERS: {
    getByName(user: string): Pick<UserMemory, 'remember' | 'recall' | 'say' | 'history' | 'forgetEverything'>;
  };
}

export default {
  async fetch(request: Request, { USERS }: Environment): Promise<Response> {
    // Your login says who the user is: never take it from what a client sends.
    const user = request.headers.get('x-user');
    if (user === null) return new Response('Who are you?', { status: 401 });
    const memory = USERS.getByName(user);
    const { pathname, searchParams } = new URL(request.url);
    switch (`${request.method} ${pathname}`) {
      case 'POST /facts':
        await memory.remember(await request.text());
        return new Response(null, { status: 204 });
      case 'GET /facts':
        return Response.json(await memory.recall(searchParams.get('q') ?? ''));
      case 'POST /chat':
        await memory.say(await request.text());
        return new Response(null, { status: 204 });
      case 'GET /chat':
        return Response.json(await memory.history());
      case 'DELETE /':
        await memory.forgetEverything();
        return new Response(null, { status: 204 });
      default:
        return new Response('Not found', { status: 404 });
    }
  },
};
