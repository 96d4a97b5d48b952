/** Lines of a file that can no longer be read. They are kept as they are. */
export interface CorruptionReport {
  /** The folder of the log. */
  readonly folder: string;
  /** The numbers of the first and the last damaged line; 0 is the header, which names the session or namespace. */
  readonly from: number;
  readonly to: number;
  /** The offset of the damage in bytes; missing if nothing is left of the lines. */
  readonly offset?: number;
}

/** Called once for each damage that an instance finds. */
export type OnCorrupt = (report: CorruptionReport) => void;

/** Warns on the console, without the content of the lines. */
export function warnOfCorruption({ folder, from, to }: CorruptionReport): void {
  if (to === 0) {
    console.warn(
      `Keepsake: the log in ${folder} does not name its session or namespace, so it is not listed. It is still read by its id, and the next change repairs it.`,
    );
    return;
  }
  const lines = from === to ? `line ${from} is` : `lines ${from} to ${to} are`;
  console.warn(
    `Keepsake: ${lines} damaged in the log in ${folder}. All other lines are read; the damaged lines are kept.`,
  );
}

/** Reports damage in one log. */
export type Report = (from: number, to: number, offset?: number) => void;

/** Forwards each report once. */
export function reportOnce(onCorrupt: OnCorrupt): (folder: string) => Report {
  const told = new Set<string>();
  return (folder) => (from, to, offset) => {
    const key = `${folder} ${from} ${to}`;
    if (told.has(key)) return;
    told.add(key);
    onCorrupt({ folder, from, to, ...(offset === undefined ? {} : { offset }) });
  };
}
