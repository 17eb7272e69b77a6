/** The declarations, imports and exports of a module's TypeScript at the top level, with their places. */
import { parseSync } from "../../base/parser.ts";
import { OutlineReader } from "./outline-reader.ts";
import type { ModuleOutline } from "./outline-types.ts";

interface Recent {
  readonly path: string;
  readonly text: string;
  readonly outline: ModuleOutline | undefined;
}

const REMEMBERED = 6;
/** One installation asks for the same few texts several times, and a large text takes long to parse. */
let recent: readonly Recent[] = [];

/** Undefined when the text does not parse. */
export function moduleOutline(path: string, text: string): ModuleOutline | undefined {
  let found = recent.find((each) => each.path === path && each.text === text);
  found ??= { path, text, outline: parseOutline(path, text) };
  recent = [found, ...recent.filter((each) => each !== found)].slice(0, REMEMBERED);
  return found.outline;
}

function parseOutline(path: string, text: string): ModuleOutline | undefined {
  const { program, errors } = parseSync(path, text, { preserveParens: false });
  if (errors.some((error) => (error.severity as string) === "Error")) return undefined;
  const outline = new OutlineReader(text);
  for (const statement of program.body) outline.read(statement);
  return outline;
}
