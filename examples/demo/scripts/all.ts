/** Every script that the scripted model can be started with. */
import type { Script } from "../model/script.ts";
import { addMethod } from "./add-method.ts";
import { demo } from "./demo.ts";
import { describe } from "./describe.ts";
import { fixBug } from "./fix-bug.ts";
import { liveBug } from "./live-bug.ts";
import { newFile } from "./new-file.ts";
import { smallScripts } from "./small.ts";

export const scripts: readonly Script[] = [describe, fixBug, addMethod, newFile, liveBug, demo, ...smallScripts];

export function scriptNamed(name: string): Script {
  const found = scripts.find((script) => script.name === name);
  if (found === undefined) throw new RangeError(`there is no script "${name}"`);
  return found;
}
