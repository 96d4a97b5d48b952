export { findChromium } from './find-chromium.ts';
export { findViolations } from './find-violations.ts';
export { type OpenedBrowser, openBrowser } from './open-browser.ts';
