const MARKS = '.,;:!?…。！？，、"\'“”‘’„«»()[]';

/**
 * A text as it is compared with others: its words in lower case, without the marks around them. What is in a word stays:
 * C, C++ and C# are not the same.
 */
export function plainText(text: string): string {
  return text.normalize('NFKC').toLowerCase().split(/\s+/).map(withoutMarks).filter(Boolean).join(' ');
}

function withoutMarks(word: string): string {
  let start = 0;
  let end = word.length;
  while (start < end && MARKS.includes(word[start] as string)) start++;
  while (start < end && MARKS.includes(word[end - 1] as string)) end--;
  return word.slice(start, end);
}
