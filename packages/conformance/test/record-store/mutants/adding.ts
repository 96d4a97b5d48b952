import { isMemoryError, type JsonObject, type MemoryRecord, type Message } from '@keepsake/core';
import { contentId, MessageRecorder } from '@keepsake/core/adapter';
import { referenceStore } from '../reference.ts';
import { common, instead, type Mutants, omit } from './mutant.ts';

const addIsPut = instead('add', (_, store) => async (content, metadata = {}) => {
  return store.put({ id: await contentId(content), content, metadata });
});

export const addingMutants: Mutants = {
  'add returns the stored record, which get and search return too': instead('add', (real) => async (text, data) => {
    return { ...(await real(text, data)), metadata: {} };
  }),
  'add of the same text and metadata again changes nothing': addIsPut,
  'add without metadata can be retried too': addIsPut,
  'add of the same text with other metadata replaces the metadata': instead('add', (real, store) => async (text, m) => {
    return (await store.get(await contentId(text))) ?? real(text, m);
  }),
  'adding texts that differ in a character, case or Unicode form creates separate records': instead(
    'add',
    (_, store) =>
      (content, metadata = {}) =>
        store.put({ id: content.trim().normalize('NFC').toLowerCase().replaceAll('\0', ''), content, metadata }),
  ),
  'concurrent adds of the same text leave one record, put once': common.racy,
  'a text that was deleted can be added again': instead('add', (real) => {
    const seen = new Map<string, MemoryRecord>();
    return async (content, metadata) => {
      const record = seen.get(content) ?? (await real(content, metadata));
      seen.set(content, record);
      return record;
    };
  }),
  'adding a text in two namespaces creates two records': instead('add', (_, __, { tree }) => {
    return referenceStore(tree, [], {}).add;
  }),
  'add refuses what put refuses, and writes nothing': instead('add', (real) => (content, metadata?: JsonObject) => {
    return real(content, metadata).catch(() => real(content));
  }),
};

/** The text of all blocks of any kind. */
function inJson({ role, content }: Message): Message {
  return { role, content: typeof content === 'string' ? content : JSON.stringify(content) };
}

export const messageMutants: Mutants = {
  'addMessages stores each message with its turn, in order': { replace: (next) => omit(next, 'turn') },
  'addMessages keeps the name of a speaker and the time of a message': instead(
    'addMessages',
    (real) => (messages, context) =>
      real(
        messages.map(({ role, content }) => ({ role, content })),
        context,
      ),
  ),
  'messages are created in their order': instead('addMessages', (_, store) => (messages, context) => {
    const putMany: typeof store.putMany = async (inputs) => (await store.putMany(inputs.toReversed())).toReversed();
    return new MessageRecorder().add({ get: store.get, putMany }, messages, context);
  }),
  'the thread of a turn defaults to the run': {
    prepare: (input) => (input.turn === undefined ? input : { ...input, turn: { ...input.turn, thread: 'default' } }),
  },
  'a retry with the same run and sequence numbers leaves one record each': instead(
    'addMessages',
    (real) => (messages) => real(messages),
  ),
  'a retry that overlaps adds only what is new': instead('addMessages', (real) => (messages, context) => {
    return real(messages, { ...context, sequenceNumbers: messages.map((_, index) => index) });
  }),
  'the same words in two runs, or under two numbers of one run, are separate records': instead(
    'addMessages',
    (_, store) => (messages) => Promise.all(messages.map(({ content }) => store.add(String(content)))),
  ),
  'without a run, a retry with the same sequence numbers leaves one record each': instead(
    'addMessages',
    (real) => (messages, context) => real(messages, { runId: crypto.randomUUID(), ...context }),
  ),
  'without a run, repeated sequence numbers with other words begin a new run and overwrite nothing': instead(
    'addMessages',
    (real) => (messages, context) => real(messages, { runId: 'run', ...context }),
  ),
  'without sequence numbers, every call adds again': instead('addMessages', (real) => (messages, context) => {
    return real(messages, { runId: 'run', sequenceNumbers: messages.map((_, index) => index), ...context });
  }),
  'missing, too few or non-increasing sequence numbers are refused, and nothing is written': instead(
    'addMessages',
    (real) => (messages, context) => real(messages, context).catch(() => real(messages)),
  ),
  'an invalid message is refused, and nothing is written': instead(
    'addMessages',
    (real) => (messages, context) => real(messages, context).catch(() => []),
  ),
  'a message that is too large is refused with its whole batch': instead('addMessages', (real) => async (messages) => {
    const written = [];
    for (const message of messages) written.push(...(await real([message])));
    return written;
  }),
  'the text of messages with blocks is stored; messages with only tools, or blank, are skipped': instead(
    'addMessages',
    (real) => (messages, context) => real(messages.map(inJson), context),
  ),
  'messages without text write nothing': instead(
    'addMessages',
    (real) => (messages, context) => real(messages.map(inJson), context),
  ),
  'one run in two namespaces is two runs': instead('addMessages', (_, __, { tree }) => {
    return referenceStore(tree, [], {}).addMessages;
  }),
};

const MIB = 1024 * 1024;

/** A common way to copy an object, where an assignment to `__proto__` sets the prototype. */
function naiveCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(naiveCopy) as T;
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) copy[name] = naiveCopy(field);
  return copy as T;
}

export const contentMutants: Mutants = {
  'any text comes back unchanged from get and search, to the last character': {
    prepare: (input) => ({ ...input, content: input.content.trim() }),
  },
  'any text comes back from a batch and from add': {
    prepare: (input) => ({ ...input, content: input.content.toWellFormed() }),
  },
  'text in any script is stored, and finds itself': { words: (text) => text.match(/[a-z]+/gi) ?? [] },
  'content of 1 MiB fits, counted in bytes of UTF-8': instead('put', (real) => (input, options) => {
    const content = input.content.length > MIB / 3 ? 'x'.repeat(MIB + 1) : input.content;
    return real({ ...input, content }, options);
  }),
  'content over 1 MiB is too large, counted in bytes of UTF-8, and nothing is written': instead('put', (real) => {
    return (input, options) =>
      real(input, options).catch((error: unknown) => {
        if (isMemoryError(error, 'TOO_LARGE') && input.content.length <= MIB) return real({ content: 'x' });
        throw error;
      });
  }),
  'content that is blank or not a string is refused': instead('put', (real) => (input, options) => {
    return real(input, options).catch(() => real({ ...input, content: 'heron' }));
  }),
};

export const jsonMutants: Mutants = {
  'any JSON metadata comes back unchanged': {
    prepare: (input) => ({
      ...input,
      metadata: JSON.parse(JSON.stringify(input.metadata, (_, value) => value ?? undefined)),
    }),
  },
  'field names come back unchanged, whatever they contain': {
    prepare: (input) => {
      const fields = Object.entries(input.metadata).map(([name, value]) => [name.replaceAll('.', '_'), value]);
      return { ...input, metadata: Object.fromEntries(fields) };
    },
  },
  'a field named __proto__ or constructor comes back as an own field, and pollutes nothing': { copy: naiveCopy },
  'a field that is undefined is left out, and -0 is stored as 0': {
    prepare: (input) => ({
      ...input,
      metadata: Object.fromEntries(Object.entries(input.metadata).map(([name, v]) => [name, v === 0 ? -0 : v])),
    }),
  },
  'values that JSON would silently change are refused': instead('put', (real) => (input, options) => {
    return real(input, options).catch(() => real(omit(input, 'metadata'), options));
  }),
  'the refusal of a value has the path to it, without names of metadata': instead('put', (real) => (input, options) => {
    return real(input, options).catch((error: unknown) => {
      if (error instanceof Error) error.message = 'The metadata cannot be stored.';
      throw error;
    });
  }),
  'metadata that is not a plain object is refused': instead('put', (real) => (input, options) => {
    return real({ ...input, metadata: { ...input.metadata } }, options);
  }),
  'metadata can nest 500 levels deep': instead('put', (real) => (input, options) => {
    const deep = JSON.stringify(input.metadata).includes('{'.repeat(100).split('').join('"in":'));
    return real(deep ? { ...input, metadata: {} } : input, options);
  }),
  'metadata of 64 KiB as JSON, counted in bytes of UTF-8, fits; one byte more is too large': instead('put', (real) => {
    return (input, options) => real(input, options).catch(() => real(omit(input, 'metadata'), options));
  }),
};
