import { isMemoryError, type MemoryErrorCode, type RecordStore, type SessionStore } from '@keepsake/core';
import { givenFields, wellFormedJson } from '@keepsake/internal';
import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type McpServer,
  ProtocolError,
  type ServerContext,
  type ToolAnnotations,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { PendingForget } from './confirmations.ts';

/** What the tools and resources of a server work on. */
export interface ServedMemory {
  readonly store: RecordStore;
  readonly sessions: SessionStore | undefined;
  readonly readOnly: boolean;
  readonly confirmations: { open(pending: PendingForget): string };
  readonly onError: (error: unknown) => void;
}

/** What a tool does to the memory, for the annotations that clients decide by. */
const HINTS = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  deletes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
} as const satisfies Readonly<Record<string, ToolAnnotations>>;

interface ToolDescription<Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly does: keyof typeof HINTS;
  readonly input: Input;
  readonly output: Output;
}

/** A result: the same for people and models as text, and for programs as JSON. */
export interface Answer<Output extends z.ZodRawShape> {
  readonly text: string;
  readonly json: z.input<z.ZodObject<Output>>;
}

/**
 * Registers a tool, unless it writes and the memory is read-only. It refuses unknown fields: a model must not believe that it
 * chose a user. A failure is a result with `isError`, whose text says what to do.
 */
export function addMemoryTool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  server: McpServer,
  { readOnly, onError }: Pick<ServedMemory, 'readOnly' | 'onError'>,
  { name, title, description, does, input, output }: ToolDescription<Input, Output>,
  run: (input: z.output<z.ZodObject<Input>>, context: ServerContext) => Promise<Answer<Output> | InputRequiredResult>,
): void {
  if (readOnly && does !== 'reads') return;
  const schemas = { inputSchema: leniently(input), outputSchema: z.object(output) };
  server.registerTool(name, { title, description, annotations: HINTS[does], ...schemas }, async (fields, context) => {
    try {
      const answer = await run(fields as z.output<z.ZodObject<Input>>, context);
      if (isInputRequiredResult(answer)) return answer;
      return { content: [{ type: 'text', text: answer.text }], structuredContent: wellFormedJson({ ...answer.json }) };
    } catch (error) {
      return failureResult(error, onError);
    }
  });
}

/** The input of a tool, read as {@link givenFields} says. */
function leniently<Input extends z.ZodRawShape>(input: Input) {
  const names = Object.keys(input).join(', ');
  const strict = z.strictObject(input, {
    error: ({ code }) => (code === 'unrecognized_keys' ? `There are only the fields: ${names}.` : undefined),
  });
  const schema = z.toJSONSchema(strict, { io: 'input' });
  return z.preprocess((fields) => givenFields(fields, schema), strict);
}

/** Failures that the caller can do something about. Their messages never contain content. */
const OF_CALLER: readonly MemoryErrorCode[] = ['INVALID_ARGUMENT', 'UNSUPPORTED', 'READ_ONLY', 'CONFLICT', 'TOO_LARGE'];

function failureResult(error: unknown, onError: (error: unknown) => void): CallToolResult {
  if (error instanceof ProtocolError) throw error;
  const isKnown = isMemoryError(error);
  if (!isKnown || !OF_CALLER.includes(error.code)) onError(error);
  const text = isKnown
    ? `${error.code}: ${error.message}`
    : 'The memory failed unexpectedly. See the log of the server.';
  return { content: [{ type: 'text', text }], isError: true };
}
