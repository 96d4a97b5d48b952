import type { Route } from '../http/route.ts';
import type { ServiceRequest } from '../http/service.ts';
import { ApiFailure } from './api-failure.ts';
import { freshId, unixTime } from './ids.ts';
import { listPage } from './list-page.ts';

const PURPOSES = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'];

/** The text file types that vector stores accept. */
export const TEXT_FILE = /\.(txt|md|json|html|css|js|ts|py|tex)$/;

export interface StoredFile {
  readonly id: string;
  readonly filename: string;
  readonly purpose: string;
  readonly created_at: number;
  readonly bytes: Buffer;
}

/** The files of an emulator, with listeners for deletions. */
export class Files {
  readonly byId = new Map<string, StoredFile>();
  readonly #deleted: ((id: string) => void)[] = [];

  get(id: string): StoredFile {
    const file = this.byId.get(id);
    if (file === undefined) throw new ApiFailure(404, `No such File object: ${id}`, null, 'id');
    return file;
  }

  onDelete(listener: (id: string) => void): void {
    this.#deleted.push(listener);
  }

  delete(id: string): void {
    this.byId.delete(this.get(id).id);
    for (const listener of this.#deleted) listener(id);
  }
}

/** The Files API. */
export function fileRoutes(files: Files): Route<object | Promise<object>>[] {
  return [
    {
      method: 'POST',
      shape: '/v1/files',
      async answer(request) {
        const { file, purpose } = await readUpload(request);
        const bytes = Buffer.from(await file.arrayBuffer());
        const id = freshId('file');
        const stored = { id, filename: file.name, purpose, created_at: unixTime(), bytes };
        files.byId.set(id, stored);
        return describe(stored);
      },
    },
    {
      method: 'GET',
      shape: '/v1/files',
      answer: (request) => listPage([...files.byId.values()].map(describe), request),
    },
    { method: 'GET', shape: '/v1/files/:id', answer: (_, [id]) => describe(files.get(id ?? '')) },
    {
      method: 'DELETE',
      shape: '/v1/files/:id',
      answer(_, [id = '']) {
        files.delete(id);
        return { id, object: 'file', deleted: true };
      },
    },
  ];
}

async function readUpload({ body, headers }: ServiceRequest): Promise<{ file: File; purpose: string }> {
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) throw new ApiFailure(400, 'Files are uploaded as multipart/form-data.');
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const unknown = [...form.keys()].find((key) => key !== 'file' && key !== 'purpose');
  if (unknown !== undefined)
    throw new ApiFailure(400, `Unknown parameter: '${unknown}'.`, 'unknown_parameter', unknown);
  const [file, purpose] = [form.get('file'), form.get('purpose')];
  if (!(file instanceof File)) {
    throw new ApiFailure(400, "Missing required parameter: 'file'.", 'missing_required_parameter', 'file');
  }
  if (typeof purpose !== 'string' || !PURPOSES.includes(purpose)) {
    throw new ApiFailure(400, `'${purpose}' is not one of ${PURPOSES.join(', ')}`, 'invalid_value', 'purpose');
  }
  if (file.size === 0) throw new ApiFailure(400, 'File is empty.', null, 'file');
  return { file, purpose };
}

function describe({ bytes, ...file }: StoredFile) {
  return { ...file, object: 'file', bytes: bytes.length, status: 'processed', expires_at: null, status_details: null };
}
