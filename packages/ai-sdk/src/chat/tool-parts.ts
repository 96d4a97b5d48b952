import { withoutBlocks } from '@keepsake/internal';
import { type DynamicToolUIPart, getToolName, isToolUIPart, type ToolUIPart, type UIMessage } from 'ai';

type Part = UIMessage['parts'][number];
type ToolPart = ToolUIPart | DynamicToolUIPart;

/** Calls that have an outcome. */
const ENDED: readonly string[] = ['output-available', 'output-error', 'output-denied'];

/** The calls that wait for an approval, or for a tool in the browser. */
export function pendingCalls({ parts }: UIMessage): ToolPart[] {
  return parts.filter(isToolUIPart).filter(isPending);
}

/** The message without calls that nobody answered, which models refuse in a history; `[]` if nothing else is in it. */
export function withoutOpenCalls<M extends UIMessage>(message: M): M[] {
  const isOpen = (part: object) => isToolUIPart(part as Part) && !ENDED.includes((part as ToolPart).state);
  const rest = withoutBlocks(message, isOpen);
  return rest === undefined ? [] : [rest];
}

/**
 * The message of an answer that was cut off. A call that was running has failed, so that neither people nor models take it for
 * one that never ran.
 *
 * @param isOver - Says so in a text, too, because models may not get calls of earlier answers.
 */
export function withStoppedCalls<M extends UIMessage>(message: M, isOver: boolean): M {
  const isRunning = (part: Part): part is ToolPart =>
    isToolUIPart(part) &&
    part.providerExecuted !== true &&
    (part.state === 'approval-responded' || (isOver && part.state === 'input-available'));
  const names = message.parts.filter(isRunning).map((part) => getToolName(part));
  if (names.length === 0) return message;
  const parts = message.parts.map((part) => (isRunning(part) ? stopped(part) : part));
  const notes = names.map((name) => ({ type: 'text', text: stoppedText(name), state: 'done' }) as const);
  return { ...message, parts: isOver ? [...parts, { type: 'step-start' }, ...notes] : parts };
}

function stopped(part: ToolPart): Part {
  return { ...part, state: 'output-error', errorText: stoppedText(getToolName(part)) } as Part;
}

function stoppedText(name: string): string {
  return `The call of ${name} was stopped. It may have run.`;
}

/**
 * The stored message, with the approvals and tool outputs of the message of a client. Everything else comes from the stored
 * message, such as the input of a call that was approved.
 */
export function withAnswers<M extends UIMessage>(stored: M, message: UIMessage): M {
  const answers = new Map(message.parts.filter(isToolUIPart).map((part) => [part.toolCallId, part]));
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
function approved(part: ToolPart, { state, approval: reply }: ToolPart): Part {
  if (state !== 'approval-responded' || typeof reply?.approved !== 'boolean') return part as Part;
  const approval = { ...part.approval, approved: reply.approved, ...(reply.reason && { reason: reply.reason }) };
  return { ...part, state, approval } as Part;
}

function isPending({ state, providerExecuted }: ToolPart): boolean {
  return state === 'approval-requested' || (state === 'input-available' && providerExecuted !== true);
}
