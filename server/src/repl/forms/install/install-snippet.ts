/**
 * Turns a form of declarations into code that installs them in a running scope: all of them, or none when one fails.
 */
import { planOf } from "../../source/classes/class-spec.ts";
import { kernelCall } from "../../child/wire/kernel-call.ts";
import { giveImports } from "../dropped-imports.ts";
import { installingSnippet } from "./install-code.ts";
import { installMethod } from "./install-method.ts";
import type { InstallSnippet, InstallTarget, ReloadPlan } from "./install-types.ts";
import type { InstalledKind, InstallName } from "../../redefine/installation.ts";
import type { LossSpec } from "../../redefine/lost-state.ts";
import { parseMethodForm } from "../../source/method-form.ts";
import { moduleOutline } from "../../source/module-outline.ts";
import { EMPTY_OUTLINE, NAMELESS, type ModuleOutline } from "../../source/outline-types.ts";
import { NO_CONTENTS } from "../scope-memory.ts";
import { namesOf, type FormScope, type WrittenForm } from "../scope-types.ts";
import { enterCode, isSnippetProblem, takeApart, type SnippetProblem } from "../snippet/snippet.ts";
import { positionAt } from "../../source/source-position.ts";

const DECORATORS = /^\s*(?:@[\w$.]+(?:\([^()]*\))?\s*)+/;
const DECORATED_MEMBER =
  "Decorators are applied when a class is defined: give the whole class, or the method without them.";

export function rewriteInstall(written: WrittenForm, target: InstallTarget): InstallSnippet | SnippetProblem {
  const { text, scope, emit } = written;
  const method = parseMethodForm(text, emit, (edited, body) => giveImports(edited, body, scope));
  if (method !== undefined) return installMethod(written, method, target);
  const undecorated = text.replace(DECORATORS, "");
  const isMember = undecorated !== text && parseMethodForm(undecorated, emit) !== undefined;
  if (isMember) return { message: DECORATED_MEMBER };
  const form = moduleOutline("form.ts", text) ?? moduleOutline("form.tsx", text);
  const parts = takeApart(written, "install");
  if (isSnippetProblem(parts)) return parts;
  const outline = form ?? EMPTY_OUTLINE;
  const refused = refusal(written, outline, target);
  if (refused !== undefined) return refused;
  const kinds = kindsOf(outline, scope);
  const known = namesOf(scope);
  const exportedLocals = new Set(target.outline?.exports.values());
  const names = [...parts.names]
    .filter((name) => kinds.has(name))
    .map((name): InstallName => {
      const spec = parts.classes.get(name);
      const exported = outline.declarations.some((each) => each.name === name && each.exported);
      const beside = kinds.get(name) === "enum" ? besideEnum(target.outline, name) : [];
      return {
        name,
        kind: kinds.get(name) ?? "variable",
        known: known.has(name),
        ...(spec === undefined ? {} : { plan: planOf(scope.classes?.get(name), spec) }),
        ...(exported ? { exported } : {}),
        ...(target.isCommonJs && exportedLocals.has(name) ? { isCopied: true } : {}),
        ...(beside.length === 0 ? {} : { beside }),
      };
    });
  names.push(...assignedPlaces(outline, names));
  return { ...installingSnippet(written, parts, names, target), form: outline, installs: names, source: text };
}

function besideEnum(outline: ModuleOutline | undefined, name: string): string[] {
  return (outline?.declarations ?? []).flatMap((each) => (each.name === name ? (each.members ?? []) : []));
}

function assignedPlaces({ statements }: ModuleOutline, names: readonly InstallName[]): InstallName[] {
  const places = new Set(statements.flatMap(({ target }) => (target === undefined ? [] : [target])));
  for (const { name } of names) places.delete(name);
  return [...places].map((name) => ({ name, kind: "assigned", known: true }));
}

/**
 * The kinds of the form's own declarations. Other names in the emitted code are helpers of a transpiler, which are
 * installed without a report.
 */
function kindsOf(form: ModuleOutline, scope: FormScope): ReadonlyMap<string, InstalledKind> {
  const kinds = new Map<string, InstalledKind>();
  for (const { name, kind, isAmbient } of form.declarations) {
    if (isAmbient || kind === "interface" || kind === "type") continue;
    const binding = name === NAMELESS && scope.kind === "module" ? scope.defaultName : name;
    if (binding !== undefined && !(kinds.has(binding) && kind === "namespace")) kinds.set(binding, kind);
  }
  for (const { local } of form.imports) kinds.set(local, "variable");
  return kinds;
}

function refusal({ text, scope }: WrittenForm, form: ModuleOutline, target: InstallTarget): SnippetProblem | undefined {
  const at = (offset: number): Pick<SnippetProblem, "position"> => ({ position: positionAt(text, offset) });
  for (const { isAssignment, start } of form.statements) {
    if (isAssignment) continue;
    const place = scope.kind === "module" ? " and this `path`" : "";
    return { message: `compile_form installs declarations only; run statements with eval_form${place}.`, ...at(start) };
  }
  for (const { name, start } of form.declarations) {
    const imported = target.outline?.imports.find(({ local }) => local === name);
    if (imported === undefined) continue;
    const message = `${name} is imported from ${imported.specifier}: redefine it there (path: that module).`;
    return { message, ...at(start) };
  }
  if (form.declarations.length + form.statements.length + form.imports.length + form.reexports.length === 0) {
    return { message: "There is no declaration in the form: nothing to install." };
  }
  return undefined;
}

/** The module is loaded from its changed text, and the form itself is not evaluated. */
export function reloadSnippet(
  number: number,
  form: ModuleOutline,
  losses: LossSpec,
  reload: ReloadPlan,
): InstallSnippet {
  const { urls } = reload;
  const call = `await ${kernelCall("reload", { losses }, urls)}`;
  const code = `${enterCode(number)}${call}\n//# sourceURL=repl-call:${number}`;
  return { ...NO_CONTENTS, imports: true, code, mapper: () => undefined, form, installs: [], reload };
}
