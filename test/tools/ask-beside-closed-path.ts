/**
 * A program: asks about a project with a folder or a file that may not be read, opens it, asks again and prints both answers.
 * Its argument is the path in the project. Run it without root's rights.
 */
import { accessSync, chmodSync, constants, statSync } from "node:fs";
import { openProject } from "../unit/typescript/with-typescript.ts";

const project = openProject({
  "tsconfig.json": '{ "compilerOptions": { "lib": ["es2022"], "types": [] }, "include": ["src"] }',
  "src/a.ts": "export function add(a: number, b: number): number {\n  return a + b;\n}\n",
  "src/b.ts": 'import { add } from "./a";\nexport const three = add(1, 2);\n',
  "src/closed/c.ts": 'import { add } from "../a";\nexport const five = add(2, 3);\n',
  "src/Card.vue": '<script>\nimport { add } from "./a";\n</script>\n',
});
const closed = `${project.root}/${process.argv[2] ?? ""}`;
const { mode } = statSync(closed);
chmodSync(closed, 0);
try {
  process.stdout.write(`${isReadable(closed) ? "readable" : "closed"}\n`);
  await ask();
  chmodSync(closed, mode);
  await ask();
} finally {
  chmodSync(closed, mode);
  await project.dispose();
}

async function ask(): Promise<void> {
  const { content, complete, notes = [] } = await project.whoCalls({ symbol: "add" });
  process.stdout.write([content, complete === true ? "complete" : "incomplete", ...notes, "—end—"].join("\n"));
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
