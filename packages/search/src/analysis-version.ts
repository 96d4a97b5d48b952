import type { Language } from './language.ts';

/**
 * Raised with every change of the terms that a text is analysed to, whether by the tokeniser, the stop words or the
 * stemmer, and of how lengths are rounded: an index of other terms would not find what the query asks for.
 */
export const ANALYSIS_VERSION = 3;

/** Names the analysis of a language, or of texts whose language is detected: under one name, a text has the same terms. */
export function analysisOf(language: Language | undefined): string {
  // The runtime's Unicode tables say what is a letter, and where a word of Chinese or Thai ends. Browsers don't say which
  // they have.
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly icu?: string } } };
  return `${ANALYSIS_VERSION} ${language ?? 'detected'} ${process?.versions?.icu ?? ''}`.trimEnd();
}
