import type { CallModelInputFilter } from '@openai/agents';

/** A filter that adds a text to the instructions of a model, after the caller's own filter. */
export function instructing(text: string, before: CallModelInputFilter | undefined): CallModelInputFilter {
  return async (args) => {
    const modelData = before === undefined ? args.modelData : await before(args);
    if (text === '') return modelData;
    return { ...modelData, instructions: [modelData.instructions, text].filter(Boolean).join('\n\n') };
  };
}
