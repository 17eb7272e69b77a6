/** The tool `find_implementations`: classes, object literals and functions that implement an interface or a member. */
import {
  findImplementations,
  type Implementation,
  type Implementations,
} from "../../typescript/xref/implementations.ts";
import { resolveSymbol, type SymbolTarget } from "../../typescript/names/resolve-symbol.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import { defineTool, type Tool, type ToolAnswer } from "../tool.ts";
import {
  answerFrom,
  explainResolution,
  packageSchema,
  pageFields,
  pageLine,
  pageOf,
  pageSchema,
  place,
  plural,
} from "./answer-text.ts";
import { headline } from "./headline.ts";
import { wrongKind } from "./wrong-kind.ts";

const input = {
  type: "object",
  properties: {
    symbol: {
      type: "string",
      description:
        "The interface, class, type alias or a member of one: name, Outer.member, src/file.ts#Outer.member, pkg#Export.",
    },
    package: packageSchema,
    ...pageSchema,
  },
  required: ["symbol"],
  additionalProperties: false,
} as const;

export function createFindImplementations(service: TypeScriptService): Tool {
  return defineTool({
    name: "find_implementations",
    description:
      "What implements an interface, class or one of their members, in all loaded projects: classes (declared or structural), object literals and functions, with the declaration each stands in.",
    input,
    safety: "safe",
    categories: ["introspection", "xref"],
    run: (args, context) =>
      answerFrom(service, context.signal, async (view) => {
        const resolution = await resolveSymbol(view, args.symbol, args.package);
        if (resolution.kind !== "found") return explainResolution(view, args.symbol, resolution);
        const { target } = resolution;
        const implementations = await findImplementations(view, target);
        if (implementations === undefined) return { content: await wrongKind(view, target, "implementations") };
        return implementationsAnswer(view, target, implementations, args);
      }),
  });
}

async function implementationsAnswer(
  view: View,
  target: SymbolTarget,
  { found, complete, notes }: Implementations,
  paging: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Promise<ToolAnswer> {
  const head = await headline(view, target);
  if (found.length === 0) {
    const certainty =
      view.state.complete && complete ? "No implementations" : "No implementations found in what was searched";
    return { content: `${certainty}: ${head}`, complete, notes };
  }
  const code = found.filter((each) => !each.isTest);
  const tests = found.filter((each) => each.isTest);
  const page = pageOf(
    [...code, ...tests].map((each) => `  ${implementationLine(view, each)}`),
    paging,
  );
  const codeLeft = Math.max(0, code.length - page.first);
  const sections = [
    { title: "Code", lines: page.lines.slice(0, codeLeft) },
    { title: "Tests", lines: page.lines.slice(codeLeft) },
  ];
  const lines = [head, counts(found)];
  for (const { title, lines: own } of sections) if (own.length > 0) lines.push("", title, ...own);
  const shown = pageLine(page, found.length, "implementations");
  if (shown.length > 0) lines.push("", ...shown);
  return { content: lines.join("\n"), complete, notes, ...pageFields(page) };
}

function counts(found: readonly Implementation[]): string {
  const kinds = [...Map.groupBy(found, (each) => each.kind)].map(([kind, group]) => `${group.length} ${kind}`);
  const files = new Set(found.map((each) => each.file)).size;
  const tests = found.filter((each) => each.isTest).length;
  return `${plural(found.length, "implementation")} in ${plural(files, "file")}: ${found.length - tests} in code, ${tests} in tests (${kinds.join(", ")})`;
}

function implementationLine(view: View, each: Implementation): string {
  return `${place(view, each.file, each.at)} ${each.path} — ${howText(each)}: ${each.line}`;
}

function howText({ kind, how, detail }: Implementation): string {
  switch (how) {
    case "declared":
      return kind;
    case "typed":
      return kind === "object literal" ? "object literal, typed by where it stands" : `${kind} in an object literal`;
    case "structural":
      return `${kind}, structural: fits ${detail ?? "it"}`;
    default:
      return how satisfies never;
  }
}
