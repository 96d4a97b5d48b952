/** The name of the group of all questions. */
export const ALL = 'all';

/** The results of all questions, then of each category. Categories without questions are omitted. */
export function byCategory<Result extends { readonly category: string }>(
  results: readonly Result[],
  categories: readonly string[],
): [string, readonly Result[]][] {
  const groups = categories.map((category): [string, readonly Result[]] => [
    category,
    results.filter((one) => one.category === category),
  ]);
  return [[ALL, results], ...groups.filter(([, some]) => some.length > 0)];
}

/** The results of each conversation. */
export function byConversation<Result extends { readonly conversation: string }>(
  results: readonly Result[],
  conversations: readonly { readonly name: string }[],
): [string, readonly Result[]][] {
  return conversations.map(({ name }) => [name, results.filter(({ conversation }) => conversation === name)]);
}
