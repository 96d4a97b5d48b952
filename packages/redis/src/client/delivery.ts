import type { RedisClient } from './redis-client.ts';

/**
 * How often a command may have reached a server: `unsent` never; `once` at most once, so that its reply is the whole truth;
 * `resent` if it may have been sent again, after a link broke before the reply.
 */
export type Delivery = 'unsent' | 'once' | 'resent';

/** How often the links of a client have broken, and how often the client became ready. */
interface LinkCounts {
  breaks: number;
  ready: number;
}

const counts = new WeakMap<RedisClient, LinkCounts>();

/** Call it before a command is sent. Returns what tells about the delivery once the command has failed. */
export function watchDelivery(client: RedisClient): () => Delivery {
  const links = linksOf(client);
  if (links === undefined) return () => 'resent';
  const { breaks, ready } = links;
  const wasReady = client.status === 'ready';
  return () => {
    if (!wasReady && links.ready === ready) return 'unsent';
    return links.breaks === breaks ? 'once' : 'resent';
  };
}

/** Whether a client was closed by its owner, or has given up reconnecting. */
export function hasEnded(client: RedisClient): boolean {
  return client.status === 'end';
}

function linksOf(client: RedisClient): LinkCounts | undefined {
  const knownLinks = counts.get(client);
  if (knownLinks !== undefined || typeof client.on !== 'function') return knownLinks;
  const links = { breaks: 0, ready: 0 };
  counts.set(client, links);
  const onBreak = () => void links.breaks++;
  client.on('close', onBreak);
  // Of a cluster, when the link to one node ends.
  client.on('-node', onBreak);
  client.on('ready', () => void links.ready++);
  return links;
}
