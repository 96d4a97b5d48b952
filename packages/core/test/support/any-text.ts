import fc from 'fast-check';

/** Any character but a surrogate. For `unit: 'binary'`, fast-check spends seconds on a table of all characters. */
const unit = fc.integer({ min: 0, max: 0x10f7ff }).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

/** Text of any characters. */
export const anyText = (maxLength?: number) => fc.string({ unit, ...(maxLength === undefined ? {} : { maxLength }) });
