/** Turns a form of declarations into what installs them in a scope that runs: all of them, or none when one fails. */
import { inKernel, kernelCall } from "../child/wire/kernel-call.ts";
import { planOf } from "../source/class-spec.ts";
import type { HolderModule, InstalledKind, InstallName, InstallSpec } from "../redefine/installation.ts";
import type { LossSpec } from "../redefine/lost-state.ts";
import type { MemberText } from "../redefine/member-merge.ts";
import { giveImports } from "./dropped-imports.ts";
import { parseMethodForm, type MethodForm } from "../source/method-form.ts";
import { moduleOutline, NAMELESS, type ModuleOutline } from "../source/module-outline.ts";
import { NO_CONTENTS } from "./scope-memory.ts";
import { contentsOf, enterCode, growCode, isSnippetProblem, takeApart } from "./snippet.ts";
import type { Snippet, SnippetParts, SnippetProblem } from "./snippet.ts";
import { namesOf, type FormScope, type WrittenForm } from "./scope-types.ts";
import { positionAt } from "../source/source-position.ts";
import { given } from "../../given.ts";

export interface InstallTarget {
  readonly path?: string;
  readonly isCommonJs: boolean;
  /** The module as it runs. */
  readonly outline?: ModuleOutline;
  readonly holders: readonly HolderModule[];
  /** What a reload would lose, where the form may need one. */
  readonly losses?: LossSpec;
}

export interface ReloadPlan {
  readonly urls: readonly string[];
  /** Takes the reload back when it failed. */
  readonly undo: () => void;
  /** The module and who is loaded with it, project-relative. */
  readonly paths: readonly string[];
  /** Methods that were installed by themselves: the reload is without them. */
  readonly methods: readonly string[];
}

export interface InstallSnippet extends Snippet {
  readonly form: ModuleOutline;
  readonly installs: readonly InstallName[];
  /** The form itself, where it can be put into the source of the module: one method by itself cannot. */
  readonly source?: string;
  readonly member?: MemberText;
  readonly reload?: ReloadPlan;
}

const DECORATORS = /^\s*(?:@[\w$.]+(?:\([^()]*\))?\s*)+/;
const DECORATED_MEMBER =
  "Decorators are applied when a class is defined: give the whole class, or the method without them.";
const LITERAL = "(__agentq$p)=>({__proto__:__agentq$p,";
const EMPTY: ModuleOutline = { declarations: [], imports: [], reexports: [], exports: new Map(), statements: [] };

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
  const outline = form ?? EMPTY;
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
  return { ...assemble(written, parts, names, target), form: outline, installs: names, source: text };
}

function besideEnum(outline: ModuleOutline | undefined, name: string): string[] {
  return (outline?.declarations ?? []).flatMap((each) => (each.name === name ? (each.members ?? []) : []));
}

function assignedPlaces({ statements }: ModuleOutline, names: readonly InstallName[]): InstallName[] {
  const places = new Set(statements.flatMap(({ target }) => (target === undefined ? [] : [target])));
  for (const { name } of names) places.delete(name);
  return [...places].map((name) => ({ name, kind: "assigned", known: true }));
}

/** Names that the emitted code has beyond the form's own are a transpiler's helpers: they are installed unseen. */
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
    const tool = scope.kind === "module" ? "eval_in_package" : "eval_form";
    return { message: `compile_form installs declarations only; run statements with ${tool}.`, ...at(start) };
  }
  for (const { name, start } of form.declarations) {
    const imported = target.outline?.imports.find(({ local }) => local === name);
    if (imported === undefined) continue;
    const message = `${name} is imported from ${imported.specifier}: redefine it there (package: that module).`;
    return { message, ...at(start) };
  }
  if (form.declarations.length + form.statements.length + form.imports.length + form.reexports.length === 0) {
    return { message: "There is no declaration in the form: nothing to install." };
  }
  return undefined;
}

function assemble(
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

/** What is assigned to may not be there before, nor be reached by the same text: then there is nothing to tell of it. */
function getter({ name, kind }: InstallName): string {
  return kind === "assigned" ? `()=>{try{return ${name}}catch{}}` : `()=>${name}`;
}

/** Puts back what was there. */
function setter({ name, kind }: InstallName): string {
  if (kind !== "assigned") return `($)=>{${name}=$}`;
  const remove = /[.[]/.test(name) ? `if($===undefined)delete ${name};else ` : "";
  return `($)=>{try{${remove}${name}=$}catch{}}`;
}

function callInModule(inner: string, spec: InstallSpec, url: string, number: number): string {
  const where = JSON.stringify(url);
  const access = `${inKernel("within")}(${where},${JSON.stringify(inner)})`;
  return `await ${inKernel("ready")}(${where});await ${inKernel("install")}(${JSON.stringify(spec)},${access})\n//# sourceURL=repl-call:${number}`;
}

function specOf(names: readonly InstallName[], scope: FormScope, target: InstallTarget): InstallSpec {
  const { path, isCommonJs, holders } = target;
  const url = scope.kind === "module" ? { url: scope.url } : {};
  const losses = target.losses === undefined ? {} : { losses: target.losses };
  return { ...url, ...given({ path }), isCommonJs, names, modules: holders, ...losses };
}

function installMethod(
  { number, scope }: WrittenForm,
  method: MethodForm,
  target: InstallTarget,
): InstallSnippet | SnippetProblem {
  const { owner, member, isStatic, uses } = method;
  const label = `${owner}.${member}`;
  const [root = owner] = owner.split(".");
  if (scope.kind === "module" && !namesOf(scope).has(root))
    return { message: `${root} is not declared in ${target.path ?? ""}.` };
  if (member.startsWith("#")) {
    return { message: `${label}: a private method is fixed when its class is defined. Give the whole class instead.` };
  }
  if (member === "constructor") {
    return { message: `${label}: a constructor is fixed when its class is defined. Give the whole class instead.` };
  }
  const family = `${number}:${label}`;
  const following = uses.length > 0 ? method.following(family) : method.code;
  const isCrossing = following !== method.code;
  const code = following;
  const spec = { owner, member, isStatic, code, uses, sourceUrl: `repl:${number}`, ...(isCrossing ? { family } : {}) };
  const make = uses.length > 0 ? "" : `,${LITERAL}${code}\n})`;
  const key = member.startsWith("[") ? member.slice(1, -1) : JSON.stringify(member);
  const read = `${inKernel("member")}(${owner},${key},${isStatic},${JSON.stringify(owner)})`;
  const access = `({get:{${JSON.stringify(label)}:()=>${read}},set:{},run:${inKernel("same")}(async()=>{${method.before}${inKernel("method")}(${owner},${JSON.stringify(spec)}${make})})})`;
  const names: InstallName[] = [{ name: label, kind: "member", known: true }];
  const install = specOf(names, scope, target);
  const enter = enterCode(number);
  const sourceUrl = `//# sourceURL=repl:${number}`;
  const whole =
    scope.kind === "global"
      ? `${enter}await ${inKernel("install")}(${JSON.stringify(install)},${access})\n${sourceUrl}`
      : enter + callInModule(`${access}\n${sourceUrl}`, install, scope.url, number);
  const evaluated = uses.length > 0 ? `${LITERAL}${code}` : scope.kind === "global" ? whole : access;
  const start = evaluated.lastIndexOf(code);
  const mapper: Snippet["mapper"] = ({ line, column }) =>
    method.mapper({ line, column: line === 0 ? Math.max(0, column - start) : column });
  return { ...NO_CONTENTS, imports: false, code: whole, mapper, form: EMPTY, installs: names, member: method };
}

/** The module comes from its changed text: nothing of the form is evaluated by itself. */
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
