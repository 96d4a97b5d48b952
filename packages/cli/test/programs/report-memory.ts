/** Loaded before the program: reports its peak memory when it exits. */
process.on('exit', () => {
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stderr.write(`at most ${megabytes} MB\n`);
});
