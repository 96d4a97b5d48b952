import type { Token } from './token.ts';

const PARTICLE = /^(?:in|out|up|down|off|on|over|away|back)$/;

/** The nouns that English makes of verbs and the particle right after them: "logout" for "they get logged out". */
export function phrasalNouns(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token, place) => {
    const particle = tokens[place + 1]?.text ?? '';
    if (!PARTICLE.test(particle)) return [];
    const word = token.in('en');
    return 'term' in word && word.term !== '' && !word.isStopWord ? [word.term + particle] : [];
  });
}
