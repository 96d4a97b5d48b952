import type { Language } from '../languages/language.ts';

/**
 * Raised with every change of analysis (tokenizer, stop words, stemmer), of the rounding of lengths or of `utteranceFlags`,
 * because an index with other terms would not match queries, and one with other flags would rank differently.
 */
export const ANALYSIS_VERSION = 7;

/** Identifies the analysis of a language, or with detection. Under the same name, a text has the same terms. */
export function analysisOf(language: Language | undefined): string {
  // The runtime's Unicode tables define letters and the word boundaries of Chinese and Thai. Browsers don't tell their version.
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly icu?: string } } };
  return `${ANALYSIS_VERSION} ${language ?? 'detected'} ${process?.versions?.icu ?? ''}`.trimEnd();
}
