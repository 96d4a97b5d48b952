/**
 * A language whose stop words and word forms the analyser knows, as an ISO 639-1 code, or `'none'` for no stemming and no
 * stop words. With each but `'none'`, the function words of Arabic, Hebrew, Hindi, Chinese, Japanese, Korean and Greek are
 * stop words, too. Scripts without spaces (Chinese, Japanese, Thai, Khmer, Lao, Burmese) are split into words in any case.
 */
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'nl', 'pt', 'ru', 'none'] as const;

/** For callers without types. */
export function isLanguage(language: unknown): language is Language {
  return (LANGUAGES as readonly unknown[]).includes(language);
}

/** The languages in Latin script whose words are known. */
export const LATIN_LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'nl', 'pt'] as const;

export type LatinLanguage = (typeof LATIN_LANGUAGES)[number];

/**
 * The languages that are detected by their words. A text in Latin script that is clearly in none of the known languages counts
 * as `'none'`. Russian is detected by its letters.
 */
export const DETECTED_LANGUAGES = [...LATIN_LANGUAGES, 'none'] as const;

export type DetectedLanguage = (typeof DETECTED_LANGUAGES)[number];
