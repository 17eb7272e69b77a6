/** The tool `function_arglist`: every way to call something, with parameter types, defaults and documentation. */
import { functionSignatures, type FunctionSignatures } from "../../typescript/shapes/function-signatures.ts";
import { hasQuestionMark } from "../../typescript/shapes/member-facts.ts";
import { syntaxWarning } from "../answers/rendered/syntax-warning.ts";
import type { SymbolTarget } from "../../typescript/names/tree/declaration.ts";
import type { FunctionSignature, SignatureParameter } from "../../typescript/shapes/signature-parts.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import type { Tool, ToolAnswer } from "../tool.ts";
import { listAnswer, scopeSchema, pageOf, pageSchema, place, plural, type Paging } from "../answers/answer-text.ts";
import { defineSymbolQuestion } from "./define-question.ts";
import { cut } from "../answers/grouped-lines.ts";

const input = {
  type: "object",
  properties: {
    symbol: {
      type: "string",
      description:
        "The function, method, class or callable value or type: name, Outer.member, src/file.ts#Outer.member, pkg#Export, overload #2. Globals work too.",
    },
    path: scopeSchema,
    ...pageSchema,
  },
  required: ["symbol"],
  additionalProperties: false,
} as const;

const MAX_TYPE = 400;
const MAX_DOCUMENTATION = 160;

export function createFunctionArglist(service: TypeScriptService): Tool {
  return defineSymbolQuestion(service, {
    name: "function_arglist",
    description:
      "How to call a function, method, constructor, or a value or type that can be called: every overload with type parameters, parameter names, types, defaults, optional and rest parameters, `this`, return type or type predicate, async and generator, and what the documentation says of each parameter. The implementation behind overloads is marked as not callable.",
    input,
    isOffered: false,
    whenNameless: "Name the function to look up.",
    answer: async (view, target, args) => {
      const found = await functionSignatures(view, target);
      if (found === undefined) return { content: `${target.address} is no longer part of the loaded projects.` };
      if (found.signatures.length === 0) return { content: notCallable(target, found) };
      return answer(view, { target, found, warnings: await syntaxWarning(view, found.detail) }, args);
    },
  });
}

/** What a symbol that cannot be called is instead, and which tool answers about that. */
function notCallable(target: SymbolTarget, { detail, type }: FunctionSignatures): string {
  const what = `${target.address} is ${article(detail.kind)}`;
  switch (detail.kind) {
    case "interface":
    case "type":
      return `${what} without call or construct signatures. class_slots lists its members, describe_symbol what it stands for.`;
    case "enum":
      return `${what}: it cannot be called. class_slots lists its members.`;
    case "namespace":
      return `${what}: it cannot be called. list_package_symbols lists what it holds.`;
    case "getter":
    case "setter":
      return `${what}: it is read or assigned without a call; its type is ${cut(type, MAX_TYPE)}.`;
    default:
      return `${what} of type ${cut(type, MAX_TYPE)}, which cannot be called. describe_symbol says more.`;
  }
}

interface Found {
  readonly target: SymbolTarget;
  readonly found: FunctionSignatures;
  readonly warnings: readonly string[];
}

function answer(view: View, { target, found, warnings }: Found, paging: Paging): ToolAnswer {
  const { detail, signatures } = found;
  const name = shownName(target, found);
  const numbered = signatures.length > 1;
  const entries = signatures.map((signature) => {
    return signatureLines(name, signature, numbered ? ordinalOf(target, signature) : undefined).join("\n");
  });
  const page = pageOf(entries, paging);
  const head = `${target.address} (${detail.kind}, ${place(view, detail.source.fileName, detail.declaration.at)}): ${counts(signatures)}`;
  const lines = [head, ...warnings, ...origin(view, detail, signatures), ...page.lines];
  return listAnswer(lines, page, entries.length, "signatures");
}

/** A constructor is shown by its class; a generic type with its own type parameters, which its signatures use. */
function shownName({ path }: SymbolTarget, { detail: { kind, node }, ofValue }: FunctionSignatures): string {
  const names = path.split(".");
  const own = (kind === "constructor" ? names.at(-2) : names.at(-1)) ?? path;
  const name = hasQuestionMark(node) ? `${own}?` : own;
  const { typeParameters = [] } = node as { readonly typeParameters?: readonly { getText(): string }[] };
  const isType = (kind === "interface" || kind === "type") && !ofValue;
  return isType && typeParameters.length > 0
    ? `${name}<${typeParameters.map((each) => each.getText()).join(", ")}>`
    : name;
}

function counts(signatures: readonly FunctionSignature[]): string {
  const callable = signatures.filter((signature) => signature.callable);
  const calls = callable.filter((signature) => signature.kind === "call").length;
  const constructs = callable.length - calls;
  const parts = [
    ...(calls > 0 ? [calls > 1 ? `${calls} overloads` : "1 signature"] : []),
    ...(constructs > 0 ? [plural(constructs, "way to construct it", "ways to construct it")] : []),
    ...(callable.length < signatures.length ? ["the implementation"] : []),
  ];
  return parts.join(", ");
}

/** The place of the signatures where it is not the symbol's own: an inherited constructor, a callable type. */
function origin(
  view: View,
  { source, node }: FunctionSignatures["detail"],
  signatures: readonly FunctionSignature[],
): string[] {
  const files = new Set(signatures.map(({ file, at }) => (file === undefined || at === undefined ? undefined : file)));
  const [file] = files;
  const at = signatures[0]?.at;
  if (files.size !== 1 || file === undefined || at === undefined) return [];
  if (file === source.fileName) {
    const offset = source.getPositionOfLineAndCharacter(at.line, at.character);
    if (offset >= node.pos && offset < node.end) return [];
  }
  return [`Declared at ${place(view, file, at)}`];
}

/** The signature's number among the declarations, for asking about this one alone. */
function ordinalOf({ declarations, overload }: SymbolTarget, { file, at }: FunctionSignature): number | undefined {
  if (declarations.length < 2 || overload !== undefined) return undefined;
  const index = declarations.findIndex((each) => each.file === file && each.at.line === at?.line);
  return index < 0 ? undefined : index + 1;
}

function signatureLines(name: string, signature: FunctionSignature, ordinal: number | undefined): string[] {
  const { typeParameters, thisType, parameters, documentation } = signature;
  const generics = typeParameters.length === 0 ? "" : `<${typeParameters.map((each) => each.text).join(", ")}>`;
  const self = thisType === undefined ? [] : [`this: ${cut(thisType, MAX_TYPE)}`];
  const list = [...self, ...parameters.map(parameterText)].join(", ");
  const number = ordinal === undefined ? "" : `#${ordinal} `;
  const verb = signature.kind === "construct" ? "new " : "";
  const line = `  ${number}${prefix(signature)}${verb}${name}${generics}(${list}): ${cut(signature.returnType, MAX_TYPE)}`;
  return [
    line + (signature.callable ? "" : "  — implementation, not callable itself"),
    ...remarks(signature).map((text) => `      ${text}`),
    ...(documentation.summary === "" ? [] : [`      ${cut(documentation.summary, MAX_DOCUMENTATION)}`]),
    ...parameters.flatMap((each) => {
      return each.documentation === "" ? [] : [`      ${each.name}: ${cut(each.documentation, MAX_DOCUMENTATION)}`];
    }),
    ...(documentation.returns === "" ? [] : [`      returns: ${cut(documentation.returns, MAX_DOCUMENTATION)}`]),
  ];
}

function prefix({ isAsync, isGenerator }: FunctionSignature): string {
  return `${isAsync ? "async " : ""}${isGenerator ? "function* " : ""}`;
}

function remarks({ kind, isAbstract, access, documentation: { deprecated } }: FunctionSignature): string[] {
  const who = access === "private" ? "only the class itself" : "only the class itself and its subclasses";
  return [
    ...(kind === "construct" && isAbstract ? ["abstract: only a subclass can be constructed"] : []),
    ...(access === undefined ? [] : [`${access}: ${who} may call it`]),
    ...(deprecated === undefined
      ? []
      : [`deprecated${deprecated === "" ? "" : `: ${cut(deprecated, MAX_DOCUMENTATION)}`}`]),
  ];
}

/** `b: number = 1` where it may be left out because of its default, `b?: number` where it may without one. */
function parameterText({ name, type, optional, rest, initializer }: SignatureParameter): string {
  const mark = optional && initializer === undefined ? "?" : "";
  const value = initializer === undefined ? "" : ` = ${cut(initializer, MAX_DOCUMENTATION)}`;
  return `${rest ? "..." : ""}${name === "" ? "(missing)" : name}${mark}: ${cut(type, MAX_TYPE)}${value}`;
}

function article(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}
