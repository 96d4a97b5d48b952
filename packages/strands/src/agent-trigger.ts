import type { ExtractionTrigger, ExtractionTriggerContext } from '@keepsake/core';
import type { LocalAgent } from '@strands-agents/sdk';

export interface AgentTriggerOptions {
  /** For logs and errors. */
  readonly name: string;
  /** Whether to extract now. Called when a turn of the agent has ended that neither failed nor was cancelled. */
  readonly when: (agent: LocalAgent, turn: number) => boolean;
}

/**
 * Extracts when the state of the agent says so: after a tool has flagged it, for instance. For conversations of agents
 * that have the plugin; in others it never fires.
 */
export class AgentTrigger implements ExtractionTrigger {
  readonly name: string;
  readonly #when: AgentTriggerOptions['when'];

  constructor({ name, when }: AgentTriggerOptions) {
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

/** The agents whose turn is being ended, by conversation: triggers belong to stores, which know no agent. */
export const endingTurns = new Map<string, LocalAgent>();
