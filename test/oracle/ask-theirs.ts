/** What TypeScript 6's LanguageService answers about a symbol. */
import ts from "@typescript/typescript6";
import { isAsked, type Answers, type Aspect } from "./aspects.ts";
import { nodeAt, type LanguageService } from "./language-service.ts";
import { offsetPlace, type Place } from "./places.ts";
import type { OracleSymbol } from "./symbols.ts";
import { theirMembers } from "./theirs-types.ts";

/** Every place that mentions one of the symbol's declarations' names, those names among them. */
function theirReferences({ service, program, folder }: LanguageService, symbol: OracleSymbol): Set<Place> {
  const places = new Set<Place>();
  for (const { name } of symbol.declarations) {
    const source = name.getSourceFile();
    for (const { references } of service.findReferences(source.fileName, name.getStart(source)) ?? []) {
      for (const { fileName, textSpan } of references) {
        const file = program.getSourceFile(fileName);
        if (file !== undefined) places.add(offsetPlace(folder, file, textSpan.start));
      }
    }
  }
  return places;
}

/** Where the call hierarchy says that the symbol is called or, as it also counts, reached through a dot. */
function theirIncomingCalls({ service, program, folder }: LanguageService, symbol: OracleSymbol): Set<Place> {
  const places = new Set<Place>();
  for (const { name } of symbol.declarations) {
    const source = name.getSourceFile();
    const prepared = service.prepareCallHierarchy(source.fileName, name.getStart(source));
    const items = prepared === undefined ? [] : Array.isArray(prepared) ? prepared : [prepared];
    for (const { file, selectionSpan } of items) {
      for (const { from, fromSpans } of service.provideCallHierarchyIncomingCalls(file, selectionSpan.start)) {
        const caller = program.getSourceFile(from.file);
        for (const { start } of fromSpans) if (caller !== undefined) places.add(offsetPlace(folder, caller, start));
      }
    }
  }
  return places;
}

function theirImplementations({ service, program, folder }: LanguageService, symbol: OracleSymbol): Set<Place> {
  const places = new Set<Place>();
  for (const { name } of symbol.declarations) {
    const source = name.getSourceFile();
    for (const { fileName, textSpan } of service.getImplementationAtPosition(source.fileName, name.getStart(source)) ??
      []) {
      const file = program.getSourceFile(fileName);
      if (file !== undefined) places.add(offsetPlace(folder, file, textSpan.start));
    }
  }
  return places;
}

/**
 * Those that the syntax makes a call of the name: the kinds of call that both sides define. The call hierarchy alone knows
 * nothing of interface members and properties, so the references are looked through, too.
 */
function calls(oracle: LanguageService, references: ReadonlySet<Place>): Set<Place> {
  return new Set([...references].filter((place) => isCalled(nodeAt(oracle, place))));
}

function isCalled(name: ts.Node | undefined): boolean {
  if (name === undefined) return false;
  const { parent } = name;
  let at = name;
  if (ts.isPropertyAccessExpression(parent) && parent.name === name) at = parent;
  else if (ts.isElementAccessExpression(parent) && parent.argumentExpression === name) at = parent;
  const { parent: around } = at;
  if (ts.isCallOrNewExpression(around)) return around.expression === at;
  if (ts.isTaggedTemplateExpression(around)) return around.tag === at;
  if (ts.isDecorator(around)) return around.expression === at;
  return ts.isJsxOpeningLikeElement(around) && around.tagName === at;
}

export function askTheirs(oracle: LanguageService, symbol: OracleSymbol): Answers {
  const references = theirReferences(oracle, symbol);
  const answers: Partial<Record<Aspect, ReadonlySet<string>>> = {
    address: new Set(symbol.declarations.map(({ place }) => place)),
    references,
    mentions: references,
  };
  if (isAsked("callers", symbol.kind)) {
    answers.callers = calls(oracle, new Set([...references, ...theirIncomingCalls(oracle, symbol)]));
  }
  if (isAsked("implementations", symbol.kind)) answers.implementations = theirImplementations(oracle, symbol);
  if (isAsked("members", symbol.kind)) answers.members = new Set(theirMembers(oracle, symbol));
  return answers;
}
