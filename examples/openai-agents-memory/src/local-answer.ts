/** Answers without a model: a question with the first memory in the input, anything else with thanks. */
export function localAnswer(input: string): string {
  const memory = /<entry[^>]*>([^<]*)<\/entry>/.exec(input)?.[1];
  if (memory === undefined) return 'Thank you, I will remember that.';
  return `You told me: "${memory}"`;
}
