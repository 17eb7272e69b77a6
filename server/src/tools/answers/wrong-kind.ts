/** What to ask instead, when a tool is asked about a symbol of a kind it does not answer for. */
import { assignedName } from "../../typescript/names/javascript/assigned-names.ts";
import { inspectDeclaration } from "../../typescript/names/tree/inspect-declaration.ts";
import type { SymbolTarget } from "../../typescript/names/tree/declaration.ts";
import type { View } from "../../typescript/view.ts";
import type { ToolAnswer } from "../tool.ts";

const ASKED = {
  hierarchy: "A hierarchy belongs to a class, an interface or a type alias.",
  implementations: "Only classes, interfaces, their members and type aliases have implementers.",
  specializers: "Only functions, methods, accessors and properties of classes and interfaces have specializers.",
} as const;

const VARIABLES = new Set(["const", "let", "var", "using"]);

export async function wrongKind(view: View, target: SymbolTarget, asked: keyof typeof ASKED): Promise<ToolAnswer> {
  const [first] = target.declarations;
  const detail = await inspectDeclaration(view, first);
  const found = detail?.kind ?? first.kind;
  const kind = VARIABLES.has(found) ? "variable" : found;
  if (asked === "implementations" && isUnshared(target)) {
    const owner = target.path.split(".").slice(0, -1).join(".");
    return {
      content: `${target.address} belongs to ${owner} alone: no other class implements it. Ask who_calls about it.`,
    };
  }
  if (detail !== undefined && assignedName(detail.node)?.owner !== undefined) {
    const what = `${target.address} is made by an assignment, which the search for what overrides or implements it leaves out.`;
    return { content: `${what} ${suggestion(kind, target)}`, complete: false };
  }
  return { content: `${target.address} is ${article(kind)} ${kind}. ${ASKED[asked]} ${suggestion(kind, target)}` };
}

/** True for constructors and `#private` names, which no subclass overrides. */
function isUnshared({ path }: SymbolTarget): boolean {
  return /\.(?:constructor$|#)/.test(path);
}

function article(kind: string): string {
  return /^[aeiou]/.test(kind) ? "an" : "a";
}

function suggestion(kind: string, { address, path }: SymbolTarget): string {
  const owner = path.split(".").slice(0, -1).join(".");
  switch (kind) {
    case "class":
    case "interface":
    case "type":
      return `Ask class_hierarchy or find_implementations about ${address}, or name one of its methods.`;
    case "method":
    case "property":
    case "getter":
    case "setter":
    case "parameter property":
    case "constructor":
      return owner === ""
        ? `Ask who_references about ${address}.`
        : `Ask about ${owner}, or who_references about ${address}.`;
    case "function":
      return `Ask who_calls about ${address}.`;
    default:
      return `Ask who_references or describe_symbol about ${address}.`;
  }
}
