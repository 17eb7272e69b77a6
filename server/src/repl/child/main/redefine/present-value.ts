/** The value that a name of a scope has before a form is installed there. */
import type { InstallName, InstallSpec } from "../../../redefine/installation.ts";
import { captured, uncurried } from "../../shared/captured.ts";

/** The names of a scope as functions that were made inside of the scope. */
export interface ScopeAccess {
  readonly get: Readonly<Record<string, () => unknown>>;
  readonly set: Readonly<Record<string, (value: unknown) => void>>;
  readonly run: () => Promise<unknown>;
  /** Makes the new names permanent in the scope. */
  readonly grow?: () => void;
}

/** Undefined for a name that the scope does not know yet. Throws a sentence when the name cannot be read. */
export function presentValue(spec: InstallSpec, access: ScopeAccess, name: InstallName): unknown {
  if (!name.known) return undefined;
  try {
    return access.get[name.name]?.();
  } catch (error) {
    const where = spec.path ?? "the REPL";
    if (error instanceof captured.Error && endsWith(error.message, " is not defined")) {
      throw new captured.Error(
        `${name.name} cannot be reached from outside of ${where}: no function there uses it, so the engine keeps it to ` +
          "itself. Work with what the module exports.",
      );
    }
    const isEarly = error instanceof captured.Error && endsWith(error.message, " before initialization");
    if (name.kind === "member" && !isEarly) throw error;
    throw new captured.Error(
      `${name.name} is not initialised: ${where} has not come to its declaration (it still awaits, failed, or is part ` +
        "of an import cycle), or had been loaded before the program was attached and uses the name in no function. Nothing was installed.",
    );
  }
}

export interface Present {
  readonly name: InstallName;
  readonly value: unknown;
}

const PRIVATE = /(?:^|[\s.;{}(!])#[\w$]/;

/** Throws a sentence for what a module that runs as it was written does not allow, before anything is installed. */
export function refuseFixed(
  spec: InstallSpec,
  access: ScopeAccess,
  { name, value }: Present,
  brandOf: (owner: object) => unknown,
): void {
  if (spec.url === undefined || !name.known || name.kind === "member" || name.kind === "assigned") return;
  const where = `${spec.path ?? spec.url}, which runs as it was written`;
  try {
    access.set[name.name]?.(value);
  } catch (error) {
    if (!(error instanceof captured.Error) || !endsWith(error.message, "to constant variable.")) throw error;
    throw new captured.Error(
      `${name.name} is a constant of ${where}: its binding cannot be set (Assignment to constant variable). Nothing was installed.`,
    );
  }
  if (name.plan === undefined || typeof value !== "function" || brandOf(value) !== undefined) return;
  if (!PRIVATE.test(uncurried.functionText(value))) return;
  throw new captured.Error(
    `${name.name} is a class with private names of ${where}: methods of a new definition would fail on the instances made ` +
      "before. Nothing was installed. Install single methods that use no private names.",
  );
}

function endsWith(text: string, end: string): boolean {
  return uncurried.slice(text, text.length - end.length, text.length) === end;
}
