import type { Agent } from './agent.ts';
import { type Command, HELP_TEXT } from './commands.ts';
import { quotation } from './from-memory.ts';

/** Does what a command says, other than to exit. Returns what to tell the user. */
export async function obey(command: Command, agent: Agent): Promise<string> {
  switch (command.type) {
    case 'help':
      return HELP_TEXT;
    case 'forget':
      return forget(command.about, agent);
    case 'forget last': {
      const said = await agent.forgetLast();
      return said === undefined
        ? 'You have said nothing yet. To say something that is not stored, begin with "off the record".'
        : `Forgot what you said last: ${said}`;
    }
    case 'off the record':
      return "I won't remember that.";
    case 'delete everything': {
      const { memories, conversations } = await agent.deleteEverything();
      return `Deleted ${counted(memories, 'memory', 'memories')} and ${counted(conversations, 'conversation', 'conversations')}.`;
    }
    case 'exit':
      return '';
  }
}

async function forget(about: string, agent: Agent): Promise<string> {
  const { forgotten, closest } = await agent.forget(about);
  if (forgotten.length > 0) {
    return [`Forgot ${counted(forgotten.length, 'memory', 'memories')}:`, ...forgotten.map(quotation)].join('\n');
  }
  if (closest === undefined) return 'I have nothing about that.';
  return ['No memory has all of these words, so I removed none. This comes closest:', quotation(closest)].join('\n');
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
