/** The tool `class_hierarchy`: supertypes above, subtypes below, declared and structural kept apart. */
import { classHierarchy, type ClassHierarchy } from "../../typescript/xref/hierarchy/class-hierarchy.ts";
import type { SubtypeNode } from "../../typescript/xref/hierarchy/subtypes.ts";
import type { Supertype } from "../../typescript/xref/hierarchy/supertypes.ts";
import type { TypeEntry } from "../../typescript/xref/hierarchy/type-entry.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { Reference } from "../../typescript/places.ts";
import type { View } from "../../typescript/view.ts";
import type { Tool, ToolAnswer } from "../tool.ts";
import { groupedAnswer, scopeSchema, pageSchema, place, type Paging } from "../answers/answer-text.ts";
import { defineSymbolQuestion, HIERARCHY_TIMEOUT_MS } from "./define-question.ts";
import { foundPlaces } from "../answers/found-places.ts";
import { sectionPage } from "../answers/section-page.ts";
import { wrongKind } from "../answers/wrong-kind.ts";
import { plural } from "../../base/plural.ts";

const input = {
  type: "object",
  properties: {
    symbol: {
      type: "string",
      description: "The class, interface or type alias: name, Outer.Name, src/file.ts#Name, pkg#Name.",
    },
    path: scopeSchema,
    ...pageSchema,
  },
  required: ["symbol"],
  additionalProperties: false,
} as const;

export function createClassHierarchy(service: TypeScriptService): Tool {
  return defineSymbolQuestion(service, {
    name: "class_hierarchy",
    description:
      "What a class or interface extends and implements, up into dependencies; and all that extends or implements it: declared, through mixins, structural.",
    input,
    timeoutMs: HIERARCHY_TIMEOUT_MS,
    categories: ["xref", "clos"],
    answer: async (view, target, args) => {
      const hierarchy = await classHierarchy(view, target);
      if (hierarchy === undefined) return wrongKind(view, target, "hierarchy");
      return hierarchyAnswer(view, hierarchy, args);
    },
  });
}

function hierarchyAnswer(view: View, hierarchy: ClassHierarchy, paging: Paging): ToolAnswer {
  const { entry, subtypes, structural, structuralCount } = hierarchy;
  const above = supertypeLines(view, hierarchy.supertypes, "  ");
  const kinds = new Set(subtypes.all.map((each) => each.entry.kind));
  const below = subtypeLines(view, { nodes: subtypes.tree, above: entry, tellsKind: kinds.size > 1 }, "  ");
  const fits = structural.flatMap((fit) => [
    `  ${entryText(view, fit.entry)} — structural: fits ${fit.text}`,
    ...subtypeLines(view, { nodes: fit.subtypes, above: fit.entry, tellsKind: true }, "    "),
  ]);
  const sections = [
    { title: above.length === 0 ? "Supertypes: none" : "Supertypes", lines: above },
    {
      title: below.length === 0 ? "Declared subtypes: none" : declaredTitle(subtypes.all.map((each) => each.entry)),
      lines: below,
    },
    ...(fits.length === 0 ? [] : [{ title: `Structural, not declared: ${structuralCount}`, lines: fits }]),
  ];
  const { page, total, lines } = sectionPage(sections, paging);
  const { file, at } = entry.declaration;
  const isSaid = entry.address.startsWith(`${view.paths.show(file)}#`);
  const head = `${entry.address} (${entry.kind}, ${isSaid ? `line ${at.line + 1}` : place(view, file, at)})`;
  const { notes, complete } = hierarchy;
  const lists = () => ({ places: foundPlaces(relatives(hierarchy), ({ text }) => text) });
  return { ...groupedAnswer([head, ...lines], page, total, "lines"), complete, notes, lists };
}

interface Relative extends Reference {
  readonly text: string;
}

/** Each once, from the top down. */
function relatives({ supertypes, entry, subtypes, structural }: ClassHierarchy): Relative[] {
  const relative = ({ path, kind, declaration }: TypeEntry, relation: string): Relative => {
    const { file, at } = declaration;
    return { file, at, text: `${path} (${kind}) — ${relation}` };
  };
  const above = (all: readonly Supertype[]): Relative[] =>
    all.flatMap((each) => {
      if (each.repeated) return [];
      const own = each.entry === undefined ? [] : [relative(each.entry, "supertype")];
      return [...above(each.supertypes), ...own];
    });
  return [
    ...above(supertypes),
    relative(entry, "what was asked about"),
    ...subtypes.all.map((each) => relative(each.entry, each.entry.isTest ? "subtype, test" : "subtype")),
    ...structural.map((fit) => relative(fit.entry, `fits ${fit.text}`)),
  ];
}

function declaredTitle(entries: readonly TypeEntry[]): string {
  const kinds = [...Map.groupBy(entries, (entry) => entry.kind)].map(([kind, group]) =>
    plural(group.length, kind, kind.endsWith("class") ? `${kind}es` : `${kind}s`),
  );
  const tests = entries.filter((entry) => entry.isTest).length;
  return `Declared subtypes: ${kinds.join(", ")}${tests === 0 ? "" : ` (${tests} in tests)`}`;
}

function supertypeLines(view: View, supertypes: readonly Supertype[], indent: string): string[] {
  return supertypes.flatMap((each) => {
    const where = each.entry === undefined ? "" : ` (${each.entry.kind}, ${placeOf(view, each.entry)})`;
    const note = each.note === undefined ? "" : ` — ${each.note}`;
    const above = each.repeated ? " — shown above" : "";
    const relation = each.relation === "through" ? "made of" : each.relation;
    const line = `${indent}${relation} ${each.text}${where}${note}${above}`;
    return [line, ...supertypeLines(view, each.supertypes, `${indent}  `)];
  });
}

interface Below {
  readonly nodes: readonly SubtypeNode[];
  readonly above: TypeEntry;
  /** Where all are of one kind, the title tells it. */
  readonly tellsKind: boolean;
}

/** What extends the type above by its own name needs no words. */
function subtypeLines(view: View, { nodes, above, tellsKind }: Below, indent: string): string[] {
  return nodes.flatMap((each) => {
    const relation = each.relation === "through" ? `extends ${each.text}` : `${each.relation} ${each.text}`;
    const facts = [
      ...(relation === `extends ${above.path}` ? [] : [relation]),
      ...(each.entry.isTest ? ["test"] : []),
      ...(each.repeated ? ["shown above"] : []),
    ];
    const what = tellsKind ? entryText(view, each.entry) : `${each.entry.path} (${placeOf(view, each.entry)})`;
    const line = `${indent}${what}${facts.length === 0 ? "" : ` — ${facts.join(", ")}`}`;
    return [line, ...subtypeLines(view, { nodes: each.subtypes, above: each.entry, tellsKind }, `${indent}  `)];
  });
}

function entryText(view: View, entry: TypeEntry): string {
  return `${entry.path} (${entry.kind}, ${placeOf(view, entry)})`;
}

function placeOf(view: View, { declaration }: TypeEntry): string {
  return place(view, declaration.file, declaration.at);
}
