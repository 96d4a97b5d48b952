/** How many rows are about one step. */
const ROWS = 1_024;

/** Whether a step ends with this row. */
export function endsStep(row: number): boolean {
  return row % ROWS === ROWS - 1;
}
