/**
 * A program: asks about a project with a folder that may not be read, opens the folder, asks again and prints both answers.
 * Run it without root's rights.
 */
import { chmodSync, readdirSync } from "node:fs";
import { openProject } from "../unit/typescript/with-typescript.ts";

const project = openProject({
  "tsconfig.json": '{ "compilerOptions": { "lib": ["es2022"], "types": [] }, "include": ["src"] }',
  "src/a.ts": "export function add(a: number, b: number): number {\n  return a + b;\n}\n",
  "src/b.ts": 'import { add } from "./a";\nexport const three = add(1, 2);\n',
  "src/closed/c.ts": 'import { add } from "../a";\nexport const five = add(2, 3);\n',
});
const closed = `${project.root}/src/closed`;
chmodSync(closed, 0);
try {
  process.stdout.write(`${isReadable(closed) ? "readable" : "closed"}\n`);
  await ask();
  chmodSync(closed, 0o755);
  await ask();
} finally {
  chmodSync(closed, 0o755);
  await project.dispose();
}

async function ask(): Promise<void> {
  const { content, complete, notes = [] } = await project.whoCalls({ function: "add" });
  process.stdout.write([content, complete === true ? "complete" : "incomplete", ...notes, "—end—"].join("\n"));
}

function isReadable(folder: string): boolean {
  try {
    readdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
