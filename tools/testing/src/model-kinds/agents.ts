import type { Fields } from '../model-inputs/fields.ts';
import type { FormatKinds, Generated, Kind, Kinds } from './kind.ts';
import { RESPONSES } from './responses.ts';

/* Items of the OpenAI Agents SDK, as it reads them from the Responses API, and as it writes the results of its tools. */

export const AGENTS: FormatKinds = {
  kinds: Object.fromEntries(
    Object.entries(RESPONSES.kinds).map(([name, kind]): [string, Kind] => [name, (n) => fromResponses(kind(n))]),
  ) as Kinds,
  questions: {
    question: (n) => [question(n)],
    'question with a picture': (n) => {
      const picture = { type: 'input_image', image: 'data:image/png;base64,iVBORw0K' };
      return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: `Question ${n}` }, picture] }];
    },
    'question after instructions': (n) => [{ type: 'message', role: 'system', content: 'Be brief.' }, question(n)],
  },
};

function question(n: number): object {
  return { type: 'message', role: 'user', content: `Question ${n}` };
}

function fromResponses({ output, answers, next }: Generated): Generated {
  return {
    output: output.map(fromItem),
    ...(answers && { answers: answers.map(fromItem) }),
    ...(next && { next: next.map(fromItem) }),
  };
}

function fromItem(item: Fields): object {
  const { type, id, call_id, caller, status, output, ...rest } = item;
  const ids = { ...(id && { id }), ...(call_id && { callId: call_id }) };
  const common = { ...ids, ...(status && { status }), ...(caller && { caller: callerOf(caller) }) };
  switch (type) {
    case 'message':
      return { ...item, content: rest.content.map(({ type, text }: Fields) => ({ type, text })) };
    case 'reasoning':
      return { type, id, content: [] };
    case 'compaction':
      return item;
    case 'function_call':
    case 'apply_patch_call':
    case 'shell_call':
      return { type, ...common, ...rest };
    case 'computer_call': {
      const { pending_safety_checks, ...others } = rest;
      return { type, ...common, ...others, providerData: { pending_safety_checks } };
    }
    case 'function_call_output':
      return { type: 'function_call_result', ...common, name: 'search', status: 'completed', output };
    case 'computer_call_output':
      return {
        type: 'computer_call_result',
        ...common,
        output: { type: 'computer_screenshot', data: output.image_url },
      };
    case 'apply_patch_call_output':
      return { type, ...common, output };
    case 'shell_call_output':
      return { type, ...common, output: output.map(ranOf) };
    case 'tool_search_call':
    case 'tool_search_output': {
      // The SDK keeps the id of the call here alone.
      const { execution, ...others } = rest;
      return { type, ...(id && { id }), status, ...others, providerData: { call_id, execution } };
    }
    case 'program':
      return { type, ...ids, ...rest };
    case 'program_output':
      return { type, ...ids, output: rest.result, status };
    case 'custom_tool_call':
    case 'custom_tool_call_output':
    case 'local_shell_call':
    case 'local_shell_call_output':
      return { type: 'unknown', ...(id && { id }), providerData: item };
    case 'mcp_approval_response': {
      // As the runner creates it.
      const { approve, approval_request_id } = rest;
      return { type: 'hosted_tool_call', name: type, providerData: { approve, approval_request_id } };
    }
    default: {
      const { result, ...others } = rest;
      const found = output ?? result;
      const data = { type, id, ...others };
      return { type: 'hosted_tool_call', name: type, id, status, ...(found && { output: found }), providerData: data };
    }
  }
}

function callerOf({ type, caller_id }: Fields): object {
  return { type, callerId: caller_id };
}

function ranOf({ outcome, ...rest }: Fields): object {
  return { ...rest, outcome: { type: outcome.type, exitCode: outcome.exit_code } };
}
