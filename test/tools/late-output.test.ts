import { afterAll, beforeAll, expect, it } from "vitest";
import { createLateOutput } from "../../server/src/repl/evaluation/late-output.ts";
import { rememberEvaluations } from "../../server/src/repl/history/remembering-image.ts";
import type { Image } from "../../server/src/repl/image.ts";
import { createEvalForm } from "../../server/src/tools/execution/eval-form.ts";
import { startTestImage, until, type TestImage } from "../unit/repl/with-image.ts";

let t: TestImage;
let image: Image;
let printed = "";
beforeAll(() => {
  const late = createLateOutput();
  const onOutput: (output: Parameters<typeof late.add>[0]) => void = (output) => {
    printed += output.text;
    late.add(output);
  };
  t = startTestImage({ onOutput });
  image = rememberEvaluations(t.image, { onStartupFailed: () => {}, takeLateOutput: late.take });
});
afterAll(() => t.dispose());

const evalForm = async (form: string): Promise<string> => {
  const tool = createEvalForm({ ...image, findModule: () => ({ reason: "" }), showUri: String });
  const answer = await tool.run({ form }, { callId: "c", caller: "model", signal: new AbortController().signal });
  return typeof answer === "object" && answer !== null ? answer.content : (answer ?? "nil");
};

it("tells the agent with its next answer what forms printed that were over, once", async () => {
  await evalForm("globalThis.go = () => {}; const wait = new Promise<void>((r) => { globalThis.go = r }); 1");
  await evalForm("void wait.then(() => { console.log('first line'); console.error('second line') }); 2");
  expect(await evalForm("globalThis.go(); await null; console.log('own'); 3")).toMatch(
    /^3\n: number, kept as \$3\nstdout:\nown\n(?:note: .*\n)*note: Form 2 printed meanwhile:\n {2}first line\n {2}second line\n\(value/,
  );
  expect(await evalForm("4")).not.toContain("meanwhile");
});

it("keeps the end of much output, and says how much came before", async () => {
  await evalForm("setTimeout(() => { for (let i = 0; i < 500; i++) console.log(`line ${i}`) }, 1); 5");
  await until(() => printed.includes("line 499"));
  const said = await evalForm("6");
  expect(said).toMatch(/printed meanwhile:\n {2}… \d+ characters before this\n/);
  expect(said).toContain("line 499\n(value");
  expect(said.length).toBeLessThan(2500);
});

it("leaves the person's answers as they are: the log shows it all", async () => {
  await evalForm("setTimeout(() => console.log('for the log'), 1); 7");
  await until(() => printed.includes("for the log"));
  const result = await image.evaluate({ code: "8", by: "person" }, new AbortController().signal);
  expect(result.notes).toEqual([]);
  expect(await evalForm("9")).toContain("for the log");
});
