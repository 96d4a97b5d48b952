/**
 * A language that the analyser knows, as an ISO 639-1 code, or `'none'` for texts that are neither stemmed nor freed
 * of stop words. Scripts without spaces (Chinese, Japanese, Thai, Khmer, Lao, Burmese) are cut into words under every
 * one of them.
 */
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'nl', 'pt', 'ru', 'none'] as const;

/** For callers without types. */
export function isLanguage(language: unknown): language is Language {
  return (LANGUAGES as readonly unknown[]).includes(language);
}

/** What a text is taken for where no language is named. */
export const DEFAULT_LANGUAGE: Language = 'en';
