/** A call of a traced function as a form that makes the same call again, in the scope of the function's module. */
import { captured } from "../../shared/captured.ts";
import { nameOf, parentOf } from "../../shared/print/value-facts.ts";
import { sourceOf, type SourceNames, type ValueSource } from "../../shared/print/value-source.ts";
import type { Evaluator, ModuleScopes } from "../modules/module-scopes.ts";
import type { Slot } from "./traced-slot.ts";

export interface MadeCall {
  readonly self: unknown;
  readonly args: unknown[];
  readonly isNew: boolean;
}

const NAME = /^[A-Za-z_$][\w$]*$/;

export function namesIn(evaluator: Evaluator, { brandOf }: Pick<ModuleScopes, "brandOf">): SourceNames {
  return {
    nameOf: (value) => {
      const name = nameOf(value);
      if (!NAME.test(name)) return undefined;
      try {
        return (evaluator(`v=>${name}===v`) as (value: object) => boolean)(value) ? name : undefined;
      } catch {
        // The module has no such name, or has not come to its declaration.
        return undefined;
      }
    },
    hasPrivateFields: (owner) => {
      for (let each: object | undefined = owner; each !== undefined; each = parentOf(each)) {
        if ((brandOf(each)?.names.instance.length ?? 0) > 0) return true;
      }
      return false;
    },
  };
}

/** The values as they are now. */
export function callForm({ code, owner }: Slot, { self, args, isNew }: MadeCall, names: SourceNames): ValueSource {
  const isPlain = isNew || self === owner || (owner === undefined && self === globalThis);
  const given = isPlain ? args : [self];
  if (!isPlain) for (let index = 0; index < args.length; index++) given[index + 1] = args[index];
  const made = sourceOf(given, names);
  if ("why" in made) return made;
  const call = isPlain ? `${isNew ? "new " : ""}${code}` : `${code}.call`;
  return { source: captured.String(`${call}(${made.source})`) };
}
