/** The tool `method_specializers`: overloads, what a member overrides, and everything that overrides or implements it. */
import {
  methodSpecializers,
  type MemberSite,
  type MethodSpecializers,
  type Signature,
} from "../../typescript/xref/hierarchy/method-specializers.ts";
import type { SymbolTarget } from "../../typescript/names/tree/declaration.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import type { Tool, ToolAnswer } from "../tool.ts";
import { groupedAnswer, scopeSchema, pageSchema, place, type Paging } from "../answers/answer-text.ts";
import { defineSymbolQuestion, HIERARCHY_TIMEOUT_MS } from "./define-question.ts";
import { headline } from "../answers/headline.ts";
import { sectionPage, type Section } from "../answers/section-page.ts";
import { wrongKind } from "../answers/wrong-kind.ts";
import { plural } from "../../base/plural.ts";

const input = {
  type: "object",
  properties: {
    symbol: {
      type: "string",
      description:
        "The function, or the method, accessor, property or constructor of a class or interface: name, Outer.member, src/file.ts#Outer.member.",
    },
    path: scopeSchema,
    ...pageSchema,
  },
  required: ["symbol"],
  additionalProperties: false,
} as const;

const MAX_NAMES = 12;

export function createMethodSpecializers(service: TypeScriptService): Tool {
  return defineSymbolQuestion(service, {
    name: "method_specializers",
    description:
      "The forms of a function: its overloads and implementation; of a method also what it overrides, every method that overrides or implements it and which classes inherit it.",
    input,
    isOffered: false,
    timeoutMs: HIERARCHY_TIMEOUT_MS,
    categories: ["xref", "clos"],
    answer: async (view, target, args) => {
      const specializers = await methodSpecializers(view, target);
      if (specializers === undefined) return wrongKind(view, target, "specializers");
      return specializersAnswer(view, target, specializers, args);
    },
  });
}

async function specializersAnswer(
  view: View,
  target: SymbolTarget,
  specializers: MethodSpecializers,
  paging: Paging,
): Promise<ToolAnswer> {
  const { page, total, lines } = sectionPage(sectionsOf(view, specializers), paging);
  const { inheritedBy, notes, complete } = specializers;
  const inherited =
    inheritedBy.length > 0 && page.first === 0 ? ["", `${inheritanceTitle(specializers)}: ${names(inheritedBy)}`] : [];
  const head = await headline(view, target);
  return { ...groupedAnswer([head, ...lines, ...inherited], page, total, "lines"), complete, notes };
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
    // The marks `override` and `super` are left out here: they would be about members still higher up.
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
    ...(site.how === "named" ? ["named in an object literal"] : []),
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
