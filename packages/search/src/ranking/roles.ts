/** The role of a speaker in a chat with a model, as set by `addMessages`; `undefined` for people with names. */
export function roleOf(speaker: string | undefined): 'user' | 'assistant' | undefined {
  return speaker === 'user' || speaker === 'assistant' ? speaker : undefined;
}
