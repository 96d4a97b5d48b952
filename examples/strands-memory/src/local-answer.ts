/** Answers with no model at all: a question with the first memory that was put into the input, all else with thanks. */
export function localAnswer(input: string): string {
  const memory = /<entry[^>]*>([^<]*)<\/entry>/.exec(input)?.[1];
  if (memory === undefined) return 'Thank you, I will remember that.';
  return `You told me: "${memory}"`;
}
