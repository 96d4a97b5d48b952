/** A term as the tables store it. */
export function storableTerm(term: string): string {
  // No other term has quotes.
  return term.isWellFormed() && !term.includes('\0') ? term : JSON.stringify(term);
}
