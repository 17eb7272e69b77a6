/** The data that the parts of the rewriter share for one form. */
import type MagicString from "magic-string";
import type { ClassSpec } from "../../source/classes/class-spec.ts";
import { withoutHelpers, type HelperNames } from "../../source/classes/decorator-helpers.ts";
import type { FormScope } from "../scope-types.ts";
import { declarationIn, declaratorNames, declaredName, type Body } from "../../source/syntax.ts";

/** Facts of the text that the emitted code no longer shows. */
export interface WrittenFacts {
  readonly enums: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  /** Names that lowered decorators use, which no other code may see. */
  readonly helpers: HelperNames;
  /** `install`: the names are set at the end, after all of the form has run. */
  readonly mode: "evaluate" | "install";
}

/** A form as the transpiler emitted it, with the edits that are made to it. */
export interface EmittedForm {
  readonly edited: MagicString;
  readonly scope: FormScope;
  readonly number: number;
  readonly text: WrittenFacts;
}

export interface Rewriting extends EmittedForm {
  /** The offset of the first statement that is no import. */
  readonly top: number;
  readonly names: Set<string>;
  readonly live: Set<string>;
  readonly constants: Set<string>;
  readonly classes: Map<string, ClassSpec>;
  /** Namespaces whose new object exists already: later statements of the form add to it. */
  readonly started: Set<string>;
  /** Names that are declared without a value. */
  readonly bare: Set<string>;
  /** Names whose declaration sets a flag when the form has reached it. */
  readonly checked: ReadonlySet<string>;
  /** Names that the form imports in the same way as its module. */
  readonly shared: ReadonlySet<string>;
  imports: boolean;
  usings: number;
}

export interface TopLevelNames {
  readonly names: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
  /** Names that have no value before their declaration gives them one. */
  readonly lexical: ReadonlySet<string>;
}

/** The names that a form declares at its top level. */
export function topLevelNames(body: Body, helpers: HelperNames = new Set()): TopLevelNames {
  const names = new Set<string>();
  const lexical = new Set<string>();
  const constants = new Set<string>();
  for (const statement of body) {
    const node = declarationIn(statement);
    if (node.type === "VariableDeclaration") {
      const bound = declaratorNames(node);
      for (const name of bound) names.add(name);
      if (node.kind !== "var") for (const name of bound) lexical.add(name);
      if (/^(?:const|(?:await )?using)$/.test(node.kind)) for (const name of bound) constants.add(name);
    } else if (node.type === "ImportDeclaration") {
      for (const { local } of node.specifiers) names.add(local.name);
    } else {
      const name = declaredName(node);
      if (name !== undefined) names.add(name);
      if (name !== undefined && node.type === "ClassDeclaration") lexical.add(name);
    }
  }
  return { names: withoutHelpers(names, helpers), constants, lexical: withoutHelpers(lexical, helpers) };
}
