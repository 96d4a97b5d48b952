import { expectKnownFields } from '../../common/check-fields.ts';
import { expect, expectWhole } from '../../common/expect.ts';
import type { ExtractionTrigger, ExtractionTriggerContext } from './extraction-config.ts';

/** Extracts after every turn. */
export class InvocationTrigger implements ExtractionTrigger {
  readonly name = 'invocation';

  attach({ conversation, fire }: ExtractionTriggerContext): void {
    expectConversation(conversation, 'InvocationTrigger');
    conversation.onEndTurn(fire);
  }
}

/** Extracts after every `turns` turns of a conversation. */
export class IntervalTrigger implements ExtractionTrigger {
  readonly name = 'interval';
  readonly #turns: number;

  /** @throws MemoryError `INVALID_ARGUMENT` unless `turns` is a whole number of 1 or more. */
  constructor(options: { readonly turns: number }) {
    const { turns } = expectKnownFields(options, { turns: true });
    expectWhole(turns, 'turns', 1);
    this.#turns = turns;
  }

  attach({ conversation, fire }: ExtractionTriggerContext): void {
    expectConversation(conversation, 'IntervalTrigger');
    conversation.onEndTurn((turn) => {
      if (turn % this.#turns === 0) fire();
    });
  }
}

/** Extracts after `idleMs` without new messages. Does not keep a process alive: call `flush()` before the end. */
export class IdleTrigger implements ExtractionTrigger {
  readonly name = 'idle';
  readonly #idleMs: number;

  /** @throws MemoryError `INVALID_ARGUMENT` unless `idleMs` is a whole number of milliseconds from 1 to 2^31 - 1. */
  constructor(options: { readonly idleMs: number }) {
    const { idleMs } = expectKnownFields(options, { idleMs: true });
    expectWhole(idleMs, 'idleMs', 1, MAX_TIMER_MS);
    this.#idleMs = idleMs;
  }

  attach({ conversation, fire }: ExtractionTriggerContext): void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    conversation.onMessages(() => {
      clearTimeout(timer);
      timer = setTimeout(fire, this.#idleMs);
      (timer as { unref?(): void }).unref?.();
    });
  }
}

/** The Strands SDK has triggers of the same names, and passes an agent. */
function expectConversation(conversation: unknown, name: string): void {
  expect(conversation, `This ${name} is for the MemoryManager of @keepsake/core. Import that of @strands-agents/sdk.`);
}

/** A longer timer would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;
