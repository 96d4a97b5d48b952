import type { ExtractionTrigger, ExtractionTriggerContext } from '@keepsake/core';
import { expect, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import type { LocalAgent } from '@strands-agents/sdk';

export interface AgentTriggerOptions {
  /** Identifies the trigger in logs and errors. */
  readonly name: string;
  /** Returns whether to extract now. Called after each turn of the agent that was neither failed nor cancelled. */
  readonly when: (agent: LocalAgent, turn: number) => boolean;
}

const OPTIONS: FieldNames<AgentTriggerOptions> = { name: true, when: true };

/**
 * Extracts depending on the state of the agent, for example after a tool has set a flag. Only fires in conversations of
 * agents that use the plugin.
 *
 * @example
 * const trigger = new AgentTrigger({ name: 'flagged', when: (agent) => agent.appState.get('remember') === true });
 */
export class AgentTrigger implements ExtractionTrigger {
  readonly name: string;
  readonly #when: AgentTriggerOptions['when'];

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. */
  constructor(options: AgentTriggerOptions) {
    const { name, when } = expectKnownFields(options, OPTIONS);
    expect(typeof name === 'string' && name !== '', '`name` must be a string that is not empty.');
    expect(typeof when === 'function', '`when` must be a function.');
    this.name = name;
    this.#when = when;
  }

  attach({ conversation, fire }: ExtractionTriggerContext): void {
    conversation.onEndTurn((turn) => {
      const agent = endingTurns.get(conversation.id);
      if (agent !== undefined && this.#when(agent, turn)) fire();
    });
  }
}

/**
 * The agents whose turn is ending, by conversation id. Triggers need it because they belong to stores, which have no agent.
 */
export const endingTurns = new Map<string, LocalAgent>();
