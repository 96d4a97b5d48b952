import type { Language } from '../languages/language.ts';

/**
 * Raised with every change of analysis (tokenizer, stop words, stemmer) or of the rounding of lengths, because an index with
 * other terms would not match queries.
 */
export const ANALYSIS_VERSION = 6;

/** Identifies the analysis of a language, or with detection. Under the same name, a text has the same terms. */
export function analysisOf(language: Language | undefined): string {
  // The runtime's Unicode tables define letters and the word boundaries of Chinese and Thai. Browsers don't tell their version.
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly icu?: string } } };
  return `${ANALYSIS_VERSION} ${language ?? 'detected'} ${process?.versions?.icu ?? ''}`.trimEnd();
}
