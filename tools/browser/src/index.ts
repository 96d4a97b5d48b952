export { findChromium } from './find-chromium.ts';
export { findViolations } from './find-violations.ts';
export { type OpenedBrowser, openBrowser, type Page } from './open-browser.ts';
