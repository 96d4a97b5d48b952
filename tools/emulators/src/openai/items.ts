import { z } from 'zod';
import { freshId } from './ids.ts';

/*
 * The items of conversations and of inputs to the Responses API, as in the types of the published SDK. The API may accept
 * more than it documents; the emulator refuses undocumented fields.
 */

const text = z.string();
const id = z.string().nullish();
const status = z.enum(['in_progress', 'completed', 'incomplete']);
const breakpoint = z.strictObject({ mode: z.literal('explicit'), ttl: z.enum(['30m', '12h']).optional() }).optional();
const caller = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('direct') }),
    z.strictObject({ type: z.literal('program'), caller_id: text }),
  ])
  .nullish();

const inputContent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text, prompt_cache_breakpoint: breakpoint }),
  z.strictObject({
    type: z.literal('input_image'),
    detail: z.enum(['low', 'high', 'auto', 'original']),
    file_id: text.nullish(),
    image_url: text.nullish(),
    prompt_cache_breakpoint: breakpoint,
  }),
  z.strictObject({
    type: z.literal('input_file'),
    detail: z.enum(['auto', 'low', 'high']).optional(),
    file_data: text.optional(),
    file_id: text.nullish(),
    file_url: text.optional(),
    filename: text.optional(),
    prompt_cache_breakpoint: breakpoint,
  }),
]);

const outputContent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('output_text'),
    text,
    annotations: z.array(z.looseObject({ type: text })).default([]),
    logprobs: z.array(z.looseObject({ token: text })).optional(),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: text }),
]);

const message = z.discriminatedUnion('role', [
  z.strictObject({
    type: z.literal('message'),
    role: z.enum(['user', 'system', 'developer']),
    content: z.union([text, z.array(inputContent)]),
    status: status.optional(),
    id: text.optional(),
  }),
  z.strictObject({
    type: z.literal('message'),
    role: z.literal('assistant'),
    content: z.union([text, z.array(outputContent)]),
    status: status.optional(),
    id: text.optional(),
    phase: z.enum(['commentary', 'final_answer']).nullish(),
  }),
]);

/** An item of one type with its specific fields. */
function item<const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.strictObject({ type: z.literal(type), ...shape });
}

const known = [
  message,
  item('function_call', {
    id: text.optional(),
    call_id: text,
    name: text,
    arguments: text,
    status: status.optional(),
    namespace: text.optional(),
    async: z.boolean().optional(),
    caller,
  }),
  item('function_call_output', {
    id,
    call_id: text,
    output: z.union([text, z.array(inputContent)]),
    status: status.nullish(),
    name: text.nullish(),
    namespace: text.nullish(),
    caller,
  }),
  item('reasoning', {
    id: text,
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text })),
    content: z.array(z.strictObject({ type: z.literal('reasoning_text'), text })).optional(),
    encrypted_content: text.nullish(),
    status: status.optional(),
  }),
  item('program', { id: text, call_id: text, code: text, fingerprint: text }),
  item('program_output', { id: text, call_id: text, result: text, status: z.enum(['completed', 'incomplete']) }),
  item('compaction', { id, encrypted_content: text }),
  item('custom_tool_call', {
    id: text.optional(),
    call_id: text,
    name: text,
    input: text,
    async: z.boolean().optional(),
    namespace: text.optional(),
    caller,
  }),
  item('custom_tool_call_output', {
    id,
    call_id: text,
    output: z.union([text, z.array(inputContent)]),
    caller,
  }),
  item('file_search_call', {
    id: text.optional(),
    queries: z.array(text),
    status: text,
    results: z.array(z.looseObject({})).nullish(),
  }),
  item('web_search_call', { id: text.optional(), status: text, action: z.looseObject({ type: text }) }),
  item('code_interpreter_call', {
    id: text.optional(),
    code: text.nullable(),
    container_id: text,
    outputs: z.array(z.looseObject({ type: text })).nullable(),
    status: text,
  }),
  item('image_generation_call', { id: text.optional(), result: text.nullable(), status: text }),
  item('mcp_call', {
    id: text.optional(),
    name: text,
    arguments: text,
    server_label: text,
    approval_request_id: text.nullish(),
    error: z.unknown().optional(),
    output: text.nullish(),
    status: text.optional(),
  }),
  item('mcp_list_tools', {
    id: text.optional(),
    server_label: text,
    tools: z.array(z.looseObject({ name: text })),
    error: text.nullish(),
  }),
  item('mcp_approval_request', { id: text.optional(), name: text, arguments: text, server_label: text }),
  item('mcp_approval_response', { id, approve: z.boolean(), approval_request_id: text, reason: text.nullish() }),
  item('computer_call', {
    id: text.optional(),
    call_id: text,
    status,
    action: z.looseObject({ type: text }).optional(),
    actions: z.array(z.looseObject({ type: text })).optional(),
    pending_safety_checks: z.array(z.looseObject({ id: text })).optional(),
  }),
  item('computer_call_output', {
    id,
    call_id: text,
    output: z.strictObject({
      type: z.literal('computer_screenshot'),
      image_url: text.optional(),
      file_id: text.optional(),
    }),
    status: status.nullish(),
    acknowledged_safety_checks: z.array(z.looseObject({ id: text })).nullish(),
  }),
  item('local_shell_call', {
    id: text.optional(),
    call_id: text,
    action: z.strictObject({
      type: z.literal('exec'),
      command: z.array(text),
      env: z.record(text, text),
      timeout_ms: z.number().nullish(),
      user: text.nullish(),
      working_directory: text.nullish(),
    }),
    status,
  }),
  // Its id is that of its call.
  item('local_shell_call_output', { id: text, output: text, status: status.nullish() }),
  item('shell_call', {
    id,
    call_id: text,
    action: z.strictObject({
      commands: z.array(text),
      max_output_length: z.number().nullish(),
      timeout_ms: z.number().nullish(),
    }),
    caller,
    environment: z.looseObject({ type: text }).nullish(),
    status: status.nullish(),
  }),
  item('shell_call_output', {
    id,
    call_id: text,
    output: z.array(
      z.strictObject({
        stdout: text,
        stderr: text,
        outcome: z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('timeout') }),
          z.strictObject({ type: z.literal('exit'), exit_code: z.number().int() }),
        ]),
      }),
    ),
    max_output_length: z.number().nullish(),
    caller,
    status: status.nullish(),
  }),
  item('apply_patch_call', {
    id,
    call_id: text,
    operation: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('create_file'), path: text, diff: text }),
      z.strictObject({ type: z.literal('update_file'), path: text, diff: text }),
      z.strictObject({ type: z.literal('delete_file'), path: text }),
    ]),
    caller,
    status: z.enum(['in_progress', 'completed']),
  }),
  item('apply_patch_call_output', {
    id,
    call_id: text,
    caller,
    output: text.nullish(),
    status: z.enum(['completed', 'failed']),
  }),
  item('tool_search_call', {
    id,
    arguments: z.unknown(),
    call_id: text.nullish(),
    execution: z.enum(['server', 'client']).optional(),
    status: status.nullish(),
  }),
  item('tool_search_output', {
    id,
    tools: z.array(z.looseObject({ type: text })),
    call_id: text.nullish(),
    execution: z.enum(['server', 'client']).optional(),
    status: status.nullish(),
  }),
  item('additional_tools', { id, role: z.literal('developer'), tools: z.array(z.looseObject({ type: text })) }),
  item('configuration_update', {
    id,
    reasoning: z.strictObject({ effort: text.nullish() }).optional(),
    text: z.strictObject({ format: z.looseObject({ type: text }) }).optional(),
  }),
] as const;

/** An item that a caller can send. A message may omit its type. */
export const inputItem = z.preprocess(
  (value) => {
    const isMessage = typeof value === 'object' && value !== null && 'role' in value && !('type' in value);
    return isMessage ? { type: 'message', ...value } : value;
  },
  z.discriminatedUnion('type', known),
);

export type InputItem = z.infer<typeof inputItem>;

/** An item in a conversation. */
export type StoredItem = { readonly id: string; readonly type: string } & Record<string, unknown>;

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  reasoning: 'rs',
  compaction: 'cmp',
};

/** Types whose default status is `completed`. */
const COMPLETED = ['message', 'function_call', 'function_call_output'];

/** Types whose ids other items refer to, or that refer to another with theirs. */
const KEPT = ['reasoning', 'program', 'program_output', 'mcp_approval_request', 'local_shell_call_output'];

/**
 * Converts an item to its stored form: with a new id unless that has a meaning, its text as a list, and a status.
 */
export function storeItem(input: InputItem): StoredItem {
  const { id: given, content, ...rest } = input as Record<string, unknown> & { type: string };
  const keepsId = KEPT.includes(rest.type) && typeof given === 'string';
  const id = keepsId ? given : freshId(PREFIXES[rest.type] ?? 'item');
  const status = COMPLETED.includes(rest.type) ? { status: 'completed' } : {};
  if (content === undefined) return { id, ...status, ...rest };
  const blocks = typeof content === 'string' ? [contentBlock(content, rest.role)] : content;
  return { id, ...status, ...rest, content: blocks };
}

function contentBlock(text: string, role: unknown) {
  return role === 'assistant' ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text };
}
