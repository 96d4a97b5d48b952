import { LexicalIndex } from '@keepsake/search';
import { z } from 'zod';
import type { Route } from '../http/route.ts';
import type { ServiceRequest } from '../http/service.ts';
import { ApiFailure, notFound } from './api-failure.ts';
import { type Attributes, attributeFilter, passes } from './attribute-filter.ts';
import { type Files, TEXT_FILE } from './files.ts';
import { freshId, unixTime } from './ids.ts';
import { listPage, listQuery } from './list-page.ts';
import { pairs, readBody } from './read-body.ts';

const attributes = pairs(z.union([z.string().max(512), z.number(), z.boolean()])).nullish();
const chunking = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('auto') }),
    z.strictObject({
      type: z.literal('static'),
      static: z
        .strictObject({
          max_chunk_size_tokens: z.number().int().min(100).max(4096),
          chunk_overlap_tokens: z.number().int().min(0),
        })
        .refine((rule) => rule.chunk_overlap_tokens * 2 <= rule.max_chunk_size_tokens, 'overlap above half of a chunk'),
    }),
  ])
  .optional();
const fileBody = z.strictObject({ file_id: z.string(), attributes, chunking_strategy: chunking });
const batchBody = z
  .strictObject({
    file_ids: z.array(z.string()).max(2000).optional(),
    files: z.array(fileBody).max(2000).optional(),
    attributes,
    chunking_strategy: chunking,
  })
  .refine((body) => (body.files === undefined) !== (body.file_ids === undefined), 'either files or file_ids');
const storeBody = z.strictObject({
  name: z.string().optional(),
  description: z.string().optional(),
  file_ids: z.array(z.string()).max(500).optional(),
  metadata: pairs(z.string().max(512)).nullish(),
  chunking_strategy: chunking,
  expires_after: z.strictObject({ anchor: z.literal('last_active_at'), days: z.number().int().min(1) }).optional(),
});
const updateBody = z.strictObject({ attributes: attributes.unwrap() });
const searchBody = z.strictObject({
  query: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  filters: attributeFilter.optional(),
  max_num_results: z.number().int().min(1).max(50).default(10),
  ranking_options: z
    .strictObject({
      ranker: z.enum(['none', 'auto', 'default-2024-11-15']).optional(),
      score_threshold: z.number().min(0).max(1).optional(),
    })
    .optional(),
  rewrite_query: z.boolean().optional(),
});
const filesQuery = z.strictObject({
  ...listQuery,
  filter: z.enum(['in_progress', 'completed', 'failed', 'cancelled']).optional(),
});

type FileBody = z.infer<typeof fileBody>;

/** A file in a vector store. */
interface IndexedFile {
  readonly id: string;
  readonly created_at: number;
  readonly chunking: FileBody['chunking_strategy'];
  readonly filename: string;
  readonly text: string;
  attributes: Attributes | null;
  /** The remaining status requests until it is indexed. */
  pending: number;
  readonly failed: boolean;
}

interface VectorStore {
  readonly id: string;
  readonly name: string;
  readonly metadata: unknown;
  readonly created_at: number;
  readonly files: Map<string, IndexedFile>;
}

/** Undocumented behaviour of vector stores. */
export interface VectorStoreOptions {
  /**
   * How often a file reports `in_progress` before it is indexed and found.
   *
   * @default 1
   */
  readonly indexingPolls?: number;
}

/** Approximate number of characters per token. */
const TOKEN = 4;

/** The Vector Stores API. Ranks with Keepsake's own search; texts without a common word come last, as with vectors. */
export function vectorStoreRoutes(files: Files, { indexingPolls = 1 }: VectorStoreOptions): Route<object>[] {
  const stores = new Map<string, VectorStore>();
  files.onDelete((id) => {
    for (const store of stores.values()) store.files.delete(id);
  });
  const find = (id = ''): VectorStore => {
    const store = stores.get(id);
    if (store === undefined) throw notFound('Vector store', id);
    return store;
  };
  const fileOf = (storeId?: string, fileId = ''): IndexedFile => {
    const file = find(storeId).files.get(fileId);
    if (file === undefined) throw new ApiFailure(404, `No file found with id '${fileId}' in vector store.`);
    return file;
  };
  const attach = (store: VectorStore, body: FileBody): IndexedFile => {
    const { filename, bytes } = files.get(body.file_id);
    if (!TEXT_FILE.test(filename)) {
      throw new ApiFailure(400, 'Files with this extension are not supported for retrieval.', 'unsupported_file');
    }
    const file = {
      id: body.file_id,
      created_at: unixTime(),
      chunking: body.chunking_strategy,
      filename,
      text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
      attributes: body.attributes ?? null,
      pending: indexingPolls,
      failed: bytes.includes('unindexable'),
    };
    store.files.set(file.id, file);
    return file;
  };
  return [
    {
      method: 'POST',
      shape: '/v1/vector_stores',
      answer(request) {
        const { name = '', metadata = {}, file_ids = [], chunking_strategy } = readBody(storeBody, request);
        const store = { id: freshId('vs'), name, metadata, created_at: unixTime(), files: new Map() };
        for (const file_id of file_ids) attach(store, { file_id, chunking_strategy });
        stores.set(store.id, store);
        return describeStore(store);
      },
    },
    {
      method: 'GET',
      shape: '/v1/vector_stores',
      answer: (request) => listPage([...stores.values()].map(describeStore), request),
    },
    { method: 'GET', shape: '/v1/vector_stores/:id', answer: (_, [id]) => describeStore(find(id)) },
    {
      method: 'DELETE',
      shape: '/v1/vector_stores/:id',
      answer(_, [id]) {
        stores.delete(find(id).id);
        return { id, object: 'vector_store.deleted', deleted: true };
      },
    },
    {
      method: 'POST',
      shape: '/v1/vector_stores/:id/files',
      answer(request, [id = '']) {
        return describeFile(id, attach(find(id), readBody(fileBody, request)));
      },
    },
    {
      method: 'GET',
      shape: '/v1/vector_stores/:id/files',
      answer(request, [id = '']) {
        const status = request.query.get('filter');
        const all = [...find(id).files.values()].map((file) => describeFile(id, file));
        return listPage(status === null ? all : all.filter((file) => file.status === status), request, filesQuery);
      },
    },
    {
      method: 'GET',
      shape: '/v1/vector_stores/:id/files/:file',
      answer(_, [id = '', fileId]) {
        const file = fileOf(id, fileId);
        const shown = describeFile(id, file);
        if (file.pending > 0) file.pending--;
        return shown;
      },
    },
    {
      method: 'POST',
      shape: '/v1/vector_stores/:id/files/:file',
      answer(request, [id = '', fileId]) {
        const file = fileOf(id, fileId);
        file.attributes = readBody(updateBody, request).attributes ?? null;
        return describeFile(id, file);
      },
    },
    {
      method: 'DELETE',
      shape: '/v1/vector_stores/:id/files/:file',
      answer(_, [id, fileId]) {
        find(id).files.delete(fileOf(id, fileId).id);
        return { id: fileId, object: 'vector_store.file.deleted', deleted: true };
      },
    },
    {
      method: 'GET',
      shape: '/v1/vector_stores/:id/files/:file/content',
      answer(_, [id, fileId]) {
        const data = [{ type: 'text', text: fileOf(id, fileId).text }];
        return { object: 'vector_store.file_content.page', data, has_more: false, next_page: null };
      },
    },
    {
      method: 'POST',
      shape: '/v1/vector_stores/:id/file_batches',
      answer(request, [id = '']) {
        const body = readBody(batchBody, request);
        const { attributes, chunking_strategy } = body;
        const wanted =
          body.files ?? (body.file_ids ?? []).map((file_id) => ({ file_id, attributes, chunking_strategy }));
        const store = find(id);
        for (const one of wanted) attach(store, one);
        const file_counts = { in_progress: wanted.length, completed: 0, failed: 0, cancelled: 0, total: wanted.length };
        return {
          id: freshId('vsfb'),
          object: 'vector_store.files_batch',
          created_at: unixTime(),
          vector_store_id: id,
          status: 'in_progress',
          file_counts,
        };
      },
    },
    { method: 'POST', shape: '/v1/vector_stores/:id/search', answer: (request, [id]) => search(find(id), request) },
  ];
}

function search(store: VectorStore, request: ServiceRequest) {
  const { query, filters, max_num_results, ranking_options } = readBody(searchBody, request);
  const queries = [query].flat();
  const chunks = [...store.files.values()]
    .filter((file) => statusOf(file) === 'completed')
    .filter((file) => filters === undefined || passes(filters, file.attributes ?? {}))
    .flatMap((file) => cut(file).map((text) => ({ file, text })));
  const scores = scoreOf(
    chunks.map(({ text }) => text),
    queries.join('\n'),
  );
  const data = chunks
    .map(({ file, text }, index) => ({
      file_id: file.id,
      filename: file.filename,
      score: scores[index] ?? 0,
      attributes: file.attributes,
      content: [{ type: 'text', text }],
    }))
    .filter(({ score }) => score >= (ranking_options?.score_threshold ?? 0))
    .sort((a, b) => b.score - a.score)
    .slice(0, max_num_results);
  return {
    object: 'vector_store.search_results.page',
    search_query: queries,
    data,
    has_more: false,
    next_page: null,
  };
}

/** The score of each text, from 0 to 1. */
function scoreOf(texts: readonly string[], query: string): number[] {
  const index = new LexicalIndex();
  const places = new Map(texts.map((text, place) => [index.add(text), place]));
  const scores = texts.map(() => 0);
  for (const { document, score } of index.search(query, { limit: Math.max(1, texts.length) })) {
    scores[places.get(document) as number] = score / (score + 1);
  }
  return scores;
}

/** Splits a text into the chunks of its file. */
function cut({ text, chunking }: IndexedFile): string[] {
  const rule =
    chunking?.type === 'static' ? chunking.static : { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 };
  const size = rule.max_chunk_size_tokens * TOKEN;
  const step = size - rule.chunk_overlap_tokens * TOKEN;
  const chunks = [text.slice(0, size)];
  for (let start = step; start + size - step < text.length; start += step) chunks.push(text.slice(start, start + size));
  return chunks;
}

function statusOf({ pending, failed }: IndexedFile) {
  if (pending > 0) return 'in_progress';
  return failed ? 'failed' : 'completed';
}

function describeFile(storeId: string, file: IndexedFile) {
  const status = statusOf(file);
  return {
    id: file.id,
    object: 'vector_store.file',
    created_at: file.created_at,
    vector_store_id: storeId,
    status,
    usage_bytes: status === 'completed' ? file.text.length : 0,
    last_error: status === 'failed' ? { code: 'invalid_file', message: 'The file could not be parsed.' } : null,
    attributes: file.attributes,
  };
}

function describeStore({ id, name, metadata, created_at, files }: VectorStore) {
  const statuses = [...files.values()].map(statusOf);
  const count = (status: string) => statuses.filter((one) => one === status).length;
  return {
    id,
    object: 'vector_store',
    name,
    metadata,
    created_at,
    last_active_at: created_at,
    status: count('in_progress') > 0 ? 'in_progress' : 'completed',
    usage_bytes: [...files.values()].reduce((sum, { text }) => sum + text.length, 0),
    file_counts: {
      in_progress: count('in_progress'),
      completed: count('completed'),
      failed: count('failed'),
      cancelled: 0,
      total: statuses.length,
    },
  };
}
