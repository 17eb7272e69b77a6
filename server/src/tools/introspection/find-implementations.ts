/** The tool `find_implementations`: classes, object literals and functions that implement an interface or a member. */
import {
  findImplementations,
  type Implementation,
  type Implementations,
} from "../../typescript/xref/hierarchy/implementations.ts";
import type { SymbolTarget } from "../../typescript/names/tree/declaration.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import type { Tool, ToolAnswer } from "../tool.ts";
import { groupedAnswer, ofAll, usesScopeSchema, pageSchema, place, type Paging } from "../answers/answer-text.ts";
import { defineSymbolQuestion, HIERARCHY_TIMEOUT_MS } from "./define-question.ts";
import { foldPlaces } from "../answers/fold-places.ts";
import { foundPlaces } from "../answers/found-places.ts";
import { headline } from "../answers/headline.ts";
import { codeAndTests, countedPlaces, sectionPage } from "../answers/section-page.ts";
import { wrongKind } from "../answers/wrong-kind.ts";

const input = {
  type: "object",
  properties: {
    symbol: {
      type: "string",
      description:
        "The interface, class, type alias or a member of one: name, Outer.member, src/file.ts#Outer.member, pkg#Export.",
    },
    path: usesScopeSchema,
    ...pageSchema,
  },
  required: ["symbol"],
  additionalProperties: false,
} as const;

export function createFindImplementations(service: TypeScriptService): Tool {
  return defineSymbolQuestion(service, {
    name: "find_implementations",
    description:
      "What implements or overrides an interface, a class or one of their members: classes (declared or structural), object literals, functions.",
    input,
    timeoutMs: HIERARCHY_TIMEOUT_MS,
    categories: ["xref"],
    hasUsesWithin: true,
    answer: async (view, target, args, within = () => true) => {
      const all = await findImplementations(view, target);
      if (all === undefined) return wrongKind(view, target, "implementations");
      const found = all.found.filter(within);
      return implementationsAnswer(view, target, { ...all, found }, { ...args, part: ofAll(found, all.found) });
    },
  });
}

async function implementationsAnswer(
  view: View,
  target: SymbolTarget,
  { found, complete, notes }: Implementations,
  { part, ...paging }: Paging & { readonly part: string },
): Promise<ToolAnswer> {
  const head = await headline(view, target);
  if (found.length === 0) {
    const certainty =
      view.isComplete && complete ? "No implementations" : "No implementations found in what was searched";
    return { content: `${certainty}${part}: ${head}`, complete, notes };
  }
  const sections = codeAndTests(found, (each) => `  ${implementationLine(view, each)}`);
  const { page, total, lines } = sectionPage(sections, paging);
  return {
    ...groupedAnswer(
      [head, `${countedPlaces(found, "implementation")}${part}`, ...foldPlaces(lines)],
      page,
      total,
      "implementations",
    ),
    complete,
    notes,
    lists: () => ({ places: foundPlaces(found, implementationText) }),
  };
}

function implementationLine(view: View, each: Implementation): string {
  return `${place(view, each.file, each.at)} ${implementationText(each)}`;
}

function implementationText(each: Implementation): string {
  return `${each.path} — ${howText(each)}: ${each.line}`;
}

function howText({ kind, how, detail }: Implementation): string {
  switch (how) {
    case "declared":
      return kind;
    case "typed":
      return kind === "object literal" ? "object literal, typed by where it stands" : `${kind} in an object literal`;
    case "named":
      return `${kind}, named in an object literal`;
    case "structural":
      return `${kind}, structural: fits ${detail ?? "it"}`;
    default:
      return how satisfies never;
  }
}
