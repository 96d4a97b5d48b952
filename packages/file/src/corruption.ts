/** Lines of a file that can not be read any more. They are kept as they are. */
export interface CorruptionReport {
  /** The folder of the log. */
  readonly folder: string;
  /** Numbers of the first and the last damaged line. */
  readonly from: number;
  readonly to: number;
  /** Where in the log the damage begins, in bytes; missing where nothing is left of the lines. */
  readonly offset?: number;
}

/** Is told of damage once for every instance that comes upon it. */
export type OnCorrupt = (report: CorruptionReport) => void;

/** Says it on the console; never what the lines hold. */
export function warnOfCorruption({ folder, from, to }: CorruptionReport): void {
  const lines = from === to ? `line ${from} is` : `lines ${from} to ${to} are`;
  console.warn(`Keepsake: ${lines} damaged in the log in ${folder}. All others are read; the damaged are kept aside.`);
}

/** Passes on each report once. */
export function reportOnce(folder: string, onCorrupt: OnCorrupt): (from: number, to: number, offset?: number) => void {
  const told = new Set<string>();
  return (from, to, offset) => {
    const key = `${from} ${to}`;
    if (told.has(key)) return;
    told.add(key);
    onCorrupt({ folder, from, to, ...(offset === undefined ? {} : { offset }) });
  };
}
