/** Loaded before the program: says on its end how much memory it had at most. */
process.on('exit', () => {
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stderr.write(`at most ${megabytes} MB\n`);
});
