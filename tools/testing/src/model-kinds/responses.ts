import type { FormatKinds, Generated } from './kind.ts';

/* Items of the Responses API. */

const ACTION = { commands: ['ls'] };
const RAN = { stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } };
const OPERATION = { type: 'delete_file', path: 'a' };
const FUNCTION = { type: 'function', name: 'f', parameters: {}, strict: true };

export const RESPONSES: FormatKinds = {
  kinds: {
    reasoning: (n) => ({ output: [{ type: 'reasoning', id: `rs_${n}`, summary: [] }] }),
    message: (n) => ({ output: [message(n)] }),
    call: (n) => functionCall(n, 'search'),
    handoff: (n) => functionCall(n, 'transfer_to_support'),
    'custom call': (n) =>
      answered({ type: 'custom_tool_call', id: `ctc_${n}`, call_id: `call_${n}`, name: 'write', input: 'x' }, 'x'),
    'computer call': (n) =>
      answered(
        {
          type: 'computer_call',
          ...{ id: `cu_${n}`, call_id: `call_${n}`, status: 'completed' },
          ...{ action: { type: 'screenshot' }, pending_safety_checks: [] },
        },
        { type: 'computer_screenshot', image_url: 'data:image/png;base64,iVBORw0K' },
      ),
    'local shell call': (n) => {
      const action = { type: 'exec', command: ['ls'], env: {} };
      const call = { type: 'local_shell_call', id: `lsh_${n}`, call_id: `call_${n}`, status: 'completed', action };
      // The only kind of result whose `id` is that of its call.
      return { output: [call], answers: [{ type: 'local_shell_call_output', id: `call_${n}`, output: 'a' }] };
    },
    'shell call': (n) => answered(shellCall(n), [RAN]),
    'hosted shell call': (n) => ({
      output: [
        shellCall(n),
        { type: 'shell_call_output', id: `sho_${n}`, call_id: `call_${n}`, status: 'completed', output: [RAN] },
      ],
    }),
    patch: (n) => ({
      output: [patch(n)],
      answers: [{ type: 'apply_patch_call_output', call_id: `call_${n}`, status: 'completed', output: 'x' }],
    }),
    'tool search': (n) => ({
      output: [toolSearch(n, 'client')],
      answers: [
        {
          type: 'tool_search_output',
          call_id: `call_${n}`,
          execution: 'client',
          status: 'completed',
          tools: [FUNCTION],
        },
      ],
    }),
    'hosted tool search': (n) => ({
      output: [
        { ...toolSearch(n, 'server'), call_id: null },
        {
          type: 'tool_search_output',
          ...{ id: `tso_${n}`, call_id: null, execution: 'server', status: 'completed', tools: [FUNCTION] },
        },
      ],
    }),
    'web search': (n) => hosted('web_search_call', `ws_${n}`, { action: { type: 'search', query: 'x' } }),
    'file search': (n) => hosted('file_search_call', `fs_${n}`, { queries: ['x'] }),
    'code interpreter': (n) =>
      hosted('code_interpreter_call', `ci_${n}`, { code: '1', container_id: 'cntr_1', outputs: [] }),
    'image generation': (n) => hosted('image_generation_call', `ig_${n}`, { result: 'iVBORw0K' }),
    'MCP tools': (n) => ({ output: [{ type: 'mcp_list_tools', id: `mcpl_${n}`, server_label: 's', tools: [] }] }),
    'MCP call': (n) => ({ output: [mcpCall(n)] }),
    'MCP approval': (n) => {
      const id = `mcpr_${n}`;
      return {
        output: [{ type: 'mcp_approval_request', id, name: 'mail', arguments: '{}', server_label: 's' }],
        answers: [{ type: 'mcp_approval_response', approval_request_id: id, approve: true }],
        next: [{ ...mcpCall(n), approval_request_id: id }],
      };
    },
    program: (n) => ({ output: [program(n), programOutput(n)] }),
    'program with calls': (n) => {
      const caller = { type: 'program', caller_id: `program_${n}` };
      const owned = [functionCall(n, 'search'), answered({ ...shellCall(n), call_id: `shell_${n}` }, [RAN])];
      const by = (items: readonly object[]) => items.map((item) => ({ ...item, caller }));
      return {
        output: [program(n), ...owned.flatMap(({ output }) => by(output))],
        answers: owned.flatMap(({ answers = [] }) => by(answers)),
        next: [programOutput(n)],
      };
    },
    compaction: (n) => ({ output: [{ type: 'compaction', id: `cmp_${n}`, encrypted_content: 'gAAAA' }] }),
  },
  questions: {
    question: (n) => [question(n)],
    'question with a picture': (n) => {
      const picture = { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,iVBORw0K' };
      return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: `Question ${n}` }, picture] }];
    },
    'question after instructions': (n) => [{ type: 'message', role: 'developer', content: 'Be brief.' }, question(n)],
    'question after tools': (n) => [{ type: 'additional_tools', role: 'developer', tools: [FUNCTION] }, question(n)],
    'question after settings': (n) => [{ type: 'configuration_update', reasoning: { effort: 'low' } }, question(n)],
  },
};

function question(n: number): object {
  return { type: 'message', role: 'user', content: `Question ${n}` };
}

function message(n: number): object {
  const content = [{ type: 'output_text', text: `Text ${n}`, annotations: [] }];
  return { type: 'message', role: 'assistant', id: `msg_${n}`, status: 'completed', content };
}

interface Call {
  readonly type: string;
  readonly call_id: string;
  readonly [field: string]: unknown;
}

/** A call, and its result by the client. */
function answered(call: Call, output: unknown): Generated {
  return { output: [call], answers: [{ type: `${call.type}_output`, call_id: call.call_id, output }] };
}

function functionCall(n: number, name: string): Generated {
  const ids = { id: `fc_${n}`, call_id: `call_${n}` };
  return answered({ type: 'function_call', ...ids, name, arguments: '{}', status: 'completed' }, 'found');
}

function shellCall(n: number) {
  return { type: 'shell_call', id: `sh_${n}`, call_id: `call_${n}`, status: 'completed', action: ACTION };
}

function patch(n: number): object {
  return { type: 'apply_patch_call', id: `apc_${n}`, call_id: `call_${n}`, status: 'completed', operation: OPERATION };
}

function toolSearch(n: number, execution: string): object {
  const ids = { id: `tsc_${n}`, call_id: `call_${n}` };
  return { type: 'tool_search_call', ...ids, execution, status: 'completed', arguments: { query: 'x' } };
}

/** A call of a tool of the service has its result in itself. */
function hosted(type: string, id: string, fields: object): Generated {
  return { output: [{ type, id, status: 'completed', ...fields }] };
}

function mcpCall(n: number): object {
  return { type: 'mcp_call', id: `mcp_${n}`, name: 'mail', arguments: '{}', server_label: 's', output: 'sent' };
}

function program(n: number): object {
  return { type: 'program', id: `prog_${n}`, call_id: `program_${n}`, code: 'search()', fingerprint: 'f' };
}

function programOutput(n: number): object {
  return { type: 'program_output', id: `po_${n}`, call_id: `program_${n}`, result: '1', status: 'completed' };
}
