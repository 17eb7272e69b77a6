/**
 * Vitest loads this in each of its threads before a test file: a thread that was started without the confinement of its
 * process runs no test, and the others give up what only vitest itself needed.
 */
interface Permission {
  readonly has: (right: string, path?: string) => boolean;
  readonly drop: (right: string) => void;
}

const { permission } = process as unknown as { readonly permission?: Permission };
if (permission === undefined || permission.has("fs.write", process.cwd())) {
  throw new Error("This version of vitest starts its threads without the confinement of its process; nothing was run.");
}
for (const right of ["worker", "child"]) permission.drop(right);
