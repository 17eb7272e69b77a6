/**
 * Decides whether a form is a type or code. The rule, in this order: what the caller says; for an address or a name, what
 * it is declared as; a text that parses as a type is a type; everything else is code.
 */
import { SyntaxKind } from "typescript/unstable/ast";
import type { CompilerOptions } from "typescript/unstable/async";
import { declarationText } from "../shapes/declaration-text.ts";
import { inspectDeclaration, type DeclarationDetail } from "../names/tree/inspect-declaration.ts";
import { moduleScope } from "../names/tree/module-scope.ts";
import { resolveSymbol, type Resolution } from "../names/resolve-symbol.ts";
import type { SymbolTarget } from "../names/tree/declaration.ts";
import { addressedType, outermostProgram, readTypeForm, typeQuestion, type TypeQuestion } from "./type-question.ts";
import type { View } from "../view.ts";
import { lineAddress } from "../names/line-address.ts";
import { segmentsOf, writtenAccess, writtenAddress } from "./written-address.ts";

export interface ExpansionRequest {
  readonly form: string;
  readonly package: string | undefined;
  readonly as: "type" | "code" | undefined;
}

export interface CodePlan {
  readonly kind: "code";
  readonly why: string;
  readonly text: string;
  readonly prefersJsx: boolean;
  /** The options of the tsconfig that covers the code. */
  readonly options: CompilerOptions;
  readonly config: string;
}

export type ExpansionPlan =
  | { readonly kind: "type"; readonly why: string; readonly form: string; readonly question: TypeQuestion }
  | CodePlan
  | { readonly kind: "unresolved"; readonly asked: string; readonly resolution: Exclude<Resolution, { kind: "found" }> }
  | { readonly kind: "not possible"; readonly reason: string };

const TYPE_WORDS =
  /^(?:any|unknown|never|void|undefined|null|string|number|boolean|bigint|symbol|object|true|false|this|\d.*)$/;
const TYPEDEF_KINDS = new Set(["class", "type", "interface"]);
const TYPE_KINDS = new Set(["type", "interface", "type parameter"]);
const VALUE_KINDS = new Set(["function", "const", "let", "var", "variable", "using", "namespace"]);
const CLASSES = new Set([SyntaxKind.ClassDeclaration, SyntaxKind.ClassExpression]);

export async function planExpansion(view: View, request: ExpansionRequest): Promise<ExpansionPlan> {
  const form = request.form.trim();
  const written = lineAddress(form) === undefined ? writtenAddress(form) : form;
  const address = TYPE_WORDS.test(form) ? undefined : written;
  if (address !== undefined) {
    const resolution = await resolveSymbol(view, address, request.package);
    if (resolution.kind === "found") return planOfSymbol(view, request, resolution.target);
    if (request.as !== "code" || form.includes("#")) return { kind: "unresolved", asked: form, resolution };
  }
  const access = request.as === "code" ? undefined : await planOfAccess(view, request, form);
  if (access !== undefined) return access;
  const said = request.as === undefined ? undefined : `that was asked for`;
  const addressed = request.as === "code" ? undefined : readTypeForm(form);
  if (addressed === undefined) {
    if (request.as === "type") return { kind: "not possible", reason: "The form does not parse as a type." };
    return codePlan(view, form, request.package, said ?? "it does not parse as a type");
  }
  return planOfType(view, { form, addressed, scope: request.package, why: said ?? "it parses as a type" });
}

/**
 * `obj["a b"]` names a member when `obj` is a value; when `obj` is a type the form is a type, and left to the compiler.
 */
async function planOfAccess(view: View, request: ExpansionRequest, form: string): Promise<ExpansionPlan | undefined> {
  const access = writtenAccess(form);
  const base = access === undefined ? undefined : await resolveSymbol(view, access.base, request.package);
  if (access === undefined || base?.kind !== "found") return undefined;
  const detail = await inspectDeclaration(view, base.target.declarations[0]);
  const parent = detail?.node.parent;
  const isValue = detail !== undefined && (VALUE_KINDS.has(detail.kind) || isLiteralMember(parent?.kind));
  if (!isValue) return undefined;
  const whole = await resolveSymbol(view, access.whole, request.package);
  if (whole.kind === "found") return planOfSymbol(view, request, whole.target);
  const addressed = readTypeForm(`typeof ${form}`);
  const why = `${base.target.address} is a value`;
  return addressed === undefined ? undefined : planOfType(view, { form, addressed, scope: request.package, why });
}

async function planOfSymbol(view: View, request: ExpansionRequest, target: SymbolTarget): Promise<ExpansionPlan> {
  const detail = await inspectDeclaration(view, target.declarations[0]);
  const listed = target.declarations[0].kind;
  // A typedef is in a comment, where the syntax tree has no declaration.
  const isTypedef = /\.[cm]?jsx?$/.test(target.file) && TYPEDEF_KINDS.has(listed) && detail?.kind !== "class";
  const kind = isTypedef ? "type" : (detail?.kind ?? listed);
  const article = /^[aeiou]/.test(kind) ? "an" : "a";
  const isOfType = isTypeMember(detail?.node.parent?.kind);
  const isType = request.as === undefined ? TYPE_KINDS.has(kind) || isOfType : request.as === "type";
  const why = `${target.address} is ${article} ${kind}`;
  if (!isType) {
    const code = await declarationText(view, target);
    if (code === undefined) return { kind: "not possible", reason: `${target.address} left the program.` };
    const instead = code.within === undefined ? "" : `, lowered with ${code.within} around it`;
    return codePlan(view, code.text, target.file, why + instead);
  }
  const addressed = addressedType(typeOfSymbol(view, target, kind, detail));
  if (addressed === undefined) return { kind: "not possible", reason: `${target.address} cannot be named as a type.` };
  const scope = view.paths.isOwn(target.file) ? target.file : request.package;
  return planOfType(view, { form: target.address, addressed, scope, why });
}

/** How a type names the symbol: by its name, `typeof` its name, or as a member of its container. */
function typeOfSymbol(
  view: View,
  target: SymbolTarget,
  kind: string,
  detail: DeclarationDetail | undefined,
): Parameters<typeof addressedType>[0] {
  const file = view.paths.show(target.file);
  const parent = detail?.node.parent?.kind;
  const isStatic = detail?.modifiers.includes("static") === true;
  const [owner, member] = isLiteralMember(parent) ? outermost(target.path) : lastOf(target.path);
  const isMember = isTypeMember(parent) || isLiteralMember(parent) || CLASSES.has(parent ?? SyntaxKind.Unknown);
  if (isMember && member.length > 0 && kind !== "constructor") {
    const isOfValue = isStatic || isLiteralMember(parent);
    const suffix = member.map((each) => `[${JSON.stringify(each)}]`).join("");
    return { prefix: isOfValue ? "typeof " : "", address: `${file}#${owner}`, suffix };
  }
  return { prefix: VALUE_KINDS.has(kind) ? "typeof " : "", address: `${file}#${target.path}`, suffix: "" };
}

/** The place of a literal, and the way down into it. */
function outermost(path: string): [string, string[]] {
  const [owner = "", ...members] = segmentsOf(path);
  return [owner, members];
}

function lastOf(path: string): [string, string[]] {
  const member = segmentsOf(path).at(-1) ?? "";
  const quoted = [`.${member}`, `.${JSON.stringify(member)}`].find((each) => path.endsWith(each));
  return quoted === undefined ? [path, []] : [path.slice(0, -quoted.length), [member]];
}

function isTypeMember(parent: SyntaxKind | undefined): boolean {
  return parent === SyntaxKind.InterfaceDeclaration || parent === SyntaxKind.TypeLiteral;
}

function isLiteralMember(parent: SyntaxKind | undefined): boolean {
  return parent === SyntaxKind.ObjectLiteralExpression;
}

interface TypeToExpand {
  readonly form: string;
  readonly addressed: NonNullable<ReturnType<typeof readTypeForm>>;
  /** The module or package in which the form is asked about. */
  readonly scope: string | undefined;
  readonly why: string;
}

async function planOfType(view: View, { form, addressed, scope, why }: TypeToExpand): Promise<ExpansionPlan> {
  const result = await typeQuestion(view, addressed, scope);
  switch (result.kind) {
    case "question":
      return { kind: "type", why, form, question: result.question };
    case "unresolved":
      return result;
    case "no module":
      return { kind: "not possible", reason: result.reason };
    default:
      return result satisfies never;
  }
}

async function codePlan(
  view: View,
  text: string,
  packageName: string | undefined,
  why: string,
): Promise<ExpansionPlan> {
  const scope = packageName === undefined ? undefined : moduleScope(view, packageName);
  if (packageName !== undefined && scope === undefined) {
    const resolution = await resolveSymbol(view, `${packageName}#_`);
    if (resolution.kind !== "found") return { kind: "unresolved", asked: packageName, resolution };
  }
  const [file] = scope?.files ?? [];
  const named = view.programs.find(({ name, configFile }) => packageName === name || packageName === configFile);
  const program = named ?? (file === undefined ? undefined : view.programOf(file)) ?? outermostProgram(view);
  return {
    kind: "code",
    why,
    text,
    prefersJsx: file !== undefined && /\.[jt]sx$/.test(file),
    options: program?.project.compilerOptions ?? {},
    config: program?.configFile === undefined ? "no tsconfig" : program.name,
  };
}
