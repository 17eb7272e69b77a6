/** Where a long run is, on the error output: a line now and then, so that thousands of short rounds stay readable. */

const QUIET_MS = 5_000;
let lastLine = 0;

export function progress(where: string): void {
  const now = performance.now();
  if (now - lastLine < QUIET_MS) return;
  lastLine = now;
  console.error(`  ${Math.round(now / 1_000)} s: ${where}`);
}
