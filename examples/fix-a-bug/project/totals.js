/** The total of an invoice, in cents, with tax. */
export function total(lines, taxRate) {
  return lines.reduce((sum, { cents, count }) => sum + Math.round(cents * count * (1 + taxRate)), 0);
}
