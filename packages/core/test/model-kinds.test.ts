import { historyOfKinds, type ModelHistory } from '@keepsake/testing/model-histories';
import type { AgentInputItem } from '@openai/agents';
import type { ContentBlockData } from '@strands-agents/sdk';
import type { ResponseInputItem, ResponseOutputItem } from 'openai/resources/responses/responses';
import { expect, it } from 'vitest';

/*
 * Generated histories have each kind of item that the installed SDKs know. One that a new version of an SDK adds is a type error
 * here, until the generator has it or a reason says why not.
 */

type TypeOf<Item> = Item extends { readonly type?: infer Type } ? NonNullable<Type> : never;
type KeyOf<Block> = Block extends object ? Extract<keyof Block, string> : never;

/** Why no history has a kind. */
type Reasons<Kind extends string> = Readonly<Record<Kind, 'generated' | `not kept: ${string}`>>;

const responses: Reasons<TypeOf<ResponseInputItem | ResponseOutputItem>> = {
  message: 'generated',
  reasoning: 'generated',
  function_call: 'generated',
  function_call_output: 'generated',
  custom_tool_call: 'generated',
  custom_tool_call_output: 'generated',
  computer_call: 'generated',
  computer_call_output: 'generated',
  local_shell_call: 'generated',
  local_shell_call_output: 'generated',
  shell_call: 'generated',
  shell_call_output: 'generated',
  apply_patch_call: 'generated',
  apply_patch_call_output: 'generated',
  tool_search_call: 'generated',
  tool_search_output: 'generated',
  web_search_call: 'generated',
  file_search_call: 'generated',
  code_interpreter_call: 'generated',
  image_generation_call: 'generated',
  mcp_list_tools: 'generated',
  mcp_call: 'generated',
  mcp_approval_request: 'generated',
  mcp_approval_response: 'generated',
  program: 'generated',
  program_output: 'generated',
  compaction: 'generated',
  additional_tools: 'generated',
  configuration_update: 'generated',
  item_reference: 'not kept: it names an item that only the service has',
  compaction_trigger: 'not kept: it ends one request',
};

const agents: Reasons<TypeOf<AgentInputItem>> = {
  message: 'generated',
  reasoning: 'generated',
  function_call: 'generated',
  function_call_result: 'generated',
  computer_call: 'generated',
  computer_call_result: 'generated',
  shell_call: 'generated',
  shell_call_output: 'generated',
  apply_patch_call: 'generated',
  apply_patch_call_output: 'generated',
  tool_search_call: 'generated',
  tool_search_output: 'generated',
  hosted_tool_call: 'generated',
  program: 'generated',
  program_output: 'generated',
  compaction: 'generated',
  unknown: 'generated',
};

const strands: Reasons<KeyOf<ContentBlockData>> = {
  text: 'generated',
  toolUse: 'generated',
  toolResult: 'generated',
  reasoning: 'generated',
  cachePoint: 'generated',
  guardContent: 'generated',
  audio: 'generated',
  image: 'generated',
  video: 'generated',
  document: 'generated',
  citations: 'generated',
};

const typesOf = ({ items }: ModelHistory) => (items as readonly { type: string }[]).map(({ type }) => type);
const blocksOf = ({ items }: ModelHistory) =>
  (items as readonly { content: object[] }[]).flatMap(({ content }) => content.flatMap(Object.keys));

it.each([
  ['responses', responses, typesOf],
  ['agents', agents, typesOf],
  ['strands', strands, blocksOf],
] as const)('histories of %s have each kind that its SDK knows', (format, reasons, kindsOf) => {
  const generated = Object.entries(reasons).flatMap(([kind, reason]) => (reason === 'generated' ? [kind] : []));
  expect([...new Set(kindsOf(historyOfKinds(format)))].sort()).toEqual(generated.sort());
});
