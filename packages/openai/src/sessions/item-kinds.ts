import type { Codec } from './codec.ts';
import { content, functionOutput, reasoningText, renamed, screenshot, summary } from './item-codecs.ts';

/** A field: its name in the OpenAI Agents SDK, its name in the API, and its codec. */
type Field = readonly [agents: string, api: string, codec?: Codec];

/** A kind of item, in the OpenAI Agents SDK and in the API. */
export interface Kind {
  /** The `type` in the OpenAI Agents SDK. */
  readonly agents: string;
  /** The `type` in the API. */
  readonly api: string;
  readonly fields: readonly Field[];
  /** API fields that the OpenAI Agents SDK keeps in `providerData`. */
  readonly extras: readonly string[];
  /** Whether the API needs the original id of the item. The API assigns new ids to other items. */
  readonly keepsId: boolean;
}

const callId: Field = ['callId', 'call_id'];
const status: Field = ['status', 'status'];
const caller: Field = ['caller', 'caller', renamed(['callerId', 'caller_id'])];

const execution: Field = ['execution', 'execution'];

/** The Agents SDK reads these fields into `providerData`, and accepts them in both places. */
const TOOL_SEARCH = { extras: ['call_id', 'execution'] };

function kind(agents: string, api: string, fields: readonly Field[], rest: Partial<Kind> = {}): Kind {
  return { agents, api, fields, extras: [], keepsId: false, ...rest };
}

/** A tool that runs at OpenAI: the Agents SDK keeps everything except its status in `providerData`. */
function hosted(api: string, extras: readonly string[], fields: readonly Field[] = [status]): Kind {
  return kind('hosted_tool_call', api, fields, { extras });
}

export const MESSAGE = kind('message', 'message', [
  ['role', 'role'],
  ['content', 'content', content],
  status,
  ['phase', 'phase'],
]);

/** Every kind that both the Agents SDK and the API define. */
export const KINDS: readonly Kind[] = [
  MESSAGE,
  kind('function_call', 'function_call', [
    callId,
    ['name', 'name'],
    ['arguments', 'arguments'],
    ['namespace', 'namespace'],
    status,
    caller,
  ]),
  kind('function_call_result', 'function_call_output', [
    callId,
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['output', 'output', functionOutput],
    status,
    caller,
  ]),
  kind(
    'reasoning',
    'reasoning',
    [
      ['content', 'summary', summary],
      ['rawContent', 'content', reasoningText],
    ],
    { extras: ['encrypted_content', 'status'], keepsId: true },
  ),
  kind('program', 'program', [callId, ['code', 'code'], ['fingerprint', 'fingerprint']], { keepsId: true }),
  kind('program_output', 'program_output', [callId, ['output', 'result'], status], { keepsId: true }),
  kind('compaction', 'compaction', [['encrypted_content', 'encrypted_content']]),
  kind('computer_call', 'computer_call', [callId, ['action', 'action'], ['actions', 'actions'], status], {
    extras: ['pending_safety_checks'],
  }),
  kind('computer_call_result', 'computer_call_output', [callId, ['output', 'output', screenshot]], {
    extras: ['acknowledged_safety_checks', 'status'],
  }),
  kind(
    'shell_call',
    'shell_call',
    [
      callId,
      ['action', 'action', renamed(['timeoutMs', 'timeout_ms'], ['maxOutputLength', 'max_output_length'])],
      status,
      caller,
    ],
    { extras: ['environment'] },
  ),
  kind('shell_call_output', 'shell_call_output', [
    callId,
    ['output', 'output', renamed(['exitCode', 'exit_code'])],
    ['maxOutputLength', 'max_output_length'],
    status,
    caller,
  ]),
  kind('apply_patch_call', 'apply_patch_call', [callId, ['operation', 'operation'], status, caller]),
  kind('apply_patch_call_output', 'apply_patch_call_output', [callId, ['output', 'output'], status, caller]),
  kind('tool_search_call', 'tool_search_call', [callId, ['arguments', 'arguments'], execution, status], TOOL_SEARCH),
  kind('tool_search_output', 'tool_search_output', [callId, ['tools', 'tools'], execution, status], TOOL_SEARCH),
  hosted('web_search_call', ['action']),
  hosted('file_search_call', ['queries', 'results']),
  hosted('code_interpreter_call', ['code', 'container_id', 'outputs']),
  hosted('image_generation_call', [], [status, ['output', 'result']]),
  hosted(
    'mcp_call',
    ['name', 'arguments', 'server_label', 'approval_request_id', 'error'],
    [status, ['output', 'output']],
  ),
  hosted('mcp_list_tools', ['server_label', 'tools', 'error'], []),
  // The response names it.
  { ...hosted('mcp_approval_request', ['name', 'arguments', 'server_label'], []), keepsId: true },
  hosted('mcp_approval_response', ['approve', 'approval_request_id', 'reason'], []),
];
