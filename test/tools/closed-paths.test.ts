/** What of the workspace may not be read: every answer says so, and tells it by its name. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { asOrdinaryOwner } from "./ordinary-owner.ts";
import { casesToRun } from "../support/extent.ts";

const onlyCall = "src/b.ts:2 three: export const three = add(1, 2);";

/** The answers before and after the path in the program's project may be read. */
async function askBeside(path: string): Promise<string[]> {
  const program = fileURLToPath(new URL("ask-beside-closed-path.ts", import.meta.url));
  const [command, ...args] = [...asOrdinaryOwner(), process.execPath, program, path];
  const { stdout } = await promisify(execFile)(command, args);
  expect(stdout).toMatch(/^closed\n/);
  return stdout.split("—end—");
}

// Windows closes files and folders by other means than a mode.
describe.skipIf(process.platform === "win32")("what may not be read", () => {
  it.each(
    casesToRun([
      ["src/closed", "Not searched: 1 folder that may not be read: src/closed."],
      ["src/closed/c.ts", "Not searched: 1 file that may not be read: src/closed/c.ts."],
    ]),
  )("an answer says that an unreadable path was not searched, until it may be read: %s", async (path, note) => {
    const [shut = "", opened = ""] = await askBeside(path);
    expect(shut).toContain(onlyCall);
    expect(shut).toContain("1 call site in 1 file");
    expect(shut).toContain("\nincomplete\n");
    expect(shut).toContain(`\n${note}\n`);
    expect(opened).toContain("2 call sites in 2 files");
    expect(opened).toContain("src/closed/c.ts");
    expect(opened).not.toContain("may not be read");
  });

  it("an answer names a component that may not be read, until it may be read", async () => {
    const [shut = "", opened = ""] = await askBeside("src/Card.vue");
    expect(shut).toContain("\nincomplete\nNot searched: src/Card.vue, which may not be read.\n");
    expect(opened).toContain('1 .vue file contains the word "add"');
    expect(opened).not.toContain("may not be read");
  });
});
