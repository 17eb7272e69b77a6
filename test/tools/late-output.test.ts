import { afterAll, beforeAll, expect, it } from "vitest";
import { LateOutput } from "../../server/src/repl/evaluation/late-output.ts";
import type { Repl } from "../../server/src/repl/repl.ts";
import { createEvalForm } from "../../server/src/tools/execution/eval-form.ts";
import { replOn, startTestImage, type TestImage } from "../unit/repl/with-image.ts";

let t: TestImage;
let repl: Repl;
beforeAll(() => {
  const late = new LateOutput();
  t = startTestImage({ onOutput: (output) => late.add(output) });
  repl = replOn(t.image, { memory: { takeLateOutput: () => late.take() } });
});
afterAll(() => t.dispose());

const evalForm = async (form: string): Promise<string> => {
  const tool = createEvalForm(repl, { findFile: () => ({ reason: "" }), showUri: String });
  const answer = await tool.run({ form }, { callId: "c", caller: "model", signal: new AbortController().signal });
  return typeof answer === "object" && answer !== null ? answer.content : (answer ?? "nil");
};

/** A form that prints when a later one calls `go`. */
const later = (print: string): string =>
  `globalThis.wait = new Promise<void>((r) => { globalThis.go = r }); void wait.then(() => { ${print} }); 1`;

it("gives the agent, with its next answer and once, what finished forms printed", async () => {
  await evalForm(later("console.log('first line'); console.error('second line')"));
  expect(await evalForm("globalThis.go(); await null; console.log('own'); 3")).toMatch(
    /^3\n: number, kept as \$2\nstdout:\n {2}own\n(?:note: .*\n)*note: Form 1 printed meanwhile:\n {2}first line\n {2}second line\n\(value/,
  );
  expect(await evalForm("4")).not.toContain("meanwhile");
});

it("keeps the end of much output, and says how much came before", async () => {
  await evalForm(later("for (let i = 0; i < 500; i++) console.log(`line ${i}`)"));
  const said = await evalForm("globalThis.go(); await null; 6");
  expect(said).toMatch(/printed meanwhile:\n {2}… \d+ characters before this\n/);
  expect(said).toContain("line 499\n(value");
  expect(said.length).toBeLessThan(2500);
});

it("leaves the person's answers as they are: the log shows it all", async () => {
  await evalForm(later("console.log('for the log')"));
  const result = await repl.evaluate({ code: "go(); await null; 8", by: "person" }, new AbortController().signal);
  expect(result.notes).toEqual([]);
  expect(await evalForm("9")).toContain("for the log");
});
