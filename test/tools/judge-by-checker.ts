/** Where a symbol of a project stands by the checker of TypeScript 6, in the words of a test. */
import { relative } from "node:path";
import ts from "@typescript/typescript6";
import type { Declaration } from "../../server/src/typescript/names/tree/declaration.ts";
import { tokenAt } from "../oracle/places.ts";
import { CheckerPlaces } from "../support/checker-places.ts";

export interface Judge {
  /** `src/a.ts:2:4`, where a quoted name stands at its quote. */
  readonly shown: (file: string, at: ts.LineAndCharacter) => string;
  readonly placesOf: (declaration: Declaration) => string[];
  /** Where `as` gives the symbol another name. */
  readonly namesGiven: (declaration: Declaration) => string[];
}

/** `options` are those of a tsconfig. */
export function judgeOf(root: string, files: readonly string[], options: object): Judge {
  const { options: parsed } = ts.convertCompilerOptionsFromJson(options, root);
  const program = ts.createProgram(files, {
    ...parsed,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  });
  const places = new CheckerPlaces(program, (file) => file.startsWith(root));
  const shown: Judge["shown"] = (file, at) => {
    const source = program.getSourceFile(file);
    const offset = source?.getPositionOfLineAndCharacter(at.line, at.character) ?? 0;
    const isBehindQuote = /["'`]/.test(source?.text[offset - 1] ?? "");
    return `${relative(root, file)}:${at.line + 1}:${at.character + (isBehindQuote ? 0 : 1)}`;
  };
  const shownAll = (nodes: readonly ts.Node[]): string[] =>
    nodes.map((node) => {
      const source = node.getSourceFile();
      return shown(source.fileName, source.getLineAndCharacterOfPosition(node.getStart()));
    });
  const namesOf = ({ file, at }: Declaration): ts.Node[] => {
    const source = program.getSourceFile(file);
    return source === undefined ? [] : [tokenAt(source, source.getPositionOfLineAndCharacter(at.line, at.character))];
  };
  return {
    shown,
    placesOf: (declaration) => shownAll(places.of(namesOf(declaration))),
    namesGiven: (declaration) => shownAll(places.givenFor(namesOf(declaration))),
  };
}
