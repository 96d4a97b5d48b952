/** Splits a text after each sentence or line. The joined parts equal the text. */
export function sentencesOf(text: string): readonly string[] {
  return text.match(SENTENCE) ?? [];
}

/** A dot within a number or a file name does not end a sentence. */
const SENTENCE =
  /(?:[^.!?。！？\n]+|[.!?](?!["'”’»)\]]*(?:[\s.!?]|$)))*(?:[.!?]+["'”’»)\]]*|[。！？]+["'”’»)\]]*|\n|$)\s*/gu;
