/** The tool `method_specializers`: overloads, what a member overrides, and everything that overrides or implements it. */
import {
  methodSpecializers,
  type MemberSite,
  type MethodSpecializers,
  type Signature,
} from "../../typescript/xref/method-specializers.ts";
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
    generic_function: {
      type: "string",
      description:
        "The function, or the method, accessor, property or constructor of a class or interface: name, Outer.member, src/file.ts#Outer.member.",
    },
    package: packageSchema,
    ...pageSchema,
  },
  required: ["generic_function"],
  additionalProperties: false,
} as const;

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

const MAX_NAMES = 12;

export function createMethodSpecializers(service: TypeScriptService): Tool {
  return defineTool({
    name: "method_specializers",
    description:
      "The forms of a function: its overloads and implementation; of a method also what it overrides, every method that overrides or implements it (which class, override keyword, super call) and which classes inherit it.",
    input,
    safety: "safe",
    categories: ["introspection", "xref"],
    run: (args, context) =>
      answerFrom(service, context.signal, async (view) => {
        const resolution = await resolveSymbol(view, args.generic_function, args.package);
        if (resolution.kind !== "found") return explainResolution(view, args.generic_function, resolution);
        const { target } = resolution;
        const specializers = await methodSpecializers(view, target);
        if (specializers === undefined) return { content: await wrongKind(view, target, "specializers") };
        return specializersAnswer(view, target, specializers, args);
      }),
  });
}

async function specializersAnswer(
  view: View,
  target: SymbolTarget,
  specializers: MethodSpecializers,
  paging: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Promise<ToolAnswer> {
  const sections = sectionsOf(view, specializers);
  const page = pageOf(
    sections.flatMap((section) => section.lines),
    paging,
  );
  const lines = [await headline(view, target)];
  let from = 0;
  for (const { title, lines: own } of sections) {
    const shown = page.lines.slice(Math.max(0, from - page.first), Math.max(0, from + own.length - page.first));
    from += own.length;
    if (shown.length > 0 || (own.length === 0 && page.first === 0)) lines.push("", title, ...shown);
  }
  const { inheritedBy, notes, complete } = specializers;
  if (inheritedBy.length > 0 && page.first === 0)
    lines.push("", `${inheritanceTitle(specializers)}: ${names(inheritedBy)}`);
  const shown = pageLine(page, from, "lines");
  if (shown.length > 0) lines.push("", ...shown);
  return { content: lines.join("\n"), complete, notes, ...pageFields(page) };
}

function inheritanceTitle({ kind, isAbstract, isInterface }: MethodSpecializers): string {
  if (kind === "constructor") return "Subclasses without a constructor of their own";
  if (isInterface) return "Taken over from the interface by";
  return isAbstract ? "Left abstract by" : "Inherited unchanged by";
}

function sectionsOf(view: View, { kind, owner, signatures, above, below }: MethodSpecializers): Section[] {
  const sections: Section[] = [
    { title: signatureTitle(signatures), lines: signatures.map((each) => `  ${signatureLine(view, each)}`) },
  ];
  if (above.length > 0) {
    // `override` and `super` there would be about what stands still higher.
    const title = kind === "constructor" ? "Constructors of superclasses" : "Overrides or implements";
    sections.push({
      title,
      lines: above.map((each) => `  ${siteLine(view, { ...each, hasOverride: false, callsSuper: false })}`),
    });
  }
  if (owner !== undefined) {
    const tests = below.filter((each) => each.isTest).length;
    const name = kind === "constructor" ? "Constructors of subclasses" : "Overridden or implemented by";
    const title = below.length === 0 ? `${name}: none` : `${name}: ${below.length}, override and super calls marked`;
    sections.push({
      title: tests === 0 ? title : `${title}, ${tests} in tests`,
      lines: below.map((each) => `  ${siteLine(view, each)}`),
    });
  }
  return sections;
}

function signatureTitle(signatures: readonly Signature[]): string {
  const overloads = signatures.filter(({ role }) => role === "overload").length;
  const declared = signatures.filter(({ role }) => role === "declaration").length;
  if (overloads > 0) return `${plural(overloads, "overload")} and the implementation`;
  return declared > 1 ? `${declared} overloads` : "Signature";
}

function signatureLine(view: View, { file, at, role, header }: Signature): string {
  const mark = role === "declaration" ? "" : ` — ${role}`;
  return `${place(view, file, at)} ${header}${mark}`;
}

function siteLine(view: View, site: MemberSite): string {
  const facts = [
    ...(site.through === undefined ? [] : [site.through]),
    ...(site.how === "structural" ? ["structural"] : []),
    ...(site.how === "typed" ? ["in an object literal"] : []),
    ...(site.hasOverride ? ["override"] : []),
    ...(site.callsSuper === true ? ["calls super"] : []),
    ...(site.isTest ? ["test"] : []),
    ...(site.inheritedBy.length === 0 ? [] : [`inherited by ${names(site.inheritedBy)}`]),
  ];
  const tail = facts.length === 0 ? "" : ` — ${facts.join(", ")}`;
  return `${site.path} (${site.kind}, ${place(view, site.file, site.at)})${tail}`;
}

function names(paths: readonly string[]): string {
  const left = paths.length - MAX_NAMES;
  return left > 0 ? `${paths.slice(0, MAX_NAMES).join(", ")} and ${left} more` : paths.join(", ");
}
