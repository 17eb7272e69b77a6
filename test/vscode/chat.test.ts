/** The chat in VS Code's side bar, as a person uses it. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { call, reply } from "../../examples/demo/model/script.ts";
import type { Turn } from "../../examples/demo/model/turn.ts";
import { startScriptedModel, type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import { startVsCode } from "./support/stage.ts";
import type { VsCode } from "./support/vscode.ts";

const root = join(import.meta.dirname, "../..");
const LONG = Array.from({ length: 60 }, (_, index) => `Paragraph ${index} about \`src/allocate.ts:${index + 1}\`.`);

const script = {
  name: "chat",
  description: "asks before it restarts the REPL, and answers at length",
  reply: ({ prompt, step }: Turn) => {
    if (!prompt.includes("restart")) return reply(LONG.join("\n\n"));
    const asks = reply("I restart it.", call("restart_repl", {}));
    if (step > 0) return reply("You said no.");
    return prompt.includes("slowly") ? { ...asks, delayMs: 4000 } : asks;
  },
};

let vs: VsCode;
let model: ScriptedModel;
beforeEach(async () => {
  model = await startScriptedModel(script, { project: join(root, "examples/invoices") });
  const command = [process.execPath, join(root, "bin/agentq.js"), "--stdio"];
  vs = await startVsCode({
    settings: { command, "agentq.settings": { policy: { ask: ["restart_repl"] } } },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "sk-scripted", AGENTQ_MODEL: "scripted" },
  });
});
afterEach(async () => {
  await vs.picture("last");
  await vs.dispose();
  await model.dispose();
});

it("asks in a card that no Enter answers, follows a long answer, and is there again after a reload", async () => {
  // The palette knows a command once the extension is there.
  await vs.page.locator('.activitybar [aria-label^="Agent-Q"]').first().waitFor();
  await vs.command("Agent-Q: Ask");
  const page = await vs.webview("footer textarea");
  const input = page.locator("footer textarea");
  await page.locator(".banner").waitFor({ state: "hidden" });
  await expect.poll(() => input.evaluate((area) => area === area.ownerDocument.activeElement)).toBe(true);
  await vs.page.keyboard.type("Please restart it\n");
  const card = page.locator(".card.approval");
  await card.waitFor();
  for (let count = 0; count < 5; count += 1) await vs.page.keyboard.press("Enter");
  await vs.page.keyboard.type("typed while it asks");
  await vs.picture("asks");
  expect(await card.innerText()).toContain("May the agent call restart_repl?");
  expect(await input.inputValue()).toBe("typed while it asks");
  expect(model.requests).toHaveLength(1);

  await card.locator("input").fill("not today");
  await card.getByText("Deny", { exact: true }).click();
  await page.locator(".end.calm").waitFor();
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("not today");

  await input.fill("At length");
  await input.press("Enter");
  await input.fill("a draft");
  await page.locator(".end.calm").nth(1).waitFor();
  await vs.picture("long");
  const left = await page.locator(".scroller").evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight);
  expect(left).toBeLessThan(2);
  await page.getByRole("link", { name: "src/allocate.ts:60" }).click();
  await vs.page.locator('.tab[data-resource-name="allocate.ts"]').waitFor();

  await vs.reload();
  await vs.page.locator('.activitybar [aria-label^="Agent-Q"]').first().waitFor();
  await vs.command("Agent-Q: Ask");
  const again = await vs.webview("footer textarea");
  await again.locator(".end.calm").nth(1).waitFor();
  await vs.picture("reloaded");
  expect(await again.locator("footer textarea").inputValue()).toBe("a draft");
  expect(await again.locator(".call .name").allInnerTexts()).toEqual(["restart_repl"]);

  await again.getByText("may act").click();
  await again.getByText("plan only").waitFor();
  await again.getByText("Plan mode: nothing is changed or run").waitFor();
  await vs.picture("plan");
});

it("takes no Enter that is typed in the code for an answer", async () => {
  await vs.command("Agent-Q: Ask");
  const page = await vs.webview("footer textarea");
  await page.locator(".banner").waitFor({ state: "hidden" });
  await page.locator("footer textarea").fill("Please restart it slowly");
  await page.locator("footer textarea").press("Enter");
  await vs.open("src/allocate.ts", 3);
  const card = page.locator(".card.approval");
  for (const end = Date.now() + 30_000; (await card.count()) === 0 && Date.now() < end;) {
    await vs.page.keyboard.type("x\n");
  }
  for (let count = 0; count < 20; count += 1) await vs.page.keyboard.type("x\n");
  await vs.picture("typed");
  expect(await card.count()).toBe(1);
  expect(model.requests).toHaveLength(1);
  await card.getByText("Deny", { exact: true }).click();
  await page.getByText("You said no.").first().waitFor();
});
