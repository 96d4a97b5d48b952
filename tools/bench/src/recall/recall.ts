import type { Area } from '../area.ts';
import { ask } from './ask.ts';
import { DATA, readConversations } from './conversation.ts';
import type { Marked } from './measures.ts';
import { comparison, report, type SystemRecall, toJson } from './report.ts';
import { backends, keepsake, keepsakeWithoutTurns, peers } from './systems.ts';

/** What part of what is looked for is found. */
export const recall: Area = {
  title: 'Recall: questions about long conversations (LoCoMo)',
  data: DATA,
  async run({ quick, directory, data, say }) {
    const conversations = readConversations(data as string);
    const recalls: SystemRecall[] = [];
    for (const system of [keepsake, keepsakeWithoutTurns, ...(quick ? [] : [...backends, ...peers])]) {
      say(`asking ${system.name}`);
      const marked: Marked[] = await ask(system, conversations, directory);
      recalls.push({ system, marked });
    }
    const [own, without, ...others] = recalls as [SystemRecall, SystemRecall, ...SystemRecall[]];
    const results = { conversations, own, without, others, differences: comparison(own, without, others) };
    return { text: report(results), json: toJson(results) };
  },
};
