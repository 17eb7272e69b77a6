/** The functions that Lua modules of the client call in each other, for those that no such module has. */
import type { LuaFile } from "./lua-fields.ts";

const MODULE = String.raw`require\("agentq\.([\w.]+)"\)`;

export function missingFunctions(files: readonly LuaFile[]): string[] {
  const defined = new Map(files.map(({ name, text }) => [moduleOf(name), namesIn(text)]));
  return files.flatMap(({ name, text }) => {
    const code = text.replaceAll(/^\s*--.*$/gm, "");
    return calls(code)
      .filter(([module, called]) => defined.get(module)?.has(called) !== true)
      .map(([module, called]) => `${name}: agentq.${module} has no ${called}`);
  });
}

/** What is read of a module, where it is required or by the local name that it has. */
function calls(code: string): [string, string][] {
  const direct = [...code.matchAll(new RegExp(String.raw`${MODULE}\s*\.(\w+)`, "g"))];
  const found = direct.map(([, module = "", called = ""]): [string, string] => [module, called]);
  for (const [, alias = "", module = ""] of code.matchAll(new RegExp(String.raw`^local (\w+) = ${MODULE}$`, "gm"))) {
    const uses = code.matchAll(new RegExp(String.raw`(?<![\w.:"])${alias}\.(\w+)\(`, "g"));
    for (const [, called = ""] of uses) found.push([module, called]);
  }
  return found;
}

/** What a module's table holds, by whatever local name the file ends with. */
function namesIn(text: string): Set<string> {
  const table = /\nreturn (\w+)\s*$/.exec(text)?.[1] ?? "M";
  const defined = text.matchAll(
    new RegExp(String.raw`(?:function ${table}[.:](\w+)|^${table}\.(\w+)(?:, ${table}\.(\w+))* = )`, "gm"),
  );
  return new Set([...defined].flatMap((match) => match.slice(1).filter((name) => name !== undefined)));
}

function moduleOf(file: string): string {
  return file.replace(/(?:\/init)?\.lua$/, "").replaceAll("/", ".");
}
