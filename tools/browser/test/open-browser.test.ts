// @module-tag nightly: drives a browser.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { findChromium, findViolations, openBrowser } from '../src/index.ts';

test('A page of 127.0.0.1 opens in Chromium, its errors are seen, and axe finds what is wrong with it', async () => {
  const html =
    '<!doctype html><html lang=en><title>Test</title><main><h1>Test</h1><img src="x.png"><script>oops()</script>';
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  await using browser = await openBrowser();
  const { page, complaints } = await browser.open();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(await page.textContent('h1')).toBe('Test');
  expect(complaints).toEqual(['ReferenceError: oops is not defined']);
  expect(await findViolations(page)).toEqual([expect.stringContaining('image-alt')]);
});

test('No other host is reached, and the attempt is seen', async () => {
  await using browser = await openBrowser();
  const { page, complaints } = await browser.open();
  await expect(page.goto('http://keepsake.example/')).rejects.toThrow();
  expect(complaints).toEqual(['request to http://keepsake.example/']);
});

test('CHROMIUM_PATH is used where it is set, and an error says if it is wrong', async () => {
  expect(await findChromium({ CHROMIUM_PATH: process.execPath })).toBe(process.execPath);
  await expect(findChromium({ CHROMIUM_PATH: '/no/such/chromium' })).rejects.toThrow('CHROMIUM_PATH');
});
