import { RedisSession } from '@keepsake/redis';
import type { Redis } from 'ioredis';
import { importPeer } from '../peers.ts';
import { converter, type Message, type Messages } from '../sessions/langchain.ts';
import type { Field, SessionKind } from '../sessions/session-kind.ts';
import { inPieces, type Turn, textOf } from '../sessions/turn.ts';

const TTL_MS = 24 * 3_600_000;

/** The kinds of sessions in Redis. They have a name instead of a directory. */
export function sessionKinds(client: Redis): Field {
  return { raw: rawList(client), keepsake: redisSession(client), peers: [langchain(client)] };
}

/** The raw limit: a list and its TTL in one round trip, without a session list or idempotency. */
function rawList(client: Redis): SessionKind {
  return {
    name: 'RPUSH + PEXPIRE',
    async open(name, begin = []) {
      const key = `raw:${name}`;
      const push = (turns: readonly Turn[]) =>
        client
          .pipeline()
          .rpush(key, ...turns.flatMap(({ items }) => items.map((item) => JSON.stringify(item))))
          .pexpire(key, TTL_MS)
          .exec();
      for (const piece of inPieces(begin)) await push(piece);
      return {
        append: async (turn) => void (await push([turn])),
        newest: async (count) => (await client.lrange(key, from(count), -1)).map((item) => textOf(JSON.parse(item))),
      };
    },
  };
}

function redisSession(client: Redis): SessionKind {
  return {
    name: 'RedisSession',
    async open(name, begin = []) {
      const session = new RedisSession({ client, sessionId: name, ttlMs: TTL_MS });
      await session.addItems(begin.flatMap(({ items }) => items));
      return {
        append: ({ items }) => session.addItems(items),
        newest: async (count) => (await session.getItems(count)).map(textOf),
      };
    },
  };
}

interface Module {
  readonly RedisChatMessageHistory: new (options: {
    sessionId: string;
    sessionTTL: number;
    client: Redis;
  }) => {
    addMessages(messages: readonly Message[]): Promise<void>;
    getMessages(): Promise<readonly Message[]>;
  };
}

/** Always reads the whole history. */
function langchain(client: Redis): SessionKind {
  return {
    name: 'RedisChatMessageHistory',
    column: 'LangChain',
    async open(name, begin = []) {
      const { RedisChatMessageHistory }: Module = await importPeer('@langchain/community/stores/message/ioredis');
      const { mapChatMessagesToStoredMessages }: Messages = await importPeer('@langchain/core/messages');
      const toMessages = await converter();
      const sessionId = `langchain:${name}`;
      for (const piece of inPieces(begin)) {
        const stored = mapChatMessagesToStoredMessages(piece.flatMap(toMessages));
        await client.lpush(sessionId, ...stored.map((message) => JSON.stringify(message)));
      }
      const history = new RedisChatMessageHistory({ sessionId, sessionTTL: TTL_MS / 1_000, client });
      return {
        append: (turn) => history.addMessages(toMessages(turn)),
        newest: async (count) => (await history.getMessages()).slice(from(count)).map(({ content }) => String(content)),
      };
    },
  };
}

function from(count: number): number {
  return count === Infinity ? 0 : -count;
}
