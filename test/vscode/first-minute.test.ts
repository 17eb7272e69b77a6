/** VS Code as a stranger finds it after the installation of the packed extension: no program, a wrong one, the right one. */
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { startVsCode } from "./support/stage.ts";
import type { VsCode } from "./support/vscode.ts";

const root = join(import.meta.dirname, "../..");
let vs: VsCode;
afterEach(async () => {
  await vs.picture("last");
  await vs.dispose();
});

it("says what to do where the program is not found, and starts once a right command is chosen", async () => {
  vs = await startVsCode({ settings: { command: ["no-such-agentq", "--stdio"] } });
  const message = vs.page.locator(".notification-toast").filter({ hasText: "no-such-agentq" });
  await message.waitFor();
  await vs.picture("not-found");
  expect(await message.locator(".monaco-button").allTextContents()).toEqual(
    expect.arrayContaining(["Install", "Choose the Command", "Open Settings"]),
  );
  await message.getByText("Choose the Command").click();
  const input = vs.page.locator(".quick-input-widget input[type=text]").first();
  await input.fill(`${process.execPath} ${join(root, "bin/agentq.js")} --stdio`);
  await vs.page.keyboard.press("Enter");
  await vs.command("Agent-Q: Show the Log");
  await vs.page
    .locator(".output-view .view-line")
    .filter({ hasText: /TypeScript.*ready/ })
    .first()
    .waitFor();
  await vs.picture("ready");
});

it("says what the program said that did not start", async () => {
  const command = [process.execPath, "-e", "console.error('this program needs a newer Node'); process.exit(1)"];
  vs = await startVsCode({ settings: { command } });
  await vs.page.locator(".notification-toast").filter({ hasText: "this program needs a newer Node" }).first().waitFor();
  await vs.picture("did-not-start");
});
