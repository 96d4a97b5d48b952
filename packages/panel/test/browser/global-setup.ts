import { builtApp } from './built-app.ts';

/** Before the workers start, so that no two of them build the page at once. */
export default function setup(): void {
  builtApp();
}
