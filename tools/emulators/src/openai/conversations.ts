import { z } from 'zod';
import type { Route } from '../http/route.ts';
import { ApiFailure, notFound } from './api-failure.ts';
import { freshId, unixTime } from './ids.ts';
import { inputItem, type StoredItem, storeItem } from './items.ts';
import { listPage, listQuery } from './list-page.ts';
import { pairs, readBody } from './read-body.ts';

/** The maximum number of items per request. */
const MAX_ITEMS = 20;

const metadata = pairs(z.string().max(512)).nullish();
const items = z.array(inputItem).max(MAX_ITEMS);
const createBody = z.strictObject({ items: items.nullish(), metadata });
const updateBody = z.strictObject({ metadata: metadata.unwrap() });
const addBody = z.strictObject({ items, include: z.array(z.string()).optional() });
const itemsQuery = z.strictObject({ ...listQuery, include: z.string().optional(), 'include[]': z.string().optional() });

interface Conversation {
  readonly id: string;
  readonly created_at: number;
  metadata: unknown;
  items: StoredItem[];
}

/** Undocumented behaviour of conversations. */
export interface ConversationOptions {
  /** Omits the ids of listed items of these types, as the API once did for some. `first_id` and `last_id` stay. */
  readonly hideIdsOf?: readonly string[];
}

/** The Conversations API. */
export function conversationRoutes(options: ConversationOptions): Route<object>[] {
  const conversations = new Map<string, Conversation>();
  const find = (id: string | undefined): Conversation => {
    const conversation = conversations.get(id ?? '');
    if (conversation === undefined) throw notFound('Conversation', id ?? '');
    return conversation;
  };
  const indexOf = (conversation: Conversation, itemId = ''): number => {
    const index = conversation.items.findIndex(({ id }) => id === itemId);
    if (index === -1) throw notFound('Item', itemId);
    return index;
  };
  const shown = (item: StoredItem): StoredItem => {
    if (!options.hideIdsOf?.includes(item.type)) return item;
    const { id, ...rest } = item;
    return rest as StoredItem;
  };
  return [
    {
      method: 'POST',
      shape: '/v1/conversations',
      answer(request) {
        const body = readBody(createBody, request);
        const id = freshId('conv');
        const stored = (body.items ?? []).map(storeItem);
        const conversation = { id, created_at: unixTime(), metadata: body.metadata ?? {}, items: stored };
        conversations.set(id, conversation);
        return describe(conversation);
      },
    },
    { method: 'GET', shape: '/v1/conversations/:id', answer: (_, [id]) => describe(find(id)) },
    {
      method: 'POST',
      shape: '/v1/conversations/:id',
      answer(request, [id]) {
        const conversation = find(id);
        conversation.metadata = readBody(updateBody, request).metadata ?? {};
        return describe(conversation);
      },
    },
    {
      method: 'DELETE',
      shape: '/v1/conversations/:id',
      answer(_, [id]) {
        conversations.delete(find(id).id);
        return { id, object: 'conversation.deleted', deleted: true };
      },
    },
    {
      method: 'GET',
      shape: '/v1/conversations/:id/items',
      answer(request, [id]) {
        const page = listPage(find(id).items, request, itemsQuery);
        return { ...page, data: page.data.map(shown) };
      },
    },
    {
      method: 'POST',
      shape: '/v1/conversations/:id/items',
      answer(request, [id]) {
        const conversation = find(id);
        const data = readBody(addBody, request).items.map(storeItem);
        const clash = data.find((item) => conversation.items.some((known) => known.id === item.id));
        if (clash !== undefined) throw new ApiFailure(400, `Duplicate item found with id ${clash.id}.`, null, 'items');
        conversation.items.push(...data);
        return {
          object: 'list',
          data: data.map(shown),
          first_id: data[0]?.id,
          last_id: data.at(-1)?.id,
          has_more: false,
        };
      },
    },
    {
      method: 'GET',
      shape: '/v1/conversations/:id/items/:item',
      answer(_, [id, itemId]) {
        const conversation = find(id);
        return conversation.items[indexOf(conversation, itemId)] as StoredItem;
      },
    },
    {
      method: 'DELETE',
      shape: '/v1/conversations/:id/items/:item',
      answer(_, [id, itemId]) {
        const conversation = find(id);
        conversation.items.splice(indexOf(conversation, itemId), 1);
        return describe(conversation);
      },
    },
  ];
}

function describe({ id, created_at, metadata }: Conversation) {
  return { id, object: 'conversation', created_at, metadata };
}
