/** Lines of a file that can not be read any more. They are kept as they are. */
export interface CorruptionReport {
  /** The folder of the log. */
  readonly folder: string;
  /** Numbers of the first and the last damaged line; 0 is the log's header, which says whose log it is. */
  readonly from: number;
  readonly to: number;
  /** Where in the log the damage begins, in bytes; missing where nothing is left of the lines. */
  readonly offset?: number;
}

/** Is told of damage once for every instance that comes upon it. */
export type OnCorrupt = (report: CorruptionReport) => void;

/** Says it on the console; never what the lines hold. */
export function warnOfCorruption({ folder, from, to }: CorruptionReport): void {
  if (to === 0) {
    console.warn(
      `Keepsake: the log in ${folder} does not say whose it is, so it is not listed. It is read by its id, and the next change mends it.`,
    );
    return;
  }
  const lines = from === to ? `line ${from} is` : `lines ${from} to ${to} are`;
  console.warn(`Keepsake: ${lines} damaged in the log in ${folder}. All others are read; the damaged are kept aside.`);
}

/** Reports damage in one log. */
export type Report = (from: number, to: number, offset?: number) => void;

/** Passes on each report once. */
export function reportOnce(onCorrupt: OnCorrupt): (folder: string) => Report {
  const told = new Set<string>();
  return (folder) => (from, to, offset) => {
    const key = `${folder} ${from} ${to}`;
    if (told.has(key)) return;
    told.add(key);
    onCorrupt({ folder, from, to, ...(offset === undefined ? {} : { offset }) });
  };
}
