/** The code that installs declarations: it reads, sets and defines names in their own scope. */
import { inKernel } from "../../child/wire/kernel-call.ts";
import type { InstallName, InstallSpec } from "../../redefine/installation.ts";
import type { InstallTarget } from "./install-types.ts";
import type { FormScope, WrittenForm } from "../scope-types.ts";
import { contentsOf, enterCode, growCode, type Snippet, type SnippetParts } from "../snippet/snippet.ts";
import { given } from "../../../base/given.ts";

/** Puts the form into a function. The kernel calls it, and reads the names before and after the call. */
export function installingSnippet(
  { number, scope }: WrittenForm,
  parts: SnippetParts,
  names: readonly InstallName[],
  target: InstallTarget,
): Snippet {
  const { edited, hoisted, mapper } = parts;
  const gets = names.map((each) => `${JSON.stringify(each.name)}:${getter(each)}`).join(",");
  const sets = names.map((each) => `${JSON.stringify(each.name)}:${setter(each)}`).join(",");
  const grow = scope.kind === "module" ? `grow:()=>${growCode(scope.url).slice(0, -1)},` : "";
  const access = `({get:{${gets}},set:{${sets}},${grow}run:${inKernel("same")}(async()=>{`;
  const spec = specOf(names, scope, target);
  const enter = enterCode(number);
  if (scope.kind === "global") {
    edited
      .prepend(`${enter}${hoisted}await ${inKernel("install")}(${JSON.stringify(spec)},${access}`)
      .append("\n})}))\n");
    edited.append(`//# sourceURL=repl:${number}`);
    return { ...contentsOf(parts, scope), code: edited.toString(), mapper: mapper() };
  }
  edited.prepend(hoisted + access).append(`\n})})\n//# sourceURL=repl:${number}`);
  const code = enter + callInModule(edited.toString(), spec, scope.url, number);
  return { ...contentsOf(parts, scope), code, mapper: mapper() };
}

/**
 * The target of an assignment may not exist before the form, or the same text may not reach it: then the getter answers
 * undefined.
 */
function getter({ name, kind }: InstallName): string {
  return kind === "assigned" ? `()=>{try{return ${name}}catch{}}` : `()=>${name}`;
}

/** Restores the earlier value. */
function setter({ name, kind }: InstallName): string {
  if (kind !== "assigned") return `($)=>{${name}=$}`;
  const remove = /[.[]/.test(name) ? `if($===undefined)delete ${name};else ` : "";
  return `($)=>{try{${remove}${name}=$}catch{}}`;
}

/** Loads the module first; then the form runs in an evaluator of the module's scope. */
export function callInModule(inner: string, spec: InstallSpec, url: string, number: number): string {
  const where = JSON.stringify(url);
  const access = `${inKernel("within")}(${where},${JSON.stringify(inner)})`;
  return `await ${inKernel("ready")}(${where});await ${inKernel("install")}(${JSON.stringify(spec)},${access})\n//# sourceURL=repl-call:${number}`;
}

export function specOf(names: readonly InstallName[], scope: FormScope, target: InstallTarget): InstallSpec {
  const { path, isCommonJs, holders } = target;
  const url = scope.kind === "module" ? { url: scope.url } : {};
  const losses = target.losses === undefined ? {} : { losses: target.losses };
  return { ...url, ...given({ path }), isCommonJs, names, modules: holders, ...losses };
}
