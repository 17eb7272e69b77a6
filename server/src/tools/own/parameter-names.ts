/**
 * One name for one idea in every tool: `symbol` for an address, `path` for a file or folder. What programs and models
 * call the same by habit is taken for it, so that no request is lost over a name.
 */
import type { JsonSchema } from "../../protocol/shapes.ts";

const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  symbol: ["function", "variable", "class", "generic_function"],
  path: ["file", "file_path", "package"],
  inside: ["path"],
  pattern: ["query", "regex"],
  glob: ["pattern", "include"],
  form: ["code", "expression"],
  original: ["old_string", "old_str"],
  modified: ["new_string", "new_str", "content", "file_text"],
  command: ["cmd"],
  cwd: ["workdir", "working_directory"],
};

type Arguments = Readonly<Record<string, unknown>>;

/** `problem` is the end of a sentence about the arguments: one parameter has two different values. */
export type NamedArguments = { readonly args: Arguments } | { readonly problem: string };

/** The arguments under the names that the schema has; the same object when they are all there already. */
export function withOwnNames(schema: JsonSchema, args: Arguments): NamedArguments {
  const properties = (schema["properties"] ?? {}) as Arguments;
  // A schema that is open, or not ours, may mean what it is given.
  if (schema["additionalProperties"] !== false || typeof args !== "object" || args === null) return { args };
  const renamed: Record<string, unknown> = {};
  let isOther = false;
  for (const [name, value] of Object.entries(args)) {
    const own = Object.hasOwn(properties, name) ? name : (ownName(properties, name) ?? name);
    isOther ||= own !== name;
    if (Object.hasOwn(renamed, own) && renamed[own] !== value) {
      const all = Object.keys(args).filter((each) => each === own || OTHER_NAMES[own]?.includes(each));
      return { problem: `${all.map((each) => `\`${each}\``).join(" and ")} name the same: give \`${own}\` alone` };
    }
    Object.defineProperty(renamed, own, { value, enumerable: true, configurable: true, writable: true });
  }
  return { args: isOther ? renamed : args };
}

function ownName(properties: Arguments, name: string): string | undefined {
  return Object.keys(OTHER_NAMES).find((own) => Object.hasOwn(properties, own) && OTHER_NAMES[own]?.includes(name));
}
