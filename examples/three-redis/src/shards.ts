import { createHash } from 'node:crypto';
import type { RecordStore, SessionStore } from '@keepsake/core';
import { RedisSessionStore, RedisStore } from '@keepsake/redis';
import type { Redis } from 'ioredis';

/** A Redis server. Its name stays the same when its address changes. */
export interface Server {
  readonly name: string;
  readonly client: Redis;
}

/** The memory of one tenant. */
export interface Tenant {
  readonly name: string;
  readonly server: Server;
  readonly store: RecordStore;
  readonly sessions: SessionStore;
}

/**
 * The server of a tenant: the one with the highest hash of both names (rendezvous hashing). Every process finds the same
 * one without asking, and a new server gets its share from all others.
 */
export function serverOf(tenant: string, servers: readonly Server[]): Server {
  const scored = servers.map((server) => ({ server, score: scoreOf(tenant, server.name) }));
  return scored.reduce((best, other) => (other.score > best.score ? other : best)).server;
}

/** The memory of a tenant, on the server given. */
export function openTenant(name: string, server: Server): Tenant {
  const { client } = server;
  const keyPrefix = `keepsake:${encodeURIComponent(name)}:`;
  return {
    name,
    server,
    store: new RedisStore({ client, keyPrefix, name: 'facts', namespace: ['tenant', name] }),
    sessions: new RedisSessionStore({ client, keyPrefix }),
  };
}

function scoreOf(tenant: string, server: string): string {
  return createHash('sha256')
    .update(JSON.stringify([tenant, server]))
    .digest('hex');
}
