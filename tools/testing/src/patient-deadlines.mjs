// Preloaded into programs that must do all that they can, however busy the machine is: their deadlines are 30 times as late.
const { setTimeout: plainTimeout } = globalThis;
const patientTimeout = (callback, ms = 0, ...values) => plainTimeout(callback, ms < 1_000 ? ms : 30 * ms, ...values);
globalThis.setTimeout = Object.defineProperties(patientTimeout, Object.getOwnPropertyDescriptors(plainTimeout));
