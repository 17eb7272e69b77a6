/** Our own programs and reporters, as programs behind the wall load them. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CHILD_EXTENSION, CHILD_FOLDER } from "../../child-folder.ts";
import type { PlanSetting } from "./walled-plan.ts";

/** `name` is that of a file in `child/tests/`. */
export function childProgram(name: string): string {
  return join(CHILD_FOLDER, `tests/${name}${CHILD_EXTENSION}`);
}

/**
 * Each runner needs its reporter in another form. Answers the path of a module with the reporter's class in that form.
 */
export async function handReporter(
  { room, prefix }: PlanSetting,
  { file, name, format }: { readonly file: string; readonly name: string; readonly format: "cjs" | "mjs" },
): Promise<string> {
  const path = childProgram(file);
  const text =
    format === "cjs"
      ? `module.exports = require(${JSON.stringify(path)}).${name};\n`
      : `export { ${name} as default } from ${JSON.stringify(pathToFileURL(path).href)};\n`;
  return room.hand(`${prefix}reporter.${format}`, text);
}
