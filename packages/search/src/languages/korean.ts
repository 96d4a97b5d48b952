const HANGUL_WORD = /^[\uac00-\ud7a3]{2,}$/;
const LONG_PARTICLE = /(?<=.)(?:에서|에게|한테|으로|부터|까지|처럼|보다|하고)$/;
const SHORT_PARTICLE = /(?<=..)[에의도만로]$/;
/** Particles that follow only a final consonant, and only a vowel. */
const AFTER_CONSONANT = '은이을과';
const AFTER_VOWEL = '는가를와';

/**
 * A Korean word without its grammatical particles: `학교에서는` is `학교`. Some words lose a last syllable that is not a particle,
 * but always the same one.
 */
export function withoutParticles(word: string): string {
  let base = word;
  while (HANGUL_WORD.test(base)) {
    const shorter = endsOnAgreeing(base)
      ? base.slice(0, -1)
      : base.replace(LONG_PARTICLE, '').replace(SHORT_PARTICLE, '');
    if (shorter === base) break;
    base = shorter;
  }
  return base;
}

function endsOnAgreeing(word: string): boolean {
  // Of 28 syllables in a row, the first has no final consonant.
  const afterVowel = (word.charCodeAt(word.length - 2) - 0xac00) % 28 === 0;
  return (afterVowel ? AFTER_VOWEL : AFTER_CONSONANT).includes(word.charAt(word.length - 1));
}
