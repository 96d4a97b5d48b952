import type { RemoteWord } from '@keepsake/search/remote';

/** What search counts as one term: a word of the query in all its forms, or a group of words related to it. */
export interface Feature {
  /** Lists of terms. Frequencies of terms in one list are added up; each list is scored separately. */
  readonly parts: readonly (readonly string[])[];
  /** Its weight as a share of the weight of the word. */
  readonly share: number;
}

/** The features of a word: the word itself, followed by each group of related words. */
export function featuresOf({ terms, related }: RemoteWord): Feature[] {
  return [
    { parts: [terms], share: 1 },
    ...related.map((group) => ({ parts: group.terms.map((term) => [term]), share: group.weight })),
  ];
}

/** A feature with what its worth follows from. */
export interface WeighedFeature extends Feature, Pick<RemoteWord, 'forms' | 'weight'> {
  /** The least number of records that count as having it. */
  readonly atLeast: number;
}

/** @param named - How many records are by speakers whose name has a term. */
export function weighedFeatures(words: readonly RemoteWord[], named: ReadonlyMap<string, number>): WeighedFeature[] {
  return words.flatMap((word) => {
    const { forms, weight } = word;
    const atLeast = Math.max(0, ...forms.map(({ term }) => named.get(term) ?? 0));
    return featuresOf(word).map((feature, group) => ({
      ...feature,
      forms,
      weight: weight * feature.share,
      // A speaker's name counts for everything they said.
      atLeast: group === 0 ? atLeast : 0,
    }));
  });
}
