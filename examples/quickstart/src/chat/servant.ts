import type { MemoryEntry } from '@keepsake/core';
import type { Agent } from './agent.ts';
import { type Command, HELP_TEXT } from './commands.ts';
import { quotation } from './from-memory.ts';

/** The most memories that are shown when it asks whether to forget them. */
const SHOWN = 10;

/** Does what the user tells the chat itself, and asks before it forgets more than one memory. */
export class Servant {
  readonly #agent: Agent;
  /** What it has asked whether to forget. */
  #asked: readonly MemoryEntry[] | 'everything' = [];

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** Does what a line says that answers its question; `undefined` if it has asked nothing, or the line is about something else. */
  async heed(line: string): Promise<string | undefined> {
    const asked = this.#asked;
    this.#asked = [];
    const said = line.toLowerCase().replace(/[.!]+$/u, '');
    if (asked.length === 0 || !/^(?:yes|y|all|both|no|n|none|\d+)$/u.test(said)) return undefined;
    const isYes = /^(?:yes|y|all|both)$/u.test(said);
    if (asked === 'everything') return isYes ? this.#deleteEverything() : 'Nothing was forgotten.';
    if (isYes) return this.#forget(asked);
    const one = asked[Number(said) - 1];
    return one === undefined ? 'Nothing was forgotten.' : this.#forget([one]);
  }

  /** Does what a command says, other than to exit. Returns what to tell the user. */
  async obey(command: Command): Promise<string> {
    switch (command.type) {
      case 'help':
        return HELP_TEXT;
      case 'forget':
        return this.#forgetAbout(command.about);
      case 'forget last': {
        const said = await this.#agent.forgetLast();
        return said === undefined
          ? 'You have said nothing yet. To say something that is not stored, begin with "off the record".'
          : `Forgot what you said last: ${said}`;
      }
      case 'off the record':
        return "I won't remember that.";
      case 'recount': {
        const { items, hasMore } = await this.#agent.newest(SHOWN);
        if (items.length === 0) return 'I have nothing yet.';
        return ['You told me:', ...items.map((one) => quotation(one)), ...(hasMore ? ['  and more'] : [])].join('\n');
      }
      case 'delete everything':
        this.#asked = 'everything';
        return 'Delete all memories and conversations of this chat? yes or no';
      case 'exit':
        return '';
    }
  }

  async #deleteEverything(): Promise<string> {
    const { memories, conversations } = await this.#agent.deleteEverything();
    return `Deleted ${counted(memories, 'memory', 'memories')} and ${counted(conversations, 'conversation', 'conversations')}.`;
  }

  async #forgetAbout(about: string): Promise<string> {
    const { matches, closest } = await this.#agent.about(about);
    if (matches.length === 1) return this.#forget(matches);
    if (matches.length > 1) {
      this.#asked = matches;
      const shown = matches.slice(0, SHOWN).map((entry, index) => `${index + 1}.${quotation(entry)}`);
      if (matches.length > SHOWN) shown.push(`and ${matches.length - SHOWN} more`);
      return [`Forget these ${matches.length} memories? yes, no, or a number`, ...shown].join('\n');
    }
    if (closest === undefined) return 'I have nothing about that.';
    return ['No memory has all of these words, so I removed none. This comes closest:', quotation(closest)].join('\n');
  }

  async #forget(entries: readonly MemoryEntry[]): Promise<string> {
    await this.#agent.forget(entries);
    return [`Forgot ${counted(entries.length, 'memory', 'memories')}:`, ...entries.map((one) => quotation(one))].join(
      '\n',
    );
  }
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
