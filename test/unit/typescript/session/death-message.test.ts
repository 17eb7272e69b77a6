import { expect, it } from "vitest";
import { LastWords } from "../../../../server/src/typescript/session/death-message.ts";

const launcher = `file:///agentq/node_modules/typescript/lib/getExePath.js:50
            throw new Error("Unable to resolve " + platformPackageName);
            ^

Error: Unable to resolve @typescript/typescript-linux-x64. Either your platform is unsupported, or it is missing.
    at getExePath (file:///agentq/node_modules/typescript/lib/getExePath.js:50:19)
    at ModuleJob.run (node:internal/modules/esm/module_job:343:25)

Node.js v24.21.0
`;
const panic = `panic: runtime error: index out of range [3] with length 2

goroutine 41 [running]:
github.com/microsoft/typescript-go/internal/checker.(*Checker).checkExpression(0xc0001)
`;

it.each([
  [launcher, /^Error: Unable to resolve @typescript\/typescript-linux-x64\. Either .* missing$/],
  [panic, /^panic: runtime error: index out of range \[3\] with length 2$/],
  ["one\ntwo\n\nthree\nfour", /^two three four$/],
  ["", /^$/],
])("keeps the line of %j that says why", (said, expected) => {
  const whole = new LastWords();
  whole.hear(said);
  expect(whole.text()).toMatch(expected);
  const piecemeal = new LastWords();
  for (const letter of said) piecemeal.hear(letter);
  expect(piecemeal.text()).toMatch(expected);
});
