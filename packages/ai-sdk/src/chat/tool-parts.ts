import { type DynamicToolUIPart, isToolUIPart, type ToolUIPart, type UIMessage } from 'ai';

type Part = UIMessage['parts'][number];
type ToolPart = ToolUIPart | DynamicToolUIPart;

/** Calls that have an outcome. */
const ENDED: readonly string[] = ['output-available', 'output-error', 'output-denied'];

/** The calls that wait for an approval, or for a tool in the browser. */
export function pendingCalls({ parts }: UIMessage): ToolPart[] {
  return parts.filter(isToolUIPart).filter(isPending);
}

/** The message without calls that nobody answered, which models refuse in a history. */
export function withoutOpenCalls<M extends UIMessage>(message: M): M {
  const parts = message.parts.filter((part) => !isToolUIPart(part) || ENDED.includes(part.state));
  return parts.length === message.parts.length ? message : { ...message, parts };
}

/**
 * The stored message, with the approvals and tool outputs of the message of a client. Everything else comes from the stored
 * message, such as the input of a call that was approved.
 */
export function withAnswers<M extends UIMessage>(stored: M, given: UIMessage): M {
  const answers = new Map(given.parts.filter(isToolUIPart).map((part) => [part.toolCallId, part]));
  return { ...stored, parts: stored.parts.map((part) => withAnswer(part, answers)) };
}

function withAnswer(part: Part, answers: ReadonlyMap<string, ToolPart>): Part {
  if (!isToolUIPart(part) || !isPending(part)) return part;
  const answer = answers.get(part.toolCallId);
  if (answer === undefined) return part;
  if (part.state === 'approval-requested') return approved(part, answer);
  if (answer.state === 'output-available') return { ...part, state: answer.state, output: answer.output } as Part;
  if (answer.state === 'output-error') return { ...part, state: answer.state, errorText: answer.errorText } as Part;
  return part;
}

/** Only the decision is taken over: the server runs the tool. */
function approved(part: ToolPart, { state, approval: given }: ToolPart): Part {
  if (state !== 'approval-responded' || typeof given?.approved !== 'boolean') return part as Part;
  const approval = { ...part.approval, approved: given.approved, ...(given.reason && { reason: given.reason }) };
  return { ...part, state, approval } as Part;
}

function isPending({ state, providerExecuted }: ToolPart): boolean {
  return state === 'approval-requested' || (state === 'input-available' && providerExecuted !== true);
}
