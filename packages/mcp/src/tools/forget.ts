import { isMemoryError, MemoryError, type MemoryRecord, type RecordStore } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import { escapeText } from '@keepsake/internal';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { cutAt } from '../text/cut.ts';
import type { PendingForget } from './confirmations.ts';
import { type Answer, addMemoryTool, type ServedMemory } from './memory-tool.ts';
import { QUERY } from './recall.ts';
import { countOf, ID } from './selection.ts';

const MAX_IDS = 50;
const DEFAULT_FOUND = 5;
/** What is shown of a memory, in UTF-16 units: enough to recognise it. */
const MAX_SHOWN = 120;

const OUTPUT = {
  forgotten: z.array(z.object({ id: z.string(), content: z.string().describe('Its beginning') })),
  notFound: z.array(z.string()).describe('Ids of no memory'),
  changed: z.array(z.string()).describe('Ids of memories that changed after the question, and stay'),
  isDeclined: z.boolean().describe('Whether the user said no. Nothing is forgotten then'),
};

const CONFIRMATION = z.object({ confirm: z.boolean().describe('Forget these memories for good') });

/** A memory to delete, in this version if it is given. */
interface Wanted {
  readonly id: string;
  readonly version?: number;
}

export function forgetTool(server: McpServer, memory: ServedMemory): void {
  addMemoryTool(
    server,
    memory,
    {
      name: 'forget',
      title: 'Forget',
      description:
        'Deletes memories for good, with what was known before. Only when the user asks to forget something. Pass ids of recall, or a query: then the user sees what would be deleted, and confirms or declines.',
      does: 'deletes',
      input: {
        ids: z.array(ID).min(1).max(MAX_IDS).optional().describe('The ids of the memories, without asking'),
        query: QUERY.optional().describe('What to forget, in plain words. Asks the user first'),
        limit: countOf(20, DEFAULT_FOUND),
      },
      output: OUTPUT,
    },
    async ({ ids, query, limit = DEFAULT_FOUND }, context) => {
      expect((ids === undefined) !== (query === undefined), 'Pass either `ids` or `query`.');
      if (ids !== undefined)
        return forget(
          memory.store,
          [...new Set(ids)].map((id) => ({ id })),
        );
      const asked = context.mcpReq.requestState<PendingForget>();
      if (asked === undefined) return askToForget(server, memory, { query: query as string, limit }, context);
      expect(asked.query === query, 'The answer is for another query. Call forget again.');
      const answer = inputResponse(context.mcpReq.inputResponses, 'confirm');
      const isConfirmed = answer.kind === 'elicit' && answer.action === 'accept' && answer.content?.confirm === true;
      return isConfirmed
        ? forget(memory.store, asked.memories)
        : { text: DECLINED, json: { ...NOTHING, isDeclined: true } };
    },
  );
}

const DECLINED = 'The user declined. Nothing was forgotten.';
const NOTHING = { forgotten: [], notFound: [], changed: [] };

async function askToForget(
  server: McpServer,
  { store, confirmations }: ServedMemory,
  { query, limit }: { readonly query: string; readonly limit: number },
  context: ServerContext,
): Promise<Answer<typeof OUTPUT> | InputRequiredResult> {
  if (!canAsk(server, context)) {
    const advice = 'Call recall with the query, show the user what it finds, then call forget with the ids.';
    throw new MemoryError('UNSUPPORTED', `This client can't ask the user to confirm. ${advice}`);
  }
  const entries = await store.search(query, { maxSearchResults: limit, signal: context.mcpReq.signal });
  const read = await Promise.all(entries.map(({ id = '' }) => store.get(id)));
  const records = read.filter((record) => record !== undefined);
  if (records.length === 0) return { text: 'Nothing in memory matches.', json: { ...NOTHING, isDeclined: false } };
  const lines = records.map((record) => `- ${shownText(record)}`);
  const count = records.length === 1 ? 'this memory' : `these ${records.length} memories`;
  return inputRequired({
    inputRequests: {
      confirm: inputRequired.elicit({
        mode: 'form',
        message: `Forget ${count} for good?\n${lines.join('\n')}`,
        requestedSchema: CONFIRMATION,
      }),
    },
    requestState: confirmations.open({ query, memories: records.map(({ id, version }) => ({ id, version })) }),
  });
}

/** Whether the client can show a form: by the request in the current protocol, by the handshake in older ones. */
function canAsk(server: McpServer, { mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const ofRequest = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const capabilities = ofRequest ?? server.server.getClientCapabilities();
  const elicitation = capabilities?.elicitation;
  // Without a mode, it means forms.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

async function forget(store: RecordStore, memories: readonly Wanted[]): Promise<Answer<typeof OUTPUT>> {
  const forgotten: MemoryRecord[] = [];
  const notFound: string[] = [];
  const changed: string[] = [];
  for (const { id, version } of memories) {
    const record = await store.get(id);
    try {
      // Checks the version in the same step, because the memory may change at any time.
      if (record !== undefined && (await store.delete(id, { ifVersion: version }))) forgotten.push(record);
      else notFound.push(id);
    } catch (error) {
      if (!isMemoryError(error, 'CONFLICT')) throw error;
      changed.push(id);
    }
  }
  const shown = forgotten.map(({ id, content }) => ({ id, content: cutAt(content, MAX_SHOWN) }));
  const counts = [
    `Forgotten: ${shown.length}.`,
    `Not found: ${notFound.length}.`,
    `Changed meanwhile: ${changed.length}.`,
  ];
  return {
    text: [...counts, ...forgotten.map((record) => `- ${shownText(record)}`)].join('\n'),
    json: { forgotten: shown, notFound, changed, isDeclined: false },
  };
}

/** The beginning of a memory, escaped for people and models. */
function shownText({ content }: MemoryRecord): string {
  const isCut = content.length > MAX_SHOWN;
  return `${escapeText(cutAt(content, MAX_SHOWN))}${isCut ? '…' : ''}`;
}
