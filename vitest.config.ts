import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const builtChild = fileURLToPath(new URL("test/support/built-child-folder.ts", import.meta.url));

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/fixtures/**"],
    alias: [{ find: /^\..*\/child-folder\.ts$/, replacement: builtChild }],
    globalSetup: ["test/support/build.ts"],
    // Real compilers, Node children and editors: two cores carry three files at a time, as a third of the time is waiting.
    maxWorkers: 3,
    // A file leaves nothing behind in its worker; one worker for many files saves the start of each and its imports.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is polled for comes late on a busy machine; a second, which is the default, is no test of anything.
    expect: { poll: { timeout: 20_000 } },
  },
});
