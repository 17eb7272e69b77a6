/**
 * Every way in which the two sides may differ, each with who is right and why. A rule holds for one difference at a time
 * and looks for its reason in TypeScript 6's own tree and checker; a difference without a rule is a bug.
 */
import ts from "@typescript/typescript6";
import type { Answers, Aspect } from "./aspects.ts";
import { nodeAt, type LanguageService } from "./language-service.ts";
import type { OracleSymbol } from "./symbols.ts";
import {
  annotationOf,
  declaredPlaces,
  isAssignedFrom,
  isBelow,
  isTypedAs,
  mentions,
  namedSymbol,
  ownSymbol,
  placesOf,
  runsConstructorOf,
  sourcePlace,
  typeOwner,
} from "./evidence.ts";

export interface DifferenceContext {
  readonly oracle: LanguageService;
  readonly symbol: OracleSymbol;
  readonly aspect: Aspect;
  readonly item: string;
  readonly theirs: ReadonlySet<string>;
  readonly ours: ReadonlySet<string>;
  /** What TypeScript 6 says to the other questions. */
  readonly all: Answers;
}

export interface DifferenceRule {
  readonly id: string;
  readonly aspects: readonly Aspect[];
  readonly side: "missing" | "extra";
  readonly right: "TypeScript 6" | "ours" | "both";
  readonly reason: string;
  readonly holds: (context: DifferenceContext) => boolean;
}

export const differenceRules: readonly DifferenceRule[] = [
  {
    id: "itself",
    aspects: ["implementations"],
    side: "missing",
    right: "both",
    reason: "TypeScript 6 lists the symbol's own declaration among its implementations; we list what implements it.",
    holds: ({ oracle, symbol, item }) => declaredPlaces(oracle, symbol).has(item),
  },
  {
    id: "declaration map, declaration side",
    aspects: ["references", "implementations"],
    side: "missing",
    right: "both",
    reason:
      "A place in a built .d.ts with a declaration map: TypeScript 7 answers with the place in the source it was built from, TypeScript 6's LanguageService with the .d.ts itself (its server maps, too).",
    holds: ({ oracle, item, ours }) => {
      const mapped = sourcePlace(oracle, item);
      return mapped !== undefined && ours.has(mapped);
    },
  },
  {
    id: "declaration map, source side",
    aspects: ["references", "implementations"],
    side: "extra",
    right: "both",
    reason: "The other half of the same: the source place of a .d.ts place that TypeScript 6 has.",
    holds: ({ oracle, item, theirs }) => [...theirs].some((each) => sourcePlace(oracle, each) === item),
  },
  {
    id: "declaration map, not loaded",
    aspects: ["mentions"],
    side: "missing",
    right: "TypeScript 6",
    reason:
      "who_references shows each place with its line, and the mapped source of an installed package is part of no program: the declaration there is left out.",
    holds: ({ oracle, item, all }) => {
      const mapped = sourcePlace(oracle, item);
      return mapped !== undefined && mapped.includes("node_modules/") && all.references?.has(item) === true;
    },
  },
  {
    id: "renamed in a specifier",
    aspects: ["mentions"],
    side: "missing",
    right: "both",
    reason:
      "In `export { old as new }` TypeScript 6 counts both names; who_references lists the specifier once, at the name that is mentioned.",
    holds: ({ oracle, item }) => {
      const name = nodeAt(oracle, item);
      const specifier = name?.parent;
      if (specifier === undefined) return false;
      const isSpecifier = ts.isImportSpecifier(specifier) || ts.isExportSpecifier(specifier);
      return isSpecifier && specifier.propertyName !== undefined && specifier.name === name;
    },
  },
  {
    id: "merged elsewhere",
    aspects: ["address"],
    side: "extra",
    right: "both",
    reason: "The address names a symbol; we give all of its declarations, those in other files among them.",
    holds: ({ oracle, symbol, item }) => declaredPlaces(oracle, symbol).has(item),
  },
  {
    id: "sibling",
    aspects: ["callers"],
    side: "missing",
    right: "ours",
    reason:
      "TypeScript 6 relates members that implement the same base. A call that names a member of a class neither above nor below the asked one never runs it; who_calls counts such uses but does not list them.",
    holds: ({ oracle, symbol, item }) => {
      const named = typeOwner(namedSymbol(oracle, nodeAt(oracle, item)));
      const own = typeOwner(ownSymbol(oracle, symbol));
      if (named === undefined || own === undefined || named === own) return false;
      return !isBelow(oracle, named, own) && !isBelow(oracle, own, named);
    },
  },
  {
    id: "super names another",
    aspects: ["callers"],
    side: "missing",
    right: "ours",
    reason: "`super.member()` runs the base's member; TypeScript 6 also lists it as a call of the overriding one.",
    holds: ({ oracle, symbol, item }) => {
      const name = nodeAt(oracle, item);
      const access = name?.parent;
      if (access === undefined || !ts.isPropertyAccessExpression(access)) return false;
      if (access.expression.kind !== ts.SyntaxKind.SuperKeyword) return false;
      return namedSymbol(oracle, name) !== ownSymbol(oracle, symbol);
    },
  },
  {
    id: "destructured",
    aspects: ["callers"],
    side: "extra",
    right: "ours",
    reason: "`const { member } = object; member()` calls the member; TypeScript 6 ends at the local variable.",
    holds: ({ oracle, symbol, item }) => {
      const local = namedSymbol(oracle, nodeAt(oracle, item));
      const [declaration] = local?.declarations ?? [];
      if (declaration === undefined || !ts.isBindingElement(declaration)) return false;
      const pattern = oracle.checker.getTypeAtLocation(declaration.parent);
      const name = (declaration.propertyName ?? declaration.name).getText();
      return pattern.getProperty(name)?.declarations?.some((each) => isOneOf(symbol, each)) === true;
    },
  },
  {
    id: "runs the constructor",
    aspects: ["callers"],
    side: "extra",
    right: "ours",
    reason:
      "`new` through a namespace, `super(…)`, and `new` or an extends clause of a subclass without a constructor of its own all run the asked class's constructor, as TypeScript 6's checker resolves them; its references do not list them.",
    holds: ({ oracle, symbol, item }) => runsConstructorOf(oracle, symbol, nodeAt(oracle, item)),
  },
  {
    id: "reads the getter",
    aspects: ["callers"],
    side: "extra",
    right: "ours",
    reason:
      "A read of a getter runs it. TypeScript 6 has the place among its references, and takes only calls for calls.",
    holds: ({ symbol, item, all }) => symbol.kind === "accessor" && all.references?.has(item) === true,
  },
  {
    id: "a declared subtype",
    aspects: ["implementations"],
    side: "extra",
    right: "ours",
    reason:
      "A class or interface whose heritage reaches the asked one, or its member of the same name. TypeScript 6 leaves out interfaces that redeclare a member, parameter properties, and class properties without a value.",
    holds: ({ oracle, symbol, item }) => {
      const found = declaredAt(nodeAt(oracle, item));
      const own = ownSymbol(oracle, symbol);
      if (found === undefined || own === undefined) return false;
      if (isBelow(oracle, found, own)) return true;
      const [below, above] = [typeOwner(found), typeOwner(own)];
      return below !== undefined && above !== undefined && found.name === own.name && isBelow(oracle, below, above);
    },
  },
  {
    id: "a typed literal",
    aspects: ["implementations"],
    side: "extra",
    right: "ours",
    reason:
      "An object literal, or its member, that the checker's contextual type makes one of the asked interface; TypeScript 6 lists the members of such literals but not the literals.",
    holds: ({ oracle, symbol, item }) => isTypedAs(oracle, symbol, nodeAt(oracle, item)),
  },
  {
    id: "a type that only mentions it",
    aspects: ["implementations"],
    side: "missing",
    right: "ours",
    reason:
      "TypeScript 6 takes the value of `const list: Array<Node> = []`, or what a function returns, for an implementation of Node, because the annotation mentions it. It is a value of another type.",
    holds: ({ oracle, symbol, item }) => {
      const annotation = annotationOf(nodeAt(oracle, item));
      const own = ownSymbol(oracle, symbol);
      if (annotation === undefined || own === undefined || !mentions(oracle, annotation, own)) return false;
      const type = oracle.checker.getTypeFromTypeNode(annotation);
      const parts = type.isUnionOrIntersection() ? type.types : [type];
      return parts.every((part) => {
        const named = part.aliasSymbol ?? part.getSymbol();
        return named !== own && (named === undefined || !isBelow(oracle, named, own));
      });
    },
  },
  {
    id: "a target",
    aspects: ["implementations"],
    side: "missing",
    right: "ours",
    reason:
      "TypeScript 6 follows the shorthand in `({ delay } = config)` to the variable and lists it among the implementations. It only receives the member's value.",
    holds: ({ oracle, symbol, item }) => isAssignedFrom(oracle, symbol, nodeAt(oracle, item)),
  },
  {
    id: "another name",
    aspects: ["implementations"],
    side: "missing",
    right: "ours",
    reason: "TypeScript 6 lists `export { Name as Other }` among the implementations. It is a name for the type.",
    holds: ({ oracle, item }) => {
      const parent = nodeAt(oracle, item)?.parent;
      return parent !== undefined && (ts.isExportSpecifier(parent) || ts.isImportSpecifier(parent));
    },
  },
  {
    id: "this",
    aspects: ["implementations"],
    side: "missing",
    right: "ours",
    reason:
      "TypeScript 6 lists uses of `this` inside a subclass among the implementations of its base. They are values.",
    holds: ({ oracle, item }) => nodeAt(oracle, item)?.kind === ts.SyntaxKind.ThisKeyword,
  },
  {
    id: "another part of a union",
    aspects: ["members"],
    side: "missing",
    right: "both",
    reason: "A property of a union is declared once in each part; each side names the first in its own order.",
    holds: ({ oracle, symbol, item, ours }) => otherDeclarations(oracle, symbol, item).some((each) => ours.has(each)),
  },
  {
    id: "another part of a union, ours",
    aspects: ["members"],
    side: "extra",
    right: "both",
    reason: "The other half of the same.",
    holds: ({ oracle, symbol, item, theirs }) =>
      [...theirs].some((each) => otherDeclarations(oracle, symbol, each).includes(item)),
  },
];

/** The symbol of the declaration whose name a node is. */
function declaredAt(name: ts.Node | undefined): ts.Symbol | undefined {
  const declaration = name?.parent;
  return declaration === undefined ? undefined : (declaration as { readonly symbol?: ts.Symbol }).symbol;
}

function isOneOf(symbol: OracleSymbol, declaration: ts.Declaration): boolean {
  return symbol.declarations.some(({ node }) => node === declaration);
}

/** The same member at each of its declarations. */
function otherDeclarations(oracle: LanguageService, symbol: OracleSymbol, item: string): string[] {
  const [name = "", place = ""] = item.split(" at ");
  const own = ownSymbol(oracle, symbol);
  const type = own === undefined ? undefined : oracle.checker.getDeclaredTypeOfSymbol(own);
  const places = [...placesOf(oracle, type?.getProperty(name)?.declarations ?? [])];
  return places.includes(place) ? places.map((each) => `${name} at ${each}`) : [];
}
