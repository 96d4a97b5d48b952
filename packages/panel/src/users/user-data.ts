import type { UserErasure } from '@keepsake/conversations';
import { formatNamespace } from '@keepsake/core';
import type { ErasureReceipt } from '@keepsake/namespaces';
import { answer } from '../http/answers.ts';
import { flag, invalid, oneOfElse, readFields, readQuery, requiredText } from '../http/fields.ts';
import type { PanelParts } from '../panel-parts.ts';
import type { ErasedCounts, ErasureReceipt as ShownReceipt, UserDetail, UserPlace } from '../protocol.ts';

const PRINCIPAL = { id: requiredText(256), type: oneOfElse('user', 'service') } as const;

/** What belongs to a user: exactly what erasing them would remove. */
export async function getUser({ config }: PanelParts, query: URLSearchParams): Promise<UserDetail> {
  const { id, type, shared } = readQuery(query, { ...PRINCIPAL, shared: flag });
  const space = await config.space();
  const receipt = await space.eraseUser({ id, type }, { dryRun: true, sharedEntries: shared });
  return { principal: receipt.principal, counts: countsOf(receipt), places: placesOf(receipt) };
}

/** Everything of a user as JSON lines, written as they are read. */
export async function exportUser({ config }: PanelParts, query: URLSearchParams): Promise<Response> {
  const { id, type } = readQuery(query, PRINCIPAL);
  const lines = (await config.space()).exportUser({ id, type });
  // The first line is a header, so a user who can't be exported is an error and not a broken file.
  const first = await lines.next();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(first.value ?? '')),
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
  return answer(body, 200, {
    'content-type': 'application/x-ndjson; charset=utf-8',
    'content-disposition': `attachment; filename="export.jsonl"; filename*=UTF-8''${encodeURIComponent(fileName(id))}`,
  });
}

export async function eraseUser({ config, tree, sessionOwners }: PanelParts, body: object): Promise<ShownReceipt> {
  const { id, type, shared, confirm } = readFields(body, { ...PRINCIPAL, shared: flag, confirm: requiredText(256) });
  if (confirm !== id) throw invalid('To erase this user, type their id exactly.');
  try {
    const receipt = await (await config.space()).eraseUser({ id, type }, { sharedEntries: shared });
    const { principal, completedAt } = receipt;
    return { principal, counts: countsOf(receipt), places: placesOf(receipt), completedAt, receipt };
  } finally {
    tree.forget();
    sessionOwners.forget();
  }
}

function countsOf(receipt: ErasureReceipt): ErasedCounts {
  const { memories, outboxRecords, sharedEntries, damagedEntries, unidentified, sessions, sessionItems } = receipt;
  // Only users have conversations.
  const conversations = receipt.userData.conversations as UserErasure | undefined;
  return {
    memories,
    outboxRecords,
    sharedEntries,
    damagedEntries,
    unidentified,
    sessions,
    sessionItems,
    conversations: conversations?.sessions ?? 0,
    runs: conversations?.runs ?? 0,
    profiles: conversations?.profiles ?? 0,
  };
}

function placesOf({ namespaces }: ErasureReceipt): UserPlace[] {
  return namespaces.map(({ namespace, kind, recordCount }) => ({
    namespace: formatNamespace(namespace),
    kind,
    recordCount,
  }));
}

/** A name that is a file in every system. */
function fileName(id: string): string {
  return `keepsake-${id.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80)}.jsonl`;
}
