import type { Output } from './output.ts';

/** Formats an ISO 8601 time: on a terminal such as `2026-05-05 14:03` in the local time zone, otherwise unchanged. */
export function formatTime(output: Output, time: string): string {
  return output.isTerminal ? localTime(time) : time;
}

function localTime(time: string): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
