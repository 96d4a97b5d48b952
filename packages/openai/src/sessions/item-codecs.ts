import { type JsonObject, type JsonValue, MemoryError } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import type { Codec } from './codec.ts';

/** The error for a value that the API has no form for. */
export function refusal(what: string): MemoryError {
  return new MemoryError(
    'INVALID_ARGUMENT',
    `${what} has no form in the OpenAI API. Remove it, or use another session.`,
  );
}

/** Renames fields, at any depth. */
export function renamed(...names: readonly (readonly [agents: string, api: string])[]): Codec {
  const toApi = new Map(names);
  const toAgents = new Map(names.map(([agents, api]) => [api, agents]));
  return { write: (value) => rename(value, toApi), read: (value) => rename(value, toAgents) };
}

function rename(value: JsonValue, names: ReadonlyMap<string, string>): JsonValue {
  if (Array.isArray(value)) return value.map((one) => rename(one, names));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [names.get(name) ?? name, rename(field, names)]);
  return Object.fromEntries(fields) as JsonObject;
}

/** A list of text blocks that have different types in the Agents SDK and in the API. */
function textList(agents: string, api: string): Codec {
  const convert = (value: JsonValue, type: string) =>
    Array.isArray(value) ? value.map((one) => ({ type, text: isObject(one) ? (one.text ?? '') : '' })) : [];
  return { write: (value) => convert(value, api), read: (value) => convert(value, agents) };
}

export const summary = textList('input_text', 'summary_text');
export const reasoningText = textList('reasoning_text', 'reasoning_text');

/** The content of a message: a string or blocks. */
export const content: Codec = {
  // The API converts a string to a list as well. On reading, a system message is a string again.
  write: (value, what) =>
    Array.isArray(value) ? value.map((block, at) => writeBlock(block, `${what}[${at}]`)) : value,
  read: (value) => (Array.isArray(value) ? value.flatMap(readBlock) : value),
};

/** The output of a function: a string, blocks, or one block in the older form. */
export const functionOutput: Codec = {
  write(value, what) {
    if (typeof value === 'string') return value;
    if (isObject(value) && value.type === 'text') return value.text ?? '';
    const blocks = Array.isArray(value) ? value : [value];
    return blocks.map((block, at) => writeBlock(block, `${what}[${at}]`));
  },
  read: (value) => (Array.isArray(value) ? value.flatMap(readBlock) : value),
};

export const screenshot: Codec = {
  write: (value) => (isObject(value) ? { type: 'computer_screenshot', image_url: value.data ?? '' } : value),
  read: (value) => (isObject(value) ? { type: 'computer_screenshot', data: value.image_url ?? '' } : value),
};

function writeBlock(block: JsonValue, what: string): JsonObject {
  if (!isObject(block)) throw refusal(what);
  const { type, providerData, text } = block;
  const provider = isObject(providerData) ? providerData : {};
  switch (type) {
    case 'input_text':
    case 'text':
      return { type: 'input_text', text: text ?? '', ...cacheBreakpoint(block) };
    case 'output_text': {
      const { annotations = [], logprobs } = provider;
      return { type, text: text ?? '', annotations, ...(logprobs === undefined ? {} : { logprobs }) };
    }
    case 'refusal':
      return { type, refusal: block.refusal ?? '' };
    case 'input_image':
    case 'image':
      return {
        type: 'input_image',
        detail: block.detail ?? 'auto',
        ...writeImage(block, what),
        ...cacheBreakpoint(block),
      };
    case 'input_file':
    case 'file':
      return { type: 'input_file', ...writeFile(block, what), ...cacheBreakpoint(block) };
    default:
      throw refusal(what);
  }
}

function cacheBreakpoint({ promptCacheBreakpoint }: JsonObject): JsonObject {
  return promptCacheBreakpoint === undefined ? {} : { prompt_cache_breakpoint: promptCacheBreakpoint };
}

function writeImage({ image }: JsonObject, what: string): JsonObject {
  if (typeof image === 'string') return { image_url: image };
  if (isObject(image) && typeof image.id === 'string') return { file_id: image.id };
  if (isObject(image) && typeof image.fileId === 'string') return { file_id: image.fileId };
  if (isObject(image) && typeof image.url === 'string') return { image_url: image.url };
  throw refusal(`${what}.image`);
}

function writeFile({ file, filename }: JsonObject, what: string): JsonObject {
  const name = filename === undefined ? {} : { filename };
  if (typeof file === 'string')
    return { ...(file.startsWith('https://') ? { file_url: file } : { file_data: file }), ...name };
  if (isObject(file) && typeof file.id === 'string') return { file_id: file.id, ...name };
  if (isObject(file) && typeof file.url === 'string') return { file_url: file.url, ...name };
  throw refusal(`${what}.file`);
}

function readBlock(block: JsonValue): JsonObject[] {
  if (!isObject(block)) return [];
  const { prompt_cache_breakpoint: cached, ...rest } = withoutNulls(block);
  const promptCacheBreakpoint = cached === undefined ? {} : { promptCacheBreakpoint: cached };
  switch (rest.type) {
    case 'output_text': {
      const { type, text, annotations, logprobs } = rest;
      const providerData = {
        ...(Array.isArray(annotations) && annotations.length > 0 ? { annotations } : {}),
        ...(logprobs === undefined ? {} : { logprobs }),
      };
      return [{ type, text: text ?? '', ...(Object.keys(providerData).length > 0 ? { providerData } : {}) }];
    }
    case 'input_image': {
      const { type, detail, image_url, file_id } = rest;
      const image = image_url ?? { id: file_id ?? '' };
      return [{ type, image, ...(detail === undefined ? {} : { detail }), ...promptCacheBreakpoint }];
    }
    case 'input_file': {
      const { type, file_data, file_url, file_id, filename } = rest;
      const file = file_data ?? (file_url === undefined ? { id: file_id ?? '' } : { url: file_url });
      return [{ type, file, ...(filename === undefined ? {} : { filename }), ...promptCacheBreakpoint }];
    }
    default:
      return [{ ...rest, ...promptCacheBreakpoint }];
  }
}

/** Removes `null` fields, which the API uses for missing values. */
export function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}
