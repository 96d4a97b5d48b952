import { isObject, quoted } from '@keepsake/internal';
import { expect } from '../../common/expect.ts';
import type { Message } from '../../model/message.ts';
import type { ExtractionConfig, ExtractionTrigger, ExtractionTriggerContext, Extractor } from './extraction-config.ts';

/** A trigger of the Strands SDK. */
interface StrandsTrigger {
  readonly name: string;
  attach(context: { readonly agent: object; fire(): void }): void;
}

type Listener = (event: object) => void;

/**
 * The trigger, or one that does the same if it is a class of the Strands SDK, whose `attach` takes an agent: the end of an
 * invocation is the end of a turn. The SDK itself is not needed.
 *
 * @throws MemoryError `INVALID_ARGUMENT` if such a trigger needs more of its agent.
 */
export function asTrigger(trigger: ExtractionTrigger, of: string): ExtractionTrigger {
  if (!isOfStrands(trigger)) return trigger;
  const { name } = trigger;
  const attach = ({ conversation, fire }: ExtractionTriggerContext) =>
    (trigger as unknown as StrandsTrigger).attach({ agent: agentFor(conversation, `${of} has a trigger`, name), fire });
  // Refuses a trigger now that would fail when a conversation begins.
  attach({ conversation: { id: '', onMessages() {}, onEndTurn() {} }, fire() {} });
  return { name, attach };
}

/** Throws `INVALID_ARGUMENT` for extractors of the Strands SDK, which take messages and a context. */
export function checkExtractor({ extract }: Extractor, of: string): void {
  expect(
    extract.length <= 1,
    `${of} has an extractor whose extract() takes ${extract.length} arguments, as those of the Strands SDK. Use the ModelExtractor of @keepsake/core, or an extract() that takes one batch.`,
  );
}

/**
 * The filter as a function. `{ exclude }`, as in the Strands SDK, removes blocks of these kinds.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for anything else.
 */
export function asFilter(filter: ExtractionConfig['filter']): ((message: Message) => Message | undefined) | undefined {
  if (filter === undefined || typeof filter === 'function') return filter;
  const must = '`extraction.filter` must be a function or { exclude: [...] }.';
  const kinds = isObject(filter) && filter.exclude;
  expect(Array.isArray(kinds), must);
  const exclude: ReadonlySet<string> = new Set(kinds);
  return (message) => {
    const { content } = message;
    const blocks = typeof content === 'string' ? [{ text: content }] : content;
    return {
      ...message,
      content: blocks.filter((block) => !exclude.has('text' in block ? 'text' : String(Object.keys(block)[0]))),
    };
  };
}

function isOfStrands(trigger: object): boolean {
  for (let kind = Object.getPrototypeOf(trigger); kind !== null; kind = Object.getPrototypeOf(kind)) {
    if (kind.constructor?.name === 'ExtractionTrigger') return true;
  }
  return false;
}

/** The part of an agent that a conversation has: hooks for the end of an invocation and for new messages. */
function agentFor(conversation: ExtractionTriggerContext['conversation'], of: string, name: string): object {
  const refuse = (what: string) =>
    expect(
      false,
      `${of} of the Strands SDK (${quoted(name)}) that needs ${what} of its agent. Use AgentTrigger of @keepsake/strands.`,
    );
  const event = (type: string, fields: object) =>
    new Proxy(
      { type, ...fields },
      { get: (target, key) => (key === 'agent' ? refuse('the state') : Reflect.get(target, key)) },
    );
  const addHook = ({ name: type }: { readonly name: string }, listener: Listener) => {
    let isOn = true;
    const tell = (kind: string, fields: object) => {
      if (isOn) listener(event(kind, fields));
    };
    if (type === 'AfterInvocationEvent') conversation.onEndTurn(() => tell('afterInvocationEvent', {}));
    else if (type === 'MessageAddedEvent') {
      conversation.onMessages((messages) => {
        for (const message of messages) tell('messageAddedEvent', { message });
      });
    } else refuse(`the hook ${type}`);
    return () => {
      isOn = false;
    };
  };
  return new Proxy({ addHook }, { get: (target, key) => (key === 'addHook' ? target.addHook : refuse(String(key))) });
}
