import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { factor } from "./test/support/fuzz.ts";

const builtChild = fileURLToPath(new URL("test/support/built-child-folder.ts", import.meta.url));

/** How a write to a process fails that has ended. */
const GONE = new Set<unknown>(["EPIPE", "ERR_STREAM_DESTROYED"]);

/** What takes a worker longest comes first, so that the others do not wait for it in the end; then the larger files. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => /\/test\/(?:emacs|golden)\/[^/]+$/.test(moduleId);
    return (await super.sort(files)).toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}

const isVsCode = process.env["AGENTQ_VSCODE"] !== undefined;

export default defineConfig({
  test: {
    // A real VS Code is built for minutes: `npm run test:vscode`.
    include: [isVsCode ? "test/vscode/**/*.test.ts" : "test/**/*.test.ts"],
    exclude: ["test/fixtures/**", ...(isVsCode ? [] : ["test/vscode/**"])],
    alias: [{ find: /^\..*\/child-folder\.ts$/, replacement: builtChild }],
    globalSetup: ["test/support/build.ts"],
    setupFiles: ["test/support/each-file.ts"],
    // Real compilers, Node children and editors: two cores carry five files at a time, as more than half of the time of most is waiting.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    // The servers of tests make much garbage that is young: with room for it, collecting it takes an eighth less of the processor.
    execArgv: ["--min-semi-space-size=32", "--max-semi-space-size=64"],
    // A file leaves nothing behind in its worker; one worker for many files saves the start of each and its imports.
    isolate: false,
    // A limit tells what hangs from what is slow, and a busy machine is slow; a longer run draws more cases for each law.
    testTimeout: factor > 1 || isVsCode ? 180_000 : 120_000,
    hookTimeout: 120_000,
    // vscode-jsonrpc, which is in the compiler's own client too, rejects a request whose process is gone, and then once more
    // where nobody can catch it.
    onUnhandledError: ({ stack = "", ...error }) =>
      !("code" in error && GONE.has(error["code"]) && /vscode-jsonrpc|dist\/api\.js/.test(stack)),
    // What is polled for comes late on a busy machine; a second, which is the default, is no test of anything.
    expect: { poll: { timeout: 40_000 } },
  },
});
