/**
 * A language that the analyser knows, as an ISO 639-1 code, or `'none'` for texts that are neither stemmed nor freed
 * of stop words. Scripts without spaces (Chinese, Japanese, Thai, Khmer, Lao, Burmese) are cut into words under every
 * one of them.
 */
export type Language = 'de' | 'en' | 'es' | 'fr' | 'it' | 'nl' | 'pt' | 'ru' | 'none';

/** What a text is taken for where no language is named. */
export const DEFAULT_LANGUAGE: Language = 'en';
