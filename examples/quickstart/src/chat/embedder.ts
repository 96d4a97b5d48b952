import type { Embedder } from '@keepsake/core';
import { reasonOf } from './terminal.ts';

const OLLAMA = { url: 'http://127.0.0.1:11434/v1', model: 'nomic-embed-text' };
const OPENAI_MODEL = 'text-embedding-3-small';
const DEADLINE_MS = 60_000;

interface EmbeddingResponse {
  readonly data?: readonly { readonly index: number; readonly embedding: readonly number[] }[];
  readonly error?: { readonly message?: string } | string | null;
}

/** Where an embedder is. */
export interface EmbedderAddress {
  /** `ollama`, or the URL of a server with OpenAI's Embeddings API, such as `https://api.openai.com/v1`. */
  readonly server: string;
  /** @default `nomic-embed-text` for Ollama, otherwise `text-embedding-3-small` */
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
}

/**
 * An embedder on Ollama or another server with OpenAI's Embeddings API. Embeds a word to learn the length of its vectors.
 *
 * @throws Error that says what is wrong with the server or the model.
 */
export async function openEmbedder({ server, model, apiKey }: EmbedderAddress): Promise<Embedder> {
  const isOllama = server === 'ollama';
  const url = isOllama ? OLLAMA.url : server;
  if (!URL.canParse(url) || !/^https?:/u.test(url)) {
    throw new Error(`The embedder must be "ollama" or a URL such as https://api.openai.com/v1, not "${server}".`);
  }
  const name = model ?? (isOllama ? OLLAMA.model : OPENAI_MODEL);
  const request = {
    url: `${url.replace(/\/+$/u, '')}/embeddings`,
    model: name,
    advice: isOllama
      ? { unreachable: 'Start Ollama: ollama serve', unknownModel: `Get the model: ollama pull ${name}` }
      : { unreachable: 'Start it, or correct its URL.', unknownModel: 'Choose another with --embedding-model.' },
    headers: { 'content-type': 'application/json', ...(apiKey && !isOllama && { authorization: `Bearer ${apiKey}` }) },
  };
  const [{ length: dimensions = 0 } = []] = await embed(request, ['word']);
  return {
    id: `${name}:${dimensions}`,
    dimensions,
    embed: async (texts, { signal } = {}) =>
      (await embed(request, texts, signal)).map((vector) => Float32Array.from(vector)),
  };
}

interface EmbeddingRequest {
  readonly url: string;
  readonly model: string;
  /** What to do if there is no such server, or no such model on it. */
  readonly advice: { readonly unreachable: string; readonly unknownModel: string };
  readonly headers: Readonly<Record<string, string>>;
}

async function embed(
  { url, model, advice, headers }: EmbeddingRequest,
  input: readonly string[],
  signal?: AbortSignal,
): Promise<(readonly number[])[]> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model, input }),
    signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
  }).catch((error: Error) => {
    throw new Error(`The embedder at ${url} can't be reached (${reasonOf(error)}). ${advice.unreachable}`);
  });
  const { data, error } = ((await response.json().catch(() => undefined)) ?? {}) as EmbeddingResponse;
  if (!response.ok || error || data?.length !== input.length) {
    const reason = (typeof error === 'string' ? error : error?.message) ?? response.statusText;
    const help = response.status === 404 ? `${/[.!]$/u.test(reason) ? '' : '.'} ${advice.unknownModel}` : '';
    throw new Error(`The embedder at ${url} answered ${response.status}: ${reason}${help}`);
  }
  return data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
}
